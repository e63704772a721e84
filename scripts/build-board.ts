import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { build, type Metafile } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
const CLIENT = join(ROOT, "src/surfaces/board/client");

/**
 * Bundles the board's pages: `index.html`, `enter.html`, and under `assets/` what it loads, by names that change with what is in them. What
 * the first view needs is one program and one style sheet; the other pages are chunks. `outdir` is replaced.
 */
export async function buildBoard(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["main.tsx", "enter.tsx", "board.css"].map((name) => join(CLIENT, name)),
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    publicPath: "/",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox128", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "file" },
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const name of ["index.html", "enter.html"])
    await writeFile(join(outdir, name), await pageOf(name, metafile, outdir));
  return metafile;
}

/** The page with the names that were given. */
async function pageOf(file: string, metafile: Metafile, outdir: string): Promise<string> {
  const page = await readFile(join(CLIENT, file), "utf8");
  const names = Object.entries(metafile.outputs).flatMap(([path, { inputs }]) =>
    Object.keys(inputs).map((input) => [basename(input), relative(outdir, resolve(ROOT, path))] as const),
  );
  return page
    .replace("</title>", `</title>${file === "index.html" ? preloads(metafile, outdir) : ""}`)
    .replace(/"\/([\w.]+)"/g, (_, name) => {
      const built = names.find(
        ([input, output]) => input === name && !output.endsWith(".js") === !name.endsWith("x"),
      );
      if (!built) throw new Error(`${file} names ${name}, which was not built`);
      return `"/${built[1].replaceAll("\\", "/")}"`;
    });
}

/** What the program imports at once is asked for beside it, not after it. */
function preloads({ outputs }: Metafile, outdir: string): string {
  const [, main] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith("main.tsx")) ?? [];
  const chunks = (main?.imports ?? []).filter(({ kind }) => kind === "import-statement");
  return chunks
    .map(({ path }) => relative(outdir, resolve(ROOT, path)).replaceAll("\\", "/"))
    .map((name) => `\n    <link rel="modulepreload" href="/${name}">`)
    .join("");
}
