import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { mergeChunks } from "./merge-chunks.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** What is native stays a package of its own. */
const { dependencies, version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/**
 * What quick commands load, in this order: a client's hook, which loads nothing else; all of them, with what records a run's
 * moves; the verbs of workflows; and what each needs of its own. `read`: what parses a changed file.
 */
const QUICK = {
  guard: /^src\/(app\/guard|surfaces\/hooks\/claude-code)\.ts$/,
  core: /^src\/(app\/app|surfaces\/cli\/verb|adapters\/agents\/capability|runtime\/(run-event|record)|engine\/boxes)\.ts$/,
  tasks: /^src\/workflows\/bloom\/verbs\/(step|look)\.ts$/,
  cast: /^src\/workflows\/spells\/cast\.ts$/,
  status:
    /^src\/(surfaces\/cli\/status|workflows\/(alfred|spells|bloom)\/overview|adapters\/policies\/policies)\.ts$/,
  read: /^src\/tasks-file\/read\.ts$/,
  mcp: /^src\/surfaces\/(cli\/mcp|mcp\/serve)\.ts$/,
  templates: /^src\/runtime\/template\.ts$/,
};

/** Each of these becomes a script. */
export const QUICK_NAMES: readonly string[] = Object.keys(QUICK);

/** Loaded by a loop that exports telemetry. */
const LIVE = { telemetry: /^src\/adapters\/telemetry\/live\.ts$/ };

/**
 * Code that takes longer to load than most commands run, and that few of them call: it lies beside the other chunks, and is
 * loaded with the first call of one of its functions, on the spot. `by`: who calls them so.
 */
const ON_THE_SPOT: readonly OnTheSpot[] = [
  {
    chunk: "wide-text",
    source: "src/surfaces/cli/wide-text.ts",
    by: /[\\/]cli[\\/]text-width\.ts$/,
    functions: ["sliceAnsi", "stringWidth", "wrapAnsi"],
  },
  // Every start reads state files; only one that has a fault must say where.
  {
    chunk: "json-places",
    source: "jsonc-parser",
    by: /[\\/]core[\\/]state-json\.ts$/,
    functions: ["parseTree", "printParseErrorCode"],
  },
];

interface OnTheSpot {
  readonly chunk: string;
  readonly source: string;
  readonly by: RegExp;
  readonly functions: readonly string[];
}

/** Bundles programs (name → source) into modules that share lazily loaded chunks. */
export async function bundle(
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      ...entryPoints,
      ...Object.fromEntries(ON_THE_SPOT.map(({ chunk, source }) => [`chunks/${chunk}`, source])),
    },
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
      liquidjs: join(folderOf("liquidjs"), "dist/liquid.browser.mjs"),
      yaml: join(folderOf("yaml"), "browser/dist/index.js"),
    },
    // Names and lines stay, so that a stack trace in a bug report can be read.
    minifySyntax: true,
    legalComments: "none",
    plugins: [
      builtins(),
      oneLanguage(),
      withoutDevtools(),
      ...ON_THE_SPOT.map(onTheSpot),
      lateSpaces(),
      rarelyVariadic(),
      turnedInPlace(),
    ],
    // Asking for it loads a part of Node; liquidjs takes the clock instead.
    define: {
      "global.performance": "undefined",
      "process.env.NODE_ENV": '"production"',
      PAWL_VERSION: JSON.stringify(version),
    },
    metafile: true,
    logLevel: "warning",
    // Bundled CommonJS asks for Node's own modules by `require`.
    banner: { js: "const require=process.getBuiltinModule;" },
  });
  await mergeChunks(ROOT, metafile, { ...QUICK, ...LIVE });
  return metafile;
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

/**
 * Node's own modules, had by `process.getBuiltinModule`. An `import` of one reads all of its properties, and of some
 * (`fs.ReadStream`) that loads half of Node. Those in LATE take milliseconds to load, and are with the first call of
 * one of their functions.
 */
function builtins(): Plugin {
  return {
    name: "builtins",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z:_/]+$/ }, ({ importer, kind, path: name }) => {
        if (!isBuiltin(name)) return undefined;
        const path = name.startsWith("node:") ? name : `node:${name}`;
        // CommonJS asks for a module as a whole: shared with it, every command would read all of the module's properties.
        if (KEPT.has(path) || kind === "require-call") return { path, external: true };
        // A module of its own: one such import would have every command read all properties of the module.
        const namespace = kind === "dynamic-import" ? "late-builtin" : "builtin";
        // Its own: what it shares with the live export of telemetry would be loaded with that.
        const suffix = /[\\/]commander[\\/]/.test(importer) ? "?commander" : "";
        return { path, namespace, suffix, sideEffects: false };
      });
      onLoad({ filter: /.*/, namespace: "builtin" }, async ({ path }) => {
        const { default: _, ...members } = await import(path);
        return { contents: (LATE.has(path) ? renderLate : renderEager)(path, members) };
      });
      onLoad({ filter: /.*/, namespace: "late-builtin" }, async ({ path }) => {
        const { default: builtin } = await import(path);
        return { contents: renderEager(path, withoutGetters(builtin)) };
      });
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

