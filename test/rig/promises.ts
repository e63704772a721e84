/** Which promises the tests cite, and what a run of them showed, by what `vitest --reporter=json` writes. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
      readonly meta?: { readonly promises?: readonly string[] };
    }[];
  }[];
}

/** A promise that a test file cites, in so many tests. */
export interface Citation {
  readonly id: string;
  readonly file: string;
  readonly tests: number;
}

const ROOT = resolve(import.meta.dirname, "../..");
const CALL = /^\s*promise\(([^)]*)\);$/gm;

/** What stands in the source, whether it runs or not. */
export function citations(): readonly Citation[] {
  return globSync("{src,test,demo}/**/*.test.ts", { cwd: ROOT }).flatMap((file) =>
    citationsIn(file, readFileSync(join(ROOT, file), "utf8")),
  );
}

export function citationsIn(file: string, text: string): readonly Citation[] {
  const tests = new Map<string, number>();
  for (const [, ids = ""] of text.matchAll(CALL))
    for (const [, id = ""] of ids.matchAll(/"([^"]+)"/g)) tests.set(id, (tests.get(id) ?? 0) + 1);
  return [...tests].map(([id, count]) => ({ id, file, tests: count }));
}

/** The citations of files that ran of which a test did not pass: one that was skipped or failed shows nothing. */
export function notShown(cited: readonly Citation[], { testResults }: Results): readonly Citation[] {
  const results = new Map(testResults.map((each) => [each.name.replaceAll("\\", "/"), each]));
  return cited.filter(({ file, id, tests }) => {
    const [, ran] = [...results].find(([name]) => name.endsWith(`/${file}`)) ?? [];
    const passed = ran?.assertionResults.filter(
      ({ meta, status }) => status === "passed" && meta?.promises?.includes(id),
    );
    return passed !== undefined && passed.length < tests;
  });
}

/** The promises that a run showed. */
export function shown({ testResults }: Results): ReadonlySet<string> {
  return new Set(
    testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .flatMap(({ meta, status }) => (status === "passed" ? (meta?.promises ?? []) : [])),
  );
}
