/**
 * A dialect: how to call one kind of agent program, and how to read its stream of JSON lines. Pure functions,
 * one small file per dialect; they share the process runner.
 *
 * D1  A run succeeded only if the last event is an end that reports success, the program exited with 0, and
 *     no signal or stop of Pawl's ended it. An exit code alone is never trusted, nor is an end after which
 *     the agent continued to work.
 * D2  Fields of events decide the kind of a failure. Text decides only if the program reports the failure in
 *     no other way (each such text is a constant of the dialect).
 */
import { attempt } from "../../../core/attempt.ts";
import { isObject, parseForeign } from "../../../core/json.ts";
import type {
  AgentEvent,
  AgentFailure,
  AgentOrder,
  AgentUsage,
  Permission,
  QuotaWindow,
} from "../../../core/ports/agents.ts";
import type { Environment } from "../../process/environment.ts";
import type { AgentHome } from "../../wall/homes.ts";

export interface Dialect {
  readonly name: "claude" | "codex" | "opencode" | "gemini" | "scripted";
  /** The program's name on the PATH. */
  readonly program: string;
  /** Matches what `--version` prints for this program and for no other. */
  readonly version: RegExp;
  /** The newest version with which Pawl was tried. Absent: it is part of Pawl. */
  readonly newest?: string;
  /** Names of environment variables that this agent may have: its own settings and its own provider's key. */
  readonly passes: readonly string[];
  /** Whether the order would use options that some versions lack. Then the program's help is read first. */
  needsHelp?(order: Pick<AgentOrder, "allow" | "limits" | "permission">): boolean;
  /** The command line without the program. It never includes the prompt. */
  arguments(call: Call): readonly string[];
  /** Added to the environment. */
  environment(call: Call): Readonly<Record<string, string>>;
  /** The files of the person's home that it may reach behind the wall. */
  home(environment: Environment): readonly AgentHome[];
  /** The file with the login that its program keeps, and the path of its account's id in there. */
  login?(environment: Environment): readonly [file: string, ...path: string[]];
  /** Its own folder, if the sessions that it keeps there say what its account has used. */
  quotaFolder?(environment: Environment): string;
  /** The hosts of its model, and of its login. */
  hosts(environment: Environment): readonly string[];
  /** Files to put into the run's folder for the agent to read, by name. */
  files?(call: Call): Readonly<Record<string, string>>;
  /** Reads one JSON line. */
  read(line: Json): readonly AgentLine[];
  /** The failure that only stderr and the exit code show, or null. */
  failureOf(end: { readonly code: number | null; readonly errors: string }): Fault | null;
}

export interface Call {
  readonly session: AgentOrder["session"];
  readonly permission: Permission;
  readonly allow: readonly string[];
  readonly model: string | undefined;
  /**
   * Folders that the agent must be able to write besides the working folder: git's, for a commit in a
   * workspace, and the outbox.
   */
  readonly writable: readonly string[];
  readonly asRoot: boolean;
  /** Whether it runs behind the wall. */
  readonly walled: boolean;
  /** The run's remaining budget. Passed on if the agent has an option for it. */
  readonly limits: { readonly turns?: number; readonly usd?: number };
  /** The run's folder, absolute. */
  readonly runFolder: string;
  /** Where the agent works, absolute. */
  readonly folder: string;
  /**
   * Whether the installed program has the option, according to its own help; false if `needsHelp` returned
   * false.
   */
  knows(option: string): boolean;
}

export type AgentLine =
  | AgentEvent
  /** One piece of a text that arrives in pieces. */
  | { readonly type: "text-part"; readonly text: string }
  /** A model call. Events with the same id belong to the same call. */
  | { readonly type: "turn"; readonly id: string | null }
  /** The requested model, or the one that answered. */
  | { readonly type: "model"; readonly asked?: string; readonly answered?: string }
  /** The model is working (again): an earlier end does not count. */
  | { readonly type: "working" }
  /** Spent by one model call. */
  | { readonly type: "spent"; readonly usage: AgentUsage }
  /** What the session has cost over all its runs, also those that were ended before they said it; behind the run's own usage. */
  | { readonly type: "cost-in-all"; readonly usd: number }
  /** Spent by the session over all its runs. */
  | { readonly type: "spent-in-all"; readonly usage: AgentUsage }
  /**
   * Everything that was refused in this run, as the agent reports it at its end. It replaces earlier reports.
   */
  | { readonly type: "refusals"; readonly what: readonly string[] }
  /** What the account has used by now. */
  | { readonly type: "quota"; readonly windows: readonly QuotaWindow[] }
  /** The account is limited until then, in milliseconds since 1970. */
  | { readonly type: "limit"; readonly resets: number }
  | { readonly type: "end"; readonly fault: Fault | null };

export interface Fault {
  readonly reason: AgentFailure;
  /** In full: the end of a limit may stand far behind. */
  readonly detail: string;
  /** When the limit ends, in milliseconds since 1970, if a field has it. */
  readonly resets?: number;
  /** Fields of the event that may say when the limit ends, as text, the best first. */
  readonly fields?: readonly string[];
  /** Why the account is refused. */
  readonly refuses?: "key" | "credit" | "model";
}

