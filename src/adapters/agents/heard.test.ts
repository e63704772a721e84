import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { AgentEvent, AgentUsage } from "../../core/ports/agents.ts";
import { claude } from "./dialects/claude.ts";
import { codex } from "./dialects/codex.ts";
import { type Dialect, parseLine } from "./dialects/dialect.ts";
import { gemini } from "./dialects/gemini.ts";
import { limitedBy } from "./dialects/limited.ts";
import { opencode } from "./dialects/opencode.ts";
import { applyLine, judge, NO_OUTPUT, type RunOutput, spentIn } from "./heard.ts";

const STREAMS = join(import.meta.dirname, "streams");
const DIALECTS: Readonly<Record<string, Dialect>> = { claude, codex, opencode, gemini };
const NO_TOKENS = { usd: null, inputTokens: null, outputTokens: null, turns: null };
const WELL = { ending: "itself", why: "", code: 0, signal: null, errors: "" } as const;

function stream(name: string): string[] {
  return readFileSync(join(STREAMS, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
}

function readLines(
  dialect: Dialect,
  lines: readonly string[],
  before: AgentUsage | null = null,
): { heard: RunOutput; events: AgentEvent[] } {
  let heard = NO_OUTPUT;
  const events: AgentEvent[] = [];
  for (const line of lines) {
    const json = parseLine(line);
    if (!json) continue;
    const taken = applyLine(heard, dialect.read(json), before);
    heard = taken.output;
    events.push(...taken.events);
  }
  return { heard, events };
}

function verdict(dialect: Dialect, lines: readonly string[], end: Parameters<typeof judge>[1] = WELL) {
  return judge(readLines(dialect, lines).heard, end, dialect.failureOf);
}

const RECORDED = readdirSync(STREAMS).map((name) => name.replace(".jsonl", ""));
const WELL_ENDED = RECORDED.filter((name) => /-(1|resume)$/.test(name)).map(
  (name) => [name, DIALECTS[name.split("-")[0] ?? ""] as Dialect] as const,
);

describe("recorded streams", () => {
  it("are there for every dialect", () => {
    expect(WELL_ENDED).toHaveLength(8);
  });

  it.each(WELL_ENDED)(
    "%s tells its session, its tool call, its last words, and ends as success",
    (name, dialect) => {
      const { heard, events } = readLines(dialect, stream(name));
      expect(heard.text).toBe("scripted model: ran 1 command(s), done");
      expect(events.filter((event) => event.type === "session")).toEqual([
        { type: "session", id: heard.session },
      ]);
      expect(events.filter((event) => event.type === "tool")).toEqual([
        expect.objectContaining({ detail: expect.stringMatching(/echo (hi|two) > /) }),
      ]);
      expect(verdict(dialect, stream(name))).toBeNull();
    },
  );

  it.each(Object.keys(DIALECTS))("%s keeps its session when it is resumed", (name) => {
    const dialect = DIALECTS[name] as Dialect;
    const [first, second] = [`${name}-1`, `${name}-resume`].map(
      (one) => readLines(dialect, stream(one)).heard.session,
    );
    expect(first).toBeTruthy();
    expect(second).toBe(first);
  });

  it("report what was spent: claude and opencode the price, codex its share of the thread", () => {
    expect(readLines(claude, stream("claude-1")).heard.usage).toEqual({
      usd: expect.closeTo(0.0009),
      inputTokens: 200,
      outputTokens: 20,
      turns: 2,
    });
    expect(spentIn(readLines(opencode, stream("opencode-1")).heard)).toEqual({
      usd: expect.closeTo(0.00024),
      inputTokens: 200,
      outputTokens: 20,
      turns: 2,
    });
    const before = readLines(codex, stream("codex-1")).heard.usageInAll;
    const { heard } = readLines(codex, stream("codex-resume"), before);
    expect(heard.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
    expect(heard.usageInAll).toMatchObject({ inputTokens: 400, outputTokens: 40 });
  });

  it("tell what a subscriber's account has used of its quota: claude alone does in its stream", () => {
    promise("agents.fit");
    expect(readLines(claude, stream("claude-quota")).heard.quota).toEqual([
      { name: "five_hour", used: 0.59, resets: expect.stringMatching(/^2026-11-28T/) },
      { name: "seven_day", used: 0.2, resets: expect.stringMatching(/^2026-11-29T/) },
    ]);
    expect(readLines(claude, stream("claude-limit")).heard.quota).toMatchObject([{ used: 1 }]);
    for (const [name, dialect] of Object.entries(DIALECTS))
      expect(readLines(dialect, stream(`${name}-1`)).heard.quota).toBeNull();
    const odd = {
      five_hour: { utilization: "1", resetsAt: 1 },
      seven_day: { utilization: 1, resetsAt: 1e300 },
    };
    const line = { type: "rate_limit_event", rate_limit_info: { status: "allowed", unifiedWindows: odd } };
    expect(readLines(claude, [JSON.stringify(line)]).heard.quota).toBeNull();
  });

  it("report the model if the agent says it, and no name that is none", () => {
    promise("telemetry.names");
    const models = Object.entries(DIALECTS).map(([name, dialect]) => [
      name,
      readLines(dialect, stream(`${name}-1`)).heard.model,
    ]);
    expect(Object.fromEntries(models)).toEqual({
      claude: { asked: "claude-sonnet-4-5", answered: "claude-sonnet-4-5" },
      codex: null,
      gemini: { asked: "gemini-2.5-flash", answered: null },
      opencode: null,
    });
    const said = (message: object, more = {}) => JSON.stringify({ type: "assistant", message, ...more });
    const odd = [
      said({ model: "<synthetic>" }),
      said({ model: "x".repeat(101) }),
      said({ model: "words of an agent" }),
      said({ model: "a-small-one" }, { parent_tool_use_id: "t1" }),
    ];
    expect(readLines(claude, odd).heard.model).toBeNull();
  });

  it("count model calls by the tools used if they report none", () => {
    const turns = (dialect: Dialect, name: string) => spentIn(readLines(dialect, stream(name)).heard)?.turns;
    expect([turns(claude, "claude-1"), turns(opencode, "opencode-1")]).toEqual([2, 2]);
    expect([turns(codex, "codex-1"), turns(gemini, "gemini-1")]).toEqual([2, 2]);
    expect(spentIn({ usage: null, tools: 0, turns: 0 })).toBeNull();
  });

  it.each(Object.keys(DIALECTS))("%s are counted turn by turn, before they end", (name) => {
    promise("agents.budget");
    const lines = stream(`${name}-1`);
    const { events } = readLines(DIALECTS[name] as Dialect, lines);
    const turns = events.flatMap((event) => (event.type === "usage" ? [event.usage.turns] : []));
    expect(turns.at(-1)).toBe(2);
    expect(turns).toContain(1);
    const tool = lines.findIndex((line) => /tool_use|command_execution/.test(line));
    const cut = readLines(DIALECTS[name] as Dialect, lines.slice(0, tool + 1)).heard;
    expect(spentIn(cut)).toMatchObject({ turns: 1 });
  });

  it("count a call once, in however many lines it comes, calls side by side too", () => {
    const line = (id: string) => JSON.stringify({ type: "assistant", message: { id, content: [] } });
    const { heard } = readLines(claude, ["a", "a", "b", "a", "b", "c"].map(line));
    expect(spentIn(heard)).toMatchObject({ turns: 3 });
  });

  it("of failures say which", () => {
    const failed = { ...WELL, code: 1 };
    const reasons = Object.fromEntries(
      RECORDED.filter((name) => !/-(1|resume|cumulative|quota)$/.test(name)).map((name) => [
        name,
        verdict(DIALECTS[name.split("-")[0] ?? ""] as Dialect, stream(name), failed)?.reason,
      ]),
    );
    expect(reasons).toEqual({
      "claude-400": "bad-request",
      "claude-401": "account",
      "claude-429": "rate-limit",
      "claude-bad-session": "bad-session",
      "claude-budget": "gave-up",
      "claude-credit": "account",
      "claude-cut": "model-error",
      "claude-limit": "rate-limit",
      "claude-login": "account",
      "claude-model": "account",
      "codex-400": "bad-request",
      "codex-401": "account",
      "codex-429": "rate-limit",
      "codex-529": "rate-limit",
      "codex-credit": "account",
      "codex-cut": "model-error",
      "codex-limit": "rate-limit",
      "codex-login": "account",
      "codex-model": "account",
      "gemini-400": "bad-request",
      "gemini-401": "account",
      "gemini-429": "rate-limit",
      "gemini-cut": "model-error",
      "gemini-limit": "rate-limit",
      "gemini-model": "account",
      "opencode-400": "bad-request",
      "opencode-401": "account",
      "opencode-429": "rate-limit",
      "opencode-cut": "model-error",
      "opencode-model": "account",
    });
  });

  it("report why the account is refused", () => {
    promise("agents.account");
    const refused = Object.fromEntries(
      RECORDED.filter((name) => /-(401|login|credit|model)$/.test(name)).map((name) => [
        name,
        verdict(DIALECTS[name.split("-")[0] ?? ""] as Dialect, stream(name), { ...WELL, code: 1 })?.refuses,
      ]),
    );
    expect(Object.keys(refused)).toHaveLength(12);
    for (const [name, what] of Object.entries(refused))
      expect([name, what]).toEqual([name, /-(?:401|login)$/.test(name) ? "key" : name.split("-")[1]]);
  });

  it.each([
    [claude, "Claude AI usage limit reached|1795790523", "rate-limit"],
    [claude, "You've hit your limit · resets 3am (Europe/Berlin)", "rate-limit"],
    [claude, "Opus weekly limit reached ∙ resets Dec 6, 1pm", "rate-limit"],
    [claude, 'API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', "rate-limit"],
    [claude, "API Error: 429 Too many tokens per day, please wait before trying again.", "rate-limit"],
    [claude, "Repeated server overload with Opus model", "rate-limit"],
    [
      claude,
      'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC."}}',
      "rate-limit",
    ],
    [claude, "API Error: 400 This organization has been disabled.", "key"],
    [claude, "Your API key belongs to a disabled organization · Update or unset it", "key"],
    [claude, "Credit balance is too low", "credit"],
    [claude, "Invalid API key · Please run /login", "key"],
    [claude, "OAuth token revoked · Please run /login", "key"],
    [claude, "There's an issue with the selected model (x). It may not exist.", "model"],
    [claude, "Prompt is too long", "bad-request"],
    [claude, "API Error: Connection error.", "model-error"],
    [
      codex,
      "stream disconnected before completion: Rate limit reached for gpt-5. Try again in 11s.",
      "rate-limit",
    ],
    [codex, "Selected model is at capacity. Please try a different model.", "rate-limit"],
    [codex, "Your workspace is out of credits. Ask your workspace owner to refill.", "credit"],
    [
      codex,
      "unexpected status 400 Bad Request: The 'gpt-9' model is not supported when using Codex",
      "model",
    ],
    [codex, "Not logged in. Run codex login", "key"],
    [
      gemini,
      "[API Error: You have exhausted your capacity on this model. It resets after 3h20m.]",
      "rate-limit",
    ],
    [gemini, "[API Error: No capacity available for model gemini-3-pro on the server]", "rate-limit"],
    [opencode, "This request requires more credits, or fewer max_tokens", "credit"],
    [opencode, "ProviderAuthError", "key"],
    [opencode, "ProviderModelNotFoundError", "model"],
    [opencode, "ContextOverflowError", "bad-request"],
    [opencode, "AI_RetryError: Failed after 4 attempts. Last error: Too Many Requests", "rate-limit"],
  ] as const)("that name no status are told by the words of their end: %o %s", ({ name }, words, kind) => {
    promise("agents.account");
    const line = {
      claude: { type: "result", subtype: "success", is_error: true, result: words },
      codex: { type: "turn.failed", error: { message: words } },
      gemini: { type: "result", status: "error", error: { type: "unknown", message: words } },
      opencode: { type: "error", error: { name: words, data: { message: "it failed" } } },
    }[name as "claude"];
    const fault = verdict(DIALECTS[name] as Dialect, [JSON.stringify(line)], { ...WELL, code: 1 });
    expect(fault?.refuses ?? fault?.reason).toBe(kind);
  });

  it("are limited if the host calls a spent limit a bad request", () => {
    promise("agents.limit");
    const result =
      'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC."}}';
    const line = { type: "result", subtype: "success", is_error: true, api_error_status: 400, result };
    const fault = verdict(claude, [JSON.stringify(line)], { ...WELL, code: 1 });
    expect(limitedBy(fault, "claude", new Date("2026-12-28T12:00:00Z"))).toMatchObject({
      resets: "2027-01-01T00:00:00.000Z",
    });
    const bad = { ...line, result: "API Error: 400 max_tokens: 64000 > 32000, the maximum" };
    expect(verdict(claude, [JSON.stringify(bad)], { ...WELL, code: 1 })).toMatchObject({
      reason: "bad-request",
    });
  });

  it("that never began are recognised by gemini's exit code for a missing login", () => {
    promise("agents.account");
    const end = { ...WELL, code: 41, errors: "Please set an Auth method in your settings.json" };
    expect(verdict(gemini, [], end)).toMatchObject({ reason: "account", refuses: "key", detail: end.errors });
  });

  it("tell when a limit ends: claude by its own event, codex by its words", () => {
    promise("agents.limit");
    const now = new Date(2026, 10, 27, 12, 39);
    const resets = (dialect: Dialect, name: string) =>
      limitedBy(verdict(dialect, stream(name), { ...WELL, code: 1 }), dialect.name, now)?.resets;
    expect(resets(claude, "claude-limit")).toBe(new Date(1795790523_000).toISOString());
    expect(resets(codex, "codex-limit")).toBe(new Date(2026, 10, 27, 14, 38).toISOString());
    expect(resets(gemini, "gemini-limit")).toBeNull();
    expect(resets(opencode, "opencode-429")).toBeNull();
  });

  it("are limited only by their own last event, whatever was said before", () => {
    promise("agents.limit");
    const [limit] = stream("claude-limit").filter((line) => line.includes("rate_limit_event"));
    const said = { id: "m1", content: [{ type: "text", text: "You've hit your 5-hour limit · resets 3am" }] };
    const lines = [limit ?? "", JSON.stringify({ type: "assistant", message: said }), ...stream("claude-1")];
    expect(verdict(claude, lines)).toBeNull();
    const broken = [limit ?? "", ...stream("claude-cut")];
    expect(verdict(claude, broken, { ...WELL, code: 1 })).toMatchObject({ reason: "model-error" });
  });

  it("say what claude's run cost, not what its session did", () => {
    promise("agents.own-cost");
    const cost = (name: string, usd: number) =>
      readLines(claude, stream(name), { ...NO_TOKENS, usd }).heard.usage?.usd;
    expect(cost("claude-cumulative", 0.0012)).toBeCloseTo(0.0012, 6);
    expect(cost("claude-budget", 0.0024)).toBeCloseTo(0.0006, 6);
  });

  it("say what a run of claude cost that was ended before it said so: the session's next run does", () => {
    promise("agents.own-cost");
    const { heard } = readLines(claude, stream("claude-cumulative"), { ...NO_TOKENS, usd: 0.0006 });
    expect(heard.usage?.usd).toBeCloseTo(0.0018, 6);
    expect(heard.usageInAll?.usd).toBeCloseTo(0.0024, 6);
  });

  it("count a session's counter that has gone back from its new beginning", () => {
    promise("agents.own-cost");
    const { heard } = readLines(claude, stream("claude-cumulative"), { ...NO_TOKENS, usd: 5 });
    expect(heard.usage?.usd).toBeCloseTo(0.0024, 6);
    const of = readLines(codex, stream("codex-1"), { ...NO_TOKENS, inputTokens: 900, outputTokens: 90 });
    expect(of.heard.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
  });

  it("say once that the agent tries again, and before each long wait", () => {
    promise("agents.retry-line");
    const retry = (attempt: number, retry_delay_ms: number) =>
      JSON.stringify({
        ...{ type: "system", subtype: "api_retry", attempt, max_retries: 10, retry_delay_ms },
        ...{ error_status: 401, error: "authentication_failed" },
      });
    const { events } = readLines(claude, [retry(1, 520), retry(2, 1069), retry(3, 2311), retry(6, 16_500)]);
    expect(events.map((event) => (event.type === "warning" ? event.text : event.type))).toEqual([
      "a call of the model failed (authentication_failed, 401); retry 1 of 10 follows in 1 s",
      "a call of the model failed (authentication_failed, 401); retry 6 of 10 follows in 17 s",
    ]);
  });

  it("are read behind what sets a terminal's colour or title", () => {
    expect(parseLine('\u001b[0m\u001b]0;claude\u0007 {"type":"x"}')).toEqual({ type: "x" });
    expect(parseLine('words {"type":"x"}')).toBeNull();
  });
});

describe("the verdict", () => {
  it.each(WELL_ENDED)("on %s cut anywhere, even within a line, is never success", (name, dialect) => {
    promise("agents.true-end");
    const whole = stream(name).join("\n");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 2 }), (length) => {
        expect(verdict(dialect, whole.slice(0, length).split("\n"))).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it.each(WELL_ENDED)("on %s with its last line garbled is never success", (name, dialect) => {
    promise("agents.true-end");
    const lines = stream(name);
    const last = lines.at(-1) ?? "";
    fc.assert(
      fc.property(fc.integer({ min: 1, max: last.length - 1 }), fc.string({ maxLength: 5 }), (at, junk) => {
        const garbled = `${last.slice(0, at)}${junk}`;
        fc.pre(parseLine(garbled) === null);
        expect(verdict(dialect, [...lines.slice(0, -1), garbled])).not.toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.values(DIALECTS).map((dialect) => [dialect.name, dialect] as const))(
    "of %s on any JSON at all neither throws nor is success without its own end",
    (_, dialect) => {
      fc.assert(
        fc.property(fc.array(fc.json({ maxDepth: 3 })), (lines) => {
          expect(verdict(dialect, lines)).not.toBeNull();
        }),
      );
    },
  );

  it.each(WELL_ENDED)("on %s is no success if work went on after the end", (name, dialect) => {
    promise("agents.true-end");
    const lines = stream(name);
    const working = lines.find((line) => /"(assistant|step_start|turn.started|tool_use)"/.test(line)) ?? "";
    expect(verdict(dialect, [...lines, working])).toMatchObject({ reason: "cut-stream" });
  });

  it.each([
    [{ ...WELL, code: null, signal: "SIGTERM" }, "signalled"],
    [{ ...WELL, code: 143 }, "signalled"],
    [{ ...WELL, ending: "stopped" as const, why: "asked" }, "stopped"],
    [{ ...WELL, ending: "inactive" as const }, "inactive"],
    [{ ...WELL, ending: "timed-out" as const }, "timed-out"],
    [{ ...WELL, code: 1 }, "exit"],
    [{ ...WELL, ending: "not-started" as const, code: null }, "not-installed"],
  ])("on a stream that says success is not success if the process tells otherwise (%#)", (end, reason) => {
    promise("agents.true-end");
    expect(verdict(claude, stream("claude-1"), end)).toMatchObject({ reason });
  });

  it("says what the agent said of its failure, whatever its process ended with", () => {
    const lines = stream("claude-1").map((line) =>
      line.includes('"type":"result"') ? JSON.stringify({ ...JSON.parse(line), is_error: true }) : line,
    );
    expect(verdict(claude, lines)).toMatchObject({ reason: "model-error" });
    expect(verdict(claude, lines, { ...WELL, code: 143 })).toMatchObject({ reason: "model-error" });
  });

  it.each([
    [claude, { code: 1, errors: "No conversation found with session ID: x\n" }],
    [
      codex,
      { code: 1, errors: "Error: thread/resume failed: no rollout found for thread id x (code -32600)" },
    ],
    [opencode, { code: 1, errors: "\u001b[91m\u001b[1mError: \u001b[0mSession not found\n" }],
    [gemini, { code: 42, errors: "Error resuming session: No previous sessions found for this project.\n" }],
  ])("knows a session that cannot be resumed (%#)", (dialect, end) => {
    expect(verdict(dialect, [], { ...WELL, ...end })).toMatchObject({ reason: "bad-session" });
  });
});

describe("what an agent was not allowed", () => {
  const told = (dialect: Dialect, ...lines: readonly object[]) =>
    readLines(
      dialect,
      lines.map((line) => JSON.stringify(line)),
    ).heard.refused;

  it("is reported by claude with the command, at its end", () => {
    promise("bloom.refusals");
    const input = { command: "npm install left-pad" };
    expect(
      told(
        claude,
        { type: "system", subtype: "permission_denied", tool_name: "Bash" },
        {
          type: "result",
          subtype: "success",
          is_error: false,
          permission_denials: [{ tool_name: "Bash", tool_use_id: "t1", tool_input: input }],
        },
      ),
    ).toEqual(["Bash: npm install left-pad"]);
  });

  it("is told by codex, opencode and gemini with the call", () => {
    promise("bloom.refusals");
    const item = { type: "command_execution", command: "npm install", status: "declined" };
    expect(told(codex, { type: "item.completed", item })).toEqual(["npm install"]);
    const error = "The user rejected permission to use this specific tool call.";
    const state = { status: "error", input: { command: "npm install" }, error };
    expect(told(opencode, { type: "tool_use", part: { tool: "bash", state } })).toEqual([
      "bash: npm install",
    ]);
    const refused = { type: "policy_violation", message: "npm install is not allowed" };
    expect(told(gemini, { type: "tool_result", status: "error", error: refused })).toEqual([
      "npm install is not allowed",
    ]);
  });

  it.each(WELL_ENDED)("is nothing in %s", (name, dialect) => {
    expect(readLines(dialect, stream(name)).heard.refused).toEqual([]);
  });
});

describe("a hostile stream", () => {
  const line = (type: string, more: object) => JSON.stringify({ type, ...more });
  const sessionOf = (id: string) => line("system", { subtype: "init", session_id: id });

  it("names no session that is an option, has blanks or does not end", () => {
    promise("agents.hostile-stream");
    for (const id of ["--dangerously-skip-permissions", "-c", "a b", "a\nb", "a\u001b[2J", "a".repeat(201)])
      expect(readLines(claude, [sessionOf("s-1"), sessionOf(id)]).heard.session, id).toBe("s-1");
    for (const id of ["9f3c1b1e-52b5-4f0a-9e38-7a6f3b6f0c11", "ses_71aF", "a/b:c"])
      expect(readLines(claude, [sessionOf(id)]).heard.session).toBe(id);
  });

  it("is refused a hundred things at most, each in a short line", () => {
    promise("agents.hostile-stream");
    const denied = line("system", { subtype: "permission_denied", tool_name: "x".repeat(10_000) });
    const { refused } = readLines(claude, Array(150).fill(denied)).heard;
    expect(refused).toHaveLength(100);
    expect(refused.every((each) => each.length <= 300)).toBe(true);
    const denials = Array(150).fill({ tool_name: "x", tool_input: { command: "y".repeat(10_000) } });
    expect(readLines(claude, [line("result", { permission_denials: denials })]).heard.refused).toHaveLength(
      100,
    );
  });

  it("has last words, whatever came before them", () => {
    promise("agents.hostile-stream");
    const said = (text: string) => line("assistant", { message: { content: [{ type: "text", text }] } });
    const { text } = readLines(claude, [said(`${"x".repeat(5_000_000)}the end`)]).heard;
    expect(text.length).toBeLessThanOrEqual(2 ** 21);
    expect(text.endsWith("the end")).toBe(true);
  });

  it.each(Object.values(DIALECTS).map((dialect) => [dialect.name, dialect] as const))(
    "ends no loop if a tool's input nests too deeply to be rendered: %s",
    (_, dialect) => {
      promise("agents.hostile-stream");
      const deep = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
      const tool = `"name":"x","tool_name":"x","input":{"x":${deep}},"parameters":{"x":${deep}}`;
      for (const line of [
        `{"type":"assistant","message":{"content":[{"type":"tool_use",${tool}}]}}`,
        `{"type":"item.started","item":{"type":"mcp_tool_call","tool":"x","arguments":${deep}}}`,
        `{"type":"tool_use",${tool},"part":{"tool":"x","state":{"input":${deep}}}}`,
        `{"type":"error","error":${deep},"message":${deep}}`,
      ]) {
        const json = parseLine(line);
        expect(json === null ? [] : dialect.read(json)).toEqual([]);
      }
      expect(parseLine(`{"type":"x","a":${"[".repeat(400)}${"]".repeat(400)}}`)).not.toBeNull();
    },
  );

  it("is not parsed if a line has millions of values, and is if it has one long text", () => {
    promise("agents.hostile-stream");
    for (const value of ["[]", "{}", "1", '{"a":[1]}'])
      expect(parseLine(`{"type":"x","a":[${`${value},`.repeat(4_000_000)}1]}`)).toBeNull();
    const text = '[{"a\\": 1}], '.repeat(400_000);
    expect(parseLine(JSON.stringify({ text }))).toEqual({ text });
  });
});
