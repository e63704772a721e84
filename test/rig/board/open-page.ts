/** A page of the board in Chromium, watched: what fails in it fails the test. */
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  readonly isReduced?: boolean;
}

export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** What the page complained about: failures of scripts, and what its policy forbade. */
  readonly complaints: string[];
}

/** Lost connections are part of some stories. */
const EXPECTED = /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY_RESPONSE/;

export async function openPage(browser: Browser, address: string, look: Look = {}): Promise<Opened> {
  const context = await browser.newContext(contextOf(look));
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(address);
  // Not the heading that stands there until the session is known.
  await page.locator("#main h1").or(page.getByRole("alert")).first().waitFor();
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

export function contextOf({ height, isReduced, scheme, width }: Look): BrowserContextOptions {
  return {
    viewport: { width: width ?? 1440, height: height ?? 900 },
    colorScheme: scheme ?? "light",
    reducedMotion: isReduced === false ? "no-preference" : "reduce",
    locale: "en-GB",
  };
}

/** Grows with each. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (failure) => complaints.push(String(failure)));
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

/** Goes there as a person does, and waits until all of it is there. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((address) => {
    location.hash = address;
  }, hash);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      document.querySelector(".skeleton") === null &&
      document.querySelector(".picture:empty") === null,
  );
  await page.waitForLoadState("networkidle").catch(() => {});
}

/** What axe finds, one line each: the rule, and where. */
export async function violations(page: Page | Frame): Promise<readonly string[]> {
  // By the debugger, not by a script of the page: its policy would forbid it.
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
  );
}

/** Pixels by which the page is wider than the window. */
export async function overflow(page: Page | Frame): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
