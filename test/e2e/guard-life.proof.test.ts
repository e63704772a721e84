/** A whole life of a task under the guard, in the dialect of every client: what is lawful is never refused. */
import { expect, it } from "vitest";
import { GUARDED_CLIENTS, type GuardedClient } from "../../src/guard/clients.ts";
import { CONTEXT, DESIGN, MANIFEST, PLAN, REVIEW, STRATEGY, TESTED } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask } from "../rig/alfred-project.ts";
import { ask, recorded } from "../rig/guarded.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
/** The command of the recorded calls of a shell. */
const WRITING = /echo bucket > (?:src\/)?bucket\.txt/g;

/** One client's session. Every step is asked of the guard before it is done. */
function sessionOf(client: GuardedClient, project: AlfredProject) {
  const isRefused = async (name: string, was: string | RegExp, is: string) => {
    const call = JSON.parse(
      JSON.stringify(recorded(client, name, project.root)).replaceAll(was, JSON.stringify(is).slice(1, -1)),
    );
    return (await ask(client, call, project.root)).stdout.includes("Pawl refuses");
  };
  const lawful = async (what: string, refused: Promise<boolean>) =>
    expect(await refused, `${client}: ${what}`).toBe(false);
  return {
    async call(tool: string, input: Record<string, unknown> = {}) {
      await lawful(tool, isRefused("call", "start_task", tool));
      const answer = await project.call(tool, { task_id: ID, ...input });
      expect(answer.status, `${tool}: ${answer.message}`).toBe("success");
    },
    async handIn(artifact: unknown) {
      await this.call("submit_work", { artifact });
      await this.call("provide_review", { is_approved: true, feedback_notes: "" });
    },
    async write(path: string) {
      await lawful(`write ${path}`, isRefused("write", "src/bucket.txt", path));
      project.write(path, "written\n");
    },
    async run(command: string) {
      await lawful(command, isRefused("shell", WRITING, command));
    },
    async tries(name: "write" | "shell", is: string) {
      expect(
        await isRefused(name, name === "write" ? "src/bucket.txt" : WRITING, is),
        `${client}: ${is}`,
      ).toBe(true);
    },
  };
}

it.each(GUARDED_CLIENTS)("%s is refused nothing lawful, and whatever a state forbids", async (client) => {
  promise("guard.lawful");
  using project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  const session = sessionOf(client, project);
  await session.call("start_task");
  await session.run("git status --short --branch");
  await session.tries("write", "src/early.txt");
  await session.handIn(CLEAN);
  await session.run(`git checkout -q -b feature/${ID}`);
  project.git("checkout", "-q", "-b", `feature/${ID}`);
  await session.handIn({ branch_name: `feature/${ID}`, success: true, details: "ok" });

  await session.call("plan_task");
  await session.run("grep -rn bucket src 2>/dev/null | head -5");
  await session.call("submit_work", { artifact: CONTEXT });
  await session.tries("write", "src/early.txt");
  await session.tries("shell", "sed -i s/a/b/ src/server.txt");
  await session.tries("shell", "git commit -am early");
  await session.call("provide_review", { is_approved: true, feedback_notes: "" });
  for (const artifact of [STRATEGY, DESIGN, PLAN]) await session.handIn(artifact);

  await session.tries("write", "src/early.txt");
  await session.call("implement_task");
  await session.write("src/bucket.txt");
  await session.run("printf server > src/server.txt");
  await session.run("npm test");
  await session.tries("shell", "git commit -am early");
  await session.tries("write", ".alfred/config.yml");
  for (const subtask_id of ["S-1", "S-2"]) await session.call("mark_subtask_complete", { subtask_id });
  await session.handIn(MANIFEST);

  await session.call("review_task");
  await session.run("git diff main");
  await session.tries("write", "src/bucket.txt");
  await session.handIn(REVIEW);
  await session.call("test_task");
  await session.run("npm test");
  await session.handIn(TESTED);

  await session.call("finalize_task");
  await session.run("git add -A && git commit -m 'Limit the rate'");
  await session.run("git push -u origin HEAD");
  await session.run("gh pr create --fill");
  await session.handIn({ commit_hash: project.git("rev-parse", "HEAD"), pr_url: "https://example.org/1" });
  // The task is done, and limits nobody any more.
  await session.write("src/next.txt");
});
