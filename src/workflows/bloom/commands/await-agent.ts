import type { StepResult } from "../execution-context.ts";

/** Only performed once the rest is over. */
export async function awaitAgent(): Promise<StepResult> {
  return { event: "agent_free" };
}
