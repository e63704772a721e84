/**
 * Whether the loop's work can be the manifest of a task. None of it is an agent's claim: the plan gives the
 * steps' order, the loop itself ran the commands, git has the commit checked out.
 *
 * E1  The task is done in the loop, with a step for every slot of the accepted plan.
 * E2  Its run is stored, is newer than the plan and than every rejection, and says where the work is.
 * E3  The work is what is checked out: the task's branch, at the very commit.
 * E4  Every step has a command, and the last run of every command passed on that commit, with its log.
 */
import { PawlError } from "../../../core/error.ts";
import {
  type LoopEvidence,
  type LoopRecord,
  type LoopWork,
  loopDonePath,
} from "../../../core/loop-record.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { GitCommits, GitState } from "../../../core/ports/git.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Step, Task } from "../../../tasks-file/task.ts";
import { baseOf } from "../evidence/diff-evidence.ts";
import { branchOf, changingSlots, type LoadedRun, slotsOf } from "../state/load.ts";
import type { LoopSide } from "./loop-side.ts";
import { stepId } from "./plan-export.ts";
import { lastRequestTime } from "./rework.ts";

/** The loop's task, done and stored. */
export interface DoneInLoop {
  readonly path: ProjectPath;
  readonly task: Task;
  readonly record: LoopRecord;
  readonly work: LoopWork;
}

/** What the loop and git prove about it on a commit. */
export interface Proved extends DoneInLoop {
  readonly branch: string;
  readonly commit: string;
  /** On that commit, one for each command. */
  readonly passed: readonly LoopEvidence[];
  readonly changed: Extract<GitCommits, { kind: "commits" }>;
  readonly uncommitted: readonly string[];
}

/** Checks E1 and E2. Throws `loop-plan-uncovered`, `loop-not-done`, `loop-evidence-missing`. */
export function checkDone(run: LoadedRun, { done, open, path, task }: LoopSide): DoneInLoop {
  const { id } = run;
  if (task === null)
    throw new PawlError(
      "loop-not-done",
      `The loop has no task '${id}': expected it in ${path} with the plan's steps, found none.`,
      `\`pawl plan export ${id}\`, then \`bloom run --task ${id} --once\`.`,
    );
  checkCovered(run, task, path);
  checkEnded(id, task, open, path);
  if (done === null)
    throw missingEvidenceError(
      `The loop has kept no run of the task '${id}': expected ${loopDonePath(id)}, found nothing; a person may have marked the task as done.`,
      again(id),
    );
  const { work } = done;
  if (!work)
    throw missingEvidenceError(
      `The loop does not know where the work of '${id}' is: expected a commit of its own branch, found ${task.repo === undefined ? "a task without `repo`, which works in the project's folder" : "none in its run"}.`,
      `Give the task \`repo: .\` and \`merge_into: ${branchOf(run.state) ?? "BRANCH"}\` in ${path}. ${again(id)}`,
    );
  const since = lastRequestTime(run);
  if (work.time <= since)
    throw missingEvidenceError(
      `The loop's evidence for '${id}' is from ${work.time}: expected it to be newer than what it answers, the plan, review or rejection of ${since}.`,
      `Hand over what was asked for: \`pawl plan export ${id}\` (implement_task with hand_over), then \`bloom run --task ${id} --once\`. Where it was done by hand, \`bloom ready ${id}\` in place of the first: the loop verifies what is there.`,
    );
  return { path, task, record: done, work };
}

function checkCovered({ id, state }: LoadedRun, task: Task, path: string): void {
  const slots = slotsOf(state);
  const left = slots.filter((slot) => !task.steps.some((step) => step.id === stepId(id, slot)));
  if (slots.length > 0 && left.length === 0) return;
  const found = task.steps.map((step) => step.id).join(", ");
  throw new PawlError(
    "loop-plan-uncovered",
    slots.length === 0
      ? `The task '${id}' has no accepted plan that the loop's steps could cover.`
      : `The loop's task '${id}' does not cover the accepted plan: expected a step for each slot, found none for ${left.map(({ slot_id }) => slot_id).join(", ")} among ${found === "" ? "no steps" : found}.`,
    `Remove the task's steps in ${path}, then \`pawl plan export ${id}\`. ${again(id)}`,
  );
}

function checkEnded(id: string, task: Task, open: LoopRecord | null, path: string): void {
  const left = task.steps.filter(({ status }) => status !== "done").map((step) => step.id);
  if (task.status === "done" && open === null && left.length === 0) return;
  const state = open === null ? "" : `, in the loop's state '${open.state}'`;
  const why = open?.reason ? ` (${open.reason})` : "";
  const steps = left.length === 0 ? "" : `, with open steps: ${left.join(", ")}`;
  throw new PawlError(
    "loop-not-done",
    `The loop is not done with '${id}': expected the status 'done' in ${path}, all steps done and no run left open, found '${task.status}'${state}${why}${steps}.`,
    task.status === "done" || task.status === "blocked"
      ? `\`bloom show ${id}\` says why. ${again(id)}`
      : `Let it go on: \`bloom run --task ${id} --once\`; \`bloom show ${id}\` tells how it stands.`,
  );
}

