/**
 * Live state belongs to one checkout. Git ignores it because of a `.gitignore` in each task's own folders,
 * which also ignores itself: so a checkout, a stash with untracked files and `git clean -fd` leave it alone,
 * with any files that a branch tracks.
 */
import type { Change, View } from "../../../core/ports/store.ts";
import {
  debugIgnorePath,
  GITIGNORE,
  SCRATCHPAD,
  statePath,
  workspaceFolder,
  workspaceIgnorePath,
} from "./paths.ts";
import { parseState, renderState, type TaskState } from "./state-file.ts";

const IGNORED = "*\n";
/**
 * Ignores for the whole project, for readers and for clones; each task's folders are ignored even without it.
 */
export const PROJECT_IGNORES = "workspace/\ndebug/\n";
const IGNORE_FILE = ".gitignore";
const STATE = "task_state.json";
/** `updated_at` of a task that was never begun. */
export const NEVER = "1970-01-01T00:00:00.000Z";

/** The files in the task's workspace, which also show what git ignores. */
export interface Workspace {
  readonly hasState: boolean;
  readonly hasScratchpad: boolean;
  readonly isIgnored: boolean;
  /** The project's own ignore file; null if there is none, or it is not needed. */
  readonly ignores: string | null;
}

/** This checkout's own state of the task; null: it has none. Throws `state-unreadable`. */
export async function findOwn(view: View, id: string): Promise<TaskState | null> {
  const path = statePath(id);
  const text = await view.read(path);
  return text === null ? null : parseState(text, id, path);
}

/** Whether Alfred ever worked on the task. */
export const isBegun = ({ updated_at }: TaskState): boolean => updated_at !== NEVER;

/** Lists the files instead of reading them, because the scratchpad grows. */
export async function loadWorkspace(view: View, id: string): Promise<Workspace> {
  const names = new Set((await view.list(workspaceFolder(id))).map(({ name }) => name));
  const isIgnored = names.has(IGNORE_FILE);
  return {
    hasState: names.has(STATE),
    hasScratchpad: names.has(SCRATCHPAD),
    isIgnored,
    ignores: isIgnored ? null : await view.read(GITIGNORE),
  };
}

/** The changes that write the state and make git ignore it. */
export function stateChanges({ isIgnored, ignores }: Workspace, state: TaskState): readonly Change[] {
  const { task_id: id } = state;
  return [
    { type: "write", path: statePath(id), text: renderState(state) },
    ...(isIgnored ? [] : ignoreChanges(id, ignores)),
  ];
}

function ignoreChanges(id: string, ignores: string | null): readonly Change[] {
  return [
    { type: "write", path: workspaceIgnorePath(id), text: IGNORED },
    { type: "write", path: debugIgnorePath(id), text: IGNORED },
    ...(ignores === null ? [{ type: "write", path: GITIGNORE, text: PROJECT_IGNORES } as const] : []),
  ];
}
