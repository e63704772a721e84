/** What an agent may say to the loop: of its own work, by its own run's capability, and nothing of a person's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { HAS_CGROUPS } from "../rig/cgroups.ts";
import { runAtTerminal } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { shellUntil } from "../rig/until.ts";

const LONG = { timeout: 120_000 };

/** T1's agent runs the commands one by one; what each said, and its exit code, is in `said/N`. T2 waits for a person. */
function projectOf(...commands: readonly string[]): BloomProject {
  const runs = commands.map((command, at) => {
    const file = `said/${at + 1}`;
    return `    RUN: mkdir -p said; (${command}) > ${file} 2>&1; echo "exit $?" >> ${file}`;
  });
  const tasks = `tasks:
- id: T1
  title: One
  instructions: |
${runs.join("\n")}
    RUN: bloom done T1
- id: T2
  title: Two
  status: blocked
  steps: [{id: T2-a, instruction: x}]
`;
  return bloomProject({ tasks });
}

const said = (project: BloomProject, at: number) =>
  readFileSync(join(project.root, "said", String(at)), "utf8");

describe("An agent with a shell", () => {
  it("speaks for its own task only: for another's every verb is refused with a sentence", LONG, async () => {
    promise("agents.own-task");
    using project = projectOf(
      "bloom step done T2-a",
      "bloom done T2",
      "bloom note T2 hello",
      "bloom ask T2 'Which?'",
      "BLOOM_TASK=T2 bloom done T2",
      "bloom note T1 'of my own'",
    );
    const before = project.tasks()[1];
    const ran = await project.run();
    for (const at of [1, 2, 3, 4, 5]) {
      expect(said(project, at)).toContain("[caller-not-allowed]");
      expect(said(project, at)).toContain("T2, which is not its task");
      expect(said(project, at)).toMatch(/exit 1\n$/);
    }
    expect(said(project, 6)).toContain("exit 0");
    expect(project.tasks()[1]).toEqual(before);
    expect(project.tasks()[0]).toMatchObject({ status: "done", ai_notes: ["of my own"] });
    expect(ran.of("question:asked")).toEqual([]);
  });

  it("is refused a person's verbs and commands, for its own task and for others", LONG, async () => {
    promise("agents.own-task");
    const refused = [
      ...["ready T1", "reset T1", "reset --stuck", "todo T1", "block T1", "assign T1 me", "start T1"],
      ...["ready T2", "reset T2", "todo T2", "step start T2-a", "answer q1 yes", "interject T1 on"],
      ...["approve T1", "approve bloom:T2", "run --once", "init", "repair", "mcp"],
    ];
    using project = projectOf(...refused.map((words) => `bloom ${words} < /dev/null`));
    await project.run();
    for (const [at, words] of refused.entries())
      expect([words, said(project, at + 1)]).toEqual([
        words,
        expect.stringMatching(/This is .* \[caller-not-allowed\][\s\S]*exit 1\n$/),
      ]);
    expect(project.tasks().map(({ status }) => status)).toEqual(["done", "blocked"]);
  });

  it("may look at everything", LONG, async () => {
    const looks = [
      "list",
      "show T2",
      "next",
      "validate",
      "questions",
      "step show T2-a",
      "step list",
      "status",
    ];
    using project = projectOf(...looks.map((words) => `bloom ${words}`));
    await project.run();
    for (const [at] of looks.entries()) expect(said(project, at + 1)).toMatch(/exit 0\n$/);
  });

  it(
    "forces nothing, whatever of its environment it clears, in a terminal of its own neither",
    LONG,
    async () => {
      promise("agents.own-task");
      const clears = 'env -i PATH="$PATH" HOME="$HOME"';
      using project = projectOf(
        "bloom done T1 --force",
        "env -u BLOOM_TASK bloom done T1 --force",
        "env -u BLOOM_TASK -u PAWL_RUN_MARK -u PAWL_RUN_CAPABILITY bloom done T1 --force",
        `${clears} bloom --project "$PAWL_PROJECT" done T2`,
        `${clears} setsid --wait bloom --project "$PAWL_PROJECT" ready T2`,
        "script -qec 'env -u BLOOM_TASK -u PAWL_RUN_MARK bloom done T2 --force' /dev/null",
        'ln -s "$PAWL_PROJECT" ../elsewhere; env -u PAWL_RUN_MARK -u BLOOM_TASKS_FILE bloom --project ../elsewhere done T2 --force',
      );
      await project.run();
      for (const at of [1, 2, 3, 4, 5, 6, 7])
        expect([at, said(project, at)]).toEqual([at, expect.stringContaining("[caller-not-allowed]")]);
      expect(project.tasks()[1]?.status).toBe("blocked");
    },
  );

  it.runIf(HAS_CGROUPS)(
    "is known by its run's cgroup, though it cleared its environment and lost its parents",
    LONG,
    async () => {
      const call = `bloom --project "$P" note T2 late > "$P/said/late" 2>&1; echo over >> "$P/said/late"`;
      using project = projectOf(
        `env -i PATH="$PATH" HOME="$HOME" P="$PAWL_PROJECT" setsid bash -c 'parent=$$; (${shellUntil("! -e /proc/$parent")}; ${call}) &'; ${shellUntil('"$(tail -n1 said/late 2>&1)" = over')}`,
      );
      await project.run();
      expect(project.read("said/late")).toContain("This is a process of the run T1.1");
      expect(project.tasks()[1]).not.toHaveProperty("ai_notes");
    },
  );

  it("cannot use another run's capability, nor one that it made itself", LONG, async () => {
    promise("agents.own-task");
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: One
  instructions: |
    RUN: echo "$PAWL_RUN_CAPABILITY" > capability; ${shellUntil("-f tried")}; bloom done T1
- id: T2
  title: Two
  repo: .
  instructions: |
    RUN: cd "$PAWL_PROJECT"; ${shellUntil("-s capability")}; PAWL_RUN_CAPABILITY=$(cat capability) bloom note T1 stolen > said 2>&1; PAWL_RUN_CAPABILITY=T2.1:00 bloom note T2 made >> said 2>&1; touch tried
`,
      settings: { agents: 2 },
    });
    await project.run("--agents", "2");
    expect(project.read("said")?.match(/cannot prove that it is that run's agent/g)).toHaveLength(2);
    expect(
      project.tasks().map(({ ai_notes }) => (ai_notes ?? []).filter((note) => /stolen|made/.test(note))),
    ).toEqual([[], []]);
  });

  it("has a capability that is over with its run, and in no output", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: 'RUN: echo "$PAWL_RUN_CAPABILITY" | tee capability'\n`,
    });
    await project.run();
    const capability = project.read("capability")?.trim() ?? "";
    expect(capability).toMatch(/^T1\.1:[0-9a-f]{64}$/);
    expect(project.read(".pawl/agents/T1.1/output.jsonl")).toContain("[redacted PAWL_RUN_CAPABILITY]");
    const late = await project.bloomWith(
      { PAWL_RUN_CAPABILITY: capability, PAWL_RUN_MARK: "" },
      "block",
      "T1",
      "late",
    );
    // It proves nothing any more: the call is not the agent's, which may not block, but anybody's with a shell.
    expect(late).toMatchObject({ code: 0, err: "" });
    expect(project.stored().at(-1)).toMatchObject({ type: "task:status_changed", to: "blocked" });
  });
});

