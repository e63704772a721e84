/** The page with the real `pawl board` behind it, in a real browser. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { goTo, openPage, overflow, settled, violations } from "../rig/board/open-page.ts";
import { openBoardServer } from "../rig/board.ts";
import { personAtTerminal } from "../rig/project.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";

/** A run of the project's own workflow that waits for a person's verdict. */
async function waiting() {
  const project = releaseProject();
  project.write("releases/1.2.0.md", DONE);
  expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toBe("");
  return project;
}

const stateOf = (project: { read(path: string): string | null }) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;

describe.runIf(HAS_CHROMIUM)("the board's page, served by pawl board", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  it("is opened by its address, and a release is sent back and approved by keyboard", async () => {
    using project = await waiting();
    await using server = await openBoardServer(project);
    await using opened = await openPage(browser, server.address);
    const { page } = opened;
    const { keyboard } = page;
    await page.locator("[data-item]").waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.locator("#verdict").waitFor();
    await keyboard.press("r");
    await keyboard.type("Name the unit.");
    await page.locator("[data-reject]").focus();
    await keyboard.press("Enter");
    await page.locator("h1", { hasText: "Rejected" }).waitFor();
    expect(stateOf(project)).toBe("drafting");
    expect((await project.pawl("show", RUN)).out).toContain("Name the unit.");
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    await goTo(page, "#/");
    await page.locator("[data-item]").waitFor();
    await keyboard.press("a");
    await page.waitForFunction(() => document.activeElement?.hasAttribute("data-approve"));
    await keyboard.press("Enter");
    await page.locator("h1", { hasText: "Approved" }).waitFor();
    expect(stateOf(project)).toBe("published");
    expect(opened.complaints).toEqual([]);
  });

  it("shows by itself what a terminal does", async () => {
    using project = releaseProject();
    project.write("releases/1.2.0.md", DONE);
    await using server = await openBoardServer(project);
    await using opened = await openPage(browser, server.address);
    await opened.page.getByText("Nothing waits for you.").waitFor();
    await opened.page.locator(".line.live").waitFor();
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    await opened.page.locator("[data-item]").waitFor();
    expect((await personAtTerminal(project.root, ["approve", RUN])).code).toBe(0);
    await opened.page.getByText("Nothing waits for you.").waitFor();
  });

  it("shows what happened between its first view and its stream", async () => {
    using project = releaseProject();
    project.write("releases/1.2.0.md", DONE);
    await using server = await openBoardServer(project);
    await using opened = await openPage(browser, server.address);
    const { page } = opened;
    let letOn = () => {};
    const isLetOn = new Promise<void>((resolve) => {
      letOn = resolve;
    });
    await page.route("**/api/events*", async (route) => {
      await isLetOn;
      await route.continue();
    });
    await page.reload();
    await page.getByText("Nothing waits for you.").waitFor();
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    letOn();
    await page.locator("[data-item]").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("takes one of two tabs' verdicts, and keeps the other's words", async () => {
    using project = await waiting();
    await using server = await openBoardServer(project);
    await using one = await openPage(browser, server.address);
    const other = await one.page.context().newPage();
    await openReview(one.page);
    await other.goto(one.page.url());
    await other.locator("#verdict textarea").fill("Never sent.");
    await one.page.locator("[data-approve]").click();
    await one.page.locator("h1", { hasText: "Approved" }).waitFor();
    // It may have heard of it already.
    await other
      .locator("[data-reject]")
      .click({ timeout: 2_000 })
      .catch(() => {});
    await other.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    await other.locator(".unsent", { hasText: "Never sent." }).waitFor();
    expect(stateOf(project)).toBe("published");
  });

  it("takes what one tab has sent out of the other", async () => {
    using project = await waiting();
    await using server = await openBoardServer(project);
    await using one = await openPage(browser, server.address);
    await openReview(one.page);
    await one.page.locator("#verdict textarea").fill("Sent once.");
    const other = await one.page.context().newPage();
    await other.goto(one.page.url());
    await until(async () => (await other.locator("#verdict textarea").inputValue()) === "Sent once.");
    await one.page.locator("[data-approve]").click();
    await one.page.locator("h1", { hasText: "Approved" }).waitFor();
    await other.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    expect(await other.locator(".unsent").count()).toBe(0);
  });

  it("goes on after a restart, once the new address was opened, with what was written before", async () => {
    using project = await waiting();
    const first = await openBoardServer(project);
    const port = new URL(first.url).port;
    await using opened = await openPage(browser, first.address);
    const { page } = opened;
    await openReview(page);
    await page.locator("#verdict textarea").fill("Written before the restart.");
    await first.stop();
    await page.locator(".line.offline").waitFor();
    await using second = await openBoardServer(project, { args: ["--port", port] });
    await page.locator(".line.closed").waitFor();
    await page.getByText("The server has started anew").waitFor();
    const tab = await page.context().newPage();
    await tab.goto(second.address);
    await tab.locator("h1").waitFor();
    await page.locator(".line.live").waitFor();
    await page.locator("[data-reject]").click();
    await page.locator("h1", { hasText: "Rejected" }).waitFor();
    expect((await project.pawl("show", RUN)).out).toContain("Written before the restart.");
  });

  it.each([320, 1440])(
    "has every page of real projects, whole and accessible, %i pixels wide",
    { timeout: 300_000 },
    async (width) => {
      using project = await waiting();
      using tasks = bloomProject({ tasks: checkpointTask("first") });
      await tasks.run();
      await using server = await openBoardServer(project, {
        args: ["--project", project.root, "--project", tasks.root],
        // With the shipped workflows too.
        environment: { DOOR_ONLY: "" },
      });
      await using opened = await openPage(browser, server.address, { width });
      const { page } = opened;
      const keys = await page.evaluate(async () => {
        const { projects } = await (await fetch("/api/session")).json();
        return (projects as { key: string }[]).map(({ key }) => key);
      });
      expect(keys).toHaveLength(2);
      const found: string[] = [];
      for (const key of keys)
        for (const name of [
          "tasks",
          "runs",
          "cost",
          "workflows",
          key === keys[0] ? `run/${encodeURIComponent(RUN)}` : "run/bloom%3AT1",
          key === keys[0] ? `review/${encodeURIComponent(RUN)}` : "review/bloom%3AT1",
        ]) {
          await goTo(page, `#/${key}/${name}`);
          const table = page.locator(".table-box summary").first();
          if (name === "workflows") await table.click();
          await settled(page);
          const unseen = await page.locator(".problem").allInnerTexts();
          found.push(...unseen.map((words) => `${name}: ${words}`));
          found.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
          if ((await overflow(page)) > 0) found.push(`${name}: too wide`);
        }
      expect(found).toEqual([]);
      expect(opened.complaints).toEqual([]);
    },
  );
});

async function openReview(page: Page): Promise<void> {
  await page.locator("[data-item]").first().click();
  await page.locator("#verdict").waitFor();
  await settled(page);
}