function onTheSpot({ by, chunk, functions, source }: OnTheSpot): Plugin {
  const namespace = `on-the-spot-${chunk}`;
  return {
    name: namespace,
    setup({ onResolve, onLoad }) {
      onResolve(
        { filter: new RegExp(`(^|/)${basename(source).replace(".", "\\.")}$`) },
        ({ importer, path }) => (by.test(importer) ? { path, namespace } : undefined),
      );
      onLoad({ filter: /.*/, namespace }, () => ({
        contents: [
          "let known;",
          'const requireHere = () => process.getBuiltinModule("node:module").createRequire(import.meta.url);',
          `const loaded = () => (known ??= requireHere()("./${chunk}.js"));`,
          ...functions.map((name) => `export const ${name} = (...given) => loaded().${name}(...given);`),
        ].join("\n"),
      }));
    },
  };
}

/** Every start would make the 1,200 texts with which jsonc-parser indents a file that it writes. */
function lateSpaces(): Plugin {
  return {
    name: "late-spaces",
    setup({ onLoad }) {
      onLoad(
        { filter: /[\\/]jsonc-parser[\\/]lib[\\/]esm[\\/]impl[\\/]string-intern\.js$/ },
        async ({ path }) => {
          const { supportedEols } = await import(path);
          return {
            contents: [
              "const known = {};",
              "const of = (before, unit) =>",
              "  (known[before + unit] ??= Array.from({ length: 200 }, (_, count) => before + unit.repeat(count)));",
              "const after = (unit) => ({",
              ...supportedEols.map(
                (end: string) =>
                  `  get [${JSON.stringify(end)}]() { return of(${JSON.stringify(end)}, unit); },`,
              ),
              "});",
              'export const cachedSpaces = Array.from({ length: 20 }, (_, count) => " ".repeat(count));',
              'export const cachedBreakLinesWithSpaces = { " ": after(" "), "\\t": after("\\t") };',
              `export const supportedEols = ${JSON.stringify(supportedEols)};`,
            ].join("\n"),
          };
        },
      );
    },
  };
}

/** An expression with a class of letters costs a half of a millisecond: only an option that has dots needs it. */
function rarelyVariadic(): Plugin {
  return edited("rarely-variadic", /[\\/]commander[\\/]lib[\\/]option\.js$/, (text) =>
    text.replace(/= (\/.*\/u\.test\(flags\));/, '= flags.includes("...") && $1;'),
  );
}

/** A block's hash turns words six hundred times, and is made before V8 would put the function into its callers. */
function turnedInPlace(): Plugin {
  return edited("turned-in-place", /[\\/]@noble[\\/]hashes[\\/]sha2\.js$/, (text) =>
    text.replace(
      /\brotr\((\w+), (\d+)\)/g,
      (_, word: string, by: string) => `((${word} << ${32 - Number(by)}) | (${word} >>> ${by}))`,
    ),
  );
}

/** A package's file with a change that must find its place. */
function edited(name: string, filter: RegExp, change: (text: string) => string): Plugin {
  return {
    name,
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = change(text);
        if (contents === text) throw new Error(`${path} is not as ${name} expects it.`);
        return { contents };
      });
    },
  };
}

/** Reading `http.WebSocket` loads a whole client: whoever imports `http` late wants its functions. */
function withoutGetters(builtin: object): object {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(builtin));
  return Object.fromEntries(
    properties.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])),
  );
}

const KEPT: ReadonlySet<string> = new Set(["node:module"]);
const LATE: ReadonlySet<string> = new Set(["node:child_process", "node:crypto", "node:fs/promises"]);

function renderEager(path: string, members: object): string {
  return [
    `const builtin = process.getBuiltinModule(${JSON.stringify(path)});`,
    "const memberOf = (name) => builtin[name];",
    "export default builtin;",
    "const late = (name) => new Proxy({}, { get: (_, own) => builtin[name][own] });",
    ...Object.entries(members).map(([name, value]) => {
      // What `promises` of `fs` is, Node loads with the first look at it, and so it does with `parseArgs` of `util`.
      if (name === "parseArgs") return "export const parseArgs = (...given) => builtin.parseArgs(...given);";
      const how = name === "promises" && typeof value === "object" ? "late" : "memberOf";
      return `export const ${name} = /* @__PURE__ */ ${how}("${name}");`;
    }),
  ].join("\n");
}

/** Only functions: what needs a class of such a module does not build. */
function renderLate(path: string, members: object): string {
  const functions = Object.entries(members).filter(
    ([name, value]) => typeof value === "function" && /^[a-z]/.test(name),
  );
  return [
    `const builtin = () => process.getBuiltinModule(${JSON.stringify(path)});`,
    "export default new Proxy({}, { get: (_, name) => builtin()[name] });",
    ...functions.map(([name]) => `export const ${name} = (...given) => builtin().${name}(...given);`),
  ].join("\n");
}
