/** The review inside a client, in a real browser: the client's window is the tests' own, with the host's side of the protocol. */
import { execFileSync } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { HOSTILE_PATCH, hostile } from "../rig/board/hostile.ts";
import { overflow, violations } from "../rig/board/open-page.ts";
import { type Connected, connect } from "../rig/client.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { until } from "../rig/until.ts";
import { isThere, shown } from "./host/answers.ts";
import { type Answer, type ClientStyle, type ClientWindow, openClient } from "./host/open.ts";

const RUN = "release:1.2.0";

/** A run that waits for a person's verdict on a file of notes, and a client that shows apps. */
async function waiting(more = "") {
  const project = releaseProject();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Dev");
  git("config", "user.email", "dev@example.com");
  project.write(".gitignore", ".pawl/\n");
  project.write("pawl.yaml", `${project.read("pawl.yaml")}${more}`);
  git("add", "-A");
  git("commit", "-qm", "Begin");
  git("checkout", "-qb", "release");
  project.write("releases/1.2.0.md", DONE);
  git("add", "-A");
  git("commit", "-qm", "Write the notes");
  const connected = await connect(project, { showsApps: true, environment: { DOOR_ONLY: "" } });
  const input = { run: RUN, event: "submit", given: { risk: "low" } };
  const { meta } = await connected.callWithMeta("advance", input);
  expect(meta["pawl/run"]).toBe(RUN);
  return {
    project,
    connected,
    /** Opens a window of the client, with the call that led to the gate. `reads`: waited for before it answers what only reads. */
    async open(browser: Browser, look: ClientStyle = {}, reads?: () => Promise<void>): Promise<ClientWindow> {
      const { contents } = await connected.client.readResource({ uri: "ui://pawl/review" });
      const [found] = contents as { text: string }[];
      return openClient(
        browser,
        passedTo(connected, reads),
        { input, result: { _meta: meta }, ...look },
        found?.text,
      );
    },
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      project[Symbol.dispose]();
    },
  };
}

/** A client calls for an app only what its server says is an app's. */
function passedTo({ client }: Connected, reads?: () => Promise<void>): Answer {
  return async (name, given) => {
    if (name !== "app_verdict") await reads?.();
    const { tools } = await client.listTools();
    const ui = tools.find((tool) => tool.name === name)?._meta?.ui as { visibility?: string[] } | undefined;
    if (!ui?.visibility?.includes("app")) throw new Error(`${name} is no tool of an app.`);
    return await client.callTool({ name, arguments: { ...given } });
  };
}

const stateOf = (project: TemporaryProject) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;

