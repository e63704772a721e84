import { PawlError } from "../../base/error.ts";
import type { Context } from "../module.ts";
import { runningNote } from "./check-evidence.ts";
import type { Evidence } from "./evidence.ts";
import { gatherEvidence } from "./gather.ts";
import { hashOf } from "./hash.ts";
import { type LoadedRun, loadRun, loadTask } from "./load.ts";
import { machineOf, stepOf } from "./machine.ts";
import type { Answer, ToolPlan } from "./response.ts";
import type { Artifact } from "./state-file.ts";
import { checkSubmission } from "./submission-checks.ts";
import { commit, invalidAction, take } from "./transition.ts";

export interface SubmitInput {
  readonly task_id: string;
  readonly artifact: unknown;
}

interface Seen {
  readonly run: LoadedRun;
  readonly work: string;
  readonly artifact: Artifact;
  readonly sha256: string;
}

/** The one way to hand in any artifact. */
export const submitWork: ToolPlan<SubmitInput, Seen, Evidence> = {
  tool: "submit_work",
  task: (input) => input.task_id,
  run: (input) => `alfred:${input.task_id}`,
  async read(view, input, context) {
    const loaded = await loadTask(view, input.task_id);
    const run = await loadRun(view, loaded, context);
    const { state } = run.position;
    const work = machineOf(run.definition).workOf(state);
    if (work === null) throw invalidAction(run, submitTrigger(run));
    checkUnaltered(run);
    const step = stepOf(run.definition, work);
    const artifact = run.kit.validate(step.artifact, state, input.artifact);
    await checkSubmission(run, step, artifact, view);
    return { run, work, artifact, sha256: await hashOf(artifact) };
  },
  gather: ({ run, work, artifact }, _, outside, context) =>
    gatherEvidence(run, stepOf(run.definition, work), artifact, outside, context),
  prepare: (seen, evidence, _, context) => handIn(seen, evidence, context),
};

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

function handIn(seen: Seen, evidence: Evidence, context: Context): Answer {
  const { artifact, run, sha256, work } = seen;
  const decision = take(run, machineOf(run.definition).submitEvent(run.position.state));
  const submitted = { state: work, artifact, sha256, time: context.moment.time, evidence };
  const name = stepOf(run.definition, work).artifact;
  const message = `The ${name} of task '${run.id}' is handed in.`;
  return commit(
    run,
    decision,
    (store) => ({ ...store, submitted }),
    {
      message: message + runningNote(evidence, run.definition.name),
      summary: `${name} handed in for ${work}`,
    },
    context,
  );
}
