/**
 * Filters for `bwrap --seccomp`: refuse new UNIX sockets, so that no server of this machine is reachable by
 * one, or all new sockets; and injecting characters into the terminal. Socket pairs and inherited sockets
 * stay. Inside another sandbox a network namespace is impossible; a filter works.
 *
 * The program is classic BPF over `struct seccomp_data` (linux/seccomp.h): the call's number at 0, its
 * machine at 4, the low half of its first two arguments at 16 and 24.
 */

interface Machine {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
}

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc00000b7, socket: 198, ioctl: 29 },
};
/** It makes sockets and connects them past this filter; its number is the same everywhere. */
const IO_URING_SETUP = 425;
/** Calls of x64 in their 32-bit form have this bit. */
export const X32 = 0x40000000;
const AF_UNIX = 1;
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];

export const LOAD = 0x20;
export const EQUAL = 0x15;
const AT_LEAST = 0x35;
export const RETURN = 0x06;
export const ALLOW = 0x7fff0000;
/** With EPERM. */
export const REFUSE = 0x00050001;

export type Step = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Null: no filter for this machine. */
export function socketFilter(refused: "unix" | "all"): Uint8Array | null {
  const machine = Object.hasOwn(MACHINES, process.arch) ? MACHINES[process.arch] : undefined;
  if (machine === undefined) return null;
  const steps: readonly Step[] = [
    [LOAD, 0, 0, 4],
    // Another machine's calls have other numbers.
    [EQUAL, 0, 11, machine.audit],
    [LOAD, 0, 0, 0],
    [AT_LEAST, 9, 0, X32],
    [EQUAL, 8, 0, IO_URING_SETUP],
    [EQUAL, refused === "all" ? 7 : 2, 0, machine.socket],
    [EQUAL, 3, 0, machine.ioctl],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, 16],
    [EQUAL, 3, 4, AF_UNIX],
    [LOAD, 0, 0, 24],
    [EQUAL, 1, 0, TIOCSTI],
    [EQUAL, 0, 1, TIOCLINUX],
    [RETURN, 0, 0, REFUSE],
    [RETURN, 0, 0, ALLOW],
  ];
  return bytesOf(steps);
}

export function bytesOf(steps: readonly Step[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [at, [code, ifTrue, ifFalse, value]] of steps.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
