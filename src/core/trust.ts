/**
 * The programs that a project's files would start on this machine, and a person's consent to them. A person
 * who clones a project has not read it, so Pawl starts nothing that it names without their consent, to the
 * letter: what an edit, a pull or a merge brings later is new.
 */
import { attempt } from "./attempt.ts";
import { allChecksOf, type Criterion, criterionWords } from "./criterion.ts";
import { canonical } from "./json.ts";
import { RECEIVERS, type ReceiverName } from "./notice.ts";
import type {
  BloomSettings,
  NotifySettings,
  SandboxSettings,
  Settings,
  TaskEnvironment,
} from "./settings.ts";
import { agentsFor, DEFAULT_SETTINGS } from "./settings.ts";

/**
 * One thing that the project's files name and Pawl would start, or a setting that gives such programs more
 * rights.
 */
export interface Executable {
  /**
   * `command`: a shell command, from the configuration, a task, or one of the project's own workflows.
   * `setup`: prepares a workspace. `agent`: how a program is started. `setting`: of the loop's agents and
   * commands. `notice`: the destination of notices.
   */
  readonly kind: "command" | "setup" | "agent" | "setting" | "notice";
  /** For a person: `check test`, `release, fact tests`. */
  readonly name: string;
  /** The exact text to which the person consents. */
  readonly text: string;
}

export interface TrustRecord {
  readonly version: 1;
  readonly root: string;
  /** The inode of the root's folder. Another folder at the same path is another project. */
  readonly inode: number;
  readonly time: string;
  /** The person who consented, if known. */
  readonly by: string;
  readonly entries: readonly Executable[];
}

/** The commands of one of the project's own workflows. */
export interface Starts {
  readonly name: string;
  /** By purpose: `fact tests`, `rule approved`. */
  readonly commands: readonly { readonly purpose: string; readonly command: string }[];
  /** Absent: none. `agent`: absent, the project's own. */
  readonly agents?: readonly {
    readonly name: string;
    readonly agent: string | undefined;
    readonly permission: string;
    readonly prompts: readonly string[];
  }[];
}

/** Everything that these settings and workflows would start. */
export function executablesOf(settings: Settings, workflows: readonly Starts[]): readonly Executable[] {
  const { alfred, agents = {}, bloom, environment, git, notify, sandbox, setup, task_environment } = settings;
  return [
    ...Object.entries(alfred.checks).map(([name, text]) => command(`check ${name}`, text)),
    ...workflows.flatMap(({ name, commands }) =>
      commands.map((each) => command(`${name}, ${each.purpose}`, each.command)),
    ),
    ...workflows.flatMap((workflow) => startsOfAgents(workflow, settings)),
    ...Object.entries(agents).map(([name, agent]) => ({
      kind: "agent" as const,
      name,
      text: canonical(agent),
    })),
    ...Object.entries(setup).map(([name, each]) => ({ kind: "setup" as const, name, text: canonical(each) })),
    ...madeBy(task_environment),
    ...(environment.length === 0 ? [] : [settingEntry("environment", canonical(environment))]),
    ...(git.filters.length === 0 ? [] : [settingEntry("git.filters", canonical(git.filters))]),
    ...(isLoosened(sandbox) ? [settingEntry("sandbox", canonical(sandbox))] : []),
    ...loopSettings(bloom),
    ...receiversOf(notify).map((name) => noticeEntry(name, notify)),
  ];
}

/** The agents of one of the project's own workflows, and what gives them more rights. */
function startsOfAgents({ agents = [], name: workflow }: Starts, settings: StartingSettings) {
  return agents.flatMap(({ agent, name, permission, prompts }) => [
    ...startsOfTask(orderOf(workflow, agent, prompts.join("\n")), settings),
    ...(permission === "all" ? [settingEntry(`${workflow}, agent ${name}`, "permission all")] : []),
  ]);
}

/** An order to an agent, as a task that starts what it starts. */
export function orderOf(id: string, agent: string | undefined, instructions: string): StartingTask {
  return { id, title: "", agent, instructions, acceptance_criteria: [], ai_notes: [], steps: [] };
}

/** The parts of a task that decide which programs start. A request to a model is no program. */
export interface StartingTask {
  readonly id: string;
  readonly title: string;
  readonly agent?: string | undefined;
  readonly instructions?: string | undefined;
  readonly acceptance_criteria: readonly Criterion[];
  readonly ai_notes: readonly string[];
  readonly verify?: readonly string[] | undefined;
  readonly steps: readonly {
    readonly instruction: string;
    readonly acceptance_criteria: readonly Criterion[];
    readonly verify?: readonly string[] | undefined;
  }[];
}

export type StartingSettings = Pick<Settings, "agents"> & {
  readonly bloom: Pick<BloomSettings, "agent" | "stand_ins">;
};

/** Everything that work on the task would start. */
export function startsOfTask(task: StartingTask, settings: StartingSettings): readonly Executable[] {
  const { id } = task;
  const agents = agentsFor(task, settings.bloom);
  return [
    ...agents.map((name) => agentEntry(name, settings)),
    ...allChecksOf(task).map((text) => command(`verify of ${id}`, text)),
    ...(agents.some((name) => obeysLines(name, settings)) ? linesToRun(task) : []).map((text) =>
      command(`RUN of ${id}`, text),
    ),
  ];
}

