/** `plan take-back`: calls submit_work with the loop's evidence, from a terminal. */
import { withInput } from "../../../runtime/transaction/transaction.ts";
import { toolTransaction } from "../tools/response.ts";
import { submitWork } from "../tools/submit-work.ts";
import { FROM_LOOP } from "./loop-hand-in.ts";

const handIn = withInput(toolTransaction(submitWork), ({ id }: { readonly id: string }) => ({
  task_id: id,
  artifact: FROM_LOOP,
}));

export const takeBack: typeof handIn = {
  ...handIn,
  propose(...all) {
    const prepared = handIn.propose(...all);
    const { data, refused } = prepared.reply;
    if (refused) return prepared;
    // Replies with a message for a person; the prompt is for the assistant.
    return {
      ...prepared,
      reply: { text: `${String(data.message)}\nTell your assistant to continue.`, data },
    };
  },
};
