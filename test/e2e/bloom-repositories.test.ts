/** `bloom worktrees` and `bloom repo`: real repositories, a real remote. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";

const TASKS = `tasks:
- id: T1
  title: t
  repo: .
  branch: feat/x
  merge_into: main
  instructions: |
    RUN: echo a > a.txt; git add -A; git commit -qm a
    FAIL: no
- {id: T2, title: u, repo: api, status: blocked}
`;

it("lists worktrees with their task and what in them is nowhere else", async () => {
  using project = bloomProject({ tasks: TASKS, settings: { tries: 1 } });
  expect((await project.bloom("worktrees")).out).toBe("No workspaces.\n");
  expect((await project.run("--task", "T1")).code).toBe(1);
  const folder = project.workspace("feat/x");
  writeFileSync(join(folder, "b.txt"), "b");
  const { code, out } = await project.bloom("worktrees");
  expect({ code, out }).toEqual({
    code: 0,
    out: `feat/x of .  T1 blocked\n  1 uncommitted, 1 not in main\n  ${folder}\n`,
  });
  project.write("tasks.yaml", "tasks: []\n");
  const { worktrees } = JSON.parse((await project.bloom("worktrees", "--json")).out);
  expect(worktrees).toEqual([
    expect.objectContaining({ repo: ".", branch: "feat/x", task: null, uncommitted: 1, unmerged: null }),
  ]);
});

it("lists the repositories that tasks use, there or not, and those inside the project", async () => {
  using project = bloomProject({ tasks: TASKS });
  mkdirSync(join(project.root, "libs/other"), { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "main", join(project.root, "libs/other")]);
  const { out } = await project.bloom("repo", "list");
  expect(out).toContain("The repository api does not exist.");
  const { repositories } = JSON.parse((await project.bloom("repo", "list", "--json")).out);
  expect(repositories).toEqual([
    {
      repo: ".",
      tasks: ["T1"],
      kind: "repository",
      branch: "main",
      uncommitted: 1,
      remote: expect.any(String),
    },
    { repo: "api", tasks: ["T2"], kind: "unusable", reason: expect.any(String) },
    { repo: "libs/other", tasks: [], kind: "repository", branch: "main", uncommitted: 0, remote: null },
  ]);
});

it("clones a repository into the project, once, and says how to name it", async () => {
  using project = bloomProject({ tasks: TASKS });
  const address = `file://${join(project.root, "../remote.git")}`;
  expect(await project.bloom("repo", "add", address, "services/api")).toMatchObject({
    code: 0,
    out: "Cloned into services/api.\nIn tasks.yaml: `repo: services/api`.\nThe project's own repository would track it: add /services/api/ to .gitignore.\n",
  });
  expect(existsSync(join(project.root, "services/api/pawl.yaml"))).toBe(true);
  expect((await project.bloom("repo", "add", "services/api")).out).toContain("`repo: services/api`");
  const again = await project.bloom("repo", "add", address, "services/api");
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining("already exists") });
  expect((await project.bloom("repo", "add", address)).out).toContain("Cloned into remote.\n");
});

it("refuses what is no repository inside the project, and leaves nothing of a clone that fails", async () => {
  using project = bloomProject({ tasks: TASKS });
  const outside = join(project.root, "../elsewhere");
  execFileSync("git", ["init", "-q", outside]);
  symlinkSync(outside, join(project.root, "link"));
  mkdirSync(join(project.root, "plain"));
  const add = async (...words: string[]) => (await project.bloom("repo", "add", ...words)).err;
  expect(await add("../elsewhere")).toContain("outside the project");
  expect(await add("link")).toContain("outside the project");
  expect(await add("plain")).toContain("plain is not a git repository");
  expect(await add("missing")).toContain("There is no folder missing");
  for (const name of ["../out", ".hidden", "a/.git", "-x", "a b", ".pawl/x"])
    expect(await add(`file://${outside}`, "--", name), name).toMatch(/cannot be the folder of a clone/);
  expect(await add(`file://${outside}`, "link/in")).toContain("outside the project");
  expect(await add("https://me:secret@127.0.0.1:1/x.git")).not.toContain("secret");
  expect(await add("--", "ext::sh -c 'touch pwned'", "evil")).toContain("could not be cloned");
  expect(readdirSync(project.root).filter((name) => ["pwned", "evil", "x", "out"].includes(name))).toEqual(
    [],
  );
  expect(readdirSync(join(project.root, ".pawl/clones"))).toEqual([]);
});

it("fetches what tasks use, moves forward what only lags behind, and touches no edits", async () => {
  using project = bloomProject({
    tasks: TASKS.replace("- {id: T2, title: u, repo: api, status: blocked}", ""),
  });
  const mate = join(project.root, "../mate");
  const git = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=M", "-c", "user.email=m@x.y", ...args], { cwd: folder });
  execFileSync("git", ["clone", "-q", join(project.root, "../remote.git"), mate]);
  const commit = (name: string) => {
    execFileSync("sh", ["-c", `echo ${name} > ${name}`], { cwd: mate });
    git(mate, "add", "-A");
    git(mate, "commit", "-qm", name);
    git(mate, "push", "-q", "origin", "HEAD");
  };
  project.git("branch", "-q", "release", "main");
  project.git("push", "-q", "-u", "origin", "release");
  commit("one");
  git(mate, "push", "-q", "origin", "HEAD:release");
  expect((await project.bloom("repo", "sync")).out).toBe(
    ".\n  origin/main: 1 commit\n  origin/release: 1 commit\n  main moved forward by 1 commit\n  release moved forward by 1 commit\n",
  );
  expect([project.read("one"), project.git("log", "-1", "--format=%s", "release")]).toEqual(["one\n", "one"]);
  commit("two");
  project.write("one", "mine");
  expect((await project.bloom("repo", "sync")).out).toContain(
    "main was not moved: it is checked out and has uncommitted edits",
  );
  expect([project.read("one"), project.read("two")]).toEqual(["mine", null]);
  project.git("commit", "-qam", "mine");
  expect((await project.bloom("repo", "sync")).out).toBe(
    ".\n  nothing new on origin\n  main was not moved: it has commits that origin lacks, and lacks 1 of its\n",
  );
  rmSync(join(project.root, "../remote.git"), { recursive: true });
  const failed = await project.bloom("repo", "sync");
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining("could not be fetched") });
});
