/**
 * Orders of a table's rows to agents, and their answers: the last JSON object of an agent's last message, checked field by
 * field. If the answer is invalid, the agent gets the faults, once.
 */
import { attempt } from "../core/attempt.ts";
import { isObject, parseForeign } from "../core/json.ts";
import { nearest } from "../core/text/nearest.ts";
import type { Command } from "../engine/workflow.ts";

/** One of a workflow's agents: who it is, what it may do, and what one of its orders may cost. */
export interface AgentEntry {
  /** As in `pawl config agents`; absent: `bloom.agent` of pawl.yaml. */
  readonly agent?: string;
  readonly model?: string;
  /** `read`: it changes nothing. Absent: `edits`. */
  readonly permission?: AgentPermission;
  /** `same`: each of its orders in a run continues its session. Absent: `fresh`. */
  readonly session?: AgentSession;
  /** What one order may cost, with all that it takes to its end. At least one limit. */
  readonly budget: AgentBudget;
}

export const PERMISSIONS = ["read", "ask", "edits", "all"] as const;
export type AgentPermission = (typeof PERMISSIONS)[number];
export const SESSIONS = ["fresh", "same"] as const;
export type AgentSession = (typeof SESSIONS)[number];

export function permissionOf({ permission = "edits" }: Pick<AgentEntry, "permission">): AgentPermission {
  return permission;
}

/** What its entry permits, as the port takes it. */
export function permitted(entry: Pick<AgentEntry, "permission">): {
  readonly permission: Exclude<AgentPermission, "read">;
  readonly readOnly?: true;
} {
  const permission = permissionOf(entry);
  return permission === "read" ? { permission: "ask", readOnly: true } : { permission };
}

export interface AgentBudget {
  readonly usd?: number;
  /** Model calls. */
  readonly turns?: number;
  readonly minutes?: number;
}

/** A rule's order to an agent: `pawl run` lets it work after the rule's commit. Its verdict is the next event. */
export interface AgentCommand extends Command {
  readonly type: "run";
  /** One of the workflow's agents. */
  readonly agent: string;
  /** The name of its prompt. */
  readonly prompt: string;
  /** Absent: as its agent's entry says. */
  readonly session?: AgentSession;
  /** What it answers: exactly one field lists events, of which it names one; the others are texts, or tasks. */
  readonly answers: AgentAnswers;
}

export type AgentAnswers = Readonly<Record<string, "text" | "tasks" | readonly string[]>>;

/** UTF-16 units. What is longer belongs in a file. */
const LONGEST_TEXT = 50_000;

export interface Answer {
  readonly event: string;
  /** By field. */
  readonly texts: Readonly<Record<string, string>>;
}

/** For a person: the faults of an answer that was refused twice. `first`: the faults that the agent got. */
export function refusedTwice(first: string, faults: readonly string[]): string {
  const before = first.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  const words = (all: readonly string[]) => all.join(" ").replaceAll("your last message", "its last message");
  const [one, two] = [words(before), words(faults)];
  return (one === "" || one === two ? two : `${one} Then: ${two}`).replace(/\.$/, "");
}

type Faults = { readonly faults: readonly string[] };

/** Reads the value of a field of tasks, as a text that keeps them. */
export type ReadTasks = (field: string, value: unknown) => { readonly text: string } | Faults;

/** `faults`: what is wrong with it, for the agent. */
export function readAnswer(text: string, answers: AgentAnswers, readTasks: ReadTasks): Answer | Faults {
  const object = lastObject(text);
  if (object === null) return { faults: ["There is no JSON object in your last message."] };
  const fields = Object.keys(answers);
  const faults = Object.keys(object).flatMap((field) => {
    if (fields.includes(field)) return [];
    const near = nearest(field, fields);
    const hint = near ? `did you mean ${near}?` : `expected ${fields.join(", ")}.`;
    return [`${JSON.stringify(field)} is not a field: ${hint}`];
  });
  const texts: Record<string, string> = {};
  let event = "";
  for (const [field, kind] of Object.entries(answers)) {
    const value = object[field];
    const shown = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
    if (kind === "tasks") {
      const list = readTasks(field, value);
      if ("faults" in list) faults.push(...list.faults.map((fault) => `${field}: ${fault}`));
      else texts[field] = list.text;
    } else if (kind !== "text") {
      if (typeof value === "string" && kind.includes(value)) event = value;
      else
        faults.push(
          `${field}: expected ${kind.map((each) => JSON.stringify(each)).join(" or ")}; found ${shown}.`,
        );
    } else if (typeof value !== "string") faults.push(`${field}: expected a string; found ${shown}.`);
    else if (value.length > LONGEST_TEXT)
      faults.push(`${field}: expected at most ${LONGEST_TEXT} characters; found ${value.length}.`);
    else texts[field] = value;
  }
  return faults.length > 0 ? { faults } : { event, texts };
}

/** The prompt for an agent whose answer was refused. */
export function refusedWords(faults: readonly string[]): string {
  return `Your answer cannot be used:\n\n${faults.map((fault) => `- ${fault}`).join("\n")}\n\nGive it again, whole, in your last message.`;
}

/** Limits: UTF-16 units of a text, and the opening braces that are tried for one closing brace. */
const MAX_TEXT = 500_000;
const MAX_BRACES = 200;
/** The limit for finding an answer: one unit for each parsed character. */
const MAX_WORK = 100_000_000;
/** In these units: a text that is no JSON ends with an error. */
const EACH_PARSE = 1_000;
/** In JSON, a name or the end follows the brace. */
const BEGINS = /\{(?=[ \t\r\n]*["}])/g;

/** The last object, in a fence or in plain text: the outermost of those that end at its brace. */
function lastObject(whole: string): Readonly<Record<string, unknown>> | null {
  const text = whole.slice(-MAX_TEXT);
  const starts = Array.from(text.matchAll(BEGINS), ({ index }) => index);
  let left = MAX_WORK;
  for (let end = text.lastIndexOf("}"); end >= 0 && left > 0; end = text.lastIndexOf("}", end - 1)) {
    while ((starts.at(-1) ?? 0) >= end && starts.length > 0) starts.pop();
    if (starts.length === 0) return null;
    let widest: Readonly<Record<string, unknown>> | null = null;
    for (const start of starts.slice(-MAX_BRACES).reverse()) {
      left -= EACH_PARSE + end - start;
      const value = attempt(() => parseForeign(text.slice(start, end + 1)), null);
      if (isObject(value)) widest = value;
    }
    if (widest !== null) return widest;
  }
  return null;
}

/** What agents said last: agent → field → text. */
export type AgentTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The agents' texts, for a person who decides. */
export function answerNotes(said: AgentTexts): readonly { readonly by: string; readonly text: string }[] {
  return Object.entries(said).flatMap(([agent, texts]) => {
    const text = Object.values(texts)
      .filter((each) => each.trim() !== "")
      .join("\n\n");
    return text === "" ? [] : [{ by: `The agent ${agent}`, text }];
  });
}
