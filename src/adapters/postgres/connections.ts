/**
 * Connections to the database. A lost one is made again, and its query is repeated: every query here either
 * only reads, or carries an id that shows that it ran before.
 *
 * No state outlasts a transaction, and no connection has settings of its own, so a pooler in any mode may be in
 * between. Only notifications need a session; a client without them finds changes by polling.
 */
import { hostname } from "node:os";
import pg from "pg";
import { DatabaseAway, PawlError } from "../../core/error.ts";
import type { Address } from "./address.ts";

export const { escapeIdentifier } = pg;

/** Runs one statement, which is a transaction of its own, and returns its rows. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Connections {
  readonly address: Address;
  readonly query: Query;
  /**
   * A transaction that stays open, and so keeps the locks that `take` took. Repeats `take` if the connection is
   * lost, but no later query. `waiting`: milliseconds that one query may wait for a lock (SQLSTATE 55P03). At the end
   * of its block, or if nothing was asked for `Limits.holding`, it is undone: who changes something commits first.
   */
  transaction(take: QueryWork, waiting: number): Promise<Transaction>;
  readonly limits: Limits;
  /** Does not wait for delivery. A listener that misses it finds the change by its own polling. */
  notify(channel: string, payload: string): void;
  /** A connection of the caller's own; null: none is available. `lost` is called once. */
  listener(lost: () => void): Promise<Listener | null>;
  close(): Promise<void>;
}

type QueryWork = (query: Query) => Promise<unknown>;

interface Transaction extends AsyncDisposable {
  readonly query: Query;
}

export interface Listener {
  listen(channel: string, onPayload: (payload: string) => void): Promise<void>;
  close(): void;
}

export interface Limits {
  /** Milliseconds for which a lost connection is retried. */
  readonly reconnecting: number;
  /** Milliseconds that one statement may take. */
  readonly statement: number;
  /** Milliseconds that one may wait for a lock, and that a holder may stand still. */
  readonly holding: number;
}

const LIMITS: Limits = { reconnecting: 30_000, statement: 20_000, holding: 30_000 };
const CONNECTING = 5_000;
const LONGEST_PAUSE = 1_000;
/** The server notices within half a minute that this machine is gone, even while it sends an answer. */
const ALIVE = [
  "set tcp_keepalives_idle = 10",
  "set tcp_keepalives_interval = 5",
  "set tcp_keepalives_count = 3",
  "set tcp_user_timeout = 25000",
].join("; ");
/** Milliseconds. A client that only listens notices as soon. */
const FIRST_KEEPALIVE = 10_000;

/**
 * SQLSTATEs after which another try may succeed: connections, shutdowns, too many clients, deadlocks, a
 * replica.
 */
const PASSING = /^(?:08...|57P0[123]|53300|40001|40P01|25006)$/;

const WRONG_PASSWORD = "28P01";

