/**
 * The accounts of agents: which are limited or refused, until when, and the one wording for it in all
 * displays. There is one record, with the runs' files; with a database it holds for all machines.
 */

import { type ProjectPath, projectPath } from "../core/path.ts";
import type {
  AgentAccount,
  AgentFailure,
  Limited,
  QuotaWindow,
  RestingAccount,
} from "../core/ports/agents.ts";
import type { WorkPorts } from "../core/ports/loop.ts";
import type { RestingAgent } from "../core/ports/loop-end.ts";
import type { Change, View } from "../core/ports/store.ts";
import { agentsFor, type BloomSettings } from "../core/settings.ts";
import {
  accepts,
  as,
  fields,
  listOf,
  mapOf,
  number,
  orNull,
  readState,
  text,
  unreadableStateError,
} from "../core/state-json.ts";
import { clockOf, dayOf } from "../core/text/local-time.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The service's clock may be seconds off. */
const AFTER_RESET = 3 * SECOND;
/** Spreading the restarts keeps them from all hitting the service at once. */
const SPREAD = 15 * SECOND;
/** A reset further away than this is a misreading. */
const LONGEST_REST = 8 * 24 * HOUR;
/** A time nearer than this is shown without its day. */
const NEAR = 20 * HOUR;
/** The clocks of two machines may differ by this much. */
const SKEW = 2 * MINUTE;

// ── The record ─────────────────────────────────────────────────────────────────────────────────────────────

export const ACCOUNTS: ProjectPath = projectPath(".pawl/accounts.json");

export interface Accounts {
  /** The accounts that are limited or refused, each until its agent has worked again. */
  readonly rests: readonly AgentRest[];
  /** Of all accounts with which agents have worked. */
  readonly quotas: readonly Quota[];
}

/** What an account has used of its quota; no windows: its agent does not report it. */
export interface Quota {
  readonly agent: string;
  readonly account: string;
  readonly windows: readonly QuotaWindow[];
  /** By the window's name: how much of it each of the last runs took, newest last. */
  readonly took: Readonly<Record<string, readonly number[]>>;
}

/** The rest of an agent whose account is limited or refused. */
export interface AgentRest
  extends Pick<RestingAccount, "account" | "agent" | "resets_at" | "source" | "state"> {
  /** The agent's own message, and what a person can do about it. */
  readonly words: string;
  /** When the first of the consecutive rests began. */
  readonly since: string;
  /** When this one began. */
  readonly at: string;
  /** Its end: the reset, or the time of the next attempt if no reset is known. */
  readonly until: string;
  /** The fix, for a person: it is `exhausted`. */
  readonly mend?: string;
  /** The number of consecutive rests. */
  readonly count: number;
}

/** The account of an agent that no other machine has. */
export const HERE = "here";

/** This machine's account of an agent, by the agent's name. */
export type AccountOf = (agent: string) => string;

/** This machine's: `host` if others take part. */
export function accountsHere({ agents, host = HERE }: Pick<WorkPorts, "agents" | "host">): AccountOf {
  return (agent) => agents.accountOf(agent) ?? host;
}

const REST = fields({
  ...{ agent: text, account: text, state: text, words: text, since: text, at: text, until: text },
  ...{ resets_at: orNull(text), source: text, count: number },
});
const WINDOW = fields({ name: text, used: number, resets: text });
const QUOTA = fields({ agent: text, account: text, windows: listOf(WINDOW), took: mapOf(listOf(number)) });
const RECORD = fields({
  version: accepts((value) => value === 1, "1"),
  rests: listOf(REST),
  quotas: listOf(QUOTA),
});

/** Throws `state-unreadable`. */
export async function loadAccounts(view: View): Promise<Accounts> {
  const json = await view.read(ACCOUNTS);
  if (json === null) return { rests: [], quotas: [] };
  const remedy = "Or delete it: then each agent is asked again.";
  return readState<Accounts>(
    json,
    as(RECORD),
    unreadableStateError(ACCOUNTS, "what is known of agents", remedy),
  );
}

/** Empty if nothing has changed. */
export function accountChanges(before: Accounts, after: Accounts): readonly Change[] {
  if (before === after) return [];
  const text = `${JSON.stringify({ version: 1, ...after }, null, 2)}\n`;
  return [{ type: "write", path: ACCOUNTS, text }];
}

/** What the end of a run says about its agent's account. */
export interface AccountReport {
  readonly agent: string;
  /** When the run began. */
  readonly began: string;
  /** Null: the agent has worked. */
  readonly limited: Limited | null;
  /** It did not begin, because too little is left. */
  readonly early?: true;
  readonly quota?: readonly QuotaWindow[];
}

