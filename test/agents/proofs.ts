/**
 * What each real agent must show in the loop: `bloom run --once` as a child process in a real project, the real agent,
 * and a model that does as the prompts say. Each proof throws where it does not hold, and says in a few words what it
 * saw.
 */
import { strict as assert } from "node:assert";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { QuotaWindow } from "../../src/core/ports/agents.ts";
import type { LoopEvent } from "../rig/bloom-project.ts";
import type { Said } from "../rig/model/conversation.ts";
import { trustAsItIs } from "../rig/trust.ts";
import {
  type AgentProject,
  agentOf,
  type Ended,
  openAgentProject,
  type Running,
  type Stage,
  until,
} from "./agent-project.ts";

export interface Proof {
  readonly what: string;
  readonly prove: (stage: Stage) => Promise<string>;
}

export const PROOFS: readonly Proof[] = [
  { what: "pawl agents knows it, and its round trip works", prove: roundTrip },
  {
    what: "two steps in one session, committed by the agent, verified and merged by the loop",
    prove: twoSteps,
  },
  {
    what: "behind a wall that reaches its model alone, it works, and nothing else is reached",
    prove: modelAlone,
  },
  { what: "an interjection in the middle of a turn", prove: interjection },
  { what: "a budget of turns stops it, and where it tells its price one of dollars, too", prove: budgets },
  { what: "400 and a cut stream are no success: tried again, then blocked", prove: faults },
  { what: "after a 429 the task waits for its agent, and goes on in its session", prove: limited },
  { what: "stopped with a shell child alive, ended from outside, and its session lost", prove: stops },
];

const LIMIT_OF_STOP = 10_000;

/** A task's steps as the lines that each has for the model. */
export function steps(of: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(of)
    .map(([id, lines]) => `      - id: ${id}\n        instruction: |\n${indent(lines)}\n`)
    .join("");
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `          ${line}`).join("\n");
}

export const work = (name: string) => [
  `WRITE: ${name}.txt ${name}`,
  `RUN: git add ${name}.txt`,
  `RUN: git commit -qm '${name}'`,
];

// ── The commands ─────────────────────────────────────────────────────────────────────────────────────────────────

async function roundTrip(stage: Stage): Promise<string> {
  using project = openAgentProject(stage, "tasks: []\n");
  const { name, program } = stage.driven;
  const found = JSON.parse((await project.pawl("agents", "--json")).out).agents.find(
    (agent: { name: string }) => agent.name === name,
  );
  const isAcp = found.dialect === "acp";
  assert.equal(found.status, isAcp ? "untried" : "ready", JSON.stringify(found));
  if (!isAcp) assert.equal(found.version, stage.version, program);
  const tried = await project.pawl("agents", "test", name, "--json");
  assert.equal(tried.code, 0, tried.out + tried.err);
  assert.deepEqual(project.bearers(), []);
  return `${found.status}, ${(JSON.parse(tried.out).steps as { what: string }[]).map(({ what }) => what).join(", ")}`;
}

// ── The work ─────────────────────────────────────────────────────────────────────────────────────────────────────

const TWO_STEPS = `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
  - id: T1
    title: Two files
    repo: .
    branch: feat/two
    merge_into: main
    instructions: Both files.
    verify: ["git log -1 --format=%s | grep ."]
    steps:
${steps({
  one: ["Write the first.", ...work("one"), "RUN: bloom step done one"],
  two: ["Write the second.", ...work("two"), "RUN: bloom step done two", "RECALL:"],
})}  - id: T2
    title: Left open
    repo: .
    branch: feat/open
    merge_into: main
    depends_on: [T1]
    verify: ["test -f two.txt && test -f three.txt"]
    steps:
${steps({ three: ["Write the third.", ...work("three"), "SAY: it is written"] })}`;

/** `CURL` tries a server of this machine that is not its model's. */
const ALONE = `tasks:
  - id: T1
    title: One file
    repo: .
    branch: feat/alone
    merge_into: main
    instructions: |
${indent([...work("alone"), "RUN: curl -s -m 5 --noproxy '*' http://127.0.0.1:PORT/ || echo not reached"])}
`;

