/**
 * A project's data for the guard: the scopes of its open runs. They are kept beside the project's key, and
 * only those that may have changed are read again.
 *
 * K1  Every commit appends to the event log, and its events name their runs. So the kept data holds as long
 *     as the log has the same stamp; if the log has grown, the runs that its new events name are read again.
 * K2  Changes without an event are found by stamps: the settings and own workflows, the folders that list
 *     runs, files that several runs share, and the files of the session's own run. A manual edit of another
 *     run's file is not noticed: the log has its previous state, and the next event reads it again.
 * K3  Two small parts are kept separately, so that a project of thousands of runs costs no more than one with
 *     a single run: the widest of all scopes, and the scope of each run with a session.
 * K4  A stamp is taken before its file is read, so the next call notices a change in between.
 */

import { closeSync, existsSync, readSync } from "node:fs";
import { join } from "node:path";
import { openCache } from "../../adapters/files/cache.ts";
import { openPlain } from "../../adapters/files/plain-file.ts";
import { stampOf } from "../../adapters/files/stamp.ts";
import type { Environment } from "../../config/config.ts";
import { stateFolder, TREES } from "../../config/state-home.ts";
import { attempt } from "../../core/attempt.ts";
import { EVENTS, runOfTask } from "../../core/event.ts";
import type { Store } from "../../core/ports/store.ts";
import { type Note, watched } from "../../core/watched-view.ts";
import { widest } from "../../guard/decide.ts";
import type { Scope } from "../../runtime/scope.ts";
import type { OutOfScopeEdits } from "../../runtime/transaction/out-of-scope-edits.ts";
import { versionOf } from "../version.ts";
import { NO_SOURCE, noted, noteIn, openKeptRuns, type Runs, readRun, type Stamps } from "./kept-runs.ts";

export interface ProjectScopes {
  readonly tasksFile: string;
  /** The definitions of its own workflows, relative to the root. */
  readonly workflows: readonly string[];
  readonly scopes: readonly Scope[];
}

interface Kept {
  readonly known: ProjectScopes;
  readonly events: string;
  /** The settings, and the files of own workflows. */
  readonly settings: Stamps;
  /** Folders that were listed to find runs. */
  readonly folders: Stamps;
  /** By run: the files that its scope was read from. */
  readonly files: Readonly<Record<string, Stamps>>;
  /** The files among them that several runs were read from. */
  readonly shared: Stamps;
  /** A workflow could not be read, so this is not kept. */
  readonly isPartial: boolean;
}

/** The data for a session without a run of its own. */
interface Head extends Pick<Kept, "events" | "settings" | "folders" | "shared"> {
  readonly known: Omit<ProjectScopes, "scopes">;
  /** At most one. */
  readonly widest: readonly Scope[];
}

interface Wanted {
  readonly root: string;
  /** The program's own folder. */
  readonly home: string;
  readonly environment: Environment;
  /** Opens the project for some work on it. */
  open<T>(work: (project: Runs) => Promise<T>): Promise<T>;
}

const KIND = "guard";
const HEAD = "guard-head";
const SETTINGS = ["pawl.yaml", ".alfred/config.yml"];

