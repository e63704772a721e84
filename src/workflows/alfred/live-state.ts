/**
 * Live state belongs to one checkout. Git ignores it through a `.gitignore` in each task's own folders that ignores itself
 * as well: whatever a branch tracks, a checkout, a stash with untracked files and `git clean -fd` leave it alone.
 *
 * A project of an earlier version may have committed states. Until git stops tracking them, a checkout reverts or removes
 * them; so a copy of such a state is kept in `.pawl/alfred/`, and the later of the two counts.
 */
import { attempt } from "../../core/attempt.ts";
import type { Change, View } from "../../core/ports/store.ts";
import {
  COPIES,
  copyPath,
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
export const EARLIER_IGNORES = "debug/\n";
const IGNORE_FILE = ".gitignore";
const STATE = "task_state.json";
/** When a task was last worked on that nobody began. */
export const NEVER = "1970-01-01T00:00:00.000Z";

/** What the task's workspace holds, and so what keeps its state from git. */
export interface Workspace {
  readonly hasState: boolean;
  readonly hasScratchpad: boolean;
  readonly isIgnored: boolean;
  /** Git may track the state, so a copy is kept. */
  readonly hasCopy: boolean;
  /** The project's own ignore file; null if there is none, or it does not matter. */
  readonly ignores: string | null;
}

/** This checkout's own state of the task; null: it has none. Throws `state-unreadable`. */
export async function findOwn(view: View, id: string): Promise<TaskState | null> {
  const path = statePath(id);
  const text = await view.read(path);
  const copy = await loadCopy(view, id);
  if (copy && isTurnedBack(text, copy)) return copy;
  return text === null ? null : parseState(text, id, path);
}

/** Whether anything was ever done in the task's workflow. */
export const isBegun = ({ updated_at }: TaskState): boolean => updated_at !== NEVER;

/** Whoever removes a task's folder means its state, not only the one within git's reach. */
async function loadCopy(view: View, id: string): Promise<TaskState | null> {
  const names = await copiesIn(view);
  if (!names.has(`${id}.json`)) return null;
  if ((await view.read(workspaceIgnorePath(id))) === null) return null;
  const path = copyPath(id);
  const text = await view.read(path);
  return text === null ? null : parseState(text, id, path);
}

const listed = new WeakMap<View, Promise<ReadonlySet<string>>>();

/** Listed once per view: nearly every project has none. */
function copiesIn(view: View): Promise<ReadonlySet<string>> {
  const known = listed.get(view);
  if (known) return known;
  const names = view.list(COPIES).then((entries) => new Set(entries.map(({ name }) => name)));
  listed.set(view, names);
  return names;
}

/** Gone, or from before the copy. What cannot be read, or was edited, is not git's doing. */
function isTurnedBack(text: string | null, copy: TaskState): boolean {
  if (text === null) return true;
  return attempt(() => {
    const { updated_at } = JSON.parse(text) as Partial<TaskState>;
    return typeof updated_at === "string" && updated_at < copy.updated_at;
  }, false);
}

/** Listed, not read: these files grow with the task's history. */
export async function loadWorkspace(view: View, id: string): Promise<Workspace> {
  const names = new Set((await view.list(workspaceFolder(id))).map(({ name }) => name));
  const isIgnored = names.has(IGNORE_FILE);
  return {
    hasState: names.has(STATE),
    hasScratchpad: names.has(SCRATCHPAD),
    isIgnored,
    hasCopy: (await copiesIn(view)).has(`${id}.json`),
    ignores: isIgnored ? null : await view.read(GITIGNORE),
  };
}

/** Writes the state, and what makes git ignore it. The first time, migrates a task of an earlier version. */
export function stateChanges(workspace: Workspace, state: TaskState): readonly Change[] {
  const { hasCopy, hasState, isIgnored } = workspace;
  const { task_id: id } = state;
  const text = renderState(state);
  const isTracked = isIgnored ? hasCopy : hasState;
  return [
    { type: "write", path: statePath(id), text },
    ...(isTracked ? [{ type: "write", path: copyPath(id), text } as const] : []),
    ...(hasCopy && !isTracked ? [{ type: "remove", path: copyPath(id) } as const] : []),
    ...(isIgnored ? [] : ignoreChanges(id, workspace)),
  ];
}

function ignoreChanges(id: string, { ignores }: Workspace): readonly Change[] {
  const isOurs = ignores === null || ignores === EARLIER_IGNORES;
  return [
    { type: "write", path: workspaceIgnorePath(id), text: IGNORED },
    { type: "write", path: debugIgnorePath(id), text: IGNORED },
    ...(isOurs ? [{ type: "write", path: GITIGNORE, text: PROJECT_IGNORES } as const] : []),
  ];
}
