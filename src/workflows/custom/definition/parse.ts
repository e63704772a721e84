/** Parses a workflow's file: YAML → table, sources, gates and hints; or all problems, each with its place. */
import { isObject } from "../../../core/json.ts";
import { type ProjectPath, pathFault } from "../../../core/path.ts";
import { type LocatedYaml, type Problem, parseYaml } from "../../../core/yaml/located-yaml.ts";
import type { Extensible } from "../../../engine/extend.ts";
import type { Violation } from "../../../engine/violation.ts";
import { checkDefinition } from "./check-definition.ts";
import type { Definition } from "./definition.ts";
import { definitionOver } from "./extending.ts";
import { ANY, checked, definitionOf, factFaults, nameFaults, runFaults } from "./file-entries.ts";
import {
  type Files,
  invalidWorkflowError,
  problemsIn,
  structureProblems,
  violationPlace,
} from "./problem.ts";
import { EXTENDING_FILE, type ExtendingFile, WORKFLOW_FILE, type WorkflowFile } from "./schema.ts";

export interface ParsedWorkflow {
  /** Without the replies and the prompts, which are in files of their own. */
  readonly definition: Omit<Definition, "replies" | "prompts">;
  /** The folder of the replies, as written: relative to the file's folder. */
  readonly replies: string;
  readonly repliesPlace: string;
  /** The file that extends another one names the folder, so it must be there. */
  readonly needsReplies?: true;
  /** The file that it extends, and the folder of the replies there; absent: it extends none. */
  readonly base?: { readonly file: string; readonly replies: ProjectPath };
  /** The place in the file of a violation of the table. */
  placeOf(violation: Violation): string;
}

/** `over`: the table that it may extend. Throws `workflow-invalid` with all problems that can be found at once. */
export function parseWorkflow(name: string, file: string, text: string, over?: Extensible): ParsedWorkflow {
  const yaml = parseYaml(file, text);
  if (yaml.problems.length > 0) throw invalidWorkflowError(name, file, yaml.problems);
  if (over && isExtending(yaml)) return parseExtending(over, name, file, yaml);
  const entry = checked(WORKFLOW_FILE, name, file, yaml);
  const definition = definitionOf(name, entry);
  const files: Files = [{ entry, yaml }];
  const problems = [
    ...checkEntry(name, entry, yaml),
    ...structureProblems(files, definition.table),
    ...problemsIn(files, checkDefinition(definition)),
  ];
  if (problems.length > 0) throw invalidWorkflowError(name, file, problems);
  return {
    definition,
    replies: folderOf(entry.replies),
    repliesPlace: yaml.place(["replies"]),
    placeOf: (violation) => violationPlace(files, violation),
  };
}

/** What a file with this text extends, and where it says so; null: nothing. */
export function extendedBy(
  file: string,
  text: string,
): { readonly name: string; readonly place: string } | null {
  if (!/^extends:/m.test(text)) return null;
  const yaml = parseYaml(file, text);
  if (!isExtending(yaml)) return null;
  return { name: String((yaml.tree as { extends: unknown }).extends), place: yaml.place(["extends"]) };
}

function isExtending({ tree }: LocatedYaml): boolean {
  return isObject(tree) && Object.hasOwn(tree, "extends");
}

function parseExtending(over: Extensible, name: string, file: string, yaml: LocatedYaml): ParsedWorkflow {
  const entry = checked(EXTENDING_FILE, name, file, yaml);
  const { definition, problems } = definitionOver(over, name, entry, yaml);
  const { path: replies, place: repliesPlace, problems: ofReplies } = repliesIn(entry, name, yaml);
  const all = [...nameFaults(name, entry, yaml), ...ofReplies, ...problems];
  if (all.length > 0) throw invalidWorkflowError(name, file, all);
  const files: Files = [{ entry, yaml }];
  return { definition, replies, repliesPlace, placeOf: (violation) => violationPlace(files, violation) };
}

/** The folder with the texts of a file that extends another one: as the file is called, if it does not say. */
export function repliesIn({ replies }: ExtendingFile, name: string, yaml: LocatedYaml) {
  const path = folderOf(replies ?? name);
  return {
    path,
    place: yaml.place(replies === undefined ? [] : ["replies"]),
    problems: folderFaults(path, yaml),
  };
}

/** As written, without what a path does not need. */
function folderOf(replies: string): string {
  return replies.replace(/^\.\//, "").replace(/\/+$/, "");
}

function folderFaults(path: string, yaml: LocatedYaml): readonly Problem[] {
  const fault = pathFault(path);
  return fault
    ? [{ place: yaml.place(["replies"]), message: `expected a folder beside this file; ${fault}.` }]
    : [];
}

/** Checks what the schema cannot express: keys that require or exclude one another. */
function checkEntry(name: string, entry: WorkflowFile, yaml: LocatedYaml): readonly Problem[] {
  const problems: Problem[] = [];
  const addProblem = (path: readonly PropertyKey[], message: string) =>
    problems.push({ place: yaml.place(path), message });
  problems.push(...nameFaults(name, entry, yaml));
  problems.push(...folderFaults(folderOf(entry.replies), yaml));
  for (const [key, fact] of Object.entries(entry.facts ?? {}))
    for (const message of factFaults(key, fact)) addProblem(["facts", key], message);
  if (Object.hasOwn(entry.states, ANY))
    addProblem(["states", ANY], "`from: any` means every state in which no run ends: expected another name.");
  entry.rows.forEach((row, index) => {
    for (const message of row.run ? runFaults(row.run) : [])
      addProblem(["rows", index, "run"], `rule ${row.id}: ${message}`);
    if ((row.outcome ?? "moved") === "moved" && row.to === undefined)
      addProblem(["rows", index], `rule ${row.id}: expected \`to\`: a state, or same.`);
  });
  return problems;
}
