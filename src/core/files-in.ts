import type { ProjectPath } from "./path.ts";
import type { View } from "./ports/store.ts";

/** The names of the folder's files with this ending, without it. */
export async function filesIn(
  view: Pick<View, "list">,
  folder: ProjectPath,
  ending: ".json" | ".md",
): Promise<readonly string[]> {
  return (await view.list(folder)).flatMap(({ kind, name }) =>
    kind === "file" && name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
  );
}
