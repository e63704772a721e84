import type { View } from "../../core/ports/store.ts";
import { loadFamily } from "./begin/family.ts";
import type { OwnRun } from "./load-run.ts";
import { checkProved } from "./proved.ts";

/** Throws `workflow-invalid` if its workflow, or one that it begins, may move no run. */
export async function checkMayMove(
  { loaded, source, sources }: Pick<OwnRun, "loaded" | "source" | "sources">,
  view: View,
): Promise<void> {
  checkProved(loaded.definition, source.file, await loadFamily(sources, view, source, loaded));
}
