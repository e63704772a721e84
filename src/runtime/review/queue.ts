/** What waits for a person, in the recommended order. */
import type { RunOverview } from "../transaction/transaction.ts";
import { sizeOf, wordsIn } from "./order.ts";

export interface Waiting {
  /** `workflow:id` */
  readonly run: string;
  readonly title: string;
  /**
   * `failed`: a check stopped it. `held`: its state is unreadable, or does not count, until a person decides.
   */
  readonly kind: "gate" | "question" | "blocked" | "failed" | "held" | "other";
  readonly state: string;
  /** The next step, in a few words; the question, if it is one. */
  readonly next: string;
  readonly command: string;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  /** The estimated reading time; null: not known. */
  readonly minutes: number | null;
  /** Of a question. */
  readonly question?: string;
}

/** The entries of a run: one for each open question of its agent, and one if a person must act. */
export function waitingIn(run: RunOverview): readonly Waiting[] {
  const { questions = [], problem, state, title } = run;
  const waitingQuestions = questions.map(({ command, id: question, since, text }): Waiting => {
    const { minutes } = sizeOf([], wordsIn(text));
    return { run: run.run, title, kind: "question", state, next: text, command, since, minutes, question };
  });
  if (run.awaits !== "human" || (run.waitsFor === "question" && waitingQuestions.length > 0))
    return waitingQuestions;
  const kind: Waiting["kind"] = problem ? "held" : (run.waitsFor ?? "other");
  const usual = problem
    ? heldCommand(run.run, problem)
    : `pawl ${kind === "gate" ? "review" : "approve"} ${run.run}`;
  const next = problem ? problem.message : run.next;
  const common = { run: run.run, title, kind, state, next, command: run.command ?? usual, since: run.since };
  return [...waitingQuestions, { ...common, minutes: null }];
}

/** A held run takes no verdict. */
function heldCommand(run: string, { code }: NonNullable<RunOverview["problem"]>): string {
  return code === "records-forked" ? `pawl adopt ${run} --branch ID` : `pawl show ${run}`;
}

const DAY = 86_400_000;

/**
 * A wait that is longer by whole days comes first, an unknown one before all; within a day the shortest
 * review, then the longest wait.
 */
export function inTurn<T extends Waiting>(waiting: readonly T[], now: Date): readonly T[] {
  const days = ({ since }: Waiting) =>
    since === null ? Number.POSITIVE_INFINITY : Math.floor((now.getTime() - Date.parse(since)) / DAY);
  const minutes = (each: Waiting) => each.minutes ?? Number.POSITIVE_INFINITY;
  return [...waiting].sort(
    (one, other) =>
      compare(days(other), days(one)) ||
      compare(minutes(one), minutes(other)) ||
      compare(one.since ?? "", other.since ?? "") ||
      compare(one.run, other.run),
  );
}

function compare<T extends number | string>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
