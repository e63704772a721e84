/**
 * `.alfred/workspace/<id>/task_state.json`. It is read on every call and by `pawl status`, so its shape is
 * checked by hand, which saves loading a schema library. Unknown keys are kept.
 */
import type { Caller } from "../../../core/event.ts";
import type { Reviewer } from "../../../core/settings.ts";
import {
  accepts,
  as,
  type Checked,
  expected,
  fields,
  flag,
  type JsonPath,
  listOf,
  mapOf,
  number,
  object,
  optional,
  orNull,
  readState,
  type StateFault,
  sha256,
  text,
  unchecked,
  unreadableStateError,
} from "../../../core/state-json.ts";
import type { Strength } from "../../../core/strength.ts";
import type { StoredConfiguration } from "../../../runtime/run-log/history.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { isRunTool, isTaskStatus, type RunTool, type TaskStatus } from "./status.ts";

/** The part of a state that decides what may happen next. */
export interface ReplayedState {
  readonly task_status: TaskStatus;
  readonly active: ReplayedActiveRun | null;
  readonly finished: Readonly<Record<string, ReplayedRun>>;
}

export interface ReplayedRun {
  /** By work state: the hash of what was accepted. */
  readonly accepted: Readonly<Record<string, string>>;
  readonly verdicts: readonly string[];
}

export interface ReplayedActiveRun extends ReplayedRun {
  readonly tool: RunTool;
  readonly position: StoredConfiguration;
  readonly submitted: string | null;
}

/** Validated against its schema when it was submitted. */
export type Artifact = Readonly<Record<string, unknown>>;

const reviewer = accepts<Reviewer>((value) => value === "ai" || value === "human", '"ai" or "human"');
const status = accepts<TaskStatus>(isTaskStatus, "a task status");
const tool = accepts<RunTool>(isRunTool, "the name of a workflow tool");
const evidence = as<Evidence>(listOf(fields({ about: text, verdict: text, words: text })));

const submission = fields({
  /** The work state for which it was submitted. */
  state: text,
  artifact: object,
  sha256: text,
  /** The tree of the judged work. */
  tree: optional(text),
  time: text,
  evidence,
  /** Made by the server from the loop's evidence, not submitted by an assistant. */
  from: optional(unchecked<"loop">()),
});

/** The notes of an approval, which every later prompt contains. */
const note = fields({ state: text, stage: reviewer, notes: text });

const verdict = fields({
  state: text,
  stage: reviewer,
  approved: flag,
  notes: text,
  time: text,
  who: orNull(text),
  channel: as<Caller["channel"]>(text),
  /** The channel of a person's verdict. */
  strength: optional(unchecked<Strength>()),
  /** The hash of the artifact that was judged. */
  sha256: text,
  /** The tree of the work that was judged. */
  tree: optional(text),
  /** The server's findings, without the output of checks. */
  evidence,
});

const finishedRun = fields({
  started_at: text,
  finished_at: text,
  /** The task's status after the run. */
  task_status: status,
  accepted: listOf(submission),
  notes: listOf(note),
  verdicts: listOf(verdict),
});

/** What git shares of a task's state; the tool that is open stays in the checkout. By tool: its last finished run. */
export const RECORDED_STATE = fields({ task_status: status, finished: mapOf(finishedRun) });

const contextStore = fields({
  /** As configured when the run began; it applies to the whole run. */
  review_policy: listOf(reviewer),
  /** The last submitted artifact, until it is accepted; a rejection keeps it. */
  submitted: orNull(submission),
  /** From the last rejection; cleared when the next artifact is accepted. */
  feedback: orNull(fields({ state: text, notes: text, stage: reviewer, artifact: object })),
  accepted: listOf(submission),
  /** The newest: `keptNotes`. */
  notes: listOf(note),
  /** The newest: `keptVerdicts`. */
  verdicts: listOf(verdict),
  /** By work state: how often it was rejected. */
  rejections: mapOf(number),
  completed_subtasks: listOf(text),
  /** The input that the run began with, such as a product document. */
  input: optional(unchecked<string>()),
});

/** The run of one tool on the task. */
const activeTool = fields({
  /** The sha-256 of the policy that governs the task. */
  policy: sha256,
  task_id: text,
  tool_name: tool,
  current_state: text,
  /** The work state under review, if several share the review states. */
  review_source: orNull(text),
  /** The reviewer, if each reviewer's review has a state of its own. */
  review_stage: orNull(reviewer),
  context_store: contextStore,
  persona_name: text,
  created_at: text,
  updated_at: text,
});

const taskState = fields({
  task_id: text,
  task_status: status,
  active_tool_state: orNull(activeTool),
  /** By tool: the result of its last finished run. */
  completed_tool_outputs: mapOf(finishedRun),
  /** The commit that the work started from; absent if git could not name it. */
  base: optional(fields({ branch: text, commit: text })),
  updated_at: text,
});

export type TaskState = Checked<typeof taskState>;
export type ActiveTool = Checked<typeof activeTool>;
export type ContextStore = Checked<typeof contextStore>;
export type Submission = Checked<typeof submission>;
export type Accepted = Submission;
export type Note = Checked<typeof note>;
export type Verdict = Checked<typeof verdict>;
export type FinishedRun = Checked<typeof finishedRun>;
export type RecordedState = Checked<typeof RECORDED_STATE>;

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
  unreadableStateError(path, "the task's state", "To begin the task's workflow afresh, remove its folder.");

/** Throws `state-unreadable` with the line, what was expected and what to do; the file stays unchanged. */
export function parseState(json: string, id: string, path: string): TaskState {
  return readState(
    json,
    as<TaskState>((value, at) => stateFault(value, at, id)),
    unreadable(path),
  );
}

function stateFault(value: unknown, at: JsonPath, id: string): StateFault | null {
  const fault = taskState(value, at);
  if (fault) return fault;
  const { active_tool_state: active, task_id } = value as TaskState;
  if (task_id !== id) return expected(["task_id"], JSON.stringify(id), task_id);
  if (active === null || active.task_id === id) return null;
  return expected(["active_tool_state", "task_id"], JSON.stringify(id), active.task_id);
}
