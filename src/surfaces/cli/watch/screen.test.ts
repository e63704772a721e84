import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { until } from "../../../../test/rig/until.ts";
import type { TaskCard } from "../../../runtime/board.ts";
import { paintOf } from "../terminal/terminal.ts";
import { widthOf } from "../terminal/text-width.ts";
import type { Findings } from "./detail.ts";
import type { Row } from "./rows.ts";
import { AT_FIRST, type Kept, type Source, showScreen } from "./screen.ts";

const NOW = Date.parse("2026-01-31T10:00:00.000Z");
const QUESTION = "Which of the two databases shall it use?";
const row = (run: string, more: Partial<Row> = {}): Row => ({
  ...{ key: `waits ${run} 0`, section: "yours", run, title: `Title of ${run}`, kind: "gate" },
  ...{ state: "review", next: "decide", since: "2026-01-31T09:58:00.000Z", minutes: 3, command: null },
  ...{ question: null, task: null, order: null, cost: "", ...more },
});
const BLOCKED = { column: "blocked", state: "blocked", reason: "no disk", failed: null } as TaskCard;
const ROWS = [
  row("a:one"),
  row("bloom:two", { kind: "question", state: "question", question: "q1", next: QUESTION }),
  row("bloom:stuck", { kind: "blocked", state: "blocked", task: BLOCKED }),
  row("a:three", { key: "a:three", section: "working", kind: null, state: "working", cost: "1.20 usd" }),
];

interface Size {
  columns: number;
  rows: number;
}

/** The screen on a model of a terminal that holds the last frame. */
function open(rows: () => readonly Row[], size: Size = { columns: 80, rows: 24 }, kept: Kept = AT_FIRST) {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => {},
    ref: () => {},
    unref: () => {},
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, ...size });
  let drawn = "";
  stdout.on("data", (chunk: Buffer) => {
    drawn += chunk.toString("utf8");
  });
  const changed = new Set<() => void>();
  const source: Source = {
    rows,
    findings: ({ run }): Findings => ({ review: null, missing: null, said: [], events: [`${run} moved`] }),
    accounts: () => "Agents: claude is open.",
    fault: () => null,
    subscribe(each) {
      changed.add(each);
      return () => changed.delete(each);
    },
    now: () => NOW,
  };
  const wanted = showScreen(
    source,
    { title: "shop", kept, paint: paintOf(false) },
    { stdin: stdin as never, stdout: stdout as never },
  );
  /** The whole of the last frame, once it has the text. */
  const see = async (text: string | ((frame: string) => boolean)) => {
    const has = typeof text === "string" ? (shown: string) => shown.includes(text) : text;
    const frame = () => {
      const from = drawn.lastIndexOf("shop: ");
      return from < 0 ? "" : stripVTControlCharacters(drawn.slice(from));
    };
    return until(() => has(frame()) && frame()).catch((cause: unknown) => {
      throw new Error(`The screen never had ${text}:\n${frame()}`, { cause });
    });
  };
  const press = async (keys: string, text: Parameters<typeof see>[0]) => {
    // A key that comes before the screen listens is lost.
    await until(() => stdin.listenerCount("readable") > 0);
    stdin.write(keys);
    return see(text);
  };
  const change = () => {
    for (const each of changed) each();
  };
  const resize = (to: Size) => {
    Object.assign(stdout, to);
    stdout.emit("resize");
  };
  return { wanted, see, press, change, resize, type: (keys: string) => stdin.write(keys) };
}

const lines = (frame: string) =>
  frame
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());

test("each row begins with its age, and says its state and its title in words", async () => {
  const screen = open(() => ROWS);
  const seen = lines(await screen.see("q quit"));
  expect(seen[0]).toBe("shop: 3 wait for you, 1 working · 1 of 4");
  expect(seen.slice(1, 9)).toEqual([
    "Agents: claude is open.",
    "Waits for you",
    ">  2 min  review     Title of a:one",
    "   2 min  question   Title of bloom:two",
    "   2 min  blocked    Title of bloom:stuck",
    "Working",
    "   2 min  working    Title of a:three",
    "",
  ]);
  expect(seen.at(-1)).toContain("Enter detail · a approve · r reject · v view it with its changes");
  screen.type("q");
  expect(await screen.wanted).toMatchObject({ act: null });
});

test("Enter shows the detail in place of the list, and the list again", async () => {
  const screen = open(() => ROWS);
  await screen.press("j", ">  2 min  question");
  const detail = await screen.press("\r", QUESTION);
  expect(detail).toContain("question · for 2 min · 3 min to read · bloom:two");
  expect(detail).toContain("\nw answer");
  expect(detail).not.toContain("Title of a:one");
  expect(await screen.press("j", "no disk")).toContain("\nh try again with a hint");
  await screen.press("\r", ">  2 min  blocked");
  screen.type("q");
  await screen.wanted;
});

