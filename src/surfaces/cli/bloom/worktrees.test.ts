import { describe, expect, it } from "vitest";
import { PawlError } from "../../../core/error.ts";
import type { Worktree, Worktrees } from "../../../core/ports/worktrees.ts";
import { rowsOf } from "./worktrees.ts";

const worktree = (branch: string): Worktree => ({ repo: ".", branch, folder: { agentPath: `/w/${branch}` } });

describe("The worktrees of tasks", () => {
  it("leave out one that a loop takes away while they are looked at, and name what is wrong with one that stays", async () => {
    const there = new Set(["gone", "broken"]);
    const all: Pick<Worktrees, "list" | "state"> = {
      list: async () => [...there].map(worktree),
      async state({ branch }) {
        if (branch === "gone") there.delete(branch);
        throw new PawlError("git-failed", `git could not be started in /w/${branch}.`, "Look.");
      },
    };
    expect((await rowsOf(all, [], "/w")).map(({ branch, problem }) => [branch, problem])).toEqual([
      ["broken", "git could not be started in /w/broken."],
    ]);
  });
});
