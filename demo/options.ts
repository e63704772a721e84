/** What the demo is asked for. */
import { parseArgs } from "node:util";

export interface DemoOptions {
  readonly fast: boolean;
  readonly help: boolean;
  /** The demonstrations of what stops an agent, in place of the whole road. */
  readonly trust: boolean;
  /** Several machines, in place of the whole road. */
  readonly team: boolean;
  readonly agent: DemoAgent;
}

export interface DemoAgent {
  /** As pawl.yaml names it. */
  readonly name: string;
  /** The words of a command line, where it is any program that speaks the Agent Client Protocol. */
  readonly acp: readonly string[] | null;
  /** The variables that such a program may have. */
  readonly environment: readonly string[];
}

export const SCRIPTED = "scripted";
const NAMES = [SCRIPTED, "claude", "codex", "opencode", "gemini"];

export const USAGE = `npm run demo -- [options]

  --trust              what an agent may try, and what stops it
  --team               three machines over one backlog, of which one dies
  --fast               do not pause between the lines
  --agent NAME         ${NAMES.join(", ")}; scripted, which needs nothing, without it
  --acp COMMAND        any agent that speaks the Agent Client Protocol: "opencode acp"
  --environment NAMES  variables that the agent of --acp may have: MY_KEY,OPENCODE_*
  --help               show this
`;

/** The options, or what is wrong with them in a sentence. */
export function parseOptions(words: readonly string[], isScreen: boolean): DemoOptions | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        fast: { type: "boolean", default: !isScreen },
        help: { type: "boolean", default: false },
        trust: { type: "boolean", default: false },
        team: { type: "boolean", default: false },
        agent: { type: "string" },
        acp: { type: "string" },
        environment: { type: "string" },
      },
    });
    const { fast, help, trust, team, acp, environment } = values;
    const { agent = acp === undefined ? SCRIPTED : "mine" } = values;
    if (acp !== undefined && (acp.trim() === "" || values.agent !== undefined))
      return "--acp names a command, and stands in place of --agent.";
    if (trust && team) return "--trust and --team are two demonstrations: choose one.";
    if ((trust || team) && (acp !== undefined || values.agent !== undefined))
      return `--${trust ? "trust" : "team"} is played by the scripted agent alone.`;
    if (environment !== undefined && acp === undefined) return "--environment is of --acp alone.";
    if (acp === undefined && !NAMES.includes(agent))
      return `--agent is ${JSON.stringify(agent)}: expected one of ${NAMES.join(", ")}. Any other one is named by --acp.`;
    const command = acp?.trim().split(/\s+/) ?? null;
    return {
      fast,
      help,
      trust,
      team,
      agent: { name: agent, acp: command, environment: environment?.split(",").filter(Boolean) ?? [] },
    };
  } catch (thrown) {
    return (thrown as Error).message.split(". ")[0]?.replace(/\.?$/, ".") ?? "";
  }
}
