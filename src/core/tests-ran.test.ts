import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { RUNNERS, watchTests } from "./tests-ran.ts";

const ranNone = (output: string) => {
  const watch = watchTests();
  for (const line of output.split("\n")) watch.read(line);
  return watch.ranNone();
};

/** What the runners print: of vitest 5, jest 30, mocha 11, pytest 9, unittest and cargo as they ran; of the others as people quote it. */
const NOTHING: readonly (readonly [keyof typeof RUNNERS, string])[] = [
  ["node", "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0"],
  ["node", "﹣ a (3.46ms) # SKIP\n✔ c (0.18ms) # TODO\nℹ tests 2\nℹ pass 0\nℹ fail 0\nℹ skipped 1\nℹ todo 1"],
  ["node", "ok 1 - src/a.test.mjs\n1..1\n# tests 1\n# pass 1\n# fail 0"],
  ["vitest", "\nNo test files found, exiting with code 0\n"],
  ["vitest", "\u001b[31mNo test files found, exiting with code 1\n\u001b[39m"],
  ["vitest", " Test Files  1 skipped (1)\n      Tests  1 skipped | 1 todo (2)"],
  [
    "vitest",
    "\u001b[2m      Tests \u001b[22m \u001b[2mno tests\u001b[22m\n\u001b[2m   Start at \u001b[22m 15:02:01",
  ],
  ["jest", "No tests found, exiting with code 0"],
  ["jest", "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0"],
  ["jest", "Test Suites: 1 skipped, 0 of 1 total\nTests:       1 skipped, 1 total\nSnapshots:   0 total"],
  ["jest", "    Your test suite must contain at least one test.\n\nTests:       0 total"],
  ["mocha", "\n\n  0 passing (1ms)\n"],
  ["mocha", "Error: No test files found"],
  ["pytest", "collected 0 items\n\n============================ no tests ran in 2.54s ============"],
  ["pytest", "\nno tests ran in 1.92s"],
  ["pytest", "============================ 1 deselected in 2.08s ============================="],
  ["pytest", "1915 deselected, 12 warnings in 1.69s"],
  ["pytest", "s                      [100%]\n1 skipped in 1.41s"],
  ["unittest", "\n-----\nRan 0 tests in 0.000s\n\nOK"],
  ["go", "?   \texample.com/a\t[no test files]\n?   \texample.com/b\t[no test files]"],
  ["go", "testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.433s [no tests to run]"],
  ["go", 'go: warning: "./..." matched no packages\nno packages to test'],
  [
    "cargo",
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s",
  ],
  ["dotnet", "No test is available in /x/A.dll. Make sure that test discoverer & executors are registered"],
  ["dotnet", "No test matches the given testcase filter `FullyQualifiedName~No` in Probe.dll"],
  ["dotnet", "Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0, duration: 0.2s"],
  ["rspec", "No examples found.\n\nFinished in 0.00012 seconds\n0 examples, 0 failures"],
];

