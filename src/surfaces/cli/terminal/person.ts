/**
 * Asks the person at the terminal. Pawl asks for a verdict at the controlling terminal, not on standard
 * input, so piped input decides nothing; and it refuses an agent's call. Both checks are only here.
 */
import { PawlError } from "../../../core/error.ts";
import type { HumanQuestion, Proposal, Reply, SignedRecord, Transaction } from "../../../runtime/module.ts";
import type { Runtime } from "../../../runtime/transaction/run-transaction.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { askedIn, shownIn } from "../../../runtime/transaction/transaction.ts";
import type { Host } from "../line/command.ts";
import { clean } from "./terminal.ts";

/**
 * Runs the transaction; if it needs a person's agreement, asks for it here and then commits. `beside`:
 * additional text that is shown with the question.
 */
export async function runAsking<Input>(
  host: Host,
  runtime: Runtime,
  plan: Transaction<Input, unknown, unknown, Reply>,
  input: Input,
  moreText?: () => Promise<string | null>,
): Promise<Proposal<Reply>> {
  const caller = host.person.caller();
  let prepared = await runTransaction(runtime, plan, input, caller);
  for (let count = 0; prepared.ask && count < MAX_ASKED; count++) {
    const { sign } = prepared.ask;
    const to = askedIn(prepared.ask);
    confirm(host, prepared.ask, { again: count > 0, beside: (await moreText?.()) ?? null });
    const signed = sign && (await signedRecord(runtime, sign.record));
    prepared = await runTransaction(runtime, plan, input, caller, { to, ...(signed && { signed }) });
  }
  if (prepared.ask) throw declinedError("What you were shown changed each time while you read it.");
  return prepared;
}

const MAX_ASKED = 5;

async function signedRecord({ outside: { signatures } }: Runtime, record: string): Promise<SignedRecord> {
  if (!signatures) throw new PawlError("internal", "This program cannot sign.", "Report this.");
  return { record, signature: await signatures.sign(record) };
}

/** Throws `caller-not-allowed` if an agent calls. `what`: the action that only a person may take. */
export function refuseAgent(host: Host, what: string, command?: string): void {
  const agent = host.person.agent();
  if (agent === null) return;
  throw new PawlError(
    "caller-not-allowed",
    `Only a person can ${what}, but this call comes from ${agent.agent} (process ${agent.pid} shows ${agent.by}). Nothing was changed.`,
    `Run ${command ? `\`${clean(command)}\`` : "the same command"} yourself, in a terminal that no agent has started.`,
  );
}

/**
 * Asks the person at the terminal to confirm what they are shown: by a yes or, if they sign, by the first
 * digits of the record's hash. Throws `caller-not-allowed` if an agent calls, `terminal-missing` without a
 * terminal, `person-declined` for any other answer.
 */
export function confirm(
  host: Host,
  { command, sign, ...asks }: HumanQuestion,
  { again = false, beside = null }: { readonly again?: boolean; readonly beside?: string | null } = {},
): void {
  refuseAgent(host, "decide this", command);
  const terminal = host.person.terminal.open();
  if (terminal === null)
    throw new PawlError(
      "terminal-missing",
      "Only a person at a terminal can decide this, but this call has no terminal: piped or scripted input does not count. Nothing was changed.",
      `Run ${command ? `\`${clean(command)}\`` : "the same command"} in a terminal, and answer there.`,
    );
  try {
    const changed = again ? "What you were shown has changed since you answered.\n\n" : "";
    const below = beside === null ? "" : `${clean(beside)}\n\n`;
    const shown = `\n${changed}${clean(shownIn(asks)).trimEnd()}\n\n${below}`;
    const digits = sign?.hash.slice(0, 8);
    const request = sign
      ? `${clean(sign.words)}\n\nIts hash begins with:\n\n    ${digits}\n\nTo sign it, type these eight digits: `
      : "Yes or no? [y/N] ";
    terminal.write(`${shown}${request}`);
    const answer = terminal.readLine()?.trim().toLowerCase() ?? "";
    if (digits !== undefined && answer !== digits) throw declinedError("You did not type the digits.");
    if (digits === undefined && !/^(y|yes)$/.test(answer)) throw declinedError("You did not say yes.");
  } finally {
    terminal.close();
  }
}

/** Whether the person says yes; false if no person can be asked. */
export function agrees(host: Host, question: HumanQuestion): boolean {
  try {
    confirm(host, question);
    return true;
  } catch (thrown) {
    if (thrown instanceof PawlError) return false;
    throw thrown;
  }
}

function declinedError(why: string): PawlError {
  return new PawlError(
    "person-declined",
    `${why} Nothing was changed, and the run waits as before.`,
    "Run the command again when you have decided.",
  );
}
