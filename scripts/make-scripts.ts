/**
 * Makes scripts of the merged chunks that quick commands load. A module's names are linked one by one, and Node caches its
 * compiled code without the functions that run; a script is one function, whose code `load-scripts.ts` caches as it was after a
 * command. In a module's place stays one that hands on the script's exports, for the chunks that import them.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { transform } from "esbuild";

const LOADER = resolve(import.meta.dirname, "load-scripts.ts");

/** V8 keeps a text of this length with its large objects. A shorter one is copied by each of the collections of a start. */
const LARGE = 128 * 1024;

/** Makes them of the chunks of these names in `outdir`, of which each imports only those before it. */
export async function makeScripts(outdir: string, names: readonly string[]): Promise<void> {
  const chunks = join(outdir, "chunks");
  const wanted = await namesWanted(outdir, names);
  const hashes: Record<string, string> = {};
  const known = new Map<string, readonly string[]>();
  for (const name of names) known.set(name, [...(wanted.get(name) ?? [])].sort());
  for (const name of names) {
    const short = scriptOf(await readFile(join(chunks, `${name}.js`), "utf8"), name, known);
    const script = short.length < LARGE / 2 ? short : short.padEnd(LARGE);
    await writeFile(join(chunks, `${name}.cjs`), script);
    await writeFile(join(chunks, `${name}.js`), renderModule(name, known.get(name) ?? []));
    hashes[name] = createHash("sha256").update(script).digest("hex").slice(0, 16);
  }
  const loader = await loaderOf(hashes);
  await writeFile(
    join(chunks, "scripts.js"),
    `${loader}export const script = openScripts({ folder: import.meta.dirname + "/", late: (name) => import(name), hashes });\n`,
  );
  await redirectMain(join(outdir, "main.js"), known, loader);
}

const IMPORT = /^import (?:(\{[^{}]*\}|[\w$]+) from )?"([^"]+)";\n/gm;
/** As `merge-chunks.ts` writes the lazy import of a merged chunk. */
const LAZY = /\bimport\("(\.[^"]*\/)([a-z]+)\.js"\)(?:\.then\(\(\{ (\w+): whole \}\) => whole\))?/g;

/** What other chunks import of each: an object of all that merged chunks export would take milliseconds to make. */
async function namesWanted(
  outdir: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const wanted = new Map(names.map((name) => [name, new Set<string>()]));
  const nameOf = (source: string) => /^(?:\.\.?\/)+(?:chunks\/)?([a-z]+)\.js$/.exec(source)?.[1] ?? "";
  const files = (await readdir(outdir, { recursive: true })).filter((path) => path.endsWith(".js"));
  for (const text of await Promise.all(files.map((path) => readFile(join(outdir, path), "utf8")))) {
    for (const [, what = "", source = ""] of text.matchAll(IMPORT))
      for (const name of what.replace(/[{}]/g, "").split(","))
        if (name.trim()) wanted.get(nameOf(source))?.add(name.trim().split(" as ")[0] ?? "");
    for (const [, , source = "", whole] of text.matchAll(LAZY)) if (whole) wanted.get(source)?.add(whole);
  }
  return wanted;
}

/** Where a name stands in what its script returns. */
function placeOf(known: ReadonlyMap<string, readonly string[]>, source: string, name: string): number {
  const at = known.get(source)?.indexOf(name) ?? -1;
  if (at < 0) throw new Error(`The script ${source} does not have ${name}.`);
  return at;
}

async function loaderOf(hashes: Readonly<Record<string, string>>): Promise<string> {
  const { code } = await transform(await readFile(LOADER, "utf8"), { loader: "ts", target: "node14.8" });
  const plain = code.replace(/^export \{[^{}]*\};?\n/m, "").replace(/^export (?=function)/gm, "");
  return `${plain}const hashes = ${JSON.stringify(hashes)};\n`;
}

/** The program's first file has the loader in it: a module of its own would cost as much as it saves. */
async function redirectMain(
  path: string,
  known: ReadonlyMap<string, readonly string[]>,
  loader: string,
): Promise<void> {
  const text = await readFile(path, "utf8");
  let count = 0;
  const pointed = text.replace(LAZY, (whole, _, source: string, name?: string) => {
    if (!known.has(source) || !name) return whole;
    count += 1;
    return `Promise.resolve(script("${source}")[${placeOf(known, source, name)}])`;
  });
  if (count === 0) throw new Error(`${path} loads none of the scripts ${[...known.keys()].join(", ")}.`);
  const place = [
    'folder: import.meta.dirname + "/chunks/"',
    'late: (name) => import(name.startsWith(".") ? "./chunks/" + name : name)',
    "hashes",
    // A help runs none of its command.
    'verb: /^--help$|^-h$/m.test(process.argv.join("\\n")) ? "help" : /^[a-z][a-z-]{1,20}$/.test(process.argv[2] ?? "") ? process.argv[2] : ""',
  ];
  const own = `${loader}const script = (name) => openScripts({ ${place.join(", ")} })(name);\n`;
  await writeFile(
    path,
    pointed.replace(/^(#!.*\n)?/, (first) => first + own),
  );
}

function scriptOf(text: string, name: string, known: ReadonlyMap<string, readonly string[]>): string {
  const before = [...known.keys()].slice(0, [...known.keys()].indexOf(name));
  const needed: string[] = [];
  const sources = new Set<string>();
  const withoutImports = text.replace(IMPORT, (whole, what: string | undefined, from: string) => {
    const source = /^\.\/([a-z]+)\.js$/.exec(from)?.[1] ?? from;
    if (source.startsWith("node:")) needed.push(`${what ? `const ${what} = ` : ""}$need("${source}");`);
    else if (before.includes(source)) {
      sources.add(source);
      needed.push(...renderNeeded(source, what ?? "{}", known));
    } else throw new Error(`The chunk ${name} cannot become a script: it has ${whole.trim()}`);
    return "";
  });
  const end = /\nexport \{([^{}]*)\};\s*$/.exec(withoutImports);
  if (!end) throw new Error(`The chunk ${name} cannot become a script: no exports were found at its end.`);
  const pairs = (end[1] ?? "").split(",").map((each) => each.trim().split(" as "));
  const locals = new Map(pairs.map(([local = "", exported = local]) => [exported, local]));
  const body = withoutImports
    .slice(0, end.index)
    .replace(LAZY, (whole, _, source: string, part?: string) =>
      known.has(source) && part
        ? `$late("./${source}.js").then((all) => all[${placeOf(known, source, part)}])`
        : whole,
    )
    .replace(/\bimport\("/g, '$$late("')
    .replace(/\bimport\.meta\b/g, "$$meta");
  const heads = [...sources].map((source) => `const $${source} = $need("${source}");\n`);
  const returned = (known.get(name) ?? []).map((exported) => `  ${locals.get(exported)}`);
  const script = `(function ($need, $late, $meta) {"use strict";\n${heads.join("")}${needed.join("\n")}\n${body}\nreturn [\n${returned.join(",\n")}\n];\n})`;
  // Read as one byte a letter. What is left of others stands in regular expressions and comments.
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function renderNeeded(
  source: string,
  what: string,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const names = what
    .replace(/[{}]/g, "")
    .split(",")
    .filter((name) => name.trim());
  return names.map((name) => {
    const [exported = "", local = exported] = name.trim().split(" as ");
    return `const ${local} = $${source}[${placeOf(known, source, exported)}];`;
  });
}

function renderModule(name: string, exported: readonly string[]): string {
  return `import { script } from "./scripts.js";\nexport const [\n${exported.join(",\n")}\n] = script("${name}");\n`;
}
