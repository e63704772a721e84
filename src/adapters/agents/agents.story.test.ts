import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { hangs, until } from "../../../test/rig/until.ts";
import type { AgentEvent, AgentOrder } from "../../core/ports/agents.ts";
import type { AgentSettings } from "../../core/settings.ts";
import { openAgents } from "./agents.ts";
import { openCommands } from "./commands.ts";
import { markOf } from "./mark.ts";
import { findTree } from "./process-tree.ts";

const ACP: AgentSettings = {
  acp: { command: process.execPath, args: [join(import.meta.dirname, "../../../test/rig/acp-agent.ts")] },
  environment: ["ACP_AGENT_HOME"],
};
let root: string;
let count = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-agents-"));
});
// A killed agent may still be writing a file.
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

function agents(settings: Readonly<Record<string, AgentSettings>> = { acp: ACP }) {
  const environment = { ...process.env, PAWL_SCRIPTED_HOME: join(root, "home"), ACP_AGENT_HOME: root };
  return openAgents({ projectRoot: root, stateFolder: join(root, "state"), environment, agents: settings });
}

function run(agent: string, prompt: string, change: Partial<AgentOrder> = {}) {
  count += 1;
  const events: AgentEvent[] = [];
  const order: AgentOrder = {
    run: `run-${count}`,
    agent,
    folder: { agentPath: root },
    prompt,
    session: { type: "new" },
    permission: "edits",
    ...change,
  };
  return { events, order, running: agents().start(order, (event) => events.push(event)) };
}

const end = (agent: string, prompt: string, change: Partial<AgentOrder> = {}) =>
  run(agent, prompt, change).running.ended;

