/**
 * What a project's files would start on this machine, and how much of it a person has agreed to. Somebody who clones a
 * project has not read it, so Pawl starts nothing that it names until they agree.
 */
import type { BloomSettings, SandboxSettings, Settings } from "./settings.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

/**
 * One thing that the project's files name and Pawl would start, or a setting that gives such programs more freedom.
 */
export interface Executable {
  /**
   * `command`: a shell command, from the configuration or one of the project's own workflows. `setup`: makes a worktree
   * ready. `agent`: how a program is started. `setting`: of the loop's agents and commands. `tasks`: the tasks file,
   * whatever its owner adds to it later.
   */
  readonly kind: "command" | "setup" | "agent" | "setting" | "tasks";
  /** For a person: `check test`, `release, fact tests`. */
  readonly name: string;
  /** The exact text that the person agrees to. */
  readonly text: string;
}

export interface TrustRecord {
  readonly version: 1;
  readonly root: string;
  /** The inode of the root's folder. Another folder at the same path is another project. */
  readonly inode: number;
  readonly time: string;
  /** Who agreed, as far as known. */
  readonly by: string;
  readonly entries: readonly Executable[];
}

/** The commands of one of the project's own workflows. */
export interface Starts {
  readonly name: string;
  /** By purpose: `fact tests`, `rule approved`. */
  readonly commands: readonly { readonly purpose: string; readonly command: string }[];
}

/** Everything that these settings and workflows would start. */
export function executablesOf(
  { alfred, agents = {}, bloom, environment, git, sandbox, setup }: Settings,
  workflows: readonly Starts[],
): readonly Executable[] {
  return [
    ...Object.entries(alfred.checks).map(([name, text]) => command(`check ${name}`, text)),
    ...workflows.flatMap(({ name, commands }) =>
      commands.map((each) => command(`${name}, ${each.purpose}`, each.command)),
    ),
    ...Object.entries(agents).map(([name, agent]) => ({
      kind: "agent" as const,
      name,
      text: canonical(agent),
    })),
    ...Object.entries(setup).map(([name, each]) => ({ kind: "setup" as const, name, text: canonical(each) })),
    ...(environment.length === 0 ? [] : [setting("environment", canonical(environment))]),
    ...(git.filters.length === 0 ? [] : [setting("git.filters", canonical(git.filters))]),
    ...(isLoosened(sandbox) ? [setting("sandbox", canonical(sandbox))] : []),
    ...loopSettings(bloom),
    // A person agreed to these words. If they changed, every project would have to be trusted again.
    { kind: "tasks", name: bloom.tasks_file, text: "agents and verify commands, as they are written there" },
  ];
}

function command(name: string, text: string): Executable {
  return { kind: "command", name, text };
}

function setting(name: string, text: string): Executable {
  return { kind: "setting", name, text };
}

/** Whether the wall lets more through, or is off. */
function isLoosened({ kind, read, write }: SandboxSettings): boolean {
  return kind === "none" || read.length > 0 || write.length > 0;
}

/** The settings that give agents and commands more freedom than the defaults. */
function loopSettings({ command: called, environment, permission }: BloomSettings): readonly Executable[] {
  return [
    ...(called === DEFAULT_SETTINGS.bloom.command ? [] : [setting("bloom.command", called)]),
    ...(permission === "all" ? [setting("bloom.permission", permission)] : []),
    ...(environment.length === 0 ? [] : [setting("bloom.environment", canonical(environment))]),
  ];
}

/** JSON with sorted keys: equal values give equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

/**
 * Whether a person agreed to it. A command or a tasks file is the same wherever it is named; otherwise the name counts
 * too.
 */
export function isTrusted(
  { kind, name, text }: Executable,
  record: Pick<TrustRecord, "entries"> | null,
): boolean {
  return (
    record?.entries.some(
      (each) =>
        each.kind === kind &&
        each.text === text &&
        (each.name === name || kind === "command" || kind === "tasks"),
    ) ?? false
  );
}

/** Renders one line each. A changed entry has its earlier form above it. */
export function renderExecutables(
  entries: readonly Executable[],
  record: Pick<TrustRecord, "entries"> | null,
): string {
  const lines = entries.flatMap((entry) => {
    if (isTrusted(entry, record)) return [`  ${lineOf(entry)}`];
    const before = record?.entries.find(({ kind, name }) => kind === entry.kind && name === entry.name);
    return [...(before ? [`- ${lineOf(before)}`] : []), `+ ${lineOf(entry)}`];
  });
  return lines.join("\n");
}

const KINDS = {
  command: "runs",
  setup: "setup",
  agent: "agent",
  setting: "setting",
  tasks: "tasks",
} as const;

function lineOf({ kind, name, text }: Executable): string {
  return `${KINDS[kind].padEnd(7)} ${name}: ${text.replace(/\s+/g, " ")}`;
}
