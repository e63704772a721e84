/** Parses a workflow's file: YAML → table, sources, gates and hints; or all problems, each with its place. */
import type { z } from "zod";
import { type Fault, faultsOf } from "../../core/faults.ts";
import { isObject } from "../../core/json.ts";
import { pathFault } from "../../core/path.ts";
import { type LocatedYaml, type Problem, parseYaml } from "../../core/yaml/located-yaml.ts";
import type { Extensible } from "../../engine/extend.ts";
import { fillBlocked } from "../../engine/guard.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Fact, FactValue, Rule, State, Workflow } from "../../engine/workflow.ts";
import { withGathered } from "./begin/gathered.ts";
import { checkDefinition } from "./check-definition.ts";
import { type Definition, type FactSource, type Gate, type StateHint, VALUES_OF } from "./definition.ts";
import { definitionOver, placeOfRule } from "./extending.ts";
import { invalid } from "./problem.ts";
import {
  type BeginEntry,
  EXTENDING_FILE,
  type FactEntry,
  type RowEntry,
  type RunEntry,
  type WantedEntry,
  WORKFLOW_FILE,
  type WorkflowFile,
} from "./schema.ts";

export interface ParsedWorkflow {
  /** Without the replies and the prompts, which are in files of their own. */
  readonly definition: Omit<Definition, "replies" | "prompts">;
  /** The folder of the replies, as written: relative to the file's folder. */
  readonly replies: string;
  readonly repliesPlace: string;
  /** The place in the file of a violation of the table. */
  placeOf(violation: Violation): string;
}