describe("the scripted agent", () => {
  it("runs commands, speaks, reports its session and what it spent, and leaves its output", async () => {
    const { events, running } = run("scripted", "Please.\nRUN: echo hi > hi.txt\nSAY: all done\n");
    const told = await running.ended;
    expect(told).toMatchObject({ outcome: "succeeded", text: "all done", leftovers: { ended: 0, alive: 0 } });
    expect(told.usage).toEqual({ usd: expect.closeTo(0.002), inputTokens: 200, outputTokens: 20, turns: 2 });
    expect(readFileSync(join(root, "hi.txt"), "utf8")).toBe("hi\n");
    expect(events.map((event) => event.type).filter((type) => type !== "usage")).toEqual([
      "session",
      "tool",
      "text",
    ]);
    expect(events.at(-1)?.type).toBe("usage");
    expect(JSON.parse(readFileSync(join(root, told.output, "end.json"), "utf8"))).toMatchObject({
      outcome: "succeeded",
    });
    expect(readFileSync(join(root, told.output, "prompt.md"), "utf8")).toContain("Please.");
  });

  it("recalls the session when it is resumed, in a preset session too", async () => {
    const id = "6b1f7a3e-0000-4000-8000-000000000001";
    await end("scripted", "First prompt.\nSAY: ok", { session: { type: "new", id } });
    const told = await end("scripted", "RECALL:", { session: { type: "resume", id } });
    expect(told).toMatchObject({
      outcome: "succeeded",
      session: id,
      text: "I recall 1 prompt(s): First prompt.",
    });
  });

  it("goes on with what it had not done when it is told to go on, and with nothing else", async () => {
    const id = "6b1f7a3e-0000-4000-8000-000000000002";
    const log = () => readFileSync(join(root, "log"), "utf8");
    const first =
      "Work.\nRUN: echo one >>log\nKILL: SIGKILL\nRUN: echo two >>log\nEXIT: 3\nRUN: echo three >>log";
    expect(await end("scripted", first, { session: { type: "new", id } })).toMatchObject({
      reason: "signalled",
    });
    expect(log()).toBe("one\n");
    const resumed: Partial<AgentOrder> = { session: { type: "resume", id } };
    expect(await end("scripted", "Go on.", resumed)).toMatchObject({ reason: "exit" });
    expect(log()).toBe("one\ntwo\n");
    expect(await end("scripted", "Go on.", resumed)).toMatchObject({ outcome: "succeeded", text: "done" });
    expect(log()).toBe("one\ntwo\nthree\n");
    await end("scripted", "Go on.", resumed);
    expect(await end("scripted", "Now this.\nRECALL:", resumed)).toMatchObject({
      text: "I recall 4 prompt(s): Work. | Go on. | Go on. | Go on.",
    });
    expect(log()).toBe("one\ntwo\nthree\n");
  });

  it("does a command anew in whose middle it was ended", async () => {
    const id = "6b1f7a3e-0000-4000-8000-000000000003";
    const { running } = run(
      "scripted",
      "RUN: echo begun >>log; [ -e again ] || kill -9 $PPID; echo ended >>log",
      {
        session: { type: "new", id },
      },
    );
    await running.ended;
    writeFileSync(join(root, "again"), "");
    await end("scripted", "Go on.", { session: { type: "resume", id } });
    expect(readFileSync(join(root, "log"), "utf8").trim().split("\n").at(-1)).toBe("ended");
    expect(readFileSync(join(root, "log"), "utf8").match(/begun/g)).toHaveLength(2);
  });

  it("cannot resume a session that it does not know", async () => {
    const told = await end("scripted", "SAY: x", { session: { type: "resume", id: "unknown" } });
    expect(told).toMatchObject({ outcome: "failed", reason: "bad-session", session: null });
  });

  it.each([
    ["FAIL: out of luck", { reason: "model-error", detail: "out of luck" }],
    ["EXIT: 0", { reason: "cut-stream" }],
    ["EXIT: 3", { reason: "exit", detail: "no last event, exit code 3" }],
    ["KILL: SIGKILL", { reason: "signalled", detail: "SIGKILL" }],
  ])("that meets %j has not succeeded", async (line, expected) => {
    expect(await end("scripted", `RUN: true\n${line}`)).toMatchObject({ outcome: "failed", ...expected });
  });

  it("that hangs and ignores SIGTERM is stopped, with the shell child that it left in another session", async () => {
    promise("agents.no-orphan");
    const { running, events, order } = run(
      "scripted",
      `RUN: setsid ${hangs()} >/dev/null 2>&1 &\nSAY: waiting\nHANG:`,
    );
    await until(() => events.some((event) => event.type === "text"));
    expect(await running.stop("enough")).toMatchObject({
      outcome: "failed",
      reason: "stopped",
      detail: "enough",
      leftovers: { alive: 0 },
    });
    expect(findTree({ mark: markOf(root, order.run) })).toEqual([]);
  });

  it("leaves nothing behind when it ends by itself, and what it left is reported", async () => {
    const told = await end("scripted", `RUN: setsid ${hangs()} >/dev/null 2>&1 &\nSAY: bye`);
    expect(told).toMatchObject({ outcome: "succeeded", leftovers: { ended: 1, alive: 0 } });
  });

  it("that says nothing for too long is ended as inactive", { timeout: 10_000 }, async () => {
    expect(await end("scripted", "HANG:", { limits: { inactivity: 400 } })).toMatchObject({
      reason: "inactive",
    });
  });

  it("never has its prompt on its command line", async () => {
    const told = await end("scripted", 'RUN: tr "\\0" " " < /proc/$PPID/cmdline > line.txt\nSAY: hush-hush');
    expect(told.outcome).toBe("succeeded");
    expect(readFileSync(join(root, "line.txt"), "utf8")).not.toContain("hush");
  });

  it("states that its guards are bypassed if they are", async () => {
    const { events, running } = run("scripted", "SAY: x", { permission: "all" });
    await running.ended;
    expect(events[0]).toMatchObject({ type: "warning", text: expect.stringContaining("bypassed") });
  });
});

describe("an agent that is not there", () => {
  it("is an end, with the names that are known", async () => {
    expect(await end("nobody", "x")).toMatchObject({
      reason: "not-installed",
      detail: expect.stringContaining("claude"),
    });
  });

  it("is an end too if its program is missing", async () => {
    const absent = agents({ claude: { program: "no-such-claude" } });
    const { order } = run("scripted", "SAY: x");
    const started = absent.start({ ...order, agent: "claude", run: "absent" }, () => {});
    expect(await started.ended).toMatchObject({
      outcome: "failed",
      reason: "not-installed",
      detail: expect.stringMatching(/no-such-claude.*`program` of claude in pawl\.yaml/),
    });
  });

  it("says what is missing, how it is installed, and what else there is", async () => {
    const environment = { ...process.env, PATH: "/nowhere" };
    const bare = openAgents({
      projectRoot: root,
      stateFolder: join(root, "state"),
      environment,
      agents: { mine: { acp: { command: "nope" } } },
    });
    const ends = await Promise.all(
      ["claude", "mine"].map((agent) => {
        const { order } = run("scripted", "SAY: x");
        return bare.start({ ...order, agent, run: `bare-${agent}` }, () => {}).ended;
      }),
    );
    for (const end of ends) expect(end).toMatchObject({ reason: "not-installed" });
    const [claude, mine] = ends.map((end) => (end.outcome === "failed" ? end.detail : ""));
    expect(claude).toContain("claude is not installed: no program claude on the PATH");
    expect(claude).toContain("npm install -g @anthropic-ai/claude-code");
    expect(claude).toContain("`pawl config agents`");
    expect(claude).toContain("agent: scripted");
    expect(claude).not.toContain("ENOENT");
    expect(mine).toContain("`acp.command` of mine in pawl.yaml");
    expect(bare.missing("claude")).toBe(claude);
    expect(bare.missing("clade")).toContain("Did you mean claude?");
    expect(bare.missing("scripted")).toBeNull();
  });
});

