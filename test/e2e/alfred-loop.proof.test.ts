import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { openProject } from "../../src/app/open-project.ts";
import { hashOf } from "../../src/core/hash.ts";
import { canonical } from "../../src/core/json.ts";
import { projectPath } from "../../src/core/path.ts";
import { lastLineOf } from "../../src/core/text/lines.ts";
import { runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { exportPlan } from "../../src/workflows/alfred/loop/hand-over.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { type AlfredLoop, BRANCH, CHECK, FROM_LOOP, ID, plannedTask } from "../rig/alfred-loop.ts";
import { promise } from "../rig/promise.ts";
import { stateHome, stateOf } from "../rig/state-home.ts";

test("a plan is handed to the loop, worked by agents, and its evidence comes back as the manifest, up to the gates", {
  timeout: 60_000,
}, async () => {
  promise("alfred.loop");
  await using task = await plannedTask();
  const { project } = task;
  const over = await task.call("implement_task", { task_id: ID, hand_over: true });
  expect(over.data.message).toContain(`The plan of '${ID}' is in tasks.yaml: 2 steps`);
  expect(over.text).toContain("0 of 2 steps are done, the task is 'todo' there");
  expect(project.tasks()[0]).toMatchObject({ id: ID, repo: ".", merge_into: BRANCH, verify: [CHECK] });
  const early = await task.submit(FROM_LOOP);
  expect(early.data.data).toMatchObject({ code: "loop-not-done" });

  expect((await project.run()).code).toBe(0);
  const done = await task.call("implement_task");
  expect(done.text).toContain("2 of 2 steps are done, the task is 'done' there.");
  expect(done.text).toContain('{"from": "loop"}');

  const back = await task.submit(FROM_LOOP);
  expect(back.data.message).toContain(
    `The ImplementationManifestArtifact of task '${ID}' is handed in, from the loop's evidence.`,
  );
  expect(back.data.data).toMatchObject({
    task_status: "in_development",
    current_state: "awaiting_ai_review",
  });
  const head = project.git("rev-parse", "HEAD");
  const { submitted, completed_subtasks } = task.state().active_tool_state.context_store;
  expect(completed_subtasks).toEqual(["S-1", "S-2"]);
  expect(submitted.from).toBe("loop");
  const { artifact, evidence } = submitted;
  expect(artifact.completed_subtasks).toEqual(["S-1", "S-2"]);
  expect(artifact.summary).toContain(`merged from 'bloom/${ID}' into '${BRANCH}'; ${head} is checked out.`);
  for (const title of ["Do S-1", "Do S-2"]) {
    const hash = project.git("log", "--format=%h", "--abbrev=12", `--grep=${title}`, "-1");
    expect(artifact.summary).toContain(`${hash} ${title}`);
  }
  expect(artifact.summary).toContain(
    "Since main, 2 files changed: src/bucket.txt (+1 -0), src/server.txt (+2 -0).",
  );
  expect(artifact.testing_notes).toMatch(new RegExp(`on ${head}:\n- \`${CHECK}\`: exit code 0; \\.pawl/`));
  const [log] = /\.pawl\/\S+/.exec(artifact.testing_notes) ?? [];
  expect(existsSync(join(project.root, log ?? "nowhere"))).toBe(true);
  expect(evidence.map(({ about, verdict }: Record<string, string>) => [about, verdict])).toEqual([
    ["loop", "agrees"],
    ["subtasks", "agrees"],
    ["diff", "agrees"],
    ["check test", "agrees"],
  ]);
  expect(back.text).toContain(
    `loop: **agrees**. The loop has 2 of 2 steps done, and 1 command passed on ${head.slice(0, 12)}`,
  );

  const before = project.read(`.alfred/workspace/${ID}/task_state.json`);
  expect((await task.submit(FROM_LOOP)).data.message).toContain("was handed in before; it is under review.");
  expect(project.read(`.alfred/workspace/${ID}/task_state.json`)).toBe(before);

  const review = await task.call("provide_review", { task_id: ID, is_approved: true });
  expect(review.data.data).toMatchObject({ current_state: "awaiting_human_review" });
  expect((await task.person("approve", ID)).code).toBe(0);
  expect(task.state()).toMatchObject({ task_status: "ready_for_review", active_tool_state: null });
  expect(task.state().completed_tool_outputs.implement_task.accepted[0].from).toBe("loop");
  expect((await task.submit(FROM_LOOP)).data.message).toContain(
    "the task is 'ready_for_review'. Nothing was changed.",
  );
  expect((await task.pawl("show", `alfred:${ID}`)).out).toContain(
    "loop: agrees. The loop has 2 of 2 steps done",
  );
});

test("from a terminal it is exported, run and taken back, and each again changes nothing", {
  timeout: 60_000,
}, async () => {
  promise("alfred.loop");
  await using task = await plannedTask({
    config: `reviews:\n  default: []\n  implement_task: [human]\nchecks:\n  test: ${CHECK}\n`,
  });
  const { project } = task;
  await task.call("implement_task");
  expect((await task.pawl("plan", "export", ID)).out).toContain(`The loop merges its work into '${BRANCH}'.`);
  const exported = project.read("tasks.yaml");
  expect((await task.pawl("plan", "export", ID)).out).toContain("Nothing was changed.");
  expect((await task.call("implement_task", { task_id: ID, hand_over: true })).data.message).toContain(
    "already",
  );
  expect(project.read("tasks.yaml")).toBe(exported);
  const early = await task.pawl("plan", "take-back", ID);
  expect(early.code).toBe(1);
  expect(early.out + early.err).toContain("The loop is not done with 'TS-01': expected the status 'done'");
  await project.run();
  const back = await task.pawl("plan", "take-back", ID);
  expect([back.code, back.out]).toEqual([
    0,
    `The ImplementationManifestArtifact of task '${ID}' is handed in, from the loop's evidence.\nTell your assistant to continue.\n`,
  ]);
  const before = project.read(`.alfred/workspace/${ID}/task_state.json`);
  expect((await task.pawl("plan", "take-back", ID)).out).toContain(
    "was handed in before; it is under review.",
  );
  expect(project.read(`.alfred/workspace/${ID}/task_state.json`)).toBe(before);
  expect(task.state().active_tool_state.current_state).toBe("awaiting_human_review");
});

test("a step that its agent lied about never comes back: the loop is blocked, and the manifest can still be handed in by hand", {
  timeout: 60_000,
}, async () => {
  promise("alfred.loop");
  await using task = await plannedTask({
    config: `reviews:\n  default: [ai]\n  start_task: []\n  plan_task: []\nchecks:\n  test: grep tested src/server.txt || cat src/server.txt no-tests\n`,
  });
  const { project } = task;
  await task.call("implement_task", { task_id: ID, hand_over: true });
  expect((await project.run()).code).toBe(1);
  const refused = await task.submit(FROM_LOOP);
  expect(refused.data.message).toMatch(
    /found 'blocked', in the loop's state 'blocked' \(`grep tested src\/server\.txt \|\| cat src\/server\.txt no-tests` exited with 1\), with open steps: TS-01\.S-2/,
  );
  const forced = await task.person("done", ID, "--force");
  expect(forced.code).toBe(0);
  expect((await task.submit(FROM_LOOP)).data.data).toMatchObject({ code: "loop-not-done" });

  const manifest = { summary: "s", completed_subtasks: ["S-1", "S-2"], testing_notes: "t" };
  const claimed = await task.submit({ ...manifest, from: "loop" });
  expect(claimed.text).toContain("from: expected no such key");
  for (const subtask_id of ["S-1", "S-2"])
    await task.call("mark_subtask_complete", { task_id: ID, subtask_id });
  const byHand = await task.submit(manifest);
  expect(byHand.data.data).toMatchObject({ current_state: "awaiting_ai_review" });
  expect(task.state().active_tool_state.context_store.submitted.from).toBeUndefined();
  await task.call("provide_review", { task_id: ID, is_approved: true });
  await task.call("review_task");
  const other = await task.submit(FROM_LOOP);
  expect(other.data.message).toContain("expected that tool to be active on 'TS-01', found 'review_task'");
});

test("what was rejected, or has moved since, comes back only after the loop has seen it again", {
  timeout: 90_000,
}, async () => {
  promise("alfred.loop");
  await using task = await plannedTask();
  const { project } = task;
  await task.call("implement_task", { task_id: ID, hand_over: true });
  await project.run();
  await task.submit(FROM_LOOP);
  const rejected = await task.call("provide_review", {
    task_id: ID,
    is_approved: false,
    feedback_notes: "Say why.",
  });
  expect(rejected.text).toContain("Say why.");
  const stale = await task.submit(FROM_LOOP);
  expect(stale.data.message).toContain("expected it to be newer than what it answers");
  const work = await task.call("implement_task");
  expect(work.text).toContain("Directive: Hand the Rework to the Loop");

  project.write("src/why.txt", "because\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "Say why");
  expect((await task.pawl("ready", ID)).code).toBe(0);
  expect((await task.submit(FROM_LOOP)).data.data).toMatchObject({ code: "loop-not-done" });
  const ran = await project.run();
  expect([ran.code, ran.of("agent:started").length]).toEqual([0, 0]);
  project.write("loose.txt", "loose\n");
  const tasks = project.read("tasks.yaml") ?? "";
  project.write("tasks.yaml", tasks.replace("S-2 (MODIFY", "S-2, but less (MODIFY"));
  const back = await task.submit(FROM_LOOP);
  expect(back.text).toContain("Say why");
  expect(back.text).toMatch(
    /loop: \*\*differs\*\*\. .*what these steps ask for is not what the plan says: TS-01\.S-2; beside the commit there are uncommitted files: loose\.txt\./,
  );
  expect(back.data.data).toMatchObject({ current_state: "awaiting_ai_review" });
});

const LOG = `.pawl/log/bloom/${ID}.jsonl`;

describe("Evidence of the loop is refused, and nothing changes,", () => {
  let task: AlfredLoop;
  beforeAll(async () => {
    task = await plannedTask();
    await task.call("implement_task", { task_id: ID, hand_over: true });
    await task.project.run();
  }, 60_000);
  afterAll(() => task[Symbol.asyncDispose]());

  const file = (path: string, change: (text: string) => string) => () => {
    const { project } = task;
    const before = project.read(path) ?? "";
    project.write(path, change(before));
    return () => project.write(path, before);
  };
  const record = `.pawl/done/${ID}.json`;
  const forged = (edit: (run: Run) => void) =>
    file(record, (text) => {
      const run = JSON.parse(text) as Run;
      edit(run);
      return JSON.stringify(run);
    });
  /** As a loop that saw that would have left it: the log's last line names this state. */
  const edited = (edit: (run: Run) => void) => () => {
    const undoRun = forged(edit)();
    const written = hashOf(canonical(JSON.parse(task.project.read(record) ?? "")));
    const undoRecord = file(LOG, (text) => {
      const last = JSON.parse(lastLineOf(text) ?? "");
      last.local.document = written;
      return `${text}${JSON.stringify({ ...last, step: null })}\n`;
    })();
    return () => {
      undoRecord();
      undoRun();
    };
  };

  it.each<[string, string, RegExp, () => () => void]>([
    [
      "where its task is not done",
      "loop-not-done",
      /found 'in_progress', with open steps: TS-01\.S-2/,
      file("tasks.yaml", (text) =>
        text.replace(/status: done/, "status: in_progress").replace(/(S-2[\s\S]*?status: )done/, "$1pending"),
      ),
    ],
    [
      "where there is no such task",
      "loop-not-done",
      /has no task 'TS-01'/,
      file("tasks.yaml", () => "tasks: []\n"),
    ],
    [
      "where its steps do not cover the plan",
      "loop-plan-uncovered",
      /expected a step for each slot, found none for S-2 among TS-01\.S-1, TS-01\.X/,
      file("tasks.yaml", (text) => text.replace("id: TS-01.S-2", "id: TS-01.X")),
    ],
    [
      "where a step has no command",
      "loop-evidence-missing",
      /Nothing but the agent's word says that TS-01\.S-1, TS-01\.S-2 of 'TS-01' are done/,
      file("tasks.yaml", (text) => text.replace(/ +verify:\n +- .*\n/, "")),
    ],
    [
      "where a command was never run",
      "loop-evidence-missing",
      /found `other`: not run on it/,
      file("tasks.yaml", (text) => text.replace(`- ${CHECK}`, `- ${CHECK}\n      - other`)),
    ],
    [
      "where a command failed on the commit",
      "loop-evidence-missing",
      /exit code 1/,
      edited((run) => run.evidence.push({ ...run.evidence.at(-1), exit: 1 })),
    ],
    [
      "where a command passed on another commit only",
      "loop-evidence-missing",
      /not run on it/,
      edited((run) => {
        for (const each of run.evidence) each.commit = "0".repeat(40);
      }),
    ],
    [
      "where no run of it is kept",
      "loop-evidence-missing",
      /has kept no run of the task 'TS-01': expected \.pawl\/done\/TS-01\.json, found nothing/,
      () => {
        const text = task.project.read(record) ?? "";
        rmSync(join(task.project.root, record));
        return () => task.project.write(record, text);
      },
    ],
    [
      "where nothing is committed",
      "loop-evidence-missing",
      /expected commits between main and [0-9a-f]{40}, found none/,
      () => {
        const state = task.state();
        const path = `.alfred/workspace/${ID}/task_state.json`;
        const base = { branch: "main", commit: task.project.git("rev-parse", "HEAD") };
        task.project.write(path, JSON.stringify({ ...state, base }));
        return () => task.project.write(path, JSON.stringify(state));
      },
    ],
    [
      "where its run does not say where the work is",
      "loop-evidence-missing",
      /does not know where the work of 'TS-01' is/,
      edited((run) => {
        run.work = null;
      }),
    ],
    [
      "where it is older than the plan",
      "loop-evidence-missing",
      /is from 2020-01-01T00:00:00\.000Z: expected it to be newer/,
      edited((run) => {
        if (run.work) run.work.time = "2020-01-01T00:00:00.000Z";
      }),
    ],
    [
      "where its logs are gone",
      "loop-evidence-missing",
      /The logs of the loop's evidence for 'TS-01' are gone: expected \.pawl\/nowhere/,
      edited((run) => {
        for (const each of run.evidence) each.log = ".pawl/nowhere";
      }),
    ],
    [
      "where the branch has moved since",
      "loop-work-moved",
      /has moved since the loop was done with 'TS-01': expected [0-9a-f]{40}, found [0-9a-f]{40}/,
      () => {
        task.project.git("commit", "-q", "--allow-empty", "-m", "Later");
        return () => task.project.git("reset", "-q", "--hard", "HEAD^");
      },
    ],
    [
      "where another branch is checked out",
      "loop-work-moved",
      /expected 'feature\/TS-01', found 'main'/,
      () => {
        task.project.git("checkout", "-q", "main");
        return () => task.project.git("checkout", "-q", BRANCH);
      },
    ],
    [
      "where the work went elsewhere",
      "loop-work-moved",
      /is on 'main': expected it on the task's branch, 'feature\/TS-01'/,
      edited((run) => {
        if (run.work?.merged) run.work.merged.into = "main";
      }),
    ],
    [
      "where the loop's evidence was edited",
      "state-tampered",
      /\.pawl\/done\/TS-01\.json does not follow from .*: it is not the one that Pawl wrote after step \d+/,
      forged((run) => run.evidence.push({ ...run.evidence.at(-1), exit: 0 })),
    ],
    [
      "where the file of its run cannot be read",
      "state-unreadable",
      /done\/TS-01\.json, line 1: the task's run cannot be read/,
      file(record, () => "{"),
    ],
  ])("%s", async (_, code, message, change) => {
    promise("alfred.loop");
    const undo = change();
    const before = task.project.read(`.alfred/workspace/${ID}/task_state.json`);
    try {
      const { data, isError } = await task.submit(FROM_LOOP);
      expect(data.message).toMatch(message);
      expect(data.data).toMatchObject({ code });
      expect((data.data as { fix: string }).fix).not.toBe("");
      expect(isError).toBe(true);
      expect(task.project.read(`.alfred/workspace/${ID}/task_state.json`)).toBe(before);
    } finally {
      undo();
    }
  });
});

interface Run {
  evidence: { exit?: number | null; log?: string; commit?: string }[];
  work: { time: string; merged: { into: string } | null } | null;
}

test("a person's save that meets the commit of a hand-over stays in tasks.yaml, with what was handed over beside it", async () => {
  promise("alfred.loop");
  await using task = await plannedTask();
  const { root, read, write } = task.project;
  write("tasks.yaml", "tasks:\n  - {id: MINE, title: mine}\n");
  const open = () =>
    openProject({
      root,
      home: join(import.meta.dirname, "../../src"),
      environment: stateHome(),
      workflows: WORKFLOWS,
    });
  const { runtime } = await open();
  await runTransaction(runtime, exportPlan, { id: ID }, { channel: "terminal" });
  expect(read("tasks.yaml")).toContain(`- id: ${ID}`);
  // A power cut: nobody knows any more that it was applied. The file is as a person saved it in that moment.
  stateOf(root).disk.unlink("applied");
  write("tasks.yaml", "# saved meanwhile\ntasks:\n  - {id: MINE, title: mine, mine: [too]}\n");
  await (await open()).runtime.store.view().read(projectPath("tasks.yaml"));
  expect(read("tasks.yaml")).toContain(
    "# saved meanwhile\ntasks:\n  - {id: MINE, title: mine, mine: [too]}\n",
  );
  expect(task.project.tasks().map(({ id }) => id)).toEqual(["MINE", ID]);
  expect(existsSync(join(root, ".pawl/kept"))).toBe(false);
});
