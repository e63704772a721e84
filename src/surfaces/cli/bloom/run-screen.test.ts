import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { ScreenModel } from "../../../../test/rig/screen-model.ts";
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { clean, paintOf, type Terminal } from "../terminal/terminal.ts";
import { openScreen } from "./run-screen.ts";

const WIDE_TEXT = "漢字🚀".repeat(100);
const HOSTILE = `\u001b[2J\u001b]0;owned\u0007\u202eevil ${WIDE_TEXT}\r\n\u001b[31mred`;
const START = Date.parse("2026-01-02T23:04:05");

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function open({ columns = 80, rows = 24, wide = 2, isScreen = true } = {}) {
  const model = new ScreenModel(columns, rows, wide);
  const paint = paintOf(false);
  const terminal: Terminal = {
    columns,
    rows,
    paint,
    errPaint: paint,
    isScreen,
    errIsScreen: isScreen,
    out: (text) => {
      model.write(text);
      return true;
    },
    err: () => {},
  };
  const screen = openScreen(terminal);
  const show = (...events: readonly unknown[]) => {
    for (const each of events) screen.show(each as BloomEvent | PawlEvent);
    vi.advanceTimersByTime(200);
  };
  return { model, screen, show };
}

const claimed = (taskId: string) => ({ type: "task:claimed", taskId, worker: "w", takenOver: false });
const step = (taskId: string, stepIndex: number, totalSteps: number) => ({
  type: "step:started",
  taskId,
  stepId: `${taskId}-${stepIndex}`,
  stepIndex,
  totalSteps,
});
const moved = (task: string, event: string, to: string) => ({
  type: "run:advanced",
  run: `bloom:${task}`,
  machine: "bloom",
  event,
  row: "x",
  from: "working",
  to,
  summary: `${task} goes on`,
  by: { channel: "library" },
});
const progress = {
  type: "loop:progress",
  done: 1,
  open: 3,
  blocked: ["B"],
  waiting: ["Q", "P"],
  red: [],
  resting: [],
  idle: false,
};

