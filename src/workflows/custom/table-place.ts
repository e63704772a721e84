import type { View } from "../../core/ports/store.ts";
import type { TablePlace } from "../../runtime/board.ts";
import { type DefinitionSource, ownersOf } from "./definition.ts";
import { configurationOf, parseRun, runPath } from "./run-file.ts";

/** The run's configuration in its table; null: it has not begun. */
export async function tablePlaceOf(
  source: DefinitionSource,
  view: View,
  id: string,
): Promise<TablePlace | null> {
  const path = runPath(source.name, id);
  const text = await view.read(path);
  if (text === null) return null;
  const loaded = await source.load(view);
  const { definition } = loaded;
  const configuration = configurationOf(path, parseRun(path, source.name, id, text), loaded);
  return { workflow: definition.table, configuration, owners: ownersOf(definition) };
}
