import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const SOURCES = join(ROOT, "src/");
const PROGRAM = join(SOURCES, "app/app.ts");
/** The program, and what starts without it. */
const STARTS = new Set([
  PROGRAM,
  ...["main.ts", "app/start.ts", "services/guard/guard.ts"].map((path) => join(SOURCES, path)),
]);

/** Programs by their names: where the source of each is. */
type Programs = Readonly<Record<string, string>>;

/** Bundles programs into modules that share lazily loaded chunks. */
export async function bundle(programs: Programs, outdir: string): Promise<Metafile> {
  const split = { splitting: true, chunkNames: "chunks/[name]-[hash]" };
  const built = await buildTo(outdir, programs, { ...split, plugins: [afterProgram()] });
  await Promise.all(Object.keys(built.outputs).map((path) => shorten(join(ROOT, path))));
  return built;
}

/** Bundles what other programs import, without the program: they may bundle it again, and need none of its screens. */
export function bundleLibrary(programs: Programs, outdir: string): Promise<Metafile> {
  const split = { splitting: true, chunkNames: "library/[name]-[hash]" };
  const short = { minifyWhitespace: true, lineLimit: 160 };
  return buildTo(outdir, programs, { ...split, ...short });
}

/**
 * An `import` of a part of Node makes Node load all that the part offers, for its namespace: the streams of `node:fs`, the ciphers of
 * `node:crypto`. That is a tenth of what a start works; so a module asks for what it names. The lines that name other packages' files go.
 */
async function shorten(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  const named = text
    .replace(/^import (\w+|\{[^}]*\}) from "(node:[\w/]+)";$/gm, (_, names: string, part: string) => {
      // What `require` gets is the part itself, which has no name `default`.
      const whole = /^\{ default as (\w+) \}$/.exec(names)?.[1];
      return `const ${whole ?? names.replaceAll(" as ", ": ")} = globalThis.process.getBuiltinModule("${part}");`;
    })
    .replace(/^\/\/ node_modules\/.*\n/gm, "");
  if (named !== text) await writeFile(path, named);
}

/** Bundles each program into one file. Small ones would only split what the others share. */
export function bundleApart(programs: Programs, outdir: string): Promise<Metafile> {
  return buildTo(outdir, programs, {});
}

async function buildTo(outdir: string, entryPoints: Programs, how: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    ...how,
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    bundle: true,
    format: "esm",
    platform: "node",
    // Some packages' CommonJS cannot be bundled; their modules can.
    mainFields: ["module", "main"],
    target: "node22.12",
    // Their ES modules: smaller, and what is imported lazily from bundled CommonJS would lose its names.
    alias: {
      liquidjs: join(folderOf("liquidjs"), "dist/liquid.browser.mjs"),
      yaml: join(folderOf("yaml"), "browser/dist/index.js"),
    },
    // Names and lines stay, so that a stack trace in a bug report can be read.
    minifySyntax: true,
    legalComments: "none",
    plugins: [...(how.plugins ?? []), wideTextWhenNeeded(), oneLanguage(), withoutDevtools()],
    define: {
      "process.env.NODE_ENV": '"production"',
      PAWL_VERSION: JSON.stringify(version),
    },
    metafile: true,
    logLevel: "warning",
    // Bundled CommonJS asks for Node's own modules by `require`.
    banner: { js: "const require=globalThis.process.getBuiltinModule;" },
  });
  return metafile;
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

/**
 * What is loaded lazily, and each program beside the command line, needs the program, and says so. A lazy part is loaded when the
 * program is there; a bundler does not know that, and would split the program into a chunk for each set of lazy parts that share a
 * module: a hundred files at each start, of 0.2 ms each.
 */
function afterProgram(): Plugin {
  return {
    name: "after-program",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(\.{1,2}|src)\// }, ({ kind, path, resolveDir }) => {
        const source = resolve(resolveDir, path);
        const isRoot = kind === "dynamic-import" || kind === "entry-point";
        if (!isRoot || !source.startsWith(SOURCES) || STARTS.has(source)) return undefined;
        return { path: source, namespace: "lazy" };
      });
      onLoad({ filter: /./, namespace: "lazy" }, async ({ path }) => {
        const from = JSON.stringify(path);
        const hasDefault = /^export (?:default\b|\{.*\bdefault\b)/m.test(await readFile(path, "utf8"));
        const lines = [
          `import ${JSON.stringify(PROGRAM)};`,
          `export * from ${from};`,
          ...(hasDefault ? [`export { default } from ${from};`] : []),
        ];
        return { contents: lines.join("\n"), resolveDir: ROOT };
      });
    },
  };
}

/** These packages make expressions of all emoji as they are loaded, for 25 ms; what `require` gets is made at the first call. */
function wideTextWhenNeeded(): Plugin {
  return {
    name: "wide-text-when-needed",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]wide-text\.ts$/ }, async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replace(
          /export \{ default as (\w+) \} from ("[\w-]+");/g,
          "export const $1 = (...given) => require($2).default(...given);",
        ),
      }));
    },
  };
}

/** Of zod's fifty languages the one that is spoken here: they are half of what a command loads to check a schema. */
export function oneLanguage(): Plugin {
  return {
    name: "one-language",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
      }));
    },
  };
}

/** Ink loads React's devtools, a package that it does not bring, where a developer of the screen asks for them. */
function withoutDevtools(): Plugin {
  return {
    name: "without-devtools",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: "export {};" }));
    },
  };
}
