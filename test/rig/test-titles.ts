/** The titles of the tests in a file, from its syntax: exactly as they are written, and only of tests that run. */
import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const NEVER_RUN: ReadonlySet<string> = new Set(["skip", "todo", "fails"]);

/** A test of `it.each` whose title is `%s` has the titles that its rows name. */
export function testTitles(file: string): ReadonlySet<string> {
  const text = readFileSync(file, "utf8");
  const { errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const titles = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) visitNode(value);
  };
  const visitNode = (value: Node): void => {
    const call = callOf(value);
    if (call?.names.some((name) => NEVER_RUN.has(name))) return;
    if (call && call.names[0] !== "describe") {
      const title = titleOf(call.title, text);
      if (title === "%s") for (const literal of call.eaches.flatMap(literalsIn)) titles.add(literal);
      else if (title !== null) titles.add(title);
    }
    Object.values(value).forEach(visit);
  };
  visit(program.body);
  return titles;
}

/** `it.skipIf(x).each(rows)("title", …)`: its names, the arguments of each, the title. */
function callOf(node: Node) {
  if (node.type !== "CallExpression") return null;
  const names: string[] = [];
  const eaches: unknown[] = [];
  let at = node.callee as Node;
  while (at.type !== "Identifier") {
    if (at.type === "MemberExpression") {
      names.unshift(String((at.property as Node).name));
      at = at.object as Node;
    } else if (at.type === "CallExpression") {
      eaches.push(at.arguments);
      at = at.callee as Node;
    } else return null;
  }
  const [title] = node.arguments as readonly unknown[];
  const isTest = ["it", "test", "describe"].includes(String(at.name));
  return isTest ? { names: [String(at.name), ...names], eaches, title } : null;
}

function titleOf(node: unknown, text: string): string | null {
  if (!isNode(node)) return null;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  return node.type === "TemplateLiteral" ? text.slice(Number(node.start) + 1, Number(node.end) - 1) : null;
}

function literalsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(literalsIn);
  if (!isNode(value)) return [];
  if (value.type === "Literal" && typeof value.value === "string") return [value.value];
  return Object.values(value).flatMap(literalsIn);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

/** A title with places for values (`%s`, `$row`, `${name}`) stands for each that fills them. */
export function patternOf(title: string): RegExp {
  const parts = title.split(/%[sdifjoOc#]|\$\{[^}]*\}|\$\w+/);
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`, "s");
}