/** An agent that the configuration does not describe is a program of the person's own. */
export const OWN_AGENT = "as Pawl knows it, from your PATH";

export function agentEntry(name: string, { agents = {} }: Pick<Settings, "agents">): Executable {
  const described = agents[name];
  return { kind: "agent", name, text: described === undefined ? OWN_AGENT : canonical(described) };
}

/** Whether it is the agent without a model, which takes lines of its prompt as commands. */
function obeysLines(name: string, { agents = {} }: Pick<Settings, "agents">): boolean {
  const { acp, dialect = name, program } = agents[name] ?? {};
  return dialect === "scripted" && acp === undefined && program === undefined;
}

function linesToRun({ acceptance_criteria, ai_notes, instructions = "", steps, title }: StartingTask) {
  const criteria = [{ acceptance_criteria }, ...steps].flatMap((each) => each.acceptance_criteria);
  const words = [...criteria.map(criterionWords), ...steps.map((step) => step.instruction)];
  const lines = [title, instructions, ...ai_notes, ...words].join("\n").split("\n");
  return lines.flatMap((line) => /^[\s-]*RUN:\s*(.*?)\s*$/.exec(line)?.[1] ?? []);
}

/** Each once, under the first name: several tasks can have the same checks. */
export function distinct(entries: readonly Executable[]): readonly Executable[] {
  return [...new Map(entries.toReversed().map((each) => [keyOf(each), each])).values()].toReversed();
}

function keyOf({ kind, name, text }: Executable): string {
  return [kind, ...(kind === "command" ? [] : [name]), text].join("\0");
}

/** The programs that make and remove a task's environment: outside the wall. */
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

/** A receiver with everything that decides what reaches it: a change of any of these needs a new consent. */
export function noticeEntry(name: ReceiverName, notify: NotifySettings): Executable {
  const { for: kinds, quiet, [name]: value } = notify;
  return { kind: "notice", name, text: canonical({ [name]: value, for: kinds, quiet }) };
}

export interface AgreedNotice {
  readonly name: ReceiverName;
  /** The settings with the person's consent. */
  readonly settings: NotifySettings;
  readonly text: string;
}

/** The receivers with a person's consent that these settings lack or have changed. */
export function agreedNotices(
  record: Pick<TrustRecord, "entries"> | null,
  notify: NotifySettings,
): readonly AgreedNotice[] {
  const present = new Set(receiversOf(notify).map((name) => noticeEntry(name, notify).text));
  return (record?.entries ?? []).flatMap(({ kind, name, text }) => {
    const receiver = RECEIVERS.find((each) => each === name);
    if (kind !== "notice" || receiver === undefined || present.has(text)) return [];
    const settings = attempt(() => ({ ...DEFAULT_SETTINGS.notify, ...JSON.parse(text) }), null);
    return settings === null ? [] : [{ name: receiver, settings, text }];
  });
}

function command(name: string, text: string): Executable {
  return { kind: "command", name, text };
}

function settingEntry(name: string, text: string): Executable {
  return { kind: "setting", name, text };
}

/** Whether the wall permits more, or is off. */
function isLoosened({ kind, read, write }: SandboxSettings): boolean {
  return kind === "none" || read.length > 0 || write.length > 0;
}

/** The settings that give agents and commands more rights than the defaults. */
function loopSettings({ command: called, environment, permission }: BloomSettings): readonly Executable[] {
  return [
    ...(called === DEFAULT_SETTINGS.bloom.command ? [] : [settingEntry("bloom.command", called)]),
    ...(permission === "all" ? [settingEntry("bloom.permission", permission)] : []),
    ...(environment.length === 0 ? [] : [settingEntry("bloom.environment", canonical(environment))]),
  ];
}

/**
 * Whether the entry has a person's consent. A command is the same under any name; otherwise the name counts
 * too.
 */
export function isTrusted(entry: Executable, record: Pick<TrustRecord, "entries"> | null): boolean {
  if (record === null) return false;
  const keys = agreedKeys.get(record.entries) ?? new Set(record.entries.map(keyOf));
  agreedKeys.set(record.entries, keys);
  return keys.has(keyOf(entry));
}

const agreedKeys = new WeakMap<readonly Executable[], ReadonlySet<string>>();

/** Renders each entry, to the letter. A changed entry has its earlier form above it. */
export function renderExecutables(
  entries: readonly Executable[],
  record: Pick<TrustRecord, "entries"> | null,
): string {
  const lines = entries.flatMap((entry) => {
    if (isTrusted(entry, record)) return [`  ${lineOf(entry)}`];
    const isReplaced = (each: Executable) =>
      each.kind === entry.kind &&
      each.name === entry.name &&
      !entries.some((now) => keyOf(now) === keyOf(each));
    const before = record?.entries.find(isReplaced);
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
} as const;

function lineOf({ kind, name, text }: Executable): string {
  return `${KINDS[kind].padEnd(7)} ${visible(name)}: ${visible(text)}`;
}

/** Shows every line separately, and each control as its code point: nothing runs that was not shown. */
export function visible(text: string): string {
  return text
    .replace(
      CONTROLS,
      (each) => `<U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
    )
    .replaceAll("\n", "⏎\n          ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is shown
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
