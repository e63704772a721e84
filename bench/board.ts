/// <reference lib="dom" />
/**
 * How long a person waits for the board, in Chromium: `node bench/board.ts [ROUNDS]`, after `npm run build`.
 *
 * Measured, with 1,000 tasks and 2,000 runs, of which 300 wait for a verdict: from the request of the board's address to the first
 * row of the inbox on the screen, with a warm server; `j` in the inbox, from the key to the next frame; the same for the columns and
 * the graph of the tasks, and `j` in the inbox with all 2,000 runs waiting. Each is a median of ROUNDS (default 15).
 * Not measured: the server's first answer after its start (printed without a bound); 300,000 events; a review's own time, which is
 * git's; a graphics card; another browser; a network.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openProject } from "pawl";
import { openChromium } from "../test/rig/board/chromium.ts";
import { MAIN, median, ms, projectWith, show } from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
const RUNS = 2_000;
const WAITING = 300;

const PIECE = `title: Piece
summary: A piece of work with one gate.
replies: ./replies
initial: open
goals: [done]
states:
  open: { description: It is under way., next: send submit }
  asked: { description: It waits for a person., awaits: human, next: approve or reject it }
  done: { description: It is done., final: true }
events:
  begin: Begin it
  submit: Hand it in
  approve: { description: Let it pass, verdict: approve }
  reject: { description: Send it back, verdict: reject }
facts:
  seen: { description: Whether it was begun, values: [false, true], initial: false }
rows:
  - { id: begins, from: open, on: begin, to: open, outcome: moved, set: { seen: true }, reply: ok }
  - { id: asks, from: open, on: submit, to: asked, outcome: moved, reply: ok }
  - { id: passes, from: asked, on: approve, to: done, outcome: moved, reply: ok }
  - { id: sent-back, from: asked, on: reject, to: open, outcome: moved, reply: ok }
blocked: ok
`;

async function largeProject(): Promise<string> {
  const root = projectWith(1_000, "workflows: [./piece.yaml]\n");
  mkdirSync(join(root, "replies"));
  writeFileSync(join(root, "replies/ok.md"), "{{ state }}\n");
  writeFileSync(join(root, "piece.yaml"), PIECE);
  await send(root, 0, RUNS, (at) => (at < WAITING ? "submit" : "begin"));
  return root;
}

async function send(root: string, from: number, to: number, event: (at: number) => string): Promise<void> {
  const project = await openProject({ root });
  for (let at = from; at < to; at++) await project.send(`piece:P-${at}`, event(at));
  await project.close();
}

async function openBoard(root: string) {
  const child = spawn(process.execPath, [MAIN, "board", "--no-open", "--json", "--project", root], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  const { address, url } = await new Promise<{ address: string; url: string }>((done) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      if (text.includes("\n")) done(JSON.parse(text.slice(0, text.indexOf("\n"))));
    });
  });
  return { address, url, [Symbol.dispose]: () => void child.kill() };
}

const root = await largeProject();
using board = await openBoard(root);
const browser = await openChromium();
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
const first = performance.now();
await page.goto(board.address);
await page.locator("[data-item]").first().waitFor({ timeout: 300_000 });
show("board: the first answer after the start", ms(performance.now() - first));

/** In the page: from the navigation to the frame after the element is there. */
async function view(hash: string, selector: string): Promise<number> {
  await page.goto("about:blank");
  await page.goto(`${board.url}${hash}`);
  return await page.evaluate(
    (wanted) =>
      new Promise<number>((done) => {
        const look = () =>
          document.querySelector(wanted) === null
            ? requestAnimationFrame(look)
            : requestAnimationFrame(() => done(performance.now()));
        look();
      }),
    selector,
  );
}

/** From the key to the frame after it, by the page's own clock. */
async function press(key: string): Promise<number> {
  await page.evaluate(() => {
    const own = globalThis as unknown as { took: Promise<number> };
    own.took = new Promise((done) => {
      const heard = ({ timeStamp }: KeyboardEvent) =>
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
      addEventListener("keydown", heard, { once: true, capture: true });
    });
  });
  await page.keyboard.press(key);
  return await page.evaluate(() => (globalThis as unknown as { took: Promise<number> }).took);
}

async function medianOf(work: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  await work();
  for (let round = 0; round < ROUNDS; round++) all.push(await work());
  return median(all);
}

const project = await page.evaluate(
  async () =>
    ((await (await fetch("/api/session")).json()) as { projects: { key: string }[] }).projects[0]?.key,
);
show(
  "board: first view, 1,000 tasks and 2,000 runs",
  ms(await medianOf(() => view("#/", "[data-item]"))),
  "300 ms",
);
await page.waitForTimeout(3_000);
show("board: j in the inbox, 300 waiting", ms(await medianOf(() => press("j"))), "50 ms");
show("board: the tasks, 1,000", ms(await medianOf(() => view(`#/${project}/tasks`, ".card"))), "300 ms");
await page.keyboard.press("v");
const begun = performance.now();
await page.locator(".picture svg, .apart li").first().waitFor();
show("board: the graph of 1,000 tasks", ms(performance.now() - begun), "300 ms");
show(
  "board: the runs, 2,000",
  ms(await medianOf(() => view(`#/${project}/runs`, "tbody tr, .run-row, li a"))),
  "300 ms",
);
await send(root, WAITING, RUNS, () => "submit");
show("board: first view, 2,000 waiting", ms(await medianOf(() => view("#/", "[data-item]"))), "300 ms");
await page.waitForFunction((all) => document.querySelectorAll("[data-item]").length === all, RUNS);
show("board: j in the inbox, 2,000 waiting", ms(await medianOf(() => press("j"))), "50 ms");
await browser.close();
