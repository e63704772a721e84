/**
 * Applies a rule of the tool's table to the run, and makes the one change set that commits it. Pure:
 * everything that can fail has happened before the changes are returned.
 */
import { PawlError } from "../../../core/error.ts";
import type { Change } from "../../../core/ports/store.ts";
import type { Strength } from "../../../core/strength.ts";
import type { Decision } from "../../../engine/workflow.ts";
import type { Context, Proposal } from "../../../runtime/module.ts";
import type { StepDetails } from "../../../runtime/run-log/step.ts";
import { isPersonHere, strengthOf } from "../../../runtime/transaction/person.ts";
import type { AdvancedWords } from "../../../runtime/transaction/run-advanced.ts";
import { taskFiles } from "../evidence/submission-checks.ts";
import { finishChanges, scratchpadChange } from "../state/archive.ts";
import { stateChanges } from "../state/live-state.ts";
import type { LoadedRun } from "../state/load.ts";
import type { Accepted, ActiveTool, ContextStore, Submission, Verdict } from "../state/state-file.ts";
import type { TaskStatus } from "../state/status.ts";
import { verdictWords } from "../state/verdicts.ts";
import { renderPrompt } from "../texts/prompt.ts";
import { statusAfter, VERIFIED } from "./definition.ts";
import { callOf } from "./definitions.ts";
import { configurationOf, machineOf, placed, stepOf } from "./machine.ts";
import type { Answer } from "./response.ts";

/** Throws `invalid-action` if the decided rule is a refusal. */
export function checkTaken(run: LoadedRun, { rule }: Decision): void {
  if (rule.outcome === "blocked") throw invalidActionError(run, rule.on);
}

export function invalidActionError(run: LoadedRun, trigger: string): PawlError {
  const state = run.configuration.state;
  return new PawlError(
    "invalid-action",
    `Invalid action: cannot trigger '${trigger}' from state '${state}'.`,
    nextStep(run),
  );
}

/** What the state accepts instead, for the fix of an error. */
function nextStep(run: LoadedRun): string {
  const machine = machineOf(run.definition);
  const under = machine.underReview(run.configuration);
  const tool = `Call ${callOf(run.definition.name, run.id)} to see the current prompt.`;
  return under
    ? `'${under.work}' is under review by the ${under.reviewer === "ai" ? "assistant" : "human"}: call provide_review. ${tool}`
    : `An artifact is awaited: call submit_work. ${tool}`;
}

/** Changes the run's stored context after a decision; the configuration is not part of it. */
export type Effect = (store: ContextStore) => ContextStore;

/** The result of a decision for the run: whether it accepts an artifact, and whether it ends the run. */
export interface Outcome {
  readonly active: ActiveTool;
  readonly accepted: Accepted | null;
  readonly finished: boolean;
}

export function apply(
  run: LoadedRun,
  decision: Decision,
  effect: Effect,
  context: Pick<Context, "now" | "policy">,
): Outcome {
  const { time } = context.now;
  const { policy } = context;
  const machine = machineOf(run.definition);
  const isWaiting = machine.underReview(decision.after) !== null;
  const isRejected = decision.rule.on === machine.rejectEvent;
  const store = effect(run.active.context_store);
  const accepted = isWaiting || isRejected || store.submitted === null ? null : { ...store.submitted, time };
  const active: ActiveTool = {
    ...placed(run.active, decision.after),
    context_store: accepted ? accept(store, accepted) : store,
    ...(policy === undefined ? {} : { policy }),
    updated_at: time,
  };
  return { active, accepted, finished: decision.after.state === VERIFIED };
}

/** An accepted artifact replaces an earlier one of the same state, and clears the feedback on that. */
function accept(store: ContextStore, accepted: Accepted): ContextStore {
  return {
    ...store,
    submitted: null,
    feedback: null,
    accepted: [...store.accepted.filter((each) => each.state !== accepted.state), accepted],
  };
}

interface Words {
  readonly message: string;
  readonly summary: string;
  /** The strength of a person's verdict. */
  readonly strength?: Strength | undefined;
  readonly verdict?: Verdict;
}

/** The result of an event of a tool's table, with the change set that commits it. */
export type ToolEffects = Proposal<Answer> & { readonly moved: AdvancedWords };