test("on a wide terminal the detail is beside the list, and leaves it when the window gets narrow", async () => {
  const screen = open(() => ROWS, { columns: 120, rows: 24 });
  const wide = lines(await screen.see("│ a approve"));
  expect(wide.find((line) => line.startsWith("> "))).toMatch(/Title of a:one +│ /);
  for (const line of wide) expect(widthOf(line)).toBeLessThanOrEqual(120);
  screen.resize({ columns: 60, rows: 12 });
  const narrow = lines(await screen.see("Enter detail"));
  expect(narrow.join("\n")).not.toContain("│");
  expect(narrow.length).toBeLessThan(12);
  screen.type("q");
  await screen.wanted;
});

test("the filter follows what is typed, Enter keeps it, Escape shows all again", async () => {
  const screen = open(() => ROWS);
  await screen.see("> ");
  const typed = await screen.press("/stuck", "1 of 1");
  expect(typed).not.toContain("a:one");
  expect(lines(typed).at(-1)).toBe("/stuck_");
  await screen.press("\r", "t try again");
  await screen.press("/no\u007f\u007fnothing", 'Nothing has "nothing" in it');
  await screen.press("\u001b", "1 of 4");
  screen.type("q");
  expect(await screen.wanted).toMatchObject({ act: null });
});

test("a deed that needs words asks for them in the last line, and without words nothing happens", async () => {
  const screen = open(() => ROWS);
  await screen.press("j", ">  2 min  question");
  // It is no gate: nothing happens.
  screen.type("a");
  expect(lines(await screen.press("w", "Your answer: _")).at(-1)).toBe("Your answer: _");
  await screen.press("\r", "w answer");
  await screen.press("w", "Your answer: _");
  screen.type("the öld q one\r");
  expect(await screen.wanted).toMatchObject({
    ...{ act: "answer", words: "the öld q one" },
    row: { run: "bloom:two", question: "q1" },
  });
});

test("a rejection may be without words", async () => {
  const screen = open(() => ROWS);
  await screen.press("r", "Why?");
  screen.type("\r");
  expect(await screen.wanted).toMatchObject({ act: "reject", words: "", row: { run: "a:one" } });
});

test("the order stays while one looks: what is new is counted until one takes it", async () => {
  let rows: readonly Row[] = ROWS;
  const screen = open(() => rows);
  await screen.press("j", ">  2 min  question");
  rows = [row("a:new", { title: "Newcomer" }), ...ROWS];
  screen.change();
  const held = await screen.see("1 new: n");
  expect(held).toContain("4 wait for you");
  expect(held).not.toContain("Newcomer");
  const taken = lines(await screen.press("n", "Newcomer"));
  expect(taken.find((line) => line.startsWith(">"))).toContain("Title of bloom:two");
  screen.type("q");
  await screen.wanted;
});

test("the screen comes back where it was, with what the command said", async () => {
  const screen = open(() => ROWS, undefined, {
    ...{ key: "waits bloom:stuck 0", sought: "bloom", isOpen: null, said: "stuck continues." },
  });
  const seen = lines(await screen.see("stuck continues."));
  expect(seen[0]).toContain("/bloom · 2 of 2");
  expect(seen.find((line) => line.startsWith(">"))).toContain("Title of bloom:stuck");
  screen.type("\u0003");
  expect(await screen.wanted).toMatchObject({ act: null, isInterrupted: true });
});

test.each([
  { columns: 40, rows: 10 },
  { columns: 120, rows: 10 },
  { columns: 20, rows: 5 },
])("hostile and wide texts stay within $columns × $rows", async (size) => {
  const evil = `${"漢字🚀".repeat(80)}\u001b[2J\u001b]0;x\u0007\u202e\n${"x".repeat(300)}`;
  const rows = Array.from({ length: 50 }, (_, at) =>
    row(`a:${at}`, { title: evil, next: evil, kind: "question", question: "q" }),
  );
  const screen = open(() => rows, size);
  const isList = (frame: string) => /^>/m.test(frame);
  for (const [key, isThere] of [
    ["", isList],
    ["\r", (frame: string) => size.columns > 100 || !isList(frame)],
    ["\r", isList],
  ] as const) {
    const seen = lines(await screen.press(key, isThere));
    expect(seen.length).toBeLessThan(size.rows);
    for (const line of seen) expect(widthOf(line)).toBeLessThanOrEqual(size.columns);
    expect(seen.join("")).not.toMatch(/\u202e/);
  }
  screen.type("q");
  await screen.wanted;
});

test("an empty list says how a run begins", async () => {
  const screen = open(() => []);
  expect(await screen.see("q quit")).toContain("No run has begun");
  screen.type("q");
  await screen.wanted;
});
