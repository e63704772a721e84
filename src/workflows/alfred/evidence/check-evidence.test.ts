import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { PawlError } from "../../../core/error.ts";
import type { Checks } from "../../../core/ports/checks.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import { checksIn } from "../gate/review.ts";
import type { Submission } from "../state/state-file.ts";
import { refreshChecks, runChecks } from "./check-evidence.ts";
import { isNoCheck } from "./evidence.ts";

const COMMANDS = { test: "npm test" };

function port(code: "project-untrusted" | "setup-failed"): Checks & { agreed: boolean; asked: number } {
  const checks = {
    agreed: false,
    asked: 0,
    async run() {
      checks.asked += 1;
      if (!checks.agreed) throw new PawlError(code, "It cannot start.", "Agree.");
      return { kind: "ended", exitCode: 0, milliseconds: 10, tail: "" } as const;
    },
  };
  return checks;
}

it("a check that nobody had agreed to runs at the next reading, once somebody has agreed", async () => {
  promise("alfred.evidence");
  const checks = port("project-untrusted");
  const place = { tree: "a".repeat(40) };
  const ask = () => checks.run("k", "npm test");
  const first = await runChecks(COMMANDS, "r", place, checks);
  expect(first).toMatchObject([{ verdict: "differs" }]);
  // A review between trust and verdict starts nothing, and must not deny the trust.
  expect(first[0]?.words).toMatch(/^`npm test` was not run: when it was handed in, nobody .* had agreed/);
  // Nothing was reported of it, so a review names no difference: it is a check that was not run.
  expect(first.filter(isNoCheck)).toEqual([]);
  const { alfred, ...rest } = DEFAULT_SETTINGS;
  const settings = { ...rest, alfred: { ...alfred, checks: COMMANDS } };
  expect(checksIn({ evidence: first } as unknown as Submission, first, settings, new Set())).toMatchObject([
    { name: "test", command: "npm test", state: "unknown", tail: first[0]?.words },
  ]);
  expect(await refreshChecks(first, COMMANDS, place, ask)).toEqual(first);
  checks.agreed = true;
  const later = await refreshChecks(first, COMMANDS, place, ask);
  expect(later).toMatchObject([{ verdict: "agrees", check: { exit_code: 0 } }]);
  await refreshChecks(later, COMMANDS, place, ask);
  expect(checks.asked).toBe(3);
});

it("a check whose checkout could not be made runs again for a verdict alone", async () => {
  promise("alfred.evidence");
  const checks = port("setup-failed");
  const place = { tree: "a".repeat(40) };
  const first = await runChecks(COMMANDS, "r", place, checks);
  checks.agreed = true;
  expect(await refreshChecks(first, COMMANDS, place, () => checks.run("k", "npm test"))).toEqual(first);
  const decided = await refreshChecks(first, COMMANDS, { ...place, retry: true }, () =>
    checks.run("k", "npm test"),
  );
  expect(decided).toMatchObject([{ verdict: "agrees" }]);
});

it("a check that ran no test agrees, and says so", async () => {
  promise("bloom.no-test");
  const checks = (empty?: true): Checks => ({
    run: async () => ({
      kind: "ended",
      exitCode: 0,
      milliseconds: 10,
      tail: "",
      ...(empty ? { empty } : {}),
    }),
  });
  const place = { tree: "a".repeat(40) };
  expect(await runChecks(COMMANDS, "r", place, checks(true))).toMatchObject([
    { verdict: "agrees", words: "`npm test` ended with exit code 0 after 0.0 s, and ran no test." },
  ]);
  const [some] = await runChecks(COMMANDS, "r", place, checks());
  expect(some?.words).toBe("`npm test` ended with exit code 0 after 0.0 s.");
});
