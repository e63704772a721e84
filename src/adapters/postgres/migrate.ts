/** Brings a database to the schema that this program needs, step by step, each in a transaction of its own. */
import { PawlError } from "../../core/error.ts";
import type { Connections, Query } from "./connections.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";
import { grantRoles } from "./roles.ts";

/** The lock of a migration; any number, but the same in every version. */
const LOCK = 7_295_117_461_982_513n;

const OWN_TABLE = `
  create schema if not exists pawl;
  create table if not exists pawl.migration (
    version int primary key,
    says text not null,
    readable_from int not null,
    at timestamptz not null default clock_timestamp()
  )`;

export async function migrate(
  connections: Connections,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const step of migrations)
    if (await locked(connections, (query) => applyStep(step, query))) done.push(step.says);
  const made = await locked(connections, grantRoles);
  return [...done, ...made.map((name) => `the role ${name}`)];
}

async function locked<T>(connections: Connections, work: (query: Query) => Promise<T>): Promise<T> {
  const lock = (query: Query) => query("select pg_advisory_xact_lock($1)", [LOCK.toString()]);
  await using held = await connections.transaction(lock, connections.limits.holding);
  const result = await work(held.query);
  await held.query("commit");
  return result;
}

/** Whether the database lacked it. */
async function applyStep({ readableFrom, says, sql, version }: Migration, query: Query): Promise<boolean> {
  await query(OWN_TABLE);
  const rows = await query("select from pawl.migration where version = $1", [version]);
  if (rows.length > 0) return false;
  await query(sql);
  const note = "insert into pawl.migration (version, says, readable_from) values ($1, $2, $3)";
  await query(note, [version, says, readableFrom]);
  return true;
}

/** Throws `database-schema` if this program does not work with the database's schema. */
export async function checkShape(
  connections: Connections,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const needed = Math.max(...migrations.map(({ version }) => version));
  const [there] = await connections.query<{ has: boolean }>(
    "select to_regclass('pawl.migration') is not null as has",
  );
  const [found] = there?.has
    ? await connections.query<{ version: number; readable_from: number }>(
        "select coalesce(max(version), 0) as version, coalesce(max(readable_from), 0) as readable_from from pawl.migration",
      )
    : [];
  const { readable_from = 0, version = 0 } = found ?? {};
  const { shown } = connections.address;
  if (version < needed)
    throw new PawlError(
      "database-schema",
      `The database ${shown} has ${version === 0 ? "nothing of Pawl's yet" : `shape ${version}`}: this version of Pawl needs shape ${needed}.`,
      version === 0 ? "Run `pawl database init` in the project." : "Run `pawl database migrate`.",
    );
  if (readable_from > needed)
    throw new PawlError(
      "database-schema",
      `The database ${shown} has shape ${version}, which needs a Pawl for shape ${readable_from} or later: this one is for shape ${needed}.`,
      "Upgrade Pawl on this machine.",
    );
}
