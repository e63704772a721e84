/** Agents in the rows of the project's own workflows: real loops, a scripted agent. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ranOf } from "../rig/bloom-project.ts";
import { REVIEW, reviewProject, runOf, SAYS } from "../rig/own-agents.ts";
import { promise } from "../rig/promise.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";
import { NO_WALL } from "../rig/wall.ts";

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const LONG = { timeout: 120_000 };
const RUN = "review:T";

describe("A workflow whose rows start agents", () => {
  it(
    "is led by their answers to the person who decides, in the session that each row says",
    LONG,
    async () => {
      promise("own.agents");
      using project = reviewProject();
      const checked = await project.bloom("check", "review");
      expect(checked.out).toContain("at most 6 orders, for at most 4.50 USD, between two decisions");
      expect((await project.bloom("run", "--once")).code).toBe(0);

      const begun = await project.bloom("cast", RUN, "start");
      expect(begun.out).toContain("Next: the agent writer. `pawl run` lets it work.");
      expect((await project.bloom("status")).out).toContain(
        "waits for an agent: `pawl run` lets writer work",
      );
      // While it has the order, nobody speaks for it.
      for (const event of ["written", "start"])
        expect((await project.bloom("cast", RUN, event)).err).toContain("the agent writer has it");

      const ran = await project.run();
      expect(ran.code).toBe(3);
      expect(ran.of("loop:ended")).toMatchObject([{ open: [RUN], waiting: [RUN] }]);
      expect(ran.of("run:advanced").map(({ event }) => event)).toEqual(["written", "bad", "written", "good"]);
      expect(
        ran.of("agent:started").map(({ permission, purpose, resumed }) => [purpose, permission, resumed]),
      ).toEqual([
        ["writer", "edits", false],
        ["reviewer", "read", false],
        ["writer", "edits", true],
        ["reviewer", "read", false],
      ]);
      expect(project.read("text.md")).toBe("xx\n");
      const [, , second] = project.runs();
      expect(second?.prompt).toContain("Write the text of T. Round 1: Say {more}.");
      expect(second?.prompt).toContain('{\n  "next": "written"\n}');
      expect(runOf(project)).toMatchObject({
        state: "deciding",
        kept: { rounds: 1 },
        said: { writer: {}, reviewer: { points: "Fine." } },
      });
      expect(runOf(project).pending).toBeUndefined();
      expect((await project.bloom("review", RUN)).out).toMatch(
        /the agent reviewer +0\.002 usd, 220 tokens.*2 tries/,
      );

      const review = (await project.bloom("review", RUN)).out;
      expect(review).toMatch(/The agent reviewer[\s\S]*Fine\./);
      expect(review).not.toContain("passed");
      const story = await project.bloom("show", RUN);
      expect(story.out).toContain("The agent reviewer (scripted) answered:");
      expect((await project.bloom("log", RUN)).out).toMatch(/review:T {2}writer: scripted, permission edits/);
      const stats = JSON.parse((await project.bloom("stats", "--json")).out);
      expect(stats.total).toMatchObject({ runs: 4 });
      await project.person("reject", RUN, "-m", "Say less.");
      await project.run();
      // Once more the same way; a person's words hold in each later order.
      const again = project.runs().slice(4);
      expect(again.map(({ prompt }) => prompt.includes("A person: Say less."))).toEqual([
        true,
        false,
        true,
        false,
      ]);
      const approved = await project.person("approve", RUN);
      expect(approved.screen).toMatch(/The agent reviewer[\s\S]*Fine\./);
      expect(approved.screen).not.toContain("passed");
      expect(approved.out).toContain("It is accepted. The reviewer says: Fine.");
      expect((await project.bloom("repair")).out).not.toContain("review");
    },
  );

  it("is told once what is wrong with its answer, then waits for a person", LONG, async () => {
    promise("own.agents-held");
    using project = reviewProject({
      answers: {
        "Write the text": "SAY: It is done.",
        "say it in JSON": 'SAY: {"next": "written"}',
        "Look at text.md": 'SAY: {"verdict": "good", "points": ""}',
      },
    });
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect([ran.code, ran.of("agent:started").length, ran.of("loop:progress").at(-1)]).toMatchObject([
      3,
      2,
      { waiting: [RUN] },
    ]);
    const [, second] = project.runs();
    expect(second).toMatchObject({ resumed: true });
    expect(second?.prompt).toContain("- There is no JSON object in your last message.");
    expect(second?.prompt).not.toContain("Write the text");
    const status = (await project.bloom("status")).out.replaceAll(/\s+/g, " ");
    expect(status).toContain("waits for you: the agent writer cannot go on: its answer was refused twice");
    // A loop changes nothing about it, and neither does an agent.
    expect((await project.run()).of("agent:started")).toEqual([]);
    const asAgent = await project.bloomWith({ CLAUDECODE: "1" }, "cast", RUN);
    expect(asAgent.out).not.toContain("tries");
    expect(runOf(project).pending.work.held).toMatchObject({ why: "unclear" });

    expect((await project.person("cast", RUN, "-m", "say it in JSON")).out).toContain(
      "tries review:T again, with what you said",
    );
    expect((await project.run()).code).toBe(3);
    expect(project.runs()[2]?.prompt).toContain("A person says:\n\nsay it in JSON");
    expect(runOf(project).state).toBe("deciding");
  });

  it("lets a person answer in the place of an agent that cannot", LONG, async () => {
    promise("own.agents-held");
    using project = reviewProject({
      answers: {
        "Write the text": "SAY: Which of the two?",
        "Look at text.md": "FAIL: no network",
        "Go on where": "FAIL: no network",
      },
      settings: { tries: 2, backoff: { first: 0.05, limit: 0.1 } },
    });
    await project.bloom("cast", RUN, "start");
    await project.run();
    expect(runOf(project).pending.work.held).toMatchObject({ why: "asks", words: "Which of the two?" });
    const asks = (await project.bloom("status")).out.replaceAll(/\s+/g, " ");
    expect(asks).toContain(
      `the agent writer asks: Which of the two?; \`pawl cast ${RUN} -m ANSWER\` answers it`,
    );
    expect((await project.person("cast", RUN, "good")).code).toBe(1);
    expect((await project.person("cast", RUN, "written")).code).toBe(0);
    const ran = await project.run();
    expect(ran.of("agent:started")).toHaveLength(2);
    expect(runOf(project).pending.work).toMatchObject({ failed: 2, held: { why: "failed" } });
    expect((await project.person("cast", RUN, "good")).out).toContain("It is deciding.");
    expect((await project.bloom("show", RUN)).out).toMatch(/## good: reviewing → deciding\n\n.*by terminal/);
  });

  it("keeps its order when the table refuses its event, and gets the reason, once", LONG, async () => {
    promise("own.agents-held");
    using project = reviewProject({
      table: REVIEW.replace("facts:\n", 'facts:\n  ready: { file: "ready.txt" }\n').replace(
        "- { id: reviews, from: writing, on: written,",
        "- { id: unready, from: writing, on: written, when: { ready: missing }, outcome: blocked, reply: unready }\n  - { id: reviews, from: writing, on: written, when: { ready: present },",
      ),
      answers: {
        ...SAYS,
        "There is no ready.txt": 'SAY: {"next": "written"}',
        "really there": 'RUN: touch ready.txt\nSAY: {"next": "written"}',
      },
    });
    project.write("review/unready.md", "There is no ready.txt.\n");
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect([ran.code, ran.of("agent:ended").length]).toEqual([3, 2]);
    expect(project.runs()[1]?.prompt).toContain("- There is no ready.txt.");
    expect(runOf(project)).toMatchObject({
      state: "writing",
      pending: { work: { runs: 2, held: { why: "unclear" } } },
    });
    // Nor does a person's event that moves nothing end the order.
    expect((await project.person("cast", RUN, "written")).code).toBe(1);
    await project.person("cast", RUN, "-m", "really there");
    expect((await project.run()).code).toBe(3);
    expect(runOf(project).state).toBe("deciding");
  });

  it("leaves the agent's end in the history when its run is removed meanwhile", LONG, async () => {
    promise("own.agents-crash");
    using project = reviewProject({
      answers: { "Write the text": 'RUN: rm .pawl/runs/review/T.json\nSAY: {"next": "written"}' },
    });
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect(ran.of("agent:ended")).toMatchObject([{ taskId: RUN, outcome: "succeeded", turns: 2 }]);
  });

  it("waits for a command that answers a fact, and does not ask the agent again", LONG, async () => {
    promise("own.agents");
    using project = reviewProject({
      table: REVIEW.replace(
        "facts:\n",
        'facts:\n  tests: { command: "until test -e go; do sleep 0.02; done" }\n',
      ).replace(
        "- { id: good, from: reviewing, on: good,",
        "- { id: red, from: reviewing, on: good, when: { tests: failed }, to: deciding, reply: moved }\n  - { id: good, from: reviewing, on: good, when: { tests: passed },",
      ),
      answers: { ...SAYS, "Look at text.md": 'SAY: {"verdict": "good", "points": ""}' },
    });
    await project.bloom("cast", RUN, "start");
    const running = project.run();
    // It is stored once the first wait is over.
    await until(() => runOf(project).checks);
    project.write("go", "");
    const ran = await running;
    expect([ran.code, ran.of("agent:started").length]).toEqual([3, 2]);
    expect(runOf(project).state).toBe("deciding");
  });

  it("waits for a person where its prompt cannot be rendered for this run", LONG, async () => {
    promise("own.agents-held");
    using project = reviewProject();
    const write = "{% if said.reviewer.points == '' %}{{ run.nothing }}{% endif %}Write the text.\n";
    project.write("review/write.md", write);
    trustAsItIs(project.root);
    expect((await project.bloom("check", "review")).code).toBe(0);
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect([ran.code, ran.of("agent:started")]).toEqual([3, []]);
    const status = (await project.bloom("status")).out.replaceAll(/\s+/g, " ");
    expect(status).toContain("the agent writer cannot go on: the prompt write:1: it cannot be rendered");
    expect((await project.person("cast", RUN, "written")).out).toContain("It is reviewing.");
  });

  it("stops at the budget of an order, and gets another one from a person", LONG, async () => {
    promise("own.agents-budget");
    const turns = "RUN: echo y >> turns\n";
    using project = reviewProject({
      table: REVIEW.replace("turns: 20", "turns: 3"),
      answers: { "Write the text": `${turns.repeat(3)}RUN: ${hangs()}\n${turns}` },
    });
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect([ran.code, project.read("turns")]).toEqual([3, "y\n".repeat(3)]);
    expect(runOf(project).pending.work).toMatchObject({
      spent: { turns: 4 },
      held: { why: "budget", words: expect.stringContaining("the budget of turns for its order is spent") },
    });
    await project.person("cast", RUN);
    expect(runOf(project).pending.work).toMatchObject({ spent: { turns: 0 } });
  });

  it(
    "is continued in its session by the next loop after a kill, with what it cost, and nothing of it stays",
    LONG,
    async () => {
      promise("own.agents-crash");
      const work = `RUN: echo x >> text.md\nRUN: echo $$ > pid; if test -e go; then true; else ${hangs()}; fi\nSAY: {"next": "written"}`;
      using project = reviewProject({ answers: { ...SAYS, "Write the text": work } });
      await project.bloom("cast", RUN, "start");
      const first = project.start();
      const ended = ranOf(first);
      // The file is there, empty, before the number is.
      const pid = await until(() => Number(project.read("pid")));
      const { underway } = runOf(project).pending.work;
      await until(() => project.read(`.pawl/agents/${underway}/session.json`) !== null);
      first.kill("SIGKILL");
      await ended;
      expect(runOf(project).pending.work).toMatchObject({
        runs: 1,
        underway: expect.stringMatching(/^review-T\./),
      });
      project.write("go", "");
      const ran = await project.run();
      expect(ran.code).toBe(3);
      await until(() => !alive(pid));
      expect(ran.of("agent:ended")[0]).toMatchObject({ reason: "lost", outcome: "failed" });
      expect(ran.of("agent:started")[0]).toMatchObject({ resumed: true });
      expect(project.runs()[1]?.prompt).toContain("Go on where you were interrupted.");
      expect(runOf(project)).toMatchObject({ state: "deciding" });
    },
  );

  it("loses no try when the loop is stopped", LONG, async () => {
    promise("own.agents-crash");
    using project = reviewProject({ answers: { "Write the text": `RUN: touch begun; ${hangs()}` } });
    await project.bloom("cast", RUN, "start");
    const loop = project.start();
    const ended = ranOf(loop);
    await until(() => project.read("begun") !== null);
    loop.kill("SIGINT");
    const { code } = await ended;
    expect(code).toBe(130);
    expect(runOf(project).pending.work).toMatchObject({ runs: 1, failed: 0, session: { agent: "scripted" } });
    expect(runOf(project).pending.work.underway).toBeUndefined();
  });

  it("keeps an answer until the command of a fact that it needs has ended", LONG, async () => {
    promise("own.agents");
    using project = reviewProject({
      table: REVIEW.replace("facts:\n", "facts:\n  tests: { command: sh tests.sh }\n").replace(
        "{ id: good, from: reviewing, on: good, to: deciding, reply: moved }",
        `{ id: good, from: reviewing, on: good, when: { tests: passed }, to: deciding, reply: moved }
  - { id: not-good, from: reviewing, on: good, when: { tests: failed }, to: deciding, reply: moved }`,
      ),
    });
    project.write("tests.sh", `${shellUntil("-e go")}\n`);
    await project.bloom("cast", RUN, "start");
    const ended = ranOf(project.start("--once"));
    // One wait for it is over.
    await until(() => runOf(project).checks !== undefined);
    project.write("go", "");
    const { of } = await ended;
    expect(of("agent:started")).toHaveLength(4);
    expect(of("agent:ended").map(({ outcome }) => outcome)).toEqual(Array(4).fill("succeeded"));
    expect(runOf(project)).toMatchObject({ state: "deciding" });
  });

  it("shares a loop with tasks, whose file its agents change without effect", LONG, async () => {
    promise("own.agents-loop");
    using project = reviewProject({
      tasks: "tasks:\n- {id: T1, title: t, checkpoint: true, instructions: 'RUN: bloom done T1'}\n",
      answers: {
        ...SAYS,
        "Write the text":
          'RUN: sed -i "s/checkpoint: true/checkpoint: false/; s/status: in_progress/status: done/" tasks.yaml\nSAY: {"next": "written"}',
      },
      settings: { agents: 1 },
    });
    await project.bloom("cast", RUN, "start");
    const only = await project.run("--task", "T1");
    expect(only.of("agent:started").map(({ taskId }) => taskId)).toEqual(["T1"]);
    const ran = await project.run();
    expect(runOf(project).state).toBe("deciding");
    expect(ran.code).toBe(3);
    const waiting = ran.of("loop:progress").at(-1);
    expect(waiting).toMatchObject({ done: 0, waiting: ["T1", RUN] });
    expect((await project.person("approve", "T1")).code).toBe(0);
  });

  it("leaves a task as it was where the loop died beside its agent", LONG, async () => {
    promise("own.agents-loop");
    using project = reviewProject({
      tasks: "tasks:\n- {id: T1, title: t, checkpoint: true, instructions: 'RUN: bloom done T1'}\n",
      answers: { "Write the text": `RUN: touch begun; ${hangs()}` },
    });
    await project.bloom("cast", RUN, "start");
    await project.run("--task", "T1");
    const loop = project.start();
    const ended = ranOf(loop);
    await until(() => project.read("begun") !== null);
    loop.kill("SIGKILL");
    await ended;
    // What its agent writes before it ends too: the loop would see it at once.
    const spoilt = (project.read("tasks.yaml") ?? "")
      .replace("checkpoint: true", "checkpoint: false")
      .replace("status: in_progress", "status: done");
    project.write("tasks.yaml", spoilt);
    expect(project.tasks()[0]).toMatchObject({ status: "done", checkpoint: false });
    const next = await project.run("--task", "T1");
    expect([next.code, next.of("loop:progress").at(-1)]).toMatchObject([3, { done: 0, waiting: ["T1"] }]);
  });

  it("gives a command what its agents said, in files, to the letter", LONG, async () => {
    promise("own.agents-said");
    const points = "$(touch owned) `id` \"'\n; rm -rf . ä 😀";
    const says = JSON.stringify({ verdict: "good", points });
    using project = reviewProject({
      answers: { ...SAYS, "Look at text.md": `SAY: ${says}` },
      table: REVIEW.replace(
        "on: approve, to: accepted,",
        "on: approve, to: sending, run: { command: 'cat \"$PAWL_SAID/reviewer.points\" > sent', passed: sent, failed: not_sent },",
      )
        .replace("  accepted: {", "  sending: { description: It is sent., awaits: nobody }\n  accepted: {")
        .replace("  reject: {", "  sent: It is sent\n  not_sent: It is not\n  reject: {")
        .replace(
          "  - { id: rejects",
          "  - { id: sent, from: sending, on: sent, to: accepted, reply: moved }\n  - { id: not-sent, from: sending, on: not_sent, to: deciding, reply: moved }\n  - { id: rejects",
        ),
    });
    await project.bloom("cast", RUN, "start");
    await project.run();
    expect((await project.person("approve", RUN)).out).toContain("It is accepted.");
    expect(project.read("sent")).toBe(points);
    expect(project.read("owned")).toBeNull();
  });

  it("is held while its prompt differs from what it began with", LONG, async () => {
    promise("own.agents");
    using project = reviewProject();
    await project.bloom("cast", RUN, "start");
    const before = project.read("review/look.md") ?? "";
    project.write("review/look.md", `${before}Say good.\n`);
    const ran = await project.run();
    expect(ran.code).not.toBe(0);
    expect(ran.of("task:failed")).toMatchObject([
      {
        taskId: RUN,
        reason: expect.stringContaining("was loosened since it began: definition.prompts.look"),
      },
    ]);
    expect(ran.of("agent:started")).toEqual([]);
    project.write("review/look.md", before);
    expect((await project.run()).code).toBe(3);
  });

  it.each([
    [
      "an agent that it lacks",
      "agent: reviewer, prompt",
      "agent: revewer, prompt",
      /"revewer" is no agent of this workflow: expected one of writer, reviewer/,
    ],
    [
      "an agent that no rule starts",
      "agents:\n",
      "agents:\n  idle: { budget: { usd: 1 } }\n",
      /agent idle: no rule starts it/,
    ],
    [
      "a name that no screen can show",
      "  reviewer: {",
      '  "re viewer": {',
      /agent re viewer: expected a name/,
    ],
    [
      "no budget",
      "budget: { usd: 0.50 }",
      "budget: {}",
      /agents\.reviewer\.budget.*expected usd, turns or minutes/,
    ],
    [
      "two verdicts",
      "points: text }",
      "points: [good] }",
      /expected one field of `answers` that lists events/,
    ],
    [
      "an event that nothing takes",
      "[good, bad]",
      "[good, bad, start]",
      /in reviewing, where the agent runs, no rule moves on start/,
    ],
    [
      "a prompt without a file",
      "prompt: look",
      "prompt: looks",
      /review\/looks\.md: rule reviews has no prompt/,
    ],
    [
      "a command's keys",
      "run: { agent: reviewer,",
      "run: { passed: good, agent: reviewer,",
      /starts an agent, so it takes no passed/,
    ],
    [
      "a loop without a counter",
      "set: { rounds: { add: 1 } }, ",
      "",
      /again, reviews form a loop that starts agents without end|reviews, again form a loop/,
    ],
  ])("is refused with %s", LONG, async (_, from, to, says) => {
    promise("own.agents-check");
    expect(REVIEW).toContain(from);
    using project = reviewProject({ table: REVIEW.replace(from, to) });
    const checked = await project.bloom("check", "review");
    expect(checked.code).toBe(1);
    expect(`${checked.out}${checked.err}`.replaceAll(/\s+/g, " ")).toMatch(says);
    expect((await project.bloom("cast", RUN, "start")).code).not.toBe(0);
  });

  it("works behind the wall, which puts an empty tasks.yaml in the place of none", LONG, async () => {
    promise("own.agents-loop");
    using project = reviewProject({ project: { sandbox: { kind: NO_WALL ? "none" : "bwrap" } } });
    project.write("review/write.md", 'RUN: echo x > text.md\nSAY: {"next": "written"}\n');
    project.write("review/look.md", 'SAY: {"verdict": "good", "points": "Fine."}\n');
    trustAsItIs(project.root);
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect([ran.code, ran.of("agent:started").length]).toEqual([3, 2]);
    expect(ran.of("loop:ended")).toHaveLength(1);
    expect(runOf(project).state).toBe("deciding");
    project.write("tasks.yaml", "");
    expect((await project.bloom("status")).out).toContain(RUN);
    expect((await project.bloom("list")).err).toContain("tasks.yaml is empty.");
  });

  it("may be extended by another file, which runs beside it", LONG, async () => {
    promise("own.extends");
    const strict = `title: Strict review
extends: review
agents: { critic: { permission: read, budget: { usd: 0.25 } } }
states: { criticising: { description: A third model looks for gaps., awaits: agent } }
events: { sound: There are no gaps, unsound: There are gaps }
rows:
  - { id: criticises, from: reviewing, on: good, to: criticising, run: { agent: critic, prompt: gaps, answers: { verdict: [sound, unsound] } }, reply: moved }
  - { id: sound, from: criticising, on: sound, as: good }
  - { id: unsound, from: criticising, on: unsound, to: deciding, reply: gaps-left }
`;
    using project = reviewProject({
      answers: { ...SAYS, "Look for gaps in T": 'SAY: {"verdict": "unsound"}' },
      project: { workflows: ["./review.yaml", "./strict.yaml"] },
    });
    mkdirSync(join(project.root, "strict"));
    project.write("strict.yaml", strict);
    project.write("strict/gaps.md", "Look for gaps in {{ id }}.\n");
    project.write("strict/gaps-left.md", "There are gaps left.\n");
    trustAsItIs(project.root);
    const checked = await project.bloom("check", "strict");
    expect(checked).toMatchObject({ code: 0, err: "" });
    expect(checked.out).toContain("at most 7 orders, for at most 4.75 USD");
    await project.bloom("cast", "strict:T", "start");
    expect((await project.run()).code).toBe(3);
    expect(project.runs().map(({ prompt }) => prompt.split("\n")[0])).toContain("Look for gaps in T.");
    const story = (await project.bloom("show", "strict:T")).out;
    expect(story).toContain("## unsound: criticising → deciding");
    expect((await project.person("approve", "strict:T")).code).toBe(0);
    const status = (await project.bloom("status")).out;
    expect(status).toMatch(/strict:T[^\n]*\n +accepted/);
    // The file that it extends has no runs by that.
    expect(status).not.toContain("review:T");
    // An order is not forgotten where its workflow cannot be read any more.
    await project.bloom("cast", "strict:U", "start");
    project.write("review.yaml", REVIEW.replaceAll("good", "fine"));
    const started = project.runs().length;
    const waits = await project.run();
    expect([waits.code, waits.of("loop:ended").at(-1)]).toMatchObject([3, { waiting: ["strict:U"] }]);
    expect(project.runs()).toHaveLength(started);
    project.write("pawl.yaml", "workflows: []\n");
    expect(await project.bloom("check", "strict")).toMatchObject({
      code: 2,
      err: expect.stringContaining("strict has runs here, and no table that can be proved"),
    });
  });
});
