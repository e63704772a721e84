/**
 * Machines in network namespaces of their own, around a router: this process's own namespace. Nothing of it is left when this
 * process ends, however it ends.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readlinkSync, writeFileSync } from "node:fs";
import { until } from "../rig/until.ts";

/** Set in the process that is the router. */
const INSIDE = "PAWL_NETWORK_PROOF";

/** Runs this program again in a network namespace, with mounts of its own; null: it is there. A word: why that cannot be had. */
export function runInside(program: string, args: readonly string[]): number | string | null {
  if (process.env[INSIDE]) return null;
  if (process.getuid?.() !== 0) return "only root may give eight machines a network each";
  const probe = spawnSync("unshare", ["-n", "sh", "-c", "ip link set lo up"], { encoding: "utf8" });
  if (probe.status !== 0) return probe.error?.message ?? probe.stderr.trim();
  const env = { ...process.env, [INSIDE]: "1" };
  const words = [
    "-n",
    "sh",
    "-c",
    'ip link set lo up && exec "$@"',
    "sh",
    process.execPath,
    program,
    ...args,
  ];
  return spawnSync("unshare", words, { stdio: "inherit", env }).status ?? 1;
}

export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The words before a command that runs it there. */
  readonly there: readonly string[];
  /** Takes the cable out, and puts it in again. */
  link(state: "up" | "down"): void;
}

export interface Lab {
  machine(name: string): Promise<Machine>;
  /** One more address of a machine's, by which everybody reaches it; a later call gives it to another one. */
  lend(address: string, to: Machine): void;
  /** What the first sends to the second no longer arrives; returns what ends that. */
  drop(from: string, to: string): () => void;
}

const ip = (...words: readonly string[]) =>
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });

export function openLab(): Lab {
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
  let count = 0;
  let drops = 100;
  return {
    async machine(name) {
      count += 1;
      const [gateway, address] = [`10.9.${count}.1`, `10.9.${count}.2`];
      const pid = String((await heldNamespace()).pid);
      const there = ["nsenter", "-t", pid, "-n"];
      const inside = (...words: readonly string[]) =>
        execFileSync("nsenter", [...there.slice(1), "ip", ...words], { stdio: ["ignore", "ignore", "pipe"] });
      ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", pid);
      ip("address", "add", `${gateway}/24`, "dev", name);
      ip("link", "set", name, "up");
      inside("link", "set", "lo", "up");
      inside("address", "add", `${address}/24`, "dev", "eth0");
      inside("link", "set", "eth0", "up");
      inside("route", "add", "default", "via", gateway);
      return { name, address, there, link: (state) => ip("link", "set", name, state) };
    },
    lend(address, { address: via, there }) {
      execFileSync(there[0] ?? "", [
        ...there.slice(1),
        "ip",
        "address",
        "replace",
        `${address}/32`,
        "dev",
        "lo",
      ]);
      ip("route", "replace", address, "via", via);
    },
    drop(from, to) {
      drops += 1;
      const rule = ["from", from, "to", to, "blackhole", "priority", String(drops)];
      ip("rule", "add", ...rule);
      return () => ip("rule", "delete", ...rule);
    },
  };
}

/** A process that does nothing in a namespace of its own, until this one ends. */
async function heldNamespace(): Promise<ChildProcess> {
  const child = spawn("unshare", ["-n", "sh", "-c", "read -r _"], { stdio: ["pipe", "ignore", "inherit"] });
  const own = readlinkSync("/proc/self/ns/net");
  await until(() => readlinkSync(`/proc/${child.pid}/ns/net`) !== own);
  return child;
}
