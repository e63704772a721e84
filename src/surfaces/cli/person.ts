/**
 * The person at the terminal. A verdict is asked for at the controlling terminal, not at standard input: what is piped in
 * decides nothing. Refused where the call is an agent's. The one place for both.
 */
import { PawlError } from "../../core/error.ts";
import type { HumanQuestion, Proposal, Reply, Transaction } from "../../runtime/module.ts";
import type { Runtime } from "../../runtime/run-transaction.ts";
import { advance } from "../../runtime/run-transaction.ts";
import type { Host } from "./command.ts";
import { clean } from "./terminal.ts";

/** The advance; where it asks for a person's word, they are asked here, and it is made with their yes. */
export async function advanceAsking<Input>(
  host: Host,
  runtime: Runtime,
  plan: Transaction<Input, unknown, unknown, Reply>,
  input: Input,
): Promise<Proposal<Reply>> {
  const { caller } = host;
  let prepared = await advance(runtime, plan, input, caller);
  for (let asked = 0; prepared.ask && asked < MAX_ASKED; asked++) {
    const { message } = prepared.ask;
    confirm(host, prepared.ask, asked > 0);
    prepared = await advance(runtime, plan, input, caller, { message });
  }
  if (prepared.ask) throw declined("What you were shown changed each time while you read it.");
  return prepared;
}

const MAX_ASKED = 5;

/**
 * Asks the person at the terminal to say yes to what they are shown. Throws `caller-not-allowed` where the call is an
 * agent's, `terminal-missing` where there is no terminal, `person-declined` for anything but a yes.
 */
export function confirm(host: Host, { command, message }: HumanQuestion, again = false): void {
  const agent = host.agent();
  if (agent)
    throw new PawlError(
      "caller-not-allowed",
      `Only a person can decide this, but this call comes from ${agent.agent} (process ${agent.pid} shows ${agent.by}). Nothing was changed.`,
      `Run ${command ? `\`${clean(command)}\`` : "the same command"} yourself, in a terminal that no agent has started.`,
    );
  const terminal = host.controllingTerminal.open();
  if (terminal === null)
    throw new PawlError(
      "terminal-missing",
      "Only a person at a terminal can decide this, but this call has no terminal: piped or scripted input does not count. Nothing was changed.",
      `Run ${command ? `\`${clean(command)}\`` : "the same command"} in a terminal, and answer there.`,
    );
  try {
    const changed = again ? "What you were shown has changed since you answered.\n\n" : "";
    terminal.write(`\n${changed}${clean(message).trimEnd()}\n\nYes or no? [y/N] `);
    const answer = terminal.readLine();
    if (answer === null || !/^(y|yes)$/i.test(answer.trim())) throw declined("You did not say yes.");
  } finally {
    terminal.close();
  }
}

function declined(why: string): PawlError {
  return new PawlError(
    "person-declined",
    `${why} Nothing was changed, and the run waits as before.`,
    "Run the command again when you have decided.",
  );
}
