/** Every page, in a real browser: for everybody, on every screen, whatever the words in it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { goTo, openPage, overflow, settled, violations } from "../rig/board/open-page.ts";
import { BoardFixture } from "../rig/board/server.ts";
import { promise } from "../rig/promise.ts";

const PAGES = {
  inbox: "#/",
  review: "#/shop/review/alfred%3ASHOP-142",
  runs: "#/shop/runs",
  run: "#/shop/run/alfred%3ASHOP-142",
  task: "#/shop/run/bloom%3Asearch-index",
  tasks: "#/shop/tasks",
  graph: "#/shop/tasks?task=checkout-tax",
  workflows: "#/shop/workflows",
  cost: "#/shop/cost",
};
const NAMES = Object.keys(PAGES) as (keyof typeof PAGES)[];

const LONG = { timeout: 240_000 };

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/;

describe.runIf(HAS_CHROMIUM)("each page of the board", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  it.each([
    [320, "light"],
    [320, "dark"],
    [768, "light"],
    [768, "dark"],
    [1440, "light"],
    [1440, "dark"],
    [3840, "light"],
    [3840, "dark"],
  ] as const)("breaks no rule of accessibility and fits, %i pixels wide, %s", LONG, async (width, scheme) => {
    promise("board-page.accessible");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url, { width, scheme });
    const found: string[] = [];
    for (const name of NAMES) {
      await goTo(opened.page, PAGES[name]);
      if (name === "workflows") await opened.page.locator(".table-box summary").first().click();
      if (name === "workflows") await opened.page.locator(".picture svg").first().waitFor();
      if (name === "graph") await showGraph(opened.page);
      if (name === "inbox") await opened.page.getByText("Answer here").click();
      if (name === "task") await opened.page.getByRole("button", { name: /with a hint/ }).click();
      found.push(...(await violations(opened.page)).map((violation) => `${name}: ${violation}`));
      const beyond = await overflow(opened.page);
      if (beyond > 0) found.push(`${name}: ${beyond} pixels too wide`);
    }
    expect(found).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says what is missing if there is nothing, with the command that changes it", async () => {
    await using fixture = await BoardFixture.open({ isEmpty: true, projects: 1 });
    await using opened = await openPage(browser, fixture.url);
    for (const name of NAMES) {
      await goTo(opened.page, PAGES[name]);
      expect(await opened.page.locator(".empty, .buttons").count(), name).toBeGreaterThan(0);
      expect(await violations(opened.page), name).toEqual([]);
    }
    expect(opened.complaints).toEqual([]);
  });

  it("shows a refusal in Pawl's two lines, and asks again when told to", async () => {
    await using fixture = await BoardFixture.open();
    fixture.refusal = {
      code: "state-unreadable",
      message: "tasks.yaml cannot be read.",
      fix: "Mend line 4.",
    };
    await using opened = await openPage(browser, `${fixture.url}#/shop/tasks`);
    const problem = opened.page.locator(".problem");
    await problem.waitFor();
    expect(await problem.innerText()).toContain("tasks.yaml cannot be read.");
    expect(await problem.innerText()).toContain("Mend line 4.");
    fixture.refusal = null;
    await problem.getByRole("button", { name: "Try again" }).click();
    await opened.page.getByText("Send mails from a queue").first().waitFor();
    expect(await problem.count()).toBe(0);
  });

  it("runs nothing that stands in a text, and keeps its form, narrow and wide", async () => {
    promise("board-page.hostile");
    await using fixture = await BoardFixture.open({ isHostile: true });
    for (const width of [320, 1440]) {
      await using opened = await openPage(browser, fixture.url, { width });
      for (const name of NAMES) {
        await goTo(opened.page, PAGES[name]);
        if (name === "review") {
          await opened.page.locator(".file").first().scrollIntoViewIfNeeded();
          await opened.page.locator("[data-row]").first().waitFor();
        }
        const seen = await opened.page.evaluate(() => ({
          title: document.title,
          images: [...document.images].filter((image) => !image.src.includes("/assets/")).length,
          scripts: [...document.scripts].filter((script) => !script.src.includes("/assets/")).length,
          links: [...document.links].filter(({ protocol }) => protocol === "javascript:").length,
          text: document.body.innerText,
        }));
        expect(seen, name).toMatchObject({ images: 0, scripts: 0, links: 0 });
        expect(seen.title, name).not.toBe("owned");
        expect(HIDDEN.exec(seen.text), name).toBeNull();
        expect(await overflow(opened.page), name).toBe(0);
      }
      expect(opened.complaints).toEqual([]);
    }
  });

  it("can be read at twice its size, and in a window as wide as a watch is tall", async () => {
    promise("board-page.accessible");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url, { width: 1280 });
    // Zoomed to 200 %, 1280 pixels are 640.
    await opened.page.setViewportSize({ width: 640, height: 450 });
    for (const name of NAMES) {
      await goTo(opened.page, PAGES[name]);
      expect(await overflow(opened.page), name).toBe(0);
    }
  });

  it("shows what happens without being asked, and nothing to a page that is closed", async () => {
    promise("board-page.live");
    await using fixture = await BoardFixture.open();
    const opened = await openPage(browser, fixture.url);
    await opened.page.getByText("5 things to decide").waitFor();
    // An event is told to those who listen.
    await expect.poll(() => fixture.streams.size).toBe(1);
    const [first] = fixture.inbox.items;
    if (!first) throw new Error("The inbox has something in it");
    fixture.inbox = {
      items: [...fixture.inbox.items, { ...first, run: "alfred:NEW-1", title: "Arrived just now" }],
    };
    fixture.emit({ project: "shop", run: "alfred:NEW-1" });
    // The order stays while one looks.
    await opened.page.getByRole("button", { name: "1 new" }).click();
    await opened.page.getByText("Arrived just now").waitFor();
    await opened.page
      .locator("[aria-live]", { hasText: "1 thing more to decide" })
      .waitFor({ state: "attached" });
    await opened[Symbol.asyncDispose]();
    await expect.poll(() => fixture.streams.size).toBe(0);
  });

  it("asks for its first view beside its programs, once, and shows all that waits, however much", async () => {
    await using fixture = await BoardFixture.open();
    const [item] = fixture.inbox.items;
    if (!item) throw new Error("Nothing waits.");
    const items = Array.from({ length: 300 }, (_, at) => ({ ...item, run: `alfred:SHOP-${at}` }));
    fixture.inbox = { items };
    await using opened = await openPage(browser, fixture.url);
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.waitForFunction(
      (all) => document.querySelectorAll("[data-item]").length === all,
      items.length,
    );
    const programs = asked.findIndex((path) => path.includes("/main-"));
    for (const path of ["/api/session", "/api/inbox"]) {
      expect(asked.filter((each) => each === path)).toHaveLength(1);
      expect(asked.indexOf(path)).toBeLessThan(programs);
    }
    await page.keyboard.press("k");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("href")))
      .toContain(encodeURIComponent(`alfred:SHOP-${items.length - 1}`));
    expect(opened.complaints).toEqual([]);
  });

  it("shows in the graph what is connected, by titles that lead to their pages, and finds a task", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url);
    const { page } = opened;
    await goTo(page, PAGES.tasks);
    await showGraph(page);
    const nodes = async () => (await page.locator(".picture .node text").allTextContents()).toSorted();
    expect(await nodes()).toEqual(
      expect.arrayContaining(["Mail invoices", "Print invoices as PDF/A", "Send mails from a queue"]),
    );
    expect(await page.locator(".apart a").allInnerTexts()).toEqual([
      "Sell gift cards",
      "Show the stock of each branch",
    ]);
    await page.keyboard.press("/");
    await page.keyboard.type("mail inv");
    await expect.poll(nodes).toEqual(["Mail invoices", "Print invoices as PDF/A", "Send mails from a queue"]);
    await page.locator(".picture .node a", { hasText: "Mail invoices" }).click();
    await page.waitForFunction(() => location.hash.endsWith("/run/bloom%3Ainvoice-mail"));
    expect(opened.complaints).toEqual([]);
  });

  it("has the inbox by project, and takes an answer in its place", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url);
    const { page } = opened;
    await page.locator(".inbox-group").nth(1).waitFor();
    expect(await page.locator(".inbox-group h2").allInnerTexts()).toEqual([
      expect.stringMatching(/^shop\s*4$/),
      expect.stringMatching(/^site\s*1$/),
    ]);
    const asked = page.locator(".item", { hasText: "Are prices in the catalogue" });
    await asked.getByText("Answer here").click();
    await asked.getByRole("textbox").fill("Without.");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => fixture.said).toEqual([{ path: "answer q-1", words: "Without." }]);
    expect(opened.complaints).toEqual([]);
  });

  it("names each key, and has costs by whole names in a narrow window", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url, { width: 375 });
    const { page } = opened;
    await page.locator("[data-item]").first().waitFor();
    await page.keyboard.press("?");
    const keys = await page.locator(".key-list kbd").allTextContents();
    expect(keys).toEqual(expect.arrayContaining(["Space", "Enter", "A"]));
    expect(keys.filter((key) => key.trim() === "")).toEqual([]);
    await page.keyboard.press("Escape");
    await goTo(page, "#/shop/cost");
    const name = page.getByRole("rowheader", { name: "checkout-tax" });
    expect((await name.boundingBox())?.height).toBeLessThan(48);
    expect(await overflow(page)).toBe(0);
  });

  it("leads to the verdict in a narrow window, and then is out of its way", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${PAGES.review}`, { width: 375 });
    const { page } = opened;
    const leads = page.getByRole("button", { name: "Approve…" });
    await leads.click();
    await leads.waitFor({ state: "detached" });
    await page.evaluate(() => window.scrollTo(0, 0));
    await leads.waitFor();
  });

  it("shows the end of what an agent said last, if it is taller than its place", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url);
    await goTo(opened.page, PAGES.tasks);
    const said = opened.page.getByRole("group", { name: "Its agent's last words" }).first();
    const { above, below, lines } = await said.evaluate((block) => {
      const { clientHeight, scrollHeight, scrollTop } = block;
      const { lineHeight, paddingTop } = getComputedStyle(block);
      const lines = (scrollTop - Number.parseFloat(paddingTop)) / Number.parseFloat(lineHeight);
      return { above: scrollTop, below: scrollHeight - clientHeight - scrollTop, lines };
    });
    expect(above).toBeGreaterThan(10);
    expect(below).toBeLessThan(2);
    // What is above its place is whole lines.
    expect(Math.abs(lines - Math.round(lines))).toBeLessThan(0.1);
  });

  it("moves the focus to the page that is gone to, and names it", async () => {
    promise("board-page.accessible");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url);
    const { keyboard } = opened.page;
    for (const [second, title] of [
      ["t", "Tasks"],
      ["r", "Runs"],
      ["c", "Cost"],
      ["i", "Inbox"],
    ] as const) {
      await keyboard.press("g");
      await keyboard.press(second);
      await opened.page.locator("h1", { hasText: title }).waitFor();
      await settled(opened.page);
      expect(await opened.page.evaluate(() => document.activeElement?.textContent)).toBe(title);
      expect(await opened.page.title()).toBe(`${title} · Pawl`);
    }
    await keyboard.press("?");
    await opened.page.getByRole("dialog").waitFor();
    const keys = await opened.page.getByRole("dialog").innerText();
    for (const words of ["The next one", "Open it, ready to approve", "Tasks"]) expect(keys).toContain(words);
    expect(await violations(opened.page)).toEqual([]);
    await keyboard.press("Escape");
    expect(await opened.page.getByRole("dialog").count()).toBe(0);
  });

  it("remembers light or dark, whatever the system says", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url, { scheme: "light" });
    const ground = () =>
      opened.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await opened.page.getByLabel("Colours").selectOption("dark");
    const dark = await ground();
    expect(dark).not.toBe(light);
    await opened.page.reload();
    await opened.page.locator("h1").waitFor();
    expect(await ground()).toBe(dark);
  });
});

it("Where there is no Chromium that is said, and in CI it fails", () => {
  if (!HAS_CHROMIUM)
    process.stderr.write("The board's pages were not tried: install Chromium (apt-get install chromium).\n");
  expect(HAS_CHROMIUM || process.env.CI === undefined).toBe(true);
});

async function showGraph(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Graph" }).click();
  await page.locator(".picture svg").first().waitFor();
}
