/** `plan take-back`: submit_work with the loop's evidence, from a terminal. */
import type { Advance, Reply } from "../../runtime/module.ts";
import { FROM_LOOP } from "./loop-hand-in.ts";
import { atTheEdge } from "./response.ts";
import { type SubmitInput, submitWork } from "./submit-work.ts";

interface TakeBackInput {
  readonly id: string;
}

const plan: Advance<SubmitInput, unknown, unknown, Reply> = atTheEdge(submitWork);

const given = ({ id }: TakeBackInput): SubmitInput => ({ task_id: id, artifact: FROM_LOOP });

export const takeBack: Advance<TakeBackInput, unknown, unknown, Reply> = {
  run: (input) => plan.run(given(input)),
  read: (view, input, context) => plan.read(view, given(input), context),
  gather: async (seen, input, outside, context) => plan.gather?.(seen, given(input), outside, context),
  prepare(seen, gathered, input, context) {
    const prepared = plan.prepare(seen, gathered, given(input), context);
    const { data, refused } = prepared.reply;
    if (refused) return prepared;
    // A person wants to know that it is done; the prompt is the assistant's.
    return { ...prepared, reply: { text: `${String(data.message)}\nTell your assistant to go on.`, data } };
  },
};
