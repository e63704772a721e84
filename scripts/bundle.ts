import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");

/** Native, or so heavy that only those who use them should load them: they stay packages of their own. */
const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Bundles programs (name → source) into modules that share lazily loaded chunks. */
export async function bundle(
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // Some packages' CommonJS cannot be bundled; their modules can.
    mainFields: ["module", "main"],
    target: "node22.12",
    external: Object.keys(dependencies),
    // Their ES modules: smaller, and what is imported lazily from bundled CommonJS would lose its names.
    alias: {
      liquidjs: join(folderOf("liquidjs"), "dist/liquid.node.mjs"),
      yaml: join(folderOf("yaml"), "browser/dist/index.js"),
    },
    // Names stay, so that a stack trace in a bug report can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    // Bundled CommonJS asks for Node's own modules by `require`.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module";const require=__createRequire(import.meta.url);',
    },
  });
  return metafile;
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
