/** The board on a phone: a real browser with a virtual authenticator, and `pawl board --listen` at a terminal. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { HAS_CHROMIUM, openChromium } from "../rig/board/chromium.ts";
import { contextOf, overflow, violations } from "../rig/board/open-page.ts";
import { type DeviceBoard, openDeviceBoard } from "../rig/devices.ts";
import { reviewProject, runOf } from "../rig/own-agents.ts";
import { personAtTerminal, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { useScratchStateHome } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";
const OTHER = "release:1.3.0";

/** Two runs that wait for a person's verdict. */
async function waiting(more = "") {
  const project = releaseProject();
  project.write("pawl.yaml", `${project.read("pawl.yaml")}${more}`);
  for (const run of [RUN, OTHER]) {
    project.write(`releases/${run.slice("release:".length)}.md`, DONE);
    expect((await project.pawl("cast", run, "submit", "--fact", "risk=low")).err).toBe("");
  }
  return project;
}

const stateOf = (project: { read(path: string): string | null }, run = RUN) =>
  JSON.parse(project.read(`.pawl/runs/release/${run.slice("release:".length)}.json`) ?? "{}").state;

interface Phone extends AsyncDisposable {
  readonly page: Page;
  /** Whether the authenticator's person is verified from now on. */
  verifies(isVerified: boolean): Promise<void>;
}

/** A phone of 375 pixels. Its passkeys are in a virtual authenticator, which confirms by itself. */
async function openPhone(browser: Browser): Promise<Phone> {
  const context = await browser.newContext({ ...contextOf({ width: 375, height: 740 }) });
  const page = await context.newPage();
  const session: CDPSession = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    page,
    verifies: (isUserVerified) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }).then(() => {}),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Comes in with what the person at the terminal reads out. */
async function register(page: Page, board: DeviceBoard, name = "My phone"): Promise<void> {
  await page.goto(`${board.origin}/`);
  await page.getByLabel("The code that the terminal shows").fill(board.invitation().code.toLowerCase());
  await page.getByLabel("A name for this device").fill(name);
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await page.locator("[data-item]").first().waitFor();
}

async function approve(page: Page, board: DeviceBoard, run = RUN): Promise<void> {
  await page.goto(`${board.origin}/#/`);
  await page.locator("[data-item]", { hasText: run.slice("release:".length) }).click();
  await page.locator("[data-approve]").click();
  await page.locator("[data-yes]").waitFor();
}

interface Sent {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: as the test knows it
  readonly body: any;
}

