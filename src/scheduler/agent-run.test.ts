/** What is told of a run of an agent: what it said, what it used, and why it ended. */
import { describe, expect, it } from "vitest";
import type { BloomEvent } from "../core/bloom-event.ts";
import type { AgentEnd, AgentEvent, AgentRun } from "../core/ports/agents.ts";
import { agentEnded, agentLost, endOrStop, lastQuestion, lastWords, showAgent } from "./agent-run.ts";

const USAGE = { usd: 0.1 + 0.2, inputTokens: 1200, outputTokens: 34, turns: 7 };
const NONE = { usd: null, inputTokens: null, outputTokens: null, turns: null };
const END = {
  ...{ outcome: "succeeded", text: "Done.", duration: 9, usage: USAGE, session: null },
  ...{ exit: { code: 0, signal: null }, leftovers: { ended: 0, alive: 0 }, output: "x" },
} as unknown as AgentEnd;
const failed = (reason: string) => ({ ...END, outcome: "failed", reason, detail: "It was so." }) as AgentEnd;

describe("The end of an agent's run", () => {
  it.each([
    ["all of it", USAGE, { ...USAGE, usd: 0.3 }],
    ["nothing", null, NONE],
    ["its calls", { ...NONE, turns: 7 }, { ...NONE, turns: 7 }],
    ["its dollars", { ...NONE, usd: 0 }, { ...NONE, usd: 0 }],
  ])("names what it used, as far as the agent says: %s", (_, usage, used) => {
    expect(agentEnded("T1", "T1.1", { ...END, usage })).toMatchObject(used);
    expect(agentLost("T1", "T1.1", usage, { at: "t", duration: 5 })).toEqual({
      ...{ type: "agent:ended", taskId: "T1", run: "T1.1", outcome: "failed", reason: "lost" },
      ...{ detail: "its loop ended before it did", duration: 5, at: "t" },
      ...used,
    });
  });

  it("names what the agent said last, or why it failed, and the model if it is known", () => {
    const text = "a".repeat(600);
    const model = { asked: null, answered: "opus" };
    expect(agentEnded("T1", "T1.1", { ...END, text, model })).toEqual({
      ...{ type: "agent:ended", taskId: "T1", run: "T1.1", outcome: "succeeded", duration: 9 },
      ...{ reason: null, detail: "a".repeat(500), model, ...USAGE, usd: 0.3 },
    });
    const ended = agentEnded("T1", "T1.1", failed("timed-out"));
    expect([ended.reason, ended.detail, "model" in ended]).toEqual(["timed-out", "It was so.", false]);
  });
});

describe("What an agent does", () => {
  it.each<[AgentEvent, object | null]>([
    [
      { type: "text", text: "Hello" },
      { type: "agent:said", text: "Hello" },
    ],
    [
      { type: "tool", name: "Bash", detail: "ls" },
      { type: "agent:used_tool", name: "Bash", detail: "ls" },
    ],
    [
      { type: "warning", text: "Slow" },
      { type: "agent:warned", text: "Slow" },
    ],
    [{ type: "usage", usage: USAGE }, null],
  ])("is shown as it happens: %j", (event, expected) => {
    const shown: BloomEvent[] = [];
    showAgent((each) => void shown.push(each), "T1", "T1.1", event);
    expect(shown).toEqual(expected === null ? [] : [{ taskId: "T1", run: "T1.1", ...expected }]);
  });
});

describe("The last words of an agent", () => {
  it.each([
    ["Read it.\n\nWhich port?\n\n", "Which port?", "Which port?"],
    ["Is it?\n \t\r\n  It is.  ", "It is.", null],
    ["**Which one (a or b)?**", "**Which one (a or b)?**", "**Which one (a or b)?**"],
    ["どれですか？」", "どれですか？」", null],
    ["どれですか？", "どれですか？", "どれですか？"],
    ["Why? I know", "Why? I know", null],
    ["", "", null],
    [`Why?${"a".repeat(2000)}`, "a".repeat(2000), null],
  ])("are its last paragraph, and a question if it ends as one: %j", (text, words, question) => {
    expect([lastWords({ text }), lastQuestion({ text })]).toEqual([words, question]);
  });
});

describe("A reason to stop an agent", () => {
  const NEVER = new Promise<never>(() => {});
  it.each([
    ["it stopped for that", failed("stopped"), "budget"],
    ["its supervisor was faster", failed("signalled"), "budget"],
    ["it failed by itself just before", failed("timed-out"), null],
    ["it was done just before", END, null],
  ])("counts only if it ended the run: %s", async (_, end, stop) => {
    const stops: string[] = [];
    const run = {
      run: "T1.1",
      ended: NEVER,
      async stop(reason: string) {
        stops.push(reason);
        return end;
      },
    } as unknown as AgentRun;
    expect(await endOrStop(run, NEVER, Promise.resolve("budget"))).toEqual({ end, stop });
    expect(stops).toEqual(["budget"]);
    expect(await endOrStop({ ...run, ended: Promise.resolve(END) }, NEVER)).toEqual({ end: END, stop: null });
    expect(stops).toHaveLength(1);
  });
});
