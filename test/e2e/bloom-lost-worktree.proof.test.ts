/** An agent that removes its worktree's `.git`: git would then mean the person's own checkout. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const tasks = `tasks:
  - id: T1
    title: Build
    repo: .
    merge_into: main
    steps:
      - id: s1
        instruction: |
          RUN: echo a > a.txt; rm -rf .git
          RUN: git add -A; git commit -qam sneaked
          RUN: bloom step done s1
      - id: s2
        instruction: |
          RUN: git commit -qam again
          RUN: bloom step done s2
`;

describe("A worktree that lost its .git", () => {
  test("is made anew; the person's checkout stays as it is, and the agent is told where its files are", {
    timeout: 60_000,
  }, async () => {
    promise("git.lost-worktree");
    using project = bloomProject({
      tasks,
      answers: { "had lost its `.git`": "RUN: cp ../@lost-1-*/a.txt .; git add a.txt; git commit -qm mine" },
    });
    writeFileSync(
      join(project.root, "pawl.yaml"),
      `${readFileSync(join(project.root, "pawl.yaml"), "utf8")}\n`,
    );
    const begin = project.git("rev-parse", "main");
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("worktree:lost")).toHaveLength(1);
    expect(project.git("log", "--topo-order", "--format=%s", "main")).toBe("Merge T1: Build\nmine\nBegin");
    expect(project.git("status", "--porcelain", "--", ":!.alfred/records")).toBe("M pawl.yaml");
    expect(project.git("rev-parse", "main~1^{commit}")).toBe(begin);
    expect(existsSync(join(project.root, "a.txt"))).toBe(true);
  });
});
