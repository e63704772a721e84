/** `pawl status` over tasks.yaml: what no run has begun is there too, in the words of every other run. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { enterBoard, openBoardServer } from "../rig/board.ts";
import { limitedAgent } from "../rig/limited-agent.ts";
import { runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { makeKeyOf, stateOf } from "../rig/state-home.ts";
import { hangs, until } from "../rig/until.ts";

const TASKS = `tasks:
  - {id: A, title: Begin}
  - {id: B, title: Go on, depends_on: [A]}
  - {id: C, title: Later, phase: 2}
  - {id: D, title: First, phase: 1, status: ready_for_agent}
  - {id: E, title: By hand, status: in_progress}
  - {id: F, title: Stuck, status: blocked}
  - {id: G, title: Over, status: done}
  - {id: H, title: For one, status: assigned, agent_name: night}
  - id: P
    title: Above
    subtasks: [{id: Q, title: Below}]
`;

const open = () => temporaryProject({ environment: { DOOR_ONLY: "" } });

it("lists every open task with what it waits for, and cheaply again", async () => {
  using project = open();
  project.write("tasks.yaml", TASKS);
  // Nothing is cached before the project has one.
  makeKeyOf(project.root);
  // Each in a process that remembers nothing.
  const status = () => runPawl(project.root, ["status", "--json"], { DOOR_ONLY: "" });
  const { code, out } = await status();
  expect(code).toBe(0);
  const runs = JSON.parse(out).runs as { run: string; state: string; awaits: string; next: string }[];
  expect(runs.map(({ run, state, awaits, next }) => [run, state, awaits, next].join(" | "))).toEqual([
    "bloom:E | in_progress | human | a person works on it",
    "bloom:F | blocked | human | read its notes, then let it continue",
    "bloom:A | todo | agent | `pawl run` gives it to one",
    "bloom:B | todo | nobody | it depends on A",
    "bloom:C | todo | nobody | phase 1 comes first",
    "bloom:D | ready_for_agent | agent | `pawl run` gives it to one",
    "bloom:H | assigned | agent | `pawl run --agent night` gives it to one",
    "bloom:P | todo | nobody | its subtasks Q are not done",
    "bloom:Q | todo | agent | `pawl run` gives it to one",
  ]);
  expect(readFileSync(join(stateOf(project.root).folder, "cache/tasks.json"), "utf8")).toContain("By hand");
  expect(JSON.parse((await status()).out).runs).toEqual(runs);
});

it("lets a run that has begun elsewhere keep the bare id", async () => {
  using project = open();
  project.write("tasks.yaml", "tasks: [{id: front, title: The same id}]\n");
  expect((await project.person("approve", "front")).out).toContain("front does not wait for approval");
  await project.pawl("door", "knock", "front");
  expect((await project.person("approve", "front")).out).toContain("The door front is open.");
});

it("says what is wrong with tasks.yaml, and goes on with the other workflows", async () => {
  using project = open();
  project.write("tasks.yaml", "tasks:\n  - {id: A}\n");
  await project.pawl("cast", "accio");
  const { code, out } = await project.pawl("status");
  expect(code).toBe(1);
  expect(out).toMatch(/tasks\.yaml:2:5: .*title/);
  expect(out).toContain("spells:main");
});

const statusOf = async (project: ReturnType<typeof bloomProject>) => {
  const { out } = await project.bloom("status", "--json");
  const runs = JSON.parse(out).runs as Record<string, string>[];
  return runs.map(({ run, title, state, awaits, next }) => [run, title, state, awaits, next].join(" | "));
};

it("tells what is done, and what an agent has asked that nobody answered", async () => {
  using project = bloomProject({
    tasks: `tasks:
- id: A
  title: Asks
  instructions: |
    RUN: bloom ask A "Which port?"
- id: B
  title: Asks nothing
  instructions: "RUN: true"
`,
  });
  await project.bloom("run", "--once");
  const { out } = await project.bloom("status");
  expect(out).toContain("answer its question: Which port?");
  expect((await project.bloom("review")).out).toContain("Which port?");
  await project.person("answer", "q1", "8080");
  const after = (await project.bloom("status")).out;
  expect(after).toContain("2 tasks are done, none is open");
  expect(after).not.toContain("No run has begun");
});

it("shows a task as tasks.yaml has it, whatever its kept run said before", { timeout: 60_000 }, async () => {
  const failing = (id: string) =>
    `- id: ${id}\n  title: Old ${id}\n  verify: ["exit 3"]\n  instructions: |\n    RUN: bloom done ${id}\n`;
  using project = bloomProject({
    tasks: `tasks:\n${["A", "B", "C", "D"].map(failing).join("")}`,
    settings: { tries: 1 },
  });
  await project.run();
  const blocked = (id: string) =>
    `bloom:${id} | Old ${id} | blocked | human | \`exit 3\` exited with 3 (\`bloom show ${id}\` tells more)`;
  expect(await statusOf(project)).toEqual(["A", "B", "C", "D"].map(blocked));

  await project.bloom("ready", "A");
  await project.bloom("start", "B");
  const text = project.read("tasks.yaml") ?? "";
  project.write("tasks.yaml", text.slice(0, text.indexOf("- id: D")).replace("title: Old", "title: New"));
  const [c, ...others] = await statusOf(project);
  expect(c).toBe(blocked("C"));
  expect(others).toEqual([
    "bloom:B | Old B | in_progress | human | a person works on it",
    "bloom:A | New A | ready_for_agent | agent | `pawl run` gives it to one",
  ]);
  project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace("title: Old C", "title: New C"));
  expect((await statusOf(project))[0]).toContain("bloom:C | New C | blocked");
});

it("tells whether a worker is at a task that has begun", { timeout: 60_000 }, async () => {
  using project = bloomProject({
    tasks: `tasks:\n- id: A\n  title: Long\n  instructions: |\n    RUN: touch begun; ${hangs()}\n`,
  });
  const run = project.start();
  const ended = once(run, "exit");
  await until(() => project.read("begun") !== null);
  expect(await statusOf(project)).toEqual(["bloom:A | Long | working | agent | work on the current step"]);
  run.kill("SIGINT");
  await ended;
  expect(await statusOf(project)).toEqual([
    "bloom:A | Long | working | agent | not running; resume with `pawl run`",
  ]);
});

it("shows the end of what a failed command said, bounded and without what moves a cursor, and names its log", {
  timeout: 60_000,
}, async () => {
  const command = String.raw`printf 'line %s\n' $(seq 1 50); printf '10%%\r99%%\n\033[2J\033[31mred\n'; head -c 1000 /dev/zero | tr '\0' x; exit 3`;
  using project = bloomProject({
    tasks: `tasks:\n- id: V\n  title: Fails\n  verify: [${JSON.stringify(command)}]\n  instructions: |\n    RUN: bloom done V\n`,
    settings: { tries: 1 },
  });
  await project.run();
  const { out } = await project.bloom("show", "bloom:V");
  const log = out.match(/^failed \(3\) .* (\.pawl\/commands\/\S+)$/m)?.[1] ?? "";
  expect(project.read(log)).toContain("line 1\nline 2\n");
  const [, told = ""] = out.split("\nThe end of the last failure's output:\n");
  const lines = told.slice(0, told.indexOf("\n\n")).split("\n");
  expect(lines).toHaveLength(20);
  expect(lines.slice(-4)).toEqual(["  line 50", "  99%", "  red", `  ${"x".repeat(400)}…`]);
  // Without what was kept of it, the rest is still told.
  project.write(log.replace("output.jsonl", "end.json"), "{torn");
  const { code, out: rest } = await project.bloom("show", "bloom:V");
  expect([code, rest.includes("What failed last"), rest.includes(log)]).toEqual([0, false, true]);
});

it("counts one task as one", async () => {
  using project = open();
  project.write("tasks.yaml", "tasks: [{id: A, title: Alone}]\n");
  const told = async (...args: string[]) => (await project.pawl(...args)).out.trimEnd().split("\n").at(-1);
  expect(await told("list")).toBe("1 task, 0 done.");
  expect(await told("validate")).toBe("tasks.yaml is valid: 1 task, no steps.");
  await project.pawl("block", "A");
  expect(await told("next")).toBe("Nothing can be taken now; 1 task is open.");
});

/** Of an agent that says that it is limited for an hour. */
function limitedProject(settings: Readonly<Record<string, unknown>>) {
  const flags = mkdtempSync(join(tmpdir(), "pawl-limited-"));
  const program = join(flags, "claude");
  writeFileSync(program, limitedAgent(flags), { mode: 0o755 });
  writeFileSync(join(flags, "limited"), "");
  const project = bloomProject({
    tasks: `tasks:\n${["A", "B"].map((id) => `- {id: ${id}, title: t, repo: ., instructions: "RUN: bloom done ${id}${" --nothing none"}"}\n`).join("")}- {id: C, title: t, depends_on: [A]}\n`,
    settings: { agents: 1, ...settings },
    project: { agents: { limited: { dialect: "claude", program } } },
    environment: { ANTHROPIC_API_KEY: "dummy" },
  });
  return {
    project,
    [Symbol.dispose]() {
      project[Symbol.dispose]();
      rmSync(flags, { recursive: true });
    },
  };
}

