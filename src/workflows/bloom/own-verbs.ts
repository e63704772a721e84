/**
 * What the loop's agents may call: their own verbs, about their own task, and read-only commands. No gate is
 * among them.
 */
import { PawlError } from "../../core/error.ts";
import type { Caller } from "../../core/event.ts";
import type { DeferredCall } from "../../core/ports/agents.ts";
import type { Reply, Transaction } from "../../runtime/module.ts";
import { findStep } from "../../tasks-file/steps.ts";
import type { TasksFile } from "../../tasks-file/task.ts";
import { note } from "./verbs/person.ts";
import { ask } from "./verbs/question.ts";
import { done } from "./verbs/status.ts";
import { stepDone } from "./verbs/step.ts";

// biome-ignore lint/suspicious/noExplicitAny: each verb has an input of its own
type AnyTransaction = Transaction<any, any, any, Reply>;
type Given = Readonly<Record<string, unknown>>;

interface OwnVerb {
  /** The input fields that an agent may set; the others are reserved for a person. */
  readonly says: readonly string[];
  /** The task that a call is about; null: no such task, as the verb itself will report. */
  readonly about: (input: Given, file: TasksFile) => unknown;
  readonly transaction: AnyTransaction;
}

const OWN: Readonly<Record<string, OwnVerb>> = {
  "step done": {
    says: ["id"],
    about: ({ id }, { tasks }) => findStep(tasks, String(id))?.task.id ?? null,
    transaction: stepDone,
  },
  done: {
    says: ["id", "nothing"],
    about: ({ id }) => id,
    transaction: done,
  },
  ask: {
    says: ["task", "text", "blocking"],
    about: ({ task }) => task,
    transaction: ask,
  },
  note: {
    says: ["id", "text"],
    about: ({ id }) => id,
    transaction: note,
  },
};

const MAY_BE_LEFT_OUT: ReadonlySet<string> = new Set(["blocking", "nothing"]);

/** Commands of the program that change nothing. */
const READ_ONLY = [
  ...["list", "show", "next", "validate", "prompt", "questions", "step show", "step list"],
  ...[
    "status",
    "log",
    "check",
    "diagram",
    "config",
    "worktrees",
    "repo list",
    "agents",
    "completion",
    "doctor",
    "workflow try",
    "lumos",
  ],
];

export const OWN_VERBS: readonly string[] = Object.keys(OWN);

export function changesNothing(command: string): boolean {
  return READ_ONLY.includes(command);
}

/**
 * Throws `caller-not-allowed` if the caller belongs to one of the loop's runs and may not use the command.
 */
export function checkCommand(name: string, caller: Caller): void {
  if (caller.task === undefined || changesNothing(name)) return;
  if (!OWN_VERBS.includes(name))
    throw refusedCallError(caller, `\`${name}\` is for people only`, "Leave it to a person, or ask one");
  if (caller.task === null)
    throw refusedCallError(
      caller,
      "it cannot prove that it is that run's agent: PAWL_RUN_CAPABILITY is missing, wrong, or of a run that is over",
      `Call \`${name}\` from a command of the agent itself, with the environment that it was given`,
    );
}

/** The verb, limited to the input fields that its caller may set. */
export function guarded(name: string, transaction: AnyTransaction): AnyTransaction {
  return {
    ...transaction,
    propose(loaded, gathered, input, context) {
      if (context.caller.task !== undefined && transaction.run(input) !== null)
        checkCall(name, input, loaded.file, context.caller);
      return transaction.propose(loaded, gathered, input, context);
    },
  };
}

function checkCall(name: string, input: Given, file: TasksFile, caller: Caller): void {
  checkCommand(name, caller);
  const allowed = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  const more = Object.keys(input).find((key) => !allowed?.says.includes(key) && isGiven(input[key]));
  if (more !== undefined)
    throw refusedCallError(caller, `\`${name} --${more}\` is a person's word`, `Call \`${name}\` without it`);
  const task = allowed?.about(input, file) ?? null;
  if (task !== null && task !== caller.task)
    throw refusedCallError(
      caller,
      `\`${name}\` would speak for ${task}, which is not its task`,
      `Speak for ${caller.task} only; what other tasks need, say in a note of ${caller.task}`,
    );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function refusedCallError({ who = "a run", task }: Caller, why: string, fix: string): PawlError {
  const whose = task ? `${task}'s agent (run ${who})` : `a process of the run ${who}`;
  return new PawlError("caller-not-allowed", `This is ${whose}, and ${why}. Nothing was changed.`, `${fix}.`);
}

/** The verb's input from a deferred call; null: agents may not make this call. */
export function readCall({
  verb,
  input,
}: DeferredCall): { transaction: AnyTransaction; input: Given } | null {
  const allowed = Object.hasOwn(OWN, verb) ? OWN[verb] : undefined;
  if (!allowed) return null;
  const texts = Object.entries(input).filter(([name]) => allowed.says.includes(name));
  const isRight = texts.every(
    ([name, value]) => typeof value === (name === "blocking" ? "boolean" : "string"),
  );
  const isWhole = allowed.says.every(
    (name) => MAY_BE_LEFT_OUT.has(name) || texts.some(([given]) => given === name),
  );
  if (!isRight || !isWhole) return null;
  return { transaction: guarded(verb, allowed.transaction), input: Object.fromEntries(texts) };
}
