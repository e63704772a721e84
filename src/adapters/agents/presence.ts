/** Whether a person called this program, as far as a program can tell. */
import { closeSync, openSync } from "node:fs";
import { agentAround } from "./ancestry.ts";
import type { Environment } from "./environment.ts";

/** At a terminal, with no agent's process above. */
export function isPersonPresent(environment: Environment): boolean {
  return hasTerminal() && agentAround(environment) === null;
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r+"));
    return true;
  } catch {
    return false;
  }
}
