import { TestRunner } from "vitest";
import type { PromiseId } from "../requirements.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The promises that the test shows. */
    promises?: readonly PromiseId[];
  }
}

/** Says which promises of `test/requirements.ts` the current test shows, if it passes. The first line of a test. */
export function promise(...ids: readonly PromiseId[]): void {
  const test = TestRunner.getCurrentTest();
  // Mutation testing runs the tests without vitest's runner.
  if (!test) return;
  if (test.meta.promises) throw new Error("A second call of promise() in one test: name all in the first.");
  test.meta.promises = ids;
}
