/** The state of an agent's order, in words for people, and how a person lets a waiting order continue. */
import { type Caller, type OwnEvent, publicCaller } from "../../../core/event.ts";
import { answerNotes } from "../../../runtime/agent-order.ts";
import type { Reply } from "../../../runtime/module.ts";
import { stamped } from "../../../runtime/transaction/run-advanced.ts";
import type { Answered, RunContext } from "../../../runtime/transaction/run-event.ts";
import type { OwnRun } from "../load-run.ts";
import { type AgentOrder, type OrderWork, renderRun } from "../run-file.ts";
import type { SendInput } from "../sent.ts";
import { shownAnswers } from "./prompt.ts";

declare module "../../../core/event.ts" {
  interface ProjectEvents {
    readonly order: OrderTriedAgain;
  }
}

/** A person let a waiting order of an agent continue. */
interface OrderTriedAgain extends OwnEvent {
  readonly type: "order:tried_again";
  readonly by: Caller;
}

export const UNBEGUN: OrderWork = {
  runs: 0,
  failed: 0,
  spent: { usd: 0, turns: 0, milliseconds: 0 },
} as OrderWork;

/** `the agent reviewer has it`, or why it cannot continue. */
export function orderWords({ agent, work }: Pick<AgentOrder, "agent" | "work">): string {
  if (work?.held?.why === "asks") return `the agent ${agent} asks: ${work.held.words}`;
  if (work?.held) return `the agent ${agent} cannot go on: ${work.held.words}`;
  return work?.underway ? `the agent ${agent} is at work` : `the agent ${agent} has it`;
}

/** Whether the order waits for a person; `answer`: for their answer to its agent. */
export function awaitsPerson({ work }: Pick<AgentOrder, "work">, how: "any" | "answer"): boolean {
  return work?.held !== undefined && (how === "any" || work.held.why === "asks");
}

/** What the run's agents said last, for a person who decides. */
export function agentNotes({
  file,
  loaded: { definition },
}: Pick<OwnRun, "file" | "loaded">): readonly { by: string; text: string }[] {
  const said = file?.said ?? {};
  const shown = Object.keys(said).map((agent) => [agent, shownAnswers(definition, said, agent)] as const);
  return answerNotes(Object.fromEntries(shown));
}

/** Who acts next, and how. */
export function orderNext(
  run: string,
  order: Pick<AgentOrder, "agent" | "work">,
): { readonly awaits: "agent" | "human"; readonly next: string } {
  const { held } = order.work ?? {};
  if (held) {
    const way =
      held.why === "asks"
        ? `\`pawl cast ${run} -m ANSWER\` answers it`
        : `\`pawl cast ${run}\` lets it try again`;
    return { awaits: "human", next: `${orderWords(order)}; ${way}` };
  }
  const isAtWork = order.work?.underway !== undefined;
  return {
    awaits: "agent",
    next: isAtWork ? `${order.agent} works on it` : `\`pawl run\` lets ${order.agent} work`,
  };
}

/** A person lets it try again, with a fresh budget if that was spent, and with what they said. */
export function triesAgain(
  { file, path, run }: OwnRun,
  { agent, key, row, since, work = UNBEGUN }: AgentOrder,
  { caller, input, now }: RunContext<SendInput>,
): Answered<Reply> {
  const { after: _, held, refused: __, underway: ___, ...rest } = work;
  const hint = (input.notes ?? "").trim();
  const again: OrderWork = {
    ...rest,
    failed: 0,
    spent: held?.why === "budget" ? UNBEGUN.spent : work.spent,
    ...(hint === "" ? {} : { hint }),
  };
  const message = `The agent ${agent} tries ${run} again${hint === "" ? "" : ", with what you said"}: \`pawl run\` lets it work.`;
  const reply: Reply = { text: `${message}\n`, data: { status: "success", message, run, awaits: "agent" } };
  if (file === null) return { answer: { reply } };
  const text = renderRun({ ...file, pending: { row, key, since, work: again }, updated_at: now.time });
  const said = hint === "" ? "" : `: ${hint.split("\n")[0]}`;
  const event: OrderTriedAgain = {
    ...{ type: "order:tried_again", run, by: publicCaller(caller) },
    summary: `a person lets the agent ${agent} try again${said}`,
  };
  return { answer: { reply, changes: [{ type: "write", path, text }], events: stamped([event], { now }) } };
}