/** A request of the page's own, with its secret. */
function send(page: Page, path: string, body: unknown): Promise<Sent> {
  return page.evaluate(
    async ([to, order]) => {
      const { csrf, projects } = await (await fetch("/api/session")).json();
      const answer = await fetch(`/api/${projects[0].key}/${to}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-pawl-csrf": csrf },
        body: JSON.stringify(order),
      });
      return { status: answer.status, body: await answer.json() };
    },
    [path, body] as const,
  );
}

/** What the passkey answers, if the browser asks it whatever the server wanted. */
function assertion(page: Page, challenge: string, userVerification: string): Promise<unknown> {
  return page.evaluate(
    async ([text, wanted]) => {
      const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
        each.charCodeAt(0),
      );
      const found = await navigator.credentials.get({
        publicKey: { challenge: bytes, userVerification: wanted as "discouraged" },
      });
      return (found as PublicKeyCredential).toJSON();
    },
    [challenge, userVerification] as const,
  );
}

async function versionOf(page: Page, run = RUN): Promise<string> {
  return page.evaluate(async (name) => {
    const { projects } = await (await fetch("/api/session")).json();
    const answer = await fetch(`/api/${projects[0].key}/review/${encodeURIComponent(name)}`);
    return (await answer.json()).review.version;
  }, run);
}

describe.runIf(HAS_CHROMIUM)("the board on a phone", () => {
  let browser: Browser;
  let forget = () => {};
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterAll(() => browser.close());
  beforeEach(() => {
    forget = useScratchStateHome();
  });
  afterEach(() => forget());

  it("lets a device in with a passkey, which reads, rejects and approves, and comes back", async () => {
    promise("board.devices", "board.device-approval", "board.device-strength");
    using project = await waiting();
    await using board = await openDeviceBoard(project);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await page.goto(`${board.origin}/`);
    await page.getByRole("heading", { name: "Let this device in" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await register(page, board);
    expect(await overflow(page)).toBe(0);
    await page.locator("[data-item]", { hasText: "1.2.0" }).click();
    await page.getByLabel("Notes").fill("Name the unit.");
    await page.locator("[data-reject]").click();
    await page.locator("h1", { hasText: "Rejected" }).waitFor();
    expect(stateOf(project)).toBe("drafting");
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    await approve(page, board);
    expect(await violations(page)).toEqual([]);
    expect(stateOf(project)).not.toBe("published");
    await page.locator("[data-yes]").click();
    await page.locator("h1", { hasText: "Approved" }).waitFor();
    await page.getByText("given on a device with its passkey").first().waitFor();
    expect(stateOf(project)).toBe("published");
    const shown = (await project.pawl("show", RUN)).out;
    expect(shown).toContain("on the device My phone");
    expect(shown).toContain("given on a device with its passkey");
    await page.context().clearCookies();
    await page.goto(`${board.origin}/`);
    await page.getByRole("button", { name: "Come in with this device's passkey" }).click();
    await page.locator("[data-item]").first().waitFor();
    const log = project.read(".pawl/events.jsonl") ?? "";
    for (const type of ["device:added", "device:entered"]) expect(log).toContain(`"type":"${type}"`);
    expect(board.output()).toContain("the device My phone (from 127.0.0.1) came in: with its passkey");
  });

  it.each([
    [320, "light"],
    [320, "dark"],
    [768, "light"],
    [768, "dark"],
    [3840, "light"],
    [3840, "dark"],
  ] as const)("opens a page to come in that fits, %i pixels wide, %s", async (width, scheme) => {
    promise("board-page.accessible");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    const context = await browser.newContext(contextOf({ width, scheme }));
    const page = await context.newPage();
    await page.goto(board.origin);
    await page.getByLabel("The code that the terminal shows").fill("AAAA-AAAA");
    await page.getByLabel("A name for this device").fill("My phone");
    await page.getByRole("button", { name: "Without a passkey" }).click();
    await page.getByText("its code is not the one at the terminal").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await context.close();
  });

  it("counts an approval for exactly the verdict that was asked, once, and only of a verified person", async () => {
    promise("board.device-approval");
    using project = await waiting();
    await using board = await openDeviceBoard(project);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await register(page, board);
    const order = async (run: string) => ({
      approve: true,
      notes: "",
      points: [],
      version: await versionOf(page, run),
    });
    const ask = async (run: string) => {
      const { body } = await send(page, `verdict/${run}`, await order(run));
      return body.asked as { readonly hash: string; readonly passkey: { readonly challenge: string } };
    };
    const [own, other] = [await ask(RUN), await ask(OTHER)];
    const refuse = async (run: string, more: object) => {
      const { body, status } = await send(page, `verdict/${run}`, { ...(await order(run)), ...more });
      expect([status, body.code, stateOf(project, run)]).toEqual([403, "board-refused", "in_review"]);
    };
    // Another run's.
    await refuse(OTHER, {
      asked: other.hash,
      assertion: await assertion(page, own.passkey.challenge, "required"),
    });
    // That has used it up.
    await refuse(RUN, {
      asked: own.hash,
      assertion: await assertion(page, own.passkey.challenge, "required"),
    });
    await refuse(RUN, { asked: own.hash });
    // Not verified.
    const third = await ask(RUN);
    await phone.verifies(false);
    await refuse(RUN, {
      asked: third.hash,
      assertion: await assertion(page, third.passkey.challenge, "discouraged"),
    });
    await phone.verifies(true);
    // The work has changed between the question and the answer.
    const fourth = await ask(RUN);
    const proof = {
      asked: fourth.hash,
      assertion: await assertion(page, fourth.passkey.challenge, "required"),
    };
    const before = await order(RUN);
    await project.person("reject", RUN, "--notes", "Not yet.");
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    const late = await send(page, `verdict/${RUN}`, { ...before, ...proof });
    expect([late.status, late.body.code, stateOf(project)]).toEqual([409, "review-changed", "in_review"]);
    expect(late.body.message).toMatch(/\S+ has decided already: reject, \d{4}-/);
    // Approved, and sent once more in another round.
    const fifth = await ask(RUN);
    const given = {
      asked: fifth.hash,
      assertion: await assertion(page, fifth.passkey.challenge, "required"),
    };
    const done = await send(page, `verdict/${RUN}`, { ...(await order(RUN)), ...given });
    expect([done.status, done.body.receipt.strength]).toEqual([200, "passkey"]);
    const again = await send(page, `verdict/${OTHER}`, { ...(await order(OTHER)), ...given });
    expect([Object.keys(again.body), stateOf(project, OTHER)]).toEqual([["asked"], "in_review"]);
    expect(project.read(".pawl/events.jsonl")).toContain('"type":"device:refused","device":"My phone"');
  });

  it("lets a device in by the QR code, once, without the right to approve", async () => {
    promise("board.devices", "board.device-approval");
    using project = await waiting();
    await using board = await openDeviceBoard(project);
    const { address } = board.invitation();
    expect(address).toMatch(/^http:\/\/localhost:\d+\/enter#[\w-]{43}$/);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await page.goto(address);
    expect(page.url()).not.toContain("#");
    await page.getByLabel("A name for this device").fill("Tablet");
    await page.getByRole("button", { name: "Without a passkey" }).click();
    await page.locator("[data-item]").first().waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: "Strict" });
    const order = { approve: true, notes: "", points: [], version: await versionOf(page) };
    const refused = await send(page, `verdict/${RUN}`, order);
    expect([refused.status, refused.body.code, stateOf(project)]).toEqual([
      403,
      "verdict-too-weak",
      "in_review",
    ]);
    await page.locator("[data-item]", { hasText: "1.2.0" }).click();
    await page.getByText("This device has no passkey, so it cannot approve.").waitFor();
    expect(await page.locator("[data-approve]").isDisabled()).toBe(true);
    expect(await overflow(page)).toBe(0);
    const acted = await send(page, "stop/T1", { words: "" });
    expect([acted.status, acted.body.message]).toEqual([403, expect.stringContaining("and nothing else")]);
    await using another = await openPhone(browser);
    await another.page.goto(address);
    await another.page.getByLabel("A name for this device").fill("Thief");
    await another.page.getByRole("button", { name: "Without a passkey" }).click();
    await another.page.getByText("its code was used already").waitFor();
    const next = await board.another();
    await another.page.goto(next.address);
    await another.page.getByLabel("A name for this device").fill("Second tablet");
    await another.page.getByRole("button", { name: "Without a passkey" }).click();
    await another.page.locator("[data-item]").first().waitFor();
    expect((await personAtTerminal(project.root, ["board", "--devices"])).out).toMatch(
      /no passkey {2}Tablet/,
    );
  });

  it("answers an agent's question in the inbox", async () => {
    promise("board.device-approval");
    using project = bloomProject({
      tasks:
        'tasks:\n- id: T1\n  title: Paint it\n  instructions: |\n    RUN: bloom ask T1 "Which colour?" --blocking\n',
    });
    await project.bloom("run", "--once");
    await using board = await openDeviceBoard(project, undefined, project.environment);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await register(page, board);
    await page.getByText("Answer here").click();
    await page.getByRole("textbox", { name: "Your answer to Which colour?" }).fill("Blue");
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect(JSON.parse(project.read(".pawl/questions/q1.json") ?? "{}")).toMatchObject({ answer: "Blue" });
    const answered = project.stored().find(({ type }) => type === "question:answered");
    expect(JSON.stringify(answered)).toContain("on the device My phone");
  });

  it("answers an agent of an own workflow, and lets none try again", async () => {
    promise("board.order");
    using project = reviewProject({
      answers: { "Write the text": "SAY: Which of the two?", "The first.": "SAY: It is done." },
    });
    await project.bloom("cast", "review:T", "start");
    await project.run();
    await using board = await openDeviceBoard(project, undefined, project.environment);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await register(page, board);
    const refused = async () => {
      const sent = await send(page, "retry/review:T", { words: "" });
      expect(sent).toMatchObject({ status: 403, body: { code: "board-refused" } });
      expect(runOf(project).pending.work.held).toBeDefined();
    };
    await refused();
    await page.locator("[data-item]").click();
    const acts = page.getByRole("region", { name: "What one can do" });
    await acts.getByRole("button", { name: "Answer review:T" }).click();
    await acts.getByRole("textbox").fill("The first.");
    await acts.getByRole("button", { name: "Answer", exact: true }).click();
    await until(() => runOf(project).pending.work.hint === "The first.");
    await project.run();
    await acts.getByText("its answer was refused twice").waitFor();
    expect(await acts.getByRole("button").count()).toBe(0);
    await refused();
  });

  it("decides nothing at a signed gate, and is told where that is done", async () => {
    promise("board.device-strength");
    using project = await waiting("gates: signed\n");
    await using board = await openDeviceBoard(project);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await register(page, board);
    await page.locator("[data-item]", { hasText: "1.2.0" }).click();
    await page.getByText("This gate wants a verdict that is signed (signed).").waitFor();
    for (const act of ["approve", "reject"])
      expect(await page.locator(`[data-${act}]`).isDisabled(), act).toBe(true);
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    // Nor does the server take it from another page.
    for (const approve of [true, false]) {
      const order = { approve, notes: "Name the unit.", points: [], version: await versionOf(page) };
      const { body, status } = await send(page, `verdict/${RUN}`, order);
      expect([status, body]).toEqual([
        403,
        {
          code: "verdict-too-weak",
          message: expect.stringContaining("a device signs nothing"),
          fix: expect.stringContaining(`\`pawl ${approve ? "approve" : "reject"} ${RUN}\` in a terminal`),
        },
      ]);
    }
    expect([stateOf(project), stateOf(project, OTHER)]).toEqual(["in_review", "in_review"]);
  });

  it("takes a device's access at once, its open page included", async () => {
    promise("board.device-revoked");
    using project = await waiting();
    await using board = await openDeviceBoard(project);
    await using phone = await openPhone(browser);
    const { page } = phone;
    await register(page, board);
    await page.locator(".line.live").waitFor({ state: "attached" });
    const revoked = await personAtTerminal(project.root, ["board", "--revoke", "My phone"]);
    expect(revoked.out).toContain("My phone may no longer use the board");
    await page.getByText("This device is signed out.").waitFor();
    expect(await page.evaluate(async () => (await fetch("/api/inbox")).status)).toBe(401);
    await page.goto(`${board.origin}/`);
    await page.getByRole("button", { name: "Come in with this device's passkey" }).click();
    await page.getByText("its passkey is none of this board's").waitFor();
    await until(() => (project.read(".pawl/events.jsonl") ?? "").includes('"type":"device:revoked"'));
  });
});
