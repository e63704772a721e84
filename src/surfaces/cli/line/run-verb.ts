import { type ErrorCode, toPawlError } from "../../../core/error.ts";
import type { Reply, Verb } from "../../../runtime/module.ts";
import { preview } from "../../../runtime/transaction/run-transaction.ts";
import { loadGuardProof } from "../project/guard-proof.ts";
import { runAsking } from "../terminal/person.ts";
import { paintStates } from "../terminal/state-colour.ts";
import { clean } from "../terminal/terminal.ts";
import type { Answer, Call, Run } from "./command.ts";
import { warnOfFaults, warnOfTasksFile } from "./warn.ts";

export function runOf(verb: Verb): Run {
  return async (host, call) => {
    const project = await host.projects.open({ create: verb.create ?? false });
    await warnOfFaults(host, String(Object.values(call.arguments)[0] ?? ""));
    await warnOfTasksFile(host, project);
    const plan = await verb.transaction();
    const input = { ...call.arguments, ...call.options, ...(await yamlOf(verb, call)) };
    const guardWords = async () => (await loadGuardProof(host, project))?.words ?? null;
    const { reply } = await runAsking(host, project.runtime, plan, input, guardWords).catch(
      async (thrown) => {
        const { code } = toPawlError(thrown);
        if (!verb.deferrable || !host.projects.post || !DEFERS.has(code)) throw thrown;
        // Show the expected result now, as far as it is known, and defer the call to the end of the agent's
        // run.
        const foreseen =
          code === "disk-failed"
            ? await preview(project.runtime, plan, input, host.person.caller())
            : { reply: takenDown(verb.name) };
        await host.projects.post({ verb: verb.name, input }).catch(() => {
          throw thrown;
        });
        return foreseen;
      },
    );
    const { id } = input as { readonly id?: unknown };
    const renews = verb.renewsPolicy && typeof id === "string" && !reply.refused;
    if (renews && host.person.caller().channel !== "agent")
      await (await import("../project/policy.ts")).renew(project, `bloom:${id}`);
    // A person who adds a task thereby trusts the project's agent.
    if (verb.name === "add" && host.person.caller().channel === "terminal") {
      const { bloom } = await project.runtime.settings(project.runtime.store.view());
      await project.trust.acceptAgent(bloom.agent, host.person.caller().who ?? "");
    }
    const answer = answerOf(reply);
    return verb.prose
      ? { ...answer, isMarkdown: true }
      : { ...answer, text: paintStates(answer.text, host.terminal.paint) };
  };
}

/** A task on standard input, where the verb adds one and is given `-`. */
async function yamlOf({ name }: Verb, call: Call): Promise<object> {
  if (name !== "add" || call.arguments.text !== "-") return {};
  const { text } = await import("node:stream/consumers");
  return { text: undefined, yaml: await text(process.stdin) };
}

/**
 * The errors after which an agent's call is deferred: its sandbox cannot write, or the work is in a database
 * whose address agents do not get.
 */
const DEFERS: ReadonlySet<ErrorCode> = new Set(["disk-failed", "database-unconfigured"]);

function takenDown(name: string): Reply {
  return {
    text: `Noted: ${name}. It takes effect when you end your turn; until then, no command shows it.`,
    data: { deferred: true },
  };
}

/** A workflow's reply as the CLI prints it; a refusal exits with 1. */
export function answerOf(reply: Reply): Answer {
  const text = `${clean(reply.text).trimEnd()}\n`;
  if (reply.refused) return { text, data: reply.data, exit: 1 };
  return reply.waits ? { text, data: reply.data, exit: 3 } : { text, data: reply.data };
}