describe.runIf(HAS_CHROMIUM)("the review inside a client", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());

  it("is sent back with a point on a line, and then approved, by keyboard alone; the assistant is told", async () => {
    promise("mcp.app");
    await using at = await waiting();
    {
      await using opened = await at.open(browser);
      const { app, page } = opened;
      await isThere(app);
      await app.locator("article.file").first().scrollIntoViewIfNeeded();
      await app.locator("[role=grid]").first().focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("c");
      await page.keyboard.type("Name the unit.");
      await page.keyboard.press("Control+Enter");
      await app.locator(".own-point").first().waitFor();
      await page.keyboard.press("r");
      await page.keyboard.type("Nearly there.");
      await app.locator("[data-reject]").focus();
      await page.keyboard.press("Enter");
      await app.locator("h1", { hasText: "Rejected" }).waitFor();
      expect(await app.locator(".receipt-list").innerText()).toContain("asked through the client");
      expect(opened.told).toEqual([
        { how: "message", text: expect.stringMatching(/^I rejected release:1\.2\.0 in Pawl's review: /) },
      ]);
      expect(opened.complaints).toEqual([]);
    }
    expect(stateOf(at.project)).toBe("drafting");
    expect((await at.project.pawl("show", RUN)).out).toMatch(/\[releases\/1\.2\.0\.md:\d\] Name the unit\./);
    await at.connected.call("advance", { run: RUN, event: "submit", given: { risk: "low" } });
    await using opened = await at.open(browser);
    await isThere(opened.app);
    await opened.app.locator("#verdict h2").focus();
    await opened.page.keyboard.press("a");
    await opened.page.keyboard.press("Enter");
    // The line that was asked for is as before, so it asks once more.
    await opened.app.getByRole("button", { name: "Approve anyway" }).waitFor();
    await opened.page.keyboard.press("Enter");
    await opened.app.locator("h1", { hasText: "Approved" }).waitFor();
    expect(stateOf(at.project)).toBe("published");
    expect(opened.told).toHaveLength(1);
  });

  it("takes one of two windows' verdicts, and keeps the words of the other", async () => {
    promise("mcp.app-verdict");
    await using at = await waiting();
    await using one = await at.open(browser);
    await using other = await at.open(browser, { capabilities: { serverTools: {}, updateModelContext: {} } });
    await isThere(one.app);
    await isThere(other.app);
    await other.app.locator("#verdict textarea").fill("Never sent.");
    await one.app.locator("[data-approve]").click();
    await one.app.locator("h1", { hasText: "Approved" }).waitFor();
    await other.app.locator("[data-reject]").click();
    await other.app.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    await other.app.locator(".unsent", { hasText: "Never sent." }).waitFor();
    expect(stateOf(at.project)).toBe("published");
    expect([one.told.length, other.told.length]).toEqual([1, 0]);
  });

  it("decides nothing on a version that is no longer the present one, and then shows that", async () => {
    promise("mcp.app-verdict");
    await using at = await waiting();
    let read = Promise.resolve();
    await using opened = await at.open(browser, {}, () => read);
    await isThere(opened.app);
    await opened.app.locator("#verdict textarea").fill("Still true?");
    // A window that comes to the front reads again, and would see what is between the two versions.
    const { promise: decided, resolve: readAgain } = Promise.withResolvers<void>();
    read = decided;
    await at.project.person("reject", RUN, "-m", "Again.");
    await at.project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    await opened.app.locator("[data-approve]").click();
    await until(() => opened.calls.some(({ tool }) => tool === "app_verdict"));
    readAgain();
    await opened.app.getByText("You wrote these notes on an earlier version").waitFor();
    expect(stateOf(at.project)).toBe("in_review");
    await opened.app.getByRole("button", { name: "They still hold" }).click();
    await opened.app.locator("[data-approve]").click();
    await opened.app.locator("h1", { hasText: "Approved" }).waitFor();
    const nonces = opened.calls.filter(({ tool }) => tool === "app_verdict").map(({ given }) => given.nonce);
    expect(new Set(nonces).size).toBe(2);
  });

  it("says where to decide instead, if a verdict given in a client is too weak", async () => {
    promise("mcp.app-verdict");
    await using at = await waiting("gates: terminal\n");
    await using opened = await at.open(browser);
    await opened.app.getByText(`pawl approve ${RUN}`).waitFor();
    expect(await opened.app.locator("[data-approve], [data-reject]").count()).toBe(0);
    expect(await violations(opened.app)).toEqual([]);
  });

  it.each([
    [320, "light"],
    [320, "dark"],
    [768, "light"],
    [768, "dark"],
  ] as const)("breaks no rule of accessibility and fits, %i pixels wide, %s", async (width, scheme) => {
    promise("mcp.app");
    await using opened = await openClient(browser, shown(), { width, scheme });
    const { app } = opened;
    await isThere(app);
    await app.locator("article.file").first().scrollIntoViewIfNeeded();
    await app.locator("[data-row]").first().waitFor();
    expect(await violations(app)).toEqual([]);
    expect(await overflow(app)).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("wears the client's theme and colours, and changes with them", async () => {
    promise("mcp.app");
    const look = (colour: string) => ({
      "--color-background-primary": colour,
      "--color-background-secondary": "#f4f4f4",
      "--color-background-tertiary": "#eeeeee",
      "--color-text-primary": "#101010",
      "--color-text-secondary": "#404040",
      "--color-border-primary": "#cccccc",
    });
    const styles = { variables: look("#fff8f0") } as never;
    await using opened = await openClient(browser, shown(), {
      scheme: "dark",
      theme: "light",
      context: { styles },
    });
    await isThere(opened.app);
    const ground = () =>
      opened.app.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(await ground()).toBe("rgb(255, 248, 240)");
    await opened.page.evaluate(
      (context) => (globalThis as unknown as { change(context: object): Promise<void> }).change(context),
      { theme: "dark", styles: { variables: look("#101418") } },
    );
    await opened.app.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    expect(await ground()).toBe("rgb(16, 20, 24)");
  });

  it("asks for as much room as it needs, scrolls in itself beyond that, and fills the client when asked to", async () => {
    promise("mcp.app");
    const context = { availableDisplayModes: ["inline", "fullscreen"] as never };
    await using opened = await openClient(browser, shown(), { context });
    await isThere(opened.app);
    await opened.page.waitForFunction(() => document.querySelector("iframe")?.clientHeight === 760);
    await opened.app.getByRole("button", { name: "Full screen" }).click();
    await opened.app.getByRole("button", { name: "Full screen" }).waitFor({ state: "detached" });
    const nothing = async () => ({
      content: [],
      structuredContent: { page: { review: null, strayed: null } },
    });
    await using empty = await openClient(browser, nothing);
    await empty.app.locator("h1", { hasText: "No verdict is waiting" }).waitFor();
    await empty.page.waitForFunction(() => (document.querySelector("iframe")?.clientHeight ?? 999) < 300);
  });

  it("lets nothing run that a text brings along, and shows what is invisible", async () => {
    promise("mcp.app-hostile");
    const answer: Answer = async (tool, given) => {
      const answered = (await shown(hostile)(tool, given)) as { structuredContent: { diff?: object } };
      const { diff } = answered.structuredContent;
      if (diff) answered.structuredContent.diff = { ...diff, patch: HOSTILE_PATCH, colours: null };
      return answered;
    };
    await using opened = await openClient(browser, answer, { width: 320 });
    const { app } = opened;
    await isThere(app);
    await app.locator("article.file").first().scrollIntoViewIfNeeded();
    await app.locator("[data-row]").first().waitFor();
    expect(await app.evaluate(() => document.title)).not.toContain("owned");
    expect(await app.locator("img, #main script, #main iframe").count()).toBe(0);
    expect(await app.locator("#main").innerText()).toContain("U+202E");
    expect(await overflow(app)).toBe(0);
    expect(await violations(app)).toEqual([]);
    // Even a script that got into the document would not run.
    await app.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'owned'";
      document.body.append(script);
    });
    expect(await app.evaluate(() => document.title)).not.toContain("owned");
    expect(opened.complaints.filter((line) => !line.includes("Content Security Policy"))).toEqual([]);
  });
});
