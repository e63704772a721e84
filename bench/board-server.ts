/**
 * `pawl board` on a large project: 1,000 tasks, 2,000 runs (half of them Bloom's, half Alfred's) and 300,000 events.
 *
 * Measured: the routes that the first view needs, one after the other over a connection that is open already, warm; every other
 * page's route, the first time (the whole log is read once) and warm; from an event on the disk to its message in the reader; the
 * processor time of the server while nobody and while one page listens and nothing happens; its memory.
 * Where Chromium is installed, in it: the first view, from the navigation's start to the inbox with more rows than the window shows, warm; and from an event on
 * the disk to its line on the screen of the run's page.
 * Not measured: a review, whose time is git's and the checks'; a slow disk.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newRun, renderRun } from "../src/workflows/bloom/task-run.ts";
import { projectWithTask, taskMarkdown } from "../test/rig/alfred-project.ts";
import { HAS_CHROMIUM, openChromium } from "../test/rig/board/chromium.ts";
import { type Browser, enterBoard } from "../test/rig/board.ts";
import { ENVIRONMENT, MAIN, ms, show, spreadOf } from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 20);
const TASKS = Number(process.argv[3] ?? 1000);
const EVENTS = Number(process.argv[4] ?? 300_000);
const QUIET_SECONDS = 10;
const APART_MS = 400;
const LIMIT_FIRST = 300;
const LIMIT_EVENT = 200;
const LIMIT_IDLE = 0.5;

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

async function largeProject(): Promise<string> {
  const project = await projectWithTask("TS-1", { settings: { reviews: { default: ["ai"] } } });
  for (let number = 1; number <= TASKS; number++) {
    const task_id = `TS-${number}`;
    if (number > 1) await project.call("create_task", { task_content: taskMarkdown(task_id) });
    await project.call("start_task", { task_id });
  }
  const ids = Array.from({ length: TASKS }, (_, index) => `T${index + 1}`);
  const tasks = ids.map(
    (id, index) =>
      `- id: ${id}\n  title: Task ${id}\n  status: ${index % 2 === 0 ? "in_progress" : "blocked"}\n  depends_on: [${index > 0 ? ids[index - 1] : ""}]\n  instructions: Change src/${id}.ts and src/shared-${index % 300}.ts\n`,
  );
  project.write("tasks.yaml", `tasks:\n${tasks.join("")}`);
  project.write("pawl.yaml", "alfred: { reviews: { default: [ai] } }\n");
  for (const [index, id] of ids.entries()) {
    const isBlocked = index % 2 !== 0;
    const status = isBlocked ? "blocked" : "in_progress";
    const run = newRun({ id, title: `Task ${id}`, status, steps: [] }, at(index));
    project.write(
      `.pawl/runs/${id}.json`,
      renderRun({ ...run, state: isBlocked ? "blocked" : "working", reason: "a reason" }),
    );
  }
  const lines: string[] = [];
  for (let number = 0; number < EVENTS; number++) {
    const taskId = ids[number % ids.length];
    const event = { id: `e${number}`, time: at(number) };
    const kind = number % 4;
    if (kind === 0)
      lines.push(
        JSON.stringify({
          type: "agent:started",
          taskId,
          agent: "claude",
          run: `${taskId}.${number}`,
          purpose: "step",
          permission: "edits",
          resumed: false,
          ...event,
        }),
      );
    else if (kind === 1)
      lines.push(
        JSON.stringify({
          type: "agent:ended",
          taskId,
          run: `${taskId}.${number - 1}`,
          outcome: "succeeded",
          reason: null,
          detail: "",
          duration: 60_000,
          usd: 0.1,
          inputTokens: 1000,
          outputTokens: 100,
          turns: 3,
          ...event,
        }),
      );
    else if (kind === 2)
      lines.push(
        JSON.stringify({
          type: "run:advanced",
          run: `bloom:${taskId}`,
          machine: "bloom",
          event: "step_done",
          row: "step.done",
          from: "working",
          to: "working",
          summary: `${taskId} goes on`,
          by: { channel: "library" },
          ...event,
        }),
      );
    else
      lines.push(
        JSON.stringify({
          type: "task:noted",
          taskId,
          text: "A note of usual length, as agents leave them.",
          ...event,
        }),
      );
  }
  writeFileSync(join(project.root, ".pawl/events.jsonl"), `${lines.join("\n")}\n`);
  return project.root;
}

const root = await largeProject();
const child = spawn(process.execPath, [MAIN, "board", "--json", "--no-open"], {
  cwd: root,
  env: { ...ENVIRONMENT, CLAUDECODE: undefined },
  stdio: ["ignore", "pipe", "inherit"],
});
const begun = performance.now();
const served = JSON.parse(
  await new Promise<string>((done) => child.stdout.once("data", (chunk) => done(`${chunk}`))),
);
const browser: Browser = await enterBoard(served);
await browser.get("/api/inbox");
show("from the start to the first inbox", ms(performance.now() - begun));

async function timed(...paths: readonly string[]): Promise<number> {
  const start = performance.now();
  for (const path of paths) {
    const { status } = await browser.get(path);
    if (status !== 200) throw new Error(`${path} answered with ${status}`);
  }
  return performance.now() - start;
}

async function route(name: string, paths: readonly string[], limit?: number): Promise<void> {
  const first = await timed(...paths);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(...paths));
  const { median, p99 } = spreadOf(times);
  const figures = `${ms(median)}, p99 ${ms(p99)} (the first time ${ms(first)})`;
  show(
    name,
    figures,
    limit === undefined ? undefined : { text: `median ≤ ${limit} ms`, met: median <= limit },
  );
}

const own = `/api/${browser.project}`;
await route("first view: session and inbox", ["/api/session", "/api/inbox"], LIMIT_FIRST);
await route("runs", [`${own}/runs`]);
await route("tasks", [`${own}/tasks`]);
await route("a run", [`${own}/run/bloom:T7`]);
await route("events", [`${own}/events`]);
await route("replay", [`${own}/replay`]);
await route("guard", [`${own}/guard`]);
await route("workflows", [`${own}/workflows`]);
await route("cost", [`${own}/cost`]);

/** Seconds of processor time. */
function spentCpu(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function idle(name: string): Promise<void> {
  const before = spentCpu();
  await new Promise((done) => setTimeout(done, QUIET_SECONDS * 1000));
  const share = ((spentCpu() - before) / QUIET_SECONDS) * 100;
  show(name, `${share.toFixed(2)} % of a core`, { text: `≤ ${LIMIT_IDLE} %`, met: share <= LIMIT_IDLE });
}

/** What a person waits for, in the browser itself. */
async function inTheBrowser(): Promise<void> {
  if (!HAS_CHROMIUM) return;
  const chromium = await openChromium();
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = browser.cookie.split("=");
  await context.addCookies([{ name, value, url: served.url }]);
  const page = await context.newPage();
  const views: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(round === 0 ? served.url : "about:blank");
    await page.goto(served.url, { waitUntil: "commit" });
    views.push(
      await page
        .waitForFunction(drawnAt, null, { polling: "raf" })

        .then(async (found) => Number(await found.jsonValue())),
    );
  }
  const view = spreadOf(views);
  show("in Chromium: the first view, warm", `${ms(view.median)}, p99 ${ms(view.p99)}`, {
    text: `median ≤ ${LIMIT_FIRST} ms`,
    met: view.median <= LIMIT_FIRST,
  });
  await page.goto(`${served.url}#/${browser.project}/run/bloom%3AT7`);
  await page.locator("#main h1").first().waitFor();
  await page.waitForLoadState("networkidle");
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const text = `A note of the round ${round}.`;
    const seen = page.waitForFunction(isShown, text, { polling: "raf" });
    const start = performance.now();
    append({ id: `s${round}`, type: "task:noted", time: at(EVENTS + round), taskId: "T7", text });
    await seen;
    delays.push(performance.now() - start);
    // Apart from the one before: events in a row are shown together.
    await new Promise((done) => setTimeout(done, APART_MS));
  }
  const delay = spreadOf(delays);
  show("in Chromium: from the disk to the screen", `${ms(delay.median)}, p99 ${ms(delay.p99)}`, {
    text: `p99 ≤ ${LIMIT_EVENT} ms`,
    met: delay.p99 <= LIMIT_EVENT,
  });
  await chromium.close();
}

