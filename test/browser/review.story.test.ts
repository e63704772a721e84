/** A review in a real browser: by keyboard from the first key to the receipt, against another tab, through a restart. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { openPage, settled, violations } from "../rig/board/open-page.ts";
import { BoardFixture } from "../rig/board/server.ts";
import { promise } from "../rig/promise.ts";

const REVIEW = "#/shop/review/alfred%3ASHOP-142";

/** A check of what is judged has failed: the first press asks. */
async function approve(page: Page): Promise<void> {
  await page.locator("[data-approve]").click();
  await page.getByRole("button", { name: "Approve anyway" }).click();
}

describe.runIf(HAS_CHROMIUM)("a review", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  it("goes from the inbox to the receipt by keyboard alone, with points on a line and on a decision", async () => {
    promise("board-page.keyboard");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, fixture.url);
    const { page } = opened;
    const { keyboard } = page;
    await page.getByText("5 things to decide").waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.locator("h1", { hasText: "Limit requests" }).waitFor();
    await settled(page);
    await toFile(page, "src/http/rate-limit.ts");
    // Its lines are fetched when it comes into view.
    await page.waitForFunction(() => document.activeElement?.closest(".file")?.querySelector("[role=grid]"));
    await keyboard.press("Tab");
    while (!(await isAt(page, "[role=grid]"))) await keyboard.press("Tab");
    await keyboard.press("ArrowDown");
    await keyboard.press("c");
    await page.locator(".point-field textarea").waitFor();
    await keyboard.type("Why a key of its own?");
    await keyboard.press("Control+Enter");
    await page.locator(".under .own-point").waitFor();
    expect(await isAt(page, "[role=grid]")).toBe(true);
    await keyboard.press("r");
    await page.waitForFunction(() => document.activeElement?.closest("#verdict") !== null);
    await keyboard.type("The test at midnight fails.");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Reject");
    await keyboard.press("Enter");
    await page.locator("h1", { hasText: "Rejected" }).waitFor();
    expect(await page.locator(".receipt-list").innerText()).toContain("the board, in a browser");
    expect(fixture.verdicts).toEqual([
      {
        approve: false,
        notes: "The test at midnight fails.",
        points: [
          {
            text: expect.stringContaining("Why a key of its own?"),
            at: expect.stringMatching(/^src\/http\/rate-limit\.ts:\d+$/),
          },
        ],
        version: expect.any(String),
      },
    ]);
    await keyboard.press("n");
    await page.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is approved with one key and Enter; if a check failed, that is seen first and asked about once", async () => {
    promise("board-page.keyboard");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    await settled(opened.page);
    const chip = opened.page.locator(".asked .badge.bad").first();
    expect((await chip.boundingBox())?.y).toBeLessThan(300);
    const words = await chip.innerText();
    await opened.page.keyboard.press("a");
    await opened.page.keyboard.press("Enter");
    await opened.page.locator("#verdict [role=alert]", { hasText: words }).waitFor();
    expect(fixture.verdicts).toEqual([]);
    await opened.page.keyboard.press("Enter");
    await opened.page.locator("h1", { hasText: "Approved" }).waitFor();
    expect(fixture.verdicts).toMatchObject([{ approve: true, points: [] }]);
  });

  it("leads from each chip to its place, marks files by key, and folds what needs no reading with its reason", async () => {
    promise("board-page.keyboard");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const { page } = opened;
    await settled(page);
    const brief = await page.locator(".asked").innerText();
    for (const words of [
      "no check: read it yourself",
      "npm test -- limits passed",
      "DIFFERS",
      "rate-limit.ts changed",
      "7 files: 5 to read (8 min)",
    ])
      expect(brief.toLowerCase()).toContain(words.toLowerCase());
    expect(brief).not.toMatch(/Artifact\b|[{}]/);
    await page.getByRole("button", { name: "test failed (exit 1)" }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Checks");
    await page.getByRole("button", { name: "tests changed" }).click();
    expect(await fileAtFocus(page)).toBe("file test/rate-limit.test.ts");
    await page.keyboard.press("v");
    expect(await page.getByLabel("Viewed test/rate-limit.test.ts").isChecked()).toBe(true);
    expect(await fileAtFocus(page)).toBe("file src/http/rate-limit.ts");
    await page.getByText("1 of 5 files viewed").waitFor();
    await page.getByText("Hidden here, as you judged them: 2 files.").waitFor();
    const image = page.locator('[data-place="file docs/limits.png"]');
    expect(await image.locator("[aria-expanded]").first().getAttribute("aria-expanded")).toBe("false");
    expect(await image.innerText()).toContain("folded: image");
    await page.keyboard.press("/");
    await page.keyboard.type("window");
    await page.keyboard.press("Enter");
    expect(await fileAtFocus(page)).toBe("file src/store/window.ts");
    expect(opened.complaints).toEqual([]);
  });

  it("takes a point on a range of lines, which carries the line's text, and lets it be edited", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const { page } = opened;
    await settled(page);
    await toFile(page, "src/http/rate-limit.ts");
    const grid = page.locator('[data-place="file src/http/rate-limit.ts"] [role=grid]');
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("c");
    await page.locator(".point-field textarea").fill("Two of these are one.");
    await page.keyboard.press("Control+Enter");
    await page
      .locator("#verdict")
      .getByRole("button", { name: /^Edit the point/ })
      .click();
    await page.locator(".point-field textarea").fill("These are one.");
    await page.keyboard.press("Control+Enter");
    await page.locator("[data-reject]").click();
    await page.locator("h1", { hasText: "Rejected" }).waitFor();
    const at = expect.stringMatching(/^src\/http\/rate-limit\.ts:\d+-\d+$/);
    const text = expect.stringMatching(/^These are one\. \(there: .+\)$/);
    expect(fixture.verdicts).toMatchObject([{ points: [{ at, text }] }]);
  });

  it("approves the selected of the inbox by one key, only if everything agrees; one is out of sight for a day", async () => {
    await using fixture = await BoardFixture.open();
    const [first, ...rest] = fixture.inbox.items;
    if (!first) throw new Error("The inbox is empty.");
    const known = { lines: 3, minutes: 1, version: fixture.version ?? "" };
    const agreeing = { ...first, review: { ...known, against: [] } };
    const open = {
      ...first,
      run: "alfred:SHOP-9",
      title: "Red",
      review: { ...known, against: ["test failed"] },
    };
    fixture.inbox = { items: [open, agreeing, ...rest] };
    await using opened = await openPage(browser, fixture.url);
    const { page } = opened;
    const { keyboard } = page;
    await page.getByText("6 things to decide").waitFor();
    expect(await page.locator(".item").first().innerText()).toContain("test failed");
    for (const key of ["j", " ", "j", " "]) await keyboard.press(key);
    await keyboard.press("A");
    await page.getByText("1 of 2 approved; the others are to be read.").waitFor();
    expect(fixture.verdicts).toMatchObject([{ approve: true, version: known.version }]);
    await page.getByLabel("Filter the inbox").fill("synonyms");
    await page.locator(".item").nth(1).waitFor({ state: "detached" });
    expect(await page.locator(".item-title").allInnerTexts()).toEqual(["Index products by their synonyms"]);
    await page.locator(".item-title").focus();
    await keyboard.press("h");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("button", { name: "1 snoozed: show" }).click();
    await page.locator(".item-title", { hasText: "synonyms" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("tries a blocked task again from its card, with the failing output and what the server asks first", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}#/shop/tasks`);
    const { page } = opened;
    const card = page.locator("#task-search-index");
    await card.getByRole("button", { name: "Try again with a hint" }).click();
    await card.getByRole("textbox").fill("Merge main first.");
    await page.keyboard.press("Control+Enter");
    await card.getByText("Done: hint search-index.").waitFor();
    await card.getByRole("button", { name: /^Try again search/ }).click();
    await card.getByText("Done: retry search-index.").waitFor();
    expect(fixture.said).toEqual([
      { path: "hint search-index", words: "Merge main first." },
      { path: "retry search-index", words: "" },
    ]);
    expect(opened.complaints).toEqual([]);
  });

  it("sends no rejection without a word, and says so", async () => {
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    await opened.page.locator("[data-reject]").click();
    await opened.page.getByText("A rejection needs words").waitFor();
    expect(fixture.verdicts).toEqual([]);
  });

  it("takes one of two tabs' verdicts; the other sees what happened and loses no word", async () => {
    promise("board-page.words-kept");
    await using fixture = await BoardFixture.open();
    await using one = await openPage(browser, `${fixture.url}${REVIEW}`);
    await using other = await openPage(browser, `${fixture.url}${REVIEW}`);
    await other.page.locator("#verdict textarea").fill("I wrote this for an hour.");
    await approve(one.page);
    await one.page.locator("h1", { hasText: "Approved" }).waitFor();
    await other.page.locator("[data-reject]").click();
    await other.page.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    await other.page.locator(".unsent", { hasText: "I wrote this for an hour." }).waitFor();
    expect(fixture.verdicts).toHaveLength(1);
  });

  it("keeps what was written when what is judged changes under it, and says that it did", async () => {
    promise("board-page.words-kept");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const notes = opened.page.locator("#verdict textarea");
    await notes.fill("Still true?");
    fixture.version = "another-version";
    await approve(opened.page);
    await opened.page.getByText("You wrote these notes on an earlier version").waitFor();
    expect(await notes.inputValue()).toBe("Still true?");
    await opened.page.getByRole("button", { name: "They still hold" }).click();
    await approve(opened.page);
    await opened.page.locator("h1", { hasText: "Approved" }).waitFor();
    expect(fixture.verdicts).toMatchObject([{ version: "another-version", notes: "Still true?" }]);
  });

  it("goes on after the server's restart: it says that it is offline, catches up, and its notes are sent", async () => {
    promise("board-page.words-kept");
    let fixture = await BoardFixture.open();
    const { port } = fixture;
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    await settled(opened.page);
    await opened.page.locator("#verdict textarea").fill("Written before the restart.");
    await fixture[Symbol.asyncDispose]();
    await opened.page.locator(".line.offline").waitFor();
    await opened.page.getByText("It catches up by itself").waitFor();
    fixture = await BoardFixture.open({ port });
    await using _ = fixture;
    fixture.csrf = "of the second start";
    await opened.page.locator(".line.live").waitFor();
    await opened.page.locator("[data-reject]").click();
    await opened.page.locator("h1", { hasText: "Rejected" }).waitFor();
    expect(fixture.verdicts).toMatchObject([{ notes: "Written before the restart." }]);
  });

  it("keeps notes, points and marks through a reload", async () => {
    promise("board-page.words-kept");
    await using fixture = await BoardFixture.open();
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const { page } = opened;
    await page.locator("#verdict textarea").fill("A draft.");
    await page.getByRole("button", { name: "Add a point on the whole" }).click();
    await page.locator(".point-field textarea").fill("And a point.");
    await page.getByRole("button", { name: "Add the point" }).click();
    await page.getByLabel("Viewed src/http/rate-limit.ts").focus();
    await page.keyboard.press("Space");
    await page.reload();
    await page.locator("#verdict textarea").waitFor();
    expect(await page.locator("#verdict textarea").inputValue()).toBe("A draft.");
    await page.locator("#verdict .own-point", { hasText: "And a point." }).waitFor();
    expect(await page.getByLabel("Viewed src/http/rate-limit.ts").isChecked()).toBe(true);
  });

  it("asks for the digits if the gate is signed, and takes no others", async () => {
    await using fixture = await BoardFixture.open({ isSigned: true });
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const { page } = opened;
    await settled(page);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByText("You sign: gate alfred.implement_task").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("ffffffff");
    await page.keyboard.press("Enter");
    await page.getByText("The digits are not those of the record.").waitFor();
    expect(fixture.verdicts).toEqual([]);
    await page.locator(".digits input").fill("a1b2c3d4");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Approved" }).waitFor();
    expect(fixture.verdicts).toMatchObject([{ digits: "a1b2c3d4" }]);
  });

  it("decides nothing on a board that is read-only", async () => {
    await using fixture = await BoardFixture.open({ readOnly: true });
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    await opened.page.getByText("This board is read-only").waitFor();
    expect(await opened.page.locator("[data-approve], [data-reject]").count()).toBe(0);
  });

  it("draws only what is in view of a file of twenty thousand lines", async () => {
    promise("board-page.large-files");
    await using fixture = await BoardFixture.open({ largeFile: 20_000 });
    await using opened = await openPage(browser, `${fixture.url}${REVIEW}`);
    const { page } = opened;
    await page.locator("[data-row]").first().waitFor();
    const grid = page.locator("[role=grid]");
    const rows = Number(await grid.getAttribute("aria-rowcount"));
    expect(rows).toBeGreaterThan(20_000);
    await grid.focus();
    await page.keyboard.press("End");
    await page.locator(".row-box.at").waitFor();
    expect(await page.locator(".row-box.at").getAttribute("data-row")).toBe(String(rows - 1));
    expect(await page.locator("[data-row]").count()).toBeLessThan(250);
    await page.keyboard.press("c");
    await page.locator(".point-field").waitFor();
  });
});

async function toFile(page: Page, path: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("j");
    const text = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (text.includes(path)) return;
  }
  throw new Error(`No key led to ${path}`);
}

async function fileAtFocus(page: Page): Promise<string | undefined> {
  return await page.evaluate(
    () => document.activeElement?.closest<HTMLElement>("[data-place]")?.dataset.place,
  );
}

async function isAt(page: Page, selector: string): Promise<boolean> {
  return await page.evaluate((sought) => document.activeElement?.matches(sought) === true, selector);
}
