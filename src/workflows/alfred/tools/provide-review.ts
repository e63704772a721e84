import { PawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Reviewer } from "../../../core/settings.ts";
import type { Strength } from "../../../core/strength.ts";
import type { Decision } from "../../../engine/workflow.ts";
import type { Context, GateInput, Verdict as GateVerdict, HumanQuestion } from "../../../runtime/module.ts";
import { cachedGit } from "../../../runtime/review/cached-git.ts";
import type { ReviewFacts } from "../../../runtime/review/model.ts";
import { checkVersion, decidedWords, versionOf } from "../../../runtime/review/version.ts";
import { loadSteps } from "../../../runtime/run-log/read.ts";
import { hasAnswered } from "../../../runtime/transaction/person.ts";
import {
  type Effects,
  type ProposalContext,
  type RunContext,
  runEvent,
  type Step,
  type Taken,
  type TypesOf,
} from "../../../runtime/transaction/run-event.ts";
import { withInput } from "../../../runtime/transaction/transaction.ts";
import { runningNote } from "../evidence/check-evidence.ts";
import { refreshEvidence } from "../evidence/gather.ts";
import { checkCreation } from "../evidence/submission-checks.ts";
import { gateName, govern, withPolicyFinding } from "../gate/govern.ts";
import { humanQuestion, type ProposedVerdict } from "../gate/human-question.ts";
import { judgedIn } from "../gate/judged.ts";
import { reviewNow } from "../gate/review.ts";
import { type LoadedRun, loadRun, loadTask } from "../state/load.ts";
import type { ContextStore, Submission, TaskState, Verdict } from "../state/state-file.ts";
import { keptNotes, keptVerdicts } from "../state/verdicts.ts";
import { titleOf, wordsFor } from "../texts/titles.ts";
import { machineOf, stepOf, tablesHash } from "./machine.ts";
import { type Answer, success, type ToolPlan, toolTransaction } from "./response.ts";
import { checkUnaltered } from "./submit-work.ts";
import { effectsOf, invalidActionError, verdictOf } from "./transition.ts";

export interface ReviewInput {
  readonly task_id: string;
  readonly is_approved: boolean;
  readonly feedback_notes?: string;
}

/** A verdict by any channel. */
interface GivenVerdict {
  readonly id: string;
  readonly approved: boolean;
  readonly notes: string;
  /** A person gave it, even if the assistant's review is next. */
  readonly byPerson?: true;
  /** The version of the review that they read. */
  readonly version?: string | undefined;
}

type ReviewTypes = TypesOf<{
  input: GivenVerdict;
  run: LoadedRun;
  material: VerdictObservations;
  reply: Answer;
}>;

const review = runEvent<ReviewTypes>({
  lock: ({ id }) => `alfred:${id}`,
  async load(context) {
    const { input, view } = context;
    const task = await loadTask(view, input.id);
    if (task.state.active_tool_state === null) checkVersion(`alfred:${task.id}`, input.version, null);
    if (input.byPerson && task.state.active_tool_state === null)
      throw nothingToReviewError(task.state, await decidedIn(view, task.id));
    return loadRun(view, task, context);
  },
  govern,
  event(run, { caller, input }) {
    if (judgedBy(run) !== "human") checkVersion(run.run, input.version, null);
    if (input.byPerson) checkPersonsTurn(run, input);
    else if (isAssistantCall(caller)) checkReason(run, input);
    const machine = machineOf(run.definition);
    return { event: input.approved ? machine.approveEvent(run.configuration) : machine.rejectEvent };
  },
  collect,
  propose: judge,
});

const common = { tool: "provide_review", syncs: true } as const;

/** The only tool to review artifacts, of any kind. */
export const provideReview: ToolPlan<ReviewInput> = {
  ...common,
  task: (input) => input.task_id,
  ...withInput(review, ({ feedback_notes = "", is_approved, task_id }: ReviewInput) => ({
    id: task_id,
    approved: is_approved,
    notes: feedback_notes,
  })),
};

/** `pawl approve` and `pawl reject`: the same verdict, from a person at a terminal. */
export const gate = toolTransaction<GateInput>({
  ...common,
  task: (input) => input.id,
  ...withInput(review, ({ approve, id, notes = "", version }: GateInput) => ({
    id,
    approved: approve,
    notes,
    version,
    byPerson: true as const,
  })),
});

function judgedBy(run: LoadedRun): Reviewer | null {
  return machineOf(run.definition).underReview(run.configuration)?.reviewer ?? null;
}

function checkPersonsTurn(run: LoadedRun, { approved }: GivenVerdict): void {
  const under = machineOf(run.definition).underReview(run.configuration);
  if (under?.reviewer !== "ai" || !approved) return;
  throw new PawlError(
    "invalid-action",
    `The ${titleOf(run.definition.name, under.work)} of task '${run.id}' awaits the assistant's own review, not yet a human's approval.`,
    "Tell your assistant to review it first, or reject it now with `pawl reject`.",
  );
}

