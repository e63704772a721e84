/**
 * Roles in the database: groups to which an administrator adds logins. The owner of the tables may do
 * everything; a login in no group, nothing.
 */
import type { DatabaseAccess, DatabaseRole } from "../../core/ports/database.ts";
import type { Connections, Query } from "./connections.ts";

const GROUPS = ["person", "worker", "viewer"] as const;
const nameOf = (group: (typeof GROUPS)[number]) => `pawl_${group}`;

const READS = ["pawl.role()"];
const WRITES = [
  ...READS,
  "pawl.commit(bigint, uuid, bigint, uuid, text[], text[], jsonb, boolean, text[], text, bigint)",
  "pawl.take(bigint, text, text, interval)",
  "pawl.take_task(bigint, text, text, interval, jsonb)",
  "pawl.renew(bigint, text[], bigint[], interval)",
  "pawl.release(bigint, text, bigint)",
  "pawl.beat(bigint, text, uuid, int, boolean)",
  "pawl.leave(bigint, text, uuid)",
  "pawl.register(bigint, text, uuid, text, text, text[], int, interval, text, boolean)",
];
const CALLS = { viewer: READS, worker: WRITES, person: [...WRITES, "pawl.drain(bigint, text)"] } as const;

/**
 * Makes the groups if the login may, and grants the existing ones their rights: to call these functions,
 * which run with the owner's rights, and to read. Returns the groups that it made.
 */
export async function grantRoles(query: Query): Promise<readonly string[]> {
  await query("revoke all on all functions in schema pawl from public");
  for (const call of CALLS.person) await query(`alter function ${call} security definer`);
  const [own] = await query<{ makes: boolean }>(
    "select rolsuper or rolcreaterole as makes from pg_roles where rolname = current_user",
  );
  const missing = await missingGroups(query);
  // Databases of one server share them, so another session may be making them too.
  const made = own?.makes ? missing : [];
  for (const name of made)
    await query(`do $$ begin create role ${name} nologin; exception when duplicate_object then null; end $$`);
  const absent = new Set(await missingGroups(query));
  for (const group of GROUPS) {
    const name = nameOf(group);
    if (absent.has(name)) continue;
    await query(`grant usage on schema pawl to ${name}`);
    await query(`grant select on all tables in schema pawl to ${name}`);
    await query(`grant execute on function ${CALLS[group].join(", ")} to ${name}`);
  }
  return made;
}

async function missingGroups(query: Query): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    "select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)",
    [GROUPS.map(nameOf)],
  );
  return rows.map(({ name }) => name);
}

/** This login's role, and what an administrator must do before other logins can have one. */
export async function accessOf({ query }: Connections): Promise<DatabaseAccess> {
  const [own] = await query<{ login: string; role: DatabaseRole }>(
    "select session_user as login, pawl.role() as role",
  );
  const missing = await missingGroups(query);
  const ungranted = await query<{ name: string }>(
    `select distinct name from unnest($1::text[], $2::text[]) asked(name, call)
    where exists (select from pg_roles where rolname = name) and not has_function_privilege(name, call, 'execute')`,
    [
      GROUPS.flatMap((group) => CALLS[group].map(() => nameOf(group))),
      GROUPS.flatMap((group) => CALLS[group]),
    ],
  );
  return {
    login: own?.login ?? "",
    role: own?.role ?? "none",
    missing,
    ungranted: ungranted.map(({ name }) => name),
  };
}
