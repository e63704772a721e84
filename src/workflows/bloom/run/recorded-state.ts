/**
 * What git shares of a task's run: its steps, its state and its evidence, recorded whenever it comes to rest.
 * A session, a prompt and the output of commands stay in the checkout.
 */
import { attempt } from "../../../core/attempt.ts";
import {
  accepts,
  type Checked,
  fields,
  listOf,
  number,
  optional,
  orNull,
  text,
} from "../../../core/state-json.ts";
import { factValues } from "../../../runtime/run-log/step.ts";
import { TASK_STATUSES, type TaskStatus } from "../../../tasks-file/task.ts";
import { AT_REST, isOneOf, type OwnState, type TaskState } from "./table.ts";

const EVIDENCE = fields({
  step: orNull(text),
  command: text,
  exit: orNull(number),
  commit: orNull(text),
  duration: number,
  time: text,
  on: accepts<"worktree" | "merge">(
    (value) => value === "worktree" || value === "merge",
    "worktree or merge",
  ),
  empty: optional(accepts<true>((value) => value === true, "true")),
});

export const RECORDED_STATE = fields({
  title: text,
  /** A state of its table. Readers check that a run can be in it. */
  state: accepts<TaskState | OwnState>((value) => typeof value === "string", "a state"),
  life: optional(fields({ name: text, hash: text })),
  kept: factValues,
  row: orNull(text),
  since: text,
  reason: orNull(text),
  status: accepts<TaskStatus>((value) => TASK_STATUSES.some((each) => each === value), "a status of a task"),
  runs: number,
  evidence: listOf(EVIDENCE),
  work: orNull(fields({ repo: text, branch: text, commit: text, time: text })),
  pullRequest: orNull(fields({ number, url: text })),
});

export type RecordedState = Checked<typeof RECORDED_STATE>;

const MAX_EVIDENCE = 50;
const LONGEST_REASON = 1_000;

/** The shared part of a run's file. */
export function sharedIn(
  json: string,
): { readonly rests: boolean; readonly recordedState: RecordedState } | null {
  const run = attempt(() => JSON.parse(json) as RecordedState, null);
  if (run === null) return null;
  const {
    evidence = [],
    kept,
    life,
    pullRequest,
    reason,
    row,
    runs,
    since,
    state,
    status,
    title,
    work,
  } = run;
  const recordedState: RecordedState = {
    ...{ title, state, kept, row, since, status, runs },
    ...(life ? { life } : {}),
    reason: reason?.slice(0, LONGEST_REASON) ?? null,
    evidence: evidence
      .slice(-MAX_EVIDENCE)
      .map(({ command, commit, duration, empty, exit, on, step, time }) => ({
        ...{ command, commit, duration, exit, on, step, time },
        ...(empty ? { empty } : {}),
      })),
    work: work ? { repo: work.repo, branch: work.branch, commit: work.commit, time: work.time } : null,
    pullRequest: pullRequest ? { number: pullRequest.number, url: pullRequest.url } : null,
  };
  return {
    rests: isOneOf(AT_REST, state) || (state === "opening_pr" && pullRequest !== null),
    recordedState,
  };
}