const decidedIn = async (view: View, id: string) => decidedWords(await loadSteps(view, `alfred:${id}`));

/** A message for a model names its tools; one for a person names what a person can do. */
function nothingToReviewError(
  { task_id: id, active_tool_state: active, task_status }: TaskState,
  decided: string,
): PawlError {
  const where = active === null ? `its status is '${task_status}'` : wordsFor(active);
  return new PawlError(
    "invalid-action",
    `Nothing of task '${id}' is under review: ${where}, and what comes next is the assistant's.${decided}`,
    `Tell your assistant to continue with ${id}; \`pawl status\` shows when it waits for you.`,
  );
}

/** What is observed at the verdict. */
interface VerdictObservations {
  readonly submitted: Submission;
  /** For a person to see; null: no person is asked. */
  readonly review: ReviewFacts | null;
  /** The hash of the tools' tables. */
  readonly tables: string;
}

/** Gathers the observations; queries git only if a person will see the result. */
async function collect(
  { decision, run }: Taken<ReviewTypes>,
  context: RunContext<GivenVerdict>,
): Promise<VerdictObservations> {
  const { caller, ignored, input, settings, view } = context;
  // The evidence and the review are of the same moment.
  const outside = { ...context.outside, git: cachedGit(context.outside.git) };
  const { submitted } = run.active.context_store;
  if (submitted === null || decision.rule.outcome === "blocked")
    throw input.byPerson
      ? nothingToReviewError(run.state, await decidedIn(view, run.id))
      : invalidActionError(run, decision.rule.on);
  // The tasks that an approval would create must not exist yet. Read through the view, so that this holds
  // until the commit.
  if (input.approved)
    await checkCreation(run, stepOf(run.definition, submitted.state), submitted.artifact, view);
  const refreshed = await refreshEvidence(run, outside, context, input.approved ? "decides" : "waits");
  if (input.version !== undefined)
    checkVersion(run.run, input.version, versionOf(judgedIn(run, submitted, refreshed.work)));
  const isRelayed = caller.channel === "mcp" && settings.alfred.human_review !== "elicit";
  const showsDecision = isRelayed || (isAssistantCall(caller) && judgedBy(run) !== "human");
  return {
    submitted: { ...submitted, evidence: withPolicyFinding(refreshed.evidence, run.id, ignored) },
    review: showsDecision ? null : await reviewNow(run, submitted, { ...context, outside }),
    tables: tablesHash(),
  };
}

/** Whether the call came over MCP, or from `pawl call`. */
function isAssistantCall({ channel }: Caller): boolean {
  return channel === "mcp" || channel === "agent" || channel === "script";
}

/**
 * Throws if a model rejects without a reason, because the next attempt sees nothing else. A person may reject
 * without one.
 */
function checkReason(run: LoadedRun, { approved, notes }: GivenVerdict): void {
  if (approved || notes.trim() !== "") return;
  throw new PawlError(
    "usage",
    `A rejection of task '${run.id}' needs a reason: expected feedback_notes that say what to change, found ${notes === "" ? "none" : "only blanks"}. Nothing was changed.`,
    "Call provide_review again with feedback_notes; in a human review, ask the human for the reason.",
  );
}

function judge(
  { decision, material, run }: Step<ReviewTypes>,
  context: ProposalContext<GivenVerdict>,
): Effects<ReviewTypes> {
  const { input: given } = context;
  const { review, submitted } = material;
  const under = machineOf(run.definition).underReview(run.configuration);
  if (!under) return resubmitted(run, decision, context);
  if (under.reviewer === "human" || given.byPerson) {
    const ask = humanOnly(run, submitted, review, given, context);
    if (ask) return { reply: success("The human is asked."), ask };
  }
  if (given.approved) checkApproval(run, submitted, context);
  const verdict = verdictOf(submitted, under.reviewer, given, context);
  const who = under.reviewer === "ai" ? "AI" : "human";
  const what = given.approved ? "approved" : "rejected";
  const title = titleOf(run.definition.name, under.work);
  const notes = given.notes.trim() === "" ? "" : " with notes";
  const effects = effectsOf(
    run,
    decision,
    (store) => judged({ ...store, submitted }, submitted, verdict),
    {
      message: `The ${title} of task '${run.id}' is ${what}${notes} in the ${who} review.${runningNote(submitted.evidence, run.definition.name)}`,
      summary: `${title} ${what}${notes} in the ${who} review`,
      strength: verdict.strength,
      verdict,
    },
    context,
  );
  return verdict.strength === undefined
    ? effects
    : {
        ...effects,
        verdict: gateVerdict(run, verdict, verdict.strength, material.tables, context.policy ?? ""),
      };
}

/** What a record of a person's verdict covers. */
function gateVerdict(
  run: LoadedRun,
  { approved, evidence, notes, sha256, tree: judged }: Verdict,
  strength: Strength,
  tables: string,
  policy: string,
): GateVerdict {
  return {
    gate: gateName(run.definition.name),
    run: run.run,
    approve: approved,
    ...{ strength, artifact: sha256, policy, workflow: tables, evidence, notes, judged },
    work: { in: "folder", base: run.state.base?.branch ?? null },
  };
}

