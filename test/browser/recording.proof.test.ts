/**
 * The recording of a review in README.md: a person goes from the inbox to a receipt, by keyboard. `PAWL_PICTURES=1 npx vitest run --project proofs test/browser`
 * records it anew (with img2webp of the package webp); here it is seen that it is there.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { openPage, settled } from "../rig/board/open-page.ts";
import { BoardFixture } from "../rig/board/server.ts";

const PATH = join(import.meta.dirname, "../../docs/board/recording.webp");
const MAX_BYTES = 500 * 1024;
const LOOK = 1_800;
const KEY = 90;

/** Pictures, each shown for some milliseconds. */
class Recording {
  readonly #page: Page;
  readonly #folder: string;
  readonly #frames: string[] = [];

  constructor(page: Page, folder: string) {
    this.#page = page;
    this.#folder = folder;
  }

  async show(milliseconds: number): Promise<void> {
    const path = join(this.#folder, `${this.#frames.length}.png`);
    await this.#page.screenshot({ path });
    this.#frames.push("-d", String(milliseconds), path);
  }

  async type(text: string): Promise<void> {
    for (const part of text.match(/.{1,6}/g) ?? []) {
      await this.#page.keyboard.type(part);
      await this.show(KEY * part.length);
    }
  }

  save(path: string): void {
    execFileSync("img2webp", ["-loop", "0", "-lossy", "-q", "60", "-m", "6", ...this.#frames, "-o", path]);
  }
}

async function review(page: Page, recording: Recording): Promise<void> {
  const { keyboard } = page;
  await page.getByText("5 things to decide").waitFor();
  await keyboard.press("j");
  await recording.show(LOOK);
  await keyboard.press("Enter");
  await page.locator("h1", { hasText: "Limit requests" }).waitFor();
  await settled(page);
  await recording.show(2 * LOOK);
  // The agent says that all tests pass.
  await page.getByText("test failed (exit 1)").first().click();
  await settled(page);
  await recording.show(2 * LOOK);
  const file = page.locator("article", { hasText: "src/http/rate-limit.ts" }).first();
  await file.evaluate((at) => at.scrollIntoView({ block: "start" }));
  await settled(page);
  await file.locator("[role=grid]").focus();
  for (let line = 0; line < 3; line++) await keyboard.press("ArrowDown");
  await recording.show(LOOK);
  await keyboard.press("c");
  await page.locator(".point-field textarea").waitFor();
  await recording.type("Why a key of its own?");
  await keyboard.press("Control+Enter");
  await page.locator(".under .own-point").waitFor();
  await recording.show(LOOK);
  await keyboard.press("r");
  await page.waitForFunction(() => document.activeElement?.closest("#verdict") !== null);
  await recording.type("The test at midnight fails.");
  await recording.show(LOOK);
  await page.locator("[data-reject]").click();
  await page.locator("h1", { hasText: "Rejected" }).waitFor();
  await settled(page);
  await recording.show(2 * LOOK);
}

it.runIf(HAS_CHROMIUM && process.env.PAWL_PICTURES === "1")("The recording is made anew", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-recording-"));
  const browser = await openChromium();
  await using fixture = await BoardFixture.open();
  await using opened = await openPage(browser, fixture.url, { width: 1100, height: 680 });
  const recording = new Recording(opened.page, folder);
  await review(opened.page, recording);
  recording.save(PATH);
  rmSync(folder, { recursive: true });
  await browser.close();
});

it("The recording of a review is in the README, moves, and is small", () => {
  const bytes = readFileSync(PATH);
  expect(bytes.length).toBeLessThan(MAX_BYTES);
  expect(bytes.toString("latin1").split("ANMF").length).toBeGreaterThan(10);
  expect(readFileSync(join(PATH, "../../../README.md"), "utf8")).toContain("](docs/board/recording.webp)");
});
