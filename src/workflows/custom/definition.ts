/** A workflow of your own, from a file or a program: its table, and what its runs need besides. */
import type { View } from "../../core/ports/store.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Command, FactValue, Rule, Workflow } from "../../engine/workflow.ts";
import type { Owners } from "../../runtime/transaction/check-event.ts";

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
}

/**
 * The source of an input's value. In paths and commands, as in `planFiles`, `{{ id }}` stands for the run's
 * id.
 *
 * `file`: `present` or `missing`. `checklist`: from a Markdown file's task list, `none`, `open` or
 * `all-checked`. `git-clean`: `clean`, `dirty` or `unknown`. `git-branch`: the branch's name if the fact
 * lists it, else `other`. `command`: `passed` or `failed`, from the engine's own run of a shell command.
 * `given`: passed by the caller with the event.
 */
export type FactSource =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "checklist"; readonly path: string }
  | { readonly type: "git-clean" }
  | { readonly type: "git-branch" }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "given" };

/** The keys of each source. */
export const FACT_SOURCES = {
  file: ["type", "path"],
  checklist: ["type", "path"],
  "git-clean": ["type"],
  "git-branch": ["type"],
  command: ["type", "command"],
  given: ["type"],
} as const satisfies Readonly<Record<FactSource["type"], readonly string[]>>;

/** The values of the facts whose source determines them. */
export const VALUES_OF: Readonly<Partial<Record<FactSource["type"], readonly FactValue[]>>> = {
  file: ["present", "missing"],
  checklist: ["none", "open", "all-checked"],
  "git-clean": ["clean", "dirty", "unknown"],
  command: ["passed", "failed"],
};

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
  readonly command: string;
  /** The event on exit code 0. */
  readonly passed: string;
  /** The event on any other end. */
  readonly failed: string;
}

export function commandOf(rule: Rule): RunCommand | null {
  const command = rule.commands?.find(({ type }) => type === "run");
  return (command as RunCommand | undefined) ?? null;
}

/** The events that report the end of a command; only the engine sends them. */
export function endEvents({ rules }: Workflow): ReadonlySet<string> {
  return new Set(
    rules.map(commandOf).flatMap((command) => (command ? [command.passed, command.failed] : [])),
  );
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
