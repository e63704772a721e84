/** Builds the board's page into `dist/board/`: minified, split, named by what each file holds. */

import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
/** Imports its styles. */
const ENTRY = "src/surfaces/board/client/main.tsx";

/** `outdir`: replaced. */
export async function buildBoard(outdir: string): Promise<Metafile | null> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  if (!existsSync(join(ROOT, ENTRY))) {
    await writeFile(join(outdir, "index.html"), page([], []));
    return null;
  }
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: ENTRY },
    outdir: join(outdir, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { react: "preact/compat", "react-dom": "preact/compat" },
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY);
  const scripts = entry ? [basename(entry[0])] : [];
  const styles = entry?.[1].cssBundle ? [basename(entry[1].cssBundle)] : [];
  await writeFile(join(outdir, "index.html"), page(scripts, styles));
  return metafile;
}

function page(scripts: readonly string[], styles: readonly string[]): string {
  const lines = [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    "<title>Pawl</title>",
    ...styles.map((name) => `<link rel="stylesheet" href="/assets/${name}">`),
    ...scripts.map((name) => `<script type="module" src="/assets/${name}"></script>`),
    '<link rel="icon" href="data:,">',
    '<div id="board">This page needs JavaScript.</div>',
  ];
  return `${lines.join("\n")}\n`;
}
