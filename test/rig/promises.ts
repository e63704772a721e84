/** What the promises' tests did in a run, by the results that `vitest --reporter=json` writes. */
import type { Requirement } from "../requirements.ts";

export interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** The promised tests that did not pass. Suites that vitest does not run (`test/crash`) have runs of their own. */
export function notShown(
  requirements: Readonly<Record<string, Requirement>>,
  { testResults }: Results,
): readonly string[] {
  const passed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, status }) => (status === "passed" ? [{ name, title }] : [])),
  );
  return Object.entries(requirements).flatMap(([id, { tests }]) =>
    tests
      .filter((test) => {
        const [, file = "", title = ""] = /^([^:]+): (.+)$/s.exec(test) ?? [];
        if (!file.endsWith(".test.ts")) return false;
        const pattern = patternOf(title);
        return !passed.some(
          (each) => each.name.replaceAll("\\", "/").endsWith(file) && pattern.test(each.title),
        );
      })
      .map((test) => `${id}: ${test}`),
  );
}

/** A title with places for values (`%s`, `$row`, `${name}`) stands for each that fills them. */
export function patternOf(title: string): RegExp {
  const parts = title.split(/%[sdifjoOc#]|\$\{[^}]*\}|\$\w+/);
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`, "s");
}
