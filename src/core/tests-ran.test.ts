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

/** What the runners print, as they ran; of Gradle, Maven, .NET, Swift, Dart, Pest, PHPUnit 11, Bazel, Karma and sbt as people quote it. */
const NOTHING: readonly (readonly [string, string])[] = [
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
  ["rspec", "  2) x b\n     # Not yet implemented\n\n2 examples, 0 failures, 2 pending"],
  ["vitest", "TAP version 13\n1..1\nok 1 - a.test.js # SKIP {\n    1..1\n    ok 1 - a # SKIP\n}"],
  [
    "bun",
    'bun test v1.4.5 (a7733435c)\n\n No tests found!\nTests need ".test", "_test_", ".spec" or "_spec_" in the filename',
  ],
  [
    "bun",
    "a.test.js:\n(skip) a\n(skip) b\n\n 0 pass\n 2 skip\n 0 fail\nRan 2 tests across 1 file. [34.00ms]",
  ],
  ["bun", " 0 pass\n 1 todo\n 0 fail\nRan 1 test across 1 file. [8.00ms]"],
  ["deno", "\u001b[0m\u001b[32mok\u001b[0m | 0 passed | 0 failed \u001b[0m\u001b[38;5;245m(0ms)\u001b[0m"],
  ["deno", "a ... ignored (0ms)\n\nok | 0 passed | 0 failed | 1 ignored (9ms)"],
  ["deno", "TAP version 14\n# ./d/a.test.mjs\nok 1 - a # SKIP\n1..1"],
  ["playwright", "Error: No tests found"],
  ["playwright", "Running 1 test using 1 worker\n\n  -  1 a.spec.mjs:1:45 › a\n\n  1 skipped"],
  ["ava", "  ✘ Couldn’t find any files to test"],
  ["ava", "  - [skip] a\n  ─\n\n  1 test skipped"],
  ["ava", "  - [todo] a\n  ─\n\n  1 test todo"],
  ["jasmine", "Started\n\n\nNo specs found\nFinished in 0.002 seconds\nIncomplete: No specs found"],
  ["jasmine", "2 specs, 0 failures, 2 pending specs\nFinished in 0.004 seconds"],
  ["tap", "No test files found"],
  ["bats", "1..0"],
  ["bats", "1..1\nok 1 a # skip"],
  [
    "bats",
    "\u001b[34;1ma.bats\n\u001b[0m\u001b[1G   a\u001b[K\u001b[77G1/1\u001b[2G\u001b[1G - a (skipped)\u001b[K\n\u001b[0m\u001b[32;1m\n1 test, 0 failures, 1 skipped\n",
  ],
  ["phpunit", "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!"],
  [
    "phpunit",
    '1) Warning\nNo tests found in class "ATest".\n\nWARNINGS!\nTests: 1, Assertions: 0, Warnings: 1.',
  ],
  ["phpunit", "OK, but incomplete, skipped, or risky tests!\nTests: 1, Assertions: 0, Skipped: 1."],
  ["pest", "\n   INFO  No tests found.\n"],
  ["pest", "  Tests:    1 skipped (0 assertions)\n  Duration: 0.04s"],
  [
    "minitest",
    "Finished in 0.000331s, 0.0000 runs/s, 0.0000 assertions/s.\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips",
  ],
  [
    "minitest",
    "1 runs, 0 assertions, 0 failures, 0 errors, 1 skips\n\nYou have skipped tests. Run with --verbose for details.",
  ],
  [
    "test-unit",
    "1 tests, 0 assertions, 0 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n0% passed",
  ],
  ["mix", "Generated a app\nThere are no tests to run"],
  ["mix", "Finished in 0.01 seconds (0.00s async, 0.01s sync)\n1 test, 0 failures, 1 skipped"],
  ["mix", "All tests have been excluded.\n\n1 test, 0 failures, 1 excluded"],
  ["unittest", "Found 1 test(s).\ns\n------\nRan 1 test in 0.000s\n\nOK (skipped=1)"],
  ["gtest", "[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests."],
  [
    "gtest",
    "[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.a",
  ],
  ["catch2", "Filters: nosuch\nNo test cases matched 'nosuch'\n====\nNo tests ran"],
  ["doctest", "[doctest] test cases: 0 | 0 passed | 0 failed | 1 skipped\n[doctest] Status: SUCCESS!"],
  ["ctest", "Test project /tmp/b\nNo tests were found!!!"],
  [
    "ctest",
    "100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.00 sec\n\nThe following tests did not run:\n\t  1 - a (Skipped)\n\t  2 - b (Disabled)",
  ],
  ["meson", "ninja: no work to do.\nNo tests defined."],
  [
    "meson",
    "Ok:                 0   \nExpected Fail:      0   \nFail:               0   \nUnexpected Pass:    0   \nSkipped:            1   \nTimeout:            0   ",
  ],
  [
    "gradle",
    "> Task :compileTestJava NO-SOURCE\n> Task :processTestResources NO-SOURCE\n> Task :testClasses UP-TO-DATE\n> Task :test NO-SOURCE\n> Task :check UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s",
  ],
  ["gradle", "> Task :app:packageDebugAndroidTest\n> Task :app:testDebugUnitTest NO-SOURCE"],
  ["maven", "[INFO] --- surefire:3.2.5:test (default-test) @ a ---\n[INFO] No tests to run."],
  ["maven", "[INFO] Tests are skipped."],
  ["maven", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0.021 s - in a.ATest"],
  [
    "dotnet",
    "Test run summary: Zero tests ran - bin/Debug/net9.0/Acme.Tests.dll (net9.0|arm64)\n  total: 0\n  failed: 0\n  succeeded: 0",
  ],
  [
    "dotnet",
    "Test run summary: Passed!\n  total: 1\n  failed: 0\n  succeeded: 0\n  skipped: 1\n  duration: 358ms",
  ],
  [
    "dotnet",
    "Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 3 ms - A.dll (net8.0)",
  ],
  ["dotnet", "Test Run Successful.\nTotal tests: 1\n    Skipped: 1"],
  [
    "swift",
    "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n􁁛  Test run with 0 tests in 0 suites passed after 0.001 seconds.",
  ],
  [
    "swift",
    "\t Executed 3 tests, with 3 tests skipped and 0 failures (0 unexpected) in 0.005 (0.006) seconds\n✔ Test run with 0 tests passed after 0.001 seconds.",
  ],
  ["swift", "warning: No matching test cases were run"],
  ["dart", "00:00 +0: loading test.dart\n00:00 +0 ~3: All tests skipped."],
  ["dart", "00:00 +0: No tests ran."],
  [
    "bazel",
    "INFO: Found 2 targets and 0 test targets...\nERROR: No test targets were found, yet testing was requested",
  ],
  [
    "karma",
    "Linux: Executed 0 of 3 SUCCESS (0 secs / 0 secs)\rLinux: Executed 0 of 3 (skipped 3) SUCCESS (0.002 secs / 0 secs)",
  ],
  ["make", "make: 'test' is up to date."],
  ["make", "make: Nothing to be done for 'test'."],
  [
    "turbo",
    "@s/a:test: ℹ tests 0\n@s/a:test: ℹ pass 0\n@s/b:test: cache hit, replaying logs 813abfe2f13e6bfb\n@s/b:test: ℹ tests 0",
  ],
  ["turbo", " WARNING  No tasks were executed as part of this run.\n\n Tasks:    0 successful, 0 total"],
  ["nx", "\u001b[7m\u001b[1m\u001b[90m NX \u001b[39m\u001b[22m\u001b[27m  No tasks were run"],
  ["lerna", "\u001b[1m\u001b[94m@s/a:\u001b[39m\u001b[22m \u001b[34mℹ tests 0\u001b[39m"],
  ["lerna", "lerna info ci enabled\nlerna success run No packages found with the lifecycle script 'test'"],
  ["pnpm", 'No projects matched the filters in "/x"'],
];

const SOMETHING: readonly (readonly [string, string])[] = [
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
  ["rspec", "1 example, 0 failures"],
  ["bun", " 0 pass\n 1 fail\nRan 1 test across 1 file. [6.00ms]"],
  ["ava", "  ✔ a\n  ─\n\n  1 test passed"],
  ["tap", "1..0\n1..2\nok 1 - a # SKIP\nok 2 - b"],
  ["jasmine", "2 specs, 0 failures, 1 pending spec"],
  ["phpunit", "OK, but there were issues!\nTests: 3, Assertions: 3, PHPUnit Warnings: 1, Warnings: 3."],
  ["pest", "  Tests:    1 skipped, 567 passed (5436 assertions)"],
  ["mix", "1 doctest, 2 tests, 0 failures, 2 excluded"],
  ["unittest", "Ran 2 tests in 0.001s\n\nOK (skipped=1)\nRan 0 tests in 0.000s\n\nOK"],
  ["gtest", "[  PASSED  ] 0 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.a"],
  ["catch2", "All tests passed (1 assertion in 1 test case)\nNo tests ran"],
  ["doctest", "[doctest] test cases: 1 | 0 passed | 1 failed | 0 skipped"],
  [
    "ctest",
    "No tests were found!!!\n100% tests passed, 0 tests failed out of 2\n\nThe following tests did not run:\n\t  1 - a (Skipped)",
  ],
  ["meson", "Ok:                 1   \nFail:               0   \nSkipped:            1   "],
  ["automake", "make: Nothing to be done for 'check'.\n# TOTAL: 3\n# PASS:  3\n# SKIP:  0"],
  ["gradle", "> Task :a:test NO-SOURCE\n> Task :b:test UP-TO-DATE"],
  ["gradle", "> Task :a:test NO-SOURCE\n> Task :b:testDebugUnitTest FROM-CACHE"],
  ["gradle", "> Task :a:test NO-SOURCE\n> Task :b:test"],
  [
    "maven",
    "[INFO] No tests to run.\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.021 s -- in a.ATest",
  ],
  [
    "dotnet",
    "Test run summary: Passed! - A.dll (net10.0|x64)\n  total: 415\n  failed: 0\n  succeeded: 412\n  skipped: 3",
  ],
  ["dotnet", "Test run summary: Failed!\n  total: 1\n  failed: 1\n  succeeded: 0"],
  ["dotnet", "No test is available in A.dll\nTotal tests: 4\n     Passed: 3\n    Skipped: 1"],
  [
    "swift",
    "\t Executed 39 tests, with 0 failures (0 unexpected) in 0.005 (0.006) seconds\n✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.",
  ],
  [
    "swift",
    "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n✔ Test run with 3 tests in 1 suite passed after 0.1 seconds.",
  ],
  ["dart", "00:00 +0 ~1: All tests skipped.\n00:01 +2 ~1: All tests passed!"],
  [
    "bazel",
    "No tests found\n//a:t                          (cached) PASSED in 0.1s\n\nExecuted 0 out of 2 tests: 2 tests pass.",
  ],
  ["karma", "No tests found\nLinux: Executed 3 of 3 SUCCESS (0.01 secs / 0.003 secs)"],
  ["sbt", "[info] No tests were executed.\n[info] Passed: Total 3, Failed 0, Errors 0, Passed 3"],
  ["turbo", "@s/a:test: ℹ tests 0\n@s/a:test: ℹ pass 0\n@s/b:test: ℹ tests 1\n@s/b:test: ℹ pass 1"],
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
    "Executed 0 out of 2 tests: 2 tests pass.",
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

  it.each(["Executed 3 of 5 migrations", "10 examples, 3 languages", "[info] Loaded: Total 3", "Passed: 3"])(
    "is known beside other counts: %j",
    (line) => {
      promise("bloom.no-test");
      expect(ranNone(`${line}\nNo tests found, exiting with code 0`)).toBe(true);
    },
  );

  it("has an example of each runner, and says nothing of other output", () => {
    for (const examples of [NOTHING, SOMETHING])
      expect(examples.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(RUNNERS)));
    for (const output of [
      ...["", "0 errors", "Tests: 0", "ok", "tests 0", "all fine in 0.1s"],
      ...[
        "All tests passed (0.5 s)",
        "Tests: 12 fine",
        "test result: good",
        "3 todos",
        "test cases: all passed",
      ],
    ])
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
