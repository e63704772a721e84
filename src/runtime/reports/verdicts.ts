/** People's verdicts at a run's gates, with their channels, in words for a person. */
import { loginWords, strengthWords } from "../../core/strength.ts";
import type { GateVerdict } from "../transaction/transaction.ts";

/**
 * `2026-01-31T09:30:15.250Z  in_review: approve, by ann@laptop (given at a terminal; unverified: anyone with your shell)`
 */
export function verdictWords({ by, login, strength, time, what }: GateVerdict): string {
  const who = by === undefined ? "" : `, by ${by}`;
  return `${time}  ${what}${who}${loginWords(login)} (${strengthWords(strength)})`;
}

/** The last verdict at each gate, which replaces the earlier ones. */
export function lastVerdicts(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.filter(({ gate }, at) => !verdicts.slice(at + 1).some((later) => later.gate === gate));
}
