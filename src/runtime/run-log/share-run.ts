/** Writes the records that a run lacks now, so that others can adopt it before it rests. */
import { PawlError } from "../../core/error.ts";
import { checkId } from "../../core/id.ts";
import type { Change } from "../../core/ports/store.ts";
import { object } from "../../core/state-json.ts";
import type { WorkflowModule } from "../module.ts";
import type { Reply, StoryInput, Transaction } from "../transaction/transaction.ts";
import { loadRecords, recordNames, recordsFolder, sharesRuns } from "./team-records.ts";

/** Throws `no-effect`: its runs have no records, the project shares none, or the run has no steps yet. */
export function shareRun({
  name,
  records,
  title,
}: WorkflowModule): Transaction<StoryInput, readonly Change[], undefined, Reply> {
  const runOf = ({ id }: StoryInput) => `${name}:${checkId(id, "run id")}`;
  return {
    run: runOf,
    async read(view, input, context) {
      const run = runOf(input);
      if (!records)
        throw new PawlError(
          "no-effect",
          `${run} cannot be shared: runs of ${title} have no records.`,
          "`pawl status` lists every run.",
        );
      if (!sharesRuns(context.settings, name))
        throw new PawlError(
          "no-effect",
          `${run} is not recorded for others: \`share\` in pawl.yaml is false. Nothing was changed.`,
          `Write \`share: true\` into pawl.yaml, then run \`pawl task share ${run}\` again.`,
        );
      const changes = await (await records()).missing(view, input.id, context);
      const names = await recordNames(view, run);
      // A damaged one would be committed: throws `records-invalid`, which names it.
      await loadRecords(view, run, names, object);
      if (changes.length === 0 && names.length === 0)
        throw new PawlError(
          "no-effect",
          `${run} has no steps to record: it has not begun, or its first steps are no longer kept.`,
          "`pawl status` shows what it waits for.",
        );
      return changes;
    },
    propose(changes, _, input) {
      const run = runOf(input);
      const files = changes.flatMap((change) => (change.type === "write" ? [change.path] : []));
      const sentence =
        files.length === 0
          ? `All steps of ${run} are recorded already. Commit ${recordsFolder(run)}, if you have not.`
          : `All steps of ${run} are recorded now. Commit ${files.join(" and ")}.`;
      const text = `${sentence} Whoever gets it by git can adopt the run with \`pawl adopt ${run}\`.`;
      return { reply: { text, data: { status: "success", message: text, run, files } }, changes };
    },
  };
}
