import { join } from "node:path";
import { installedIn, installInto } from "../rig/install.ts";
import { PROGRAMS, type ProgramName } from "./programs.ts";

/** The agent's file; installed if it is not there. */
export function install(name: ProgramName): string {
  const program = PROGRAMS[name];
  return join(installInto(`agents/${name}`, program), ".bin", program.bin);
}

/** The agent's file, if it was installed before; else null. */
export function installed(name: ProgramName): string | null {
  const program = PROGRAMS[name];
  const modules = installedIn(`agents/${name}`, program);
  return modules === null ? null : join(modules, ".bin", program.bin);
}
