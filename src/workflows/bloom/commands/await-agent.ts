import type { StepResult } from "../execution-context.ts";

/** Runs only once the rest is over. */
export async function awaitAgent(): Promise<StepResult> {
  return { event: "agent_free" };
}
