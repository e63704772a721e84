/**
 * What an agent's program prints about itself, such as its version. Asked once for each state of its file: some programs
 * update themselves during the night.
 */
import { realpathSync, statSync } from "node:fs";
import { parse } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { AgentEvent } from "../../core/ports/agents.ts";
import { safePath } from "../process/programs.ts";
import { execFile } from "../process/start-program.ts";
import { childEnvironment } from "./environment.ts";
import { markOf } from "./mark.ts";
import { type AgentsSetup, type KnownAgent, programOf } from "./setup.ts";

const LIMIT_SECONDS = 30;
const MAX_BYTES = 1 << 20;

export interface Printed {
  readonly text: string;
  /** Why it did not end well; null: it did. */
  readonly fault: string | null;
}

const printed = new Map<string, Promise<Printed>>();

export function askProgram(
  setup: AgentsSetup,
  agent: Pick<Extract<KnownAgent, { kind: "acp" }>, "command">,
  option: "--help" | "--version",
): Promise<Printed> {
  const { path, why } = programOf(setup, agent);
  if (path === null) return Promise.resolve({ text: "", fault: why });
  const [, ...before] = agent.command;
  const key = JSON.stringify([stateOf(path), before, option]);
  const printing = printed.get(key) ?? ask(setup, path, [...before, option]);
  printed.set(key, printing);
  return printing;
}

function stateOf(path: string): readonly (string | number)[] {
  return attempt(() => {
    const file = realpathSync(path);
    const { ctimeMs, ino, size } = statSync(file);
    return [file, ino, size, ctimeMs];
  }, [path]);
}

function ask(setup: AgentsSetup, program: string, args: readonly string[]): Promise<Printed> {
  const { environment, projectRoot } = setup;
  const mark = markOf(projectRoot, "ask");
  const options = {
    // Not in the project: its files must not influence a program that only prints something.
    cwd: parse(projectRoot).root,
    env: childEnvironment(environment, {
      ...{ mark, folder: { agentPath: projectRoot }, names: [] },
      // For a script, the system searches its interpreter there.
      added: { PATH: safePath(environment) },
    }),
    timeout: LIMIT_SECONDS * 1000,
    // Some programs exit with 0 after SIGTERM. Only SIGKILL distinguishes a passed limit from success.
    killSignal: "SIGKILL",
    maxBuffer: MAX_BYTES,
  } as const;
  return new Promise((done) => {
    execFile(program, [...args], options, (cause, stdout) => {
      const fault = cause?.killed ? `no answer within ${LIMIT_SECONDS} s` : (cause?.message ?? null);
      done({ text: String(stdout), fault });
    });
  });
}

// ── Versions ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The version in what a program prints; null: there is none. */
export function versionIn(text: string): string | null {
  return /\d+\.\d+\.\d+[\w.-]*/.exec(text)?.[0] ?? null;
}

/** `2.1`, if the version is of a later minor than that, the newest with which Pawl was tried; else null. */
export function newerThan(version: string | null, newest: string | undefined): string | null {
  if (version === null || newest === undefined) return null;
  const [major = 0, minor = 0] = numbersOf(version);
  const [knownMajor = 0, knownMinor = 0] = numbersOf(newest);
  const isNewer = major > knownMajor || (major === knownMajor && minor > knownMinor);
  return isNewer ? `${knownMajor}.${knownMinor}` : null;
}

interface Version {
  readonly agent: string;
  readonly version: string | null;
  readonly newest: string | undefined;
}

const warned = new Set<string>();

/**
 * Whether what the agent's counters mean in a resumed session may have changed, because its version is newer
 * than Pawl knows. Warns once about each version.
 */
export function isNewVersion(
  { agent, newest, version }: Version,
  onEvent: (event: AgentEvent) => void,
): boolean {
  const older = newerThan(version, newest);
  if (older === null) return false;
  const what = `${agent} ${version} is newer than ${older}, the newest that Pawl knows`;
  const text = `${what}: in sessions that it resumes, Pawl counts its cost in full, perhaps too much, and passes no budget in dollars on to it`;
  if (!warned.has(what)) onEvent({ type: "warning", text });
  warned.add(what);
  return true;
}

function numbersOf(version: string): readonly number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10));
}
