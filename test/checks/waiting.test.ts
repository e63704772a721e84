/** A time that a test waits is too long on one machine and too short on another: tests wait for what they can see. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync(["src/**/*.test.ts", "test/**/*.test.ts", "demo/**/*.test.ts", "test/rig/**/*.ts"], {
  cwd: ROOT,
});

/** A timer, or a shell that sleeps for a tenth of a second or longer. */
const WAITS = /\bset(?:Timeout|Interval)\(|timers\/promises|\bsleep (?:\d*[1-9]\d*\b(?!\.)|\d+\.[1-9])/;

/** Timers that nothing is waited for by. */
const OTHERS: Readonly<Record<string, string>> = {
  "test/rig/until.ts": "looks again",
  "test/rig/main.ts": "a library that writes all the time",
  "test/checks/waiting.test.ts": "this one",
  "test/e2e/wall-escapes.story.test.ts": "an agent that wants to leave a process behind",
  "test/e2e/workers.proof.test.ts": "an agent that works for longer than a lease lasts without being renewed",
  "test/linear.proof.test.ts": "ends a parser that hangs",
  "test/e2e/cli-package.story.test.ts": "throws outside of any call",
  "src/surfaces/board/client/bursts.test.ts": "a server's answer, by a virtual clock",
  "src/adapters/postgres/lease-manager.test.ts": "a database's answer, by a virtual clock",
  "src/adapters/net/limits.test.ts": "a server that drips",
  "src/adapters/net/http.test.ts": "a server that drips",
  "src/adapters/git/workspace/worktrees.story.test.ts": "keeps a process until it is killed",
};

it("No test waits for a time: only `until` looks again and again", () => {
  expect(FILES.length).toBeGreaterThan(150);
  const waiting = FILES.filter((path) => WAITS.test(readFileSync(join(ROOT, path), "utf8")));
  expect(waiting.filter((path) => !(path in OTHERS))).toEqual([]);
  expect(Object.keys(OTHERS).filter((path) => !waiting.includes(path))).toEqual([]);
});

it.each([
  ["sleep 1", true],
  ["sleep 0.5", true],
  ["sleep 300 &", true],
  ["await sleep(20)", false],
  ["setTimeout(done, 5)", true],
  ["sleep 0.02", false],
])("%s is seen as a wait: %s", (text, isWait) => {
  expect(WAITS.test(text)).toBe(isWait);
});
