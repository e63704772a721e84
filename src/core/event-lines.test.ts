import { expect, it } from "vitest";
import { sentenceOf } from "./event-lines.ts";

it("names the way out of a local branch that stays behind: edits are committed, anything else is ended", () => {
  const behind = {
    type: "merge:local_behind",
    taskId: "T1",
    into: "main",
    reason: "a rebase is unfinished",
  } as const;
  expect(sentenceOf({ ...behind, files: [] })[0]).toMatch(
    /a rebase is unfinished\. End that, then `git pull`$/,
  );
  expect(sentenceOf({ ...behind, files: ["a.ts"] })[0]).toMatch(
    /: a\.ts\. Commit or stash, then `git pull`$/,
  );
});
