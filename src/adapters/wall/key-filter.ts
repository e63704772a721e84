/**
 * A filter for `bwrap --seccomp`: refuses the kernel's keyrings. A session's keyring, which each child
 * inherits, may hold the person's keys (Kerberos tickets, passwords of mounts), and no namespace takes it away.
 *
 * The program is classic BPF over `struct seccomp_data`, as in `socket-filter.ts`. A machine's older calls
 * have numbers of their own.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolders } from "../files/state-folder.ts";
import { writeWhole } from "../files/write-whole.ts";
import { ALLOW, bytesOf, EQUAL, LOAD, REFUSE, RETURN, type Step, X32 } from "./socket-filter.ts";

/** By AUDIT_ARCH_… of linux/audit.h: the numbers of add_key, request_key and keyctl. */
const CALLS: Readonly<Record<string, readonly (readonly [audit: number, calls: readonly number[]])[]>> = {
  x64: [
    [0xc000003e, [248, 249, 250, X32 + 248, X32 + 249, X32 + 250]],
    [0x40000003, [286, 287, 288]],
  ],
  arm64: [
    [0xc00000b7, [217, 218, 219]],
    [0x40000028, [309, 310, 311]],
  ],
};

/** Writes it to the file, if it is missing. False: there is no filter for this machine. */
export function keepKeyFilter(path: string): boolean {
  const machines = Object.hasOwn(CALLS, process.arch) ? CALLS[process.arch] : undefined;
  if (machines === undefined) return false;
  if (existsSync(path)) return true;
  makeFolders(dirname(path));
  writeWhole(path, bytesOf(stepsOf(machines)), 0o600);
  return true;
}

function stepsOf(machines: (typeof CALLS)[string]): readonly Step[] {
  const last = machines.reduce((sum, [, calls]) => sum + calls.length + 3, 2);
  const steps: Step[] = [[LOAD, 0, 0, 4]];
  for (const [audit, calls] of machines) {
    steps.push([EQUAL, 0, calls.length + 2, audit], [LOAD, 0, 0, 0]);
    for (const call of calls) steps.push([EQUAL, last - steps.length - 1, 0, call]);
    steps.push([RETURN, 0, 0, ALLOW]);
  }
  return [...steps, [RETURN, 0, 0, ALLOW], [RETURN, 0, 0, REFUSE]];
}
