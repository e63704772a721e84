/** A project with Bloom's state in a database, which is opened on first use. */
import { hostname } from "node:os";
import { openWorkersHere } from "../adapters/files/workers-here.ts";
import { openDatabase } from "../adapters/postgres/database.ts";
import { openMergedLog } from "../adapters/routed/event-log.ts";
import { openRoutedStore, type Routes } from "../adapters/routed/store.ts";
import type { Environment } from "../config/config.ts";
import { PawlError } from "../core/error.ts";
import { LOOP_RUNS } from "../core/loop-record.ts";
import { once } from "../core/once.ts";
import { PROJECT_FOLDER } from "../core/path.ts";
import { DATABASE_URL, type Database, type DatabaseProject } from "../core/ports/database.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { Leases } from "../core/ports/leases.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { Store } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import { PLANS } from "../workflows/bloom/proposal/take-proposal.ts";
import { BLOOMS_GATES, SHARED_FILES, SHARED_FOLDERS } from "../workflows/bloom/shared-paths.ts";
import type { SharedLoop } from "./loop-ports.ts";

export interface SharedContext {
  readonly root: string;
  readonly environment: Environment;
  readonly files: Store;
  readonly settings: Pick<Settings, "bloom" | "project_id">;
}

export interface Shared {
  /** This checkout's files, with the database's documents in place of Bloom's. */
  readonly store: Store;
  readonly leases: Leases;
  readonly workers: NonNullable<Outside["workers"]>;
  /** Both logs as one. */
  eventLog(files: EventLog): Promise<EventLog>;
  /** Throws `database-unconfigured`, `database-failed`, `database-project-missing`. */
  database(): Promise<DatabaseProject>;
  loop(noted: (store: Store) => Store): Promise<SharedLoop>;
  close(): Promise<void>;
}

/** Milliseconds. A command reports soon that the database does not answer; a loop keeps trying. */
const RECONNECTING = 5_000;

export function openShared({ environment, files, root, settings }: SharedContext): Shared {
  const routes = bloomsRoutes(settings.bloom.tasks_file);
  let database: Database | undefined;
  const project = once(async () => {
    const url = environment[DATABASE_URL];
    if (!url) throw unsetDatabaseError();
    database ??= openDatabase({ url, packaged: async () => null, limits: { reconnecting: RECONNECTING } });
    const found = await database.project(idOf(settings));
    if ((await found.store.view().list(PROJECT_FOLDER)).length > 0) return found;
    throw emptyDatabaseError(database.shown);
  });
  const routed = (shared: () => Promise<Store>) => openRoutedStore(files, shared, routes);
  return {
    store: routed(async () => (await project()).store),
    leases: { list: async () => (await project()).leases.list() },
    workers: {
      list: async () => (await project()).workers.list(),
      atWork: async () => (await project()).workers.atWork(),
      spentToday: async () => (await project()).workers.spentToday(),
      logins: async (run) => (await project()).workers.logins(run),
    },
    eventLog: async (log) => openMergedLog(log, (await project()).eventLog, routes.isSharedRun),
    database: project,
    async loop(noted) {
      const { leaseManager, fenced, watch, workers } = await project();
      const host = `${hostname()}:${root}`;
      return {
        ...{ leaseManager, watch, host },
        workers: openWorkersHere(workers, root, host, async () => {
          const { endRunsOfDead } = await import("../adapters/agents/dead-loops.ts");
          return endRunsOfDead(root);
        }),
        fenced: (lease) => {
          const store = fenced(lease);
          return noted(routed(async () => store));
        },
      };
    },
    close: async () => database?.close(),
  };
}

const WHERE = "pawl.yaml keeps Bloom's work in a database (`stores: {bloom: postgres}`)";

function unsetDatabaseError(): PawlError {
  return new PawlError(
    "database-unconfigured",
    `${WHERE}, and ${DATABASE_URL} is not set: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE.`,
    `Set ${DATABASE_URL} to the database's address, in the environment only. An agent does not get it: it follows its prompt, and what it reports counts at the end of its turn.`,
  );
}

function idOf({ project_id }: SharedContext["settings"]): string {
  if (project_id !== null) return project_id;
  throw new PawlError(
    "database-project-missing",
    `${WHERE}, and has no project_id, by which the database knows the project.`,
    "Run `pawl database init`, then `pawl database import`.",
  );
}

function emptyDatabaseError(shown: string): PawlError {
  return new PawlError(
    "database-project-missing",
    `${WHERE}, and the database ${shown} has nothing of this project yet.`,
    "Run `pawl database import` where the project's files are.",
  );
}

/** Which paths and runs of a project belong to Bloom, and so to the database if pawl.yaml puts them there. */
export function bloomsRoutes(tasksFile: string): Routes {
  const isBelow = (path: string) => SHARED_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
  return {
    isShared: (path) =>
      path === tasksFile || SHARED_FILES.some((each) => each === path) || isRun(path) || isBelow(path),
    isSharedRun: (run) => run.startsWith("bloom:"),
    leadsToShared: (folder) =>
      folder === LOOP_RUNS || SHARED_FOLDERS.some((each) => each === folder) || isBelow(folder),
    // An accepted proposal is no longer needed.
    mayFollow: (change) => change.type === "remove" && change.path.startsWith(`${PLANS}/`),
    // A person commits signed gates to git, with the work that they sign.
    isCopied: (path) => path.startsWith(`${BLOOMS_GATES}/`),
  };
}

/** Own workflows have a folder each there. */
function isRun(path: string): boolean {
  return path.startsWith(`${LOOP_RUNS}/`) && /^[^/]+\.json$/.test(path.slice(LOOP_RUNS.length + 1));
}
