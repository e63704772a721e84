/**
 * A file that extends another workflow of the project. Its rows take their cases from the rows there, and its states, events, facts and
 * agents are added; an agent of the same name replaces the one there. It is a workflow of its own, with runs of its own.
 */
import type { OwnFile } from "../../core/own-file.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import { type LocatedYaml, type Problem, parseYaml } from "../../core/yaml/located-yaml.ts";
import { extend, type OwnRow } from "../../engine/extend.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { checkDefinition } from "./check-definition.ts";
import { doubleFaults, isChange, shapeFaults } from "./extending.ts";
import {
  ANY,
  checked,
  definitionOf,
  factFaults,
  nameFaults,
  openStates,
  rowOf,
  runFaults,
} from "./file-entries.ts";
import { type ParsedWorkflow, parseWorkflow, repliesIn } from "./parse.ts";
import { type Blamed, invalid } from "./problem.ts";
import {
  EXTENDING_FILE,
  type ExtendingFile,
  type RowOver,
  WORKFLOW_FILE,
  type WorkflowFile,
} from "./schema.ts";

export interface BaseFile extends OwnFile {
  readonly text: string;
}

/** Throws `workflow-invalid`: with all problems of the file, or those of the one that it extends. */
export function parseOver(name: string, file: string, text: string, base: BaseFile): ParsedWorkflow {
  const { replies: others } = parseWorkflow(base.name, base.file, base.text);
  const [yaml, baseYaml] = [parseYaml(file, text), parseYaml(base.file, base.text)];
  if (yaml.problems.length > 0) throw invalid(name, file, yaml.problems);
  const [entry, there] = [
    checked(EXTENDING_FILE, name, file, yaml),
    checked(WORKFLOW_FILE, base.name, base.file, baseYaml),
  ];
  const { path: replies, place: repliesPlace, problems } = repliesIn(entry, name, yaml);
  const merged = mergedEntry(entry, there, replies);
  const unfit: Fault[] = [];
  const definition = definitionOf(name, merged, (table) => {
    const own = Object.fromEntries(
      Object.entries(table.facts).filter(([fact]) => Object.hasOwn(entry.facts ?? {}, fact)),
    );
    const others = Object.fromEntries(
      Object.entries(table.facts).filter(([fact]) => !Object.hasOwn(own, fact)),
    );
    const rows = entry.rows.flatMap((row) => ownRow(row, table, merged));
    const extended = extend(
      { ...table, name: base.name, facts: others },
      { states: {}, events: {}, facts: own, rows },
    );
    unfit.push(...extended.faults);
    return { ...extended.table, name };
  });
  const place = (blamed: Blamed) => placeOf(blamed, [entry, yaml], [there, baseYaml]);
  const found = [...entryFaults(base.name, entry, there), ...checkDefinition(definition)];
  // A row from a state that nobody has takes nothing either: the state is what is wrong.
  const structure = found.length > 0 ? [] : checkStructure(definition.table);
  if (structure.length === 0) found.push(...unfit);
  const all: readonly Problem[] = [
    ...nameFaults(name, entry, yaml),
    ...problems,
    ...found.map(({ message, ...blamed }) => ({ place: place(blamed), message })),
    ...structure.map((each) => ({ place: place(blamedIn(each)), message: each.message })),
  ];
  if (all.length > 0) throw invalid(name, file, all);
  return {
    ...{ definition, replies, repliesPlace },
    ...(entry.replies === undefined ? {} : { needsReplies: true as const }),
    base: { file: base.file, replies: folderBeside(base.file, others) },
    placeOf: (violation) => place(blamedIn(violation)),
  };
}

/** `folder`: relative to the file's own. */
export function folderBeside(file: string, folder: string): ProjectPath {
  return projectPath(...file.split("/").slice(0, -1), folder);
}

