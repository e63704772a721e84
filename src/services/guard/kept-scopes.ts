/**
 * A project's data for the guard: the scopes of its open runs. They are kept beside the project's key, and
 * only those that have moved are read again.
 *
 * K1  Stamps show what has moved: of the settings and own workflows, of the folders that list runs, and of the
 *     files that each run's scope was read from.
 * K2  A stamp is taken before its file is read, so the next call notices a change in between.
 * K3  A session with an open run of its own needs that run alone.
 * K4  Without one, the runs' files are read only if the event log has grown: each move is an event, and a
 *     project may have thousands of runs. A commit writes the log last, but not at the same instant, so a log
 *     of the last second may still be followed by files.
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openCache } from "../../adapters/files/cache.ts";
import { stampOf } from "../../adapters/files/stamp.ts";
import { stateFolder, TREES } from "../../config/state-home.ts";
import { versionOf } from "../../config/version.ts";
import { EVENTS } from "../../core/event.ts";
import { type Note, watched } from "../../core/watched-view.ts";
import type { Project } from "../../runtime/project.ts";
import type { Scope } from "../../runtime/scope.ts";
import type { OutOfScopeEdits } from "../../runtime/transaction/out-of-scope-edits.ts";
import type { ProjectLocation } from "../with-project.ts";
import { workflowPlaces } from "../workflow-places.ts";

export interface ProjectScopes {
  readonly tasksFile: string;
  /** The places of its own workflows, relative to the root. */
  readonly workflows: readonly string[];
  readonly scopes: readonly Scope[];
}

/** By path. */
type Stamps = Readonly<Record<string, string>>;

interface KeptRun {
  /** Null: there is no such run, or it is over. */
  readonly scope: Scope | null;
  readonly files: Stamps;
}

interface Kept {
  readonly known: Omit<ProjectScopes, "scopes">;
  /** The settings, and the files of own workflows. */
  readonly settings: Stamps;
  /** Folders that were listed to find runs. */
  readonly folders: Stamps;
  /** The event log's stamp when all runs were read; null: it had just been written. */
  readonly log: string | null;
  /** By name, `workflow:id`. */
  readonly runs: Readonly<Record<string, KeptRun>>;
}

type Runs = Pick<Project, "runtime" | "workflows">;

interface Wanted extends ProjectLocation {
  /** Opens the project for some work on it. */
  open<T>(work: (project: Runs) => Promise<T>): Promise<T>;
}

const KIND = "guard";
/** The cache's entry comes from no text. */
const NO_SOURCE = "";
const SETTINGS = ["pawl.yaml", ".alfred/config.yml"];

export function keptScopes(wanted: Wanted) {
  const { environment, home, root } = wanted;
  // Another build may have other tables, under the same version.
  const build = `${versionOf(home)} ${stampOf(home, ".")}`;
  const cache = openCache({ folder: stateFolder(root, environment) }, build);
  const keep = (kept: Kept) => {
    cache.put(KIND, NO_SOURCE, () => kept);
    return kept;
  };
  return {
    /** `own`: the session's run, if it has one. */
    async project(own: string | null): Promise<ProjectScopes> {
      const hasMoved = comparison(root);
      const found = (await cache.get(KIND, NO_SOURCE)) as Kept | null;
      let kept = found && !hasMoved(found.settings) ? found : null;
      if (kept && own !== null) {
        const known = kept.runs[own];
        if (!known || hasMoved(known.files)) kept = keep(await readAgain(wanted, kept, [own]));
        const scope = kept.runs[own]?.scope;
        if (scope) return { ...kept.known, scopes: [scope] };
      }
      const log = settledLog(root);
      if (!kept) {
        const { isPartial, scopes, ...fresh } = await readProject(wanted);
        if (!isPartial) keep({ ...fresh, log });
        return { ...fresh.known, scopes };
      }
      const isListed = hasMoved(kept.folders);
      if (isListed || log === null || log !== kept.log) {
        const stale = Object.entries(kept.runs).flatMap(([run, { files }]) => (hasMoved(files) ? [run] : []));
        const isSame = stale.length === 0 && !isListed;
        const read = isSame ? kept : await readAgain(wanted, kept, stale, isListed);
        if (!isSame || log !== null) kept = keep({ ...read, log });
      }
      return { ...kept.known, scopes: Object.values(kept.runs).flatMap(({ scope }) => scope ?? []) };
    },
    /** After a move of the run. */
    async update(run: string): Promise<void> {
      const hasMoved = comparison(root);
      const kept = (await cache.get(KIND, NO_SOURCE)) as Kept | null;
      if (kept && !hasMoved(kept.settings) && !hasMoved(kept.folders))
        keep(await readAgain(wanted, kept, [run]));
      else await this.project(null);
    },
    /** The out-of-scope edits of the run, which the event log names from then on. */
    async outOfScopeEdits(run: string): Promise<OutOfScopeEdits | null> {
      if (!existsSync(join(stateFolder(root, environment), TREES))) return null;
      return wanted.open(async ({ runtime }) => (await runtime.scopeWatch?.find(run)) ?? null);
    },
    /** The run that a call of one of Pawl's tools is about. */
    async runOf(tool: string, input: Readonly<Record<string, unknown>>): Promise<string | null> {
      const { runOfCall } = await import("../../runtime/reports/open-scopes.ts");
      return wanted.open((project) => runOfCall(project, tool, input));
    },
  };
}

