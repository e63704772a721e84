import { expect, test } from "vitest";
import type { Snapshot } from "../../core/ports/git.ts";
import { NO_REPOSITORY, unknownChanges } from "./work-changes.ts";

test.each<[string, object, string | null]>([
  ["the folder has a base", { kind: "tree", base: { commit: "c" } }, null],
  ["git says why", { kind: "unavailable", reason: "git failed" }, "git failed"],
  ["there is no repository", { kind: "not-a-repository" }, NO_REPOSITORY],
  [
    "there is no base",
    { kind: "tree", base: null },
    "there is no base branch (main, master) to compare with",
  ],
])("changes are known, or why they are not, if %s", (_, work, why) => {
  expect(unknownChanges(work as Snapshot)).toBe(why);
});