describe("The loop's screen", () => {
  it("has a line per agent with a bar over its steps, what waits, and how the whole stands", () => {
    const { model, show } = open();
    show(claimed("A"), step("A", 0, 3), {
      type: "agent:started",
      taskId: "A",
      agent: "claude",
      run: "A.1",
      purpose: "step",
      permission: "edits",
      resumed: false,
    });
    show(moved("A", "step_done", "verifying"), step("A", 1, 3));
    show({ type: "agent:used_tool", taskId: "A", run: "A.1", name: "Bash", detail: "npm test" });
    show({ type: "task:waiting", taskId: "Q", reason: "q1: Which one?" });
    show({ type: "git:pr_watched", taskId: "P", number: 1, url: "https://x/pull/1", every: 60 });
    show({ type: "task:retried", taskId: "R", attempt: 2, after: 240_000, reason: "no network" }, progress);
    vi.advanceTimersByTime(65_000);
    expect(model.lines).toEqual([
      "23:04 A step A-0 (1/3): claude, permission edits",
      "23:04 Q waits for you: q1: Which one?",
      "23:04 P waits for the merge of https://x/pull/1, checked every 60 s",
      "23:04 R tries again in 240 s (2): no network",
      "> A [####--------] 1/3 (1 min) Bash: npm test",
      "? Q waits for you: q1: Which one?",
      "~ P waits for its merge: https://x/pull/1",
      ". R tries again in 2 min: no network",
      "1 done, 3 open, blocked: B, 2 waiting.",
    ]);
    // A person has rejected Q in another process.
    show({ ...progress, blocked: ["B", "Q"], waiting: ["P"] });
    expect(model.lines.filter((line) => /^[?~]/.test(line))).toEqual([
      "~ P waits for its merge: https://x/pull/1",
    ]);
    show(progress);
    show(
      { type: "task:released", taskId: "A", worker: "w" },
      moved("Q", "answered", "working"),
      claimed("R"),
    );
    show(moved("P", "pr_merged", "cleaning"));
    expect(model.lines.slice(4)).toEqual(["> R (0 s)", "1 done, 3 open, blocked: B, 2 waiting."]);
  });

  it("shows a question for which nothing waits; the others stand in the block", () => {
    const { model, show } = open();
    const asked = (questionId: string, text: string, blocking: boolean) => ({
      ...{ type: "question:asked", taskId: "A", questionId, text, blocking },
    });
    show(claimed("A"), asked("q1", "Which port?", false), asked("q2", "Which host?", true));
    expect(model.lines.filter((line) => line.includes("asks"))).toEqual(["23:04 A asks q1: Which port?"]);
  });

  it("says once what a target fails, and who waits for it", () => {
    promise("bloom.target-red");
    const { model, show } = open();
    const reason = "`npm test` exited with 1 on main too, since 0a1b";
    const red = { into: "main", command: "npm test", commit: "0a1b", since: "0a1b", reason };
    show({ type: "target:red", taskId: "A", ...red, first: true });
    show({ type: "target:red", taskId: "B", ...red, first: false });
    show({ ...progress, blocked: [], waiting: [], red: [{ reason, tasks: ["A", "B"] }] });
    expect(model.lines).toEqual([
      `23:04 A waits: ${reason}`,
      `~ A, B wait: ${reason}`,
      "1 done, 3 open, 2 waiting for a target.",
    ]);
  });

  it("says once which agent rests, until when, and who waits for it", () => {
    promise("agents.limit");
    const { model, show } = open();
    const rests = { type: "agent:rests", agent: "claude", until: "2026-11-28T03:02:00Z" };
    const reason = "claude rests until 03:02 (You've hit your limit)";
    show({ ...rests, taskId: "A", reason, first: true });
    show({ ...rests, taskId: "B", reason, first: false });
    const words = "claude rests until 03:02";
    const resting = [
      { agent: "claude", words, until: rests.until, tasks: ["A", "B", "C"], others: ["codex"] },
    ];
    show({ ...progress, blocked: [], waiting: [], resting });
    expect(model.lines).toEqual([
      `23:04 A waits: ${reason}`,
      `~ ${words}; 3 tasks wait; codex goes on`,
      `1 done, 3 open, ${words}; 3 tasks wait; codex goes on.`,
    ]);
  });

  it.each([1, 2])("is drawn over whole, whatever is told, if odd letters take %i columns", (wide) => {
    promise("bloom.screen");
    const { model, screen, show } = open({ wide });
    for (const task of ["A", "B"]) show(claimed(task), step(task, 0, 2));
    for (let turn = 0; turn < 40; turn++) {
      show({ type: "agent:said", taskId: "A", run: "A.1", text: `${turn} ${HOSTILE}` });
      show({ type: "agent:said", taskId: "B", run: "B.1", text: "e\u0301".repeat(300) });
      show({ type: "task:waiting", taskId: "Q", reason: HOSTILE });
      show({ type: "agent:warned", taskId: "A", run: "A.1", text: HOSTILE });
      const own = model.lines.filter((line) => /^> A /.test(line));
      expect(own).toHaveLength(1);
      expect(own[0]).toMatch(new RegExp(`0/2 \\(\\d+ s\\) ${turn} .*evil 漢字`));
      expect(model.lines.slice(-3).map((line) => line.slice(0, 3))).toEqual(["> A", "> B", "? Q"]);
    }
    expect(model.strange).toEqual([]);
    screen.close();
    expect(model.lines.some((line) => /^[>?] /.test(line))).toBe(false);
  });

  it("keeps to the screen's height, and says how many it leaves out", () => {
    const { model, show } = open({ rows: 10 });
    for (let n = 0; n < 30; n++) show(claimed(`T${n}`), progress);
    for (let n = 0; n < 5; n++) show({ type: "task:completed", taskId: `D${n}`, duration: null });
    expect(model.lines).toEqual([
      ...[0, 1, 2, 3, 4].map((n) => `23:04 D${n} is done`),
      ...[0, 1, 2, 3, 4, 5].map((n) => expect.stringMatching(`^> T${n} `)),
      "and 24 more",
      "1 done, 3 open, blocked: B, 2 waiting.",
    ]);
  });

  it("prints plain lines into a pipe, and once that there is nothing to do", () => {
    promise("cli.readable");
    const { model, screen, show } = open({ isScreen: false });
    show(claimed("A"), step("A", 0, 2), progress, {
      type: "task:waiting",
      taskId: "Q",
      reason: "q1: Which?",
    });
    show({ type: "task:blocked", taskId: "B", reason: "`exit 3` exited with 3" });
    const idle = { ...progress, idle: true };
    show(idle, idle);
    vi.advanceTimersByTime(65_000);
    screen.close();
    expect(model.lines).toEqual([
      "23:04 Q waits for you: q1: Which?",
      "23:04 B is blocked: `exit 3` exited with 3",
      "Nothing to do; waiting for changes. 1 done, 3 open, blocked: B, 2 waiting.",
    ]);
  });

  it("says once what many tasks wait for, and once more of how many it is true", () => {
    promise("bloom.screen");
    const reason = (task: string) => `Nobody has agreed to verify of ${task} (npm test).`;
    const waits = (task: string) => ({ type: "task:waiting", taskId: task, reason: reason(task) });
    const many = Array.from({ length: 330 }, (_, n) => waits(`F-${n + 1}`));
    for (const isScreen of [true, false]) {
      const { model, screen, show } = open({ isScreen });
      show(...many, { type: "task:completed", taskId: "A", duration: null });
      show({ type: "task:blocked", taskId: "B", reason: "no disk" });
      show({ type: "task:blocked", taskId: "C", reason: "no disk" });
      expect(model.lines.filter((line) => line.startsWith("? "))).toEqual(
        isScreen ? [expect.stringMatching(/^\? F-1, F-2, F-3 and 327 more wait for you: Nobody has /)] : [],
      );
      screen.close();
      expect(model.lines.filter((line) => !line.startsWith("("))).toEqual([
        `23:04 F-1 waits for you: ${reason("F-1")}`,
        "23:04 F-2, F-3, F-4 and 326 more wait for you, too, for the same reason as F-1",
        "23:04 A is done",
        "23:04 B is blocked: no disk",
        "23:04 C is blocked, too, for the same reason as B",
      ]);
    }
  });

  it("has no line of a try that a person has ended", () => {
    const { model, show } = open();
    show({ type: "task:retried", taskId: "R", attempt: 2, after: 240_000, reason: "no network" });
    expect(model.lines.some((line) => line.startsWith(". R"))).toBe(true);
    show({ ...progress, blocked: ["R"] });
    expect(model.lines.some((line) => line.startsWith(". R"))).toBe(false);
  });

  it("says once which cap lets tasks wait, and shows it for as long as it does", () => {
    promise("machines.caps");
    const { model, show } = open();
    const [api, usd] = ["2 tasks are at work in api", "the day's 5 USD are spent"];
    show({ type: "loop:capped", caps: [api] }, { type: "loop:capped", caps: [] });
    show({ type: "loop:capped", caps: [api, usd] });
    const told = [`23:04 Tasks wait: ${api}`, `23:04 Tasks wait: ${usd}`];
    expect(model.lines).toEqual([...told, `. Tasks wait: ${api}`, `. Tasks wait: ${usd}`]);
    show({ type: "loop:capped", caps: [] });
    expect(model.lines).toEqual(told);
  });

  it("says the same trouble with a forge once, not once a minute all night", () => {
    const { model, show } = open();
    for (let n = 0; n < 100; n++) show({ type: "git:pr_unseen", taskId: "P", number: 1, reason: "502: no" });
    show({ type: "git:pr_unseen", taskId: "P", number: 1, reason: "401: no token" });
    expect(model.lines).toHaveLength(2);
  });
});

describe("A line", () => {
  it("obeys nothing that it is told", () => {
    expect(clean(HOSTILE)).toBe(`<U+202E>evil ${WIDE_TEXT}\nred`);
  });
});
