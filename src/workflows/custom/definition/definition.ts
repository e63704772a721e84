/** A workflow of your own, from a file or a program: its table, and what its runs need besides. */
import type { View } from "../../../core/ports/store.ts";
import type { Extensible } from "../../../engine/extend.ts";
import type { Violation } from "../../../engine/violation.ts";
import type { Command, FactValue, Rule, Workflow } from "../../../engine/workflow.ts";
import type { AgentCommand, AgentEntry } from "../../../runtime/agent-order.ts";
import type { Owners } from "../../../runtime/transaction/check-event.ts";
import type { FactFunction, RuleFunction } from "./functions.ts";
import { renderWithId } from "./template.ts";

export interface Definition {
  readonly table: Workflow;
  /** One sentence that says what it is for. */
  readonly summary?: string;
  /** The source of each input of the table. */
  readonly sources: Readonly<Record<string, FactSource>>;
  /** Events that only a person may send; absent: none. */
  readonly gates?: Readonly<Record<string, Gate>>;
  /** Who acts next, by state; absent: derived from the table. */
  readonly hints?: Readonly<Record<string, StateHint>>;
  /**
   * Globs, relative to the project's folder, of the files that a state with `writes: plan` may change;
   * absent: none.
   */
  readonly planFiles?: readonly string[];
  /** Name → Liquid template in Markdown. */
  readonly replies: Readonly<Record<string, string>>;
  /** The agents that its rules may start, by name; absent: none. */
  readonly agents?: Readonly<Record<string, AgentEntry>>;
  /** The table that it extends: it is then the life of a task, and has no runs of its own. */
  readonly extends?: Extensible;
  /** The prompts of its agents, by name; absent: none. */
  readonly prompts?: Readonly<Record<string, string>>;
}

/**
 * The source of an input's value. In paths and commands, as in `planFiles`, `{{ id }}` stands for the run's
 * id.
 *
 * `file`: `present` or `missing`. `checklist`: from a Markdown file's task list, `none`, `open` or
 * `all-checked`. `git-clean`: `clean`, `dirty` or `unknown`. `git-branch`: the branch's name if the fact
 * lists it, else `other`. `command`: `passed` or `failed`, from the engine's own run of a shell command.
 * `given`: passed by the caller with the event. `children`: the state of the runs that the last `begin` began.
 * `function`: answered by a function of the program.
 */
export type FactSource =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "checklist"; readonly path: string }
  | { readonly type: "git-clean" }
  | { readonly type: "git-branch" }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "given" }
  | { readonly type: "children" }
  | { readonly type: "function"; readonly ask: FactFunction };

/** The keys of each source. */
export const FACT_SOURCES = {
  file: ["type", "path"],
  checklist: ["type", "path"],
  "git-clean": ["type"],
  "git-branch": ["type"],
  command: ["type", "command"],
  given: ["type"],
  children: ["type"],
  function: ["type", "ask"],
} as const satisfies Readonly<Record<FactSource["type"], readonly string[]>>;

/** The values of the facts whose source determines them. */
export const VALUES_OF: Readonly<Partial<Record<FactSource["type"], readonly FactValue[]>>> = {
  file: ["present", "missing"],
  checklist: ["none", "open", "all-checked"],
  "git-clean": ["clean", "dirty", "unknown"],
  command: ["passed", "failed"],
  children: ["none", "open", "failed", "all-done"],
};

/** The event that reports that all runs that a rule began are at rest. Only the engine sends it. */
export const GATHERED = "gathered";

/** The workflow whose runs are the tasks of the project. */
export const BLOOM = "bloom";

/** The value for all branches that the fact does not list. */
export const OTHER_BRANCH = "other";

/** `human`: only a person sends it. `approve` and `reject`: also through the verbs of that name. */
export type Gate = "human" | "approve" | "reject";

/** The name of a state's gate under `gates` of pawl.yaml. */
export function gateName({ table }: Pick<Definition, "table">, state: string): string {
  return `${table.name}.${state}`;
}

/** The gates of the states in which an event reserved for a person moves a run. */
export function gateNames({ gates = {}, table }: Definition): readonly string[] {
  const moving = table.rules.filter(({ on, outcome }) => outcome === "moved" && Object.hasOwn(gates, on));
  return [...new Set(moving.flatMap(({ from }) => from))].map((state) => gateName({ table }, state));
}

export interface StateHint {
  readonly awaits?: Awaited;
  /** The next step, in a few words. */
  readonly next?: string;
}

export type Awaited = "nobody" | "assistant" | "human" | "agent";

/** A rule's command: the engine runs it after the rule's commit, and sends its outcome as the next event. */
export interface RunCommand extends Command {
  readonly type: "run";
  /**
   * A shell command, run in the project's folder. It runs again if its outcome was lost, so repeating it must
   * be safe.
   */
  readonly command?: string;
  /** In place of the command: a function of the program, which defines the workflow. */
  readonly call?: RuleFunction;
  /** The event on exit code 0. */
  readonly passed: string;
  /** The event on any other end. */
  readonly failed: string;
}

