import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { until } from "../../../../test/rig/until.ts";
import type { Row } from "./rows.ts";
import { type Source, showScreen } from "./screen.ts";

const NOW = Date.parse("2026-01-31T10:00:00.000Z");
const row = (run: string, more: Partial<Row> = {}): Row => ({
  ...{ key: run, section: "waits", run, title: "Title", kind: "gate", state: "in review", next: "decide" },
  ...{ since: "2026-01-31T09:58:00.000Z", minutes: 3, command: null, cost: "", ...more },
});
const ROWS = [
  row("a:one"),
  row("bloom:two", { kind: "question", next: "Which database?" }),
  row("a:three", { section: "works", kind: null, cost: "1.20 usd, 5 minutes" }),
];

function open(rows: readonly Row[], from: string | null = null) {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => {},
    ref: () => {},
    unref: () => {},
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let drawn = "";
  stdout.on("data", (chunk: Buffer) => {
    drawn += chunk.toString("utf8");
  });
  const source: Source = {
    rows: () => rows,
    lines: ({ run }) => [`${run} moved`],
    fault: () => null,
    subscribe: () => () => {},
    now: () => NOW,
  };
  const wanted = showScreen(source, "shop", from, { stdin: stdin as never, stdout: stdout as never });
  /** What was drawn since the last look. */
  const see = async (text: string) => {
    await until(() => drawn.includes(text));
    const seen = drawn;
    drawn = "";
    return seen;
  };
  const press = async (keys: string, text: string) => {
    // A key that comes before the screen listens is lost.
    await until(() => stdin.listenerCount("readable") > 0);
    stdin.write(keys);
    return see(text);
  };
  return { wanted, see, press, type: (keys: string) => stdin.write(keys) };
}

test("the list names what waits first, how long it has waited, and what reading it takes", async () => {
  const screen = open(ROWS);
  const seen = await screen.see("q quit");
  expect(seen).toContain("shop: 2 waiting for you, 1 at work");
  expect(seen).toContain("> a:one Title: decide (2 min, 3 min to read)");
  expect(seen.indexOf("Waits for you")).toBeLessThan(seen.indexOf("At work"));
  expect(seen).toContain("a:one moved");
  screen.type("q");
  expect(await screen.wanted).toMatchObject({ act: null });
});

test("the cursor moves by keys, which may come together, and a key asks for what its line allows", async () => {
  const screen = open(ROWS);
  await screen.see("> a:one");
  expect(await screen.press("j", "> bloom:two")).toContain("w answer");
  // A question is no gate: nothing happens.
  screen.type("a");
  expect(await screen.press("jj", "> a:three")).toContain("cost so far: 1.20 usd, 5 minutes");
  screen.type("kw");
  expect(await screen.wanted).toMatchObject({ act: "answer", row: { run: "bloom:two" } });
});

test("the cursor begins where it was, and Enter looks at the line", async () => {
  const screen = open(ROWS, "a:three");
  await screen.see("> a:three");
  await screen.press("k", "> bloom:two");
  await screen.press("k", "> a:one");
  screen.type("\r");
  expect(await screen.wanted).toMatchObject({ act: "review", row: { run: "a:one" } });
});

test("an empty list says how a run begins", async () => {
  const screen = open([]);
  expect(await screen.see("q quit")).toContain("No run has begun");
  screen.type("q");
  await screen.wanted;
});
