/**
 * What of a project lives in a database: Bloom's backlog and runs, the records, the events, and the settings by which they are
 * read. Nothing else is copied, neither in nor out: a database that others write to must not put a file in just any place.
 */
import { PawlError } from "../../../core/error.ts";
import { EVENTS } from "../../../core/event.ts";
import { GATES_FOLDER } from "../../../core/gate-record.ts";
import { asideNames, wholeLog } from "../../../core/log-parts.ts";
import { LOOP_DONE, LOOP_RUNS } from "../../../core/loop-record.ts";
import { PROJECT_FOLDER, type ProjectPath, projectPath } from "../../../core/path.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import { RECORDS } from "../../../runtime/run-log/team-records.ts";
import { INBOX, QUESTIONS } from "../../../workflows/bloom/question.ts";

/** Path → text. */
export type SharedState = ReadonlyMap<ProjectPath, string>;

const FILES: readonly ProjectPath[] = ["pawl.yaml", ".alfred/config.yml", EVENTS].map((path) =>
  projectPath(path),
);
const FOLDERS: readonly ProjectPath[] = [
  ...[LOOP_RUNS, LOOP_DONE, QUESTIONS, INBOX, RECORDS],
  ...[".pawl/heads", GATES_FOLDER].map((path) => projectPath(path)),
];

/** Where an exported folder keeps the tasks file as the database had it. */
export function exportedPath(tasksFile: ProjectPath): ProjectPath {
  return projectPath(".pawl/exported", tasksFile);
}

/** The files' state. `tasksFile`: as the settings name it. */
export async function readShared(view: View, tasksFile: string): Promise<SharedState> {
  const state = new Map<ProjectPath, string>();
  for (const path of new Set([...FILES, projectPath(tasksFile)])) await addFile(view, path, state);
  await joinLog(view, state);
  for (const folder of FOLDERS) await takeFolder(view, folder, state);
  return state;
}

/** Everything in the database. Throws `path-outside-project` for a document that has no place in a project. */
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

/** There the log is one: what was put aside here because it was long comes first. */
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

/** The tasks file may have any name; no program starts what lies in a folder without a dot. */
function isShared(path: ProjectPath): boolean {
  if (FILES.includes(path) || FOLDERS.some((folder) => path.startsWith(`${folder}/`))) return true;
  return /\.ya?ml$/.test(path) && !path.split("/").some((name) => name.startsWith("."));
}

/** What makes the one state of the other. */
export function changesBetween(from: SharedState, to: SharedState): readonly Change[] {
  const gone = [...from.keys()].filter((path) => !to.has(path));
  const written = [...to].filter(([path, text]) => from.get(path) !== text);
  return [
    ...gone.map((path): Change => ({ type: "remove", path })),
    ...written.map(([path, text]): Change => ({ type: "write", path, text })),
  ];
}
