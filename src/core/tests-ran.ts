/**
 * Distinguishes a check that passed from one that ran no test, by the output of test runners. It ran none if a
 * runner printed a result and no runner printed that a test ran; one empty package among others does not matter.
 */

interface Runner {
  /** A line that it prints at its end, at least if no test ran. */
  readonly result: RegExp;
  /** A line that it prints only if a test ran; a group holds the number of those that passed. */
  readonly ran: RegExp;
  /** A line for a file without a test, which it counts as a test that passed. */
  readonly idle?: RegExp;
}

export const RUNNERS: Readonly<Record<string, Runner>> = {
  // `ℹ tests 0`, as TAP `# tests 0`; `✔ a.test.js (1.5ms)` for a file whose tests a pattern leaves out
  node: {
    result: /^[ℹ#] tests \d+$/,
    ran: /^[ℹ#] (?:fail +[1-9]\d*|pass +([1-9]\d*))$/,
    idle: /^(?:✔|ok \d+ -) (?:\S*[/\\])?(?:[^\s/\\]+[._-])?test(?:[._-][^\s/\\]+)?\.[cm]?[jt]s(?: \([\d.]+ms\))?$/,
  },
  // `no tests ran in 0.01s`, `=== 3 skipped, 1 warning in 0.02s ===`
  pytest: {
    result: /^=* ?(?:no tests ran|\d+ (?:skipped|deselected|warnings?)\b.*) in [\d.]+s/,
    ran: /^=* ?(?:.*, )?[1-9]\d* (?:passed|failed|errors?|xfailed|xpassed)\b.* in [\d.]+s/,
  },
  // `?   	example.com/a	[no test files]`, `ok  	example.com/a	0.002s [no tests to run]`
  go: {
    result: /^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s.*\[no tests to run\]$|^no packages to test$/,
    ran: /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?!.*\[no tests to run\]$)|^FAIL\s+\S+\s+(?:[\d.]+s|\[.*\])$/,
  },
  // `> Task :app:test NO-SOURCE`, `> Task :test UP-TO-DATE`
  gradle: {
    result: /^> Task :(?:\S+:)?(?:test|\w+Test) (?:NO-SOURCE|SKIPPED)$/,
    ran: /^> Task :(?:\S+:)?(?:test|(?!assemble|bundle|compile|generate|package|process)\w+Test)(?: UP-TO-DATE| FROM-CACHE| FAILED)?$/,
  },
  // `00:00 +0 ~1: All tests skipped.`, `00:01 +2: All tests passed!`
  dart: {
    result: /^[\d:]+ \+\d.*: (?:All tests skipped|No tests ran)\.$/,
    ran: /^[\d:]+ \+\d.*: (?:All tests passed!|Some tests failed\.)$/,
  },
};

/** Words of a runner that found nothing to run: `No tests executed!`, `make: 'test' is up to date.` */
const NOTHING: readonly RegExp[] = [
  /^(?:\[\w+\] |\w+: |[A-Z]+ +|There are |lerna success run )?(?:no|zero)(?: matching)? (?:tests?|specs?|test (?:files|cases|targets)|tasks|packages|projects) (?:were )?(?:defined|executed|found|is available in|match\w*|ran|run|specified|to run)\b/i,
  /^Tests {2}no tests$|^(?:\[\w+\] )?Tests are skipped\.$|^Test run summary: Zero tests ran|^\S+ Couldn’t find any files to test$/,
  /^g?make: (?:Nothing to be done for )?\W(?:\S*[-_:/])?(?:check|tests?)\W(?: is up to date)?\.?$/,
];

/** Lines in which runners count tests, whether any ran or not. */
const COUNTS = new RegExp(
  [
    // Maven, nextest, cargo, deno: `Tests run: 5, Failures: 0, Errors: 0, Skipped: 5`, `ok | 3 passed | 0 failed (5ms)`
    /(?:\[\w+\] )?Tests run: \d|Summary \[.*\] \d.* run: |test result: \w+\. \d|(?:ok|FAILED) \| \d+ passed/,
    // Minitest, RSpec, ExUnit, Jasmine, Cucumber: `3 runs, 5 assertions, …`, `1 test, 0 failures, 1 skipped`
    /\d+ (?:doctests?|examples?|properties|property|runs|specs?|tests?), .*\d+ failures?|\d+ scenarios?(?: \(|$)/,
    // Jest, Vitest, Pest, PHPUnit: `Tests:  3 skipped, 3 total`, `Tests: 3, Assertions: 5, …`, `OK (3 tests, 5 assertions)`
    /Tests:? +\d+(?:, | (?:expected|fail|incomplete|pass|pend|risky|skip|todo|total|warning))|OK \(\d+ tests?,/,
    // Mocha, Playwright, Bun, AVA: `0 passing (1ms)`, `1 skipped`, `3 pass`, `3 tests passed`
    /\d+ (?:tests? )?(?:(?:pass|fail|skip)\w*|flaky|todo)(?: \(|$)/,
    // .NET, Meson, Automake: `Passed!  - Failed:     0, Passed:     5, …`, `  succeeded: 2`, `Ok:         3`, `# PASS:  3`
    /\w+! +- Failed: |Test summary: total: |(?:succeeded|failed|# (?:PASS|FAIL)): +\d+$|(?:Ok|Fail): {5,}\d+$/,
    // GoogleTest, Catch2, doctest: `[  PASSED  ] 3 tests.`, `test cases: 3 | 2 passed | 1 failed`
    /\[ {2}(?:PASSED|FAILED) {2}\] \d+ tests?|(?:\[doctest\] )?test cases: +\d+ \||All tests passed \(\d+ assertion/,
    // XCTest, Swift Testing, Bazel, Karma, sbt: `Executed 2 tests, with 1 test skipped and …`, `✔ Test run with 2 tests …`
    /(?:.*: )?Executed \d+ of \d+ (?:\(|[A-Z]{5})|\[\w+\] (?:Passed|Failed|Error): Total \d|Executed \d+ (?:tests?, with|out of \d+ tests?:) |\S+ +Test run with \d/,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join("|"),
);
const COUNT = /(\d+)(?: tests?(?= (?:pass|fail|skip|todo)))? ([a-z]+)|([a-z]+):? +(\d+)(?!\d| [a-z])/gi;
const DONE = /^(?:assertion|err|expected|fail|flaky|ok$|pass|succeeded)/i;
const ALL_TESTS = /^(?:of$|cases?|doctests?|examples?|propert|runs?|scenarios?|specs?|tests?|total)/i;
const LEFT_OUT = /^(?:disabled|excl|ignored|incomplete|omi|pend|skip|todo|undef|warnings|was|were)/i;

/** Whether a test ran, by the counts in a line. */
function countsOne(line: string): boolean {
  let [done, left] = [0, 0];
  for (const [, before, after, label, behind] of line.matchAll(COUNT)) {
    const word = after ?? label ?? "";
    const count = Number(before ?? behind);
    if (DONE.test(word)) done += count;
    if (ALL_TESTS.test(word)) left += count;
    if (LEFT_OUT.test(word)) left -= count;
  }
  return done > 0 || left > 0;
}

/** Lines that count tests which ran or were skipped, of unittest, CTest and .NET: `Ran 3 tests in 0.001s`. */
const EITHER = /^(?:Ran (?=\d+ tests? in )|\d+% tests passed, .* out of |Total tests: )(\d+)/;
/** Later lines that say how many of them were skipped: `OK (skipped=3)`, `1 - a (Skipped)`, `Skipped: 3`. */
const SKIPPED = /^(?:OK \(skipped=|Skipped: )(\d+)\)?$|^\d+ - .* \(Skipped\)$/;
/** The Test Anything Protocol: a plan, and a test of it that is left out. What is planned for nothing is a run of nothing. */
const PLAN = /^1\.\.(\d+)|^(?:not )?ok \d+ .*# (?:skip|todo)\b/i;

/** What pnpm, turbo and lerna put before a package's lines: `packages/a test: `, `@scope/a:test: `, `@scope/a: `. */
const PACKAGE = /^[@\w./-]+(?: [\w.-]+|:[\w:.-]+)?: +/;

const ALL = Object.values(RUNNERS);
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and movements of the cursor are what is taken out
const CONTROLS = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** No runner's line is longer. */
const MAX_LINE_LENGTH = 400;

export interface TestWatch {
  read(line: string): void;
  /** Whether a runner's result was read, and no test ran. */
  ranNone(): boolean;
}

/** Reads a command's output line by line. */
export function watchTests(): TestWatch {
  let hasResult = false;
  let hasRun = false;
  let idle = 0;
  let either = 0;
  let planned: number | null = null;
  const readLine = (line: string, text: string) => {
    for (const runner of ALL) {
      if (runner.idle?.test(line)) idle += 1;
      hasResult ||= runner.result.test(text);
      const ran = runner.ran.exec(text);
      if (ran === null) continue;
      hasRun ||= ran[1] === undefined || Number(ran[1]) > idle;
      idle = 0;
    }
    const plan = PLAN.exec(line);
    if (plan) planned = (planned ?? 0) + Number(plan[1] ?? -1);
    const counted = EITHER.exec(text);
    const skipped = SKIPPED.exec(text);
    either = Math.max(0, either + Number(counted?.[1] ?? 0) - (skipped ? Number(skipped[1] ?? 1) : 0));
    const counts = COUNTS.test(text);
    hasResult ||= counts || counted !== null || NOTHING.some((each) => each.test(text));
    hasRun ||= counts && countsOne(text);
  };
  return {
    read(given) {
      if (hasRun) return;
      const line = given.replace(CONTROLS, "").trimEnd().replace(/^.*\r/s, "");
      if (line.length > MAX_LINE_LENGTH) return;
      const text = line.trimStart();
      readLine(line, text);
      const own = text.replace(PACKAGE, "");
      if (own !== text) readLine(own, own);
    },
    ranNone: () => (hasResult || planned === 0) && either === 0 && !hasRun,
  };
}
