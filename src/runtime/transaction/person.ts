/** A person's verdict: whether it was given, and how strong it is. */
import type { Caller } from "../../core/event.ts";
import { strengthOfSignature } from "../../core/ssh-signature.ts";
import type { Strength } from "../../core/strength.ts";
import type { Context } from "./transaction.ts";

type Asking = Pick<Context, "answered" | "caller">;

const COMMAND_LINE: ReadonlySet<string> = new Set(["terminal", "script", "agent"]);
/**
 * Not a field of the caller, which is recorded. A copy of the caller for another channel is not in the set.
 */
const onCommandLine = new WeakSet<Caller>();

/**
 * Whether a person has answered exactly this question. They have not decided on unseen findings: if these
 * have changed since, the message differs, and they are asked again.
 */
export function hasAnswered({ answered, caller }: Asking, message: string): boolean {
  if (answered === "vouched") return true;
  const isAsked = isPersonHere({ caller }) || caller.channel === "elicitation";
  return isAsked && answered !== undefined && answered.to.message === message;
}

/**
 * The strength of this caller's verdict. A signature is verified before the verdict is committed
 * (`signed-gate.ts`), and what a passkey proved is compared with it (`device-gate.ts`).
 */
export function strengthOf({ answered, caller }: Asking): Strength {
  if (answered === "vouched" || caller.channel === "library") return "program";
  if (caller.channel === "elicitation") return "elicited";
  if (!isPersonHere({ caller }) || answered === undefined) return "relayed";
  if (answered.signed !== undefined) return strengthOfSignature(answered.signed.signature);
  if (caller.device !== undefined && answered.passkey !== undefined) return "passkey";
  return caller.channel === "board" ? "board" : "terminal";
}

/** Whether a person made the call: at a terminal, without an agent among the ancestors, or on the board. */
export function isPersonHere({ caller: { channel } }: Pick<Context, "caller">): boolean {
  return channel === "terminal" || channel === "board";
}

/**
 * The same caller, marked as on the command line without reading its channel, which would search the ancestor
 * processes.
 */
export function asCommandLine(caller: Caller): Caller {
  onCommandLine.add(caller);
  return caller;
}

/** Whether the call came from the command line, by a person, a script or an agent. */
export function isCommandLine({ caller }: Pick<Context, "caller">): boolean {
  return onCommandLine.has(caller) || COMMAND_LINE.has(caller.channel);
}