/**
 * Whether a run shows that its agent's account is open, if it met no limit. One that did not begin, or that the loop or a
 * person stopped, may not have come so far.
 */
export function showsAccount({
  end,
  stop,
}: {
  readonly end:
    | { readonly outcome: "succeeded" }
    | { readonly outcome: "failed"; readonly reason: AgentFailure };
  readonly stop: string | null;
}): boolean {
  if (stop !== null && stop !== "budget") return false;
  return end.outcome === "succeeded" || !["not-installed", "bad-session"].includes(end.reason);
}

export function withReport(
  accounts: Accounts,
  report: AccountReport,
  accountOf: AccountOf = () => HERE,
  now: string,
): Accounts {
  const { agent, limited, quota } = report;
  const whose = { agent, account: accountOf(agent) };
  const isNew = limited === null && !accounts.quotas.some((each) => isOf(each, whose));
  const quotas =
    quota === undefined && !isNew ? accounts.quotas : withQuota(accounts.quotas, whose, quota ?? []);
  const merged = quotas === accounts.quotas ? accounts : { ...accounts, quotas };
  return withRest(merged, { ...report, ...whose }, now);
}

/** A window is the same one if it is renewed at about the same time. */
const SAME_WINDOW = 2 * MINUTE;
const RUNS_REMEMBERED = 5;

function withQuota(
  quotas: readonly Quota[],
  whose: Whose,
  windows: readonly QuotaWindow[],
): readonly Quota[] {
  const before = quotas.find((quota) => isOf(quota, whose));
  const took = windows.flatMap((window) => {
    const last = before?.windows.find(({ name, resets }) => {
      const apart = Math.abs(Date.parse(resets) - Date.parse(window.resets));
      return name === window.name && apart < SAME_WINDOW;
    });
    const took = before?.took[window.name] ?? [];
    // Agents at work side by side report in turn: each gets what was used since the one before.
    const grown = last === undefined ? [] : [Math.max(0, window.used - last.used)];
    return [[window.name, [...took, ...grown].slice(-RUNS_REMEMBERED)] as const];
  });
  const quota = { ...whose, windows, took: { ...before?.took, ...Object.fromEntries(took) } };
  return [...quotas.filter((each) => each !== before), quota];
}

/** Why the agent should not begin before the reset; null: enough is left, or how much is unknown. */
export function quotaLimit({ took, windows }: Quota, now: string): Limited | null {
  const short = windows
    .flatMap(({ name, resets, used }) => {
      const [left, most] = [1 - used, Math.max(0, ...(took[name] ?? []))];
      if (left >= most || resets <= now) return [];
      const words = `${percent(left)} of its ${name} quota are left, and a run took up to ${percent(most)}`;
      return [{ words, resets }];
    })
    .sort((one, other) => (one.resets < other.resets ? 1 : -1));
  return short[0] ?? null;
}

function percent(share: number): string {
  return `${Math.max(0, Math.round(share * 1000) / 10)} %`;
}

function withRest(
  accounts: Accounts,
  report: AccountReport & { readonly account: string },
  now: string,
): Accounts {
  const { began, limited } = report;
  const stored = accounts.rests.find((rest) => isOf(rest, report)) ?? null;
  const before = stored !== null && isVoid(stored, now) ? null : stored;
  if (limited === null) {
    // A run that was at work when the limit was found has not shown that it is over.
    if (before === null || began < before.at) return accounts;
    return { ...accounts, rests: accounts.rests.filter((rest) => rest !== before) };
  }
  const rest = restOf(limited, report, before, now);
  return { ...accounts, rests: [...accounts.rests.filter((each) => each !== stored), rest] };
}

/** `before`: the preceding rest, if the agent did no work in between. */
function restOf(
  { byWords, mend, resets, words }: Limited,
  { account, agent, began, early }: AccountReport & { readonly account: string },
  before: AgentRest | null,
  now: string,
): AgentRest {
  const time = Date.parse(now);
  // Several runs meet the same limit.
  const isSame = before !== null && began < before.at;
  const count = (before?.count ?? 0) + (isSame ? 0 : 1);
  const reset = resets === null ? Number.NaN : Date.parse(resets);
  // A reset in the past that did not help is no information.
  const isKnown =
    mend === undefined && reset < time + LONGEST_REST && (reset > time || before === null || isSame);
  // After two resets that did not help, a short one is not reliable: an agent may report a day's quota as some
  // seconds.
  const wait = Math.max(reset - time + AFTER_RESET, count > 2 ? backoff(count - 2) : AFTER_RESET);
  const away = isKnown ? wait : mend === undefined ? backoff(count) : HOUR;
  const until = new Date(time + away).toISOString();
  const named = early === true ? "quota" : byWords === true ? "message" : "event";
  const rest: AgentRest = {
    ...{ agent, account, words, count, until, at: now, since: before?.since ?? now },
    ...{ resets_at: isKnown ? resets : null, source: isKnown ? named : "none" },
    ...(mend === undefined ? { state: "limited" } : { state: "exhausted", mend }),
  };
  if (!isSame) return rest;
  return { ...(before.until > until ? before : rest), at: before.at };
}