/** `over`: the table that it may extend. Throws `workflow-invalid` with all problems that can be found at once. */
export function parseWorkflow(name: string, file: string, text: string, over?: Extensible): ParsedWorkflow {
  const yaml = parseYaml(file, text);
  if (yaml.problems.length > 0) throw invalid(name, file, yaml.problems);
  if (over && isExtending(yaml)) return parseExtending(over, name, file, yaml);
  const entry = checked(WORKFLOW_FILE, name, file, yaml);
  const sources = sourcesOf(entry);
  const parsed: ParsedWorkflow = {
    definition: {
      table: tableOf(name, entry, sources),
      sources,
      gates: gatesOf(entry),
      hints: hintsOf(entry),
      ...(entry.plan_files ? { planFiles: entry.plan_files } : {}),
      ...(entry.agents ? { agents: entry.agents as Definition["agents"] & object } : {}),
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

/** Whether the text is of a file that extends another table. */
export function extendsAnother(text: string): boolean {
  return /^extends:/m.test(text) && isExtending(parseYaml("", text));
}

function isExtending({ tree }: LocatedYaml): boolean {
  return isObject(tree) && Object.hasOwn(tree, "extends");
}

function parseExtending(over: Extensible, name: string, file: string, yaml: LocatedYaml): ParsedWorkflow {
  const entry = checked(EXTENDING_FILE, name, file, yaml);
  const { definition, problems } = definitionOver(over, name, entry, yaml);
  const replies = (entry.replies ?? name).replace(/^\.\//, "").replace(/\/+$/, "");
  const fault = pathFault(replies);
  const all = [
    ...nameFaults(name, entry, yaml),
    ...(fault
      ? [{ place: yaml.place(["replies"]), message: `expected a folder beside this file; ${fault}.` }]
      : []),
    ...entry.rows.flatMap(({ id, run }, at) =>
      (run?.agent === "task" || !run ? [] : runFaults(run)).map((message) => ({
        place: yaml.place(["rows", at, "run"]),
        message: `rule ${id}: ${message}`,
      })),
    ),
    ...problems,
  ];
  if (all.length > 0) throw invalid(name, file, all);
  const repliesPlace = yaml.place(entry.replies === undefined ? [] : ["replies"]);
  return { definition, replies, repliesPlace, placeOf: (violation) => placeOfRule(entry, yaml, violation) };
}

function checked<T extends z.ZodType>(schema: T, name: string, file: string, yaml: LocatedYaml): z.infer<T> {
  const found = schema.safeParse(yaml.tree);
  if (found.success) return found.data;
  const faults = faultsOf(schema, found.error.issues, yaml.tree).map((fault) => problemOf(fault, yaml));
  throw invalid(name, file, faults);
}

function nameFaults(
  name: string,
  entry: { readonly name?: string | undefined },
  yaml: LocatedYaml,
): readonly Problem[] {
  if (entry.name === undefined || entry.name === name) return [];
  const message = `the name is that of the file: expected ${name}, or nothing; found ${entry.name}.`;
  return [{ place: yaml.place(["name"]), message }];
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
  if (fact.children) return { type: "children" };
  return fact.given ? { type: "given" } : null;
}

function tableOf(name: string, entry: WorkflowFile, sources: Record<string, FactSource>): Workflow {
  const { title, initial, goals, states, events, facts = {}, starts, rows, blocked } = entry;
  const values = mapped(facts, (fact, key) => factOf(fact, sources[key]));
  const open = Object.keys(states).filter((state) => !states[state]?.final);
  const table: Workflow = {
    name,
    title,
    initial,
    goals,
    states: mapped(states, stateOf),
    events: mapped(events, ({ description }) => ({ description })),
    facts: values,
    rules: rows.map((row) => rowOf(row, open, values)),
    ...(starts ? { starts } : {}),
  };
  const gathering = withGathered(table, sources, blocked);
  return blocked === undefined ? gathering : fillBlocked(gathering, blocked);
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
  if (source.type === "children") return "How the runs stand that it began.";
  return source.type === "command" ? `How \`${source.command}\` ends.` : "What the caller says.";
}

/** In `from`, what stands for every state in which no run ends. */
const ANY = "any";

function rowOf(
  { begin, id, from, on, when, to, set, outcome = "moved", run, reply }: RowEntry,
  open: readonly string[],
  facts: Workflow["facts"],
): Rule {
  return {
    id,
    from: from.length === 1 && from[0] === ANY ? open : from,
    on,
    ...(when ? { when: when.map((box) => mapped(box, (found, fact) => valuesOf(found, facts[fact]))) } : {}),
    to: to ?? "same",
    ...(set ? { set } : {}),
    outcome,
    ...(run || begin
      ? {
          commands: [
            ...(run ? [{ type: "run", ...given(run) }] : []),
            ...(begin ? [{ type: "begin", ...given(begin) }] : []),
          ],
        }
      : {}),
    reply,
  };
}

/** All but those of `not`; a value there that the fact does not have stays, for the table's check to name. */
function valuesOf(found: WantedEntry, fact: Fact | undefined): readonly FactValue[] {
  if (!("not" in found)) return found;
  const all = fact?.values ?? [];
  return [
    ...all.filter((value) => !found.not.includes(value)),
    ...found.not.filter((value) => !all.includes(value)),
  ];
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
  found.push(...nameFaults(name, entry, yaml));
  const fault = pathFault(entry.replies.replace(/^\.\//, "").replace(/\/+$/, ""));
  if (fault) say(["replies"], `expected a folder beside this file; ${fault}.`);
  for (const [key, fact] of Object.entries(entry.facts ?? {}))
    for (const message of factFaults(key, fact)) say(["facts", key], message);
  if (Object.hasOwn(entry.states, ANY))
    say(["states", ANY], "`from: any` means every state in which no run ends: expected another name.");
  entry.rows.forEach((row, index) => {
    for (const message of row.run ? runFaults(row.run) : [])
      say(["rows", index, "run"], `rule ${row.id}: ${message}`);
    if ((row.outcome ?? "moved") === "moved" && row.to === undefined)
      say(["rows", index], `rule ${row.id}: expected \`to\`: a state, or same.`);
  });
  return found;
}

const OF_COMMANDS = ["command", "passed", "failed"] as const;
const OF_AGENTS = ["agent", "prompt", "answers"] as const;

/** `run` has the keys of a command or those of an agent, all of them. */
function runFaults(run: RunEntry): readonly string[] {
  const isForAgent = run.agent !== undefined;
  const [own, others] = isForAgent
    ? [OF_AGENTS, OF_COMMANDS]
    : [OF_COMMANDS, [...OF_AGENTS, "session" as const]];
  const missing = own.filter((key) => run[key] === undefined);
  const strange = others.filter((key) => run[key] !== undefined);
  return [
    ...(missing.length > 0 ? [`\`run\` lacks ${missing.join(" and ")}: expected ${own.join(", ")}.`] : []),
    ...(strange.length > 0
      ? [
          `\`run\` starts ${isForAgent ? "an agent" : "a command"}, so it takes no ${strange.join(" and no ")}.`,
        ]
      : []),
  ];
}

function given(entry: RunEntry | BeginEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

const SOURCES = ["file", "checklist", "git", "command", "given", "children", "initial"] as const;

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
  readonly agent?: string | undefined;
}

function placeOf(table: Workflow, yaml: LocatedYaml, blamed: Blamed): string {
  const { agent, event, fact, planFile, row, state } = blamed;
  if (agent !== undefined) return yaml.keyPlace(["agents", agent]);
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
