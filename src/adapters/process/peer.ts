/**
 * The other end of a connection on this machine, from the kernel's own table (Linux). Loopback is open to
 * every user of a machine, and an address or a cookie can leak; the owner of a socket cannot be faked.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";

export interface PeerSocket {
  readonly uid: number;
  readonly inode: string;
}

interface Ports {
  /** The server's port. */
  readonly localPort: number | undefined;
  readonly remotePort: number | undefined;
  /** The peer's address, if it may be another one of this machine than loopback. */
  readonly remoteAddress?: string | undefined;
}

const LOOPBACK = ["0100007F", "0000000000000000FFFF00000100007F"];

/** Null: unknown (no Linux, or the connection is over). */
export function peerSocket({ localPort, remoteAddress, remotePort }: Ports): PeerSocket | null {
  if (localPort === undefined || remotePort === undefined) return null;
  for (const path of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const table = socketTable(path);
    const sockets = [...LOOPBACK, ...hostsOf(remoteAddress)].map((host) =>
      findSocket(table, `${host}:${hex(remotePort)}`, `:${hex(localPort)}`),
    );
    const [first] = sockets.filter((each) => each !== null);
    if (first) return first;
  }
  return null;
}

const tables = new Map<string, string>();

/**
 * One look serves all requests of one turn of the event loop, since the kernel lists every connection of the machine. No
 * connection is younger than the look: its first request comes in a later turn than the connection itself.
 */
function socketTable(path: string): string {
  const known = tables.get(path);
  if (known !== undefined) return known;
  const table = attempt(() => readFileSync(path, "latin1"), "");
  tables.set(path, table);
  setImmediate(() => tables.clear());
  return table;
}

/**
 * The processes that hold the socket; where none is seen, those of its user that hide what they hold, as any process may
 * (`PR_SET_DUMPABLE`).
 */
export function holdersOf({ inode, uid }: PeerSocket): readonly number[] {
  const wanted = `socket:[${inode}]`;
  const closed: string[] = [];
  const holders = attempt(() => readdirSync("/proc"), []).filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const files = attempt(() => readdirSync(`/proc/${pid}/fd`), null);
    if (files === null) closed.push(pid);
    return files?.some((file) => attempt(() => readlinkSync(`/proc/${pid}/fd/${file}`), "") === wanted);
  });
  const isOwn = (pid: string) =>
    attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"), "").includes(`\nUid:\t${uid}\t`);
  return (holders.length > 0 ? holders : closed.filter(isOwn)).map(Number);
}

/** Whether this system shows the owner of a connection. */
export function canSeePeers(): boolean {
  return attempt(() => readFileSync("/proc/net/tcp", "latin1") !== "", false);
}

/** `sl local remote state queues timer retransmits uid timeout inode …` */
function findSocket(table: string, local: string, remotePort: string): PeerSocket | null {
  for (let at = table.indexOf(` ${local} `); at >= 0; at = table.indexOf(` ${local} `, at + 1)) {
    const [, remote = "", , , , , uid, , inode] = table.slice(at + 1, at + 400).split(/\s+/);
    if (remote.endsWith(remotePort) && uid !== undefined && inode !== undefined)
      return { uid: Number(uid), inode };
  }
  return null;
}

/** An IPv4 address in the form of the kernel's tables; of IPv6, only an IPv4-mapped address. */
function hostsOf(address: string | undefined): readonly string[] {
  const parts = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address ?? "")?.slice(1) ?? [];
  if (parts.length === 0) return address === "::1" ? ["00000000000000000000000001000000"] : [];
  const host = parts
    .reverse()
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, "0"))
    .join("");
  return [host, `0000000000000000FFFF0000${host}`];
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
