/**
 * The part of a project that a database holds: Bloom's backlog and runs, the records, the events, and the
 * settings that apply to them. Nothing else is copied, in either direction, because others write to the
 * database, so it must not create arbitrary files.
 */
import { PawlError } from "../../../core/error.ts";
import { EVENTS } from "../../../core/event.ts";
import { GATES_FOLDER } from "../../../core/gate-record.ts";
import { asideNames, wholeLog } from "../../../core/log-parts.ts";
import { LOOP_RUNS } from "../../../core/loop-record.ts";
import { PROJECT_FOLDER, type ProjectPath, projectPath } from "../../../core/path.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { RECORDS } from "../../../runtime/run-log/team-records.ts";
import { textOf } from "../../../tasks-file/entries.ts";
import { PROGRESS, parseProgress, withProgress } from "../../../tasks-file/progress.ts";
import { readTasks } from "../../../tasks-file/read.ts";
import { SHARED_FILES, SHARED_FOLDERS } from "../../../workflows/bloom/shared-paths.ts";

/** Path → text. */
export type SharedState = ReadonlyMap<ProjectPath, string>;

const FILES: readonly ProjectPath[] = ["pawl.yaml", ".alfred/config.yml", EVENTS].map((path) =>
  projectPath(path),
);
const FOLDERS: readonly ProjectPath[] = [
  ...[LOOP_RUNS, RECORDS, projectPath(GATES_FOLDER)],
  ...SHARED_FOLDERS.filter((path) => ![RECORDS, GATES_FOLDER].some((whole) => path.startsWith(`${whole}/`))),
];

/** The state in the files. `tasksFile`: its path in the settings. */
export async function readShared(view: View, tasksFile: string): Promise<SharedState> {
  const state = new Map<ProjectPath, string>();
  // In files, the tasks file has the progress.
  const shared = SHARED_FILES.filter((path) => path !== PROGRESS);
  for (const path of new Set([...FILES, ...shared, projectPath(tasksFile)])) await addFile(view, path, state);
  await joinLog(view, state);
  for (const folder of FOLDERS) await takeFolder(view, folder, state);
  return state;
}

/**
 * Everything in the database. Throws `path-outside-project` for a document whose path is not inside a
 * project.
 */
export async function readAll(view: View): Promise<SharedState> {
  const state = new Map<ProjectPath, string>();
  await takeFolder(view, PROJECT_FOLDER, state);
  const foreign = [...state.keys()].find((path) => !isShared(path));
  if (foreign === undefined) return state;
  throw new PawlError(
    "path-outside-project",
    `The database has ${JSON.stringify(foreign)}, which is not among what Pawl keeps there: expected pawl.yaml, the tasks file, and state in .pawl/ and .alfred/.`,
    "Find out who wrote it (`select * from pawl.commit`), and remove it, before anything is exported.",
  );
}

/** As files hold it: the tasks file with what the work has written since. */
export function composed(state: SharedState, tasksFile: ProjectPath): SharedState {
  const [tasks, progress] = [state.get(tasksFile), state.get(PROGRESS)];
  const read = tasks === undefined || progress === undefined ? null : readTasks(tasks, null);
  if (!read?.ok) return state;
  const others = new Map([...state].filter(([path]) => path !== PROGRESS));
  return others.set(tasksFile, textOf(withProgress(read.parsed, parseProgress(progress ?? null))));
}

/** The database keeps a single log, so the parts that were rotated out of the local log come first in it. */
async function joinLog(view: View, state: Map<ProjectPath, string>): Promise<void> {
  const folder = projectPath(".pawl");
  const names = asideNames((await view.list(folder)).map(({ name }) => name));
  const parts = await Promise.all(names.map((name) => view.read(projectPath(folder, name))));
  const texts = parts.filter((text) => text !== null);
  if (texts.length > 0) state.set(EVENTS, wholeLog(texts, state.get(EVENTS) ?? null));
}

async function takeFolder(view: View, folder: ProjectPath, state: Map<ProjectPath, string>): Promise<void> {
  for (const { kind, name } of await view.list(folder)) {
    const path = folder === PROJECT_FOLDER ? projectPath(name) : projectPath(folder, name);
    if (kind === "folder") await takeFolder(view, path, state);
    if (kind === "file") await addFile(view, path, state);
  }
}

async function addFile(view: View, path: ProjectPath, state: Map<ProjectPath, string>): Promise<void> {
  const text = await view.read(path);
  if (text !== null) state.set(path, text);
}

/** The tasks file may have any name; programs do not run YAML files in folders without a leading dot. */
function isShared(path: ProjectPath): boolean {
  if (
    SHARED_FILES.includes(path) ||
    FILES.includes(path) ||
    FOLDERS.some((folder) => path.startsWith(`${folder}/`))
  )
    return true;
  return /\.ya?ml$/.test(path) && !path.split("/").some((name) => name.startsWith("."));
}

/** The changes that turn the one state into the other. */
export function changesBetween(from: SharedState, to: SharedState): readonly Change[] {
  const removed = [...from.keys()].filter((path) => !to.has(path));
  const written = [...to].filter(([path, text]) => from.get(path) !== text);
  return [
    ...removed.map((path): Change => ({ type: "remove", path })),
    ...written.map(([path, text]): Change => ({ type: "write", path, text })),
  ];
}
