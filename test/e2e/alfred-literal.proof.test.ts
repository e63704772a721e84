/** Alfred's whole life, walked by an assistant that does literally what it reads. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Caller } from "../../src/core/event.ts";
import { plannedTask } from "../rig/alfred-loop.ts";
import { AlfredProject, type ToolAnswer, taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { follow, type Hands, type Heard } from "../rig/literal-client.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const HUMAN: Caller = { channel: "elicitation", who: "person via test-client" };

/** Rejects each thing under review once by each reviewer, then approves it. */
function rejectsOnce(): { readonly seen: Set<string>; approves: Hands["approves"] } {
  const seen = new Set<string>();
  return {
    seen,
    approves(prompt, who) {
      const [tool, title] = [
        /^# TOOL: `(\w+)`/m.exec(prompt)?.[1],
        /Under review: ([^*]+)\*\*/.exec(prompt)?.[1],
      ];
      const key = `${tool} ${title} ${who}`;
      const isSeen = seen.has(key);
      seen.add(key);
      return isSeen;
    },
  };
}

function project(settings: ConstructorParameters<typeof AlfredProject>[0] = {}): AlfredProject {
  const made = new AlfredProject(settings);
  made.write(".gitignore", "");
  made.write("src/server.txt", "server\n");
  made.commit("Begin");
  return made;
}

const heardOf = (answer: ToolAnswer): Heard => ({
  text:
    answer.status === "error"
      ? `${answer.message}\n${answer.data.fix}`
      : answer.next_prompt || answer.message,
  isError: answer.status === "error",
});

function handsOn(made: AlfredProject, approves: Hands["approves"]): Hands {
  return {
    file: "src/server.txt",
    approves,
    run: (command) => execFileSync("sh", ["-c", command], { cwd: made.root, encoding: "utf8" }),
    async decides(task, isApproval) {
      const { status, message } = await made.gate(
        task,
        isApproval,
        isApproval ? undefined : "Say it better.",
      );
      if (status !== "success") throw new Error(message);
    },
    async builds() {
      made.write("src/server.txt", `${made.read("src/server.txt")}more\n`);
    },
  };
}

/** Where the client asks the person itself, the answer comes by that channel. */
function callerOn(made: AlfredProject, approves: Hands["approves"]) {
  let last = "";
  return async (tool: string, input: Record<string, unknown>): Promise<Heard> => {
    const prepared = await made.prepare(tool, input);
    const decided = { ...input, is_approved: prepared.ask ? approves(last, "human") : true };
    const notes = decided.is_approved ? {} : { feedback_notes: "Say it better." };
    const shown = input.feedback_notes === undefined ? {} : { notes: String(input.feedback_notes) };
    const reply = prepared.ask
      ? (await made.prepare(tool, { ...decided, ...notes }, HUMAN, { ...shown, to: prepared.ask })).reply
      : prepared.reply;
    const heard = heardOf({ data: {}, next_prompt: "", ...reply.data } as unknown as ToolAnswer);
    last = heard.text;
    return heard;
  };
}

const GATES = ["start_task", "plan_task", "implement_task", "review_task", "test_task", "finalize_task"];
const REVIEWS = 2 + 4 + 4;

test.each(["relay", "elicit", "confirm"] as const)(
  "under %s a literal assistant comes from start to done, with a rejection at each review, and no call is refused",
  { timeout: 120_000 },
  async (human_review) => {
    promise("alfred.literal");
    using made = project({ settings: { human_review } });
    const { approves, seen } = rejectsOnce();
    await made.call("create_task", { task_content: taskMarkdown(ID) });
    const call = callerOn(made, approves);
    const calls = await follow(call, handsOn(made, approves), await call("work_on_task", { task_id: ID }));
    expect(made.state(ID)).toMatchObject({ task_status: "done", active_tool_state: null });
    expect(seen.size).toBe(2 * REVIEWS);
    expect(GATES.filter((tool) => !calls.includes(tool))).toEqual([]);
    expect(made.git("status", "--porcelain")).toBe("");
    const log = made.read(`.alfred/debug/${ID}/alfred.log`);
    expect(log).not.toContain(" - ERROR - ");
  },
);

test.each(["relay", "elicit", "confirm"] as const)(
  "under %s a literal assistant comes from a product document to tasks, and on to done",
  { timeout: 120_000 },
  async (human_review) => {
    promise("alfred.literal");
    using made = project({ settings: { human_review } });
    const { approves, seen } = rejectsOnce();
    await made.call("create_task", { task_content: taskMarkdown(ID) });
    const call = callerOn(made, approves);
    const first = await call("create_spec", { task_id: ID, prd_content: "# Rates\n\nLimit them." });
    const calls = await follow(call, handsOn(made, approves), first);
    expect(calls).toContain("create_tasks_from_spec");
    expect(made.has(".alfred/tasks/TS-02.md")).toBe(true);
    expect(made.state(ID).task_status).toBe("done");
    expect(seen.size).toBe(2 * (REVIEWS - 2 + 2));
  },
);

test("over MCP a literal assistant comes to done, with the person asked by the client", {
  timeout: 120_000,
}, async () => {
  promise("alfred.literal");
  using made = project();
  made.write("pawl.yaml", "alfred:\n  human_review: elicit\n  reviews:\n    default: [human]\n");
  made.write(".gitignore", "pawl.yaml\n");
  made.commit("Configure");
  await made.call("create_task", { task_content: taskMarkdown(ID) });
  const asked = new Set<string>();
  const human = (message: string) => {
    const [about = ""] = message.split("?");
    const approve = asked.has(about);
    asked.add(about);
    return { action: "accept", content: { approve, ...(!approve && { notes: "Say it better." }) } } as const;
  };
  await using client = await connect({ root: made.root } as TemporaryProject, {
    workflows: ["alfred"],
    environment: { DOOR_ONLY: "" },
    human,
  });
  const hands = handsOn(made, () => true);
  await follow(
    (tool, input) => client.call(tool, input),
    hands,
    await client.call("work_on_task", { task_id: ID }),
  );
  expect(made.state(ID).task_status).toBe("done");
  expect(asked.size).toBe(REVIEWS);
});

test("a literal assistant hands the plan to the loop, waits for it, and hands in what it did, twice", {
  timeout: 180_000,
}, async () => {
  promise("alfred.literal");
  // The step of a rework tells an agent what is wrong, and no command: this one adds a line, and commits it.
  const answers = {
    [`Rework of ${ID}`]: 'RUN: echo because >> src/why.txt; git add -A; git commit -qm "Say why"',
  };
  await using task = await plannedTask({ answers });
  const { approves, seen } = rejectsOnce();
  const loop: Hands = {
    file: "src/server.txt",
    approves,
    run: (command) => execFileSync("sh", ["-c", command], { cwd: task.project.root, encoding: "utf8" }),
    decides: () => Promise.reject(new Error("No terminal is needed here.")),
    async builds(prompt) {
      if (!prompt.includes("`bloom run --task")) throw new Error(`The loop has it:\n${prompt}`);
      const { code, err } = await task.project.run();
      if (code !== 0) throw new Error(`The loop ended with ${code}:\n${err}\n${prompt}`);
    },
  };
  const first = await task.call("implement_task", { task_id: ID, hand_over: true });
  const calls = await follow((tool, input) => task.call(tool, input), loop, first);
  expect(calls.filter((tool) => tool === "submit_work").length).toBeGreaterThanOrEqual(3);
  expect(seen.size).toBe(2);
  expect(task.state().task_status).toBe("done");
});
