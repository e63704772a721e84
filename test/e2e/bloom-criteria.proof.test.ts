/** Acceptance criteria with checks, with real git and real commands: who is told, what a person sees, and who may not change them. */
import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 90_000 };

const commits = (file: string, text: string) =>
  `echo ${text} > ${file}; git add -A; git commit -qm "${file} says ${text}"`;

const TASK = `tasks:
  - id: T1 # ours
    title: Answer
    repo: .
    merge_into: main
    checkpoint: true
    verify: ["node --test 'none/*.test.mjs'"]
    acceptance_criteria:
      - It reads well
      - text: It says 42
        check: echo looking; grep -q 42 answer
      - { text: It is tested, check: "node --test 'tests/*.test.mjs'" }
    instructions: |
      RUN: ${commits("answer", "41")}
      RUN: bloom done T1
`;

const CRITERIA = [
  "It reads well (no check: read it yourself)",
  "It says 42 (`echo looking; grep -q 42 answer` passed)",
  "It is tested (`node --test 'tests/*.test.mjs'` passed)",
];

describe("A criterion with a check", () => {
  it(
    "goes back to the agent by name until it is met, and stands at the gate with how its check ended",
    LONG,
    async () => {
      promise("bloom.criteria", "bloom.no-test");
      using project = bloomProject({
        tasks: TASK,
        answers: {
          "not shown to be met:\n\n    It says 42": `RUN: ${commits("answer", "42")}`,
          "not shown to be met:\n\n    It is tested": `RUN: mkdir tests; echo 'import { test } from "node:test"; test("it", () => {});' > tests/a.test.mjs; git add -A; git commit -qm tests`,
        },
      });
      const ran = await project.run();
      expect(ran.code).toBe(3);
      const [first, second, third, ...more] = project.runs();
      expect(more).toEqual([]);
      expect(first?.prompt).toContain("- It says 42\n  Checked by: echo looking; grep -q 42 answer\n");
      expect(second?.prompt).toContain("exited with 1. The end of its output:\n\n    looking");
      expect(third?.prompt).toContain("ran no test, and exited with 0.");
      // A verify command that ran no test does not hold the task up. It is named.
      expect(ran.of("check:failed").map(({ command, empty, exit }) => [command, empty, exit])).toEqual([
        ["echo looking; grep -q 42 answer", undefined, 1],
        ["node --test 'tests/*.test.mjs'", true, 0],
      ]);
      expect(ran.of("check:passed")).toContainEqual(
        expect.objectContaining({ command: "node --test 'none/*.test.mjs'", empty: true }),
      );
      const review = await project.bloom("review", "T1");
      for (const line of CRITERIA) expect(review.out.replace(/\s+/g, " ")).toContain(line);
      expect(review.out).toContain("node --test 'none/*.test.mjs' ran no test");
      expect(review.out).not.toContain("not shown to be met");
      const show = (await project.bloom("show", "T1")).out;
      expect(show).toContain("ran no test  node --test 'none/*.test.mjs'");
      expect(show).toContain("- It says 42\n  Checked by: echo looking; grep -q 42 answer\n");
      const approved = await project.person("approve", "T1");
      expect(approved.code).toBe(0);
      for (const line of CRITERIA) expect(approved.screen.replace(/\s+/g, " ")).toContain(line);
      expect((await project.run()).code).toBe(0);
      const checks = project.stored().filter(({ type }) => type === "check:passed");
      expect(checks.slice(-3).map(({ command }) => command)).toEqual([
        "node --test 'none/*.test.mjs'",
        "echo looking; grep -q 42 answer",
        "node --test 'tests/*.test.mjs'",
      ]);
      expect(new Set(checks.slice(-3).map(({ commit }) => commit))).toEqual(
        new Set([project.git("rev-parse", "main")]),
      );
    },
  );

  it(
    "is not run on work that it did not see, and its gate says so before a person approves",
    LONG,
    async () => {
      promise("bloom.criteria");
      const met = TASK.replace("41", "42").replace(/\n {6}- \{ text: It is tested.*/, "");
      using project = bloomProject({ tasks: met.replace(/\n {4}verify: .*/, "") });
      expect((await project.run()).code).toBe(3);
      const grown = (project.read("tasks.yaml") ?? "").replace(
        "      - It reads well\n",
        "      - It reads well\n      - { text: It is short, check: test ! -e long }\n",
      );
      project.write("tasks.yaml", grown);
      const { out } = await project.bloom("review", "T1");
      expect(out.replace(/\s+/g, " ")).toContain("It is short (`test ! -e long` was not run on this work)");
      expect(out).toContain("1 of 2 checked criteria not shown to be met");
      // The new one decides from now on: on the merged result.
      expect((await project.person("approve", "T1")).code).toBe(0);
      const ran = await project.run();
      expect(ran.of("check:passed")).toContainEqual(expect.objectContaining({ command: "test ! -e long" }));
      expect(ran.code).toBe(0);
    },
  );

  it("is the task's own failure, though its target fails it in the same way", LONG, async () => {
    promise("bloom.criteria");
    const loud = "seq 5 | sed 's/^/missing line /'; test -e made";
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  acceptance_criteria: [{ text: It is made, check: "${loud}" }]
  instructions: |
    RUN: ${commits("other", "x")}
    RUN: bloom done T1
`,
      answers: { "not shown to be met:\n\n    It is made": `RUN: ${commits("made", "x")}` },
    });
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(ran.of("target:red")).toEqual([]);
    expect(ran.of("agent:started").map(({ purpose }) => purpose)).toEqual(["step", "repair"]);
  });

  it("stays as it was, whatever its agent writes into the file", LONG, async () => {
    promise("bloom.criteria", "policy.pinned");
    const weaken = `sed -i '/check: test -e never/d; s/- text: It is there/- It is there/' "$PAWL_PROJECT/tasks.yaml"`;
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  acceptance_criteria:
    - text: It is there
      check: test -e never
  instructions: |
    RUN: ${weaken}
    RUN: ${commits("a", "x")}
    RUN: bloom done T1
`,
      settings: { tries: 1 },
    });
    const ran = await project.run();
    expect(project.read("tasks.yaml")).toContain("- It is there\n  instructions");
    expect(ran.of("check:failed")).toMatchObject([{ command: "test -e never" }]);
    expect(ran.of("policy:changed")).toMatchObject([
      {
        run: "bloom:T1",
        ignored: [{ path: "task.acceptance_criteria", place: expect.stringContaining("tasks.yaml:") }],
      },
    ]);
    expect(project.tasks()[0]?.status).toBe("blocked");
  });

  it("is not started before a person agrees to it", LONG, async () => {
    promise("bloom.criteria", "trust.exact");
    using project = bloomProject({ tasks: TASK });
    const shown = await project.bloom("trust", "--show");
    expect(shown.out).toContain("verify of T1: echo looking; grep -q 42 answer");
  });
});
