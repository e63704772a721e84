import { join } from "node:path";
import { installInto } from "../rig/install.ts";
import { PROGRAMS, type ProgramName } from "./programs.ts";

/** The agent's file; installed if it is not there. */
export function install(name: ProgramName): string {
  const program = PROGRAMS[name];
  return join(installInto(`agents/${name}`, program), ".bin", program.bin);
}
