/** `plan take-back`: submit_work with the loop's evidence, from a terminal. */
import type { Advance, Reply } from "../module.ts";
import { FROM_LOOP } from "./loop-hand-in.ts";
import { atTheEdge } from "./response.ts";
import { type SubmitInput, submitWork } from "./submit-work.ts";

interface TakeBackInput {
  readonly id: string;
}

const plan = atTheEdge(submitWork);
type Seen = Awaited<ReturnType<typeof plan.read>>;
type Gathered = Awaited<ReturnType<NonNullable<typeof plan.gather>>>;

const given = ({ id }: TakeBackInput): SubmitInput => ({ task_id: id, artifact: FROM_LOOP });

export const takeBack: Advance<TakeBackInput, Seen, Gathered, Reply> = {
  run: (input) => plan.run(given(input)),
  read: (view, input, context) => plan.read(view, given(input), context),
  async gather(seen, input, outside, context) {
    if (!plan.gather) throw new Error("submit_work gathers nothing.");
    return plan.gather(seen, given(input), outside, context);
  },
  prepare(seen, gathered, input, context) {
    const prepared = plan.prepare(seen, gathered, given(input), context);
    const { data, refused } = prepared.reply;
    if (refused) return prepared;
    // A person wants to know that it is done; the prompt is the assistant's.
    return { ...prepared, reply: { text: `${String(data.message)}\nTell your assistant to go on.`, data } };
  },
};
