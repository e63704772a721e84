/**
 * Live state belongs to one checkout. Git ignores it through a `.gitignore` in each task's own folders that ignores itself
 * as well: whatever a branch tracks, a checkout, a stash with untracked files and `git clean -fd` leave it alone.
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
/** For the whole project, for people to read and for clones; each task's folders are ignored without it. */
export const PROJECT_IGNORES = "workspace/\ndebug/\n";
const IGNORE_FILE = ".gitignore";
const STATE = "task_state.json";
/** When a task was last worked on that nobody began. */
export const NEVER = "1970-01-01T00:00:00.000Z";

/** What the task's workspace holds, and so what keeps its state from git. */
export interface Workspace {
  readonly hasState: boolean;
  readonly hasScratchpad: boolean;
  readonly isIgnored: boolean;
  /** The project's own ignore file; null if there is none, or it does not matter. */
  readonly ignores: string | null;
}

/** This checkout's own state of the task; null: it has none. Throws `state-unreadable`. */
export async function findOwn(view: View, id: string): Promise<TaskState | null> {
  const path = statePath(id);
  const text = await view.read(path);
  return text === null ? null : parseState(text, id, path);
}

/** Whether anything was ever done in the task's workflow. */
export const isBegun = ({ updated_at }: TaskState): boolean => updated_at !== NEVER;

/** Listed, not read: these files grow with the task's history. */
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

/** Writes the state, and what makes git ignore it. */
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
