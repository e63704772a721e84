/** Parses a workflow's file: YAML → table, sources, gates and hints; or all problems, each with its place. */
import { type Fault, faultsOf } from "../../core/faults.ts";
import { pathFault } from "../../core/path.ts";
import { type LocatedYaml, type Problem, parseYaml } from "../../core/yaml/located-yaml.ts";
import { fillBlocked } from "../../engine/guard.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Fact, FactValue, Rule, State, Workflow } from "../../engine/workflow.ts";
import { checkDefinition } from "./check-definition.ts";
import { type Definition, type FactSource, type Gate, type StateHint, VALUES_OF } from "./definition.ts";
import { invalid } from "./problem.ts";
import { type FactEntry, type RowEntry, WORKFLOW_FILE, type WorkflowFile } from "./schema.ts";

export interface ParsedWorkflow {
  /** Without the replies, which are in files of their own. */
  readonly definition: Omit<Definition, "replies">;
  /** The folder of the replies, as written: relative to the file's folder. */
  readonly replies: string;
  readonly repliesPlace: string;
  /** The place in the file of a violation of the table. */
  placeOf(violation: Violation): string;
}

/** Throws `workflow-invalid` with all problems that can be found at once. */
export function parseWorkflow(name: string, file: string, text: string): ParsedWorkflow {
  const yaml = parseYaml(file, text);
  if (yaml.problems.length > 0) throw invalid(name, file, yaml.problems);
  const checked = WORKFLOW_FILE.safeParse(yaml.tree);
  if (!checked.success)
    throw invalid(
      name,
      file,
      faultsOf(WORKFLOW_FILE, checked.error.issues, yaml.tree).map((fault) => problemOf(fault, yaml)),
    );
  const entry = checked.data;
  const sources = sourcesOf(entry);
  const parsed: ParsedWorkflow = {
    definition: {
      table: tableOf(name, entry, sources),
      sources,
      gates: gatesOf(entry),
      hints: hintsOf(entry),
      ...(entry.plan_files ? { planFiles: entry.plan_files } : {}),
      ...(entry.summary === undefined ? {} : { summary: entry.summary }),
    },
    replies: entry.replies.replace(/^\.\//, "").replace(/\/+$/, ""),
    repliesPlace: yaml.place(["replies"]),
    placeOf: (violation) => placeOfViolation(violation, entry, yaml),
  };
  const problems = [
    ...checkEntry(name, entry, yaml),
    ...structureProblems(parsed.definition.table, yaml),
    ...checkDefinition(parsed.definition).map(({ message, ...blamed }) => ({
      place: placeOf(parsed.definition.table, yaml, blamed),
      message,
    })),
  ];
  if (problems.length > 0) throw invalid(name, file, problems);
  return parsed;
}

function problemOf({ expected, found, keys, known = [], near, path }: Fault, yaml: LocatedYaml): Problem {
  if (expected !== null)
    return {
      place: yaml.place(keys),
      message: `${path || "the file"}: expected ${expected}; found ${found}.`,
    };
  const hint = near ? `did you mean ${near}?` : `expected one of ${known.join(", ")}.`;
  return { place: yaml.keyPlace(keys), message: `${path} is not a key: ${hint}` };
}

function sourcesOf({ facts = {} }: WorkflowFile): Record<string, FactSource> {
  const found = Object.entries(facts).flatMap(([name, fact]) => {
    const source = sourceOf(fact);
    return source ? [[name, source] as const] : [];
  });
  return Object.fromEntries(found);
}

function sourceOf(fact: FactEntry): FactSource | null {
  if (fact.file !== undefined) return { type: "file", path: fact.file };
  if (fact.checklist !== undefined) return { type: "checklist", path: fact.checklist };
  if (fact.git !== undefined) return { type: `git-${fact.git}` };
  if (fact.command !== undefined) return { type: "command", command: fact.command };
  return fact.given ? { type: "given" } : null;
}

function tableOf(name: string, entry: WorkflowFile, sources: Record<string, FactSource>): Workflow {
  const { title, initial, goals, states, events, facts = {}, starts, rows, blocked } = entry;
  const table: Workflow = {
    name,
    title,
    initial,
    goals,
    states: mapped(states, stateOf),
    events: mapped(events, ({ description }) => ({ description })),
    facts: mapped(facts, (fact, key) => factOf(fact, sources[key])),
    rules: rows.map(rowOf),
    ...(starts ? { starts } : {}),
  };
  return blocked === undefined ? table : fillBlocked(table, blocked);
}

function stateOf({ description, final, forbids, writes }: WorkflowFile["states"][string]): State {
  return {
    description,
    ...(final ? { final } : {}),
    ...(writes ? { writes } : {}),
    ...(forbids ? { forbids } : {}),
  };
}

function factOf(fact: FactEntry, source: FactSource | undefined): Fact {
  const values: readonly FactValue[] = (source && VALUES_OF[source.type]) ?? fact.values ?? [];
  const description = fact.description ?? describeSource(source);
  return fact.initial === undefined
    ? { description, values }
    : { description, values, initial: fact.initial };
}

function describeSource(source: FactSource | undefined): string {
  if (!source) return "Kept by the run.";
  if (source.type === "file") return `Whether ${source.path} is there.`;
  if (source.type === "checklist") return `The task list of ${source.path}.`;
  if (source.type === "git-clean") return "Whether the working tree has uncommitted changes.";
  if (source.type === "git-branch") return "The branch that is checked out.";
  return source.type === "command" ? `How \`${source.command}\` ends.` : "What the caller says.";
}

function rowOf({ id, from, on, when, to, set, outcome = "moved", run, reply }: RowEntry): Rule {
  return {
    id,
    from,
    on,
    ...(when ? { when } : {}),
    to: to ?? "same",
    ...(set ? { set } : {}),
    outcome,
    ...(run ? { commands: [{ type: "run", ...run }] } : {}),
    reply,
  };
}

function gatesOf({ events }: WorkflowFile): Record<string, Gate> {
  const gated = Object.entries(events).flatMap(([name, { gate, verdict }]) => {
    const kind = verdict ?? gate;
    return kind ? [[name, kind] as const] : [];
  });
  return Object.fromEntries(gated);
}

function hintsOf({ states }: WorkflowFile): Record<string, StateHint> {
  return mapped(states, ({ awaits, next }) => ({
    ...(awaits ? { awaits } : {}),
    ...(next ? { next } : {}),
  }));
}

/** Checks what the schema cannot express: keys that require or exclude one another. */
function checkEntry(name: string, entry: WorkflowFile, yaml: LocatedYaml): readonly Problem[] {
  const found: Problem[] = [];
  const say = (path: readonly PropertyKey[], message: string) =>
    found.push({ place: yaml.place(path), message });
  if (entry.name !== undefined && entry.name !== name)
    say(["name"], `the name is that of the file: expected ${name}, or nothing; found ${entry.name}.`);
  const fault = pathFault(entry.replies.replace(/^\.\//, "").replace(/\/+$/, ""));
  if (fault) say(["replies"], `expected a folder beside this file; ${fault}.`);
  for (const [key, fact] of Object.entries(entry.facts ?? {}))
    for (const message of factFaults(key, fact)) say(["facts", key], message);
  entry.rows.forEach((row, index) => {
    if ((row.outcome ?? "moved") === "moved" && row.to === undefined)
      say(["rows", index], `rule ${row.id}: expected \`to\`: a state, or same.`);
  });
  return found;
}

const SOURCES = ["file", "checklist", "git", "command", "given", "initial"] as const;

function factFaults(name: string, fact: FactEntry): readonly string[] {
  const given = SOURCES.filter((key) => fact[key] !== undefined);
  if (given.length !== 1)
    return [
      `fact ${name}: expected exactly one of ${SOURCES.slice(0, -1).join(", ")} (an input) or initial (a variable); found ${given.join(", ") || "none"}.`,
    ];
  const source = sourceOf(fact);
  const fixed = source && VALUES_OF[source.type];
  if (fixed && fact.values)
    return [`fact ${name}: leave values out: they are ${fixed.join(", ")} for ${given[0]}.`];
  return !fixed && !fact.values ? [`fact ${name}: expected its values, a list.`] : [];
}

function structureProblems(table: Workflow, yaml: LocatedYaml): readonly Problem[] {
  return checkStructure(table).map(({ message, rules: rows, state }) => ({
    place: placeOf(table, yaml, { row: rows[0], state }),
    message,
  }));
}

interface Blamed {
  readonly row?: string | undefined;
  readonly fact?: string | undefined;
  readonly event?: string | undefined;
  readonly state?: string | undefined;
  /** The index of the glob in `plan_files`. */
  readonly planFile?: number | undefined;
}

function placeOf(table: Workflow, yaml: LocatedYaml, { row, fact, event, planFile, state }: Blamed): string {
  if (row !== undefined) return yaml.place(["rows", table.rules.findIndex(({ id }) => id === row), "id"]);
  if (fact !== undefined) return yaml.place(["facts", fact]);
  if (state !== undefined) return yaml.keyPlace(["states", state]);
  if (planFile !== undefined) return yaml.place(["plan_files", planFile]);
  return event === undefined ? yaml.place([]) : yaml.place(["events", event]);
}

/**
 * The place of the rule, else of the state that lacks one, else of the event. For a rule that `blocked`
 * generates, the place of `blocked`.
 */
function placeOfViolation(
  { event, kind, rules, state }: Violation,
  entry: WorkflowFile,
  yaml: LocatedYaml,
): string {
  const [first] = rules;
  const at = entry.rows.findIndex(({ id }) => id === first);
  if (at >= 0) return yaml.place(["rows", at, kind === "reply-missing" ? "reply" : "id"]);
  if (first !== undefined) return yaml.place(["blocked"]);
  if (state !== undefined) return yaml.keyPlace(["states", state]);
  return event === undefined ? yaml.place(["rows"]) : yaml.keyPlace(["events", event]);
}

function mapped<In, Out>(
  map: Readonly<Record<string, In>>,
  make: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, make(value, key)]));
}
