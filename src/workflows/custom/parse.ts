/** Parses a workflow's file: YAML → table, sources, gates and hints; or all problems, each with its place. */
import { isObject } from "../../core/json.ts";
import { type ProjectPath, pathFault } from "../../core/path.ts";
import { type LocatedYaml, type Problem, parseYaml } from "../../core/yaml/located-yaml.ts";
import type { Extensible } from "../../engine/extend.ts";
import { checkStructure } from "../../engine/structure.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { checkDefinition } from "./check-definition.ts";
import type { Definition } from "./definition.ts";
import { definitionOver, placeOfRule } from "./extending.ts";
import { ANY, checked, definitionOf, factFaults, nameFaults, runFaults } from "./file-entries.ts";
import { type Blamed, invalid } from "./problem.ts";
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
  if (yaml.problems.length > 0) throw invalid(name, file, yaml.problems);
  if (over && isExtending(yaml)) return parseExtending(over, name, file, yaml);
  const entry = checked(WORKFLOW_FILE, name, file, yaml);
  const parsed: ParsedWorkflow = {
    definition: definitionOf(name, entry),
    replies: folderOf(entry.replies),
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
  const all = [
    ...nameFaults(name, entry, yaml),
    ...ofReplies,
    ...entry.rows.flatMap(({ id, run }, at) =>
      (run?.agent === "task" || !run ? [] : runFaults(run)).map((message) => ({
        place: yaml.place(["rows", at, "run"]),
        message: `rule ${id}: ${message}`,
      })),
    ),
    ...problems,
  ];
  if (all.length > 0) throw invalid(name, file, all);
  return { definition, replies, repliesPlace, placeOf: (violation) => placeOfRule(entry, yaml, violation) };
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
  const found: Problem[] = [];
  const say = (path: readonly PropertyKey[], message: string) =>
    found.push({ place: yaml.place(path), message });
  found.push(...nameFaults(name, entry, yaml));
  found.push(...folderFaults(folderOf(entry.replies), yaml));
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

function structureProblems(table: Workflow, yaml: LocatedYaml): readonly Problem[] {
  return checkStructure(table).map(({ message, rules: rows, state }) => ({
    place: placeOf(table, yaml, { row: rows[0], state }),
    message,
  }));
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