function backoff(count: number): number {
  return Math.min(HOUR, MINUTE * 2 ** (count - 1));
}

/** These agents are checked again at once, whatever is known of their quota. */
export function lifted(accounts: Accounts, now: string, lifts: (rest: AgentRest) => boolean): Accounts {
  if (!accounts.rests.some((rest) => lifts(rest) && rest.until > now)) return accounts;
  const rests = accounts.rests.map((rest) =>
    lifts(rest) && rest.until > now
      ? { ...rest, until: now, resets_at: null, source: "none" as const }
      : rest,
  );
  const isAsked = (quota: Quota) => accounts.rests.some((rest) => lifts(rest) && isOf(rest, quota));
  const quotas = accounts.quotas.map((quota) => (isAsked(quota) ? { ...quota, windows: [] } : quota));
  return { rests, quotas };
}

type Whose = Pick<AgentRest, "account" | "agent">;

function isOf(one: Whose, other: Whose): boolean {
  return one.agent === other.agent && one.account === other.account;
}

/** By agent name, of this machine's accounts. */
export function quotasIn({ quotas }: Accounts, accountOf?: AccountOf): ReadonlyMap<string, Quota> {
  const relevant = quotas.filter(
    ({ account, agent }) => accountOf === undefined || accountOf(agent) === account,
  );
  return new Map(relevant.map((quota) => [quota.agent, quota]));
}

// ── Who rests ──────────────────────────────────────────────────────────────────────────────────────────────

/** By agent name. */
export type Rests = ReadonlyMap<string, AgentRest>;

/** Each agent's longest rest, over or not. `accountOf`: only those of this machine's accounts. */
export function restsIn({ rests }: Accounts, now: string, accountOf?: AccountOf): Rests {
  const found = new Map<string, AgentRest>();
  for (const rest of rests) {
    if (accountOf !== undefined && accountOf(rest.agent) !== rest.account) continue;
    if (isVoid(rest, now)) continue;
    const other = found.get(rest.agent);
    if (other === undefined || other.until < rest.until) found.set(rest.agent, rest);
  }
  return found;
}

/** It began after `now`, so it predates a change of the clock. */
function isVoid({ at }: AgentRest, now: string): boolean {
  return Date.parse(at) > Date.parse(now) + SKEW;
}

/** The rests that still last. */
export function activeRests(rests: Rests, now: string): Rests {
  return new Map([...rests].filter(([, { until }]) => until > now));
}

/** Milliseconds until the task may ask the agent again. */
export function restLeft({ resets_at, until }: AgentRest, task: string, now: string): number {
  return Math.max(0, Date.parse(until) + (resets_at !== null ? spreadOf(task) : 0) - Date.parse(now));
}

