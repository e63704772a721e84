/** Turns an agent's request for permission into a question of its task, while it waits. */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import type { PermissionQuestion } from "../../../core/ports/agents.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Watch } from "../../../core/ports/watch.ts";
import { openSignal } from "../../../core/signal.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { loadQuestions, type Question } from "../question.ts";
import { ask } from "../verbs/question.ts";

export interface AskSetup {
  readonly runtime: Runtime;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly show: (event: BloomEvent | PawlEvent) => void;
}

const YES = /^\s*(y|yes|ok|allow)\b/i;

/** Returns the answer, or `refuse` if the run ends first. Asks the same question only once per task. */
export async function askPerson(
  setup: AskSetup,
  task: string,
  { title, detail }: PermissionQuestion,
  over: AbortSignal,
  caller: Caller,
): Promise<"allow" | "refuse"> {
  const text = `May it do this? (yes or no) ${detail === "" || title.includes(detail) ? title : `${title}: ${detail}`}`;
  const findAnswer = () => find(setup, task, text);
  if ((await findAnswer()) === undefined) {
    const asked = await runTransaction(setup.runtime, ask, { task, text, blocking: true }, caller);
    for (const event of asked.events ?? []) setup.show(event);
  }
  const signal = openSignal(over, setup.clock);
  const watching = setup.watch.onChange(signal.notify);
  try {
    while (!over.aborted) {
      // Even if it stays unreadable, the run's limits end the wait.
      const answer = await findAnswer().then(
        (question) => question?.answer,
        () => null,
      );
      if (answer != null) return YES.test(answer) ? "allow" : "refuse";
      await signal.wait(Number.POSITIVE_INFINITY);
    }
    return "refuse";
  } finally {
    watching.close();
    signal.close();
  }
}

async function find({ runtime }: AskSetup, task: string, text: string): Promise<Question | undefined> {
  const questions = await loadQuestions(runtime.store.view());
  return questions.findLast((each) => each.task === task && each.text === text);
}
