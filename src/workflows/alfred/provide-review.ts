import { PawlError } from "../../core/error.ts";
import type { GitChanges } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Reviewer } from "../../core/settings.ts";
import type { Context, GateInput } from "../../runtime/module.ts";
import { hasAnswered } from "../../runtime/person.ts";
import { runningNote } from "./check-evidence.ts";
import { baseOf } from "./diff-evidence.ts";
import type { Evidence } from "./evidence.ts";
import { refreshEvidence } from "./gather.ts";
import { governed } from "./govern.ts";
import { type Asked, humanQuestion } from "./human-question.ts";
import { type LoadedRun, loadRun, loadTask } from "./load.ts";
import { machineOf, stepOf } from "./machine.ts";
import type { Answer, ToolPlan } from "./response.ts";
import type { ContextStore, Submission, TaskState, Verdict } from "./state-file.ts";
import { checkCreation } from "./submission-checks.ts";
import { checkUnaltered } from "./submit-work.ts";
import { titleOf, wordsFor } from "./titles.ts";
import { commit, invalidAction, take, verdictOf } from "./transition.ts";

export interface ReviewInput {
  readonly task_id: string;
  readonly is_approved: boolean;
  readonly feedback_notes?: string;
}

const byTool: ToolPlan<ReviewInput, LoadedRun, Found> = {
  tool: "provide_review",
  task: (input) => input.task_id,
  run: (input) => `alfred:${input.task_id}`,
  async read(view, input, context) {
    const run = await loadRun(view, await loadTask(view, input.task_id), context);
    if (context.caller.channel === "mcp") checkReason(run, givenBy(input));
    return checked(run, input.is_approved, view);
  },
  gather: (run, input, outside, context) => look(run, outside, context, input.is_approved),
  prepare: (run, found, input, context) => review(run, found, givenBy(input), context),
  standing: ({ position }) => position.state,
};

const atTerminal: ToolPlan<GateInput, LoadedRun, Found> = {
  tool: "provide_review",
  task: (input) => input.id,
  run: (input) => `alfred:${input.id}`,
  async read(view, input, context) {
    const task = await loadTask(view, input.id);
    if (task.state.active_tool_state === null) throw nothingToReview(task.state);
    const run = await loadRun(view, task, context);
    return checked(run, input.approve, view);
  },
  gather: (run, input, outside, context) => look(run, outside, context, input.approve),
  prepare(run, found, input, context) {
    const under = machineOf(run.definition).underReview(run.position);
    if (under?.reviewer === "ai" && input.approve)
      throw new PawlError(
        "invalid-action",
        `The ${titleOf(run.definition.name, under.work)} of task '${run.id}' awaits the assistant's own review, not yet a human's approval.`,
        "Tell your assistant to review it first, or reject it now with `pawl reject`.",
      );
    const given = { approved: input.approve, notes: input.notes ?? "", byPerson: true as const };
    try {
      return review(run, found, given, context);
    } catch (thrown) {
      if (thrown instanceof PawlError && thrown.code === "invalid-action") throw nothingToReview(run.state);
      throw thrown;
    }
  },
  standing: ({ position }) => position.state,
};

/** The one way to review any artifact. */
export const provideReview = governed(byTool, (run) => run);

/** `pawl approve` and `pawl reject`: the same verdict, from a person at a terminal. */
export const humanGate = governed(atTerminal, (run) => run);

/** What a model is told names its tools; a person is told what a person can do. */
function nothingToReview({ task_id: id, active_tool_state: active, task_status }: TaskState): PawlError {
  const where = active === null ? `its status is '${task_status}'` : wordsFor(active);
  return new PawlError(
    "invalid-action",
    `Nothing of task '${id}' is under review: ${where}, and what comes next is the assistant's.`,
    `Tell your assistant to go on with ${id}; \`pawl status\` shows when it awaits you.`,
  );
}

/** What an approval would create must still be free; read through the view, so that it stays so until the commit. */
async function checked(run: LoadedRun, isApproval: boolean, view: View): Promise<LoadedRun> {
  const { submitted } = run.active.context_store;
  if (isApproval && submitted)
    await checkCreation(run, stepOf(run.definition, submitted.state), submitted.artifact, view);
  return run;
}

/** What is found out at the verdict. */
interface Found {
  readonly evidence: Evidence;
  /** What the work changes, for a person's eyes; null: nobody is asked. */
  readonly changes: GitChanges | null;
}

/** Looks outside; git is asked only for the person who will be shown its answer. */
async function look(run: LoadedRun, outside: Outside, context: Context, approves: boolean): Promise<Found> {
  const { caller, settings } = context;
  const evidence = await refreshEvidence(run, outside, context, approves);
  const reviewer = machineOf(run.definition).underReview(run.position)?.reviewer;
  const isTold =
    caller.channel === "mcp" && (reviewer !== "human" || settings.alfred.human_review !== "elicit");
  return { evidence, changes: isTold ? null : await outside.git.changes(baseOf(run)) };
}

interface Given {
  readonly approved: boolean;
  readonly notes: string;
  /** It is a person's, whoever's turn it is. */
  readonly byPerson?: true;
}

function givenBy({ feedback_notes, is_approved }: ReviewInput): Given {
  return { approved: is_approved, notes: feedback_notes ?? "" };
}

/** A model that sends work back says why: who does it again sees nothing else. A person's plain no stands. */
function checkReason(run: LoadedRun, { approved, notes }: Given): void {
  if (approved || notes.trim() !== "") return;
  throw new PawlError(
    "usage",
    `A rejection of task '${run.id}' needs a reason: expected feedback_notes that say what to change, found ${notes === "" ? "none" : "only blanks"}. Nothing was changed.`,
    "Call provide_review again with feedback_notes; in a human review, ask the human for the reason.",
  );
}

