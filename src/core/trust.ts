/**
 * What the files of a project would start on this machine, and what of it a person has agreed to. Whoever clones a
 * project has not read it: until then nothing that it names is started.
 */
import type { BloomSettings, SandboxSettings, Settings } from "./settings.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

/** One thing that the project's files name and that would be started, or that says how freely others are. */
export interface Executable {
  /**
   * `command`: for a shell, from the configuration or a workflow of the project's own. `setup`: what makes a worktree
   * ready. `agent`: how a program is started. `setting`: of the loop's agents and commands. `tasks`: the tasks file, whatever its owner writes there later.
   */
  readonly kind: "command" | "setup" | "agent" | "setting" | "tasks";
  /** For a person: `check test`, `release, fact tests`. */
  readonly name: string;
  /** What is agreed to, to the letter. */
  readonly text: string;
}

/** What a person agreed to. */
export interface TrustRecord {
  readonly version: 1;
  readonly root: string;
  /** Of the root's folder: another one at the same path is another project. */
  readonly inode: number;
  readonly time: string;
  /** Who, as far as known. */
  readonly by: string;
  readonly entries: readonly Executable[];
}

/** A workflow of the project's own, as far as it starts something. */
export interface Starts {
  readonly name: string;
  /** By what they are for: `fact tests`, `rule approved`. */
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
    // Part of what a person agreed to: with other words, every project would have to be trusted again.
    { kind: "tasks", name: bloom.tasks_file, text: "agents and verify commands, as they are written there" },
  ];
}

function command(name: string, text: string): Executable {
  return { kind: "command", name, text };
}

function setting(name: string, text: string): Executable {
  return { kind: "setting", name, text };
}

/** What the wall lets through besides, or that there is none. */
function isLoosened({ kind, read, write }: SandboxSettings): boolean {
  return kind === "none" || read.length > 0 || write.length > 0;
}

/** Those that give agents and commands more than they have by themselves. */
function loopSettings({ command: called, environment, permission }: BloomSettings): readonly Executable[] {
  return [
    ...(called === DEFAULT_SETTINGS.bloom.command ? [] : [setting("bloom.command", called)]),
    ...(permission === "all" ? [setting("bloom.permission", permission)] : []),
    ...(environment.length === 0 ? [] : [setting("bloom.environment", canonical(environment))]),
  ];
}

/** JSON with sorted keys: the same for the same value. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

/** Whether it was agreed to. A command or a tasks file is the same wherever it is named; else the name counts too. */
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

/** One line each, what is new with its earlier form above it. */
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
