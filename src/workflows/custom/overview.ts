import type { View } from "../../core/ports/store.ts";
import type { Configuration } from "../../engine/workflow.ts";
import type { RunOverview } from "../../runtime/module.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { verdictsIn } from "../../runtime/run-log/read.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import { awaitedOf, nextOf, takesVerdict } from "./describe.ts";
import { loadChecked } from "./load-run.ts";
import { allRuns } from "./resolve-run.ts";
import { configurationOf, orderOf } from "./run-file.ts";

/** Lists every run of the workflow; an unreadable one with its problem. */
export async function overview(source: DefinitionSource, view: View): Promise<readonly RunOverview[]> {
  const names = await allRuns(view, source.name);
  if (names.length === 0) return [];
  const loaded = await source.load(view);
  const found = await Promise.all(names.map((id) => overviewOf(source, loaded, view, id)));
  return found.flatMap((each) => each ?? []);
}

async function overviewOf(
  { name }: DefinitionSource,
  loaded: Loaded,
  view: View,
  id: string,
): Promise<RunOverview | null> {
  const run = { run: `${name}:${id}`, title: loaded.definition.table.title };
  try {
    const standing = await loadChecked(view, name, id, loaded);
    if (standing === null) return null;
    const { elsewhere, file, path } = standing;
    const configuration = configurationOf(path, file, loaded);
    const since = file.history.at(-1)?.time ?? file.created_at;
    const verdicts = verdictsIn(file.history);
    const recorded = {
      ...(verdicts.length > 0 ? { verdicts } : {}),
      ...(elsewhere ? { elsewhere } : {}),
    };
    const order = orderOf(file, loaded.definition);
    if (order)
      return {
        ...run,
        state: file.state,
        awaits: "assistant",
        next: `\`${order.command}\` to end: pawl cast ${run.run}`,
        since,
        ...recorded,
      };
    const awaits = awaitedOf(loaded.definition, configuration);
    const next = nextOf(loaded.definition, configuration);
    return {
      ...run,
      state: file.state,
      awaits,
      next,
      ...(elsewhere ? { command: `pawl take ${run.run}` } : turnOf(loaded, run.run, configuration)),
      since,
      ...recorded,
    };
  } catch (thrown) {
    return unreadableRun(run.run, run.title, thrown);
  }
}

/** If no event of the state is a verdict, `pawl approve` would not work, so the command is `pawl cast`. */
function turnOf(
  { definition }: Loaded,
  run: string,
  configuration: Configuration,
): Pick<RunOverview, "command" | "waitsFor"> {
  return takesVerdict(definition, configuration) ? { waitsFor: "gate" } : { command: `pawl cast ${run}` };
}