const SOMETHING: readonly (readonly [keyof typeof RUNNERS, string])[] = [
  ["node", "✔ a (0.5ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0"],
  ["node", "ok 1 - src/a.test.mjs\n# tests 2\n# pass 2\n# fail 0"],
  ["node", "✔ test/fixtures/a.js (0.5ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0"],
  ["node", "✖ a.test.mjs (3ms)\nℹ tests 1\nℹ pass 0\nℹ fail 1"],
  ["vitest", "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m (1)"],
  ["vitest", "      Tests  1 failed | 2 skipped (3)"],
  ["jest", "Tests:       1 failed, 2 skipped, 3 total"],
  ["jest", "Tests:       1 passed, 1 total"],
  ["mocha", "  1 passing (5ms)\n  1 pending"],
  ["mocha", "  0 passing (5ms)\n  2 failing\n"],
  ["pytest", "============================== 1 passed in 1.78s ==============================="],
  ["pytest", "1 failed, 3 skipped in 2.06s"],
  ["pytest", "=== 2 skipped, 1 error in 0.12s ==="],
  ["unittest", "Ran 2 tests in 0.000s\n\nOK (skipped=1)"],
  ["go", "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t(cached)"],
  [
    "go",
    "ok  \texample.com/a\t1.4s [no tests to run]\nok  \texample.com/b\t1.867s\tcoverage: 50.0% of statements",
  ],
  ["go", "?   \texample.com/a\t[no test files]\nFAIL\texample.com/b\t0.003s"],
  [
    "cargo",
    "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests r\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored",
  ],
  ["cargo", "test result: FAILED. 0 passed; 1 failed; 0 ignored"],
  ["dotnet", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 3 ms - A.dll"],
  [
    "dotnet",
    "No test is available in /x/A.dll. Make\nFailed!  - Failed:     1, Passed:     4, Skipped:     0",
  ],
  ["dotnet", "Test summary: total: 2, failed: 0, succeeded: 2, skipped: 0, duration: 0.2s"],
  ["rspec", "47 examples, 1 failure"],
];

describe("A check that ran no test", () => {
  it.each(NOTHING)("is known by what %s prints: %j", (_, output) => {
    promise("bloom.no-test");
    expect(ranNone(output)).toBe(true);
    expect(ranNone(`${output}\nℹ pass 1`)).toBe(false);
  });

  it.each(SOMETHING)("is not one in which a test ran, by %s: %j", (_, output) => {
    promise("bloom.no-test");
    expect(ranNone(output)).toBe(false);
  });

  it.each([
    "     Summary [   0.013s] 2 tests run: 2 passed, 0 skipped",
    "     Summary [   0.010s] 1/3 tests run: 0 passed, 1 failed, 0 skipped",
    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s - in a.BTest",
    "  5 passed (3.2s)",
    "  1 failed",
    " 3 pass\n 0 fail\nRan 3 tests across 1 file. [9.00ms]",
    "ok | 3 passed | 0 failed (5ms)",
    "  3 tests passed",
    "3 runs, 5 assertions, 0 failures, 0 errors, 0 skips",
    "3 specs, 0 failures",
    "2 scenarios (2 passed)",
    "OK (3 tests, 5 assertions)",
    "Tests: 3, Assertions: 5, Failures: 1.",
    "100% tests passed, 0 tests failed out of 3",
    "packages/a test:       Tests  3 passed (3)",
    "@scope/a:test: ℹ pass 3",
    "@scope/a:test: Tests:       1 passed, 1 total",
  ])("did run one, if another runner beside it did: %j", (output) => {
    promise("bloom.no-test");
    for (const [, none] of NOTHING) {
      expect(ranNone(`${output}\n${none}`)).toBe(false);
      expect(ranNone(`${none}\n${output}`)).toBe(false);
    }
  });

  it.each([
    "     Summary [   0.000s] 0 tests run: 0 passed, 2 skipped",
    "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0",
    " 0 pass\n 0 fail",
    "ok | 0 passed | 0 failed (5ms)",
    "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips",
    "0 specs, 0 failures",
    "No tests were found!!!",
    "packages/a test:       Tests  no tests",
  ])("ran none, if another runner beside it ran none: %j", (output) => {
    promise("bloom.no-test");
    for (const [, none] of NOTHING) expect(ranNone(`${output}\n${none}`)).toBe(true);
  });

  it("has an example of each runner, and says nothing of other output", () => {
    for (const examples of [NOTHING, SOMETHING])
      expect([...new Set(examples.map(([name]) => name))]).toEqual(Object.keys(RUNNERS));
    for (const output of ["", "0 errors", "Tests: 0", "ok", "tests 0", "all fine in 0.1s"])
      expect(ranNone(output)).toBe(false);
  });

  it("counts files without a test anew in each of several runs", () => {
    const idle = "✔ a.test.js (1ms)\n✔ test-b.js (1ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\n";
    expect(ranNone(idle + idle)).toBe(true);
    expect(ranNone(`${idle}✔ one (1ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0`)).toBe(false);
  });
});

describe("node --test", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pawl-tests-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stderr, stdout } = spawnSync(process.execPath, ["--test", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, FORCE_COLOR: "1" },
    });
    return ranNone(stdout + stderr);
  };

  it("is read as it is today", { timeout: 60_000 }, () => {
    promise("bloom.no-test");
    expect(run()).toBe(true);
    writeFileSync(join(folder, "a.test.mjs"), 'import { test } from "node:test";\ntest("one", () => {});\n');
    expect(run()).toBe(false);
    expect(run("--test-reporter=tap")).toBe(false);
    expect(run("--test-name-pattern=two")).toBe(true);
    expect(run("--test-name-pattern=two", "--test-reporter=tap")).toBe(true);
    writeFileSync(join(folder, "b.test.mjs"), "throw new Error();\n");
    expect(run("--test-name-pattern=two")).toBe(false);
  });
});
