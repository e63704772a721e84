/**
 * A dialect: how one kind of agent program is called, and what its stream of JSON lines means. Pure functions, one small
 * file each; the process runner is common to all.
 *
 * D1  A run succeeded only if the last thing heard is an end that says so, the program exited with 0, and it was neither
 *     signalled nor stopped by us. An exit code alone is never trusted, nor is an end after which work went on.
 * D2  What kind of failure it was is taken from fields of events where there are any; from a text only where the program
 *     tells it by no other way (each such text is a constant of the dialect).
 */
import { attempt } from "../../core/attempt.ts";
import type {
  AgentEvent,
  AgentFailure,
  AgentOrder,
  AgentUsage,
  Permission,
} from "../../core/ports/agents.ts";
import type { Environment } from "../process/environment.ts";
import type { HomePlace } from "../wall/homes.ts";

export interface Dialect {
  readonly name: "claude" | "codex" | "opencode" | "gemini" | "scripted";
  /** The program's name on the PATH. */
  readonly program: string;
  /** What `--version` prints of this program and of no other. */
  readonly version: RegExp;
  /** Names of the environment that this agent may have: its own settings and its own provider's key. */
  readonly passes: readonly string[];
  /** Whether options that not every version has would be used for it: then the program's help is asked first. */
  needsHelp?(order: Pick<AgentOrder, "allow" | "limits" | "permission">): boolean;
  /** The command line without the program. The prompt never is part of it. */
  arguments(call: Call): readonly string[];
  /** Added to the environment. */
  environment(call: Call): Readonly<Record<string, string>>;
  /** What it has in the person's home, behind the wall. */
  home(environment: Environment): readonly HomePlace[];
  /** What is kept in the run's folder for the agent to read, by name. */
  files?(call: Call): Readonly<Record<string, string>>;
  /** What one JSON line tells. */
  read(line: Json): readonly Told[];
  /** The failure that only standard error and the exit code tell, or null. */
  failureOf(end: { readonly code: number | null; readonly errors: string }): Fault | null;
}

export interface Call {
  readonly session:
    | { readonly type: "new"; readonly id?: string }
    | { readonly type: "resume"; readonly id: string };
  readonly permission: Permission;
  readonly allow: readonly string[];
  readonly model: string | undefined;
  /** Folders outside the working folder that must be written: git's for a commit in a worktree, and the outbox. */
  readonly writable: readonly string[];
  readonly asRoot: boolean;
  /** The wall is around it. */
  readonly walled: boolean;
  /** What the run may still spend: passed on where the agent has an option for it. */
  readonly limits: { readonly turns?: number; readonly usd?: number };
  /** The run's folder, absolute. */
  readonly runFolder: string;
  /** Where the agent works, absolute. */
  readonly folder: string;
  /** Whether the installed program has the option, as its own help tells; false where `needsHelp` did not ask. */
  knows(option: string): boolean;
}

export type Told =
  | AgentEvent
  /** A piece of a text that comes in pieces. */
  | { readonly type: "text-part"; readonly text: string }
  /** The model was asked; what comes with the same id is of the same call. */
  | { readonly type: "turn"; readonly id: string | null }
  /** The model is at work (again): an end heard before is none. */
  | { readonly type: "working" }
  /** Spent by one model call. */
  | { readonly type: "spent"; readonly usage: AgentUsage }
  /** Spent by the session since it was new, over all its runs. */
  | { readonly type: "spent-in-all"; readonly usage: AgentUsage }
  /** All that was refused in this run, as the agent tells it at its end: better than what was heard meanwhile. */
  | { readonly type: "refusals"; readonly what: readonly string[] }
  | { readonly type: "end"; readonly fault: Fault | null };

export interface Fault {
  readonly reason: AgentFailure;
  readonly detail: string;
}

/** As most programs take their session: one to resume, or a new one of that id. */
export function sessionArguments({ session }: Call): string[] {
  if (session.type === "resume") return ["--resume", session.id];
  return session.id ? ["--session-id", session.id] : [];
}

// ── JSON of any shape, read without trust ────────────────────────────────────────────────────────────────────────

export type Json = Readonly<Record<string, unknown>>;

/** The object that a line is, or null. */
export function parseLine(line: string): Json | null {
  if (!line.trimStart().startsWith("{")) return null;
  return attempt(() => {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  }, null);
}

export function objectAt(value: unknown, ...path: readonly string[]): Json {
  let here: unknown = value;
  for (const key of path) here = isObject(here) ? here[key] : undefined;
  return isObject(here) ? here : {};
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : "";
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = valueAt(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return objectAt(value, ...path.slice(0, -1))[path[path.length - 1] ?? ""];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

/** The failure that an HTTP status of the model's API means. */
export function faultOfStatus(status: number | null, detail: string): Fault {
  return { reason: status === 429 || status === 529 ? "rate-limit" : "model-error", detail };
}

/** The tokens that were spent, where the agent tells neither a price nor its turns. */
export function tokensAt(value: unknown, input = "input_tokens", output = "output_tokens"): AgentUsage {
  const [inputTokens, outputTokens] = [numberAt(value, input), numberAt(value, output)];
  return { usd: null, inputTokens, outputTokens, turns: null };
}

export function sessionTold(id: string): readonly Told[] {
  return id ? [{ type: "session", id }] : [];
}

/** What a tool was called with, as far as a person wants to know it. */
export function toolDetail(input: Json, path = "file_path"): string {
  return shortly(input.command ?? input[path] ?? input);
}

/** A value in one line, for a person. */
export function shortly(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
