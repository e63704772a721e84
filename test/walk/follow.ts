/**
 * Follows one call through the source: imported before a program (`node --import`), it has every function of `src/` report
 * its file when it is entered. A walk begins with the first entry into WALK_FROM and ends with the first write to the
 * project's journal, or with a call of `endWalk`. Then the files in the order in which they were first entered, and those
 * of the calls that are under way, are appended to the file WALK_TO as one line of JSON.
 */
import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const ROOT = resolve(import.meta.dirname, "../..");
const { WALK_FROM = "", WALK_TO = "" } = process.env;
const SOURCE = new URL("../../src/", import.meta.url).href;

let walk: Set<string> | null = null;

Object.assign(globalThis, {
  enterFile(file: string) {
    if (walk === null && file === WALK_FROM) walk = new Set();
    walk?.add(file);
  },
  endWalk,
});

function endWalk(): void {
  if (walk === null) return;
  fs.appendFileSync(WALK_TO, `${JSON.stringify({ files: [...walk], underway: underway() })}\n`);
  walk = null;
}

/** From the outermost call, without two of a file in a row. What is awaited counts. */
function underway(): readonly string[] {
  Error.stackTraceLimit = 500;
  const stack = (new Error().stack ?? "").split("\n").reverse();
  const files = stack.flatMap((line) => /(?:file:\/\/|\/)[^ ()]*\/(src\/[^ ():]+)/.exec(line)?.[1] ?? []);
  return files.filter((file, at) => file !== files[at - 1]);
}

const { writeSync } = fs;
fs.writeSync = ((
  fd: number,
  ...rest: Parameters<typeof writeSync> extends [number, ...infer Rest] ? Rest : never
) => {
  if (walk !== null && isJournal(fd)) endWalk();
  return writeSync(fd, ...rest);
}) as typeof writeSync;
syncBuiltinESMExports();

function isJournal(fd: number): boolean {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`).endsWith("/.pawl/journal");
  } catch {
    return false;
  }
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith(SOURCE) || !url.endsWith(".ts")) return loaded;
    return { ...loaded, source: reporting(fileURLToPath(url), String(loaded.source)) };
  },
});

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node | null;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

function reporting(path: string, text: string): string {
  const call = `enterFile(${JSON.stringify(relative(ROOT, path))})`;
  const additions: [at: number, text: string][] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    const { body, type } = node as Node;
    if (FUNCTIONS.has(type) && body)
      additions.push(
        ...(body.type === "BlockStatement" || body.type === "FunctionBody"
          ? ([[body.start + 1, `${call};`]] as [number, string][])
          : ([
              [body.start, `(${call},`],
              [body.end, ")"],
            ] as [number, string][])),
      );
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseSync(path, text).program);
  return additions
    .sort(([one], [other]) => other - one)
    .reduce((all, [at, added]) => all.slice(0, at) + added + all.slice(at), text);
}