describe("what a dead owner left", () => {
  it("is ended by the run's mark alone", { timeout: 10_000 }, async () => {
    const { order, running, events } = run("scripted", "SAY: up\nHANG:");
    await until(() => events.some((event) => event.type === "text"));
    expect(await agents().endLeftovers(order.run)).toBe(1);
    expect(await running.ended).toMatchObject({ outcome: "failed", reason: "signalled" });
  });
});

describe("an agent over ACP", () => {
  it("works in a session, tells its words, and recalls them when the session is loaded", async () => {
    const first = await end("acp", "First.\nSAY: one, \nSAY: two");
    expect(first).toMatchObject({ outcome: "succeeded", text: "one,two" });
    expect(first.session).toBeTruthy();
    const again = await end("acp", "RECALL:", { session: { type: "resume", id: first.session ?? "" } });
    expect(again).toMatchObject({ outcome: "succeeded", session: first.session, text: "I recall 1: First." });
  });

  it("cannot load a session that it does not know", async () => {
    expect(await end("acp", "SAY: x", { session: { type: "resume", id: "gone" } })).toMatchObject({
      reason: "bad-session",
    });
  });

  it.each([
    ["FAIL: 400", "bad-request"],
    ["FAIL: 429", "rate-limit"],
    ['FAIL: {"errorKind":"rate_limit"} You have hit your limit', "rate-limit"],
    ['FAIL: {"errorKind":"billing_error"} Out of it', "account"],
    ['FAIL: {"errorKind":"authentication_failed"} No', "account"],
    ['FAIL: {"errorKind":"model_not_found"} There is an issue with the selected model', "account"],
    ["FAIL: {} Your credit balance is too low to access the API", "account"],
    ["FAIL: {} OAuth token has expired", "account"],
    ["FAIL: {} model: claude-9-nope", "account"],
    ["FAIL: {} the model is busy thinking", "model-error"],
  ])("that answers %j has failed", async (line, reason) => {
    promise("agents.account");
    expect(await end("acp", line)).toMatchObject({ outcome: "failed", reason });
  });

  it("that passes on what claude says of its account reports what is left, and when a limit ends", async () => {
    promise("agents.fit");
    const window = { utilization: 1, resetsAt: 1795880224 };
    const info = { status: "rejected", resetsAt: 1795880224, unifiedWindows: { five_hour: window } };
    const meta = `META: ${JSON.stringify({ "_claude/rateLimit": info })}`;
    const told = await end("acp", `${meta}\nFAIL: {"errorKind":"rate_limit"} You have hit your limit`);
    const resets = new Date(1795880224_000).toISOString();
    expect(told).toMatchObject({ limited: { resets }, quota: [{ name: "five_hour", used: 1, resets }] });
    expect(told).not.toHaveProperty("limited.byWords");
  });

  it.each([
    ["scripted-acp", 100],
    ["OpenCode", null],
  ])(
    "%s, of which its last answer says %j tokens, is counted by them only if they are all",
    async (name, inputTokens) => {
      promise("agents.own-cost");
      writeFileSync(join(root, "name"), name);
      expect((await end("acp", "COST: 0.5\nSAY: done")).usage).toMatchObject({
        usd: 0.5,
        inputTokens,
        turns: 1,
      });
    },
  );

  it("whose loop was killed is counted from where its session stood then", async () => {
    promise("agents.own-cost");
    const killed = run("acp", "COST: 0.5\nHANG:");
    await until(() => killed.events.some(({ type }) => type === "usage"));
    const id = killed.events.flatMap((each) => (each.type === "session" ? [each.id] : []))[0] ?? "";
    const next = await end("acp", "COST: 0.7\nSAY: done", { session: { type: "resume", id } });
    expect(next.usage?.usd).toBeCloseTo(0.2);
    await killed.running.stop("over");
  });

  it.each([
    ["1.18.99", 0.3, 0],
    ["1.19.0", 0.8, 1],
  ])(
    "whose version %s is newer than Pawl knows is warned of once, and a resumed session counted in full",
    async (version, usd, warnings) => {
      promise("agents.unknown-version");
      writeFileSync(join(root, "name"), "OpenCode");
      writeFileSync(join(root, "version"), version);
      const { events, running } = run("acp", "COST: 0.5\nSAY: done");
      const id = (await running.ended).session ?? "";
      const again = run("acp", "COST: 0.8\nSAY: done", { session: { type: "resume", id } });
      expect((await again.running.ended).usage?.usd).toBeCloseTo(usd);
      const warned = [...events, ...again.events].filter(
        (event) => event.type === "warning" && event.text.includes(`acp ${version} is newer than 1.18`),
      );
      expect(warned).toHaveLength(warnings);
    },
  );

  it("is allowed edits inside its folder and listed commands, and nothing else, under edits", async () => {
    const prompt = [
      `EDIT: ${join(root, "in.txt")}`,
      `EDIT: ${join(root, "../outside.txt")}`,
      `EDIT: ${join(root, ".git/hooks/post-commit")}`,
      "RUN: touch listed",
      "RUN: touch listed; touch hidden",
      "RUN: mkdir other",
    ].join("\n");
    const { events, running } = run("acp", prompt, { allow: ["touch"] });
    expect(await running.ended).toMatchObject({ outcome: "succeeded" });
    expect(events.flatMap((event) => (event.type === "permission" ? [event.answer] : []))).toEqual([
      "allow",
      "refuse",
      "refuse",
      "allow",
      "refuse",
      "refuse",
    ]);
    expect(["in.txt", "listed", "hidden", "other"].map((name) => existsSync(join(root, name)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("that ends its turn at a refusal is told of it, and goes on", async () => {
    promise("bloom.refusals");
    writeFileSync(join(root, "name"), "Copilot");
    const prompt = "RUN: touch hidden\nRUN: mkdir other\nRUN: touch listed\nSAY: done";
    const told = await end("acp", prompt, { allow: ["=touch listed"] });
    expect(told).toMatchObject({ outcome: "succeeded", usage: { inputTokens: 300 } });
    expect(["hidden", "other", "listed"].map((name) => existsSync(join(root, name)))).toEqual([
      false,
      false,
      true,
    ]);
    const [first] = readFileSync(join(root, `${told.session}.jsonl`), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    expect(first).toBe(JSON.stringify("You were refused: touch hidden. Go on without it."));
  });

  it("under ask does what a person allows, and nothing if nobody can be asked", async () => {
    const asked: string[] = [];
    const ask = async ({ title }: { title: string }) => {
      asked.push(title);
      return title.includes("yes") ? ("allow" as const) : ("refuse" as const);
    };
    await end("acp", "RUN: touch yes\nRUN: touch no", { permission: "ask", ask });
    await end("acp", "RUN: touch alone", { permission: "ask" });
    expect(asked).toEqual(["execute touch yes", "execute touch no"]);
    expect(["yes", "no", "alone"].map((name) => existsSync(join(root, name)))).toEqual([true, false, false]);
  });

  it.each([
    ["default", "ask"],
    ["https://agentclientprotocol.com/protocol/session-modes#agent", "ask"],
    ["read-only workspace-write", "edits"],
  ] as const)(
    "that has the modes auto and %s is set to one that asks, under %s",
    async (modes, permission) => {
      promise("agents.asked");
      writeFileSync(join(root, "modes"), `auto ${modes}`);
      expect(await end("acp", "RUN: touch first", { permission })).toMatchObject({ outcome: "succeeded" });
      expect(existsSync(join(root, "first"))).toBe(false);
    },
  );

  it("that begins in a mode in which it asks nobody is set to one that asks, when it is resumed, too", async () => {
    promise("agents.asked");
    const { session } = await end("acp", "RUN: touch first", { permission: "ask" });
    await end("acp", "RUN: touch again", {
      permission: "ask",
      session: { type: "resume", id: session ?? "" },
    });
    expect(["first", "again"].map((name) => existsSync(join(root, name)))).toEqual([false, false]);
  });

  it("that may do all, and offers no mode in which it asks nothing, is set to one that asks, and Pawl allows it", async () => {
    promise("agents.asked");
    const { events, running } = run("acp", "RUN: touch done", { permission: "all" });
    expect(await running.ended).toMatchObject({ outcome: "succeeded" });
    expect(events).toContainEqual(expect.objectContaining({ type: "permission", answer: "allow" }));
    expect(existsSync(join(root, "done"))).toBe(true);
  });

  it("that has no mode in which it asks does not begin, unless it may do all", async () => {
    promise("agents.asked");
    writeFileSync(join(root, "modes"), "auto plan");
    const refused = await end("acp", "RUN: touch never", { permission: "edits" });
    expect(refused).toMatchObject({ outcome: "failed", detail: expect.stringContaining("auto, plan") });
    await end("acp", "RUN: touch ever", { permission: "all" });
    expect(["never", "ever"].map((name) => existsSync(join(root, name)))).toEqual([false, true]);
  });

  it("is cancelled when it is stopped", { timeout: 10_000 }, async () => {
    const { running, events } = run("acp", "SAY: up\nHANG:");
    await until(() => events.some((event) => event.type === "text"));
    expect(await running.stop("enough")).toMatchObject({
      outcome: "failed",
      reason: "stopped",
      detail: "enough",
    });
  });

  it("that is silent for too long is ended as inactive, though it answers that it was cancelled", {
    timeout: 10_000,
  }, async () => {
    expect(await end("acp", "HANG:", { limits: { inactivity: 1500 } })).toMatchObject({ reason: "inactive" });
  });

  it("that exits without an answer has not succeeded", async () => {
    const silent = agents({ acp: { acp: { command: "true" } } });
    const { order } = run("scripted", "SAY: x");
    const started = silent.start({ ...order, agent: "acp", run: "silent" }, () => {});
    expect(await started.ended).toMatchObject({ outcome: "failed", reason: "cut-stream" });
  });
});

describe("what is installed", () => {
  it("is reported with its version, how it is recognised, and how it would be called", async () => {
    const found = await agents({ liar: { dialect: "claude", program: "/bin/true" } }).survey();
    const byName = Object.fromEntries(found.map((one) => [one.name, one]));
    expect(byName.scripted).toMatchObject({
      version: "1.0.0",
      status: "ready",
      recognised: expect.stringContaining("scripted agent"),
    });
    expect(byName.liar).toMatchObject({ version: null, recognised: expect.stringContaining("not claude") });
    expect(byName.codex?.calls).toMatchObject({
      all: expect.arrayContaining(["--dangerously-bypass-approvals-and-sandbox"]),
      edits: expect.arrayContaining(['sandbox_mode="workspace-write"']),
    });
  });

  it("is tried out by one real round trip", async () => {
    expect(await agents().tryOut("scripted")).toMatchObject({
      works: true,
      steps: [{ ok: true }, { ok: true }],
    });
    expect(await agents().tryOut("acp")).toMatchObject({ works: true });
    expect(await agents({ claude: { program: "no-such-claude" } }).tryOut("claude")).toMatchObject({
      works: false,
    });
    await expect(agents().tryOut("nobody")).rejects.toMatchObject({ code: "agent-missing" });
  });
});

describe("a command that the engine runs itself", () => {
  const commands = () => openCommands({ projectRoot: root, environment: process.env, names: [] });
  const order = (command: string, more = {}) => {
    count += 1;
    return { run: `check-${count}`, command, folder: { agentPath: root }, ...more };
  };

  it("gives its exit code and the tail of both streams in order", async () => {
    const script = "for i in $(seq 1 500); do echo out $i; done; echo bad >&2; echo last; exit 7";
    const told = await commands().run(order(script)).ended;
    expect(told).toMatchObject({ exit: 7, signal: null, ended: "itself" });
    expect(told.tail.split("\n").slice(-3)).toEqual(["out 500", "bad", "last"]);
    expect(told.tail.length).toBeLessThan(7000);
    expect(readFileSync(join(root, told.output, "output.jsonl"), "utf8")).toContain("out 1\n");
  });

  it("is ended at its limit, with its children", async () => {
    const told = await commands().run(order(`${hangs()} & ${hangs()}`, { limits: { total: 200 } })).ended;
    expect(told).toMatchObject({ ended: "timed-out", leftovers: { alive: 0 } });
  });
});
