/** A person adopts a run that others advanced, or chooses the branch of it that counts. */
import { PawlError } from "../../core/error.ts";
import type { Change } from "../../core/ports/store.ts";
import { renderReview } from "../review/question.ts";
import { hasAnswered, strengthOf } from "../transaction/person.ts";
import { runAdvanced, stamped } from "../transaction/run-advanced.ts";
import type { Context, Proposal, Reply } from "../transaction/transaction.ts";
import { ADOPTED } from "./history.ts";
import { hashOfStep } from "./step.ts";
import { chosenBranch, nameOfBranch, type RunBranch, stepWords } from "./team-records.ts";

export interface AdoptInput {
  readonly id: string;
  /** The beginning of the branch's hash; required if the run has several. */
  readonly branch?: string | undefined;
}

export interface Adoption<RecordedState> {
  /** `workflow:id` */
  readonly run: string;
  readonly branches: readonly RunBranch<RecordedState>[];
  /** The run's table and state on a branch, whether it is over, and notes for a person. */
  describe(branch: RunBranch<RecordedState>): {
    readonly machine: string;
    readonly state: string;
    readonly isOver: boolean;
    readonly notes: readonly string[];
  };
}

/**
 * `written`: the changes that write the run of the branch. Throws `no-effect`, `usage`, `records-forked`.
 */
export function adoptRun<RecordedState>(
  { describe, run, branches }: Adoption<RecordedState>,
  { branch: named }: AdoptInput,
  written: (branch: RunBranch<RecordedState>) => readonly Change[],
  context: Context,
): Proposal<Reply> {
  const here = new PawlError(
    "no-effect",
    `${run} is in this checkout already.`,
    "There is nothing to adopt.",
  );
  if (branches.length === 0) throw here;
  const branch = chosenBranch(run, branches, named);
  const others = branches.filter((each) => each !== branch);
  const { isOver, machine, notes, state } = describe(branch);
  if (others.length === 0 && isOver)
    throw new PawlError("no-effect", `${run} is over: it is ${state}.`, "There is nothing to adopt.");
  if (others.length === 0 && branch.recorded === null) throw here;
  const message = question(run, { notes, others, branch, state });
  if (!hasAnswered(context, message))
    return { reply: { text: "", data: {} }, ask: { message, command: commandOf(run, named) } };
  const move = { event: ADOPTED, row: ADOPTED, from: state, to: state };
  const text = `${run} is adopted. It is ${state}.`;
  const summary = `adopted in ${state}${others.length > 0 ? `, on the branch ${nameOfBranch(branch)}` : ""}`;
  const event = runAdvanced({ run, machine, ...move }, { summary, strength: strengthOf(context) }, context);
  return {
    reply: { text, data: { status: "success", message: text, run, state } },
    changes: written(branch),
    logged: {
      ...(others.length > 0 && { over: others.map(({ head }) => head) }),
      ...(branch.recorded !== null && { branch: branch.steps }),
    },
    events: stamped([event], context),
  };
}

function commandOf(run: string, branch: string | undefined): string {
  return `pawl adopt ${run}${branch === undefined ? "" : ` --branch ${branch}`}`;
}

interface AdoptQuestion {
  readonly state: string;
  readonly notes: readonly string[];
  readonly branch: RunBranch<unknown>;
  readonly others: readonly RunBranch<unknown>[];
}

const MAX_SHOWN = 20;

function question(run: string, { notes, others, branch, state }: AdoptQuestion): string {
  const isChoice = others.length > 0;
  return renderReview({
    question: isChoice
      ? `Does the branch ${nameOfBranch(branch)} of ${run} count, which is in ${state}?`
      : `Adopt ${run}, which is in ${state}?`,
    facts: [
      ...notes,
      "Its steps come from records in the repository, which anybody with access may write: they prove no verdict.",
      isChoice
        ? "Yes overrules the other branch for everybody who gets this choice by git. Its records stay."
        : "Whoever worked on it must stop: if two go on, the run has two branches when both are merged.",
      ...stepLines("This branch", branch, others),
      ...others.flatMap((other) => stepLines(`The branch ${nameOfBranch(other)}`, other, [branch])),
    ],
    whole: `pawl show ${run}`,
  });
}

/** The branch's last steps; if there are several branches, only its own. */
function stepLines(
  name: string,
  { steps }: RunBranch<unknown>,
  others: readonly RunBranch<unknown>[],
): readonly string[] {
  const common = new Set(others.flatMap((other) => other.steps.map(hashOfStep)));
  const newSteps = steps.filter((step) => !common.has(hashOfStep(step)));
  const left = newSteps.length - MAX_SHOWN;
  return [
    `${name}:${left > 0 ? ` ${left} steps, then` : ""}`,
    ...newSteps.slice(-MAX_SHOWN).map((step) => `- ${stepWords(step)}`),
  ];
}
