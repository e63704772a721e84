/** A program that drives Alfred and Bloom by the library: agents, forge and clock are its own. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../src/adapters/clock/system-clock.ts";
import { SIZED_REVIEWS } from "../src/core/settings.ts";
import {
  type AgentFunction,
  type BloomEvent,
  defineWorkflow,
  openProject,
  type PawlEvent,
} from "../src/index.ts";
import { AlfredProject, taskMarkdown } from "./rig/alfred-project.ts";
import { type BloomProject, bloomProject } from "./rig/bloom-project.ts";
import { follow, type Heard } from "./rig/literal-client.ts";
import { promise } from "./rig/promise.ts";

const task = (more = "") => `tasks:
- id: T1
  title: A greeting
  repo: .
  merge_into: main
  agent: mine
${more}  instructions: Write greeting.txt.
`;

const AUTHOR = {
  ...{ GIT_AUTHOR_NAME: "Dev", GIT_AUTHOR_EMAIL: "dev@example.com" },
  ...{ GIT_COMMITTER_NAME: "Dev", GIT_COMMITTER_EMAIL: "dev@example.com" },
};

const writes =
  (text: string): AgentFunction =>
  ({ folder }) => {
    writeFileSync(join(folder, "greeting.txt"), text);
    for (const words of ["add -A", "commit -qm Greet"])
      execFileSync("git", words.split(" "), { cwd: folder, env: { ...process.env, ...AUTHOR } });
    return `I wrote ${text}`;
  };

function opened({ root, environment }: Pick<BloomProject, "root" | "environment">, mine: AgentFunction) {
  return openProject({ root, environment, agents: { mine }, trusted: true });
}

describe("a program with an agent of its own", () => {
  it("runs a task, decides at its checkpoint in a person's name, and sees it merged", async () => {
    promise("library.drives", "library.agents");
    using project = bloomProject({
      tasks: task("  checkpoint: true\n  verify: [grep -q hello greeting.txt]\n"),
    });
    const prompts: string[] = [];
    const first = writes("hello");
    const pawl = await opened(project, (turn) => {
      prompts.push(turn.prompt);
      return turn.prompt.includes("Say whom.") ? writes("hello, Ada")(turn) : first(turn);
    });
    const heard: string[] = [];
    const work = () => pawl.work({ hear: ({ type }: BloomEvent | PawlEvent) => void heard.push(type) });
    expect(await work()).toMatchObject({ done: [], waiting: ["T1"] });
    expect(heard).toContain("check:passed");
    const waits = { run: "bloom:T1", awaits: "human" };
    expect(await pawl.allRuns()).toMatchObject([waits]);
    await pawl.verdict("bloom:T1", { approve: false, notes: "Say whom.", who: "Ada" });
    expect(await work()).toMatchObject({ waiting: ["T1"] });
    expect(prompts).toHaveLength(2);
    await pawl.verdict("bloom:T1", { approve: true, who: "Ada" });
    expect(await work()).toMatchObject({ done: ["T1"], open: [], blocked: [] });
    expect(project.git("show", "main:greeting.txt")).toBe("hello, Ada");
    const types: string[] = [];
    for await (const { type } of pawl.events()) types.push(type);
    expect(types).toContain("merge:completed");
    await pawl.close();
    const verdicts = project.stored().filter(({ by }) => (by as { who?: string } | undefined)?.who === "Ada");
    expect(verdicts).toHaveLength(2);
  });

  it("has it in a row of a workflow of its own, whose next event is its answer", async () => {
    promise("library.agents", "own.agents");
    using project = bloomProject({ tasks: "tasks: []\n" });
    rmSync(join(project.root, "tasks.yaml"));
    const sorting = defineWorkflow({
      table: {
        ...{ name: "sorting", title: "Sorting", initial: "filed", goals: ["closed"] },
        states: {
          filed: { description: "It was filed." },
          sorting: { description: "An agent sorts it.", awaits: "agent" },
          closed: { description: "It is sorted.", final: true },
        },
        events: { sort: { description: "Sort it" }, sorted: { description: "It is sorted" } },
        facts: {},
        rules: [
          {
            ...{ id: "sorts", from: ["filed"], on: "sort", to: "sorting", outcome: "moved", reply: "ok" },
            commands: [
              { type: "run", agent: "sorter", prompt: "sort", answers: { kind: ["sorted"], why: "text" } },
            ],
          },
          { id: "sorted", from: ["sorting"], on: "sorted", to: "closed", outcome: "moved", reply: "ok" },
          { id: "no", from: ["filed"], on: "sorted", to: "same", outcome: "blocked", reply: "ok" },
          { id: "wait", from: ["sorting"], on: "sort", to: "same", outcome: "blocked", reply: "ok" },
        ],
      },
      sources: {},
      replies: { ok: "{{ state }}" },
      agents: { sorter: { agent: "mine", budget: { turns: 5 } } },
      prompts: { sort: "Sort {{ id }}." },
    });
    const prompts: string[] = [];
    const mine: AgentFunction = ({ prompt }) => {
      prompts.push(prompt);
      return '{"kind": "sorted", "why": "It is new."}';
    };
    const { environment, root } = project;
    const pawl = await openProject({
      root,
      environment,
      agents: { mine },
      trusted: true,
      workflows: [sorting],
    });
    await pawl.send("sorting:I-1", "sort");
    expect(await pawl.work()).toMatchObject({ open: [], waiting: [] });
    expect(prompts).toEqual([expect.stringContaining("Sort I-1.")]);
    expect(await pawl.runs()).toMatchObject([{ run: "sorting:I-1", state: "closed" }]);
    await pawl.close();
  });

  it("asks, is tried again if it throws, and ends if the program stops it", async () => {
    promise("library.agents");
    using project = bloomProject({
      tasks: task("  steps:\n  - id: a\n    instruction: Do it.\n"),
      settings: { tries: 3 },
    });
    let turns = 0;
    const stop = new AbortController();
    const prompts: string[] = [];
    const pawl = await opened(project, async (turn) => {
      turns += 1;
      prompts.push(turn.prompt);
      if (turns === 1) turn.call("ask", { task: turn.task, text: "Which colour?", blocking: true });
      if (turns === 2) throw new Error("no colour is left");
      if (turns === 3) {
        stop.abort();
        await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
      }
      if (turns === 4) await writes("blue")(turn);
      return "";
    });
    expect(await pawl.work()).toMatchObject({ waiting: ["T1"] });
    const [{ id }] = JSON.parse((await project.bloom("questions", "--json")).out).questions;
    expect((await project.person("answer", id, "Blue.")).err).toBe("");
    expect(await pawl.work({ stop: stop.signal })).toMatchObject({ open: ["T1"], blocked: [] });
    expect(turns).toBe(3);
    expect(prompts[1]).toContain("Blue.");
    expect(await pawl.work({ task: "T1" })).toMatchObject({ done: ["T1"] });
    expect(project.git("show", "main:greeting.txt")).toBe("blue");
    const ends = project.stored().filter(({ type }) => type === "agent:ended");
    expect(ends.map(({ reason, detail }) => [reason, detail])).toEqual([
      [null, ""],
      ["exit", "no colour is left"],
      ["stopped", expect.any(String)],
      [null, ""],
    ]);
    expect(project.stored().map(({ type }) => type)).not.toContain("step:assumed_done");
    await pawl.close();
    await expect(pawl.work()).rejects.toThrow("is closed");
  });
});

describe("a program with a forge and a clock of its own", () => {
  it("opens the pull request there, and its events have that time", async () => {
    promise("library.drives");
    using project = bloomProject({
      tasks: `git: {push_to_remote: true}\n${task("  open_pr: true\n  branch: feat/greeting\n")}`,
    });
    const asked: string[] = [];
    const pawl = await openProject({
      ...{ root: project.root, environment: project.environment, trusted: true },
      agents: { mine: writes("hello") },
      pullRequests: {
        async ensure({ branch, into, title }) {
          asked.push(`${branch} into ${into}: ${title}`);
          return { kind: "opened", number: 7, url: "https://forge.example/7" };
        },
        inspect: async () => ({ kind: "open" }),
      },
      clock: { ...systemClock, now: () => new Date(Date.now() + 366 * 86_400_000) },
    });
    const { open, blocked } = await pawl.work();
    expect([asked, open, blocked]).toEqual([["feat/greeting into main: T1: A greeting"], ["T1"], []]);
    const [seen] = project.stored().filter(({ type }) => type === "git:pr_opened");
    expect(seen).toMatchObject({ number: 7, url: "https://forge.example/7" });
    expect(Date.parse(String(seen?.time))).toBeGreaterThan(Date.now() + 365 * 86_400_000);
    await pawl.close();
  });
});

describe("a program that drives Alfred", () => {
  it("calls its tools, and passes on a person's verdict", async () => {
    promise("library.drives");
    using made = new AlfredProject({ settings: { size: "light", reviews: SIZED_REVIEWS.light } });
    made.write(".gitignore", "");
    made.write("src/server.txt", "server\n");
    made.commit("Begin");
    const pawl = await openProject({ root: made.root, trusted: true });
    const id = "TS-01";
    let reviewer = "ai";
    const call = async (tool: string, input: Record<string, unknown>): Promise<Heard> => {
      const reply =
        tool === "provide_review" && reviewer === "human"
          ? await pawl.verdict(`alfred:${id}`, { approve: true, who: "Ada" })
          : await pawl.call(tool, input);
      return { text: reply.text, isError: reply.refused === true };
    };
    await expect(pawl.call("creat_task")).rejects.toThrow("did you mean create_task?");
    await expect(pawl.call("create_task", { text: "x" })).rejects.toThrow("task_content is missing");
    await pawl.call("create_task", { task_content: taskMarkdown(id) });
    const hands = {
      file: "src/server.txt",
      approves(_: string, who: "ai" | "human") {
        reviewer = who;
        return true;
      },
      run: (command: string) =>
        execFileSync("sh", ["-c", command], { cwd: made.root, encoding: "utf8", stdio: "pipe" }),
      decides: async () => {},
      builds: async () => made.write("src/server.txt", `${made.read("src/server.txt")}more\n`),
    };
    await follow(call, hands, await call("start_task", { task_id: id }));
    expect(made.state(id)).toMatchObject({ task_status: "done" });
    expect(readFileSync(join(made.root, ".pawl/events.jsonl"), "utf8")).toContain('"who":"Ada"');
    await pawl.close();
  });
});
