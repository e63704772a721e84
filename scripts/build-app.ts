import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { oneLanguage } from "./bundle.ts";

const ROOT = resolve(import.meta.dirname, "..");
const CLIENT = join(ROOT, "src/surfaces/board/client");

/**
 * Bundles the review that a client shows inside itself: `review.html`, one document with the board's own parts in it. Its policy
 * names its script and its style by what they are, so that nothing else in it ever runs.
 */
export async function buildApp(outdir: string): Promise<Metafile> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(CLIENT, "inside/main.tsx"), join(CLIENT, "board.css")],
    outdir,
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: ["chrome123", "firefox128", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { PAWL_VERSION: JSON.stringify(version) },
    plugins: [oneLanguage()],
    minify: true,
    // The protocol's package writes every message to the console, and with it the word that makes a verdict count.
    pure: ["console.debug"],
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  const [script, style] = [textOf(".js"), textOf(".css")];
  const policy = `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  const page = await readFile(join(CLIENT, "inside/index.html"), "utf8");
  const whole = page
    .replace('content="policy"', () => `content="${policy}"`)
    .replace("<!--style-->", () => `<style>${style}</style>`)
    .replace("<!--script-->", () => `<script>${script}</script>`);
  await mkdir(outdir, { recursive: true });
  await writeFile(join(outdir, "review.html"), whole);
  return metafile;
}

function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
