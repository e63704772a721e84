/** An agent in a sandbox that may not write the project: what it marks and asks reaches the loop by its outbox. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bloomProject, ranOf } from "../rig/bloom-project.ts";
import { asPlainUser } from "../rig/plain-user.ts";
import { end, MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 60_000 };
const ENVIRONMENT = { DOOR_ONLY: "" };
const TASKS = `tasks:
  - id: T1
    title: One
    instructions: Do it
    steps:
      - {id: s1, instruction: First}
      - {id: s2, instruction: Second}
`;

/** As a sandbox does: no lock of the project can be taken. */
function lockedOut() {
  const project = temporaryProject({ marked: false });
  project.write("tasks.yaml", TASKS);
  project.write(".pawl/locks/none", "");
  chmodSync(join(project.root, ".pawl/locks"), 0o555);
  const outbox = join(project.root, "outbox");
  mkdirSync(outbox);
  const calls = () => readdirSync(outbox).map((name) => JSON.parse(readFileSync(join(outbox, name), "utf8")));
  const own = {
    ...ENVIRONMENT,
    PAWL_OUTBOX: outbox,
    PAWL_RUN_CAPABILITY: "T1.1:ab",
    DEPLOY_TOKEN: "tkn-4711-typed",
  };
  const bloom = (...args: string[]) => {
    const [program, words] = asPlainUser(process.execPath, MAIN, ...args);
    const env = testEnvironment(own);
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return end(spawn(program, words, { cwd: project.root, env, stdio: [...stdio], detached: true }));
  };
  return { ...project, outbox, calls, bloom };
}

it("says what would come of a call, and leaves it for the loop", LONG, async () => {
  promise("inputs.masked");
  using project = lockedOut();
  const marked = await project.bloom("step", "done", "s1");
  expect(marked).toMatchObject({ code: 0, err: "", out: "s1 is done. Still open in T1: s2.\n" });
  const asked = await project.bloom("ask", "T1", "Which tkn-4711-typed?", "--blocking");
  expect(asked).toMatchObject({ code: 3, err: "" });
  expect(project.calls().sort((a, b) => a.verb.localeCompare(b.verb))).toEqual([
    {
      verb: "ask",
      input: { task: "T1", text: "Which [redacted DEPLOY_TOKEN]?", blocking: true },
      capability: "T1.1:ab",
    },
    { verb: "step done", input: { id: "s1" }, capability: "T1.1:ab" },
  ]);
  expect(project.read("tasks.yaml")).toBe(TASKS);
});

it("refuses a wrong id at once, and what is not an agent's own", LONG, async () => {
  using project = lockedOut();
  expect(await project.bloom("step", "done", "s9")).toMatchObject({
    code: 2,
    err: expect.stringContaining("s1"),
  });
  const gate = await project.bloom("block", "T1");
  expect(gate).toMatchObject({ code: 1, err: expect.stringContaining("[disk-failed]") });
  expect(project.calls()).toEqual([]);
  rmSync(project.outbox, { recursive: true });
  writeFileSync(project.outbox, "");
  const lost = await project.bloom("step", "done", "s1");
  expect(lost).toMatchObject({ code: 1, err: expect.stringContaining("[disk-failed]") });
});

const call = (name: string, content: object) =>
  `RUN: printf '%s' '${JSON.stringify({ ...content, capability: "CAP" })}' | sed "s/CAP/$PAWL_RUN_CAPABILITY/" > "$PAWL_OUTBOX/${name}.json"`;
const marks = (id: string) => call(id, { verb: "step done", input: { id } });
const work = (...lines: readonly string[]) => `tasks:
  - id: T1
    title: One
    instructions: Do it
    steps:
      - id: s1
        instruction: |
${lines.map((line) => `          ${line}`).join("\n")}
      - {id: s2, instruction: "SAY: left open"}
`;

it(
  "does what an agent asked for when its run has ended, and tells what it may not ask for",
  LONG,
  async () => {
    promise("agents.sandbox");
    const note = call("1", { verb: "note", input: { id: "T1", text: "mind the gap" } });
    const gate = call("2", { verb: "approve", input: { id: "T1" } });
    const wrong = call("3", { verb: "step done", input: { id: "s9" } });
    using project = bloomProject({ tasks: work(note, gate, wrong, marks("s1")) });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("step:assumed_done").map(({ stepId }) => stepId)).toEqual(["s2"]);
    const completed = project.stored().filter(({ type }) => type === "step:completed");
    expect(completed.map(({ stepId }) => stepId)).toEqual(["s1", "s2"]);
    expect(project.tasks()[0]?.ai_notes).toEqual(["mind the gap"]);
    const warned = ran.of("agent:warned").map(({ text }) => String(text));
    expect(warned).toEqual([expect.stringContaining("approve"), expect.stringContaining("s9")]);
  },
);

it("does it also where the loop was killed meanwhile: the step is not run again", LONG, async () => {
  promise("agents.sandbox");
  using project = bloomProject({ tasks: work(marks("s1"), "SAY: marked", "HANG:") });
  const child = project.start("--once");
  await new Promise<void>((done) => {
    child.stdout?.on("data", (text) => String(text).includes('"text":"marked"') && done());
  });
  child.kill("SIGKILL");
  await ranOf(child);
  expect(project.tasks()[0]?.steps[0]?.status).toBe("in_progress");
  expect((await project.run()).code).toBe(0);
  expect(project.runs().map(({ prompt }) => prompt.includes("## Step 1"))).toEqual([true, false]);
});