async function modelAlone(stage: Stage): Promise<string> {
  const server = createServer((_, answer) => answer.end("reached")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  using project = openAgentProject(stage, ALONE.replace("PORT", String(port)), { permission: "all" });
  const { sandbox, ...settings } = JSON.parse(project.read("pawl.yaml"));
  const hosts = [new URL(stage.model.url).host];
  project.write(
    "pawl.yaml",
    JSON.stringify({ ...settings, sandbox: { ...sandbox, network: "model", hosts } }),
  );
  trustAsItIs(project.root, stage.environment);
  const ran = await project.start().ended;
  server.close();
  assert.equal(ran.code, 0, tellOf(ran));
  assert.equal(ran.of("merge:completed").length, 1, tellOf(ran));
  const texts = toolTexts(project);
  assert.ok(!texts.some((text) => /^reached/m.test(text)), texts.join("\n---\n"));
  return "merged, and another server of this machine was not reached";
}

async function twoSteps(stage: Stage): Promise<string> {
  using project = openAgentProject(stage, TWO_STEPS);
  const ran = await project.start().ended;
  const told = tellOf(ran);
  assert.equal(ran.code, 0, told);
  const stored = (type: string, id: string) => project.stored(type).filter(({ taskId }) => taskId === id);

  // One session, begun once and resumed once, and the history is there.
  assert.deepEqual(
    ran.of("agent:started").map(({ taskId, resumed, permission }) => [taskId, resumed, permission]),
    [
      ["T1", false, "edits"],
      ["T1", true, "edits"],
      ["T2", false, "edits"],
    ],
    told,
  );
  const opened = stored("session:opened", "T1");
  assert.equal(opened.length, 1, told);
  const again = String(ran.of("agent:started")[1]?.run);
  assert.ok(sessionOf(project, again).includes(String(opened[0]?.session)), told);
  const resumed = project.asked().find(({ said }) => textsOf(said).includes("RUN: bloom step done two"));
  assert.ok(
    resumed && textsOf(resumed.said).includes("Write the first."),
    "the model is shown the first step",
  );
  assert.ok(
    resumed.said.some(({ by }) => by === "tool"),
    "and what came of its tools",
  );
  assert.ok(
    !project.kept(again, "prompt.md").includes("Both files."),
    "the resumed prompt has no more than its step",
  );
  assert.ok(saidOf(ran, "T1").includes("I recall 1 prompt(s): # Task T1: Two files"), told);
  if (stage.driven.name === "codex")
    assert.deepEqual(
      JSON.parse(project.kept(again, "end.json")).quota.map(({ name, used }: QuotaWindow) => [name, used]),
      [["5_hour", 0.415]],
    );

  // The agent marked its steps itself; where it did not, that is said.
  const steps = stored("step:completed", "T1").map(({ stepId }) => stepId);
  assert.deepEqual(steps, ["one", "two"], told);
  assert.deepEqual(
    project.stored("step:assumed_done").map(({ stepId }) => stepId),
    ["three"],
    told,
  );
  for (const line of ["one is done. Still open in T1: two.", "two is done. It was the last step."])
    assert.ok(
      toolTexts(project).some((text) => text.includes(line)),
      `the agent ran bloom step done: ${line}`,
    );

  // Verified by the loop after each step and on the merged result, merged, pushed, and nothing left.
  assert.ok(stored("check:passed", "T1").length >= 2, told);
  assert.deepEqual(ran.of("check:failed"), []);
  assert.deepEqual(
    project.stored("merge:completed").map(({ into }) => into),
    ["main", "main"],
    told,
  );
  const log = ["log", "--first-parent", "--format=%s", "main"] as const;
  assert.equal(project.git(...log), "Merge T2: Left open\nMerge T1: Two files\nBegin");
  assert.equal(project.git("rev-parse", "main"), project.remoteGit("rev-parse", "main"));
  assert.deepEqual(project.git("log", "--topo-order", "--no-merges", "--format=%s", "main").split("\n"), [
    "three",
    "two",
    "one",
    "Begin",
  ]);
  assert.deepEqual(
    project.stored("worktree:removed").map(({ branch }) => branch),
    ["feat/two", "feat/open"],
    told,
  );
  assert.equal((await project.pawl("worktrees")).out, "No workspaces.\n");
  assert.equal(project.git("branch", "--format=%(refname:short)"), "main");
  assert.deepEqual([project.task("T1")?.status, project.task("T2")?.status], ["done", "done"]);

  // What each run spent is in the events.
  const spent = project.stored("agent:ended");
  assert.equal(spent.length, 3);
  for (const { inputTokens, outputTokens, usd } of spent) {
    const tokens = stage.driven.tells.tokens ?? true;
    for (const each of [inputTokens, outputTokens])
      assert.ok(tokens ? Number(each) > 0 : each === null, told);
    const tells = stage.driven.tells.usd;
    if (tells !== undefined) assert.equal(usd !== null, tells, told);
  }
  assert.deepEqual(project.bearers(), []);
  return `${spent.map(({ duration }) => duration).join(" + ")} ms, ${spendingOf(spent[1])}`;
}

function spendingOf(event: LoopEvent | undefined): string {
  const of = (name: string, none: string) => event?.[name] ?? none;
  return `${of("inputTokens", "?")}+${of("outputTokens", "?")} tokens, ${of("turns", "?")} turns, ${of("usd", "no")} usd`;
}

/** Where a command line has its session; over ACP it is in no argument, and the run's end tells it. */
function sessionOf(project: AgentProject, run: string): string {
  const { acp } = project.stage.driven.settings("");
  return project.kept(run, acp ? "end.json" : "call.json");
}

async function interjection(stage: Stage): Promise<string> {
  const lines = ["Begin.", "WRITE: begun.txt begun", "MODEL: hang"];
  using project = openAgentProject(stage, oneTask("T1", { one: lines }));
  const running = project.start();
  await until(running, "the model is asked", () =>
    project.asked().some(({ answer }) => answer.type === "hang"),
  );
  const word = ["Rather end it.", "MODEL: go", "RUN: git add begun.txt", "RUN: git commit -qm 'begun'"];
  const asked = performance.now();
  const heard = await project.pawl(
    "interject",
    "T1",
    [...word, "RUN: bloom step done one", "RECALL:"].join("\n"),
  );
  assert.equal(heard.code, 0, heard.err);
  await until(running, "its run is ended", () => running.events().some(({ type }) => type === "agent:ended"));
  const took = Math.round(performance.now() - asked);
  assert.ok(took < LIMIT_OF_STOP, `stopped in ${took} ms`);
  const ran = await running.ended;
  const told = tellOf(ran);
  assert.equal(ran.code, 0, told);
  assert.deepEqual(
    ran.of("agent:ended").map(({ reason }) => reason),
    ["stopped", null],
    told,
  );
  assert.deepEqual(
    ran.of("agent:started").map(({ resumed }) => resumed),
    [false, true],
    told,
  );
  assert.equal(ran.of("session:opened").length, 1, told);
  assert.deepEqual(
    [ran.of("task:retried"), ran.of("session:lost"), ran.of("step:assumed_done")],
    [[], [], []],
    told,
  );
  assert.ok(saidOf(ran, "T1").includes("I recall 1 prompt(s): # Task T1"), told);
  assert.equal(project.git("log", "-1", "--topo-order", "--no-merges", "--format=%s", "main"), "begun");
  return `stopped in ${took} ms, resumed, done`;
}

interface Spent {
  readonly usd: number;
  readonly turns: number;
}

async function budgets(stage: Stage): Promise<string> {
  const lines = ["Count.", ...Array(12).fill("RUN: sleep 1")];
  const spends = async (budget: string) => {
    const text = oneTask("T1", { one: lines }).replace("    steps:", `    budget: ${budget}\n    steps:`);
    assert.ok(text.includes(budget));
    using project = openAgentProject(stage, text, { permission: "all" });
    const ran = await project.start().ended;
    const told = tellOf(ran);
    assert.equal(ran.code, 1, told);
    assert.equal(ran.of("budget:exhausted").length, 1, told);
    assert.equal(project.task("T1")?.status, "blocked", told);
    assert.deepEqual(project.bearers(), []);
    const calls = project.asked().filter(({ answer }) => answer.type === "call").length;
    const { limit, spent } = ran.of("budget:exhausted")[0] as LoopEvent & { spent: Spent };
    return { calls, limit, spent, told };
  };
  const turns = await spends("{turns: 3}");
  assert.equal(turns.limit, "turns", turns.told);
  assert.ok(turns.calls <= 3 + 1, `${turns.calls} calls\n${turns.told}`);
  if (stage.driven.tells.usd !== true) return `${turns.calls} calls of 3`;
  const usd = await spends("{usd: 0.001}");
  assert.equal(usd.limit, "usd", usd.told);
  const ofOne = usd.spent.usd / usd.spent.turns;
  assert.ok(usd.spent.usd <= 0.001 + 1.01 * ofOne, `${usd.spent.usd} usd\n${usd.told}`);
  return `${turns.calls} calls of 3, ${usd.calls} for 0.001 usd`;
}

// ── What fails ───────────────────────────────────────────────────────────────────────────────────────────────────

const FAULTS = { E400: "400", CUT: "cut" };

async function faults(stage: Stage): Promise<string> {
  const tasks = Object.entries(FAULTS).map(([id, fault]) =>
    oneTask(id, { [`${id}-1`]: ["Do.", `MODEL: ${fault}`] }),
  );
  const text = `tasks:\n${tasks.map((task) => task.replace(/^tasks:\n/, "")).join("")}`;
  using project = openAgentProject(stage, text, { tries: 2, agents: 3 });
  const ran = await project.start().ended;
  const told = tellOf(ran);
  assert.equal(ran.code, 1, told);
  const reasons = Object.keys(FAULTS).map((id) => {
    const all = project.stored("agent:ended").filter(({ taskId }) => taskId === id);
    // Gemini keeps no session of a first turn that is cut: a fresh one begins, and no try is spent.
    const ends = all.filter(({ reason }) => reason !== "bad-session");
    assert.deepEqual(
      ends.map(({ outcome }) => outcome),
      ["failed", "failed"],
      `${id}: ${told}`,
    );
    const [retried, ...more] = project.stored("task:retried").filter(({ taskId }) => taskId === id);
    assert.ok(
      retried && Number(retried.after) > 0 && more.length === 0,
      `${id} is tried again, with a pause: ${told}`,
    );
    const task = project.task(id);
    assert.equal(task?.status, "blocked", told);
    const isSpoiled = ends[0]?.reason === "bad-request";
    const isLost = ends.length < all.length;
    if (isSpoiled) assert.equal(task?.session_id, undefined, "no call is taken in that session any more");
    const started = project.stored("agent:started").filter(({ taskId }) => taskId === id);
    assert.equal(started.at(-1)?.resumed, !isSpoiled && !isLost, `${id}: ${told}`);
    assert.notEqual(task?.steps[0]?.status, "done");
    return [...new Set(ends.map(({ reason }) => reason))].join("/");
  });
  assert.deepEqual([ran.of("step:completed"), ran.of("step:assumed_done")], [[], []], told);
  assert.ok(["bad-request", "model-error"].includes(reasons[0] ?? ""), told);
  assert.ok(["model-error", "cut-stream"].includes(reasons[1] ?? ""), told);
  assert.deepEqual(project.bearers(), []);
  return reasons.join(", ");
}

async function limited(stage: Stage): Promise<string> {
  if (!stage.driven.tells.limits) return "it does not tell that it is limited";
  const text = oneTask("E429", { "E429-1": ["Do.", "MODEL: 429"] });
  using project = openAgentProject(stage, text, { tries: 2 });
  const ran = await project.start("--no-wait").ended;
  const told = tellOf(ran);
  assert.equal(ran.code, 1, told);
  const [rests, ...more] = project.stored("agent:rests");
  assert.ok(rests && more.length === 0, told);
  assert.deepEqual(project.stored("task:retried"), [], told);
  assert.equal(project.task("E429")?.status, "in_progress", told);
  return String(rests.reason);
}

// ── What stops ───────────────────────────────────────────────────────────────────────────────────────────────────

async function stops(stage: Stage): Promise<string> {
  // Agents may use their shell as they like here: the long command is none of a list's.
  using project = openAgentProject(stage, "", { permission: "all" });
  const [go, alive] = [project.flag("go"), project.flag("alive")];
  const long = `test -f ${go} || { setsid sleep 301 & echo x > ${alive}; sleep 300; }`;
  const lines = {
    one: ["Begin.", ...work("one"), "RUN: bloom step done one"],
    two: ["Wait.", `RUN: ${long}`, "RUN: bloom step done two", "RECALL:"],
  };
  project.write("tasks.yaml", oneTask("T1", lines));

  const first = await stopAt(project, alive, "SIGINT");
  const said = first.of("agent:warned").map(({ text }) => String(text));
  assert.deepEqual(permissionsOf(first), ["all", "all"], tellOf(first));
  assert.ok(
    said.some((text) => text.startsWith("permission is all")),
    tellOf(first),
  );
  assert.equal(project.task("T1")?.steps[0]?.status, "done", tellOf(first));

  // Somebody else ends the agent: that is a failure, and the step is tried again in its session.
  const second = await stopAt(project, alive, "SIGTERM", async (running) => {
    const agent = agentOf(
      project.root,
      String(running.events().findLast(({ type }) => type === "agent:started")?.run),
    );
    assert.ok(agent, "the agent's process is found");
    rmSync(alive);
    process.kill(agent, "SIGTERM");
    // A wrapper may ignore that.
    const harder = setTimeout(() => process.kill(agent, "SIGKILL"), 5000);
    await until(running, "its end", () => running.events().some(({ type }) => type === "agent:ended"));
    clearTimeout(harder);
  });
  assert.deepEqual(resumedOf(second), [true, true], tellOf(second));
  assert.deepEqual(
    second.of("agent:ended").map(({ outcome }) => outcome),
    ["failed", "failed"],
    tellOf(second),
  );
  assert.equal(second.of("task:retried").length, 1, tellOf(second));

  // The session is gone: that is told, and a fresh one gets the whole task.
  const { session } = project.run("T1");
  assert.ok(session, "a stop keeps the session");
  await project.edit("T1", { session: { ...session, id: stage.driven.unknownSession } });
  writeFileSync(go, "");
  const third = await project.start().ended;
  const told = tellOf(third);
  assert.equal(third.code, 0, told);
  assert.deepEqual(
    third.of("agent:ended").map(({ reason }) => reason),
    ["bad-session", null],
    told,
  );
  assert.deepEqual(
    third.of("session:lost").map((event) => event.session),
    [stage.driven.unknownSession],
    told,
  );
  assert.deepEqual(resumedOf(third), [true, false], told);
  const prompt = project.kept(String(third.of("agent:started")[1]?.run), "prompt.md");
  for (const text of ["# Task T1", "All of it.", "- one: Begin."]) assert.ok(prompt.includes(text), prompt);
  assert.equal(third.of("step:assumed_done").length, 0, told);
  assert.deepEqual(project.bearers(), []);
  return `SIGINT ${first.took} ms, SIGTERM ${second.took} ms, from outside: ${second.of("agent:ended")[0]?.reason}`;
}

/** Runs the loop until the agent's shell child is alive, stops it there, and sees that nothing is left of it. */
async function stopAt(
  project: AgentProject,
  alive: string,
  signal: NodeJS.Signals,
  before?: (running: Running) => Promise<void>,
): Promise<Ended & { readonly took: number }> {
  rmSync(alive, { force: true });
  const running = project.start();
  await until(running, "the shell child", () => existsSync(alive));
  if (before) {
    await before(running);
    await until(running, "the shell child again", () => existsSync(alive));
  }
  // The agent, its shell and the child in a session of its own.
  assert.ok(project.bearers().length >= 3, "they are alive");
  const asked = performance.now();
  running.signal(signal);
  const ran = await running.ended;
  const took = Math.round(performance.now() - asked);
  assert.deepEqual(project.bearers(), [], "no process is left");
  assert.ok(took < LIMIT_OF_STOP, `stopped in ${took} ms`);
  const last = ran.of("agent:ended").at(-1);
  assert.equal(last?.reason, "stopped", tellOf(ran));
  assert.equal(project.task("T1")?.status, "in_progress", tellOf(ran));
  return { ...ran, took };
}

// ── Words ────────────────────────────────────────────────────────────────────────────────────────────────────────

function oneTask(id: string, lines: Readonly<Record<string, readonly string[]>>): string {
  return `tasks:
  - id: ${id}
    title: One task
    repo: .
    branch: feat/${id}
    merge_into: main
    instructions: All of it.
    steps:
${steps(lines)}`;
}

const permissionsOf = (ran: Ended) => ran.of("agent:started").map(({ permission }) => permission);
const resumedOf = (ran: Ended) => ran.of("agent:started").map(({ resumed }) => resumed);

function saidOf(ran: Ended, id: string): string {
  return ran
    .of("agent:said")
    .flatMap(({ taskId, text }) => (taskId === id ? [text] : []))
    .join("");
}

export function textsOf(said: readonly Said[]): string {
  return said.map((one) => (one.by === "model" ? "" : one.text)).join("\n");
}

function toolTexts(project: AgentProject): readonly string[] {
  return project.asked().flatMap(({ said }) => said.flatMap((one) => (one.by === "tool" ? [one.text] : [])));
}

/** For whoever reads of a failure: what happened, shortly. */
export function tellOf({ code, err, events }: Ended): string {
  const lines = events.map((event) => JSON.stringify(event).slice(0, 400));
  return [`exit ${code}`, err, ...lines].join("\n");
}