describe("A deferred call", () => {
  const call = (name: string, content: unknown) =>
    `printf '%s' '${JSON.stringify(content)}' | sed "s/CAPABILITY/$PAWL_RUN_CAPABILITY/" > "$PAWL_OUTBOX/${name}.json"`;
  const mine = { capability: "CAPABILITY" };

  it("counts for the run's own task only, and only with its capability", LONG, async () => {
    promise("agents.own-task");
    using project = projectOf(
      call("1", { verb: "step done", input: { id: "T2-a" }, ...mine }),
      call("2", { verb: "done", input: { id: "T2" }, ...mine }),
      call("3", { verb: "note", input: { id: "T1", text: "forged" } }),
      call("4", { verb: "note", input: { id: "T1", text: "forged" }, capability: "T1.1:00" }),
      call("5", { verb: "reset", input: { id: "T1" }, ...mine }),
      call("6", { verb: "note", input: { id: "T1", text: "of my own" }, ...mine }),
    );
    const before = project.tasks()[1];
    const ran = await project.run();
    const warned = ran.of("agent:warned").map(({ text }) => String(text));
    expect(warned).toEqual([
      expect.stringContaining("`step done` would speak for T2"),
      expect.stringContaining("`done` would speak for T2"),
      expect.stringContaining("lacks the run's capability"),
      expect.stringContaining("lacks the run's capability"),
      expect.stringContaining("ignored its call of reset"),
    ]);
    expect(project.tasks()[1]).toEqual(before);
    expect(project.tasks()[0]?.ai_notes).toEqual(["of my own"]);
  });
});

describe("A person's word", () => {
  const SPENT = `tasks:
- id: T1
  title: One
  budget: {turns: 2}
  steps:
  - {id: s1, instruction: "RUN: true"}
  - {id: s2, instruction: "RUN: echo ran >> ran"}
`;

  it("at a terminal gives a new budget; without one what was spent stays spent", LONG, async () => {
    promise("agents.budget");
    using project = bloomProject({ tasks: SPENT });
    expect((await project.run()).of("budget:exhausted")).toHaveLength(1);
    for (const verb of ["ready", "todo", "reset"]) {
      expect((await project.bloom(verb, "T1")).code).toBe(0);
      expect((await project.run()).of("budget:exhausted")).toHaveLength(1);
    }
    expect(project.read("ran")).toBeNull();
    for (const verb of ["ready", "todo", "reset"]) {
      expect((await runAtTerminal(project.root, [verb, "T1"], { DOOR_ONLY: "" })).code).toBe(0);
      expect(JSON.parse(project.read(".pawl/runs/T1.json") ?? "{}").spent).toMatchObject({ turns: 0 });
    }
    expect((await project.run()).code).toBe(0);
    expect(project.read("ran")).toBe("ran\n");
  });

  it("makes a task done without its work at a terminal only", LONG, async () => {
    promise("agents.forced-by-person");
    using project = bloomProject({
      tasks: "tasks:\n- {id: T1, title: t, verify: ['false'], steps: [{id: s, instruction: x}]}\n",
    });
    const forced = await project.bloom("done", "T1", "--force");
    expect(forced).toMatchObject({ code: 1, err: expect.stringContaining("[terminal-missing]") });
    expect(project.tasks()[0]?.status).toBeUndefined();
    expect((await project.bloom("done", "T1")).out).toContain("T1 is done_pending_merge.");
    expect((await project.run()).code).toBe(1);
    expect(project.tasks()[0]?.status).toBe("blocked");
    const there = await runAtTerminal(project.root, ["done", "T1", "--force"], { DOOR_ONLY: "" });
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining("T1 is done.") });
    expect(project.tasks()[0]?.status).toBe("done");
  });
});
