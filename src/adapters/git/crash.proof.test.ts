import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { strikingGit } from "../../../test/rig/git-strike.ts";
import { promise } from "../../../test/rig/promise.ts";
import { workFolder } from "../process/work-folder.ts";

const LIFE = join(import.meta.dirname, "../../../test/rig/task-life.ts");
const USER = {
  PATH: process.env.PATH,
  XDG_STATE_HOME: realpathSync(mkdtempSync(join(tmpdir(), "pawl-state-"))),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};
let root: string;
let remote: string;
let strikes: string;

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, env: USER, encoding: "utf8", stdio: "pipe" }).trim();

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-crash-")));
  remote = `${root}.git`;
  strikes = `${root}.strikes`;
  git("init", "-qb", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("init", "-q", "--bare", "-b", "main", remote);
  git("remote", "add", "origin", remote);
});
afterAll(() => rmSync(USER.XDG_STATE_HOME, { recursive: true, force: true }));
afterEach(() => {
  for (const path of [root, remote, strikes]) rmSync(path, { recursive: true, force: true });
});

/** Runs the life; says whether it was killed. */
async function isKilled(environment: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const env = { ...USER, ...environment };
  const child = spawn(process.execPath, [LIFE, root], { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(child, "exit");
  if (signal === null) expect(code).toBe(0);
  return signal === "SIGKILL";
}

function expectDone(): void {
  expect(git("log", "--format=%s", "--topo-order", "main").split("\n")).toEqual([
    "Merge the task",
    "the work",
    "first",
  ]);
  expect(git("status", "--porcelain")).toBe("");
  // The remote has no target: the branch there is the only other copy.
  expect(git("--git-dir", remote, "log", "-1", "--format=%s", "task")).toBe("the work");
  expect(git("branch", "--list", "task")).toBe("");
  const work = join(workFolder(root, USER), "@project");
  expect(readdirSync(work).sort()).toEqual([
    "@config-@into-main",
    "@hub.git",
    "@into-main",
    "@look-@into-main",
    "@published",
    "@reads-@into-main",
  ]);
  expect(readdirSync(join(work, "@hub.git")).filter((name) => name.startsWith("incoming"))).toEqual([]);
  const published = readFileSync(join(work, "@published"), "utf8");
  expect(published.split("\n")).toContain(git("rev-parse", "main"));
  expect(git("fsck", "--no-dangling", "--connectivity-only")).toBe("");
}

describe("a task whose loop is killed", () => {
  it("ends as an undisturbed one", async () => {
    expect(await isKilled()).toBe(false);
    expectDone();
  });

  it.each(["before", "during", "after"] as const)(
    "ends as an undisturbed one, killed %s each of git's commands that writes",
    { timeout: 120_000 },
    async (side) => {
      promise("git.once");
      const environment = strikingGit(strikes, { side }, LIFE);
      let kills = 0;
      while (await isKilled(environment)) kills += 1;
      expect(kills).toBeGreaterThan(5);
      expectDone();
    },
  );
});
