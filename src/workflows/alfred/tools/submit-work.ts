import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { canonical } from "../../../core/json.ts";
import type { GitState, PinnedBase } from "../../../core/ports/git.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Context } from "../../../runtime/module.ts";
import {
  type RunContext,
  runEvent,
  type Sent,
  type Step,
  type Taken,
  type TypesOf,
} from "../../../runtime/transaction/run-event.ts";
import { runningNote } from "../evidence/check-evidence.ts";
import { named } from "../evidence/diff-evidence.ts";
import type { Evidence, Finding } from "../evidence/evidence.ts";
import { gatherEvidence } from "../evidence/gather.ts";
import { GIT, isCheckedOut, isOwn } from "../evidence/git-evidence.ts";
import { checkSubmission } from "../evidence/submission-checks.ts";
import { WARNINGS } from "../evidence/work-evidence.ts";
import { govern, withPolicyFinding } from "../gate/govern.ts";
import { checkTakesLoop, handedInBefore, isFromLoop } from "../loop/loop-hand-in.ts";
import { makeManifest } from "../loop/loop-manifest.ts";
import { loadLoopSide } from "../loop/loop-side.ts";
import { type LoadedRun, loadRun, loadTask, slotsOf } from "../state/load.ts";
import type { Artifact, Submission } from "../state/state-file.ts";
import { ARTIFACT_TITLES } from "../texts/titles.ts";
import type { ArtifactOf } from "./artifacts.ts";
import type { WorkStep } from "./definition.ts";
import { machineOf, stepOf } from "./machine.ts";
import type { Answer, ToolPlan } from "./response.ts";
import { checkTaken, effectsOf, invalidActionError, type ToolEffects } from "./transition.ts";
import { validate } from "./validate.ts";

export interface SubmitInput {
  readonly task_id: string;
  readonly artifact: unknown;
}

interface Submitted extends Sent {
  /** The work state for which it is submitted. */
  readonly work: string;
  /** Null: it is made from the loop's evidence. */
  readonly artifact: Artifact | null;
}

/** What is submitted, and the findings about it. */
type HandedIn = Omit<Submission, "state" | "time"> & { readonly base?: PinnedBase };

type SubmitTypes = TypesOf<{
  input: SubmitInput;
  run: LoadedRun;
  sent: Submitted;
  material: HandedIn;
  reply: Answer;
}>;

/** The only tool to submit artifacts, of any kind. */
export const submitWork: ToolPlan<SubmitInput> = {
  tool: "submit_work",
  task: (input) => input.task_id,
  syncs: true,
  ...runEvent<SubmitTypes>({
    lock: (input) => `alfred:${input.task_id}`,
    async load(context) {
      const { artifact, task_id } = context.input;
      const loaded = await loadTask(context.view, task_id);
      const before = isFromLoop(artifact) ? handedInBefore(loaded) : null;
      return before ? { answer: { reply: before } } : loadRun(context.view, loaded, context);
    },
    govern,
    event: submittedIn,
    collect,
    propose: handIn,
  }),
};

async function submittedIn(run: LoadedRun, { input, view }: RunContext<SubmitInput>): Promise<Submitted> {
  const { state } = run.configuration;
  const machine = machineOf(run.definition);
  const work = machine.workOf(state);
  if (work === null) throw invalidActionError(run, submitTrigger(run));
  checkUnaltered(run);
  const event = machine.submitEvent(state);
  if (isFromLoop(input.artifact)) {
    checkTakesLoop(run);
    return { event, work, artifact: null };
  }
  const step = stepOf(run.definition, work);
  const artifact = validate(step.artifact, state, input.artifact);
  await checkSubmission(run, step, artifact, view);
  return { event, work, artifact };
}

async function collect(
  { decision, run, sent }: Taken<SubmitTypes>,
  context: RunContext<SubmitInput>,
): Promise<HandedIn> {
  const { ignored, outside, view } = context;
  checkTaken(run, decision);
  const step = stepOf(run.definition, sent.work);
  const made =
    sent.artifact === null
      ? await makeManifest(run, await loadLoopSide(view, run.id, context), outside, context)
      : null;
  const artifact = sent.artifact ?? validate(step.artifact, sent.work, made?.artifact);
  const gathered = await gatherEvidence(run, step, artifact, outside, context);
  const withMade = made ? withLoop(gathered.evidence, made.finding) : gathered.evidence;
  const evidence = withPolicyFinding(withMade, run.id, ignored);
  await checkUnreviewed(run, { step, artifact, evidence }, context);
  const base = await pinnedAt(run, step, outside);
  const from = made ? { from: "loop" as const } : {};
  return {
    artifact,
    sha256: hashOf(canonical(artifact)),
    ...gathered,
    evidence,
    ...from,
    ...(base && { base }),
  };
}

/**
 * Throws `evidence-differs` if a size leaves the artifact without a reviewer and git differs from it: what Pawl finds
 * stands for the review. Files that are left uncommitted may be a person's own, unless nothing at all was committed, or
 * they belong to the work that was approved.
 */
