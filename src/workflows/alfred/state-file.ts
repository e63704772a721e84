/**
 * `.alfred/workspace/<id>/task_state.json`. It is read on every call and by `pawl status`, so its shape is checked by
 * hand: no schema library is loaded for it. Keys that are not known here are kept as they are.
 */
import type { Caller } from "../../core/event.ts";
import type { PinnedBase } from "../../core/ports/git.ts";
import type { Reviewer } from "../../core/settings.ts";
import {
  accepts,
  expected,
  fields,
  flag,
  type JsonPath,
  listOf,
  mapOf,
  object,
  optional,
  orNull,
  readState,
  type StateFault,
  stateUnreadable,
  text,
} from "../../core/state-json.ts";
import type { Strength } from "../../core/strength.ts";
import type { Position } from "../../engine/workflow.ts";
import type { Evidence } from "./evidence.ts";
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

/** A step of the task's history. */
export interface Step {
  readonly time: string;
  readonly type: "taken-over" | "accepted-edit" | "start" | "event";
  readonly tool: RunTool | null;
  /** Of the tool's table. */
  readonly event?: string;
  /** The task's status afterwards. */
  readonly status: TaskStatus;
  /** Where a run begins. */
  readonly policy?: readonly Reviewer[];
  /** What was handed in. */
  readonly submitted?: string;
  /** As the state keeps it. */
  readonly verdict?: string;
  /** Where the standing is not derived, but taken as it was found. */
  readonly standing?: Standing;
  readonly by?: string;
  readonly strength?: Strength;
  /** The hash of the step before; null: the first. */
  readonly prev: string | null;
}

/** What a state says of itself, as far as it decides anything. */
export interface Standing {
  readonly task_status: TaskStatus;
  readonly active: ActiveStanding | null;
  readonly finished: Readonly<Record<string, RunStanding>>;
}

export interface RunStanding {
  /** By work state: the hash of what was accepted. */
  readonly accepted: Readonly<Record<string, string>>;
  readonly verdicts: readonly string[];
}

export interface ActiveStanding extends RunStanding {
  readonly tool: RunTool;
  readonly position: Position;
  readonly submitted: string | null;
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

const unreadable = (path: string) =>
  stateUnreadable(path, "the task's state", "To begin the task's workflow afresh, remove its folder.");

/** Throws `state-unreadable`, naming the line, what was expected and what to do; the file is left as it is. */
export function parseState(json: string, id: string, path: string): TaskState {
  return readState(json, (value, at) => stateFault(value, at, id), unreadable(path));
}

/** A finished run in a file of its own, with the names of its task and tool. Throws `state-unreadable`. */
export function parseFinished(json: string, path: string): FiledRun {
  return readState(json, (value, at) => filedRun(value, at) ?? finishedRun(value, at), unreadable(path));
}

type FiledRun = FinishedRun & { readonly task_id: string; readonly tool_name: string };

const reviewer = accepts((value) => value === "ai" || value === "human", '"ai" or "human"');
const status = accepts(isTaskStatus, "a task status");
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
  tool_name: accepts(isRunTool, "the name of a workflow tool"),
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

function stateFault(value: unknown, at: JsonPath, id: string): StateFault | null {
  const fault = taskState(value, at);
  if (fault) return fault;
  const { active_tool_state: active, task_id } = value as TaskState;
  if (task_id !== id) return expected(["task_id"], JSON.stringify(id), task_id);
  if (active === null || active.task_id === id) return null;
  return expected(["active_tool_state", "task_id"], JSON.stringify(id), active.task_id);
}
