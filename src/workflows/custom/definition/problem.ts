import { PawlError } from "../../../core/error.ts";
import type { LocatedYaml, Problem } from "../../../core/yaml/located-yaml.ts";
import { checkStructure } from "../../../engine/structure.ts";
import type { Violation } from "../../../engine/violation.ts";
import type { Workflow } from "../../../engine/workflow.ts";

/** All problems in one error. */
export function invalidWorkflowError(name: string, file: string, problems: readonly Problem[]): PawlError {
  const lines = problems.map(
    ({ place, message }, at) => `${problems.length > 1 ? `(${at + 1}) ` : ""}${place}: ${message}`,
  );
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return new PawlError(
    "workflow-invalid",
    [`The workflow ${name} has ${count}:`, ...lines].join("\n"),
    `Edit ${file}; \`pawl check ${name}\` says when it is right.`,
  );
}

/** The entry of a file that is at fault. None: the file as a whole. */
export interface Blamed {
  readonly row?: string | undefined;
  readonly state?: string | undefined;
  readonly event?: string | undefined;
  readonly fact?: string | undefined;
  readonly agent?: string | undefined;
  /** The index of the glob in `plan_files`. */
  readonly planFile?: number | undefined;
}

export type Fault = Blamed & { readonly message: string };

const MAPS = { agent: "agents", fact: "facts", state: "states", event: "events" } as const;

/** A workflow's file: what it says, and where. */
export interface Located {
  readonly entry: {
    readonly rows: readonly { readonly id: string }[];
    readonly blocked?: string | undefined;
  } & { readonly [Map in (typeof MAPS)[keyof typeof MAPS]]?: object | undefined };
  readonly yaml: LocatedYaml;
}

/** A workflow's file, and behind it the one that it extends. */
export type Files = readonly [Located, ...Located[]];

/** Each fault with its place in the first of the files that has the entry. */
export function problemsIn(files: Files, faults: readonly Fault[]): readonly Problem[] {
  return faults.map(({ message, ...blamed }) => ({ place: placeOf(files, blamed), message }));
}

/** What is wrong with the table that the files make. */
export function structureProblems(files: Files, table: Workflow): readonly Problem[] {
  return checkStructure(table).map((each) => ({ place: violationPlace(files, each), message: each.message }));
}

export function violationPlace(files: Files, { event, kind, rules, state }: Violation): string {
  const key = kind === "reply-missing" ? "reply" : "id";
  return rowPlace(files, rules, key) ?? placeOf(files, { state, event });
}

function placeOf(files: Files, { row, planFile, ...named }: Blamed): string {
  const ofRow = row === undefined ? null : rowPlace(files, [row], "id");
  if (ofRow !== null) return ofRow;
  const file = files.at(-1) ?? files[0];
  if (planFile !== undefined) return file.yaml.place(["plan_files", planFile]);
  for (const [kind, map] of Object.entries(MAPS)) {
    const name = named[kind as keyof typeof MAPS];
    if (name === undefined) continue;
    const { yaml } = files.find(({ entry }) => Object.hasOwn(entry[map] ?? {}, name)) ?? file;
    return yaml.keyPlace([map, name]);
  }
  return files[0].yaml.place([]);
}

/**
 * The place of the row that makes the first of the rules; `blocked` makes those without a row. Null: no file makes
 * them.
 */
function rowPlace(files: Files, rules: readonly string[], key: "id" | "reply"): string | null {
  for (const rule of rules)
    for (const { entry, yaml } of files) {
      const exact = entry.rows.findIndex(({ id }) => id === rule);
      // A row over several rules makes one of each, named after both.
      const at = exact < 0 ? entry.rows.findIndex(({ id }) => rule.startsWith(`${id}.`)) : exact;
      if (at >= 0) return yaml.place(["rows", at, key]);
    }
  const filled = files.find(({ entry }) => entry.blocked !== undefined);
  return rules.length > 0 && filled ? filled.yaml.place(["blocked"]) : null;
}
