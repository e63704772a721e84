/**
 * Merges the chunks that a quick command always loads into one: a module costs the better part of a millisecond to
 * find and to link, however small it is, and splitting makes dozens.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

type Outputs = Metafile["outputs"];

/**
 * Merges, for each name, all chunks that its sources' chunks import, and those that these import, but for what an earlier
 * name has. The chunks of the sources themselves stay, for they are loaded by name.
 */
export async function mergeChunks(
  root: string,
  { outputs }: Metafile,
  groups: Readonly<Record<string, RegExp>>,
): Promise<void> {
  const gone = new Set<string>();
  for (const [name, sources] of Object.entries(groups)) {
    const roots = Object.keys(outputs).filter((path) => sources.test(outputs[path]?.entryPoint ?? ""));
    const merged = closureOf(outputs, roots).filter((path) => !gone.has(path));
    if (merged.length === 0) continue;
    await mergeInto(name, root, outputs, merged, gone);
    for (const path of merged) gone.add(path);
  }
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
    return `export { ${names.join(", ")} } from ${JSON.stringify(resolve(root, path))};`;
  });
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder },
    outfile: target,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "warning",
    plugins: [keepOut(merged.map((path) => basename(path)))],
  });
  for (const path of Object.keys(outputs)) {
    if (!merged.includes(path) && !gone.has(path) && path.endsWith(".js"))
      await redirect(root, path, merged, target);
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
  path: string,
  merged: readonly string[],
  target: string,
): Promise<void> {
  const file = resolve(root, path);
  const text = await readFile(file, "utf8");
  const way = relative(dirname(file), target);
  const from = JSON.stringify(way.startsWith(".") ? way : `./${way}`);
  const pointed = text.replace(
    /import(?:\{([^{}]*)\}from)?"(\.[^"]+)";/g,
    (whole, names: string | undefined, source: string) => {
      const at = merged.indexOf(relative(root, resolve(dirname(file), source)));
      if (at < 0) return whole;
      if (names === undefined) return `import${from};`;
      const renamed = names.split(",").map((name) => {
        const [exported = "", local = exported] = name.split(" as ");
        return `${exported}_${at} as ${local}`;
      });
      return `import{${renamed.join(",")}}from${from};`;
    },
  );
  if (pointed !== text) await writeFile(file, pointed);
}
