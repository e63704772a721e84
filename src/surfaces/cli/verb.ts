/** A workflow's own verbs as commands. */
import { toPawlError } from "../../core/error.ts";
import type { Reply, Verb } from "../../runtime/module.ts";
import { loadWorkflows, type Workflows } from "../../runtime/project.ts";
import { preview } from "../../runtime/run-transaction.ts";
import type { Answer, CommandSpec, Run } from "./command.ts";
import { advanceAsking } from "./person.ts";
import { sharedCommand } from "./shared-verb.ts";
import { paintStates } from "./state-colour.ts";
import { clean } from "./terminal.ts";
import { hangOnScreen } from "./text-width.ts";
import { warnOfFaults } from "./warn.ts";

/** `soundOnly`: workflows that cannot be loaded are left out; else what is wrong with them is thrown. */
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

export function runOf(verb: Verb): Run {
  return async (host, call) => {
    const project = await host.project({ create: verb.create ?? false });
    await warnOfFaults(host, String(Object.values(call.arguments)[0] ?? ""));
    const plan = await verb.advance();
    const input = { ...call.arguments, ...call.options };
    const { reply } = await advanceAsking(host, project.runtime, plan, input).catch(async (thrown) => {
      if (!verb.deferrable || !host.post || toPawlError(thrown).code !== "disk-failed") throw thrown;
      // The agent's sandbox: what would come of it is told now, and comes when its turn has ended.
      const foreseen = await preview(project.runtime, plan, input, host.caller);
      await host.post({ verb: verb.name, input }).catch(() => {
        throw thrown;
      });
      return foreseen;
    });
    const { id } = input as { readonly id?: unknown };
    const renews = verb.renewsPolicy && typeof id === "string" && !reply.refused;
    if (renews && host.caller.channel !== "agent")
      await (await import("./policy.ts")).renew(project, `bloom:${id}`);
    const answer = answerOf(reply);
    return verb.prose
      ? { ...answer, isMarkdown: true }
      : { ...answer, text: hangOnScreen(paintStates(answer.text, host.terminal.paint), host.terminal) };
  };
}

/** A workflow's reply as the CLI shows it; what was refused goes out with 1. */
export function answerOf(reply: Reply): Answer {
  const text = `${clean(reply.text).trimEnd()}\n`;
  if (reply.refused) return { text, data: reply.data, exit: 1 };
  return reply.waits ? { text, data: reply.data, exit: 3 } : { text, data: reply.data };
}
