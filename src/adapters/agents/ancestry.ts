/**
 * Finds out whether this process belongs to an agent: an agent must not give a person's verdict.
 *
 * A1  It searches for the variables that agents set for their child processes, in this process and in each of
 *     its ancestors. The kernel shows the environment that each process was started with, so unsetting a
 *     variable here does not help.
 * A2  It also searches for the names of the agents' programs: a shell that replaces itself (`exec env -u …`)
 *     loses its variable.
 *
 * What escapes: a process that has cleared its environment *and* lost its parents (a double fork). No check
 * is safe from a program of the same user; docs/security.md lists what remains.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { readOnce } from "../../core/once.ts";
import { execFileSync } from "../process/start-program.ts";
import { MARK } from "./mark.ts";

export interface CallingAgent {
  /** The agent's usual name. */
  readonly agent: string;
  /** The process with the evidence: this one or an ancestor. */
  readonly pid: number;
  /** The evidence: the name of a variable or of the program. */
  readonly by: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that an agent sets for its child processes. Left out are those that a person's own shell may also
 * have: settings (`CODEX_HOME`), and variables that editors set in each of their terminals
 * (`CLAUDE_CODE_SSE_PORT`, `CURSOR_TRACE_ID`).
 */
const VARIABLES: Readonly<Record<string, string>> = {
  [MARK]: "an agent of Pawl's loop",
  BLOOM_TASK: "an agent of Pawl's loop",
  PAWL_OUTBOX: "an agent of Pawl's loop",
  CLAUDECODE: "Claude Code",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  CODEX_THREAD_ID: "Codex",
  CODEX_CI: "Codex",
  GEMINI_CLI: "Gemini CLI",
  OPENCODE: "OpenCode",
  CURSOR_AGENT: "Cursor",
  COPILOT_CLI: "Copilot CLI",
  COPILOT_AGENT: "Copilot in VS Code",
  COPILOT_AGENT_SESSION_ID: "Copilot",
  ANTIGRAVITY_AGENT: "Antigravity",
  AUGMENT_AGENT: "Augment",
  AMP_CURRENT_THREAD_ID: "Amp",
  GOOSE_TERMINAL: "Goose",
  QWEN_CODE: "Qwen Code",
  /** The name that several agents agreed on. */
  AI_AGENT: "an agent",
};

export const AGENT_VARIABLES: readonly string[] = Object.keys(VARIABLES);

/** By program names, and by the folders of packages that a runtime such as node starts. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^claude$|\/@anthropic-ai\/claude-code\//, "Claude Code"],
  [/^codex$|\/@openai\/codex\//, "Codex"],
  [/^gemini$|\/@google\/gemini-cli\//, "Gemini CLI"],
  [/^opencode$|\/opencode-ai\//, "OpenCode"],
  [/^cursor-agent$/, "Cursor"],
  [/^copilot$|\/@github\/copilot\//, "Copilot CLI"],
];

const RUNTIMES = /^(node|bun|deno|python[\d.]*)$/;

/** The agent that this process belongs to, or null. `until`: stops before this ancestor. */
export function callingAgent(
  environment: Environment,
  { until }: { until?: number } = {},
): CallingAgent | null {
  const marked = Object.keys(VARIABLES).find((name) => environment[name]);
  if (marked !== undefined) return { agent: VARIABLES[marked] ?? marked, pid: process.pid, by: marked };
  return firstAgent(until === undefined ? ownAncestors() : ancestors(process.ppid, until));
}

/**
 * The agent to which a process belongs, by itself or by an ancestor, or null. `until`: stops before this
 * process.
 */
export function agentAbove(pid: number, until?: number): CallingAgent | null {
  return firstAgent(ancestors(pid, until));
}

function firstAgent(chain: Iterable<Ancestor>): CallingAgent | null {
  for (const ancestor of chain) {
    const agent = agentOf(ancestor);
    if (agent) return agent;
  }
  return null;
}

/**
 * This process's ancestors, nearest first, as they were at the first call: one that has ended since started
 * it all the same.
 */
export const ownAncestors = readOnce((): readonly Ancestor[] => [...ancestors(process.ppid)]);

/**
 * A process and its ancestors, nearest first, as far as they are visible. `until`: stops before this process.
 */
function* ancestors(from: number, until = 0): Generator<Ancestor> {
  const see = existsSync("/proc/self/stat") ? seeInProc : seeByPs;
  const visited = new Set<number>([until, 0]);
  for (let pid = from; !visited.has(pid); ) {
    visited.add(pid);
    const one = see(pid);
    if (one === null) return;
    yield one;
    pid = one.parent;
  }
}

interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  /** The command line's words. */
  readonly words: readonly string[];
  /** The variable's value in the environment that the process was started with; empty if it has none. */
  variable(name: string): string;
}

function agentOf({ variable, words, pid }: Ancestor): CallingAgent | null {
  const marked = Object.keys(VARIABLES).find((name) => variable(name) !== "");
  if (marked !== undefined) return { agent: VARIABLES[marked] ?? marked, pid, by: marked };
  // Reads the program's word, or the script's after a runtime. Any other argument may be arbitrary text.
  for (const word of words.slice(0, RUNTIMES.test(basename(words[0] ?? "")) ? 2 : 1)) {
    const program = PROGRAMS.find(([name]) => name.test(basename(word)) || name.test(word));
    if (program) return { agent: program[1], pid, by: basename(word) };
  }
  return null;
}

function seeInProc(pid: number): Ancestor | null {
  const stat = read(`/proc/${pid}/stat`);
  // The program's name is in parentheses and may hold any character.
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  if (!stat || !Number.isInteger(parent)) return null;
  const words = read(`/proc/${pid}/cmdline`).split("\0");
  const environment = `\0${read(`/proc/${pid}/environ`)}\0`;
  return { pid, parent, words, variable: (name) => valueIn(environment, name, "\0") };
}

/** Empty if the process is gone or belongs to another user. */
function read(path: string): string {
  return attempt(() => readFileSync(path, "latin1"), "");
}

function seeByPs(pid: number): Ancestor | null {
  return attempt(() => {
    const ask = (...columns: string[]) =>
      execFileSync("/bin/ps", ["-p", String(pid), ...columns], {
        encoding: "utf8",
        maxBuffer: 64 << 20,
      }).trim();
    const parent = Number(ask("-o", "ppid="));
    const words = ask("-ww", "-o", "command=").split(" ");
    const environment = ` ${ask("-E", "-ww", "-o", "command=")} `;
    return { pid, parent, words, variable: (name) => valueIn(environment, name, " ") };
  }, null);
}

function valueIn(environment: string, name: string, end: string): string {
  const start = `${end}${name}=`;
  const at = environment.indexOf(start);
  return at < 0 ? "" : (environment.slice(at + start.length).split(end, 1)[0] ?? "");
}