/** Of a browser's document, what is asked for here; its policy forbids to hand over text that is run. */
interface Drawn {
  readonly document: { querySelector(selector: string): object | null; body: { textContent: string } };
}

/** Milliseconds since the navigation began, once the inbox is drawn. Runs in the page. */
function drawnAt(): number | false {
  const { document } = globalThis as unknown as Drawn;
  return document.querySelector(".inbox") === null ? false : performance.now();
}

function isShown(text: string): boolean {
  const { document } = globalThis as unknown as Drawn;
  return document.body.textContent.includes(text);
}

function append(event: object): void {
  appendFileSync(join(root, ".pawl/events.jsonl"), `${JSON.stringify(event)}\n`);
}

await idle("idle, no page open");
await inTheBrowser();
const listening = await browser.listen();
await listening.next("hello");
const delays: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const time = at(round);
  const start = performance.now();
  append({ id: `n${round}`, type: "edit:kept", time, path: "a", kept: "b" });
  await listening.next("happened");
  delays.push(performance.now() - start);
}
const { median, p99 } = spreadOf(delays);
show("from the disk to the reader", `${ms(median)}, p99 ${ms(p99)}`, {
  text: `p99 ≤ ${LIMIT_EVENT} ms`,
  met: p99 <= LIMIT_EVENT,
});
await idle("idle, one page open");
listening.close();
const pages = Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]);
show("memory, after all pages", `${Math.round((pages * 4096) / 1024 / 1024)} MB`);
child.kill();
rmSync(root, { recursive: true, force: true });
