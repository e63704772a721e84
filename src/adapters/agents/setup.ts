/** Maps an agent's name in the configuration to a dialect and a program, or to an ACP program. */

import { join, resolve } from "node:path";
import { agentNames } from "../../core/agent-needs.ts";
import type { AgentSettings } from "../../core/settings.ts";
import { type FoundProgram, findProgram } from "../process/programs.ts";
import type { Wall } from "../wall/wall.ts";
import { claude } from "./dialects/claude.ts";
import { codex } from "./dialects/codex.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { gemini } from "./dialects/gemini.ts";
import { opencode } from "./dialects/opencode.ts";
import { scripted } from "./dialects/scripted.ts";
import type { Environment } from "./environment.ts";
import { ownProgram } from "./own-program.ts";

export interface AgentsSetup {
  /** Absolute. */
  readonly projectRoot: string;
  /** Outside the project: holds the hashes of the runs' capabilities. */
  readonly stateFolder: string;
  /** This process's own environment. */
  readonly environment: Environment;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Agents without a person's consent: Pawl does not start their programs to inspect them. */
  readonly untrusted?: readonly string[];
  /** Other machines take over tasks that this one loses: there is less time to end an agent. */
  readonly isShared?: boolean;
  /** Absent: there is no wall. */
  readonly wall?: Wall;
  /** Why there is no wall although the settings want one; reported with each run. */
  readonly noWall?: string;
  /** Opens the same wall for a scratch project in this folder. */
  readonly wallOf?: (folder: string) => Pick<AgentsSetup, "wall" | "noWall">;
}

export const DIALECTS: Readonly<Record<string, Dialect>> = { claude, codex, opencode, gemini, scripted };

export type KnownAgent =
  | {
      readonly kind: "dialect";
      readonly dialect: Dialect;
      readonly settings: AgentSettings;
      /**
       * The words before the dialect's own arguments: the program, or Node and its file for the scripted
       * agent.
       */
      readonly command: readonly string[];
    }
  | { readonly kind: "acp"; readonly settings: AgentSettings; readonly command: readonly string[] };

/** The agent of that name, or the reason why there is none. */
export function knownAgent(
  setup: AgentsSetup,
  name: string,
): KnownAgent | { readonly kind: "none"; readonly why: string } {
  const settings = setup.agents[name] ?? {};
  if (settings.acp)
    return {
      kind: "acp",
      settings,
      command: [anchored(setup, settings.acp.command), ...(settings.acp.args ?? [])],
    };
  const dialect = DIALECTS[settings.dialect ?? name];
  if (!dialect) {
    const names = agentNames(setup.agents).join(", ");
    return { kind: "none", why: `no agent is named ${JSON.stringify(name)}; expected one of ${names}` };
  }
  if (dialect.name === "scripted" && !settings.program)
    return {
      kind: "dialect",
      dialect,
      settings,
      command: [process.execPath, ownProgram("scripted/agent.ts", "scripted-agent.js")],
    };
  return {
    kind: "dialect",
    dialect,
    settings,
    command: [anchored(setup, settings.program ?? dialect.program)],
  };
}

/** A name with a slash is a path from `~/` or from the project's root, wherever the agent works. */
function anchored({ environment: { HOME = "" }, projectRoot }: AgentsSetup, program: string): string {
  if (program.startsWith("~/")) return join(HOME, program.slice(2));
  return program.includes("/") ? resolve(projectRoot, program) : program;
}

/** The file of the program that the command begins with. */
export function programOf(
  { environment }: AgentsSetup,
  { command: [program = ""] }: Pick<Extract<KnownAgent, { kind: "acp" }>, "command">,
): FoundProgram {
  return findProgram(program, environment);
}
