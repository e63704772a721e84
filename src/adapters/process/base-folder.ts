import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

const USUAL = { XDG_CONFIG_HOME: ".config", XDG_STATE_HOME: ".local/state" } as const;

/**
 * Pawl's folder in one of the person's base folders. A relative variable is ignored, as its specification
 * requires.
 */
export function baseFolder(environment: Environment, name: keyof typeof USUAL): string {
  const named = environment[name];
  const base = named && isAbsolute(named) ? named : join(environment.HOME || homedir(), USUAL[name]);
  return join(base, "pawl");
}
