/**
 * The database's address, from one environment variable: neither the variables nor the files of PostgreSQL's
 * own programs count. Off this machine the connection is encrypted and the server's certificate verified.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { DATABASE_URL } from "../../core/ports/database.ts";
import { readLinkedText } from "../files/plain-file.ts";

export interface Address {
  /** `host:port/database`, without secrets. */
  readonly shown: string;
  /** A name, an address, or the folder of a socket: it begins with a slash. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** For each new connection: it may be another one in the meantime. Throws `database-unconfigured`. */
  readonly password: () => string;
  /** The password is in a file: for a moment it may be another one than the database's. */
  readonly rotates: boolean;
  /** Null: this machine. */
  readonly tls: { readonly servername?: string; readonly ca?: string } | null;
}

const PORT = 5432;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;
const KNOWN: ReadonlySet<string> = new Set(["sslmode", "sslrootcert", "password_file"]);
const LONGEST_PASSWORD = 4096;

/** Throws `database-unconfigured`. Its message never contains the address, which holds a password. */
export function parseAddress(text: string | undefined): Address {
  if (text === undefined || text === "") throw unconfiguredError(`${DATABASE_URL} is not set`);
  const url = attempt(() => new URL(text), null);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw unconfiguredError(`${DATABASE_URL} is not an address of PostgreSQL`);
  for (const name of url.searchParams.keys())
    if (!KNOWN.has(name))
      throw unconfiguredError(
        `${DATABASE_URL} has the parameter ${JSON.stringify(name)}, which has no effect`,
      );
  const database = decoded(url.pathname.slice(1));
  const user = decoded(url.username);
  if (database === "" || user === "")
    throw unconfiguredError(`${DATABASE_URL} names no ${user === "" ? "user" : "database"}`);
  const host = decoded(url.hostname.replace(/^\[|\]$/g, ""));
  const isHere = LOOPBACK.test(url.hostname) || host.startsWith("/");
  const port = url.port === "" ? PORT : Number(url.port);
  const shown = `${host}:${port}/${database}`;
  return {
    shown,
    host,
    port,
    database,
    user,
    password: passwordOf(url),
    rotates: url.searchParams.has("password_file"),
    tls: isHere ? null : tlsOf(url, host),
  };
}

function tlsOf({ searchParams }: URL, servername: string): Address["tls"] {
  const mode = searchParams.get("sslmode");
  if (mode !== null && mode !== "verify-full")
    throw unconfiguredError(
      `${DATABASE_URL} says sslmode=${mode}, but Pawl talks to ${servername} only if it can verify its certificate`,
    );
  // TLS has names of servers only; the certificate of an IP address is verified without one.
  const named = isIP(servername) === 0 ? { servername } : {};
  const file = searchParams.get("sslrootcert");
  if (file === null) return named;
  const ca = attempt(() => readFileSync(file, "utf8"), null);
  if (ca === null) throw unconfiguredError(`the certificates of sslrootcert (${file}) cannot be read`);
  return { ...named, ca };
}

function passwordOf({ password, searchParams }: URL): Address["password"] {
  const file = searchParams.get("password_file");
  if (file === null) return () => decoded(password);
  if (password !== "") throw unconfiguredError(`${DATABASE_URL} has a password and a password_file`);
  const read = () => {
    const text = attempt(() => readLinkedText(file, LONGEST_PASSWORD), null);
    if (text === null) throw unconfiguredError(`the password_file ${file} cannot be read`);
    return text.replace(/\r?\n$/, "");
  };
  read();
  return read;
}

function decoded(text: string): string {
  return attempt(() => decodeURIComponent(text), text);
}

function unconfiguredError(found: string): PawlError {
  return new PawlError(
    "database-unconfigured",
    `No database can be reached: ${found}. Expected postgres://USER:PASSWORD@HOST:PORT/DATABASE.`,
    `Set ${DATABASE_URL} to the database's address, in the environment only; off this machine with sslmode=verify-full or no sslmode at all.`,
  );
}
