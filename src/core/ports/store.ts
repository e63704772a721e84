/** The project's files: read through views, changed by commits. */
import type { ProjectPath } from "../path.ts";

/** Reading. A view remembers what was read through it, so that a commit can tell whether it still holds. */
export interface View {
  /** The file's text (UTF-8, unchanged: BOM and CRLF included), or null if the file does not exist. */
  read(path: ProjectPath): Promise<string | null>;
  /** The names in a folder, sorted; empty if the folder does not exist. */
  list(folder: ProjectPath): Promise<readonly Entry[]>;
  /**
   * Whether these files still are as they were read, once all that is committed by now is in them. Files that are read one
   * after the other may have a commit between them: what they tell against each other counts only where this is true.
   */
  isCurrent(paths: readonly ProjectPath[]): Promise<boolean>;
  /** A packaged text (`alfred/prompts/start_task/initialized.md`), or null. Not part of what must still hold. */
  packaged(path: string): Promise<string | null>;
}

export interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/** One file of a change set. The state before is what the view read (or what is found under the lock, if not read). */
export type Change =
  /** Creates or replaces. */
  | { readonly type: "write"; readonly path: ProjectPath; readonly text: string }
  /** Creates the file where needed. `text` contains `id`, by which a replay recognises it. */
  | { readonly type: "append"; readonly path: ProjectPath; readonly id: string; readonly text: string }
  /** `to` must not exist. */
  | { readonly type: "move"; readonly from: ProjectPath; readonly to: ProjectPath }
  | { readonly type: "remove"; readonly path: ProjectPath }
  /**
   * A write that can be redone on a text that a person changed meanwhile: `text` is the result on the text that was
   * read; the store's editor of that name redoes `edits` on another.
   */
  | {
      readonly type: "edit";
      readonly path: ProjectPath;
      readonly text: string;
      readonly editor: string;
      readonly edits: readonly unknown[];
    };

/**
 * Redoes edits on a text; pure. Throws where they cannot be redone. A text in which they are done already stays as it
 * is: after a power cut nobody can tell whether a person's text was made from the one before or the one after.
 */
export type Editor = (text: string, edits: readonly unknown[]) => string;

/** What is committed, and waits in the journal since the disk refuses to have it in the files. */
export interface Pending {
  /** Files that are not what they will be. */
  readonly changes: number;
  /** The room that they need, in bytes. */
  readonly bytes: number;
  /** Why, in words. */
  readonly reason: string;
  readonly message: string;
  readonly fix: string;
}

export interface Store {
  /** A fresh view. Pending committed records are replayed before the first read. */
  view(): View;
  /** Runs `work` while holding the run's lock over processes. Throws `lock-timeout`, naming the owner. */
  hold<T>(run: string, work: () => Promise<T>): Promise<T>;
  /** Whether everything that the view read is still so. */
  holds(view: View): Promise<boolean>;
  /**
   * All the changes or none, durable when it returns `committed`. `changed`: something that the view read is no longer
   * so (or a move's target exists); nothing was written, and the caller decides again.
   */
  commit(view: View, changes: readonly Change[]): Promise<"committed" | "changed">;
  /** What this store found pending when it last read or committed, and shows in views all the same; null: nothing. */
  pending(): Pending | null;
  /** Best effort, after a commit: debug logs. Whole lines or nothing; never throws. */
  log(path: ProjectPath, line: string): Promise<void>;
  /** Syncs what was applied and trims the journal. Called when there is time; never needed for correctness. */
  settle(): Promise<void>;
}
