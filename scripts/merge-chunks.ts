/**
 * Merges the chunks that a quick command always loads into one: a module costs the better part of a millisecond to
 * find and to link, however small it is, and splitting makes dozens.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

type Outputs = Metafile["outputs"];

const CHUNKS = "chunks";
const WHOLE = "whole_";
/** Merged files have names without a hash. */
const GROUP = /^[a-z]+\.js$/;

/**
 * Merges, for each name, its sources' chunks with all that they import, and those that these import, but for what an
 * earlier name has.
 */
export async function mergeChunks(
  root: string,
  { outputs }: Metafile,
  groups: Readonly<Record<string, RegExp>>,
): Promise<void> {
  const gone = new Set<string>();
  for (const [name, sources] of Object.entries(groups)) {
    const roots = rootsOf(outputs, sources);
    const lazy = roots.filter((path) => basename(dirname(path)) === CHUNKS);
    const merged = [...closureOf(outputs, roots), ...lazy].filter((path) => !gone.has(path));
    if (merged.length === 0) continue;
    await mergeInto(name, root, outputs, merged, gone);
    for (const path of merged) gone.add(path);
  }
}

/** The chunks that begin with one of the sources, or have one among others that are no beginning. */
function rootsOf(outputs: Outputs, sources: RegExp): readonly string[] {
  return Object.keys(outputs).filter((path) => {
    const { entryPoint, inputs = {} } = outputs[path] ?? {};
    return (entryPoint === undefined ? Object.keys(inputs) : [entryPoint]).some((each) => sources.test(each));
  });
}

async function mergeInto(
  name: string,
  root: string,
  outputs: Outputs,
  merged: readonly string[],
  gone: ReadonlySet<string>,
): Promise<void> {
  const folder = resolve(root, dirname(merged[0] ?? ""));
  const target = join(folder, `${name}.js`);
  // Every export is renamed for the chunk that it comes from: two chunks may use one name for different things.
  const lines = merged.map((path, at) => {
    const names = (outputs[path]?.exports ?? []).map((name) => `${name} as ${name}_${at}`);
    const from = JSON.stringify(resolve(root, path));
    const whole = outputs[path]?.entryPoint ? `export * as ${WHOLE}${at} from ${from};` : "";
    return `export { ${names.join(", ")} } from ${from};${whole}`;
  });
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder },
    outfile: target,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minifySyntax: true,
    logLevel: "warning",
    plugins: [keepOut(merged.map((path) => basename(path)))],
  });
  for (const path of Object.keys(outputs)) {
    if (!merged.includes(path) && !gone.has(path) && path.endsWith(".js"))
      await redirect(root, resolve(root, path), merged, target);
  }
  // What was merged before, and this itself, may load it lazily.
  for (const path of await readdir(folder)) {
    if (GROUP.test(path)) await redirect(root, join(folder, path), merged, target);
  }
  await Promise.all(merged.map((path) => rm(resolve(root, path))));
}

/** What is loaded lazily, or merged already, stays where it is. */
function keepOut(merged: readonly string[]): Plugin {
  return {
    name: "keep-out",
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path }) =>
        kind === "dynamic-import" || !merged.includes(basename(path)) ? { path, external: true } : undefined,
      );
    },
  };
}

/** The chunks that are no entry of their own, reached from the roots by static imports. */
function closureOf(outputs: Outputs, roots: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || found.has(next) || outputs[next]?.entryPoint || !outputs[next])
        continue;
      found.add(next);
      visit(next);
    }
  };
  roots.forEach(visit);
  return [...found].sort();
}

/** Points a module's imports of merged chunks to the core. */
async function redirect(
  root: string,
  file: string,
  merged: readonly string[],
  target: string,
): Promise<void> {
  const text = await readFile(file, "utf8");
  const way = relative(dirname(file), target);
  const from = JSON.stringify(way.startsWith(".") ? way : `./${way}`);
  const placeOf = (source: string) => merged.indexOf(relative(root, resolve(dirname(file), source)));
  const lazily = text.replace(/\bimport\("(\.[^"]+)"\)/g, (whole, source: string) => {
    const at = placeOf(source);
    return at < 0 ? whole : `import(${from}).then(({ ${WHOLE}${at}: whole }) => whole)`;
  });
  const pointed = lazily.replace(
    /^import (?:\{([^{}]*)\} from )?"(\.[^"]+)";/gm,
    (whole, names: string | undefined, source: string) => {
      const at = placeOf(source);
      if (at < 0) return whole;
      if (names === undefined) return `import ${from};`;
      const renamed = names.split(",").map((name) => {
        const [exported = "", local = exported] = name.trim().split(" as ");
        return `${exported}_${at} as ${local}`;
      });
      return `import { ${renamed.join(", ")} } from ${from};`;
    },
  );
  if (pointed !== text) await writeFile(file, pointed);
}
