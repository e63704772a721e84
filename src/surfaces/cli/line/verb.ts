/** A workflow's own verbs as commands. */
import type { Verb } from "../../../runtime/module.ts";
import { loadWorkflows, type Workflows } from "../../../runtime/project.ts";
import type { CommandSpec } from "./command.ts";
import { runOf } from "./run-verb.ts";
import { sharedCommand } from "./shared-verb.ts";

/** `soundOnly`: skips workflows that cannot be loaded; otherwise throws their error. */
export async function verbCommands(
  workflows: Workflows,
  { soundOnly = false } = {},
): Promise<readonly CommandSpec[]> {
  const modules = soundOnly ? await soundWorkflows(workflows) : await loadWorkflows(workflows);
  const verbs = modules.flatMap(({ title, verbs }) => verbs.map((verb) => ({ group: title, verb })));
  return [...new Set(verbs.map(({ verb }) => verb.name))].map((name) => {
    const same = verbs.filter(({ verb }) => verb.name === name);
    const [first] = same as [(typeof same)[0]];
    return same.length === 1
      ? verbCommand(first.group, first.verb)
      : sharedCommand(
          first.group,
          same.map(({ verb }) => verb),
        );
  });
}

async function soundWorkflows(workflows: Workflows) {
  const loaded = await Promise.allSettled(Object.values(workflows).map((load) => load()));
  return loaded.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function verbCommand(group: string, verb: Verb): CommandSpec {
  return {
    name: verb.name,
    summary: verb.summary.charAt(0).toLowerCase() + verb.summary.slice(1),
    group,
    arguments: verb.arguments,
    options: verb.options,
    load: async () => runOf(verb),
  };
}
