/** A workflow made by a program. */

import type { Problem } from "../../core/located-yaml.ts";
import { checkStructure } from "../../engine/structure.ts";
import { checkDefinition } from "./check-definition.ts";
import type { Definition, DefinitionSource } from "./definition.ts";
import { tableHash } from "./load.ts";
import { invalid } from "./problem.ts";
import { checkReplies } from "./reply.ts";

/**
 * Checks a workflow's definition and returns it unchanged: names, sources, gates, commands and replies must fit together. Whether the table decides every case is proved separately, by `check`, and again before any of its runs moves.
 *
 * @throws PawlError `workflow-invalid`, with everything that is wrong.
 */
export function defineWorkflow(definition: Definition): Definition {
  const { table } = definition;
  const problems: readonly Problem[] = [
    ...checkStructure(table).map(({ message }) => ({ place: table.name, message })),
    ...checkDefinition(definition).map(({ message }) => ({ place: table.name, message })),
  ];
  const all =
    problems.length > 0 ? problems : checkReplies(definition, (reply) => `${table.name}, reply ${reply}`);
  if (all.length > 0) throw invalid(table.name, "its definition", all);
  return definition;
}

/** The definition as a source of its module. */
export function programSource(definition: Definition): DefinitionSource {
  const loaded = tableHash(definition).then((hash) => ({ definition, hash }));
  return { name: definition.table.name, file: null, load: () => loaded };
}