async function checkUnreviewed(
  run: LoadedRun,
  { artifact, evidence, step }: { artifact: Artifact; evidence: Evidence; step: WorkStep },
  { outside, settings }: RunContext<SubmitInput>,
): Promise<void> {
  const { active, id, state } = run;
  if (settings.alfred.size === null || active.context_store.review_policy.length > 0) return;
  const finding = evidence.find(({ about, verdict }) => about === GIT && verdict === "differs");
  if (finding === undefined) return;
  if ("commit_hash" in artifact) {
    const git = await outside.git.state();
    const head = git.kind === "repository" ? git.head : null;
    if (isCheckedOut(artifact as ArtifactOf<"FinalizeArtifact">, head) && head !== state.base?.commit) {
      const left = git.kind === "repository" ? await approvedAndLeft(run, git, outside) : [];
      if (left.length === 0) return;
      throw new PawlError(
        "evidence-differs",
        `The ${ARTIFACT_TITLES[step.artifact]} of task '${id}' is not accepted: the commit lacks a part of the work that was approved: ${named(left)}.`,
        "Commit what is missing, and call submit_work again. If it does not belong to the task, ask the human, and move it out of the project.",
      );
    }
  }
  throw new PawlError(
    "evidence-differs",
    `The ${ARTIFACT_TITLES[step.artifact]} of task '${id}' is not accepted: nobody reviews it, so it must agree with what the server finds. ${finding.words}`,
    "Do what the step asks for, or report what is there, and call submit_work again.",
  );
}

/** The uncommitted files of the work that was last approved, without those that the status report named as there before. */
async function approvedAndLeft(
  { state: { completed_tool_outputs: outputs } }: LoadedRun,
  { head, uncommitted }: Extract<GitState, { kind: "repository" }>,
  { git }: Outside,
): Promise<readonly string[]> {
  const verdicts = Object.values(outputs).flatMap((output) => output?.verdicts ?? []);
  const judged = verdicts.filter(({ approved, tree }) => approved && tree !== undefined);
  const tree = judged.sort((one, other) => one.time.localeCompare(other.time)).at(-1)?.tree;
  if (tree === undefined || head === null) return [];
  const before = Object.values(outputs).flatMap((output) =>
    (output?.accepted ?? []).flatMap(({ artifact }) =>
      "uncommitted_files" in artifact ? (artifact.uncommitted_files as readonly string[]) : [],
    ),
  );
  const missing = new Set((await git.between(head, tree))?.map(({ path }) => path));
  return uncommitted.filter((path) => missing.has(path) && !isOwn(path) && !before.includes(path));
}

/**
 * The commit that the work starts from: the one at the status report, and once there is a branch, the one
 * that it left. In between, a person may have committed what blocked the branch.
 */
async function pinnedAt(
  run: LoadedRun,
  { evidence }: WorkStep,
  { git }: Outside,
): Promise<PinnedBase | null> {
  if (evidence.includes("git-status")) return git.pin(`feature/${run.id}`);
  if (!evidence.includes("git-branch") || !run.state.base) return null;
  const { branch } = run.state.base;
  const gitState = await git.state();
  if (gitState.kind !== "repository" || gitState.head === null) return null;
  const found = await git.commits(branch, gitState.head);
  return found.kind === "commits" && found.from !== undefined ? { branch, commit: found.from } : null;
}

/** Inserts the finding about the loop after the warnings about the work as a whole. */
function withLoop(evidence: Evidence, loop: Finding): Evidence {
  const warnings = evidence.filter(({ about }) => WARNINGS.includes(about));
  return [...warnings, loop, ...evidence.filter((each) => !warnings.includes(each))];
}

/**
 * The event of submitting in this state; if the state takes no submission, that of the work under review, so
 * that the error names it.
 */
function submitTrigger(run: LoadedRun): string {
  const machine = machineOf(run.definition);
  const work = machine.underReview(run.configuration)?.work;
  return machine.submitEvent(work ?? run.configuration.state);
}

/** Throws `approval-void` if an approved artifact was changed, because no further work may build on it. */
export function checkUnaltered(run: LoadedRun): void {
  const submitted = run.active.context_store.submitted?.state;
  const altered = run.altered.filter((state) => state !== submitted);
  if (altered.length === 0) return;
  throw new PawlError(
    "approval-void",
    `The artifact of ${altered.map((state) => `'${state}'`).join(", ")} was changed on disk after it was approved: what it is now is not approved.`,
    `Restore it in .alfred/workspace/${run.id}/task_state.json as it was (the scratchpad and the archive show it).`,
  );
}

function handIn({ decision, material, run: before, sent }: Step<SubmitTypes>, context: Context): ToolEffects {
  const { base, ...handedIn } = material;
  const run = base ? { ...before, state: { ...before.state, base } } : before;
  const submitted = { state: sent.work, time: context.now.time, ...handedIn };
  const { artifact: name } = stepOf(run.definition, sent.work);
  const isLoops = handedIn.from === "loop";
  const source = isLoops ? ", from the loop's evidence" : "";
  return effectsOf(
    run,
    decision,
    (store) => ({ ...store, submitted, ...(isLoops && { completed_subtasks: allSubtasks(run) }) }),
    {
      message: `The ${name} of task '${run.id}' is handed in${source}.${runningNote(handedIn.evidence, run.definition.name)}`,
      summary: `${ARTIFACT_TITLES[name]} handed in${source}`,
    },
    context,
  );
}

const allSubtasks = ({ state }: LoadedRun): readonly string[] => slotsOf(state).map(({ slot_id }) => slot_id);
