import type { View } from "../../core/ports/store.ts";
import { isFinal } from "../../engine/lookup.ts";
import { scopeIn } from "../../engine/scope.ts";
import type { Configuration } from "../../engine/workflow.ts";
import { type Scope, scopeOr } from "../../runtime/scope.ts";
import { turnOf } from "./begin/begin-state.ts";
import type { Definition, DefinitionSource, Loaded } from "./definition/definition.ts";
import { availableEvents, awaitedOf, takesVerdict } from "./definition/describe.ts";
import { renderWithId } from "./definition/template.ts";
import { checkHistory } from "./resolve-run.ts";
import { configurationOf, orderOf, parseRun, runPath, type StoredRun } from "./run-file.ts";

/** What may be written in the run's present state; null: it has not begun, or is over. */
export async function scopeOf(source: DefinitionSource, view: View, id: string): Promise<Scope | null> {
  const path = runPath(source.name, id);
  const text = await view.read(path);
  if (text === null) return null;
  const run = `${source.name}:${id}`;
  return scopeOr(run, async () => {
    const loaded = await source.load(view);
    const file = parseRun(path, source.name, id, text);
    const configuration = configurationOf(path, file, loaded);
    await checkHistory(view, file, loaded);
    return scopeAt(run, loaded, file, configuration);
  });
}

function scopeAt(
  run: string,
  { definition }: Loaded,
  file: StoredRun,
  configuration: Configuration,
): Scope | null {
  const { planFiles = [], table } = definition;
  const { id, state } = file;
  if (isFinal(table, state)) return null;
  const order = orderOf(file, definition);
  const common = {
    run,
    state,
    ...scopeIn(table, state),
    planFiles: planFiles.map((glob) => renderWithId(glob, id)),
  };
  const turn = turnOf(run, order);
  if (turn) return { ...common, awaits: turn.awaits, next: turn.next };
  return {
    ...common,
    awaits: order ? "assistant" : awaitedOf(definition, configuration),
    next: order
      ? `\`${order.command}\` is under way: call advance with run "${run}" and no event, to wait for its end.`
      : nextStep(run, definition, configuration),
  };
}

/** The author's hint, and how to send the event. */
function nextStep(run: string, definition: Definition, configuration: Configuration): string {
  const hint = definition.hints?.[configuration.state]?.next;
  const suffix = hint === undefined ? "" : `: ${hint.replace(/\s+/g, " ").trim()}`;
  const awaits = awaitedOf(definition, configuration);
  if (awaits === "human") {
    const verb = takesVerdict(definition, configuration) ? "approve" : "cast";
    return `A person decides; wait, or tell them to run \`pawl ${verb} ${run}\`${suffix}.`;
  }
  const events = availableEvents(definition, configuration).flatMap(({ event, human }) =>
    human ? [] : [event],
  );
  if (awaits !== "assistant" || events.length === 0)
    return `Wait; \`look\` shows how far ${run} is${suffix}.`;
  return `Send ${events.join(" or ")} with advance (run "${run}")${suffix}.`;
}
