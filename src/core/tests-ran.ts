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
  // `No test files found, exiting with code 1`, `Tests  no tests`, `Tests  1 failed | 2 passed (3)`
  vitest: {
    result: /^No test files found, exiting|^Tests {2}(?:no tests|\d+ \w+)/,
    ran: /^Tests {2}.*\b[1-9]\d* (?:passed|failed|expected fail)/,
  },
  // `No tests found, exiting with code 1`, `Tests:       3 skipped, 3 total`
  jest: {
    result: /^No tests found, exiting|^Tests: +.*\d+ total$/,
    ran: /^Tests: +.*\b[1-9]\d* (?:passed|failed)/,
  },
  // `0 passing (1ms)`, `Error: No test files found`
  mocha: {
    result: /^0 passing \(|^Error: No test files found/,
    ran: /^[1-9]\d* (?:passing \(|failing$)/,
  },
  // `no tests ran in 0.01s`, `=== 3 skipped, 1 warning in 0.02s ===`
  pytest: {
    result: /^=* ?(?:no tests ran|\d+ (?:skipped|deselected|warnings?)\b.*) in [\d.]+s/,
    ran: /^=* ?(?:.*, )?[1-9]\d* (?:passed|failed|errors?|xfailed|xpassed)\b.* in [\d.]+s/,
  },
  // `Ran 0 tests in 0.000s`
  unittest: { result: /^Ran 0 tests in /, ran: /^Ran [1-9]\d* tests? in / },
  // `?   	example.com/a	[no test files]`, `ok  	example.com/a	0.002s [no tests to run]`
  go: {
    result: /^\?\s+\S+\s+\[no test files\]$|^ok\s+\S+\s.*\[no tests to run\]$|^no packages to test$/,
    ran: /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?!.*\[no tests to run\]$)|^FAIL\s+\S+\s+(?:[\d.]+s|\[.*\])$/,
  },
  // `test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 2 filtered out; finished in 0.00s`
  cargo: {
    result: /^test result: /,
    ran: /^test result: \w+\. (?:[1-9]\d* passed|\d+ passed; [1-9]\d* failed)/,
  },
  // `No test is available in …`, `Passed!  - Failed:     0, Passed:     5, …`, `Test summary: total: 0, failed: 0, …`
  dotnet: {
    result:
      /^(?:Warning: )?No test (?:is available in|matches the given testcase filter) |^Skipped! +- Failed: |^Test summary: total: /,
    ran: /^(?:Passed|Failed)! +- Failed: |^Total tests: [1-9]|^Test summary: .*(?:failed|succeeded): [1-9]/,
  },
  // `0 examples, 0 failures`
  rspec: { result: /^0 examples, 0 failures/, ran: /^[1-9]\d* examples?, \d+ failures?/ },
};

/** Lines of other runners that are printed only if a test ran: they may run beside one of the above. */
const OTHERS: readonly RegExp[] = [
  // nextest: `Summary [   0.01s] 2 tests run: 2 passed, 0 skipped`; Maven: `Tests run: 5, Failures: 0, …`
  /^Summary \[.*\] [1-9]\d*(?:\/\d+)? tests? run: |^(?:\[\w+\] )?Tests run: [1-9]/,
  // Playwright: `5 passed (3.2s)`; bun: `3 pass`; deno: `ok | 3 passed | 0 failed (5ms)`; AVA: `3 tests passed`
  /^[1-9]\d* (?:passed|failed|flaky)(?: \(|$)|^[1-9]\d* (?:pass|fail)$|^(?:ok|FAILED) \| .*[1-9]\d* (?:passed|failed)|^[1-9]\d* tests? (?:passed|failed)/,
  // Minitest: `3 runs, 5 assertions, …`; Jasmine: `3 specs, 0 failures`; Cucumber: `2 scenarios (2 passed)`
  /^[1-9]\d* (?:runs|tests|specs?), \d+ |^[1-9]\d* scenarios? \(/,
  // PHPUnit: `OK (3 tests, 5 assertions)`, `Tests: 3, Assertions: 5, …`; CTest: `100% tests passed, 0 tests failed out of 3`
  /^OK \([1-9]\d* tests?,|^Tests: [1-9]\d*, Assertions: |^\d+% tests passed, .* out of [1-9]/,
];

/** What pnpm and turbo put before a package's lines: `packages/a test: `, `@scope/a:test: `. */
const PACKAGE = /^[@\w./-]+(?: [\w.-]+|:[\w:.-]+): +/;

const ALL = Object.values(RUNNERS);
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const COLOURS = /\u001b\[[0-9;]*m/g;
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
  const readLine = (line: string, text: string) => {
    const own = text.replace(PACKAGE, "");
    for (const runner of ALL) {
      if (runner.idle?.test(line)) idle += 1;
      hasResult ||= runner.result.test(text);
      const ran = runner.ran.exec(text) ?? runner.ran.exec(own);
      if (ran === null) continue;
      hasRun ||= ran[1] === undefined || Number(ran[1]) > idle;
      idle = 0;
    }
    hasRun ||= OTHERS.some((ran) => ran.test(own));
  };
  return {
    read(given) {
      if (hasRun || given.length > MAX_LINE_LENGTH) return;
      const line = given.replace(COLOURS, "").trimEnd();
      readLine(line, line.trimStart());
    },
    ranNone: () => hasResult && !hasRun,
  };
}