function spreadOf(task: string): number {
  let sum = 0;
  for (const character of task) sum = (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0;
  return sum % SPREAD;
}

/** What is worked on, with an agent of its own or without. */
interface Work {
  readonly agent?: string | undefined;
}

/** The agent that works on the task: the task's own, else the run's stand-in, else the project's. */
export function agentOf(
  task: Work,
  run: { readonly standIn?: string | null | undefined } | undefined,
  settings: Pick<BloomSettings, "agent">,
): string {
  return task.agent ?? run?.standIn ?? settings.agent;
}

/** The agent that takes the task over while this agent rests; null: none, so the task waits. */
export function nextAgent(
  task: Work,
  agent: string,
  settings: Pick<BloomSettings, "agent" | "stand_ins">,
  resting: Rests,
): string | null {
  return agentsFor(task, settings).find((name) => name !== agent && !resting.has(name)) ?? null;
}

/** The rest that a task of the agent waits for: of those of all its agents the one that ends first. Null: none. */
export function awaitedRest(
  task: Work,
  agent: string,
  settings: Pick<BloomSettings, "agent" | "stand_ins">,
  resting: Rests,
): AgentRest | null {
  if (!resting.has(agent) || nextAgent(task, agent, settings, resting) !== null) return null;
  return firstToEnd(new Set([agent, ...agentsFor(task, settings)]), resting);
}

/** The rest of these agents that ends first; null: none of them rests. */
export function firstToEnd(agents: Iterable<string> | null | undefined, rests: Rests): AgentRest | null {
  return [...(agents ?? [])].flatMap((name) => rests.get(name) ?? []).sort(byEnd)[0] ?? null;
}

/** Milliseconds until the task may ask one of the agents again. */
export function waitForOne(agents: readonly string[], task: string, now: string, rests: Rests): number {
  const waits = agents.map((name) => {
    const rest = rests.get(name);
    return rest === undefined ? 0 : restLeft(rest, task, now);
  });
  return Math.min(...waits);
}

/** Those that only a person can fix come last. */
function byEnd(one: AgentRest, other: AgentRest): number {
  const [first = "", second = ""] = [one, other].map(
    ({ mend, until }) => `${mend === undefined ? 0 : 1} ${until}`,
  );
  return first < second ? -1 : 1;
}

// ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────

/** `claude rests until 03:02`. */
export function restWords({ agent, mend, resets_at, since, until }: AgentRest): string {
  if (mend !== undefined) return `${agent} cannot work: ${mend}`;
  const at = new Date(until);
  const day = at.getTime() - Date.parse(since) < NEAR ? "" : `${dayOf(at)} `;
  const time = `${day}${clockOf(at)}`;
  return resets_at !== null
    ? `${agent} rests until ${time}`
    : `${agent} rests, and is asked again at ${time}`;
}

/** `restWords` plus the agent's own message. */
export function restReason(rest: AgentRest): string {
  return `${restWords(rest)} (${rest.words})`;
}

export function shownRest(rest: AgentRest): RestingAccount {
  const { account, agent, mend, resets_at, source, state, until } = rest;
  return {
    ...{ agent, account, state, resets_at, source },
    ...{ until: mend === undefined ? until : null, words: restWords(rest) },
  };
}

/** Every known account, as it is now. */
export function listAccounts({ quotas, rests }: Accounts, now: string): readonly AgentAccount[] {
  const lasts = rests.filter((rest) => rest.until > now && !isVoid(rest, now));
  const open = quotas.filter((quota) => !lasts.some((rest) => isOf(rest, quota)));
  return [...lasts.map(shownRest), ...open.map((quota) => openAccount(quota, now))].sort((one, other) =>
    `${one.agent} ${one.account}` < `${other.agent} ${other.account}` ? -1 : 1,
  );
}

function openAccount({ account, agent, windows }: Quota, now: string): AgentAccount {
  const [least] = windows.filter(({ resets }) => resets > now).sort((one, other) => other.used - one.used);
  const base = { agent, account, state: "open", until: null } as const;
  if (least === undefined) return { ...base, resets_at: null, source: "none", words: `${agent} is open` };
  const { name, resets, used } = least;
  const at = new Date(resets);
  const day = at.getTime() - Date.parse(now) < NEAR ? "" : `${dayOf(at)} `;
  const words = `${agent} is open, with ${percent(1 - used)} of its ${name} quota until ${day}${clockOf(at)}`;
  return { ...base, resets_at: resets, source: "quota", words };
}

interface Waiting<Task> {
  /** The agent that works on the task next; null: nothing is left for an agent. */
  agentFor(task: Task): string | null;
  /** The agent that the task waits for, if that is all it waits for; else null. */
  waitsFor(task: Task): string | null;
}

export function listResting<Task extends { readonly id: string }>(
  open: readonly Task[],
  resting: Rests,
  { agentFor, waitsFor }: Waiting<Task>,
): readonly RestingAgent[] {
  if (resting.size === 0) return [];
  const agents = new Set(open.map(agentFor).filter((agent) => agent !== null));
  const others = [...agents].filter((agent) => !resting.has(agent));
  return [...resting].map(([agent, rest]) => ({
    ...shownRest(rest),
    tasks: open.filter((task) => waitsFor(task) === agent).map(({ id }) => id),
    others,
  }));
}

/** `claude rests until 03:02; 4 tasks wait; codex goes on`. */
export function restLine({ others, tasks, words }: Pick<RestingAgent, "others" | "tasks" | "words">): string {
  const wait =
    tasks.length === 0 ? [] : [`${tasks.length} ${tasks.length === 1 ? "task waits" : "tasks wait"}`];
  const goOn =
    others.length === 0 ? [] : [`${others.join(", ")} ${others.length === 1 ? "goes on" : "go on"}`];
  return [words, ...wait, ...goOn].join("; ");
}