function judged(store: ContextStore, submitted: Submission, verdict: Verdict): ContextStore {
  const { approved, notes, stage, state } = verdict;
  const verdicts = keptVerdicts([...store.verdicts, verdict]);
  if (!approved) {
    const rejections = { ...store.rejections, [state]: (store.rejections[state] ?? 0) + 1 };
    const feedback = { state, notes, stage, artifact: submitted.artifact };
    return { ...store, verdicts, rejections, feedback };
  }
  if (notes.trim() === "") return { ...store, verdicts };
  return { ...store, verdicts, notes: keptNotes([...store.notes, { state, stage, notes }]) };
}

/** An approval after a rejection submits the stored artifact for review again, if the table allows it. */
function resubmitted(run: LoadedRun, decision: Decision, context: Context): Effects<ReviewTypes> {
  const { submitted } = run.active.context_store;
  if (submitted === null) throw invalidActionError(run, decision.rule.on);
  const title = titleOf(run.definition.name, submitted.state);
  const message = `The stored ${title} of task '${run.id}' is up for review again.`;
  const again = { ...submitted, time: context.now.time };
  return effectsOf(
    run,
    decision,
    (store) => ({ ...store, submitted: again }),
    { message, summary: `${title} handed in again` },
    context,
  );
}

/**
 * Checks whether the configuration lets this caller give the human's verdict. Returns the question to ask a
 * person first; null: none is needed.
 */
function humanOnly(
  run: LoadedRun,
  submitted: Submission,
  review: ReviewFacts | null,
  given: GivenVerdict,
  context: Context,
): HumanQuestion | null {
  const { channel } = context.caller;
  const { human_review } = context.settings.alfred;
  const isRelayed = channel === "mcp" || channel === "library";
  if (isRelayed && human_review === "relay") return null;
  const isClients = isRelayed || channel === "elicitation";
  if (isClients && human_review === "confirm" && context.answered !== "vouched")
    throw new PawlError(
      "caller-not-allowed",
      `The human review of the ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' can only be given by a human, in a terminal (human_review: confirm). Nothing was changed.`,
      `Ask the human to run \`pawl approve ${run.id}\` or \`pawl reject ${run.id}\`, wait until it is done, then call work_on_task with task_id "${run.id}".`,
    );
  const { answered } = context;
  // Through a client the person may approve or reject, with notes of their own, so these do not change the
  // question that they were asked.
  const notes = typeof answered === "object" && !given.byPerson ? (answered.notes ?? "") : given.notes;
  const asked: ProposedVerdict = given.byPerson
    ? { approve: given.approved, notes, notesBy: "you" }
    : { approve: true, notes, notesBy: "assistant" };
  // `collect` makes a review wherever a person may be asked; without it, a verdict would count unasked.
  if (review === null) throw new Error("A person must be asked, but `collect` made no review for them.");
  const question = humanQuestion(run, submitted, review, asked);
  return hasAnswered(context, question.message) ? null : question;
}

function checkApproval(run: LoadedRun, submitted: Submission, context: Context): void {
  checkUnaltered(run);
  if (run.altered.includes(submitted.state)) throw alteredArtifactError(run, submitted);
  const last = lastVerdict(run.active.context_store.verdicts, submitted.state, "ai");
  if (last?.approved && isAfterAi(run) && last.sha256 !== submitted.sha256)
    throw alteredArtifactError(run, submitted);
  if (context.settings.alfred.evidence !== "require") return;
  const open = submitted.evidence.filter(({ verdict }) => verdict === "differs" || verdict === "running");
  if (open.length === 0) return;
  throw new PawlError(
    "evidence-differs",
    [
      `The ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' cannot be approved while what was found does not agree with it (evidence: require):`,
      ...open.map(({ about, verdict, words }) => `- ${about} (${verdict}): ${words}`),
    ].join("\n"),
    "Reject it and say what should be done: a correction counts once it is handed in again.",
  );
}

function isAfterAi(run: LoadedRun): boolean {
  const under = machineOf(run.definition).underReview(run.configuration);
  return under?.reviewer === "human" && run.active.context_store.review_policy.includes("ai");
}

function lastVerdict(verdicts: readonly Verdict[], state: string, stage: Reviewer): Verdict | undefined {
  return verdicts.findLast((verdict) => verdict.state === state && verdict.stage === stage);
}

function alteredArtifactError(run: LoadedRun, submitted: Submission): PawlError {
  return new PawlError(
    "approval-void",
    `The ${titleOf(run.definition.name, submitted.state)} of task '${run.id}' was changed on disk after it was handed in: what it is now was not reviewed, so it cannot be approved.`,
    "Reject it with provide_review (is_approved: false) and hand it in again with submit_work, or restore it as it was.",
  );
}
