/**
 * Adds to package-lock.json the optional packages of other platforms that `npm install` leaves out where the registry in
 * use does not hold them; `npm ci` refuses a lock without them. To be run after each change of the dependencies.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [other: string]: unknown;
}

const SYSTEM = /\b(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)\b/;
const MUSL = /-musl/;
const PROCESSOR = /\b(arm64|x64|ia32|arm|ppc64|s390x|riscv64|loong64|mips64el|wasm32)\b/;

const path = resolve(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
const packages: Record<string, LockedPackage> = lock.packages;

for (const [place, { dev, optionalDependencies }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    if (isLocked(place, name)) continue;
    const [system, processor] = [SYSTEM.exec(name)?.[1], PROCESSOR.exec(name)?.[1]];
    packages[`node_modules/${name}`] = {
      version: version.replace(/^[~^]/, ""),
      ...(processor ? { cpu: [processor] } : {}),
      ...(dev ? { dev } : {}),
      ...(MUSL.test(name) ? { libc: ["musl"] } : {}),
      optional: true,
      ...(system ? { os: [system] } : {}),
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);

/** Whether a package at `place` finds one of that name, in its own folder or above. */
function isLocked(place: string, name: string): boolean {
  for (let base = place; ; base = base.slice(0, Math.max(base.lastIndexOf("/node_modules/"), 0))) {
    if (packages[`${base === "" ? "" : `${base}/`}node_modules/${name}`]) return true;
    if (base === "") return false;
  }
}