/** Session arguments as most programs take them: resume a session, or start a new one with that id. */
export function sessionArguments({ session }: Call): string[] {
  if (session.type === "resume") return ["--resume", session.id];
  return session.id ? ["--session-id", session.id] : [];
}

// ── JSON of any shape, read without trust ────────────────────────────────────────────────────────────────────────

export type Json = Readonly<Record<string, unknown>>;

/** Invisible in a terminal: some programs set its title or colour before a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away.
const NOISE = /^(?:\s|\u0007|\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\))+/;

/** Parses a line as an object; null if it is not one. */
export function parseLine(line: string): Json | null {
  const json = line.replace(NOISE, "");
  if (!json.startsWith("{")) return null;
  return attempt(() => {
    const value = parseForeign(json);
    return isObject(value) ? value : null;
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

/** The account is out of money: waiting does not help. */
const NO_CREDIT = /credit balance|insufficient[_ ](quota|funds|credit|balance)|billing_(error|hard_limit)/i;
const NO_MODEL = /model/i;
/** The words for a status of their model's host, of agents that report none. */
const STATUSES: Readonly<Record<number, RegExp>> = {
  401: /\b401\b|authentication|ProviderAuth|invalid.*api.key|\/login\b|not logged in|token (?:has |was )?(?:expired|revoked)|log in again/i,
  402: /credit balance|insufficient.(?:quota|funds|credit|balance)|out of credits|requires more credits|(?:billing|exceeded your current quota)(?!.*\bretry\b)/i,
  404: /model_?not_?found|issue with the selected model|\bmodel\b.*(?:not (?:found|available|supported)|does not exist)|(?:^|: )model: \S/i,
  413: /prompt is too long|context window|ContextOverflow/i,
  429: /\b429\b|rate.limit|(?:usage|session|weekly|hour) limit|limit reached|hit your .{0,30}limit|too many (?:requests|tokens)|\bquota\b|(?:exhausted|out of|reached) your|out of extra usage|spend(?:ing)? cap|usage exceeded/i,
  529: /\b529\b|\b503\b|overload|(?:at|no) capacity|high demand/i,
};

/** Hosts answer these with 400, too. */
const NOT_BAD: Readonly<Record<number, RegExp>> = {
  401: /disabled organization|organization has been disabled/i,
  429: /reached your (?:specified )?(?:API )?usage limit/i,
};

/**
 * The failure that corresponds to an HTTP status of the model's API. Without one, the words of the agent's own end
 * decide: `detail`, or `words` if those say more.
 */
export function faultOfStatus(reported: number | null, detail: string, words = detail): Fault {
  const named = (patterns: Readonly<Record<number, RegExp>>) =>
    Object.keys(patterns)
      .map(Number)
      .find((status) => patterns[status]?.test(words)) ?? null;
  const meant = reported === null || reported === 400 ? named(NOT_BAD) : null;
  const status = meant ?? reported ?? named(STATUSES);
  if (status === 401 || status === 403) return { reason: "account", refuses: "key", detail };
  if (status === 402 || (status !== null && status < 500 && NO_CREDIT.test(detail)))
    return { reason: "account", refuses: "credit", detail };
  if (status === 404 && NO_MODEL.test(words)) return { reason: "account", refuses: "model", detail };
  if (status === 400 || status === 413) return { reason: "bad-request", detail };
  return { reason: status !== null && WAITS.has(status) ? "rate-limit" : "model-error", detail };
}

/** Too many requests, or an overloaded host. */
const WAITS: ReadonlySet<number> = new Set([429, 503, 529]);

/** The spent tokens, for an agent that reports neither a price nor its turns. */
export function tokensAt(value: unknown, input = "input_tokens", output = "output_tokens"): AgentUsage {
  const [inputTokens, outputTokens] = [numberAt(value, input), numberAt(value, output)];
  return { usd: null, inputTokens, outputTokens, turns: null };
}

export function sessionLine(id: string): readonly AgentLine[] {
  return id ? [{ type: "session", id }] : [];
}

/** A model's name as providers write them; other texts, such as claude's `<synthetic>`, are none. */
export function modelLine(side: "asked" | "answered", name: string): readonly AgentLine[] {
  return /^[\w.:/@+-]{1,100}$/.test(name) ? [{ type: "model", [side]: name }] : [];
}

/** The host of a model's address, with its port; none if it is not set. */
export function hostOf(address: string | undefined): readonly string[] {
  const url = address ? URL.parse(address) : null;
  if (!url) return [];
  return [`${url.hostname}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
}

/** The part of a tool's input that interests a person. */
export function toolDetail(input: Json, path = "file_path"): string {
  return shortLine(input.command ?? input[path] ?? input);
}

/** Shows a value in one line, for a person. */
export function shortLine(value: unknown): string {
  return inOneLine(value, 300);
}

/** What an agent says about its failure. */
export function faultWords(value: unknown): string {
  return inOneLine(value, 10_000);
}

function inOneLine(value: unknown, most: number): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