function review(run: LoadedRun, { changes, evidence }: Found, given: Given, context: Context): Answer {
  const machine = machineOf(run.definition);
  const trigger = given.approved ? machine.approveEvent(run.position) : machine.rejectEvent;
  const decision = take(run, trigger);
  const { submitted } = run.active.context_store;
  const under = machine.underReview(run.position);
  if (submitted === null) throw invalidAction(run, trigger);
  if (!under) return resubmitted(run, submitted, decision, context);
  const current: Submission = { ...submitted, evidence };
  if (under.reviewer === "human" || given.byPerson) {
    const question = humanOnly(run, current, changes, given, context);
    if (question) return question;
  }
  if (given.approved) checkApproval(run, current, context);
  const verdict = verdictOf(current, under.reviewer, given, context);
  const who = under.reviewer === "ai" ? "AI" : "human";
  const what = given.approved ? "approved" : "rejected";
  const notes = given.notes.trim() === "" ? "" : " with notes";
  return commit(
    run,
    decision,
    (store) => judged({ ...store, submitted: current }, current, verdict),
    {
      message: `The ${titleOf(run.definition.name, under.work)} of task '${run.id}' is ${what}${notes} in the ${who} review.${runningNote(evidence, run.definition.name)}`,
      summary: `${under.work} ${what}${notes} in the ${who} review`,
      strength: verdict.strength,
      verdict,
    },
    context,
  );
}

function judged(store: ContextStore, submitted: Submission, verdict: Verdict): ContextStore {
  const { approved, notes, stage, state } = verdict;
  const verdicts = [...store.verdicts, verdict];
  if (!approved)
    return { ...store, verdicts, feedback: { state, notes, stage, artifact: submitted.artifact } };
  if (notes.trim() === "") return { ...store, verdicts };
  return { ...store, verdicts, notes: [...store.notes, { state, stage, notes }] };
}

/** Approving after a rejection, where the table allows it, puts the stored artifact up for review again. */
function resubmitted(
  run: LoadedRun,
  submitted: Submission,
  decision: ReturnType<typeof take>,
  context: Context,
): Answer {
  const message = `The stored ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' is up for review again.`;
  const again = { ...submitted, time: context.moment.time };
  return commit(
    run,
    decision,
    (store) => ({ ...store, submitted: again }),
    { message, summary: `${submitted.state} handed in again` },
    context,
  );
}

/** By the configuration, whether this caller may give the human's verdict; the question to ask, where one must be. */
function humanOnly(
  run: LoadedRun,
  submitted: Submission,
  changes: GitChanges | null,
  given: Given,
  context: Context,
): Answer | null {
  const { channel } = context.caller;
  const { human_review } = context.settings.alfred;
  const isRelayed = channel === "mcp" || channel === "library";
  if (isRelayed && human_review === "relay") return null;
  if (isRelayed && human_review === "confirm" && context.answered !== "vouched")
    throw new PawlError(
      "caller-not-allowed",
      `The human review of the ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' can only be given by a human, in a terminal (human_review: confirm). Nothing was changed.`,
      `Ask the human to run \`pawl approve ${run.id}\` or \`pawl reject ${run.id}\`, wait until it is done, then call work_on_task with task_id "${run.id}".`,
    );
  const { answered } = context;
  // Through a client the person decides either way, with notes of their own: what they were asked stays what it was.
  const notes = typeof answered === "object" && !given.byPerson ? (answered.notes ?? "") : given.notes;
  const asked: Asked = given.byPerson
    ? { approve: given.approved, notes, notesBy: "you" }
    : { approve: true, notes, notesBy: "assistant" };
  const question = humanQuestion(run, submitted, changes, asked);
  if (hasAnswered(context, question.message)) return null;
  return { response: { status: "success", message: "The human is asked." }, ask: question };
}

function checkApproval(run: LoadedRun, submitted: Submission, context: Context): void {
  checkUnaltered(run);
  if (run.altered.includes(submitted.state)) throw altered(run, submitted);
  const last = lastVerdict(run.active.context_store.verdicts, submitted.state, "ai");
  if (last?.approved && isAfterAi(run) && last.sha256 !== submitted.sha256) throw altered(run, submitted);
  if (context.settings.alfred.evidence !== "require") return;
  const open = submitted.evidence.filter(({ verdict }) => verdict === "differs" || verdict === "running");
  if (open.length === 0) return;
  throw new PawlError(
    "evidence-differs",
    [
      `The ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' cannot be approved while what was found does not agree with it (evidence: require):`,
      ...open.map(({ about, verdict, words }) => `- ${about} (${verdict}): ${words}`),
    ].join("\n"),
    "Settle it and look again, or reject the artifact with what should be done.",
  );
}

function isAfterAi(run: LoadedRun): boolean {
  const under = machineOf(run.definition).underReview(run.position);
  return under?.reviewer === "human" && run.active.context_store.review_policy.includes("ai");
}

function lastVerdict(verdicts: readonly Verdict[], state: string, stage: Reviewer): Verdict | undefined {
  return verdicts.findLast((verdict) => verdict.state === state && verdict.stage === stage);
}

function altered(run: LoadedRun, submitted: Submission): PawlError {
  return new PawlError(
    "approval-void",
    `The ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' was changed on disk after it was handed in: what it is now was not reviewed, so it cannot be approved.`,
    "Reject it with provide_review (is_approved: false) and hand it in again with submit_work, or restore it as it was.",
  );
}