export function openConnections(address: Address, limits: Partial<Limits> = {}): Connections {
  const all = { ...LIMITS, ...limits };
  const { holding, reconnecting, statement } = all;
  const config = { ...configOf(address), query_timeout: statement };
  const pool = poolOf({ ...config, max: 6 });
  // Waiters use their own pool, so they cannot starve the holders.
  const held = poolOf({ ...config, max: 16, query_timeout: holding + statement });
  // The server ends a session that is idle while it holds a lock, so that no waiter exceeds its limit.
  const opening = (waiting: number) =>
    `begin; set local idle_in_transaction_session_timeout = ${holding}; set local lock_timeout = ${waiting}`;
  let isClosed = false;
  const again = <T>(work: () => Promise<T>) =>
    untilConnected({ address, longest: reconnecting, isOver: () => isClosed }, work);
  return {
    address,
    query: (text, values) => again(() => queryOf(pool)(text, values)),
    limits: all,
    async transaction(take, waiting) {
      const { close, query } = await again(() =>
        begun(held, async (asked) => {
          await asked(opening(waiting));
          await take(asked);
        }),
      );
      return {
        query: (text, values) =>
          query<never>(text, values).catch((thrown: unknown) => {
            throw failureOf(address, thrown);
          }),
        async [Symbol.asyncDispose]() {
          await query("rollback").catch(() => {});
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
      await Promise.all([pool.end(), held.end()]);
    },
  };
}

function queryOf(on: pg.Pool | pg.PoolClient): Query {
  return async (text, values = []) => (await on.query(text, [...values])).rows;
}

interface Loan {
  readonly query: Query;
  /** Discards the connection if it was lost or a query failed, since it may still hold locks. */
  close(): void;
}

async function borrow(pool: pg.Pool): Promise<Loan> {
  const client = await pool.connect();
  let isBroken = false;
  const broke = () => {
    isBroken = true;
  };
  // While it is lent, the pool does not listen for errors: a lost connection would end the process.
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
      // The pool listens again before this handler is removed.
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
    // A function, called even for an empty password: otherwise the client would search for one in other
    // places.
    password,
    ssl: tls === null ? false : { ...tls, rejectUnauthorized: true },
    application_name: `pawl ${hostname()}:${process.pid}`,
    connectionTimeoutMillis: CONNECTING,
    keepAlive: true,
    keepAliveInitialDelayMillis: FIRST_KEEPALIVE,
  };
}

function poolOf(config: pg.PoolConfig): pg.Pool {
  const onConnect = async (client: pg.ClientBase) => void (await client.query(ALIVE));
  const pool = new pg.Pool({ ...config, allowExitOnIdle: true, onConnect });
  // The pool drops an idle connection that breaks; the next query opens another.
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
      const isStale = address.rotates && sqlStateOf(thrown) === WRONG_PASSWORD;
      const mayPass = isStale || isPassing(thrown);
      if (isOver() || !mayPass || performance.now() + pause > end) throw failureOf(address, thrown);
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
    }
  }
}

/** Without an answer of the server the connection was lost, and it is unknown whether the statement ran. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof PawlError || thrown instanceof TypeError) return false;
  const state = sqlStateOf(thrown);
  if (state !== null) return PASSING.test(state);
  return !CERTIFICATE.test((thrown as { readonly code?: string }).code ?? "");
}

/** Node's error codes for a server that fails verification. */
const CERTIFICATE = /CERT|SELF_SIGNED|^ERR_TLS/;

/** Null: the server did not answer. */
export function sqlStateOf(thrown: unknown): string | null {
  return thrown instanceof pg.DatabaseError ? (thrown.code ?? "") : null;
}

/** Errors of Pawl's own functions, and of the wait for a lock, are left to the caller. */
function failureOf({ shown, user }: Address, thrown: unknown): unknown {
  const state = sqlStateOf(thrown);
  if (state === FORBIDDEN || state === "42501")
    return forbiddenError(shown, user, thrown as pg.DatabaseError);
  if (thrown instanceof PawlError || /^(?:PW...|55P03)$/.test(state ?? "")) return thrown;
  const { code, message } = thrown as { readonly code?: string; readonly message?: string };
  if (state === "08P01" && /statement pooling/.test(message ?? ""))
    return new PawlError(
      "database-failed",
      `The database ${shown} is behind a pooler in statement mode, which takes no transactions.`,
      "Set the pooler to transaction or session mode, or connect to PostgreSQL directly.",
      thrown,
    );
  // If several addresses of one name failed, there is no message.
  const said = state === null ? message || code || "no answer" : `${message} (SQLSTATE ${state})`;
  const Failure = isPassing(thrown) ? DatabaseAway : PawlError;
  return new Failure(
    "database-failed",
    `The database ${shown} ${state === null ? "cannot be reached" : "refuses"}: ${said}.`,
    state === null
      ? "Make sure that it runs and that this machine may reach it, then run the command again: nothing committed is lost."
      : "Fix what the database reports, then run the command again.",
    thrown,
  );
}

/** Pawl's functions raise it if the login's role may not do something; its detail is the role. */
const FORBIDDEN = "PW005";

function forbiddenError(shown: string, login: string, thrown: pg.DatabaseError): PawlError {
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
    async listen(channel, onPayload) {
      client.on("notification", ({ payload = "" }) => onPayload(payload));
      await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((thrown: unknown) => {
        // It would get no notifications.
        end(true);
        throw thrown;
      });
    },
    close: () => end(false),
  };
}
