/** Tests by their file and whole title, `src/x.test.ts: a title`, in what vitest reports. */
import type { Results } from "../rig/promises.ts";

export type State = "passed" | "failed" | "timed out" | "not run";

export function citedTest(cited: string): { readonly file: string; readonly title: string } {
  const [, file = "", title = ""] = /^([^:]+): (.+)$/s.exec(cited) ?? [];
  return { file, title };
}

/** Of a title that several tests have, one that failed decides. */
export function stateOf({ testResults }: Results, cited: string): State {
  const { file, title } = citedTest(cited);
  const states = testResults
    .filter(({ name }) => name.replaceAll("\\", "/").endsWith(`/${file}`))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((each) => each.title === title)
    .map(({ status, failureMessages = [] }): State => {
      if (status === "passed") return "passed";
      if (status !== "failed") return "not run";
      return failureMessages.every((each) => TIMED_OUT.test(each)) ? "timed out" : "failed";
    });
  const order: readonly State[] = ["failed", "timed out", "passed"];
  return order.find((each) => states.includes(each)) ?? "not run";
}

/** On a busy machine any test may be too slow. */
const TIMED_OUT = /^Error: (Test|Hook) timed out in /;
