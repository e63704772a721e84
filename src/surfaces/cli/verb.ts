/** A workflow's own verbs as commands. */
import { advance } from "../../runtime/advance.ts";
import { loadWorkflows, type Workflows } from "../../runtime/project.ts";
import type { Reply, Verb } from "../../workflows/module.ts";
import type { Answer, CommandSpec, Run } from "./command.ts";
import { clean } from "./terminal.ts";

export async function verbCommands(workflows: Workflows): Promise<readonly CommandSpec[]> {
  const modules = await loadWorkflows(workflows);
  return modules.flatMap(({ title, verbs }) => verbs.map((verb) => verbCommand(title, verb)));
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

function runOf(verb: Verb): Run {
  return async (host, call) => {
    const project = await host.project({ create: verb.create ?? false });
    const plan = await verb.advance();
    const { reply, ask } = await advance(
      project.runtime,
      plan,
      { ...call.arguments, ...call.options },
      host.caller,
    );
    return ask ? { text: `${clean(ask.message)}\n`, data: { ask: ask.message }, exit: 3 } : answerOf(reply);
  };
}

/** A workflow's reply as the CLI shows it; what was refused goes out with 1. */
export function answerOf(reply: Reply): Answer {
  const text = `${clean(reply.text).trimEnd()}\n`;
  if (reply.refused) return { text, data: reply.data, exit: 1 };
  return reply.waits ? { text, data: reply.data, exit: 3 } : { text, data: reply.data };
}
