/**
 * A PostgreSQL with a replica, each on a machine of its own behind a PgBouncer in transaction mode or not, and one address for
 * whichever of them leads.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { attempt } from "../../src/core/attempt.ts";
import { AS, GUARDED, programs } from "../rig/postgres.ts";
import { until } from "../rig/until.ts";
import { writeCertificates } from "./certificates.ts";
import type { Lab, Machine } from "./lab.ts";

export const LEADER = "10.9.100.1";
const PASSWORD = "a-secret";
/** Milliseconds in which the leader may acknowledge what its replica lacks, if it does that. */
const UNHEARD = 3_000;
/** The server's own; all others come to the pooler's, which is the usual one. */
const BEHIND = 5433;
/** Milliseconds; a promotion alone may take a minute. */
const LONGEST_ANSWER = 90_000;

export interface Cluster {
  /** The address of the database, by way of this host. */
  url(host: string): string;
  /** Asks whichever server leads, past the network. */
  ask<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]>;
  /** The replica hears nothing any more; a little later the leader dies, and the replica takes its place and address. */
  failOver(): Promise<void>;
  stop(): void;
}

interface ClusterFiles {
  readonly folder: string;
  readonly bin: string;
  /** Of the servers. */
  readonly port: number;
  readonly certificates: { readonly ca: string; readonly key: string; readonly certificate: string };
}

