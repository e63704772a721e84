/** A run of your own workflow, with its table, as read from the project's files. */
import { PawlError } from "../../core/error.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { initialConfiguration } from "../../engine/decide.ts";
import type { Facts } from "../../engine/workflow.ts";
import { missingRecords } from "../../runtime/run-log/log-records.ts";
import { elsewhereError } from "../../runtime/run-log/team-records.ts";
import type { TableRun } from "../../runtime/transaction/run-event.ts";
import type { Elsewhere } from "../../runtime/transaction/transaction.ts";
import type { DefinitionSource, Loaded } from "./definition/definition.ts";
import { checkElsewhere, checkHistory, loadOwn, type ResolvedRun, resolveRun } from "./resolve-run.ts";
import { configurationOf, type Order, orderOf, type RunFile, runPath } from "./run-file.ts";
import { runsOf } from "./run-kind.ts";
import { nameRun, sourceNamed } from "./run-name.ts";

export interface OwnRun extends TableRun {
  /** The project's own workflows. */
  readonly sources: readonly DefinitionSource[];
  readonly source: DefinitionSource;
  readonly loaded: Loaded;
  readonly id: string;
  readonly path: ProjectPath;
  /** Null: it has not begun. */
  readonly file: RunFile | null;
  /** The command of its last rule, if its end is not known. */
  readonly order: Order | null;
  /** Who continued it in another checkout; then nothing moves it here. Null: no one else did. */
  readonly elsewhere: Elsewhere | null;
}

/** `start`: the variables with which a new run would begin. */
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
  if (definition.extends !== undefined) throw extendsBloomError(named);
  const { table: workflow } = definition;
  const path = runPath(named, id);
  const resolved = await loadChecked(view, source.name, id, loaded);
  const file = resolved?.file ?? null;
  const elsewhere = resolved?.elsewhere ?? null;
  const configuration = file
    ? configurationOf(resolved?.path ?? path, file, loaded)
    : initialConfiguration(workflow, start(loaded));
  return {
    sources,
    source,
    loaded,
    run,
    id,
    path,
    file,
    order: file && orderOf(file, definition),
    elsewhere,
    workflow,
    configuration,
  };
}

function extendsBloomError(name: string): PawlError {
  return new PawlError(
    "usage",
    `${name} extends Bloom's table, so it has no runs of its own: it is the life of tasks.`,
    `Write \`life: ${name}\` into a task, or below \`bloom:\` of pawl.yaml for all of them, and start \`pawl run\`.`,
  );
}

/** The run, checked against its history; null: it has not begun. */
export async function loadChecked(
  view: View,
  workflow: string,
  id: string,
  loaded: Loaded,
): Promise<ResolvedRun | null> {
  const present = await loadOwn(view, workflow, id);
  if (present) {
    configurationOf(runPath(workflow, id), present, loaded);
    await checkHistory(view, present, loaded);
  }
  const resolved = await resolveRun(view, workflow, id, present);
  if (resolved?.elsewhere) checkElsewhere(resolved, loaded);
  return resolved;
}

/**
 * The records that the run lacks. `loaded`: null if a program has the table. Throws `run-missing` and
 * `run-elsewhere`.
 */
export async function loadMissing(
  view: View,
  workflow: string,
  id: string,
  loaded: Loaded | null,
): Promise<readonly Change[]> {
  const found = loaded
    ? await loadChecked(view, workflow, id, loaded)
    : await resolveRun(view, workflow, id, await loadOwn(view, workflow, id));
  if (found === null) throw missingRunError(workflow, id);
  if (found.elsewhere && found.file.awaits !== "nobody")
    throw elsewhereError(`${workflow}:${id}`, found.elsewhere);
  return found.elsewhere ? [] : missingRecords(view, runsOf(workflow, loaded), `${workflow}:${id}`);
}

export function missingRunError(workflow: string, id: string): PawlError {
  return new PawlError(
    "run-missing",
    `No run is called ${workflow}:${id}.`,
    "`pawl status` lists every run.",
  );
}
