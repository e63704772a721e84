/**
 * What a project's files would start on this machine, and how much of it a person has agreed to. Somebody who clones a
 * project has not read it, so Pawl starts nothing that it names until they agree.
 */

import { attempt } from "./attempt.ts";
import { canonical } from "./canonical.ts";
import { RECEIVERS, type ReceiverName } from "./notice.ts";
import type {
  BloomSettings,
  NotifySettings,
  SandboxSettings,
  Settings,
  TaskEnvironment,
} from "./settings.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

/**
 * One thing that the project's files name and Pawl would start, or a setting that gives such programs more freedom.
 */
export interface Executable {
  /**
   * `command`: a shell command, from the configuration or one of the project's own workflows. `setup`: makes a worktree
   * ready. `agent`: how a program is started. `setting`: of the loop's agents and commands. `notice`: where notices go.
   * `tasks`: the tasks file, whatever its owner adds to it later.
   */
  readonly kind: "command" | "setup" | "agent" | "setting" | "notice" | "tasks";
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
  { alfred, agents = {}, bloom, environment, git, notify, sandbox, setup, task_environment }: Settings,
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
    ...madeBy(task_environment),
    ...(environment.length === 0 ? [] : [setting("environment", canonical(environment))]),
    ...(git.filters.length === 0 ? [] : [setting("git.filters", canonical(git.filters))]),
    ...(isLoosened(sandbox) ? [setting("sandbox", canonical(sandbox))] : []),
    ...loopSettings(bloom),
    ...receiversOf(notify).map((name) => noticeEntry(name, notify)),
    // A person agreed to these words. If they changed, every project would have to be trusted again.
    { kind: "tasks", name: bloom.tasks_file, text: "agents and verify commands, as they are written there" },
  ];
}

/** What makes a task's environment and takes it away: outside the wall. */
function madeBy({ down, up }: TaskEnvironment): readonly Executable[] {
  const text = canonical({ ...(up === null ? {} : { up }), ...(down === null ? {} : { down }) });
  return up === null && down === null ? [] : [{ kind: "setup", name: "the environment of tasks", text }];
}

/** The receivers that the settings name. */
export function receiversOf(notify: NotifySettings): readonly ReceiverName[] {
  return RECEIVERS.filter((name) => {
    const value = notify[name];
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  });
}

/** A receiver with all that decides what reaches it: whoever changes one of these has to ask again. */
export function noticeEntry(name: ReceiverName, notify: NotifySettings): Executable {
  const { for: kinds, quiet, [name]: own } = notify;
  return { kind: "notice", name, text: canonical({ [name]: own, for: kinds, quiet }) };
}

export interface AgreedNotice {
  readonly name: ReceiverName;
  /** As it was agreed to. */
  readonly settings: NotifySettings;
  readonly text: string;
}

/** The receivers that a person agreed to and that these settings do not have, or have otherwise. */
export function agreedNotices(
  record: Pick<TrustRecord, "entries"> | null,
  notify: NotifySettings,
): readonly AgreedNotice[] {
  const present = new Set(receiversOf(notify).map((name) => noticeEntry(name, notify).text));
  return (record?.entries ?? []).flatMap(({ kind, name, text }) => {
    const found = RECEIVERS.find((each) => each === name);
    if (kind !== "notice" || found === undefined || present.has(text)) return [];
    const settings = attempt(() => ({ ...DEFAULT_SETTINGS.notify, ...JSON.parse(text) }), null);
    return settings === null ? [] : [{ name: found, settings, text }];
  });
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
  notice: "notice",
  tasks: "tasks",
} as const;

function lineOf({ kind, name, text }: Executable): string {
  return `${KINDS[kind].padEnd(7)} ${name}: ${text.replace(/\s+/g, " ")}`;
}
