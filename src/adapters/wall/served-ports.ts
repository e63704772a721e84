/**
 * The ports of a task's own environment at which a server listens outside the wall. The others stay free inside,
 * for servers that the task starts there.
 */
import { readFileSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";

const NAME = /^PAWL_PORT_\d+$/;
/** All of IPv4, loopback, all of IPv6, and loopback as IPv6 writes it; in the kernel's form. */
const REACHED: ReadonlySet<string> = new Set([
  "00000000",
  "0100007F",
  "00000000000000000000000000000000",
  "0000000000000000FFFF00000100007F",
]);
const LISTENS = "0A";

export function servedPorts(environment: Readonly<Record<string, string>>): readonly number[] {
  const ports = Object.entries(environment).flatMap(([name, value]) =>
    NAME.test(name) ? [Number(value)] : [],
  );
  if (ports.length === 0) return [];
  const listening = new Set(["tcp", "tcp6"].flatMap(listeningIn));
  return ports.filter((port) => listening.has(port));
}

/** Reads `sl local_address rem_address st …`, with addresses as `0100007F:1F90`. */
function listeningIn(table: string): readonly number[] {
  const text = attempt(() => readFileSync(`/proc/net/${table}`, "latin1"), "");
  return text.split("\n").flatMap((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    return state === LISTENS && REACHED.has(address) ? [Number.parseInt(port, 16)] : [];
  });
}
