/** How often Pawl starts git for a task that is pushed, verified, merged and cleaned up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { countingGit, pushedTasks } from "../rig/git-count.ts";
import { NO_WALL } from "../rig/wall.ts";

const TASKS = 4;

const tasks = pushedTasks(TASKS);

it.each([
  // Without a wall the person's checkout is watched, too.
  { sandbox: "none", most: 24 },
  { sandbox: "bwrap", most: 20 },
])("takes at most $most calls of git a task ($sandbox)", { timeout: 120_000 }, async ({ most, sandbox }) => {
  if (sandbox === "bwrap" && NO_WALL) return;
  const place = mkdtempSync(join(tmpdir(), "pawl-git-calls-"));
  const counted = countingGit(place);
  const wall = sandbox === "none" ? sandbox : { kind: sandbox, write: [counted.log] };
  using project = bloomProject({ tasks, environment: counted.environment, project: { sandbox: wall } });
  try {
    const ran = await project.run();
    expect(ran.of("task:completed"), ran.err).toHaveLength(TASKS);
    // One process answers all questions about objects; it begins anew after a rest, on a busy machine often.
    const calls = counted.calls().filter((call) => !call.endsWith(" cat-file --batch "));
    expect(calls.length / TASKS, calls.join("\n")).toBeLessThanOrEqual(most);
    // It counts.
    expect(calls.filter((call) => / push /.test(call)).length).toBeGreaterThanOrEqual(2 * TASKS);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
