/**
 * `.alfred/workspace/<id>/task_state.json`. It is read on every call and by `pawl status`, so its shape is checked by
 * hand: no schema library is loaded for it. Keys that are not known here are kept as they are.
 */
import { PawlError } from "../../core/error.ts";
import type { Caller } from "../../core/event.ts";
import type { PinnedBase } from "../../core/ports/git.ts";
import type { Reviewer } from "../../core/settings.ts";
import type { Strength } from "../../core/strength.ts";
import type { Evidence } from "./evidence.ts";
import type { Step } from "./history.ts";
import { isRunTool, isTaskStatus, type RunTool, type TaskStatus } from "./status.ts";

export interface TaskState {
  readonly task_id: string;
  readonly task_status: TaskStatus;
  readonly active_tool_state: ActiveTool | null;
  /** By tool: what its last finished run gave. */
  readonly completed_tool_outputs: Readonly<Record<string, FinishedRun>>;
  /** The commit that the work started from; absent in tasks that an older version began. */
  readonly base?: PinnedBase;
  readonly updated_at: string;
  /** How it came to be as it is, step by step; absent in states of earlier versions. */
  readonly history?: readonly Step[];
}

/** The run of one tool on the task. */
export interface ActiveTool {
  /** The sha-256 of the policy that governs the task. Absent in states of earlier versions. */
  readonly policy?: string;
  readonly task_id: string;
  readonly tool_name: RunTool;
  readonly current_state: string;
  /** The work state under review, where the review states are shared by several. */
  readonly review_source: string | null;
  /** Who reviews, where the review has a state of its own. */
  readonly review_stage: Reviewer | null;
  readonly context_store: ContextStore;
  readonly persona_name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ContextStore {
  /** As configured when the run began; it holds for the run. */
  readonly review_policy: readonly Reviewer[];
  /** The last artifact handed in, until it is accepted; it stays when it is rejected. */
  readonly submitted: Submission | null;
  /** Of the last rejection; cleared when the next artifact is accepted. */
  readonly feedback: Feedback | null;
  readonly accepted: readonly Accepted[];
  /** Notes of approvals; they reach every later prompt. */
  readonly notes: readonly Note[];
  readonly verdicts: readonly Verdict[];
  readonly completed_subtasks: readonly string[];
  /** What the run was begun with, such as a product document. */
  readonly input?: string;
}

export interface Submission {
  /** The work state that it was handed in for. */
  readonly state: string;
  readonly artifact: Artifact;
  readonly sha256: string;
  /** The tree of the work that it is about. */
  readonly tree?: string;
  readonly time: string;
  readonly evidence: Evidence;
  /** Made by the server from the loop's evidence, not handed in. */
  readonly from?: "loop";
}

export interface Accepted {
  readonly state: string;
  readonly artifact: Artifact;
  readonly sha256: string;
  /** The tree of the work that was approved. */
  readonly tree?: string;
  readonly time: string;
  readonly evidence: Evidence;
  readonly from?: "loop";
}

export interface Feedback {
  readonly state: string;
  readonly notes: string;
  readonly stage: Reviewer;
  readonly artifact: Artifact;
}

export interface Note {
  readonly state: string;
  readonly stage: Reviewer;
  readonly notes: string;
}

export interface Verdict {
  readonly state: string;
  readonly stage: Reviewer;
  readonly approved: boolean;
  readonly notes: string;
  readonly time: string;
  readonly who: string | null;
  readonly channel: Caller["channel"];
  /** Of a person's verdict: by which way it came. Absent in files of earlier versions. */
  readonly strength?: Strength;
  /** Of the artifact that was judged. */
  readonly sha256: string;
  /** The tree of the work that was judged. */
  readonly tree?: string;
  /** What the server had found, without the output of checks. */
  readonly evidence: Evidence;
}

export interface FinishedRun {
  readonly started_at: string;
  readonly finished_at: string;
  /** The task's status that the run left. */
  readonly task_status: TaskStatus;
  readonly accepted: readonly Accepted[];
  readonly notes: readonly Note[];
  readonly verdicts: readonly Verdict[];
}

/** Validated against its schema when it was handed in. */
export type Artifact = Readonly<Record<string, unknown>>;

export function newTaskState(id: string, time: string): TaskState {
  return {
    task_id: id,
    task_status: "new",
    active_tool_state: null,
    completed_tool_outputs: {},
    updated_at: time,
  };
}

export function renderState(state: TaskState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Throws `state-unreadable`, naming the line, what was expected and what to do; the file is left as it is. */
export function parseState(text: string, id: string, path: string): TaskState {
  const value = parseJson(text, path);
  const fault = stateFault(value, id);
  if (fault === null) return value as TaskState;
  throw unreadable(path, lineOf(text, fault.at), `${fault.at.join(".")}: ${fault.problem}`);
}

/** A finished run in a file of its own, with the names of its task and tool. Throws `state-unreadable`. */
export function parseFinished(json: string, path: string): FiledRun {
  const value = parseJson(json, path);
  const fault = filedRun(value, []) ?? finishedRun(value, []);
  if (fault === null) return value as FiledRun;
  throw unreadable(path, lineOf(json, fault.at), `${fault.at.join(".")}: ${fault.problem}`);
}

type FiledRun = FinishedRun & { readonly task_id: string; readonly tool_name: string };

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unreadable(path, syntaxLine(text, reason), text.trim() === "" ? "the file is empty" : reason);
  }
}