export function keptScopes(wanted: Wanted) {
  const { environment, home, root } = wanted;
  // Another build may have other tables, under the same version.
  const build = `${versionOf(home)} ${stampOf(home, ".")}`;
  const cache = openCache({ folder: stateFolder(root, environment) }, build);
  const runs = openKeptRuns({ cache, root });
  const changed = (stamps: Stamps) => differs(root, stamps);
  /** Null: everything must be checked. */
  const smallPart = async (
    { events, folders, known, settings, shared, widest: all }: Head,
    own: string | null,
  ) => {
    if (changed(settings)) return null;
    const scope = own === null ? null : await scopeOf(own);
    if (scope) return { ...known, scopes: [scope] };
    const isSame = stampOf(root, EVENTS) === events && !changed(folders) && !changed(shared);
    return isSame ? { ...known, scopes: all } : null;
  };
  const scopeOf = async (own: string) => {
    const kept = await runs.find(own);
    const isFresh = kept && Object.keys(kept.files).length > 0 && !changed(kept.files);
    return (isFresh ? kept : await keep(own)).scope;
  };
  const keep = (run: string) => wanted.open((project) => runs.keep(project, run));
  return {
    /** Reads the run's scope again, and keeps it for its sessions. */
    keep,
    /** `own`: the session's run, if it has one. */
    async project(own: string | null): Promise<ProjectScopes> {
      const head = (await cache.get(HEAD, NO_SOURCE)) as Head | null;
      const small = head && (await smallPart(head, own));
      if (small) return small;
      const kept = (await cache.get(KIND, NO_SOURCE)) as Kept | null;
      const stale = kept && staleIn(kept, root, own);
      if (kept && stale?.size === 0) {
        cache.put(HEAD, NO_SOURCE, () => headOf(kept));
        return kept.known;
      }
      const fresh = kept && stale ? await readRuns(wanted, kept, stale) : await readProject(wanted);
      if (!fresh.isPartial) {
        cache.put(KIND, NO_SOURCE, () => fresh);
        cache.put(HEAD, NO_SOURCE, () => headOf(fresh));
      }
      return fresh.known;
    },
    /** The out-of-scope edits of the run, which the event log names from then on. */
    async outOfScopeEdits(run: string): Promise<OutOfScopeEdits | null> {
      if (!existsSync(join(stateFolder(root, environment), TREES))) return null;
      return wanted.open(async ({ runtime }) => (await runtime.scopeWatch?.look(run)) ?? null);
    },
    /** The run that a call of one of Pawl's tools is about. */
    async runOf(tool: string, input: Readonly<Record<string, unknown>>): Promise<string | null> {
      const { runOfCall } = await import("../../runtime/reports/open-scopes.ts");
      return wanted.open((project) => runOfCall(project, tool, input));
    },
  };
}

function differs(root: string, stamps: Stamps): boolean {
  return Object.entries(stamps).some(([path, stamp]) => stampOf(root, path) !== stamp);
}

function headOf({ events, folders, known: { scopes, ...known }, settings, shared }: Kept): Head {
  const found = widest(scopes);
  return { known, widest: found ? [found] : [], events, folders, settings, shared };
}

/** The runs to read again; null: all. */
function staleIn(kept: Kept, root: string, own: string | null): ReadonlySet<string> | null {
  const changed = (stamps: Stamps) => differs(root, stamps);
  if (changed(kept.settings)) return null;
  const events = stampOf(root, EVENTS);
  const named = events === kept.events ? [] : namedSince(root, kept.events, events);
  if (named === null) return null;
  // A run that begins or ends changes the folder too, but then its events name it.
  if (events === kept.events && changed(kept.folders)) return null;
  const open = kept.known.scopes.map(({ run }) => run);
  const moved = Object.entries(kept.shared).filter(([path, stamp]) => stampOf(root, path) !== stamp);
  const sharing = open.filter((run) => moved.some(([path]) => path in (kept.files[run] ?? {})));
  const edited = own !== null && changed(kept.files[own] ?? {}) ? [own] : [];
  return new Set([...named, ...sharing, ...edited]);
}

const MAX_TAIL = 1_000_000;

