// A program that uses the library may know of no `AsyncDisposable` by itself.
/// <reference lib="esnext.disposable" preserve="true" />
/** The project's documents, files or rows of a database: read through views, changed by commits. */
import type { ProjectPath } from "../path.ts";

/** Reads. A view remembers what was read through it, so that a commit can check whether it still holds. */
export interface View {
  /** The file's text (UTF-8, unchanged: BOM and CRLF included), or null if the file does not exist. */
  read(path: ProjectPath): Promise<string | null>;
  /**
   * The last line of a file that only grows, without its line break; null: the file does not exist, or is
   * empty. The lines before it are not read, so a long file costs no more than a short one.
   */
  lastLine(path: ProjectPath): Promise<string | null>;
  /** The names in a folder, sorted; empty if the folder does not exist. */
  list(folder: ProjectPath): Promise<readonly Entry[]>;
  /**
   * Whether these files, with everything committed so far, are still what was read. A commit may fall between
   * two reads, so a contradiction between files counts only if this is true.
   */
  isCurrent(paths: readonly ProjectPath[]): Promise<boolean>;
  /**
   * A packaged text (`alfred/prompts/start_task/initialized.md`), or null. A commit does not check it again.
   */
  packaged(path: string): Promise<string | null>;
}

export interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/**
 * One file of a change set. Its previous state is what the view read, or what is found under the lock if it
 * was not read.
 */
export type Change =
  /** Creates or replaces. */
  | { readonly type: "write"; readonly path: ProjectPath; readonly text: string }
  /** Creates the file if needed. `text` contains `id`, by which a replay recognises it. */
  | { readonly type: "append"; readonly path: ProjectPath; readonly id: string; readonly text: string }
  /** `to` must not exist. */
  | { readonly type: "move"; readonly from: ProjectPath; readonly to: ProjectPath }
  | { readonly type: "remove"; readonly path: ProjectPath }
  /**
   * A write that can be redone after a person changed the file meanwhile. `text` is the result on the text
   * that was read; the store's editor of that name redoes `edits` on another text.
   */
  | {
      readonly type: "edit";
      readonly path: ProjectPath;
      readonly text: string;
      readonly editor: string;
      readonly edits: readonly unknown[];
    };

/**
 * Redoes edits on a text; pure. Throws if that is impossible. A text that already has the edits stays
 * unchanged: after a power cut it is unknown from which version a person's text was made.
 */
export type Editor = (text: string, edits: readonly unknown[]) => string;

/** Committed changes that wait safely because the disk refuses to write them to their files. */
export interface Pending {
  /** The number of files that do not have their committed content yet. */
  readonly changes: number;
  /** The space that they need, in bytes. */
  readonly bytes: number;
  /** The reason, in words. */
  readonly reason: string;
  readonly message: string;
  readonly fix: string;
}

export interface Store {
  /** A fresh view: it shows everything that was committed before its first read. */
  view(): View;
  /**
   * Takes the run's lock across processes; `await using` releases it at the end of the block. Throws
   * `lock-timeout`, naming the owner.
   */
  hold(run: string): Promise<AsyncDisposable>;
  /** Whether everything that the view read is unchanged. */
  holds(view: View): Promise<boolean>;
  /**
   * Applies all the changes or none; durable when it returns `committed`. `changed`: something that the view
   * read has changed (or a move's target exists). Then nothing was written, and the caller decides again.
   */
  commit(view: View, changes: readonly Change[]): Promise<"committed" | "changed">;
  /**
   * Applies committed changes that are not applied yet. Returns those that cannot be applied; null: none is
   * left.
   */
  catchUp(): Promise<Pending | null>;
  /**
   * The pending changes that this store found at its last read or commit. Views show them as applied. Null:
   * none.
   */
  pending(): Pending | null;
  /** Best effort, after a commit: debug logs. Whole lines or nothing; never throws. */
  log(path: ProjectPath, line: string): Promise<void>;
  /** Tidies up after commits, such as a journal. Called when there is time; never needed for correctness. */
  settle(): Promise<void>;
}
