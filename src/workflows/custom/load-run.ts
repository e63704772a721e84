/** A run of your own workflow, with its table, as the project's files say. */
import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { initialConfiguration } from "../../engine/decide.ts";
import type { Facts } from "../../engine/workflow.ts";
import { headOf } from "../../runtime/history.ts";
import type { TableRun } from "../../runtime/run-event.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { configurationOf, type Order, orderOf, parseRun, type RunFile, runPath } from "./run-file.ts";
import { checkHistory } from "./run-history.ts";
import { nameRun, sourceNamed } from "./run-name.ts";

export interface OwnRun extends TableRun {
  readonly source: DefinitionSource;
  readonly loaded: Loaded;
  readonly id: string;
  readonly path: ProjectPath;
  /** Null: it has not begun. */
  readonly file: RunFile | null;
  /** The hash of the last entry of its history. */
  readonly head: string | null;
  /** The command of its last rule, if it is not known to have ended. */
  readonly order: Order | null;
}

/** `start`: the variables that a run would begin with. */
export async function loadRun(
  sources: readonly DefinitionSource[],
  view: View,
  name: string,
  start: (loaded: Loaded) => Facts = () => ({}),
): Promise<OwnRun> {
  const { workflow: named, id, run } = nameRun(sources, name);
  const source = sourceNamed(sources, named);
  const loaded = await source.load(view);
  const { definition } = loaded;
  const { table: workflow } = definition;
  const path = runPath(named, id);
  const file = await readFile(view, source, id);
  const configuration = file
    ? configurationOf(path, file, loaded)
    : initialConfiguration(workflow, start(loaded));
  if (file) await checkHistory(view, file, loaded);
  const head = await headOf(file?.history ?? []);
  return {
    source,
    loaded,
    run,
    id,
    path,
    file,
    head,
    order: file && orderOf(file, definition),
    workflow,
    configuration,
  };
}

/** The run's file, or null if it has not begun. */
async function readFile(
  view: View,
  { name }: Pick<DefinitionSource, "name">,
  id: string,
): Promise<RunFile | null> {
  const path = runPath(name, id);
  const text = await view.read(path);
  return text === null ? null : parseRun(path, name, id, text);
}

/** Throws `run-missing`. */
export async function loadFile(
  view: View,
  source: Pick<DefinitionSource, "name">,
  id: string,
): Promise<RunFile> {
  const file = await readFile(view, source, id);
  if (file) return file;
  throw new PawlError(
    "run-missing",
    `No run is called ${source.name}:${id}.`,
    "`pawl status` lists every run.",
  );
}
