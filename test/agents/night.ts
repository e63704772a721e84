/**
 * A night in minutes with the real claude and codex: forty tasks, three limits with resets, a refused key, an overloaded
 * host, cut connections, and two kills of the loop. Nothing may be blocked, left out or done twice, and the money that
 * Pawl counts is what the model served, to the cent.
 *
 *   node test/agents/night.ts [UID]    as root also as another user, whom the machine's list need not have
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openModelServer } from "../rig/model/server.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { follow, freshFolder, linesOf, PAWL, type Running } from "./agent-project.ts";
import { runAs } from "./as-user.ts";
import { install } from "./install.ts";
import { DRIVEN } from "./programs.ts";
import { work } from "./proofs.ts";

const TASKS = 40;
const IDS = Array.from({ length: TASKS }, (_, n) => `T${n + 1}`);
const SECOND = 1000;
/** Of claude-sonnet-4-5, for 100 tokens in and 10 out. */
const CALL_USD = 100 * 3e-6 + 10 * 15e-6;
const AT_ONCE = 3;

type Agent = "claude" | "codex";
type Met = "limit" | "refused" | "overload" | "reset";

/** From which request of the night on, and how many seconds from the first refusal. */
const LIMITS: readonly { readonly agent: Agent; readonly from: number; readonly seconds: number }[] = [
  { agent: "claude", from: 25, seconds: 20 },
  { agent: "codex", from: 60, seconds: 20 },
  { agent: "claude", from: 120, seconds: 20 },
];
/** By the number of requests. */
const KILLS = [40, 90];
/** While claude is limited: then codex is asked. The last limit lasts until it was, as codex may rest just then. */
const REFUSED = 120;
const LAST = LIMITS.at(-1);
const MAX_SECONDS = 120;
const OVERLOADED = 12;
const RESETS = [9, 47];

