import type { LoopWork } from "../../../core/loop-record.ts";
import type { Worktree, WorktreeState } from "../../../core/ports/worktrees.ts";
import { firstFew } from "../../../core/text/few.ts";
import { branchOf, hasOwnWork, type Task } from "../../../tasks-file/task.ts";
import { type ExecutionContext, type StepResult, taskFolder } from "../execution-context.ts";
import { refusals } from "../run-prompt.ts";
import { targetOf } from "./pull-request.ts";
import { save } from "./save.ts";

const SHOWN_PATHS = 50;
const SHORT_PATHS = 5;

/** Checks that all of the agent's work is committed on the task's branch. */
export async function ensureCommitted(context: ExecutionContext): Promise<StepResult> {
  const { task } = context.known;
  const { worktree, lost } = await taskFolder(context);
  if (worktree === null) return { event: "committed" };
  if (lost !== null)
    return { event: "uncommitted", reason: LOST, patch: { message: lostIn(lost), lost: null } };
  const state = await context.ports.worktrees.state(worktree, targetOfWork(task));
  const fault = faultOf(state, branchOf(task), writtenBy(context, state));
  const missing = fault === null ? workMissing(context, state) : null;
  if (missing !== null) return missing;
  const unsaved = fault === null ? await save(context, worktree) : null;
  if (unsaved !== null) return unsaved;
  if (fault === null) {
    const work = state.head === null ? {} : { patch: { work: workAt(context, worktree, state.head) } };
    if (await isRejected(context, worktree, state))
      return { event: "unchanged", reason: rejectedIn(context), ...work };
    // A person will review this branch next.
    if (task.checkpoint === true) await context.ports.worktrees.leave(worktree.repo, worktree.branch);
    return {
      event: "committed",
      ...work,
      events: [{ type: "git:committed", taskId: task.id, commit: state.head }],
    };
  }
  return {
    event: "uncommitted",
    reason: fault.short,
    patch: { message: fault.long },
    events: [{ type: "git:uncommitted", taskId: task.id, paths: firstFew(state.uncommitted, SHOWN_PATHS) }],
  };
}

/** The branch that the task's own commits are counted against; undefined: none. */
function targetOfWork(task: Task): string | undefined {
  return task.open_pr === true ? targetOf(task) : task.merge_into;
}

/**
 * The result if the task has no commit of its own and no reason for that was declared; null: work is there or
 * not needed.
 */
function workMissing({ known }: ExecutionContext, { head, unmerged }: WorktreeState): StepResult | null {
  const { task, run, settings } = known;
  if (typeof run.nothing === "string" || !hasOwnWork(task)) return null;
  const target = targetOfWork(task);
  const isSame = typeof run.began === "string" && head === run.began;
  if (target === undefined ? !isSame : unmerged !== 0) return null;
  const where = target === undefined ? "since it began" : `that ${target} lacks`;
  if (run.asked === true)
    return {
      event: "nothing_done",
      reason: `nothing was committed on ${branchOf(task)} ${where}${refusals(run.refused)}`,
      patch: {
        message: `Your branch \`${branchOf(task)}\` has no commit ${where}.${refusals(run.refused, " You")}`,
      },
    };
  if (run.landed === true) return null;
  const { command } = settings;
  return {
    event: "git_refused",
    reason: `nothing is committed on ${branchOf(task)} ${where}, and no run of an agent is known; \`${command} ready ${task.id}\` gives it to one, \`${command} done ${task.id} --force\` ends it as it is`,
  };
}

/** Whether an agent worked on it since a person rejected it, and its files are the same. */
async function isRejected(
  { known: { run }, ports }: ExecutionContext,
  { repo }: Worktree,
  { head }: WorktreeState,
): Promise<boolean> {
  const last = run.verdicts.at(-1);
  if (last === undefined || last.approved || last.commit === null || head === null) return false;
  // A person hands it in: it began anew, and no agent worked on it.
  if (run.session === null) return false;
  if (last.commit === head) return true;
  const treeOf = (commit: string) => ports.worktrees.treeOf(repo, commit).catch(() => null);
  const rejected = await treeOf(last.commit);
  return rejected !== null && rejected === (await treeOf(head));
}

function rejectedIn({ known: { settings, task } }: ExecutionContext): string {
  const [id, cli] = [task.id, settings.command];
  return `the agent handed in again exactly what you rejected; \`${cli} note ${id}\` and \`${cli} ready ${id}\` send it back with a hint, \`${cli} start ${id}\` takes it over, \`${cli} cancel ${id}\` ends it`;
}

const LOST = "its workspace had lost its `.git`, and its files were set aside";

function lostIn(folder: string): string {
  return `Your folder had lost its \`.git\`, so nothing could be committed there. It was recreated from your branch; its old files are in\n\n    ${folder}\n\nCopy what belongs to the task from there, and commit it.`;
}

function workAt(context: ExecutionContext, { repo, branch }: Worktree, commit: string): LoopWork {
  return { repo, branch, commit, merged: null, time: context.now().toISOString() };
}

/**
 * The verify command that wrote the uncommitted files, because everything was committed before it ran and the
 * agent has not been asked to commit since.
 */
function writtenBy(
  { known: { run } }: ExecutionContext,
  { head, uncommitted }: WorktreeState,
): string | null {
  const last = run.evidence.findLast(({ on }) => on === "worktree");
  const wasAsked = (run.tries.commit ?? 0) > 0;
  return uncommitted.length > 0 && !wasAsked && last?.commit === head ? last.command : null;
}

function faultOf(
  state: WorktreeState,
  branch: string,
  writer: string | null,
): { readonly short: string; readonly long: string } | null {
  if (state.unfinished !== null) {
    const long = `A ${state.unfinished} was begun in your folder and is not finished. Finish it: resolve what is open and commit.`;
    return { short: `a ${state.unfinished} is not finished in its workspace`, long };
  }
  if (state.branch !== branch) {
    const on = state.branch === null ? "no branch" : `the branch \`${state.branch}\``;
    const long = `Your folder is on ${on}, but the work belongs on \`${branch}\`. Bring your commits there and switch back to it.`;
    return { short: `its workspace is on ${on} instead of ${branch}`, long };
  }
  if (state.uncommitted.length === 0) return null;
  const list = firstFew(state.uncommitted, SHOWN_PATHS).map((path) => `- ${path}`);
  const by = writer === null ? "" : `, written by \`${writer}\``;
  const hooks = state.hooks.length === 0 ? "" : ` (its commits run ${state.hooks.join(", ")})`;
  const long =
    writer === null
      ? `These are not committed:\n\n${list.join("\n")}`
      : `All your work was committed. Then the check \`${writer}\` wrote these files, which git does not ignore:\n\n${list.join("\n")}\n\nAdd them to \`.gitignore\`, or make the check remove them.`;
  return {
    short: `not committed${by}: ${firstFew(state.uncommitted, SHORT_PATHS).join(", ")}${hooks}`,
    long,
  };
}
