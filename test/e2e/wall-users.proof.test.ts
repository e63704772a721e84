/**
 * A task's whole life behind the wall and without it, as root, as a user of the machine, and as one whom its list of users
 * does not have, as in a container.
 */
import { execFileSync, spawn } from "node:child_process";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bloomProject, ranOf } from "../rig/bloom-project.ts";
import { MAIN } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateHome, useScratchStateHome } from "../rig/state-home.ts";
import { NO_WALL } from "../rig/wall.ts";

const NOBODYS = 12_345;
const USERS = [0, 1000, NOBODYS];
const WALLS = ["none", ...(NO_WALL ? [] : ["bwrap"])];
const isRoot = process.getuid?.() === 0;

// It changes hands, so it is no other test's.
const shared = process.env.XDG_STATE_HOME;
let remove = () => {};
beforeAll(() => {
  remove = useScratchStateHome();
});
afterAll(() => {
  remove();
  process.env.XDG_STATE_HOME = shared;
});

/** What the usual tools do in a repository: each leaves a line. */
const WORK = [
  "echo a > a.txt; git add -A; git commit -qm one; echo b >> a.txt; git commit -qam two --amend; git stash list",
  "git switch -qc side; echo c > c.txt; git add -A; git commit -qm side; git switch -q -; git rebase -q side; git branch -qD side",
  "echo d >> a.txt; git stash -q; git stash pop -q; git commit -qam three; git cherry-pick --no-commit HEAD~0 2>&1 | tail -1",
  `"${process.execPath}" -e 'require("fs").writeFileSync("node.txt", String(process.getuid()))'; id -u > id.txt; git add -A; git commit -qm four`,
  "bloom note T1 noted; bloom done T1",
];

it.skipIf(!isRoot).each(USERS.flatMap((user) => WALLS.map((wall) => [user, wall] as const)))(
  "a task is worked on, checked and merged by uid %i (wall: %s)",
  { timeout: 120_000 },
  async (uid, sandbox) => {
    promise("wall.lets-work");
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
  verify: ['test "$(id -u)" = ${uid}', 'git log --format=%s | grep -qx four', 'touch made && rm made']
  instructions: |
${WORK.map((line) => `    RUN: ${line}\n`).join("")}`,
      settings: { tries: 1 },
      project: { sandbox },
    });
    const own = [dirname(project.root), stateHome().XDG_STATE_HOME];
    const give = (user: number) => execFileSync("chown", ["-R", `${user}:${user}`, ...own]);
    give(uid);
    try {
      const child = spawn(process.execPath, [MAIN, "run", "--json", "--once"], {
        ...{ cwd: project.root, uid, gid: uid, stdio: ["ignore", "pipe", "pipe"] },
        env: { ...project.environment, HOME: dirname(project.root) },
      });
      const ran = await ranOf(child);
      expect(ran.of("check:failed")).toEqual([]);
      expect(
        ran.of("merge:completed").map(({ taskId }) => taskId),
        ran.err,
      ).toEqual(["T1"]);
    } finally {
      give(0);
    }
    expect(project.git("show", "main:node.txt")).toBe(String(uid));
    expect(project.git("show", "main:c.txt")).toBe("c");
    expect(project.tasks()[0]?.ai_notes).toEqual(["noted"]);
  },
);