const restingIn = (stands: object = {}) =>
  (stands as { resting: readonly Readonly<Record<string, unknown>>[] }).resting[0] ?? {};

it("says in the same words who rests as the loop and the board, for tasks that wait before they begin, too", {
  timeout: 60_000,
}, async () => {
  promise("agents.one-record");
  using limited = limitedProject({ agent: "limited" });
  const { project } = limited;
  const ran = await project.run("--no-wait");
  expect(ran.code).toBe(1);
  const { others, tasks, ...rest } = restingIn(ran.of("loop:progress").at(-1));
  expect({ others, tasks }).toEqual({ others: [], tasks: ["A", "B"] });
  expect(rest).toMatchObject({ agent: "limited", state: "limited", source: "event" });
  const { accounts, runs } = JSON.parse((await project.bloom("status", "--json")).out);
  const words = `${rest.words} (limit)`;
  expect(runs).toMatchObject([
    { run: "bloom:A", state: "agent_rests", next: words, rest },
    { run: "bloom:B", state: "ready_for_agent", awaits: "nobody", next: words, rest },
    { run: "bloom:C", next: "it depends on A" },
  ]);
  expect(runs[2]).not.toHaveProperty("rest");
  expect(accounts).toEqual([rest]);
  expect((await project.bloom("status")).out).toContain(`Agents: ${rest.words}.`);
  await using board = await openBoardServer(project, { environment: { DOOR_ONLY: "" } });
  const browser = await enterBoard(board);
  const shown = (await browser.get(`/api/${browser.project}/tasks`)).json();
  expect(shown.accounts).toEqual([rest]);
  expect(shown.tasks).toMatchObject([
    { id: "A", column: "waiting", state: "agent_rests", reason: words, rest },
    { id: "B", column: "waiting", state: "ready_for_agent", reason: words, rest },
    { id: "C", column: "open" },
  ]);
});

it("is a run that went well if an agent rests for which no task waits", { timeout: 60_000 }, async () => {
  promise("agents.next");
  using limited = limitedProject({ agent: ["limited", "scripted"], on_limit: "next" });
  const ran = await limited.project.run();
  expect(ran.of("loop:progress").at(-1)).toMatchObject({
    open: 0,
    resting: [{ agent: "limited", tasks: [] }],
  });
  expect(ran.code).toBe(0);
});