/** The rows are those of the other file: the own ones take their cases from their rules. */
function mergedEntry(entry: ExtendingFile, there: WorkflowFile, replies: string): WorkflowFile {
  const { agents, events, facts, states, summary, title } = entry;
  return {
    ...there,
    ...{ title, replies, summary },
    states: { ...there.states, ...states },
    events: { ...there.events, ...events },
    facts: { ...there.facts, ...facts },
    ...(there.agents || agents ? { agents: { ...there.agents, ...agents } } : {}),
  };
}

function ownRow(row: RowOver, table: Workflow, merged: WorkflowFile): OwnRow[] {
  const { as, from = [], id, on = "", reply = "", set } = row;
  if (isChange(row, table)) return [{ id, of: "base", ...(set && { set }) }];
  const rule = rowOf({ ...row, from, on, reply }, openStates(merged), table.facts);
  if (as === undefined) return [rule];
  return [{ id, from: rule.from, on, ...(rule.when && { when: rule.when }), as }];
}

// ── What the schema cannot say ────────────────────────────────────────────────────────────────────────────

type Fault = Blamed & { readonly message: string };

function entryFaults(base: string, entry: ExtendingFile, there: WorkflowFile): readonly Fault[] {
  const { events = {}, facts = {}, rows, states = {} } = entry;
  const ids = new Set(there.rows.map(({ id }) => id));
  const taken = (kind: "state" | "event" | "fact", own: object, others: object) =>
    Object.keys(own)
      .filter((name) => Object.hasOwn(others, name))
      .map((name) => ({
        [kind]: name,
        message: `${kind} ${name}: ${base} has one of that name. Expected another name.`,
      }));
  return [
    ...taken("state", states, { ...there.states, [ANY]: null }),
    ...taken("event", events, there.events),
    ...taken("fact", facts, there.facts ?? {}),
    ...doubleFaults(rows),
    ...Object.entries(facts).flatMap(([fact, given]) =>
      factFaults(fact, given).map((message) => ({ fact, message })),
    ),
    ...rows.flatMap((row) =>
      rowFaults(base, row, ids).map((message) => ({ row: row.id, message: `rule ${row.id}: ${message}` })),
    ),
  ];
}

function rowFaults(base: string, row: RowOver, ids: ReadonlySet<string>): readonly string[] {
  const shape = shapeFaults(base, row, ids.has(row.id));
  if (shape !== null) return shape;
  return [
    ...(row.run ? runFaults(row.run) : []),
    ...((row.outcome ?? "moved") === "moved" && row.to === undefined
      ? ["expected `to`, a state or same, or `as`, an event."]
      : []),
    ...(row.reply === undefined
      ? ["expected `reply`: a text of this file, or of the one that it extends."]
      : []),
  ];
}

function blamedIn({ event, rules: [row], state }: Violation): Blamed {
  return { row, state, event };
}

type Located<T> = readonly [T, LocatedYaml];

/** In the file that has it: the own one, or the one that it extends. */
function placeOf(
  blamed: Blamed,
  [entry, yaml]: Located<ExtendingFile>,
  [there, baseYaml]: Located<WorkflowFile>,
): string {
  const { agent, event, fact, planFile, row, state } = blamed;
  const rowAt = (rows: readonly { readonly id: string }[]) =>
    rows.findIndex(({ id }) => row === id || row?.startsWith(`${id}.`));
  if (row !== undefined) {
    const [own, others] = [rowAt(entry.rows), rowAt(there.rows)];
    if (own >= 0) return yaml.place(["rows", own, "id"]);
    return others >= 0 ? baseYaml.place(["rows", others, "id"]) : baseYaml.place(["blocked"]);
  }
  if (planFile !== undefined) return baseYaml.place(["plan_files", planFile]);
  for (const [kind, name] of Object.entries({ agents: agent, facts: fact, states: state, events: event })) {
    if (name === undefined) continue;
    const own = entry[kind as "agents" | "facts" | "states" | "events"] ?? {};
    return (Object.hasOwn(own, name) ? yaml : baseYaml).keyPlace([kind, name]);
  }
  return yaml.place(["extends"]);
}