/**
 * A rule's order to begin runs: those of another workflow, one for each entry. They begin after the rule's commit, each once;
 * `gathered` is the next event.
 */
export interface BeginCommand extends Command {
  readonly type: "begin";
  /** `bloom`, whose runs are tasks, or another own workflow. */
  readonly workflow: string;
  /** The entries are the tasks that an agent answered last: `planner.tasks`. */
  readonly from?: string;
  /** In place of `from`: a file with an entry in each line, or in each open box. */
  readonly each?: string;
  /** With `each`: the name of the prompt with each run's task. */
  readonly task?: string;
  /** Begins only this many entries: the first ones. */
  readonly first?: number;
  /** In place of `first`: if there are more entries, none begins. */
  readonly most?: number;
  /** The first event of each run of an own workflow. */
  readonly event?: string;
  /** Where a run of an own workflow is done; in its other ends it has failed. Absent: in each of its ends. */
  readonly done?: readonly string[];
  /** Keys of each task of Bloom: where it is worked on and delivered, and by whom. */
  readonly with?: Readonly<Record<string, unknown>>;
}

export type RuleCommand = RunCommand | AgentCommand | BeginCommand;

export function isForAgent(command: RuleCommand): command is AgentCommand {
  return command.type === "run" && command.agent !== undefined;
}

export function isBegin(command: RuleCommand): command is BeginCommand {
  return command.type === "begin";
}

export function commandOf(rule: Rule): RuleCommand | null {
  const command = rule.commands?.find(({ type }) => type === "run" || type === "begin");
  return (command as RuleCommand | undefined) ?? null;
}

export interface RuledBegin {
  readonly rule: Rule;
  readonly command: BeginCommand;
}

/** Every order to begin runs, with the rule that gives it. */
export function beginCommands({ table }: Pick<Definition, "table">): readonly RuledBegin[] {
  return table.rules.flatMap((rule) => {
    const command = commandOf(rule);
    return command && isBegin(command) ? [{ rule, command }] : [];
  });
}

export interface RuledAgent {
  readonly rule: Rule;
  readonly command: AgentCommand;
}

/** Every order to an agent, with the rule that gives it. */
export function agentCommands({ table }: Pick<Definition, "table">): readonly RuledAgent[] {
  return table.rules.flatMap((rule) => {
    const command = agentCommandOf(rule);
    return command ? [{ rule, command }] : [];
  });
}

/** Null: the rule starts no agent. */
export function agentCommandOf(rule: Rule): AgentCommand | null {
  const command = commandOf(rule);
  return command && isForAgent(command) ? command : null;
}

/** The events that can report the command's end. */
export function endsOf(command: RuleCommand): readonly string[] {
  if (isBegin(command)) return [GATHERED];
  if (!isForAgent(command)) return [command.passed, command.failed];
  return Object.values(command.answers ?? {}).flatMap((each) => (Array.isArray(each) ? each : []));
}

/** The command with the run's id, as it is shown, and as the table writes it. */
export function renderCommand(
  { call, command }: Pick<RunCommand, "call" | "command">,
  id: string,
): { readonly command: string; readonly named: string; readonly call?: RuleFunction } {
  if (command !== undefined) return { command: renderWithId(command, id), named: command };
  const named = `${call?.name || "call"}()`;
  return { command: named, named, ...(call ? { call } : {}) };
}

/** The events that report the end of a command or an agent; only the engine sends them. */
export function endEvents({ rules }: Workflow): ReadonlySet<string> {
  return new Set(rules.map(commandOf).flatMap((command) => (command ? endsOf(command) : [])));
}

/** Which events the engine sends, and which need a person's agreement. */
export function ownersOf({ gates = {}, table }: Pick<Definition, "gates" | "table">): Owners {
  return {
    ...Object.fromEntries(Object.keys(gates).map((event) => [event, "person"] as const)),
    ...Object.fromEntries([...endEvents(table)].map((event) => [event, "engine"] as const)),
  };
}

/** A checked definition, with the hash of its table. */
export interface Loaded {
  readonly definition: Definition;
  readonly hash: string;
  /** The place of a violation in its file; absent: a program made it. */
  readonly placeOf?: (violation: Violation) => string;
  /** Its file, and the one that it extends; absent: a program made it. */
  readonly files?: readonly string[];
  /** The file of a reply or a prompt; absent: a program made it. */
  readonly textFile?: (name: string) => string;
}

/**
 * The place of a definition. It is read through a view, so an edit counts at once, and a transaction notices
 * it.
 */
export interface DefinitionSource {
  /** The workflow's name. */
  readonly name: string;
  /** Its file in the project, for messages; null: a program made it. */
  readonly file: string | null;
  /** Throws `workflow-invalid` with all problems. */
  load(view: View): Promise<Loaded>;
}
