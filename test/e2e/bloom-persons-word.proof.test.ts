/** What only a person says to a task of the loop: in which words they are asked, and that no agent says it for them. */
import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { runPawl } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 60_000 };
const CHECKPOINT = `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  verify: ["test -f a.txt"]
  ai_notes: ["Trust me\\e[2J\\u200b"]
  instructions: |
    RUN: echo a > a.txt; mkdir test; echo b > test/a.test.js; git add -A; git commit -qm a
    RUN: bloom done T1
`;
const SPENT = `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  budget: {turns: 1}
  instructions: |
    RUN: true
    RUN: true
    RUN: true
`;

describe("A task of the loop that rests until a person says so", () => {
  it("is approved by somebody who saw its checks, its changes and then its agent's words", LONG, async () => {
    promise("gates.seen-first");
    using project = bloomProject({ tasks: CHECKPOINT });
    expect((await project.run()).code).toBe(3);
    const { code, screen } = await project.person("approve", "T1");
    expect(code).toBe(0);
    const at = (words: string) => {
      expect(screen).toContain(words);
      return screen.indexOf(words);
    };
    const order = [
      at("Do you approve the work of task T1 (t)?"),
      at("v test -f a.txt passed"),
      at("Trust me<U+200B>"),
      at("Changes against main: 2 files, +2 -0 lines."),
      at("- test/a.test.js (+1 -0), tests"),
      at("- a.txt (+1 -0)"),
    ];
    expect([...order].sort((a, b) => a - b)).toEqual(order);
    const approved = project.stored().find(({ type }) => type === "task:approved");
    expect(approved).toMatchObject({ taskId: "T1", strength: "terminal" });
  });

  it(
    "is approved by somebody who sees what of the tasks file was loosened meanwhile, and does not count",
    LONG,
    async () => {
      promise("policy.shown", "policy.accepted");
      using project = bloomProject({ tasks: CHECKPOINT });
      await project.run();
      const text = project.read("tasks.yaml") ?? "";
      project.write("tasks.yaml", text.replace('["test -f a.txt"]', "[]"));
      for (const name of ["T1", "bloom:T1"]) {
        const { out } = await project.bloom("show", name);
        expect(out).toMatch(
          /bloom:T1: an edit that loosens its policy is ignored: task\.verify: \["test -f a\.txt"\] → \[\] \(tasks\.yaml:\d+\)/,
        );
      }
      const { screen } = await project.person("approve", "T1");
      const words = screen.replace(/\s+/g, " ");
      expect(words).toContain(
        '- DIFFERS: policy: The tasks file was loosened since the task began, which is ignored: task.verify: ["test -f a.txt"] → [] (tasks.yaml:',
      );
      expect(words.indexOf("DIFFERS: policy")).toBeGreaterThan(0);
      expect(words.indexOf("DIFFERS: policy")).toBeLessThan(words.indexOf("All of it: pawl review T1"));
    },
  );

  it.each([["approve"], ["ready"], ["todo"], ["reset"]])(
    "is not let go on by an agent's `%s`",
    LONG,
    async (verb) => {
      promise("gates.not-an-agent");
      using project = bloomProject({ tasks: CHECKPOINT });
      await project.run();
      const before = project.read("tasks.yaml");
      for (const mark of [{ CLAUDECODE: "1" }, { BLOOM_TASK: "T1" }]) {
        const ended = await runPawl(project.root, [verb, "T1"], { DOOR_ONLY: "", ...mark });
        expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("[caller-not-allowed]") });
      }
      expect(await project.bloom(verb, "T1")).toMatchObject({
        code: 1,
        err: expect.stringContaining("[terminal-missing]"),
      });
      expect(project.read("tasks.yaml")).toBe(before);
      expect(project.stored().some(({ type }) => type === "task:approved" || type === "task:reset")).toBe(
        false,
      );
    },
  );

  it("gets a fresh budget from a person only, and its agent's question an answer", LONG, async () => {
    using project = bloomProject({ tasks: SPENT });
    expect((await project.bloom("ask", "T1", "Why?")).code).toBe(0);
    await project.run();
    expect(project.stored().some(({ type }) => type === "budget:exhausted")).toBe(true);
    for (const words of [
      ["ready", "T1"],
      ["done", "T1"],
      ["answer", "q1", "Because."],
    ]) {
      const ended = await runPawl(project.root, words, { DOOR_ONLY: "", AI_AGENT: "some" });
      expect(ended, words.join(" ")).toMatchObject({
        code: 1,
        err: expect.stringContaining("[caller-not-allowed]"),
      });
    }
    const { code, screen } = await project.person("ready", "T1");
    expect(code).toBe(0);
    expect(screen).toContain("It has spent its budget; it would get a fresh one.");
    expect((await project.bloom("answer", "q1", "Because.")).code).toBe(0);
  });

  it("is done as it is only by a person's word", LONG, async () => {
    using project = bloomProject({ tasks: CHECKPOINT });
    expect((await project.bloom("done", "T1", "--force")).err).toContain("[terminal-missing]");
    const { code, screen } = await project.person("done", "T1", "--force");
    expect(code).toBe(0);
    expect(screen).toContain("Nothing more is checked, pushed or merged for it.");
    expect(project.tasks()[0]?.status).toBe("done");
  });
});
