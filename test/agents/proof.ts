/** What each real agent must show: each proof throws where it does not. */
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAgents } from "../../src/adapters/agents/agents.ts";
import { bearsMark, markOf } from "../../src/adapters/agents/mark.ts";
import { findTree } from "../../src/adapters/agents/process-tree.ts";
import { openWorktrees } from "../../src/adapters/git/worktrees.ts";
import type {
  AgentEnd,
  AgentEvent,
  AgentOrder,
  AgentRun,
  AgentTried,
  Worktree,
} from "../../src/base/ports.ts";
import type { ModelServer } from "../rig/model/server.ts";
import type { Driven } from "./programs.ts";

export interface Ground extends Disposable {
  readonly driven: Driven;
  readonly root: string;
  readonly worktree: Worktree;
  readonly model: ModelServer;
  start(prompt: string, change?: Partial<AgentOrder>): { run: AgentRun; events: AgentEvent[]; mark: string };
  end(prompt: string, change?: Partial<AgentOrder>): Promise<AgentEnd>;
  tryOut(): Promise<AgentTried>;
}

const UNKNOWN = "11111111-1111-4111-8111-111111111111";
const LIMITS = { inactivity: 90_000, total: 150_000 };
const ALLOWED = ["touch", "git add", "git commit"];

export async function openGround(driven: Driven, binary: string, model: ModelServer): Promise<Ground> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-proof-")));
  const home = join(root, ".pawl/home");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(root, ".pawl/.gitignore"), "*\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  git("init", "-qb", "main");
  git("config", "user.name", "Agent");
  git("config", "user.email", "agent@example.org");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: "C.UTF-8",
    ...driven.environment(home, model.url),
  };
  const agents = openAgents({
    projectRoot: root,
    environment,
    agents: { [driven.name]: driven.settings(binary) },
  });
  const worktree = await openWorktrees(root, process.env).ensure({ repo: ".", branch: "task/one" });
  let count = 0;
  const start: Ground["start"] = (prompt, change = {}) => {
    count += 1;
    const events: AgentEvent[] = [];
    const run = `${driven.name}-${count}`;
    const order: AgentOrder = {
      run,
      agent: driven.name,
      folder: worktree.folder,
      prompt,
      session: { type: "new" },
      permission: "edits",
      allow: ALLOWED,
      limits: LIMITS,
      ...change,
    };
    return { run: agents.start(order, (event) => events.push(event)), events, mark: markOf(root, run) };
  };
  return {
    driven,
    root,
    worktree,
    model,
    start,
    end: (prompt, change) => start(prompt, change).run.ended,
    tryOut: () => agents.tryOut(driven.name),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface Proof {
  readonly what: string;
  readonly prove: (ground: Ground) => Promise<string>;
}

export const PROOFS: readonly Proof[] = [
  { what: "two steps in one session, committed by the agent, merged by us", prove: twoSteps },
  { what: "stopped in the middle, it resumes the same session", prove: interruption },
  { what: "a session that it does not know", prove: badSession },
  { what: "the model answers 400", prove: (ground) => fails(ground, "400", ["model-error"]) },
  { what: "the model's stream is cut", prove: (ground) => fails(ground, "cut") },
  { what: "the round trip of pawl agents test", prove: roundTrip },
  { what: "SIGTERM from outside while a shell child is alive", prove: outsideSignal },
];

function succeeded(end: AgentEnd): string {
  assert.equal(end.outcome, "succeeded", JSON.stringify(end));
  assert.ok(end.session, "it tells its session");
  return end.session ?? "";
}

async function twoSteps(ground: Ground): Promise<string> {
  const { worktree, root } = ground;
  const step = (name: string) => [
    `RUN: touch ${name}.txt`,
    `RUN: git add ${name}.txt`,
    `RUN: git commit -qm ${name}`,
  ];
  const first = await ground.end(["First step of the task.", ...step("one"), "SAY: one is done"].join("\n"));
  const session = succeeded(first);
  const asked = ground.model.asked.length;
  const second = await ground.end(["Second step.", ...step("two"), "RECALL:"].join("\n"), {
    session: { type: "resume", id: session },
  });
  assert.equal(succeeded(second), session, "the same session in both steps");
  assert.match(second.text, /I recall 1 prompt\(s\): First step of the task/, "the history is there");
  const history = ground.model.asked[asked]?.said.some(
    (said) => said.by === "user" && said.text.includes("First step"),
  );
  assert.ok(history, "the model was shown the first step");
  const worktrees = openWorktrees(root, process.env);
  const state = await worktrees.state(worktree, "main");
  assert.deepEqual([state.unmerged, state.uncommitted], [2, []], JSON.stringify(state));
  const order = { repo: ".", branch: worktree.branch, into: "main", message: "Merge the task" } as const;
  const merge = await worktrees.prepareMerge(order);
  assert.ok(merge.kind === "prepared", merge.kind);
  await worktrees.publishMerge(order, merge);
  assert.ok(existsSync(join(root, "two.txt")), "main has the work");
  const { usage } = second;
  return `${usage?.inputTokens ?? "?"}+${usage?.outputTokens ?? "?"} tokens, ${usage?.usd ?? "no"} usd, ${second.duration} ms`;
}

async function interruption(ground: Ground): Promise<string> {
  const { run, events, mark } = ground.start("Begin.\nRUN: touch begun.txt\nMODEL: hang");
  await until(() => existsSync(join(ground.worktree.folder, "begun.txt")), run);
  await until(() => events.some((event) => event.type === "session"), run);
  const asked = performance.now();
  const end = await run.stop("a person interrupts");
  const took = Math.round(performance.now() - asked);
  assert.deepEqual(
    [end.outcome, end.outcome === "failed" && end.reason],
    ["failed", "stopped"],
    JSON.stringify(end),
  );
  assert.ok(took < 10_000, `stopped in ${took} ms`);
  assert.deepEqual(findTree({ mark }), []);
  const again = await ground.end("Go on.\nRECALL:", { session: { type: "resume", id: end.session ?? "" } });
  assert.equal(succeeded(again), end.session);
  assert.match(again.text, /Begin\./, "what was said before the interruption is remembered");
  return `stopped in ${took} ms`;
}

async function badSession(ground: Ground): Promise<string> {
  const id = ground.driven.program === "opencode" ? "ses_dff76f066ffekrw7Oeek0pIReI" : UNKNOWN;
  const end = await ground.end("SAY: x", { session: { type: "resume", id } });
  assert.deepEqual(
    [end.outcome, end.outcome === "failed" && end.reason],
    ["failed", "bad-session"],
    JSON.stringify(end),
  );
  return end.outcome === "failed" ? end.detail.slice(0, 80) : "";
}

async function fails(ground: Ground, how: string, reasons?: readonly string[]): Promise<string> {
  const end = await ground.end(`Do.\nMODEL: ${how}`);
  assert.equal(end.outcome, "failed", JSON.stringify(end));
  if (end.outcome !== "failed") return "";
  if (reasons) assert.ok(reasons.includes(end.reason), JSON.stringify(end));
  return `${end.reason}: ${end.detail.slice(0, 80)}`;
}

/** Under `permission: ask`. */
async function roundTrip(ground: Ground): Promise<string> {
  const { works, steps } = await ground.tryOut();
  assert.ok(works, JSON.stringify(steps));
  return steps.map(({ what }) => what).join(", ");
}

async function outsideSignal(ground: Ground): Promise<string> {
  const file = join(ground.worktree.folder, "alive.txt");
  const { run, mark } = ground.start(
    "Begin.\nRUN: setsid sleep 301 & echo x > alive.txt; sleep 300\nSAY: never",
    {
      // In this one the agent may use its shell as it likes: the command is none of a list's.
      permission: "all",
    },
  );
  await until(() => existsSync(file), run);
  const [program] = childrenOf(process.pid).filter((pid) => findTree({ mark }).includes(pid));
  assert.ok(program, "the agent's process is found");
  process.kill(program, "SIGTERM");
  setTimeout(() => run.stop("it ignores SIGTERM"), 15_000).unref();
  const end = await run.ended;
  assert.equal(end.outcome, "failed", JSON.stringify(end));
  assert.deepEqual(findTree({ mark }), []);
  assert.deepEqual(bearersOf(mark), []);
  return end.outcome === "failed" ? `${end.reason}, exit ${end.exit.code ?? end.exit.signal}` : "";
}

function childrenOf(parent: number): number[] {
  return processes().filter((pid) => {
    const stat = readOr(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
  });
}

function bearersOf(mark: string): number[] {
  return processes().filter((pid) => bearsMark(readOr(`/proc/${pid}/environ`), mark));
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

async function until(holds: () => boolean, run: AgentRun): Promise<void> {
  let over: AgentEnd | null = null;
  void run.ended.then((end) => {
    over = end;
  });
  while (!holds()) {
    assert.equal(over, null, `it ended too early: ${JSON.stringify(over)}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