const SETTLED_MILLISECONDS = 1000;

function settledLog(root: string): string | null {
  const stamp = stampOf(root, EVENTS);
  const written = statSync(join(root, EVENTS), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - written < SETTLED_MILLISECONDS ? null : stamp;
}

/** Whether a file has another stamp now. Each is taken once: runs share files. */
function comparison(root: string): (stamps: Stamps) => boolean {
  const now = new Map<string, string>();
  const stampNow = (path: string) => {
    const stamp = now.get(path) ?? stampOf(root, path);
    now.set(path, stamp);
    return stamp;
  };
  return (stamps) => Object.entries(stamps).some(([path, stamp]) => stampNow(path) !== stamp);
}

/** Records each path once, with its stamp at that time. */
function noteIn(root: string, stamps: Record<string, string>): Note {
  return (path) => {
    stamps[path] ??= stampOf(root, path);
  };
}

/** `isPartial`: a workflow's runs could not be listed, so this is not to be kept. */
async function readProject({ open, root }: Wanted) {
  const settings: Record<string, string> = {};
  const folders: Record<string, string> = {};
  const noteSetting = noteIn(root, settings);
  for (const path of SETTINGS) noteSetting(path);
  return open(async ({ runtime, workflows: modules }) => {
    const { openScopes } = await import("../../runtime/reports/open-scopes.ts");
    const { store } = runtime;
    const read = await runtime.settings(store.view());
    const workflows = read.workflows.map((file) => file.replace(/^\.\//, ""));
    for (const file of workflows) noteSetting(file);
    const noteFolder = noteIn(root, folders);
    const onList: Note = (folder) => noteFolder(folder === "" ? "." : folder);
    const listing = { ...runtime, store: { ...store, view: () => watched(store.view(), { onList }) } };
    const files: Record<string, Record<string, string>> = {};
    const scopes = await openScopes({ runtime: listing, workflows: modules }, (view, run) => {
      const stamps: Record<string, string> = {};
      files[run] = stamps;
      return watched(view, { onRead: noteIn(root, stamps) });
    });
    const byRun = new Map(scopes.map((scope) => [scope.run, scope]));
    const runs = Object.fromEntries(
      Object.entries(files).map(([run, stamps]) => [run, { scope: byRun.get(run) ?? null, files: stamps }]),
    );
    const known = { tasksFile: read.bloom.tasks_file, workflows: workflowPlaces(root, workflows) };
    const isPartial = scopes.some(({ run }) => !run.includes(":"));
    return { known, settings, folders, runs, scopes, isPartial };
  });
}

/** The same with some runs read again; if a folder has moved, also those that came, and without those that went. */
function readAgain(
  { open, root }: Wanted,
  kept: Kept,
  stale: readonly string[],
  isListed = false,
): Promise<Kept> {
  const stamps = Object.keys(kept.folders).map((path) => [path, stampOf(root, path)]);
  return open(async (project) => {
    const { runNames, scopeOf } = await import("../../runtime/reports/open-scopes.ts");
    const listed = isListed ? await runNames(project) : Object.keys(kept.runs);
    const came = listed.filter((run) => !(run in kept.runs));
    const runs: Record<string, KeptRun> = {};
    for (const run of listed) if (kept.runs[run]) runs[run] = kept.runs[run];
    for (const run of new Set([...stale, ...came])) {
      const files: Record<string, string> = {};
      const view = watched(project.runtime.store.view(), { onRead: noteIn(root, files) });
      const scope = await scopeOf(project, run, view);
      if (scope || listed.includes(run) || !isListed) runs[run] = { scope, files };
    }
    return { ...kept, runs, ...(isListed && { folders: Object.fromEntries(stamps) }) };
  });
}
