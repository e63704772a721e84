/**
 * Roles in the database: groups to which an administrator adds logins. One set is for all its projects, and each
 * project has such a set of its own. The owner of the tables may do everything; a login in no group, nothing.
 */
import type { DatabaseAccess, DatabaseRole } from "../../core/ports/database.ts";
import { type Connections, escapeIdentifier, type Query } from "./connections.ts";

const GROUPS = ["person", "worker", "viewer"] as const;
type Group = (typeof GROUPS)[number];

interface NamedGroup {
  readonly group: Group;
  readonly name: string;
}

const named = (suffix: string): readonly NamedGroup[] =>
  GROUPS.map((group) => ({ group, name: `pawl_${group}${suffix}` }));
const OF_ALL_PROJECTS = named("");

const READS = ["pawl.role(bigint)", "pawl.projects()"];
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
  const [row] = await query<{ makes: boolean }>(
    "select rolsuper or rolcreaterole as makes from pg_roles where rolname = current_user",
  );
  const groups = await groupsOf(query);
  const missing = await missingOf(query, groups);
  // Databases of one server share them, so another session may be making them too.
  const made = row?.makes ? missing : [];
  for (const name of made)
    await query(
      `do $$ begin create role ${escapeIdentifier(name)} nologin; exception when duplicate_object then null; end $$`,
    );
  const absent = new Set(await missingOf(query, groups));
  for (const { group, name } of groups) {
    if (absent.has(name)) continue;
    const role = escapeIdentifier(name);
    await query(`grant usage on schema pawl to ${role}`);
    await query(`grant select on all tables in schema pawl to ${role}`);
    await query(`grant execute on function ${CALLS[group].join(", ")} to ${role}`);
  }
  return made;
}

async function groupsOf(query: Query): Promise<readonly NamedGroup[]> {
  const projects = await query<{ name: string }>("select name from pawl.project order by id");
  return [...OF_ALL_PROJECTS, ...projects.flatMap(({ name }) => named(`_${name}`))];
}

async function missingOf(query: Query, groups: readonly NamedGroup[]): Promise<readonly string[]> {
  const rows = await query<{ name: string }>(
    "select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)",
    [groups.map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

/** This login's role in the project, or in all, and what an administrator must do before other logins can have one. */
export async function accessOf({ query }: Connections, project: string | null): Promise<DatabaseAccess> {
  const [row] = await query<{ login: string; role: DatabaseRole }>(
    "select session_user as login, pawl.role((select id from pawl.project where name = $1)) as role",
    [project],
  );
  const missing = await missingOf(query, OF_ALL_PROJECTS);
  const groups = (await groupsOf(query)).flatMap(({ group, name }) =>
    CALLS[group].map((call) => [name, call]),
  );
  const ungranted = await query<{ name: string }>(
    `select distinct name from unnest($1::text[], $2::text[]) asked(name, call)
    where case when to_regrole(quote_ident(name)) is null then false
      else not has_function_privilege(to_regrole(quote_ident(name))::oid, call, 'execute') end`,
    [groups.map(([name]) => name), groups.map(([, call]) => call)],
  );
  return {
    login: row?.login ?? "",
    role: row?.role ?? "none",
    missing,
    ungranted: ungranted.map(({ name }) => name),
  };
}
