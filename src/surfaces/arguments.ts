/**
 * Finds a tool that a client calls, checks its arguments, and reports each wrong one: what was expected, what was found, and the fix.
 */
import type { ZodObject } from "zod";
import { PawlError } from "../core/error.ts";
import { type Fault, faultsOf } from "../core/faults.ts";
import { nearest } from "../core/text/nearest.ts";
import type { Tool } from "../runtime/module.ts";
import { loadWorkflows, type Workflows } from "../runtime/project.ts";

/** A tool or a prompt. */
export interface Taker {
  readonly name: string;
  readonly description: string;
  readonly input: ZodObject;
}

const stricts = new WeakMap<ZodObject, ZodObject>();

/** Cached, because a schema compiles its check on first use. */
export function strictOf(input: ZodObject): ZodObject {
  const cached = stricts.get(input);
  const strict = cached ?? input.strict();
  stricts.set(input, strict);
  return strict;
}

/** The parsed arguments. Throws `usage` if any are missing, unknown or of another kind. */
export function checkArguments(taker: Taker, given: unknown): Readonly<Record<string, unknown>> {
  const input = given ?? {};
  const schema = strictOf(taker.input);
  const checked = schema.safeParse(input);
  if (checked.success) return checked.data;
  const faults = faultsOf(schema, checked.error.issues, input);
  const { name, description } = taker;
  const renamed = faults.flatMap(({ expected, path, near }) =>
    expected !== null || near === undefined ? [] : [`${near} in place of ${path}`],
  );
  const again = renamed.length > 0 ? `Call ${name} again with ${renamed.join(", ")}` : `Call ${name} again`;
  const purpose = faults.some(isMissing) ? `. ${description}` : ".";
  throw new PawlError(
    "usage",
    `The arguments of ${name} do not fit. ${faults.map((fault) => described(fault, name)).join("; ")}.`,
    `${again}; it takes ${taken(taker.input)}${purpose}`,
  );
}

function described({ path, expected, found, near }: Fault, name: string): string {
  if (expected === null) {
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    return `${name} has no argument ${path} (found ${found}${hint})`;
  }
  if (path === "") return `the arguments: expected ${expected}, found ${found}`;
  return isMissing({ expected, found })
    ? `${path} is missing: expected ${expected}`
    : `${path}: expected ${expected}, found ${found}`;
}

function isMissing({ expected, found }: Pick<Fault, "expected" | "found">): boolean {
  return expected !== null && found === "nothing";
}

/** `task_id, is_approved, feedback_notes (optional)` */
function taken({ shape }: ZodObject): string {
  const names = Object.entries(shape).map(([name, schema]) =>
    schema.safeParse(undefined).success ? `${name} (optional)` : name,
  );
  return names.join(", ") || "no arguments";
}

/** The workflows' tool of that name; throws `usage` with the nearest one. */
export async function toolNamed(workflows: Workflows, name: string): Promise<Tool> {
  const tools: Tool[] = [];
  for (const { mcp } of await loadWorkflows(workflows)) tools.push(...((await mcp?.tools()) ?? []));
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const names = tools.map((tool) => tool.name);
  const near = nearest(name, names);
  throw new PawlError(
    "usage",
    `There is no tool ${JSON.stringify(name)}${near === null ? "." : `; did you mean ${near}?`}`,
    `Name one of them: ${[...new Set(names)].sort().join(", ")}.`,
  );
}
