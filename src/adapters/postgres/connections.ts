/**
 * Connections to the database. A lost one is made again, and what was asked is asked again: every question here either only
 * reads, or finds out by an id that it was answered before.
 */
import { hostname } from "node:os";
import pg from "pg";
import { DatabaseAway, PawlError } from "../../core/error.ts";
import type { Address } from "./address.ts";

/** The rows of one statement, which is a transaction of its own. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Connections {
  readonly address: Address;
  readonly query: Query;
  /**
   * A session of its own: `take` is tried again where the connection is lost, what is asked afterwards is not. At the end of its
   * block it gives back what it took; if that or a question failed, it ends, and with it what it held.
   */
  session(take: QueryWork, giveBack: QueryWork): Promise<Session>;
  /** Whoever listens hears it soon, or later by themselves: nobody waits for it. */
  notify(channel: string, payload: string): void;
  /** A connection that nobody else uses; null: none can be had. `lost` is called once. */
  listener(lost: () => void): Promise<Listener | null>;
  close(): Promise<void>;
}

type QueryWork = (query: Query) => Promise<unknown>;

export interface Session extends AsyncDisposable {
  readonly query: Query;
}

export interface Listener {
  listen(channel: string, heard: (payload: string) => void): Promise<void>;
  close(): void;
}

export interface Limits {
  /** Milliseconds during which a lost connection is made again. */
  readonly reconnecting: number;
  /** Milliseconds that one statement may take. */
  readonly statement: number;
  /** Milliseconds that a session may wait for a lock. */
  readonly holding: number;
}

const LIMITS: Limits = { reconnecting: 30_000, statement: 20_000, holding: 30_000 };
const CONNECTING = 5_000;
const LONGEST_PAUSE = 1_000;
const SESSION = [
  // What the server acknowledges is on its disk, whatever it does for others.
  "synchronous_commit=on",
  // The server notices within half a minute that this machine is gone, and frees its locks: also where an answer is on its way.
  ...["tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3"],
  "tcp_user_timeout=25000",
];
/** This side notices as soon, where it only listens. */
const FIRST_KEEPALIVE = 10_000;

/** SQLSTATEs after which another try may succeed: connections, shutdowns, too many clients, deadlocks, a replica. */
const PASSING = /^(?:08...|57P0[123]|53300|40001|40P01|25006)$/;

export function openConnections(address: Address, limits: Partial<Limits> = {}): Connections {
  const { holding, reconnecting, statement } = { ...LIMITS, ...limits };
  const config = configOf(address);
  const pool = poolOf({ ...config, max: 6, query_timeout: statement, statement_timeout: statement });
  // Who waits for a lock must not keep those from committing who hold it.
  const waits = { lock_timeout: holding, query_timeout: holding + statement };
  // Who holds a lock and asks for nothing stands still: the server takes it away, so that nobody waits for longer than they may.
  const options = `${config.options} -c idle_session_timeout=${holding}`;
  const sessions = poolOf({ ...config, options, max: 16, ...waits });
  let isClosed = false;
  const again = <T>(work: () => Promise<T>) =>
    untilConnected({ address, longest: reconnecting, isOver: () => isClosed }, work);
  return {
    address,
    query: (text, values) => again(() => queryOf(pool)(text, values)),
    async session(take, giveBack) {
      const { close, query } = await again(() => begun(sessions, take));
      return {
        query: (text, values) =>
          query<never>(text, values).catch((thrown: unknown) => {
            throw failureOf(address, thrown);
          }),
        async [Symbol.asyncDispose]() {
          await giveBack(query).catch(() => {});
          close();
        },
      };
    },
    notify(channel, payload) {
      pool.query("select pg_notify($1, $2)", [channel, payload]).catch(() => {});
    },
    listener: (lost) => listenOn(config, lost),
    async close() {
      isClosed = true;
      await Promise.all([pool.end(), sessions.end()]);
    },
  };
}

function queryOf(on: pg.Pool | pg.PoolClient): Query {
  return async (text, values = []) => (await on.query(text, [...values])).rows;
}

interface Loan {
  readonly query: Query;
  /** Nobody uses the connection again if it was lost, or a question failed: who knows what it still holds? */
  close(): void;
}

async function borrow(pool: pg.Pool): Promise<Loan> {
  const client = await pool.connect();
  let isBroken = false;
  const broke = () => {
    isBroken = true;
  };
  // While it is on loan, the pool does not listen: a lost connection would end the process.
  client.on("error", broke);
  const ask = queryOf(client);
  return {
    query: async (text, values) => {
      try {
        return await ask(text, values);
      } catch (thrown) {
        broke();
        throw thrown;
      }
    },
    close() {
      // The pool listens again before this one stops.
      client.release(isBroken);
      if (!isBroken) client.off("error", broke);
    },
  };
}

