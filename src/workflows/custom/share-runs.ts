/** `pawl init`: the runs that an earlier version kept only in this checkout are recorded for git. */
import { PawlError } from "../../core/error.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Reply, Transaction } from "../../runtime/module.ts";
import type { DefinitionSource } from "./definition.ts";
import { loadChecked } from "./load-run.ts";
import { listRuns } from "./run-file.ts";
import { runChanges } from "./standing.ts";

interface Unshared {
  readonly runs: readonly string[];
  readonly changes: readonly Change[];
}

export function shareRuns(
  source: DefinitionSource,
): Transaction<Record<string, never>, Unshared, undefined, Reply> {
  return {
    run: () => "pawl:init",
    read: (view) => unshared(source, view),
    propose({ changes, runs }) {
      const text = runs.map((run) => `recorded  ${run}`).join("\n") || "unchanged  its records";
      return { reply: { text, data: { recorded: runs } }, changes };
    },
  };
}

async function unshared(source: DefinitionSource, view: View): Promise<Unshared> {
  const loaded = await source.load(view);
  const runs: string[] = [];
  const changes: Change[] = [];
  for (const id of await listRuns(view, source.name)) {
    const standing = await loadChecked(view, source.name, id, loaded).catch(heldOnly);
    if (!standing || standing.elsewhere || standing.recorded === standing.file.history.length) continue;
    runs.push(`${source.name}:${id}`);
    changes.push(...runChanges(standing.file, standing.recorded));
  }
  return { runs, changes };
}

/** `pawl status` tells of a run that is held, or cannot be read; the others are recorded. */
function heldOnly(thrown: unknown): null {
  if (thrown instanceof PawlError) return null;
  throw thrown;
}