export function effectsOf(
  run: LoadedRun,
  decision: Decision,
  effect: Effect,
  words: Words,
  context: Context,
): ToolEffects {
  const outcome = apply(run, decision, effect, context);
  const scratchpad = outcome.accepted ? [scratchpadChange(run, outcome.accepted, context)] : [];
  const files = [...scratchpad, ...createdBy(run, outcome.accepted)];
  const { answer, changes } = outcome.finished
    ? finished(run, outcome, words, context)
    : continueRun(run, decision, outcome, words, context);
  const { state: before } = run.configuration;
  const { state: after } = decision.after;
  const note = `${words.summary} (${before} → ${after})`;
  return {
    reply: { ...answer, before, after, note },
    changes: [...changes, ...files],
    logged: loggedOf(run, outcome, effect, words, context),
    moved: { summary: `${run.id}: ${words.summary}`, strength: words.strength },
  };
}

interface Written {
  readonly answer: Answer;
  readonly changes: readonly Change[];
}

function finished(run: LoadedRun, outcome: Outcome, { message }: Words, context: Context): Written {
  const status = endOf(run, outcome, context);
  const data = dataOf(run, null, status);
  const next_prompt = run.definition.handover(run.id, status);
  return {
    answer: { response: { status: "success", message, data, next_prompt } },
    changes: finishChanges(run, outcome.active, status, context),
  };
}

function continueRun(
  run: LoadedRun,
  { after: configuration }: Decision,
  { active }: Outcome,
  { message }: Words,
  { now, settings }: Context,
): Written {
  const state = { ...run.state, active_tool_state: active, updated_at: now.time };
  const moved = { ...run, active, position: configuration, state };
  const next_prompt = renderPrompt(moved, configurationOf(run.definition, active), settings.alfred);
  const data = dataOf(run, active, state.task_status);
  return {
    answer: { response: { status: "success", message, data, next_prompt } },
    changes: stateChanges(run.workspace, state),
  };
}

/** The decision, for the run's log. */
function loggedOf(
  run: LoadedRun,
  outcome: Outcome,
  effect: Effect,
  { verdict }: Words,
  context: Context,
): StepDetails {
  const artifact = effect(run.active.context_store).submitted?.sha256;
  return {
    ...(outcome.finished && { status: endOf(run, outcome, context) }),
    ...(artifact !== undefined && { artifact }),
    ...(verdict && { verdict: verdictWords(verdict) }),
  };
}

/** The changes that create the task files listed in an accepted artifact. */
function createdBy(run: LoadedRun, accepted: Accepted | null): readonly Change[] {
  if (!accepted || !stepOf(run.definition, accepted.state).createsTasks) return [];
  return taskFiles(accepted.artifact);
}

/** The run's data for programs that do not read the prompt; inapplicable keys are absent. */
export function dataOf(
  run: Pick<LoadedRun, "id">,
  active: ActiveTool | null,
  status: TaskStatus,
): Readonly<Record<string, unknown>> {
  return {
    task_id: run.id,
    task_status: status,
    active_tool: active?.tool_name ?? null,
    ...(active && {
      current_state: active.current_state,
      ...(active.review_source && { review_source: active.review_source }),
      ...(active.review_stage && { review_stage: active.review_stage }),
    }),
  };
}

function endOf({ definition }: LoadedRun, { accepted }: Outcome, { settings }: Context): TaskStatus {
  return statusAfter(definition, accepted?.artifact, settings.alfred.size);
}

/** A verdict in its stored form: who, when, by which channel, and on what. */
export function verdictOf(
  submitted: Pick<Submission, "state" | "sha256" | "tree" | "evidence">,
  stage: Verdict["stage"],
  given: { readonly approved: boolean; readonly notes: string },
  context: Context,
): Verdict {
  const { caller, now } = context;
  return {
    state: submitted.state,
    stage,
    approved: given.approved,
    notes: given.notes,
    time: now.time,
    who: caller.who ?? null,
    channel: caller.channel,
    ...(isFromPerson(stage, context) && { strength: strengthOf(context) }),
    sha256: submitted.sha256,
    ...(submitted.tree !== undefined && { tree: submitted.tree }),
    evidence: submitted.evidence.map(({ about, verdict, words }) => ({ about, verdict, words })),
  };
}

/** Whether a person gave the verdict: in the human review or, at a terminal, already in the assistant's. */
function isFromPerson(stage: Verdict["stage"], context: Context): boolean {
  return stage === "human" || isPersonHere(context) || context.caller.channel === "elicitation";
}
