/** What the entries of a workflow's file mean to the engine, and what its schema cannot say of them. */
import type { z } from "zod";
import { type Fault, faultsOf } from "../../../core/faults.ts";
import type { LocatedYaml, Problem } from "../../../core/yaml/located-yaml.ts";
import type { OwnRow } from "../../../engine/extend.ts";
import { fillBlocked } from "../../../engine/guard.ts";
import type { Fact, FactValue, Rule, State, Workflow } from "../../../engine/workflow.ts";
import { withGathered } from "../begin/gathered.ts";
import { type Definition, type FactSource, type Gate, type StateHint, VALUES_OF } from "./definition.ts";
import { invalidWorkflowError } from "./problem.ts";
import type {
  BeginEntry,
  FactEntry,
  RowEntry,
  RowOver,
  RunEntry,
  WantedEntry,
  WorkflowFile,
} from "./schema.ts";

export function checked<T extends z.ZodType>(
  schema: T,
  name: string,
  file: string,
  yaml: LocatedYaml,
): z.infer<T> {
  const parsed = schema.safeParse(yaml.tree);
  if (parsed.success) return parsed.data;
  const faults = faultsOf(schema, parsed.error.issues, yaml.tree).map((fault) => problemOf(fault, yaml));
  throw invalidWorkflowError(name, file, faults);
}

export function nameFaults(
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

/**
 * What the file says, as the engine has it. `over`: adds rules before the implicit ones are added.
 */
export function definitionOf(
  name: string,
  entry: WorkflowFile,
  over: (table: Workflow) => Workflow = (table) => table,
): Omit<Definition, "replies" | "prompts"> {
  const sources = sourcesOf(entry);
  const table = over(tableOf(name, entry, sources));
  const gathering = withGathered(table, sources, entry.blocked);
  return {
    table: entry.blocked === undefined ? gathering : fillBlocked(gathering, entry.blocked),
    sources,
    gates: gatesOf(entry),
    hints: hintsOf(entry),
    ...(entry.plan_files ? { planFiles: entry.plan_files } : {}),
    ...(entry.agents ? { agents: entry.agents as Definition["agents"] & object } : {}),
    ...(entry.summary === undefined ? {} : { summary: entry.summary }),
  };
}

function tableOf(name: string, entry: WorkflowFile, sources: Record<string, FactSource>): Workflow {
  const { title, initial, goals, states, events, facts = {}, starts, rows } = entry;
  const values = mapped(facts, (fact, key) => factOf(fact, sources[key]));
  return {
    name,
    title,
    initial,
    goals,
    states: mapped(states, stateOf),
    events: eventsOf(events),
    facts: values,
    rules: rows.map((row) => rowOf(row, openStates(entry), values)),
    ...(starts ? { starts } : {}),
  };
}

/** Those in which no run ends. */
export function openStates({
  states,
}: {
  readonly states: Readonly<Record<string, { readonly final?: boolean | undefined }>>;
}): readonly string[] {
  return Object.keys(states).filter((state) => !states[state]?.final);
}

export function eventsOf(events: WorkflowFile["events"]): Workflow["events"] {
  return mapped(events, ({ description }) => ({ description }));
}

function stateOf({ description, final, forbids, writes }: WorkflowFile["states"][string]): State {
  return {
    description,
    ...(final ? { final } : {}),
    ...(writes ? { writes } : {}),
    ...(forbids ? { forbids } : {}),
  };
}

export function factOf(fact: FactEntry, source?: FactSource): Fact {
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

/** In `from`, the word for every state in which no run ends. */
export const ANY = "any";

function rowOf(
  { begin, id, from, on, when, to, set, outcome = "moved", run, reply }: RowEntry,
  open: readonly string[],
  facts: Workflow["facts"],
): Rule {
  return {
    id,
    from: from.length === 1 && from[0] === ANY ? open : from,
    on,
    ...(when
      ? { when: when.map((box) => mapped(box, (wanted, fact) => valuesOf(wanted, facts[fact]))) }
      : {}),
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

/** It only sets more variables where a rule of the table applies that it extends. */
export const isChange = (row: RowOver, base: Workflow) => base.rules.some(({ id }) => id === row.id);

/** A row that is laid over the base. `open`: the states that `any` means. */
export function rowOver(row: RowOver, base: Workflow, open: readonly string[]): OwnRow {
  const { as, from = [], id, on = "", reply = "", set } = row;
  if (isChange(row, base)) return { id, of: "base", ...(set && { set }) };
  const rule = rowOf({ ...row, from, on, reply }, open, base.facts);
  return as === undefined ? rule : { id, from: rule.from, on, ...(rule.when && { when: rule.when }), as };
}

/** All but those of `not`; a value there that the fact does not have stays, for the table's check to name. */
function valuesOf(wanted: WantedEntry, fact: Fact | undefined): readonly FactValue[] {
  if (!("not" in wanted)) return wanted;
  const all = fact?.values ?? [];
  return [
    ...all.filter((value) => !wanted.not.includes(value)),
    ...wanted.not.filter((value) => !all.includes(value)),
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

const OF_COMMANDS = ["command", "passed", "failed"] as const;
const OF_AGENTS = ["agent", "prompt", "answers"] as const;

/** `run` has the keys of a command or those of an agent, all of them. */
export function runFaults(run: RunEntry): readonly string[] {
  const isForAgent = run.agent !== undefined;
  const [mine, others] = isForAgent
    ? [OF_AGENTS, OF_COMMANDS]
    : [OF_COMMANDS, [...OF_AGENTS, "session" as const]];
  const missing = mine.filter((key) => run[key] === undefined);
  const strange = others.filter((key) => run[key] !== undefined);
  return [
    ...(missing.length > 0 ? [`\`run\` lacks ${missing.join(" and ")}: expected ${mine.join(", ")}.`] : []),
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

export function factFaults(name: string, fact: FactEntry): readonly string[] {
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

export function mapped<In, Out>(
  map: Readonly<Record<string, In>>,
  make: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, make(value, key)]));
}
