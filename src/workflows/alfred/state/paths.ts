import { checkId } from "../../../core/id.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";

/** Alfred's files, by the id of their task. An id is checked before it becomes part of a path. */
export const CONFIG = projectPath(".alfred/config.yml");
export const GITIGNORE = projectPath(".alfred/.gitignore");
export const TASKS = projectPath(".alfred/tasks");
export const WORKSPACE = projectPath(".alfred/workspace");

export const taskPath = (id: string): ProjectPath => projectPath(".alfred/tasks", `${task(id)}.md`);
export const statePath = (id: string): ProjectPath => workspace(id, "task_state.json");
export const SCRATCHPAD = "scratchpad.md";
export const scratchpadPath = (id: string): ProjectPath => workspace(id, SCRATCHPAD);
export const workspaceFolder = (id: string): ProjectPath => projectPath(".alfred/workspace", task(id));
export const archiveFolder = (id: string): ProjectPath => workspace(id, "archive");
export const archivePath = (id: string, name: string): ProjectPath => workspace(id, `archive/${name}`);
/** Makes git ignore all files in its folder, itself included, so a branch cannot remove it. */
export const workspaceIgnorePath = (id: string): ProjectPath => workspace(id, ".gitignore");
export const debugIgnorePath = (id: string): ProjectPath =>
  projectPath(".alfred/debug", task(id), ".gitignore");
/** What the tracker knows about the task. */
export const trackerPath = (id: string): ProjectPath => workspace(id, "tracker.json");
export const logPath = (id: string): ProjectPath => projectPath(".alfred/debug", task(id), "alfred.log");
export const transactionsPath = (id: string): ProjectPath =>
  projectPath(".alfred/debug", task(id), "transactions.jsonl");
export const personaPath = (name: string): ProjectPath => projectPath(".alfred/personas", `${name}.yml`);
/** A project's own text, which overrides the packaged one of the same name. */
export const overridePath = (name: string): ProjectPath => projectPath(".alfred/templates", name);

const workspace = (id: string, name: string): ProjectPath => projectPath(".alfred/workspace", task(id), name);
const task = (id: string): string => checkId(id, "task id");
