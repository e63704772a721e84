/**
 * Functions of a program in place of shell commands.
 *
 * F1  A rule's function is called after the commit of its rule. Until its end is committed, nothing else moves the
 *     run, and after a crash it is called again with the same key.
 * F2  In one process it is called once per key: a later read of the run gets the same promise.
 */
import { PawlError } from "../../../core/error.ts";
import type { CheckOutcome } from "../../../core/ports/checks.ts";
import type { Fact, Facts, FactValue } from "../../../engine/workflow.ts";

/** A function's argument. */
export interface FunctionCall {
  /** `release:1.2.0` */
  readonly run: string;
  readonly id: string;
  readonly state: string;
  /** The run's variables. */
  readonly kept: Facts;
  /**
   * Of a rule's function: the same for each repetition of this call, so that the function can act only once. Empty
   * for a fact's.
   */
  readonly key: string;
}

/** Answers with one of the fact's values. It may be called several times for one event, so it changes nothing. */
export type FactFunction = (call: FunctionCall) => FactValue | Promise<FactValue>;

/** The rule's `passed` follows when it returns, its `failed` when it throws. */
export type RuleFunction = (call: FunctionCall) => unknown;

type Ended = Extract<CheckOutcome, { kind: "ended" }>;

const KEYS_REMEMBERED = 1000;
const called = new Map<string, Promise<Ended>>();

/** Never throws: an error of the function is its outcome. A text that it returns is the end of its output. */
export function callOnce(act: RuleFunction, call: FunctionCall): Promise<Ended> {
  const cached = called.get(call.key);
  if (cached) return cached;
  const [oldest] = called.keys();
  if (called.size >= KEYS_REMEMBERED && oldest !== undefined) called.delete(oldest);
  const ended = endOf(act, call);
  called.set(call.key, ended);
  return ended;
}

async function endOf(act: RuleFunction, call: FunctionCall): Promise<Ended> {
  const begun = performance.now();
  const ended = (exitCode: number, value: unknown): Ended => ({
    kind: "ended",
    exitCode,
    milliseconds: Math.round(performance.now() - begun),
    tail: typeof value === "string" ? value : "",
  });
  try {
    return ended(0, await act(call));
  } catch (thrown) {
    return ended(1, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Throws `workflow-invalid` if the answer is none of the fact's values. */
export async function askFunction(
  name: string,
  { values }: Pick<Fact, "values">,
  ask: FactFunction,
  call: FunctionCall,
): Promise<FactValue> {
  const value = await ask(call);
  if (values.includes(value)) return value;
  throw new PawlError(
    "workflow-invalid",
    `The function of the fact ${name} answered ${JSON.stringify(value) ?? String(value)}: expected one of ${values.map(String).join(", ")}. Nothing was changed.`,
    `Correct the function, or add the value to \`values\` of ${name}.`,
  );
}