/** Checks E3 and E4 in git and the log files. Throws `loop-work-moved` and `loop-evidence-missing`. */
export async function prove(run: LoadedRun, done: DoneInLoop, outside: Outside): Promise<Proved> {
  const git = await outside.git.state();
  const checkout = checkCheckout(run, done, git);
  const passed = checkCommands(run.id, done, checkout.commit);
  await checkLogs(run.id, passed, outside);
  const changed = await outside.git.commits(baseOf(run), checkout.commit);
  if (changed.kind === "unavailable")
    throw missingEvidenceError(
      `git cannot tell what the work of '${run.id}' changed: ${changed.reason}.`,
      "Hand the work in yourself, with submit_work and a manifest.",
    );
  checkChanged(run, changed, checkout.commit);
  return { ...done, ...checkout, passed, changed };
}

function checkCheckout(
  { id, state }: LoadedRun,
  { path, work }: DoneInLoop,
  git: GitState,
): Pick<Proved, "branch" | "commit" | "uncommitted"> {
  if (git.kind !== "repository")
    throw missingEvidenceError(
      `git cannot tell whether the work of '${id}' is there: ${git.kind === "unavailable" ? git.reason : "the project's folder is not a repository"}.`,
      "Make git answer in the project's folder, then try again.",
    );
  const expected = branchOf(state) ?? git.branch;
  const { branch, commit } = work.merged ? { ...work.merged, branch: work.merged.into } : work;
  if (branch !== expected)
    throw movedWorkError(
      `The loop's work on '${id}' is on '${branch}': expected it on the task's branch, '${expected}'.`,
      `Set \`merge_into: ${expected}\` for the task in ${path}. ${again(id)}`,
    );
  if (git.branch !== expected)
    throw movedWorkError(
      `The task's branch is not checked out: expected '${expected}', found ${git.branch === "" ? "a detached HEAD" : `'${git.branch}'`}.`,
      `git checkout ${expected}`,
    );
  if (git.head !== commit)
    throw movedWorkError(
      `The branch '${branch}' has moved since the loop was done with '${id}': expected ${commit}, found ${git.head ?? "no commit"}.`,
      again(id),
    );
  const uncommitted = git.uncommitted.filter(
    (file) => !file.startsWith(".alfred/") && !file.startsWith(".pawl/") && file !== path,
  );
  return { branch, commit, uncommitted };
}

function checkCommands(
  id: string,
  { path, record, task }: DoneInLoop,
  commit: string,
): readonly LoopEvidence[] {
  const bare = task.steps.filter((step) => verifiedBy(task, step).length === 0).map((step) => step.id);
  if (bare.length > 0)
    throw missingEvidenceError(
      `Nothing but the agent's word says that ${bare.join(", ")} of '${id}' ${bare.length === 1 ? "is" : "are"} done: expected a command that the loop runs, found no \`verify\`.`,
      `Name commands as the task's \`verify\` in ${path}. ${again(id)}`,
    );
  const wanted = [
    ...new Set([...(task.verify ?? []), ...task.steps.flatMap((step) => verifiedBy(task, step))]),
  ];
  const runs = wanted.map((command) => ({
    command,
    last: record.evidence.findLast((each) => each.command === command && each.commit === commit),
  }));
  const missing = runs.filter(({ last }) => last?.exit !== 0);
  if (missing.length === 0) return runs.flatMap(({ last }) => last ?? []);
  const found = missing.map(
    ({ command, last }) => `\`${command}\`: ${last ? `exit code ${last.exit}` : "not run on it"}`,
  );
  throw missingEvidenceError(
    `The loop's evidence for '${id}' is not complete: expected every command to have passed on ${commit}, found ${found.join("; ")}.`,
    again(id),
  );
}

/** The step's own commands, else the task's. */
function verifiedBy(task: Task, step: Step): readonly string[] {
  return step.verify ?? task.verify ?? [];
}

async function checkLogs(id: string, passed: readonly LoopEvidence[], { files }: Outside): Promise<void> {
  const missing = await files.missing(passed.map(({ log }) => log as ProjectPath));
  if (missing.length === 0) return;
  throw missingEvidenceError(
    `The logs of the loop's evidence for '${id}' are gone: expected ${missing.join(", ")}, found nothing.`,
    again(id),
  );
}

function checkChanged({ state }: LoadedRun, { base, commits }: Proved["changed"], commit: string): void {
  if (changingSlots(state).length === 0 || commits.length > 0) return;
  throw missingEvidenceError(
    `The loop's work changed nothing: expected commits between ${base} and ${commit}, found none.`,
    "See `git log`; do the work, or hand it in yourself, with submit_work and a manifest.",
  );
}

/** The fix that lets the loop run the commands and the open steps; finished steps stay done. */
const again = (id: string): string =>
  `Let the loop see to it: \`bloom ready ${id}\`, then \`bloom run --task ${id} --once\`.`;

const missingEvidenceError = (message: string, fix: string): PawlError =>
  new PawlError("loop-evidence-missing", message, fix);
const movedWorkError = (message: string, fix: string): PawlError =>
  new PawlError("loop-work-moved", message, fix);
