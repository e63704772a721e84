/**
 * What every reader makes of its format: tasks, and remarks on what could not become one. Readers are pure
 * functions of texts; they invent nothing, and keep as text what they cannot place.
 */
import { PawlError } from "../core/error.ts";

export const FORMATS = [
  "task-master",
  "ralph",
  "feature-list",
  "claude-tasks",
  "spec-kit",
  "openspec",
  "kiro",
  "conductor",
  "agent-os",
  "exec-plan",
  "gsd",
  "bmad",
  "ccpm",
  "backlog-md",
  "beads",
  "vibe-kanban",
  "github",
  "gitlab",
  "trello",
  "gh-project",
  "markdown",
  "csv",
] as const;
export type Format = (typeof FORMATS)[number];

export interface SourceFile {
  /** Relative to the project's root, or to the folder around the named path; with `/`. */
  readonly path: string;
  readonly text: string;
}

export type SourceStatus = "todo" | "in_progress" | "blocked" | "done" | "cancelled";

/** A source's status of a task. */
export interface State {
  readonly status: SourceStatus;
  /** The source's own word for it, if it has one. */
  readonly word?: string;
  /** Pawl does not know the word. */
  readonly isUnknown?: true;
}

export interface SourceItem extends State {
  /** Its name in the source, stable across imports; unique within the import. */
  readonly key: string;
  /** Its key is made from its text, because the source gives it no id; a person may edit that text. */
  readonly byText?: true;
  /** The source's id, or one made from its other data. */
  readonly id: string;
  readonly title: string;
  /** Why it is cancelled, if the source says so. */
  readonly reason?: string;
  readonly text: string;
  readonly criteria: readonly string[];
  /** The source's other data about it. */
  readonly notes: readonly string[];
}

export interface SourceTask extends SourceItem {
  readonly dependsOn: readonly Dependency[];
  /** Its parent's key. */
  readonly parent: string | null;
  readonly steps: readonly SourceItem[];
}

export interface Dependency {
  /** The key that it refers to, which may belong to no task. */
  readonly key: string;
  /** As written in the source. */
  readonly text: string;
}

export interface Read {
  readonly tasks: readonly SourceTask[];
  readonly remarks: readonly string[];
}

export type Reader = (files: readonly SourceFile[]) => Read;

export function invalidSourceError(path: string, expected: string, found: string, fix?: string): PawlError {
  return new PawlError(
    "import-invalid",
    `${path} cannot be imported: expected ${expected}, found ${found}.`,
    fix ?? "Correct the file, or name its format: `pawl import --format NAME PATH`.",
  );
}

const OTHERS: readonly (readonly [name: RegExp, found: string, fix: string])[] = [
  [
    /\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i,
    "a spreadsheet",
    "Save its sheet of tasks as CSV, and import that file.",
  ],
  [
    /\.org$/i,
    "an Org file",
    "Export it as Markdown with its tasks as boxes (`- [ ] words`), and import that file.",
  ],
  [
    /(?:^|\/)(?:todo|done)\.txt$/i,
    "a todo.txt",
    "Write its tasks as boxes (`- [ ] words`) into a Markdown file, and import that.",
  ],
];

/** What a file is by its name, if people keep tasks in such ones and no reader takes them; else null. */
export function otherFormatError(path: string): PawlError | null {
  const [, found, fix] = OTHERS.find(([name]) => name.test(path)) ?? [];
  return found === undefined ? null : invalidSourceError(path, "a format that Pawl reads", found, fix);
}

/** Deeper than people nest tasks. */
export const MAX_DEPTH = 20;
