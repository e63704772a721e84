/**
 * What every reader makes of its format: tasks, and remarks on what could not become one. Readers are pure functions of
 * texts; they invent nothing, and what they cannot place they keep as text.
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
  /** From the project's root, or from the folder around what was named; with `/`. */
  readonly path: string;
  readonly text: string;
}

export type SourceStatus = "todo" | "in_progress" | "blocked" | "done" | "cancelled";

/** What a source says of how far work is. */
export interface State {
  readonly status: SourceStatus;
  /** The source's word for it, where it has one. */
  readonly word?: string;
  /** Pawl does not know the word. */
  readonly isUnknown?: true;
}

export interface SourceItem extends State {
  /** Its name in the source, the same at the next import; unique within the import. */
  readonly key: string;
  /** The source gives it no id: its key is made from its text, which a person may mend. */
  readonly byText?: true;
  /** The id that the source gives it, or one made from what it has. */
  readonly id: string;
  readonly title: string;
  /** Why it is cancelled, where the source says so. */
  readonly reason?: string;
  readonly text: string;
  readonly criteria: readonly string[];
  /** What else the source says of it. */
  readonly notes: readonly string[];
}

export interface SourceTask extends SourceItem {
  readonly dependsOn: readonly Dependency[];
  /** Its parent's key. */
  readonly parent: string | null;
  readonly steps: readonly SourceItem[];
}

export interface Dependency {
  /** The key that is meant; it may be that of no task. */
  readonly key: string;
  /** As the source writes it. */
  readonly text: string;
}

export interface Read {
  readonly tasks: readonly SourceTask[];
  readonly remarks: readonly string[];
}

export type Reader = (files: readonly SourceFile[]) => Read;

export function invalid(path: string, expected: string, found: string, fix?: string): PawlError {
  return new PawlError(
    "import-invalid",
    `${path} cannot be imported: expected ${expected}, found ${found}.`,
    fix ?? "Correct the file, or name its format: `pawl import --format NAME PATH`.",
  );
}

/** Deeper than anybody nests tasks. */
export const DEEPEST = 20;