async function begun(pool: pg.Pool, take: QueryWork): Promise<Loan> {
  const loan = await borrow(pool);
  try {
    await take(loan.query);
    return loan;
  } catch (thrown) {
    loan.close();
    throw thrown;
  }
}

function configOf(address: Address): pg.ClientConfig {
  const { database, host, password, port, tls, user } = address;
  return {
    ...{ host, port, user, database },
    // Asked even where it is empty: else the client would look for one in other places.
    password: () => password,
    ssl: tls === null ? false : { ...tls, rejectUnauthorized: true },
    application_name: `pawl ${hostname()}:${process.pid}`,
    connectionTimeoutMillis: CONNECTING,
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_KEEPALIVE,
    options: SESSION.map((each) => `-c ${each}`).join(" "),
  };
}

function poolOf(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, allowExitOnIdle: true });
  // An idle connection that breaks is left out; the next question makes another.
  pool.on("error", () => {});
  return pool;
}

interface Trying {
  readonly address: Address;
  readonly longest: number;
  readonly isOver: () => boolean;
}

async function untilConnected<T>({ address, isOver, longest }: Trying, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + longest;
  for (let pause = 25; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (thrown) {
      if (isOver() || !isPassing(thrown) || performance.now() + pause > end) throw failureOf(address, thrown);
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
    }
  }
}

/** What fails without a word of the server was lost on the way: nobody knows whether it happened. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof PawlError || thrown instanceof TypeError) return false;
  const state = sqlStateOf(thrown);
  if (state !== null) return PASSING.test(state);
  return !CERTIFICATE.test((thrown as { readonly code?: string }).code ?? "");
}

/** Codes of Node for a server that is not the one that it should be. */
const CERTIFICATE = /CERT|SELF_SIGNED|^ERR_TLS/;

/** Null: the server did not answer. */
export function sqlStateOf(thrown: unknown): string | null {
  return thrown instanceof pg.DatabaseError ? (thrown.code ?? "") : null;
}

/** What Pawl's own functions raise, and the wait for a lock, are left to the caller. */
function failureOf({ shown, user }: Address, thrown: unknown): unknown {
  const state = sqlStateOf(thrown);
  if (state === FORBIDDEN || state === "42501") return forbidden(shown, user, thrown as pg.DatabaseError);
  if (thrown instanceof PawlError || /^(?:PW...|55P03)$/.test(state ?? "")) return thrown;
  const { code, message } = thrown as { readonly code?: string; readonly message?: string };
  // Several addresses of one name failed, each in its own way: then there is no message.
  const said = state === null ? message || code || "no answer" : `${message} (SQLSTATE ${state})`;
  const Failure = isPassing(thrown) ? DatabaseAway : PawlError;
  return new Failure(
    "database-failed",
    `The database ${shown} ${state === null ? "cannot be reached" : "refuses"}: ${said}.`,
    state === null
      ? "Make sure that it runs and that this machine may reach it, then run the command again: what was committed is found again."
      : "Mend what the database says, then run the command again.",
    thrown,
  );
}

/** Raised by Pawl's functions where the login's role may not do something; its detail is the role. */
const FORBIDDEN = "PW005";

function forbidden(shown: string, login: string, thrown: pg.DatabaseError): PawlError {
  const role = thrown.code === FORBIDDEN ? ` It has the role ${thrown.detail} there.` : "";
  return new PawlError(
    "database-forbidden",
    `The database ${shown} refuses this to the login ${login}: ${thrown.message}.${role} Nothing was changed.`,
    "Use a login that may do this, or have an administrator grant it a role, such as `grant pawl_person to LOGIN`; `pawl database check` says which one it has.",
    thrown,
  );
}

async function listenOn(config: pg.ClientConfig, lost: () => void): Promise<Listener | null> {
  const client = new pg.Client({ ...config, query_timeout: CONNECTING });
  let isOver = false;
  const end = (isLost: boolean) => {
    if (isOver) return;
    isOver = true;
    client.end().catch(() => {});
    if (isLost) lost();
  };
  client.on("error", () => end(true));
  client.on("end", () => end(true));
  try {
    await client.connect();
  } catch {
    isOver = true;
    return null;
  }
  return {
    async listen(channel, heard) {
      client.on("notification", ({ payload = "" }) => heard(payload));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((thrown: unknown) => {
        // It would never hear anything.
        end(true);
        throw thrown;
      });
    },
    close: () => end(false),
  };
}
