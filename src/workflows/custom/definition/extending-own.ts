/**
 * A file that extends another workflow of the project. Its rows take their cases from the rows there, and its states, events, facts and
 * agents are added; an agent of the same name replaces the one there. It is a workflow of its own, with runs of its own.
 */
import type { OwnFile } from "../../../core/own-file.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import { parseYaml } from "../../../core/yaml/located-yaml.ts";
import { extend } from "../../../engine/extend.ts";
import { checkDefinition } from "./check-definition.ts";
import { doubleFaults, shapeFaults, takenFaults } from "./extending.ts";
import {
  ANY,
  checked,
  definitionOf,
  factFaults,
  nameFaults,
  openStates,
  rowOver,
  runFaults,
} from "./file-entries.ts";
import { type ParsedWorkflow, parseWorkflow, repliesIn } from "./parse.ts";
import {
  type Fault,
  type Files,
  invalidWorkflowError,
  problemsIn,
  structureProblems,
  violationPlace,
} from "./problem.ts";
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
  if (yaml.problems.length > 0) throw invalidWorkflowError(name, file, yaml.problems);
  const [entry, there] = [
    checked(EXTENDING_FILE, name, file, yaml),
    checked(WORKFLOW_FILE, base.name, base.file, baseYaml),
  ];
  const { path: replies, place: repliesPlace, problems } = repliesIn(entry, name, yaml);
  const merged = mergedEntry(entry, there, replies);
  const unfit: Fault[] = [];
  const definition = definitionOf(name, merged, (table) => {
    const facts = Object.entries(table.facts).filter(([fact]) => Object.hasOwn(entry.facts ?? {}, fact));
    const rows = entry.rows.map((row) => rowOver(row, table, openStates(merged)));
    const over = { events: {}, facts: Object.fromEntries(facts), rows };
    const extended = extend({ ...table, name: base.name }, over);
    unfit.push(...extended.faults);
    return { ...extended.table, name };
  });
  const files: Files = [
    { entry, yaml },
    { entry: there, yaml: baseYaml },
  ];
  const faults = [...entryFaults(base.name, entry, there), ...checkDefinition(definition)];
  // A row from an unknown state never applies either: the state is the fault.
  const structure = faults.length > 0 ? [] : structureProblems(files, definition.table);
  if (structure.length === 0) faults.push(...unfit);
  const all = [...nameFaults(name, entry, yaml), ...problems, ...problemsIn(files, faults), ...structure];
  if (all.length > 0) throw invalidWorkflowError(name, file, all);
  return {
    ...{ definition, replies, repliesPlace },
    ...(entry.replies === undefined ? {} : { needsReplies: true as const }),
    base: { file: base.file, replies: folderBeside(base.file, others) },
    placeOf: (violation) => violationPlace(files, violation),
  };
}

/** `folder`: relative to the file's own. */
export function folderBeside(file: string, folder: string): ProjectPath {
  return projectPath(...file.split("/").slice(0, -1), folder);
}

/** With the rows of the other file: the own ones take their cases from their rules. */
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

// ── What the schema cannot say ────────────────────────────────────────────────────────────────────────────

function entryFaults(base: string, entry: ExtendingFile, there: WorkflowFile): readonly Fault[] {
  const { facts = {}, rows } = entry;
  const ids = new Set(there.rows.map(({ id }) => id));
  return [
    ...takenFaults(base, entry, { ...there, states: { ...there.states, [ANY]: null } }),
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