/** The runs that the events since the stamp name; null: unknown. */
function namedSince(root: string, before: string, now: string): readonly string[] | null {
  const [from, to] = [sizeIn(before), sizeIn(now)];
  const isSame = before.split(".").at(-1) === now.split(".").at(-1);
  if (!isSame || from === 0 || to <= from || to - from > MAX_TAIL) return null;
  return attempt(() => {
    const bytes = Buffer.alloc(to - from);
    const { file } = openPlain(join(root, EVENTS));
    try {
      if (readSync(file, bytes, 0, bytes.length, from) !== bytes.length) return null;
    } finally {
      closeSync(file);
    }
    const lines = bytes.toString("utf8").split("\n").filter(Boolean);
    return lines.flatMap((line) => {
      const { run, taskId } = JSON.parse(line);
      const names = [run, typeof taskId === "string" ? runOfTask(taskId) : undefined];
      return names.filter((name): name is string => typeof name === "string" && name.includes(":"));
    });
  }, null);
}

function sizeIn(stamp: string): number {
  return stamp === "-" ? 0 : Number(stamp.split(".")[0]);
}

function readProject(wanted: Wanted): Promise<Kept> {
  const { root } = wanted;
  const events = stampOf(root, EVENTS);
  const settings: Record<string, string> = {};
  const folders: Record<string, string> = {};
  const noteSetting = noteIn(root, settings);
  for (const path of SETTINGS) noteSetting(path);
  return wanted.open(async (project) => {
    const { openScopes } = await import("../../runtime/reports/open-scopes.ts");
    const { store } = project.runtime;
    const read = await project.runtime.settings(store.view());
    const workflows = read.workflows.map((file) => file.replace(/^\.\//, ""));
    for (const file of workflows) noteSetting(file);
    const files: Record<string, Record<string, string>> = {};
    const listing = { ...project.runtime, store: listed(store, noteIn(root, folders)) };
    const scopes = await openScopes({ runtime: listing, workflows: noted(project.workflows, root, files) });
    const isPartial = scopes.some(({ run }) => !run.includes(":"));
    const known = { tasksFile: read.bloom.tasks_file, workflows, scopes };
    return { known, events, settings, folders, files, shared: sharedOf(files), isPartial };
  });
}

/** The same with some runs read again, including those that came or went without an event, as by git. */
function readRuns(wanted: Wanted, kept: Kept, named: ReadonlySet<string>): Promise<Kept> {
  const { root } = wanted;
  const events = stampOf(root, EVENTS);
  const folders = Object.fromEntries(Object.keys(kept.folders).map((path) => [path, stampOf(root, path)]));
  const files: Record<string, Stamps> = {};
  return wanted.open(async (project) => {
    const moved = differs(root, kept.folders) ? await cameOrWent(project, kept) : [];
    const stale = new Set([...named, ...moved]);
    const fresh: Scope[] = [];
    for (const run of stale) {
      const read = await readRun(project, root, run);
      files[run] = read.files;
      if (read.scope) fresh.push(read.scope);
    }
    const others = kept.known.scopes.filter(({ run }) => !stale.has(run));
    const known = { ...kept.known, scopes: [...others, ...fresh] };
    const all = { ...kept.files, ...files };
    return { ...kept, known, events, folders, files: all, shared: { ...kept.shared, ...sharedOf(all) } };
  });
}

async function cameOrWent(project: Runs, kept: Kept): Promise<readonly string[]> {
  const { runNames } = await import("../../runtime/reports/open-scopes.ts");
  const there = new Set(await runNames(project));
  const came = [...there].filter((run) => !(run in kept.files));
  return [...came, ...kept.known.scopes.flatMap(({ run }) => (there.has(run) ? [] : [run]))];
}

function sharedOf(files: Readonly<Record<string, Stamps>>): Stamps {
  const seen = new Set<string>();
  const shared: Record<string, string> = {};
  for (const stamps of Object.values(files))
    for (const [path, stamp] of Object.entries(stamps)) {
      if (seen.has(path)) shared[path] = stamp;
      seen.add(path);
    }
  return shared;
}

/** A store whose views record the folders that are listed through them. */
function listed(store: Store, note: Note): Store {
  const onList: Note = (folder) => note(folder === "" ? "." : folder);
  return { ...store, view: () => watched(store.view(), { onList }) };
}