/** `isSynchronous`: nothing is acknowledged before the replica has it. */
export async function openCluster(
  lab: Lab,
  { isPooled, isSynchronous }: { readonly isPooled: boolean; readonly isSynchronous: boolean },
  hosts: readonly string[],
): Promise<Cluster> {
  const folder = mkdtempSync("/tmp/pawl-network-");
  const certificates = writeCertificates(folder, [LEADER, ...hosts]);
  owned(folder, certificates.key, certificates.certificate, certificates.ca);
  const port = isPooled ? BEHIND : 5432;
  const place = { folder, bin: programs(), certificates, port };
  const ask = <Row extends pg.QueryResultRow>(data: string, text: string, database?: string) =>
    on<Row>(data, port, text, database);
  const [first, second] = [await lab.machine("db1"), await lab.machine("db2")];
  lab.lend(LEADER, first);
  const data = join(folder, "first");
  fill(place, data, second.address);
  const alone = await start(place, first, data);
  await ask(data, `create role pawl login password '${PASSWORD}' createrole`);
  await ask(data, "create database pawl owner pawl");
  await stopped(alone, data, "SIGINT");
  copy(data, join(folder, "second"), `host=${first.address} port=${port}`);
  const leads = isSynchronous ? ["-c", "synchronous_standby_names=replica"] : [];
  const leader = await start(place, first, data, ...leads);
  let current = data;
  const follower = await start(place, second, join(folder, "second"));
  const poolers = isPooled ? [pooler(place, first, data), pooler(place, second, join(folder, "second"))] : [];
  await until(
    async () => (await ask(data, "select from pg_stat_replication where state = 'streaming'")).length > 0,
  );
  return {
    url: (host) => `postgres://pawl:${PASSWORD}@${host}/pawl?sslrootcert=${certificates.ca}`,
    ask: (text) => ask(current, text, "pawl"),
    async failOver() {
      second.link("down");
      await new Promise((resolve) => setTimeout(resolve, UNHEARD));
      first.link("down");
      await stopped(leader, data, "SIGKILL");
      killIn(data);
      // Until it leads, it may show less than it has: what was acknowledged is on its disk, and applied a little later.
      const replica = join(folder, "second");
      await ask(replica, "select pg_promote()");
      current = replica;
      second.link("up");
      lab.lend(LEADER, second);
    },
    stop() {
      for (const server of [leader, follower, ...poolers]) server.stdin?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function owned(...paths: readonly string[]): void {
  if (AS.uid !== undefined) for (const path of paths) chownSync(path, AS.uid, AS.gid);
}

const as = () => (AS.uid === undefined ? [] : ["-S", String(AS.uid), "-G", String(AS.gid)]);

function fill({ bin, folder }: ClusterFiles, data: string, replica: string): void {
  const words = ["-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: "C" };
  execFileSync(join(bin, "initdb"), words, { ...AS, cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  const may = [
    "local all all trust",
    `hostssl replication postgres ${replica}/32 trust`,
    "hostssl all pawl all scram-sha-256",
  ];
  writeFileSync(join(data, "pg_hba.conf"), `${may.join("\n")}\n`);
}

/** Of a server that does not run. */
function copy(data: string, to: string, leader: string): void {
  cpSync(data, to, { recursive: true });
  const way = `${leader} user=postgres application_name=replica sslmode=require`;
  appendFileSync(join(to, "postgresql.auto.conf"), `primary_conninfo = '${way}'\n`);
  writeFileSync(join(to, "standby.signal"), "");
  execFileSync("chown", ["-R", "--reference", data, to]);
  execFileSync("chmod", ["700", to]);
}

async function start(
  place: ClusterFiles,
  machine: Machine,
  data: string,
  ...more: readonly string[]
): Promise<ChildProcess> {
  const { bin, certificates, folder } = place;
  mkdirSync(socketOf(data), { recursive: true });
  owned(socketOf(data));
  const settings = {
    listen_addresses: "*",
    max_connections: "300",
    port: String(place.port),
    ssl: "on",
    ssl_cert_file: certificates.certificate,
    ssl_key_file: certificates.key,
    unix_socket_directories: socketOf(data),
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = [...machine.there, ...as(), join(bin, "postgres"), "-D", data, ...words, ...more];
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: "C" };
  const child = spawn("sh", ["-c", GUARDED, "sh", ...server], {
    cwd: folder,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  child.stderr?.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-4000);
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
    return on(data, place.port, "select 1").then(
      () => true,
      () => false,
    );
  });
  return child;
}

/** On the server's own machine, and with its defaults but for the mode. */
function pooler({ certificates, folder, port }: ClusterFiles, machine: Machine, data: string): ChildProcess {
  const users = `${data}-users`;
  const file = `${data}-pooler.ini`;
  const lines = [
    "[databases]",
    `* = host=${socketOf(data)} port=${port}`,
    "[pgbouncer]",
    ...["listen_addr = *", "listen_port = 5432", "unix_socket_dir =", "pool_mode = transaction"],
    ...["auth_type = scram-sha-256", `auth_file = ${users}`],
    ...["client_tls_sslmode = require", `client_tls_key_file = ${certificates.key}`],
    `client_tls_cert_file = ${certificates.certificate}`,
  ];
  writeFileSync(users, `"pawl" "${PASSWORD}"\n`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  owned(users, file);
  const command = [...machine.there, ...as(), "pgbouncer", "-q", file];
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder };
  return spawn("sh", ["-c", GUARDED, "sh", ...command], {
    cwd: folder,
    env,
    stdio: ["pipe", "ignore", "inherit"],
  });
}

const socketOf = (data: string) => `${data}-socket`;

/** A machine that is lost takes all of its processes along. Those of a server that was killed may go on for ever, at full speed. */
function killIn(data: string): void {
  const folder = realpathSync(data);
  for (const pid of readdirSync("/proc").map(Number))
    if (pid > 0 && attempt(() => readlinkSync(`/proc/${pid}/cwd`), "") === folder)
      attempt(() => process.kill(pid, "SIGKILL"), false);
}

async function stopped(child: ChildProcess, data: string, signal: "SIGINT" | "SIGKILL"): Promise<void> {
  const ended = new Promise((done) => child.once("exit", done));
  // The shell around it passes nothing on.
  process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), signal);
  await ended;
}

async function on<Row extends pg.QueryResultRow>(
  data: string,
  port: number,
  text: string,
  database = "postgres",
): Promise<readonly Row[]> {
  const client = new pg.Client({
    ...{ host: socketOf(data), port, user: "postgres", database },
    ...{ connectionTimeoutMillis: LONGEST_ANSWER, query_timeout: LONGEST_ANSWER },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