/** The engine says where in several ways; a file that merely stops has its fault in its last line. */
function syntaxLine(text: string, reason: string): number {
  const position = /position (\d+)/.exec(reason)?.[1];
  const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position));
  return before.split("\n").length;
}

function unreadable(path: string, line: number, problem: string): PawlError {
  return new PawlError(
    "state-unreadable",
    `${path}, line ${line}: the task's state cannot be read: ${problem}. It was left as it is.`,
    `Mend line ${line} of ${path}, or restore the file from a backup. To begin the task's workflow afresh, remove its folder.`,
  );
}

interface Fault {
  readonly at: readonly string[];
  readonly problem: string;
}

type Check = (value: unknown, at: readonly string[]) => Fault | null;

const say = (at: readonly string[], expected: string, found: unknown): Fault => ({
  at: at.length === 0 ? ["(top)"] : at,
  problem: `expected ${expected}, found ${found === undefined ? "nothing" : JSON.stringify(found).slice(0, 80)}`,
});

const text: Check = (value, at) => (typeof value === "string" ? null : say(at, "a text", value));
const flag: Check = (value, at) => (typeof value === "boolean" ? null : say(at, "true or false", value));
const object: Check = (value, at) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? null : say(at, "an object", value);
const orNull =
  (check: Check): Check =>
  (value, at) =>
    value === null ? null : check(value, at);
const optional =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? null : check(value, at);
const oneOf =
  (accepts: (value: unknown) => boolean, expected: string): Check =>
  (value, at) =>
    accepts(value) ? null : say(at, expected, value);
const listOf =
  (check: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return say(at, "a list", value);
    return firstFault(value.map((item, index) => () => check(item, [...at, String(index)])));
  };
const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, at) =>
    object(value, at) ??
    firstFault(
      Object.entries(checks).map(
        ([name, check]) =>
          () =>
            check((value as Record<string, unknown>)[name], [...at, name]),
      ),
    );
const mapOf =
  (check: Check): Check =>
  (value, at) =>
    object(value, at) ??
    firstFault(
      Object.entries(value as object).map(
        ([name, item]) =>
          () =>
            check(item, [...at, name]),
      ),
    );

function firstFault(checks: readonly (() => Fault | null)[]): Fault | null {
  for (const check of checks) {
    const fault = check();
    if (fault) return fault;
  }
  return null;
}

const reviewer = oneOf((value) => value === "ai" || value === "human", '"ai" or "human"');
const status = oneOf(isTaskStatus, "a task status");
const finding = fields({ about: text, verdict: text, words: text });
const accepted = fields({
  state: text,
  artifact: object,
  sha256: text,
  tree: optional(text),
  time: text,
  evidence: listOf(finding),
});
const note = fields({ state: text, stage: reviewer, notes: text });
const verdict = fields({
  state: text,
  stage: reviewer,
  approved: flag,
  notes: text,
  time: text,
  who: orNull(text),
  channel: text,
  sha256: text,
  tree: optional(text),
  evidence: listOf(finding),
});

const finishedRun = fields({
  started_at: text,
  finished_at: text,
  task_status: status,
  accepted: listOf(accepted),
  notes: listOf(note),
  verdicts: listOf(verdict),
});

const filedRun = fields({ task_id: text, tool_name: text });

const activeTool = fields({
  task_id: text,
  tool_name: oneOf(isRunTool, "the name of a workflow tool"),
  current_state: text,
  review_source: orNull(text),
  review_stage: orNull(reviewer),
  context_store: fields({
    review_policy: listOf(reviewer),
    submitted: orNull(accepted),
    feedback: orNull(fields({ state: text, notes: text, stage: reviewer, artifact: object })),
    accepted: listOf(accepted),
    notes: listOf(note),
    verdicts: listOf(verdict),
    completed_subtasks: listOf(text),
  }),
  persona_name: text,
  created_at: text,
  updated_at: text,
});

const step = fields({
  time: text,
  type: text,
  tool: orNull(text),
  status,
  prev: orNull(text),
  standing: optional(fields({ task_status: status, active: orNull(object), finished: object })),
});

const taskState = fields({
  task_id: text,
  task_status: status,
  active_tool_state: orNull(activeTool),
  completed_tool_outputs: mapOf(finishedRun),
  base: optional(fields({ branch: text, commit: text })),
  updated_at: text,
  history: optional(listOf(step)),
});

function stateFault(value: unknown, id: string): Fault | null {
  const fault = taskState(value, []);
  if (fault) return fault;
  const state = value as TaskState;
  if (state.task_id !== id) return say(["task_id"], JSON.stringify(id), state.task_id);
  const active = state.active_tool_state;
  if (active && active.task_id !== id)
    return say(["active_tool_state", "task_id"], JSON.stringify(id), active.task_id);
  return null;
}

/** The line of the value at a path, found by walking the keys in the order of the text. */
export function lineOf(text: string, at: readonly string[]): number {
  let offset = 0;
  for (const key of at) {
    if (/^\d+$/.test(key)) continue;
    const found = text.indexOf(`${JSON.stringify(key)}:`, offset);
    const spaced = text.indexOf(`${JSON.stringify(key)} :`, offset);
    const next = [found, spaced].filter((index) => index >= 0).sort((a, b) => a - b)[0];
    if (next === undefined) break;
    offset = next;
  }
  return text.slice(0, offset).split("\n").length;
}
