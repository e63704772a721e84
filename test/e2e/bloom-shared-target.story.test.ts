/** Tasks that are merged into a branch to which others push meanwhile. */
import { describe, expect, test } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

/** Another person's commit on the remote's main, pushed while the task is at work, and again where somebody was first. */
const otherPushes = (path: string) =>
  [
    'REMOTE=$(git -C "$PAWL_PROJECT" remote get-url origin)',
    "git clone -q $REMOTE other.tmp",
    `echo theirs > other.tmp/${path}`,
    `git -C other.tmp add ${path}`,
    `git -C other.tmp commit -qm "their ${path}"`,
    "until git -C other.tmp push -q origin main; do git -C other.tmp pull -q --rebase origin main || break; done",
    "rm -rf other.tmp",
  ].join("; ");

const task = (id: string, ...lines: readonly string[]) => `  - id: ${id}
    title: Build ${id}
    repo: .
    merge_into: main
    verify: [test -f ${id}.txt]
    instructions: |
${lines.map((line) => `      ${line}`).join("\n")}
`;
const commits = (id: string) => `echo ${id} > ${id}.txt; git add ${id}.txt; git commit -qm ${id}`;

describe("a target that others push to", () => {
  test("takes the work of all: fetched before each merge, pushed after it, never forced", {
    timeout: 60_000,
  }, async () => {
    promise("git.shared-target");
    using project = bloomProject({
      tasks: `git: {push_to_remote: true}\ntasks:\n${task("T1", `RUN: ${otherPushes("x.txt")}; ${commits("T1")}`, "RUN: bloom done T1")}${task("T2", `RUN: ${otherPushes("y.txt")}; ${commits("T2")}`, "RUN: bloom done T2")}`,
    });
    const ran = await project.run();
    expect(ran.of("merge:failed")).toEqual([]);
    expect(ran.code).toBe(0);
    expect(project.tasks().map(({ status }) => status)).toEqual(["done", "done"]);
    expect(project.remoteGit("rev-parse", "main")).toBe(project.git("rev-parse", "main"));
    for (const path of ["T1.txt", "T2.txt", "x.txt", "y.txt"]) expect(project.read(path)).not.toBeNull();
  });

  test("hands a conflict with what others pushed to the agent", { timeout: 60_000 }, async () => {
    using project = bloomProject({
      tasks: `git: {push_to_remote: true}\ntasks:\n${task("T1", `RUN: ${otherPushes("T1.txt")}; ${commits("T1")}`, "RUN: bloom done T1")}`,
      answers: { conflict: "RUN: echo both > T1.txt; git add T1.txt; git commit -qm resolved" },
    });
    const ran = await project.run();
    expect(ran.of("merge:conflicted").map(({ files }) => files)).toEqual([["T1.txt"]]);
    expect(ran.code).toBe(0);
    expect(project.remoteGit("show", "main:T1.txt")).toBe("both");
  });
});
