import { hashOf } from "../../core/hash.ts";
import type { View } from "../../core/ports/store.ts";
import { capital } from "../../core/text/lines.ts";
import type { Configuration } from "../../engine/workflow.ts";
import type { OverviewContext, RunOverview } from "../../runtime/module.ts";
import { recalled } from "../../runtime/reports/overview-context.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { verdictsIn } from "../../runtime/run-log/read.ts";
import { totalOf } from "../../scheduler/costs.ts";
import { orderWords } from "./agents/order-state.ts";
import { turnOf } from "./begin/begin-state.ts";
import { type ChildContext, childrenShown } from "./begin/children.ts";
import type { DefinitionSource, Loaded } from "./definition/definition.ts";
import { awaitedOf, nextOf, takesVerdict } from "./definition/describe.ts";
import { loadChecked } from "./load-run.ts";
import { allRuns } from "./resolve-run.ts";
import { configurationOf, orderOf } from "./run-file.ts";

/** Runs that are read together: a server has other requests, too. */
const AT_ONCE = 50;

/** Lists every run of the workflow; an unreadable one with its problem. */
export async function overview(
  source: DefinitionSource,
  view: View,
  context: Partial<OverviewContext> = {},
  sources: readonly DefinitionSource[] = [source],
): Promise<readonly RunOverview[]> {
  const { only } = context;
  const all = await allRuns(view, source.name);
  const names = only === undefined ? all : all.filter((id) => id === only);
  if (names.length === 0) return [];
  const loaded = await source.load(view);
  // What is shown of a run depends on its definition, too.
  const definition = context.memory ? hashOf(JSON.stringify(loaded.definition)) : "";
  const runs: RunOverview[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE).map((id) => {
      const key = `${source.name}:${id} ${definition}`;
      const { settings } = context;
      return recalled(context, key, view, (readView) =>
        overviewOf(source, loaded, readView, id, { settings, sources }),
      );
    });
    runs.push(...(await Promise.all(some)).flatMap((each) => each ?? []));
  }
  return runs;
}

async function overviewOf(
  { name }: DefinitionSource,
  loaded: Loaded,
  view: View,
  id: string,
  {
    settings,
    sources,
  }: { settings: OverviewContext["settings"] | undefined } & Pick<ChildContext, "sources">,
): Promise<RunOverview | null> {
  const run = { run: `${name}:${id}`, title: `${loaded.definition.table.title} ${id}` };
  try {
    const resolved = await loadChecked(view, name, id, loaded);
    if (resolved === null) return null;
    const { aside, elsewhere, file, path } = resolved;
    const configuration = configurationOf(path, file, loaded);
    const verdicts = verdictsIn(file.history);
    const order = orderOf(file, loaded.definition);
    const loaders = order?.begin &&
      order.recorded.begun &&
      settings && { settings: await settings(), sources, view };
    const turn = turnOf(run.run, order, loaders ? await childrenShown(file, loaders) : undefined);
    const held = turn?.held;
    const shown = {
      ...{ ...run, state: file.state, since: held?.since ?? file.history.at(-1)?.time ?? file.created_at },
      ...(verdicts.length > 0 && { verdicts }),
      ...(elsewhere && { elsewhere }),
      ...(aside.length > 0 && { aside }),
      ...(file.costs && { cost: totalOf(Object.values(file.costs)) }),
    };
    if (turn)
      return {
        ...{ ...shown, awaits: turn.awaits, next: turn.next },
        ...(held && { command: `pawl cast ${run.run}` }),
        ...(order?.agent !== undefined &&
          order.work?.held && { order: { why: order.work.held.why, words: capital(orderWords(order)) } }),
      };
    if (order)
      return { ...shown, awaits: "assistant", next: `\`${order.command}\` to end: pawl cast ${run.run}` };
    return {
      ...shown,
      awaits: awaitedOf(loaded.definition, configuration),
      next: nextOf(loaded.definition, configuration),
      ...(elsewhere ? { command: `pawl adopt ${run.run}` } : commandFor(loaded, run.run, configuration)),
    };
  } catch (thrown) {
    return unreadableRun(run.run, run.title, thrown);
  }
}

/** If no event of the state is a verdict, `pawl approve` would not work, so the command is `pawl cast`. */
function commandFor(
  { definition }: Loaded,
  run: string,
  configuration: Configuration,
): Pick<RunOverview, "command" | "waitsFor"> {
  return takesVerdict(definition, configuration) ? { waitsFor: "gate" } : { command: `pawl cast ${run}` };
}
