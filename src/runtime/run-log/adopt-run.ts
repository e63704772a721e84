/** A person adopts a run that others advanced, or chooses the branch of it that counts. */
import { PawlError } from "../../core/error.ts";
import { publicCaller } from "../../core/event.ts";
import { renderReview } from "../review/question.ts";
import { hasAnswered, strengthOf } from "../transaction/person.ts";
import { runAdvanced, stamped } from "../transaction/run-advanced.ts";
import type { Context, Proposal, Reply } from "../transaction/transaction.ts";
import { hashOfStep, TAKEN_OVER } from "./history.ts";
import { chosenBranch, nameOfBranch, type RunBranch, type SharedStep, stepWords } from "./team-records.ts";

export interface AdoptInput {
  readonly id: string;
  /** The beginning of the branch's hash; required if the run has several. */
  readonly side?: string | undefined;
}

export interface Adoption<Step extends SharedStep, RecordedState> {
  /** `workflow:id` */
  readonly run: string;
  readonly machine: string;
  readonly branches: readonly RunBranch<Step, RecordedState>[];
  /** The run's state on a branch, whether it is over, and notes for a person. */
  look(branch: RunBranch<Step, RecordedState>): {
    readonly state: string;
    readonly isOver: boolean;
    readonly notes: readonly string[];
  };
}

export interface AdoptionStep extends SharedStep {
  readonly event: string;
  readonly row: string;
  readonly strength: string;
  readonly prev: string;
}

type Written = Pick<Proposal<Reply>, "changes" | "logged">;

/**
 * `written`: writes the run of the branch, with the step of the adoption. Throws `no-effect`, `usage`,
 * `records-forked`.
 */
export function adoptRun<Step extends SharedStep, RecordedState>(
  { look, machine, run, branches }: Adoption<Step, RecordedState>,
  { side: named }: AdoptInput,
  written: (branch: RunBranch<Step, RecordedState>, step: AdoptionStep) => Written,
  context: Context,
): Proposal<Reply> {
  const here = new PawlError(
    "no-effect",
    `${run} is in this checkout already.`,
    "There is nothing to take over.",
  );
  if (branches.length === 0) throw here;
  const branch = chosenBranch(run, branches, named);
  const others = branches.filter((each) => each !== branch);
  const { isOver, notes, state } = look(branch);
  if (others.length === 0 && isOver)
    throw new PawlError("no-effect", `${run} is over: it is ${state}.`, "There is nothing to take over.");
  if (others.length === 0 && branch.recorded === null) throw here;
  const message = question(run, { notes, others, branch, state });
  if (!hasAnswered(context, message))
    return { reply: { text: "", data: {} }, ask: { message, command: commandOf(run, named) } };
  const move = { event: TAKEN_OVER, row: TAKEN_OVER, from: state, to: state };
  const step: AdoptionStep = {
    time: context.now.time,
    ...move,
    by: publicCaller(context.caller),
    strength: strengthOf(context),
    prev: branch.head,
    ...(others.length > 0 ? { over: others.map(({ head }) => head) } : {}),
  };
  const text = `${run} is taken over. It is ${state}.`;
  const summary = `taken over in ${state}${others.length > 0 ? `, by the side ${nameOfBranch(branch)}` : ""}`;
  const event = runAdvanced({ run, machine, ...move }, { summary, strength: strengthOf(context) }, context);
  return {
    reply: { text, data: { status: "success", message: text, run, state } },
    ...written(branch, step),
    events: stamped([event], context),
  };
}

function commandOf(run: string, branch: string | undefined): string {
  return `pawl take ${run}${branch === undefined ? "" : ` --side ${branch}`}`;
}

interface AdoptQuestion {
  readonly state: string;
  readonly notes: readonly string[];
  readonly branch: RunBranch<SharedStep, unknown>;
  readonly others: readonly RunBranch<SharedStep, unknown>[];
}

const MOST_TOLD = 20;

function question(run: string, { notes, others, branch, state }: AdoptQuestion): string {
  const isChoice = others.length > 0;
  return renderReview({
    question: isChoice
      ? `Does the side ${nameOfBranch(branch)} of ${run} count, which is in ${state}?`
      : `Take over ${run}, which is in ${state}?`,
    facts: [
      ...notes,
      "Its steps come from records in the repository, which anybody with access may write: they prove no verdict.",
      isChoice
        ? "Yes overrules the other side for everybody who gets this choice by git. Its records stay."
        : "Whoever worked on it must stop: if two go on, the run is held when both are merged.",
      ...stepLines("This side", branch, others),
      ...others.flatMap((other) => stepLines(`The side ${nameOfBranch(other)}`, other, [branch])),
    ],
    whole: `pawl show ${run}`,
  });
}

/** The branch's last steps; if there are several branches, only its own. */
function stepLines(
  name: string,
  { steps }: RunBranch<SharedStep, unknown>,
  others: readonly RunBranch<SharedStep, unknown>[],
): readonly string[] {
  const common = new Set(others.flatMap((other) => other.steps.map(hashOfStep)));
  const own = steps.filter((step) => !common.has(hashOfStep(step)));
  const left = own.length - MOST_TOLD;
  return [
    `${name}:${left > 0 ? ` ${left} steps, then` : ""}`,
    ...own.slice(-MOST_TOLD).map((step) => `- ${stepWords(step)}`),
  ];
}
