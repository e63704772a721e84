import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { attempt } from "../../src/core/attempt.ts";
import { CONTEXT } from "../rig/alfred-artifacts.ts";
import { committedProject } from "../rig/alfred-project.ts";
import { bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { type Connected, connect, connectOver, ERAS } from "../rig/client.ts";
import { openHttpServer } from "../rig/http-server.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { stateHome } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";
const environment = { DOOR_ONLY: "" };
const APPS = { showsApps: true, environment };
const NONCE = "pawl/nonce";

/** A run of the project's own workflow that waits for a person's verdict. */
async function waiting(more = ""): Promise<TemporaryProject> {
  const project = releaseProject();
  project.write("pawl.yaml", `${project.read("pawl.yaml")}${more}`);
  await submit(project, "1.2.0");
  return project;
}

async function submit(project: TemporaryProject, id: string): Promise<void> {
  project.write(`releases/${id}.md`, DONE);
  expect((await project.pawl("cast", `release:${id}`, "submit", "--fact", "risk=low")).err).toBe("");
}

const stateOf = (project: TemporaryProject) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;

type Asks = Pick<Connected, "callWithMeta">;

/** The review as the app gets it. */
async function read({ callWithMeta }: Asks, run: string = RUN) {
  const { data, meta, text } = await callWithMeta("app_review", { run });
  const page = data.page as { review: { run: string; version: string } | null; closed?: { code: string } };
  return { page, text, data, nonce: meta[NONCE] as string | undefined, version: page?.review?.version ?? "" };
}

const order = (more: object) => ({ run: RUN, approve: true, notes: "", points: [], ...more });

async function decide({ callWithMeta }: Asks, more: object) {
  const { data, isError, meta } = await callWithMeta("app_verdict", order(more));
  return {
    isError,
    data,
    code: (data as { data?: { code?: string } }).data?.code,
    receipt: data.receipt as Record<string, unknown> | undefined,
    nonce: meta[NONCE] as string | undefined,
  };
}

describe.each(ERAS)("the app, for a client of %s", (era) => {
  it("is there for one that shows apps, in no list of any other, and is not read by it", async () => {
    promise("mcp.app");
    using project = temporaryProject();
    project.write("pawl.yaml", "");
    await using shows = await connect(project, { ...APPS, era });
    const { tools } = await shows.client.listTools();
    const metas = Object.fromEntries(tools.map(({ _meta, name }) => [name, _meta?.ui]));
    const resourceUri = "ui://pawl/review";
    expect(metas).toMatchObject({
      provide_review: { resourceUri },
      submit_work: { resourceUri },
      app_review: { resourceUri, visibility: ["app"] },
      app_verdict: { resourceUri, visibility: ["app"] },
    });
    expect(metas.get_next_task).toBeUndefined();
    const { contents } = await shows.client.readResource({ uri: resourceUri });
    const nowhere = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
    expect(contents).toMatchObject([
      {
        mimeType: "text/html;profile=mcp-app",
        text: expect.stringMatching(/^<!doctype html>/),
        _meta: { ui: { csp: nowhere } },
      },
    ]);
    await using other = await connect(project, { environment, era, human: () => ({ action: "cancel" }) });
    const listed = JSON.stringify([await other.client.listTools(), await other.client.listResources()]);
    expect(listed).not.toMatch(/app_|ui:\/\/|"ui"/);
    await expect(other.client.readResource({ uri: resourceUri })).rejects.toThrow(/ui:\/\/pawl\/review/);
    expect((await other.call("app_review", {})).data).toMatchObject({ data: { code: "caller-not-allowed" } });
  });

  it("takes a verdict once, as the client's word, and says what it decided", async () => {
    promise("mcp.app-verdict");
    using project = await waiting();
    await using client = await connect(project, { ...APPS, era });
    const { nonce, version } = await read(client);
    const { receipt } = await decide(client, { nonce, version, notes: "Good." });
    expect(receipt).toMatchObject({ by: "rig 1.0.0", channel: "elicitation", strength: "elicited" });
    expect(stateOf(project)).toBe("published");
    expect((await project.pawl("show", RUN)).out).toContain("asked through the client; unverified");
    expect((await read(client)).page.review).toBeNull();
    expect((await decide(client, { nonce, version })).code).toBe("nonce-refused");
  });

  it("sends back with points, each at its place", async () => {
    promise("mcp.app-verdict");
    using project = await waiting();
    await using client = await connect(project, { ...APPS, era });
    const { nonce, version } = await read(client);
    const points = [{ text: "Name the unit.", at: "releases/1.2.0.md:3" }, { text: "Too long." }];
    await decide(client, { nonce, version, approve: false, notes: "Nearly.", points });
    expect(stateOf(project)).toBe("drafting");
    expect((await project.pawl("show", RUN)).out).toContain("[releases/1.2.0.md:3] Name the unit.");
  });

  it("names to the app, and to no model, the run that a call left at a gate", async () => {
    promise("mcp.app");
    using project = releaseProject();
    project.write("releases/1.2.0.md", DONE);
    await using client = await connect(project, { ...APPS, era });
    const submitted = await client.callWithMeta("advance", {
      run: RUN,
      event: "submit",
      given: { risk: "low" },
    });
    expect(submitted.meta["pawl/run"]).toBe(RUN);
    const approved = await client.call("advance", { run: RUN, event: "approve" });
    expect(approved.isError).toBe(false);
    expect(approved.text).toContain("The human decides in the review that this client shows");
    expect(stateOf(project)).toBe("in_review");
  });
});

describe("a verdict of the app", () => {
  let project: TemporaryProject;
  afterEach(() => project[Symbol.dispose]());

  it("decides nothing without its nonce, with a used one, or with one of another run, version or connection", async () => {
    promise("mcp.app-verdict");
    project = await waiting();
    await submit(project, "1.3.0");
    await using client = await connect(project, APPS);
    await using other = await connect(project, APPS);
    const before = project.read(".pawl/runs/release/1.2.0.json");
    const first = await read(client);
    const { version } = first;
    const used = await decide(client, { nonce: first.nonce, version: "another" });
    const refusals = [
      await decide(client, { nonce: "", version }),
      used,
      await decide(client, { nonce: first.nonce, version }),
      await decide(client, { nonce: (await read(client, "release:1.3.0")).nonce, version }),
      await decide(client, { nonce: (await read(other)).nonce, version }),
    ];
    expect(refusals.map(({ code, nonce }) => [code, nonce])).toEqual(
      refusals.map(() => ["nonce-refused", undefined]),
    );
    expect(project.read(".pawl/runs/release/1.2.0.json")).toBe(before);
    expect((await decide(client, { nonce: (await read(client)).nonce, version })).isError).toBe(false);
  });

  it("is refused if what is judged has changed since it was read", async () => {
    promise("mcp.app-verdict");
    project = await waiting();
    await using client = await connect(project, APPS);
    const { nonce, version } = await read(client);
    await project.person("reject", RUN, "-m", "Again.");
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    const late = await decide(client, { nonce, version });
    expect(late.code).toBe("review-changed");
    expect(stateOf(project)).toBe("in_review");
    const { nonce: fresh, version: present } = await read(client);
    expect(present).not.toBe(version);
    expect((await decide(client, { nonce: late.nonce, version: present })).code).toBe("nonce-refused");
    expect((await decide(client, { nonce: fresh, version: present })).isError).toBe(false);
  });

  it.each(["terminal", "signed"])(
    "is not enough for a gate that wants %s: the page says so first",
    async (level) => {
      promise("mcp.app-verdict");
      project = await waiting(`gates: ${level}\n`);
      await using client = await connect(project, APPS);
      const { nonce, page, version } = await read(client);
      expect([nonce, page.closed]).toEqual([
        undefined,
        expect.objectContaining({
          code: "verdict-too-weak",
          fix: expect.stringContaining(`pawl approve ${RUN}`),
        }),
      ]);
      expect((await decide(client, { nonce: "guessed", version })).code).toBe("nonce-refused");
      expect(stateOf(project)).toBe("in_review");
    },
  );

  it("is refused at a gate that was raised after the review was read", async () => {
    promise("mcp.app-verdict");
    project = await waiting();
    await using client = await connect(project, APPS);
    const { nonce, version } = await read(client);
    project.write("pawl.yaml", `${project.read("pawl.yaml")}gates: terminal\n`);
    expect((await decide(client, { nonce, version })).code).toBe("verdict-too-weak");
    expect(stateOf(project)).toBe("in_review");
  });

  it("is no verdict in a terminal, if a task's human review must be one", async () => {
    promise("mcp.app-verdict");
    project = planned("human_review: relay");
    const run = "alfred:TS-01";
    await using client = await connect(project, { ...APPS, workflows: ["alfred"] });
    await client.call("plan_task", { task_id: "TS-01" });
    await client.call("submit_work", { task_id: "TS-01", artifact: CONTEXT });
    const early = await read(client, run);
    project.write("pawl.yaml", (project.read("pawl.yaml") ?? "").replace("relay", "confirm"));
    const { nonce, version } = early;
    const refused = await decide(client, { run, nonce, version });
    expect([refused.isError, refused.data.message]).toEqual([
      true,
      expect.stringContaining("can only be given by a human, in a terminal"),
    ]);
    const late = await read(client, run);
    expect([late.nonce, late.page.closed?.code]).toEqual([undefined, "verdict-too-weak"]);
  });

  it("is asked once more if files changed that may not, and a yes to exactly them accepts them", async () => {
    promise("mcp.app-verdict");
    project = planned("human_review: relay", "guard: true\n");
    await using client = await connect(project, { ...APPS, workflows: ["alfred"] });
    const run = "alfred:TS-01";
    await client.call("plan_task", { task_id: "TS-01" });
    await client.call("submit_work", { task_id: "TS-01", artifact: CONTEXT });
    project.write("greet.js", "changed\n");
    const { nonce, version } = await read(client, run);
    const asked = await decide(client, { run, nonce, version });
    const { hash, message } = asked.data.asked as { hash: string; message: string };
    expect(message).toContain("greet.js");
    const done = await decide(client, { run, nonce: asked.nonce, version, asked: hash });
    expect(done.receipt).toMatchObject({ strength: "elicited" });
  });

  it("never shows its nonce to a model, a log or a file", async () => {
    promise("mcp.app-hostile");
    project = await waiting();
    await using client = await connect(project, APPS);
    await client.client.setLoggingLevel("debug");
    const { data, nonce = "", text, version } = await read(client);
    const refused = await decide(client, { nonce, version: "another" });
    const shown = JSON.stringify([data, text, refused.data, client.logs]);
    const next = await read(client);
    await decide(client, { nonce: next.nonce, version });
    expect(nonce.length).toBeGreaterThan(40);
    expect(shown).not.toContain(nonce);
    const { XDG_STATE_HOME = "" } = stateHome();
    for (const folder of [project.root, XDG_STATE_HOME]) {
      const list = () => readdirSync(folder, { recursive: true, withFileTypes: true });
      // Other tests remove folders of theirs while it is listed.
      const files = (await until(() => attempt(list, null))).filter((each) => each.isFile());
      expect(files.length).toBeGreaterThan(3);
      for (const { name, parentPath } of files) {
        const bytes = () => readFileSync(join(parentPath, name), "latin1");
        // Other tests keep their state beside it, and remove it meanwhile.
        const held = folder === project.root ? bytes() : attempt(bytes, "");
        expect(
          [nonce, next.nonce].some((each) => each && held.includes(each)),
          name,
        ).toBe(false);
      }
    }
  });

  it.each(ERAS)("counts over HTTP for the client that read the review, of %s", async (era) => {
    promise("mcp.app-verdict");
    project = await waiting();
    await using server = await openHttpServer(project, { environment });
    await using client = await connectOver(server, { era, showsApps: true });
    const { nonce, version } = await read(client);
    if (era === "2025") {
      await using other = await connectOver(server, { era, showsApps: true });
      expect((await decide(other, { nonce, version })).code).toBe("nonce-refused");
      expect(stateOf(project)).toBe("in_review");
    }
    const again = await read(client);
    expect((await decide(client, { nonce: again.nonce, version })).receipt).toMatchObject({
      strength: "elicited",
    });
  });
});

it("The app is about the runs of the served tools alone: tasks of agents are decided elsewhere", async () => {
  promise("mcp.app-verdict");
  using project = bloomProject({ tasks: checkpointTask("first") });
  await using client = await connect(project, APPS);
  const { data } = await client.call("app_review", { run: "bloom:T1" });
  expect(data).toMatchObject({ data: { code: "workflow-missing" } });
});

function planned(alfred: string, more = ""): TemporaryProject {
  return committedProject(`${more}alfred:\n  reviews: { plan_task: [human] }\n  ${alfred}\n`);
}
