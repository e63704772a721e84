/** A client without apps is led to the board; who decided elsewhere wakes the assistant, where its client can be told. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { CONTEXT } from "../rig/alfred-artifacts.ts";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { enterBoard, openBoardServer } from "../rig/board.ts";
import { connect, connectOver, ERAS } from "../rig/client.ts";
import { openHttpServer } from "../rig/http-server.ts";
import { end, type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { send, startServer, untilWritten } from "../rig/raw-server.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";
const environment = { DOOR_ONLY: "" };
const APPROVING = { run: RUN, event: "approve" };

async function waiting(): Promise<TemporaryProject> {
  const project = releaseProject();
  project.write("releases/1.2.0.md", DONE);
  expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toBe("");
  return project;
}

const stateOf = (project: TemporaryProject) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;

/** A person with the board open in a browser. */
async function person(project: TemporaryProject) {
  const server = await openBoardServer(project, { environment });
  const browser = await enterBoard(server);
  const at = `/api/${browser.project}`;
  return {
    page: `${server.url}#/${browser.project}/review/${encodeURIComponent(RUN)}`,
    async decide(approve: boolean) {
      const { review } = (await browser.get(`${at}/review/${RUN}`)).json();
      const order = { approve, notes: "Read.", points: [], version: review.version };
      expect((await browser.post(`${at}/verdict/${RUN}`, order)).status).toBe(200);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe.each(ERAS)("a client of %s that leads a person to an address", (era) => {
  it("is given the board's page of the run, and the answer is what the person decided there", async () => {
    promise("mcp.led-to-the-board");
    using project = await waiting();
    await using reader = await person(project);
    const seen: string[] = [];
    await using client = await connect(project, {
      ...{ environment, era },
      async led(url) {
        seen.push(url);
        // The client's word comes first, the person's later: it is waited for.
        void reader.decide(true);
        return { action: "accept" };
      },
    });
    const { isError, text } = await client.call("advance", APPROVING);
    expect([seen, isError]).toEqual([[reader.page], false]);
    expect(text).toContain(`The human has decided on the board: ${RUN} is at "`);
    await until(() => stateOf(project) === "published");
    expect((await project.pawl("show", RUN)).out).toContain("given on the board");
  });

  it.each(["decline", "cancel"] as const)("decides nothing if the person chooses to %s", async (action) => {
    promise("mcp.led-to-the-board");
    using project = await waiting();
    await using _ = await person(project);
    await using client = await connect(project, { environment, era, led: () => ({ action }) });
    expect((await client.call("advance", APPROVING)).text).toContain("Nothing was decided");
    expect(stateOf(project)).toBe("in_review");
  });

  it("decides nothing by the client's word alone: it is called off, and the run waits as before", async () => {
    promise("mcp.led-to-the-board");
    using project = await waiting();
    await using _ = await person(project);
    const calledOff = new AbortController();
    await using client = await connect(project, {
      ...{ environment, era },
      led() {
        setImmediate(() => calledOff.abort());
        return { action: "accept", content: { approve: true } };
      },
    });
    const call = client.client.callTool(
      { name: "advance", arguments: APPROVING },
      { signal: calledOff.signal },
    );
    await expect(call).rejects.toThrow();
    expect(stateOf(project)).toBe("in_review");
  });
});

describe("a client that can neither ask nor lead", () => {
  it("has the board's address in the reply that leaves a run at a gate, and none if no board runs", async () => {
    promise("mcp.led-to-the-board");
    using project = releaseProject();
    project.write("releases/1.2.0.md", DONE);
    await using client = await connect(project, { environment });
    const submit = { run: RUN, event: "submit", given: { risk: "low" } };
    {
      await using reader = await person(project);
      expect((await client.call("advance", submit)).text).toContain(reader.page);
      await project.person("reject", RUN, "-m", "Again.");
    }
    expect((await client.call("advance", submit)).text).not.toContain("http://127.0.0.1");
    const refused = await client.call("advance", APPROVING);
    expect(refused.text).toContain(
      `\`pawl review ${RUN}\` shows them what to decide on, \`pawl board\` in a browser.`,
    );
  });
});

const uri = "pawl://alfred/tasks/TS-01/review";

async function underReview(): Promise<TemporaryProject> {
  const project = temporaryProject({ environment });
  project.write("pawl.yaml", "alfred:\n  reviews: { plan_task: [human] }\n");
  project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
  await using client = await connect(project, { environment });
  await client.call("plan_task", { task_id: "TS-01" });
  await client.call("submit_work", { task_id: "TS-01", artifact: CONTEXT });
  return project;
}

describe.each(ERAS)("a client of %s that subscribed to what is under review", (era) => {
  it.each(["standard input and output", "HTTP"])(
    "is told when a person has decided elsewhere, over %s",
    async (how) => {
      promise("mcp.woken");
      using project = await underReview();
      await using server = how === "HTTP" ? await openHttpServer(project, { environment }) : null;
      await using client = server
        ? await connectOver(server, { era })
        : await connect(project, { environment, era });
      const updated: string[] = [];
      client.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        updated.push(params.uri);
      });
      if (era === "2025") await client.client.subscribeResource({ uri });
      else await client.client.listen({ resourceSubscriptions: [uri] });
      if (era === "2025") await client.client.setLoggingLevel("notice");
      await project.person("approve", "TS-01");
      await until(() => updated.length > 0);
      expect(updated).toEqual([uri]);
      if (era === "2025")
        await until(() => client.logs.some(({ data }) => (data as { run?: string }).run === "alfred:TS-01"));
    },
  );
});

it("tells a client of 2026 that says nothing before it subscribes", async () => {
  promise("mcp.woken");
  using project = await underReview();
  const server = startServer(project, environment);
  const acknowledged = untilWritten(server, "notifications/subscriptions/acknowledged");
  send(server, {
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: { _meta: ENVELOPE, notifications: { resourceSubscriptions: [uri] } },
  });
  await acknowledged;
  const updated = untilWritten(server, "notifications/resources/updated");
  await project.person("approve", "TS-01");
  await updated;
  const ended = end(server);
  server.stdin?.end();
  expect((await ended).code).toBe(0);
});

const ENVELOPE = {
  [PROTOCOL_VERSION_META_KEY]: "2026-07-28",
  [CLIENT_INFO_META_KEY]: { name: "raw", version: "0" },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};