/** The model's host, and what goes wrong there. */
async function openHost(model: string) {
  const begun = performance.now();
  const second = () => (performance.now() - begun) / SECOND;
  const met = new Map<string, number>();
  const count = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
  const ends = new Map<(typeof LIMITS)[number], number>();
  let asked = 0;
  let served = 0;
  const faultOf = (agent: Agent): { readonly kind: Met; readonly until?: number } | null => {
    for (const limit of LIMITS) {
      if (limit.agent !== agent || asked < limit.from) continue;
      const first = ends.get(limit) ?? second() + limit.seconds;
      ends.set(limit, first);
      const isAwaited = limit === LAST && !met.has("codex refused") && second() < first + MAX_SECONDS;
      const end = isAwaited ? Math.max(first, second() + 5) : first;
      if (second() < end) return { kind: "limit", until: Math.ceil(Date.now() / SECOND + end - second()) };
    }
    if (agent === "codex" && asked > REFUSED) return { kind: "refused" };
    if (RESETS.includes(asked)) return { kind: "reset" };
    return asked === OVERLOADED ? { kind: "overload" } : null;
  };
  const server = createServer(async (given, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of given) chunks.push(chunk as Buffer);
    const agent = given.url?.includes("/responses") ? "codex" : "claude";
    asked += 1;
    const fault = faultOf(agent);
    if (fault !== null) {
      count(`${agent} ${fault.kind}`);
      return refuse(response, agent, fault);
    }
    if (agent === "claude" && given.url?.includes("/v1/messages")) served += 1;
    passOn(model, given, Buffer.concat(chunks), response);
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    second,
    asked: () => asked,
    served: () => served,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function passOn(model: string, given: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const { host: _, ...headers } = given.headers;
  const passed = request(`${model}${given.url}`, { method: given.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  passed.end(body);
}

/** As the services say it to subscribers. */
function refuse(
  response: ServerResponse,
  agent: Agent,
  { kind, until = 0 }: { readonly kind: Met; readonly until?: number },
): void {
  const send = (status: number, error: Readonly<Record<string, unknown>>, headers = {}) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ type: "error", error }));
  if (kind === "reset") response.socket?.destroy();
  else if (kind === "overload") send(529, { type: "overloaded_error", message: "Overloaded" });
  else if (kind === "refused")
    send(401, { type: "authentication_error", code: "invalid_api_key", message: "invalid api key" });
  else if (agent === "codex")
    send(429, { type: "usage_limit_reached", message: "The usage limit has been reached", resets_at: until });
  else
    send(
      429,
      { type: "rate_limit_error", message: "This request would exceed your account's rate limit." },
      {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(until),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": String(until),
        "anthropic-ratelimit-unified-5h-utilization": "1.0",
        "anthropic-ratelimit-unified-overage-status": "rejected",
        "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled",
      },
    );
}

const BOTH = DRIVEN.filter(({ name }) => name === "claude" || name === "codex");

const tasksText = () =>
  `tasks:\n${IDS.map((id) => {
    const lines = [...work(id), `RUN: bloom done ${id}`].map((line) => `      ${line}\n`).join("");
    return `  - id: ${id}\n    title: ${id}\n    repo: .\n    merge_into: main\n    instructions: |\n${lines}`;
  }).join("")}`;

function openProject(folder: string, host: string) {
  const root = join(folder, "project");
  const home = join(folder, "home");
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, stdio: "pipe", encoding: "utf8" }).trim();
  git("config", "user.name", "Agent");
  git("config", "user.email", "agent@example.org");
  const { ANTHROPIC_API_KEY: _, ...own } = Object.assign(
    {},
    ...BOTH.map((driven) => driven.environment(home, host)),
  );
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", ...own },
    CLAUDE_CODE_OAUTH_TOKEN: "dummy",
  };
  const agents = BOTH.map((driven) => {
    const model = driven.name === "claude" ? { model: "claude-sonnet-4-5" } : {};
    return [driven.name, { ...driven.settings(install(driven.program)), ...model }];
  });
  const bloom = {
    ...{ agent: ["claude", "codex"], on_limit: "next", agents: AT_ONCE, permission: "all" },
    backoff: { first: 0.5, limit: 2 },
  };
  writeFileSync(join(root, ".gitignore"), ".pawl/\ntasks.yaml\n");
  writeFileSync(join(root, "pawl.yaml"), JSON.stringify({ bloom, agents: Object.fromEntries(agents) }));
  git("add", "-A");
  git("commit", "-qm", "Begin");
  writeFileSync(join(root, "tasks.yaml"), tasksText());
  trustAsItIs(root, env);
  const start = () =>
    follow(
      spawn(process.execPath, [PAWL, "run", "--once", "--json"], {
        cwd: root,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  return { git, root, start };
}

async function main(): Promise<void> {
  const folder = freshFolder("night");
  const model = await openModelServer();
  const host = await openHost(model.url);
  const { git, root, start } = openProject(folder, host.url);
  let running: Running = start();
  try {
    for (const kill of KILLS) {
      while (host.asked() < kill && !running.isOver()) await new Promise((done) => setTimeout(done, 50));
      assert.ok(
        !running.isOver(),
        `it was over before the kill at request ${kill}: ${running.text().slice(-2000)}`,
      );
      running.signal("SIGKILL");
      await running.ended;
      running = start();
    }
    const { code, err, of } = await running.ended;
    const took = Math.round(host.second());
    const events = linesOf(readFileSync(join(root, ".pawl/events.jsonl"), "utf8"));
    const stored = (type: string) => events.filter((event) => event.type === type);
    const ofTasks = (type: string) => stored(type).map(({ taskId }) => String(taskId));
    const undone = IDS.filter((id) => !ofTasks("task:completed").includes(id));
    const theirs = events.filter(({ taskId, run }) =>
      undone.some((id) => id === taskId || run === `bloom:${id}`),
    );
    const told = theirs.map((event) => JSON.stringify(event)).join("\n");
    assert.deepEqual([code, undone], [0, []], `${err}${told}`);
    const runs = IDS.map((id) => JSON.parse(readFileSync(join(root, `.pawl/done/${id}.json`), "utf8")));
    const counted = runs.reduce((sum, { spent }) => sum + spent.usd, 0);
    const ended = stored("agent:ended");
    const lost = ended.filter(({ reason }) => reason === "lost").length;
    const cost = host.served() * CALL_USD;
    const figures = {
      ...{ code, seconds: took, runs: ended.length, "runs of killed loops": lost },
      met: Object.fromEntries(host.met),
      ...{ served: cost.toFixed(6), counted: counted.toFixed(6) },
      rests: stored("agent:rests").length,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    assert.deepEqual(ofTasks("task:blocked"), []);
    assert.deepEqual(ofTasks("task:completed").sort(), [...IDS].sort());
    for (const id of IDS)
      assert.equal(git("log", "--format=%h", `--grep=^${id}$`, "main").split("\n").length, 1, id);
    assert.deepEqual(of("loop:progress").at(-1)?.blocked, []);
    for (const what of ["claude limit", "codex limit", "codex refused"]) assert.ok(host.met.has(what), what);
    // The last calls of a killed claude count only where its session goes on.
    assert.ok(Math.abs(cost - counted) < 0.01, `served ${cost} USD, counted ${counted} USD`);
    process.stdout.write("1 passed, 0 failed\n");
  } finally {
    if (!running.isOver()) running.signal("SIGKILL");
    await running.ended;
    host.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const uid = process.argv[2];
if (uid === undefined) await main();
else process.exitCode = runAs(Number(uid), import.meta.filename, ["claude", "codex"]);
