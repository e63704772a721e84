/**
 * Makes scripts of the merged chunks that quick commands load. A module's names are linked one by one, and Node caches its
 * compiled code without the functions that run; a script is one function, whose code `load-scripts.ts` caches as it was after a
 * command. In a module's place stays one that hands on the script's exports, for the chunks that import them.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { transform } from "esbuild";

const LOADER = resolve(import.meta.dirname, "load-scripts.ts");

/** Makes them of the chunks of these names in `outdir`, of which each imports only those before it. */
export async function makeScripts(outdir: string, names: readonly string[]): Promise<void> {
  const chunks = join(outdir, "chunks");
  const hashes: Record<string, string> = {};
  for (const name of names) {
    const { script, exported } = scriptOf(await readFile(join(chunks, `${name}.js`), "utf8"), name, names);
    await writeFile(join(chunks, `${name}.cjs`), script);
    await writeFile(join(chunks, `${name}.js`), renderModule(name, exported));
    hashes[name] = createHash("sha256").update(script).digest("hex").slice(0, 16);
  }
  const loader = await loaderOf(hashes);
  await writeFile(
    join(chunks, "scripts.js"),
    `${loader}export const script = openScripts({ folder: import.meta.dirname + "/", late: (name) => import(name), hashes });\n`,
  );
  await redirectMain(join(outdir, "main.js"), names, loader);
}

async function loaderOf(hashes: Readonly<Record<string, string>>): Promise<string> {
  const { code } = await transform(await readFile(LOADER, "utf8"), { loader: "ts", target: "node14.8" });
  const plain = code.replace(/^export \{[^{}]*\};?\n/m, "").replace(/^export (?=function)/gm, "");
  return `${plain}const hashes = ${JSON.stringify(hashes)};\n`;
}

/** The program's first file has the loader in it: a module of its own would cost as much as it saves. */
async function redirectMain(path: string, names: readonly string[], loader: string): Promise<void> {
  const text = await readFile(path, "utf8");
  let count = 0;
  const pointed = text.replace(/\bimport\("\.\/chunks\/([a-z]+)\.js"\)/g, (whole, name: string) => {
    if (!names.includes(name)) return whole;
    count += 1;
    return `Promise.resolve(script("${name}"))`;
  });
  if (count === 0) throw new Error(`${path} loads none of the scripts ${names.join(", ")}.`);
  const place = [
    'folder: import.meta.dirname + "/chunks/"',
    'late: (name) => import(name.startsWith(".") ? "./chunks/" + name : name)',
    "hashes",
    'verb: /^[a-z][a-z-]{1,20}$/.test(process.argv[2] ?? "") ? process.argv[2] : ""',
  ];
  const own = `${loader}const script = (name) => openScripts({ ${place.join(", ")} })(name);\n`;
  await writeFile(
    path,
    pointed.replace(/^(#!.*\n)?/, (first) => first + own),
  );
}

interface Made {
  readonly script: string;
  readonly exported: readonly string[];
}

function scriptOf(text: string, name: string, names: readonly string[]): Made {
  const needed: string[] = [];
  const withoutImports = text.replace(
    /^import (?:(\{[^{}]*\}|[\w$]+) from )?"([^"]+)";\n/gm,
    (whole, what: string | undefined, from: string) => {
      const source = /^\.\/([a-z]+)\.js$/.exec(from)?.[1] ?? from;
      if (!source.startsWith("node:") && !names.slice(0, names.indexOf(name)).includes(source))
        throw new Error(`The chunk ${name} cannot become a script: it has ${whole.trim()}`);
      const parts = what?.replace(/([\w$]+) as ([\w$]+)/g, "$1: $2");
      needed.push(`${parts ? `const ${parts} = ` : ""}$need("${source}");`);
      return "";
    },
  );
  const end = /\nexport \{([^{}]*)\};\s*$/.exec(withoutImports);
  if (!end) throw new Error(`The chunk ${name} cannot become a script: no exports were found at its end.`);
  const pairs = (end[1] ?? "").split(",").map((each) => each.trim().split(" as "));
  const exports = pairs.map(([local = "", exported = local]) => `  ${exported}: ${local}`);
  const body = withoutImports
    .slice(0, end.index)
    .replace(/\bimport\("/g, '$$late("')
    .replace(/\bimport\.meta\b/g, "$$meta");
  const script = `(function ($need, $late, $meta) {"use strict";\n${needed.join("\n")}\n${body}\nreturn {\n${exports.join(",\n")}\n};\n})`;
  return {
    // Read as one byte a letter. What is left of others stands in regular expressions and comments.
    script: script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    exported: pairs.map(([local = "", exported = local]) => exported),
  };
}

function renderModule(name: string, exported: readonly string[]): string {
  return `import { script } from "./scripts.js";\nexport const {\n${exported.join(",\n")}\n} = script("${name}");\n`;
}
