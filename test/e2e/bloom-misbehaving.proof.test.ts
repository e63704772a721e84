/** Agents that misbehave: what is done about each, with real processes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil } from "../rig/until.ts";

const LONG = { timeout: 90_000 };
const inRepo = (id: string, more: string, lines: string) =>
  `- id: ${id}\n  title: ${id}\n  repo: .\n  merge_into: main\n${more}  instructions: |\n${lines.replace(/^/gm, "    ")}\n`;
const commits = (name: string, text = name) =>
  `RUN: echo ${text} > ${name}.txt; git add -A; git commit -qm ${name}`;

describe("An agent that", () => {
  it("lies about its tests is caught by the loop's own run of them, and told what failed", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", '  verify: ["grep -q right a.txt"]\n', `${commits("a", "wrong")}\nSAY: all tests pass\nRUN: bloom done T1`)}`,
      answers: { "## A check failed": commits("a", "right") },
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("check:failed")).toEqual([
      expect.objectContaining({ command: "grep -q right a.txt", exit: 1 }),
    ]);
    expect(ran.of("check:passed").length).toBeGreaterThanOrEqual(2);
    const [, repair] = project.runs();
    expect(repair).toMatchObject({ resumed: true, prompt: expect.stringContaining("grep -q right a.txt") });
    expect(project.git("show", "main:a.txt")).toBe("right");
    const kept = JSON.parse(project.read(".pawl/done/T1.json") ?? "{}");
    expect(kept.evidence).toEqual([
      expect.objectContaining({
        exit: 1,
        commit: expect.any(String),
        log: expect.any(String),
        on: "worktree",
      }),
      expect.objectContaining({ exit: 0, on: "worktree" }),
      expect.objectContaining({ exit: 0, on: "merge" }),
    ]);
    for (const { log } of kept.evidence) expect(existsSync(join(project.root, log))).toBe(true);
  });

  it("never repairs what fails leads to blocked, with the reason, and nothing is merged", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", '  verify: ["test ! -f a.txt"]\n', `${commits("a")}\nRUN: bloom done T1`)}`,
    });
    expect((await project.run()).code).toBe(1);
    expect(project.tasks()[0]).toMatchObject({
      status: "blocked",
      ai_notes: ["blocked: `test ! -f a.txt` exited with 1"],
    });
    expect(project.runs()).toHaveLength(3);
    expect(project.git("log", "--format=%s", "main")).toBe("Begin");
  });

  it(
    "exits well without having done anything is asked to mark its step, and blocked with its last words",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: `tasks:\n${inRepo("T1", '  verify: ["test -f made.txt"]\n', "SAY: done it")}`,
      });
      const ran = await project.run();
      expect(ran.code).toBe(1);
      const rows = ["ready.works", ...Array(2).fill("step.asked_to_mark"), "step.unmarked_blocks"];
      expect(ran.of("run:advanced").map(({ row }) => row)).toEqual(rows);
      expect(ran.of("task:blocked")).toMatchObject([{ reason: expect.stringContaining("last words: done") }]);
      expect(project.tasks()[0]?.status).toBe("blocked");
    },
  );

  it("is killed by a signal after it committed has not succeeded", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", `RUN: test -f a.txt || { echo a > a.txt; git add -A; git commit -qm a; }`)}`,
      answers: { "Task T1": "KILL: SIGKILL", "on T1 was cut short": "KILL: SIGKILL" },
    });
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("agent:ended").map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array(3).fill(["failed", "signalled"]),
    );
    expect(ran.of("step:assumed_done")).toEqual([]);
    expect(project.git("log", "--format=%s", "main")).toBe("Begin");
    expect(project.tasks()[0]?.status).toBe("blocked");
  });

  it("fails is tried again while another one is at work", LONG, async () => {
    const place = mkdtempSync(join(tmpdir(), "pawl-tries-"));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const tries = join(place, "tries");
    const sees = shellUntil(`"$(wc -l < ${tries})" = 2`);
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", `RUN: echo x >> "${tries}"\nFAIL: no luck`)}${inRepo("T2", `  verify: ['${sees}']\n`, commits("b"))}`,
      answers: { "on T1 was cut short": `RUN: echo x >> "${tries}"\nFAIL: no luck` },
      // Long enough that the other is quiet when it is over.
      settings: { tries: 2, agents: 2, backoff: { first: 3, limit: 3 } },
    });
    const ran = await project.run();
    expect(ran.of("check:failed")).toEqual([]);
    expect(project.tasks().map(({ status }) => status)).toEqual(["blocked", "done"]);
  });

  it("never ends is stopped at its limit, with everything that it began", LONG, async () => {
    const sleep = hangs();
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: setsid ${sleep} & disown\n    HANG:\n`,
      settings: { limits: { silence: 0.02 }, tries: 1 },
    });
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("agent:ended")).toEqual([
      expect.objectContaining({ outcome: "failed", reason: "inactive" }),
    ]);
    expect(processesWith(sleep)).toEqual([]);
  });

  it("leaves a shell child behind leaves none alive", LONG, async () => {
    const sleep = hangs();
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: setsid ${sleep} >/dev/null 2>&1 & disown\n    RUN: bloom done T1\n`,
    });
    expect((await project.run()).code).toBe(0);
    expect(processesWith(sleep)).toEqual([]);
  });

  it("edits outside its worktree is noticed and reported", LONG, async () => {
    promise("agents.strayed");
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", `${commits("a")}\nRUN: echo mine > "$PAWL_PROJECT/outside.txt"; mkdir "$PAWL_PROJECT/d"; touch "$PAWL_PROJECT/.other.yaml.pawl-tmp" "$PAWL_PROJECT/d/.more.pawl-tmp"\nRUN: bloom done T1`)}`,
    });
    const ran = await project.run();
    expect(ran.of("agent:strayed")).toEqual([
      expect.objectContaining({
        taskId: "T1",
        paths: ["outside.txt"],
        files: [{ path: "outside.txt", at: expect.stringMatching(/^20.*Z$/) }],
      }),
    ]);
    expect(project.stored().some(({ type }) => type === "agent:strayed")).toBe(true);
  });

  it(
    "has no repository, no commit or no branch to work on is blocked at once, with what to do",
    LONG,
    async () => {
      promise("git.persons-matter");
      const task = (id: string, repo: string, more = "") =>
        `- {id: ${id}, title: t, repo: ${repo}, instructions: "RUN: true"${more}}\n`;
      using project = bloomProject({
        tasks: `tasks:\n${task("T1", "nope")}${task("T2", "plain")}${task("T3", "empty")}${task("T4", ".", ", base_branch: absent")}${inRepo("T5", "  base_branch: main\n", `${commits("a")}\nRUN: bloom done T5`).replace("merge_into: main", "merge_into: absent")}`,
      });
      for (const folder of ["plain", "empty"]) mkdirSync(join(project.root, folder));
      execFileSync("git", ["init", "-q", join(project.root, "empty")]);
      const ran = await project.run();
      expect(ran.code).toBe(1);
      expect(ran.of("task:retried")).toEqual([]);
      const notes = project.tasks().map(({ status, ai_notes }) => `${status}: ${ai_notes}`);
      expect(notes[0]).toMatch(/^blocked: .*The repository nope does not exist\. .*`git clone`/);
      expect(notes[1]).toMatch(/^blocked: .*plain is not a git repository.*`git init`/);
      expect(notes[2]).toMatch(/^blocked: .*has no commit to start from\. Make a first commit\./);
      expect(notes[3]).toMatch(/^blocked: .*its base absent .*correct `base_branch`/);
      expect(notes[4]).toMatch(
        /^blocked: .*the branch absent does not exist; create it, or correct `merge_into`/,
      );
    },
  );

  it(
    "is merged over nobody's edits, and its work is not done again once they are out of the way",
    LONG,
    async () => {
      promise("git.persons-matter");
      using project = bloomProject({
        tasks: `tasks:\n${inRepo("T1", "", `${commits("a")}\nRUN: bloom done T1`)}`,
      });
      project.write("a.txt", "mine");
      const ran = await project.run();
      expect(ran.code).toBe(1);
      expect(ran.of("merge:failed")).toHaveLength(3);
      const blocked = String(project.tasks()[0]?.ai_notes);
      expect(blocked).toContain(
        "has edits that the merge would overwrite: a.txt; commit, stash or move them away",
      );
      expect(blocked).toContain("`bloom ready T1`");
      expect(project.read("a.txt")).toBe("mine");
      rmSync(join(project.root, "a.txt"));
      expect((await project.bloom("ready", "T1")).out).toContain("`bloom reset T1`");
      const again = await project.run();
      expect(again.code).toBe(0);
      expect(project.runs()).toHaveLength(1);
      expect(project.git("show", "main:a.txt")).toBe("a");
      expect(project.tasks()[0]?.status).toBe("done");
    },
  );

  it("calls done before the merge keeps its dependents waiting until the merge is made", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", `${commits("a")}\nRUN: bloom done T1\nRUN: grep -A9 'id: T1' "$BLOOM_TASKS_FILE" | grep -m1 status: > "$PAWL_PROJECT/.pawl/status.txt"`)}- id: T2\n  title: u\n  depends_on: [T1]\n  instructions: "RUN: git log --format=%s main > seen.txt"\n`,
      settings: { agents: 2 },
    });
    expect((await project.run()).code).toBe(0);
    expect(project.read(".pawl/status.txt")).toBe("  status: done_pending_merge\n");
    expect(project.read("seen.txt")).toContain("Merge T1: T1\n");
  });

  it("leaves work uncommitted is asked to commit it, and blocked when it does not", LONG, async () => {
    const tasks = `tasks:\n${inRepo("T1", "", "RUN: echo a > a.txt\nRUN: bloom done T1")}`;
    using obeys = bloomProject({
      tasks,
      answers: { "## Uncommitted work": "RUN: git add -A; git commit -qm late" },
    });
    expect((await obeys.run()).code).toBe(0);
    expect(obeys.runs()[1]).toMatchObject({ resumed: true, prompt: expect.stringContaining("- a.txt") });
    expect(obeys.git("show", "main:a.txt")).toBe("a");
    using refuses = bloomProject({ tasks, settings: { tries: 2 } });
    expect((await refuses.run()).code).toBe(1);
    expect(refuses.runs()).toHaveLength(3);
    expect(refuses.tasks()[0]?.status).toBe("blocked");
    expect(refuses.tasks()[0]?.ai_notes.at(-1)).toBe("blocked: not committed: a.txt");
    expect(readFileSync(join(refuses.workspace("bloom/T1"), "a.txt"), "utf8")).toBe("a\n");
  });

  it("is told which check wrote what is not committed, and which hooks its commits run", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", '  verify: ["echo x > report.xml"]\n', "RUN: echo a > a.txt; git add -A; git commit -qm a\nRUN: bloom done T1")}`,
      answers: { "the check `echo x > report.xml` wrote": "RUN: true" },
      settings: { tries: 2 },
    });
    writeFileSync(join(project.root, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect((await project.run()).code).toBe(1);
    expect(project.runs()[1]?.prompt).toContain("All your work was committed. Then the check");
    const note = project.stored().find(({ type }) => type === "git:uncommitted");
    expect(note).toMatchObject({ paths: ["report.xml"] });
    expect(project.tasks()[0]?.ai_notes.at(-1)).toMatch(
      /^blocked: not committed.*: report\.xml \(its commits run .*hooks\/pre-commit\)$/,
    );
  });

  it("leaves no record of a thousand files that it did not commit", LONG, async () => {
    promise("agents.hostile-stream");
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", "RUN: git commit -qm a --allow-empty; for i in $(seq 1000); do echo > f$i; done\nRUN: bloom done T1")}`,
      settings: { tries: 1 },
    });
    expect((await project.run()).code).toBe(1);
    const { paths } = project.stored().find(({ type }) => type === "git:uncommitted") as { paths?: string[] };
    expect(paths).toHaveLength(51);
    expect(paths?.at(-1)).toBe("and 950 more");
  });

  it("is not begun where git does not know who commits", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", "RUN: echo a > a.txt\nRUN: bloom done T1")}`,
      environment: { GIT_COMMITTER_NAME: "", GIT_COMMITTER_EMAIL: "" },
    });
    project.git("config", "user.useConfigOnly", "true");
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(project.runs()).toEqual([]);
    expect(ran.of("task:blocked")[0]?.reason).toContain("config user.name NAME");
  });

  it("conflicts with a sibling's merge resolves the conflict in its own worktree", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n${inRepo("T1", "", `${commits("same", "one")}\nRUN: bloom done T1`)}${inRepo("T2", "", `RUN: git log --format=%s > /dev/null; echo two > same.txt; git add -A; git commit -qm two\nRUN: ${shellUntil('"$(git -C "$PAWL_PROJECT" cat-file -t main:same.txt 2>&1)" = blob')}\nRUN: bloom done T2`)}`,
      settings: { agents: 2 },
      answers: {
        "## Conflicts with main":
          "RUN: printf 'one\\ntwo\\n' > same.txt; git add -A; git commit -qm resolved",
      },
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("merge:conflicted")).toEqual([
      expect.objectContaining({ taskId: "T2", into: "main", files: ["same.txt"] }),
    ]);
    // Its agent was told where, in the session that it had.
    expect(project.runs().at(-1)).toMatchObject({
      resumed: true,
      prompt: expect.stringContaining("conflicts in:\n\n- same.txt"),
    });
    expect(project.git("show", "main:same.txt")).toBe("one\ntwo");
    expect(project.git("log", "--first-parent", "--format=%s", "main")).toBe(
      "Merge T2: T2\nMerge T1: T1\nBegin",
    );
  });
});

function processesWith(words: string): readonly string[] {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return all.split("\n").filter((line) => line.startsWith(words));
}
