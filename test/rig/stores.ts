/** The stores that there are, each behind the same ports: what holds for one holds for all. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { openEventLog } from "../../src/adapters/events/event-log.ts";
import { openLeaseManager } from "../../src/adapters/files/lease-manager.ts";
import { nodeDisk } from "../../src/adapters/files/node-disk.ts";
import { ownPath } from "../../src/adapters/files/own-folder.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { type DatabaseOptions, openDatabase } from "../../src/adapters/postgres/database.ts";
import { EVENTS } from "../../src/core/event.ts";
import type { Database } from "../../src/core/ports/database.ts";
import type { EventLog } from "../../src/core/ports/event-log.ts";
import type { LeaseManager } from "../../src/core/ports/leases.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { openCutProxy } from "./cut-proxy.ts";
import { emptyDatabase, onDatabase, STARTING } from "./postgres.ts";
import { stateOf } from "./state-home.ts";

/** What one process has of a project. */
export interface Opened {
  readonly store: Store;
  readonly eventLog: EventLog;
  readonly claims: LeaseManager;
  /** The next commit counts, and then something fails before it is reported. */
  loseReply(): void;
}

export interface StoreLocation {
  /** As another process. Waits at most that long for a run's lock. */
  open(waiting?: number): Promise<Opened>;
  close(): Promise<void>;
}

const packaged = async (path: string) => (path === "p.md" ? "packaged" : null);

async function onFiles(): Promise<StoreLocation> {
  const root = mkdtempSync(join(tmpdir(), "pawl-store-"));
  return {
    async open(holdWaitMilliseconds = 30_000) {
      const disk = nodeDisk(root);
      let isFailing = false;
      const rename: typeof disk.rename = (...args) => {
        if (isFailing) {
          isFailing = false;
          throw Object.assign(new Error("i/o error"), { code: "EIO" });
        }
        disk.rename(...args);
      };
      const options = { root, state: stateOf(root), packaged, holdWaitMilliseconds };
      return {
        store: openStore({ ...options, disk: { ...disk, rename } }),
        eventLog: openEventLog(ownPath(root, EVENTS)),
        claims: openLeaseManager(root),
        loseReply() {
          isFailing = true;
        },
      };
    },
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

let migrated: Promise<string> | undefined;
let projects = 0;

/** A database with the tables, which all tests of this process share; each has a project of its own there. */
export async function migratedDatabase(): Promise<{ readonly url: string; readonly project: string }> {
  migrated ??= emptyDatabase().then(async (url) => {
    const database = openDatabase({ url });
    await database.migrate();
    await database.close();
    return url;
  });
  const url = await migrated;
  projects += 1;
  const project = `project-${projects}`;
  const database = openDatabase({ url });
  await database.addProject(project);
  await database.close();
  return { url, project };
}

/** For each test of a file: a project of its own in such a database. What a test opens there is closed after it. */
export function databaseForEach() {
  let place: Awaited<ReturnType<typeof migratedDatabase>>;
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0)) await each();
  };
  beforeAll(migratedDatabase, STARTING);
  beforeEach(async () => {
    place = await migratedDatabase();
  });
  afterEach(close);
  return {
    get url() {
      return place.url;
    },
    get project() {
      return place.project;
    },
    /** As another process. */
    database(options: Partial<DatabaseOptions> = {}): Database {
      const database = openDatabase({ url: place.url, ...options });
      closing.push(() => database.close());
      return database;
    },
    close,
    /** The rows of a statement past Pawl, with `$1` for the project's number. */
    past: (text: string) =>
      onDatabase(place.url, async (client) => {
        const { rows } = await client.query("select id from pawl.project where name = $1", [place.project]);
        return (await client.query(text.replaceAll("$1", rows[0].id))).rows;
      }),
  };
}

async function onPostgres(): Promise<StoreLocation> {
  const { project, url } = await migratedDatabase();
  const closing: (() => unknown)[] = [];
  return {
    async open(holding = 30_000) {
      const proxy = await openCutProxy(url);
      const database = openDatabase({ url: proxy.url, packaged, limits: { holding } });
      closing.push(() => database.close(), proxy.close);
      const { leaseManager: claims, eventLog, store } = await database.project(project);
      return { claims, eventLog, store, loseReply: () => proxy.cut("reply", "pawl.commit(") };
    },
    async close() {
      for (const close of closing) await close();
    },
  };
}

export const STORES = [
  ["files", onFiles],
  ["PostgreSQL", onPostgres],
] as const;
