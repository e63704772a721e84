/**
 * The library's public declarations in one text file, `test/library-api.txt`: a review of a change sees what becomes
 * public, and a test fails where the file is not what the sources declare.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { emitTypes } from "./emit-types.ts";

export const REPORT = resolve(import.meta.dirname, "../test/library-api.txt");

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the syntax tree of a declaration file, walked by its documented names
  readonly [key: string]: any;
}

/** Resolves to the report of the declarations that the sources have. */
export async function renderReport(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-types-"));
  try {
    await emitTypes(folder);
    const declared = exportsOf(join(folder, "index.d.ts")).map(({ name, text }) => [name, text] as const);
    const sorted = declared.sort(([one], [other]) => (one < other ? -1 : 1));
    return `${sorted.map(([, text]) => text).join("\n\n")}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The exported names of the index, each with its declaration, wherever that stands. */
function exportsOf(index: string): readonly { readonly name: string; readonly text: string }[] {
  return bodyOf(index).flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !statement.source) return [];
    const from = resolve(dirname(index), String(statement.source.value).replace(/\.js$/, ".d.ts"));
    return statement.specifiers.map((each: Node) => {
      const name = String(each.exported.name);
      return { name, text: declarationOf(from, String(each.local.name)) };
    });
  });
}

/** A function's overloads are all declarations of its name. */
function declarationOf(file: string, name: string): string {
  const text = readFileSync(file, "utf8");
  const found = bodyOf(file).filter((statement) => namesOf(statement).includes(name));
  if (found.length > 0) return found.map((each) => uncommented(text.slice(each.start, each.end))).join("\n");
  for (const statement of bodyOf(file)) {
    const local = statement.specifiers?.find((each: Node) => (each.exported ?? each.local)?.name === name);
    if (local && statement.source)
      return declarationOf(
        resolve(dirname(file), String(statement.source.value).replace(/\.js$/, ".d.ts")),
        String((local.local ?? local.imported).name),
      );
  }
  throw new Error(`${file} exports ${name}, but does not declare it.`);
}

/** What is declared, not how it is described. */
function uncommented(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .join("\n");
}

function namesOf(statement: Node): readonly string[] {
  const declaration: Node | null = statement.declaration ?? null;
  if (declaration === null) return [];
  if (declaration.id) return [String(declaration.id.name)];
  return (declaration.declarations ?? []).map((each: Node) => String(each.id.name));
}

function bodyOf(file: string): readonly Node[] {
  const { errors, program } = parseSync(file, readFileSync(file, "utf8"));
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  return program.body as unknown as readonly Node[];
}

if (process.argv[1] === import.meta.filename) writeFileSync(REPORT, await renderReport());
