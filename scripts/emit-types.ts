/** The library's types: those that its index leads to, and no others. */
import { execFile } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");

/** Resolves to how many files there are. */
export async function emitTypes(outdir: string): Promise<number> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const words = [tsc, "-p", "tsconfig.build.json", "--outDir", outdir];
  await promisify(execFile)(process.execPath, words, { cwd: ROOT }).catch((failure) => {
    throw new Error(`The types could not be made:\n${failure.stdout}${failure.stderr}`);
  });
  const published = new Set<string>();
  await publish(join(outdir, "index.d.ts"), published);
  const names = await readdir(outdir, { recursive: true, withFileTypes: true });
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (!published.has(path)) await rm(path);
  }
  return published.size;
}

const IMPORT = /((?:from|import)\s*\(?")(\.{1,2}\/[^"]+)\.ts"/g;

/** Types speak of the modules by the names that are published: of `.js`, where the sources say `.ts`. */
async function publish(path: string, published: Set<string>): Promise<void> {
  if (published.has(path)) return;
  published.add(path);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(IMPORT, '$1$2.js"'));
  for (const [, , name = ""] of text.matchAll(IMPORT))
    await publish(resolve(dirname(path), `${name}.d.ts`), published);
}
