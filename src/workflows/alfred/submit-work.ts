import { PawlError } from "../../core/error.ts";
import type { PinnedBase } from "../../core/ports/git.ts";
import type { Context } from "../../runtime/module.ts";
import { runningNote } from "./check-evidence.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { gatherEvidence } from "./gather.ts";
import { governed } from "./govern.ts";
import { hashOf } from "./hash.ts";
import { type LoadedRun, loadRun, loadTask } from "./load.ts";
import { checkTakesLoop, handedInBefore, isFromLoop } from "./loop-hand-in.ts";
import { makeManifest } from "./loop-manifest.ts";
import { type LoopSide, loadLoopSide } from "./loop-side.ts";
import { machineOf, stepOf } from "./machine.ts";
import { subtasksOf } from "./prompt.ts";
import { type Answer, standingOf, type ToolPlan } from "./response.ts";
import type { Artifact, Submission, TaskState } from "./state-file.ts";
import { checkSubmission } from "./submission-checks.ts";
import { commit, invalidAction, take } from "./transition.ts";
import { WARNINGS } from "./work-evidence.ts";

export interface SubmitInput {
  readonly task_id: string;
  readonly artifact: unknown;
}

interface Work {
  readonly run: LoadedRun;
  readonly work: string;
}

type Seen =
  | (Work & { readonly kind: "artifact"; readonly artifact: Artifact })
  | (Work & { readonly kind: "loop"; readonly side: LoopSide })
  | { readonly kind: "before"; readonly answer: Answer; readonly state: TaskState };

/** What is handed in, and what was found beside it. */
type HandedIn = Omit<Submission, "state" | "time"> & { readonly base?: PinnedBase };

const plan: ToolPlan<SubmitInput, Seen, HandedIn | null> = {
  tool: "submit_work",
  task: (input) => input.task_id,
  run: (input) => `alfred:${input.task_id}`,
  async read(view, input, context) {
    const loaded = await loadTask(view, input.task_id);
    const fromLoop = isFromLoop(input.artifact);
    const before = fromLoop ? handedInBefore(loaded) : null;
    if (before) return { kind: "before", answer: before, state: loaded.state };
    const run = await loadRun(view, loaded, context);
    const { state } = run.position;
    const work = machineOf(run.definition).workOf(state);
    if (work === null) throw invalidAction(run, submitTrigger(run));
    checkUnaltered(run);
    const step = stepOf(run.definition, work);
    if (fromLoop) {
      checkTakesLoop(run);
      return { kind: "loop", run, work, side: await loadLoopSide(view, run.id, context) };
    }
    const artifact = run.kit.validate(step.artifact, state, input.artifact);
    await checkSubmission(run, step, artifact, view);
    return { kind: "artifact", run, work, artifact };
  },
  async gather(seen, _, outside, context) {
    if (seen.kind === "before") return null;
    const { run, work } = seen;
    const step = stepOf(run.definition, work);
    const made = seen.kind === "loop" ? await makeManifest(run, seen.side, outside, context) : null;
    const artifact =
      seen.kind === "loop" ? run.kit.validate(step.artifact, work, made?.artifact) : seen.artifact;
    const found = await gatherEvidence(run, step, artifact, outside, context);
    const evidence = made ? withLoop(found.evidence, made.finding) : found.evidence;
    // What the status is about is what the work will start from.
    const base = step.evidence.includes("git-status") ? await outside.git.pin(`feature/${run.id}`) : null;
    const from = made ? { from: "loop" as const } : {};
    return { artifact, sha256: await hashOf(artifact), ...found, evidence, ...from, ...(base && { base }) };
  },
  prepare(seen, handedIn, _, context) {
    if (seen.kind === "before") return seen.answer;
    if (handedIn === null) throw new Error("Nothing was gathered for what is handed in.");
    return handIn(seen, handedIn, context);
  },
  standing: (seen) => (seen.kind === "before" ? standingOf(seen.state) : seen.run.position.state),
};

/** After what warns of the work as a whole. */
function withLoop(evidence: Evidence, loop: Finding): Evidence {
  const warnings = evidence.filter(({ about }) => WARNINGS.includes(about));
  return [...warnings, loop, ...evidence.filter((each) => !warnings.includes(each))];
}

/** The one way to hand in any artifact. */
export const submitWork = governed(plan, (seen) => (seen.kind === "before" ? null : seen.run));

/** The trigger's name where the state takes none: that of the work under review. */
function submitTrigger(run: LoadedRun): string {
  const machine = machineOf(run.definition);
  const work = machine.underReview(run.position)?.work;
  return machine.submitEvent(work ?? run.position.state);
}

/** Nothing is built on an artifact that is no longer what was approved. */
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

function handIn({ run: before, work }: Work, { base, ...handedIn }: HandedIn, context: Context): Answer {
  const run = base ? { ...before, state: { ...before.state, base } } : before;
  const decision = take(run, machineOf(run.definition).submitEvent(run.position.state));
  const submitted = { state: work, time: context.moment.time, ...handedIn };
  const name = stepOf(run.definition, work).artifact;
  const isLoops = handedIn.from === "loop";
  const source = isLoops ? ", from the loop's evidence" : "";
  return commit(
    run,
    decision,
    (store) => ({ ...store, submitted, ...(isLoops && { completed_subtasks: allSubtasks(run) }) }),
    {
      message: `The ${name} of task '${run.id}' is handed in${source}.${runningNote(handedIn.evidence, run.definition.name)}`,
      summary: `${name} handed in for ${work}${source}`,
    },
    context,
  );
}

const allSubtasks = ({ state }: LoadedRun): readonly string[] =>
  subtasksOf(state).map(({ slot_id }) => slot_id);
