import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connected, connect, ERAS } from "../rig/client.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

describe.each(ERAS)("pawl mcp, spoken to by a client of %s", (era) => {
  let project: TemporaryProject;
  let connected: Connected;
  beforeAll(async () => {
    project = temporaryProject();
    connected = await connect(project, { era });
  });
  afterAll(async () => {
    await connected[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("says what it is and how each workflow is begun", async () => {
    expect(connected.client.getServerVersion()).toMatchObject({ name: "pawl", title: "Pawl" });
    const instructions = connected.client.getInstructions();
    expect(instructions).toContain(project.root);
    expect(instructions).toContain(
      "Door: Lets people in, if the person behind it says so. Begin with knock.",
    );
  });

  it("lists the workflows' tools with schemas, titles and annotations", async () => {
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["knock", "answer"]);
    expect(tools[0]).toMatchObject({
      title: "Knock",
      description: "Knock at a door.",
      inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      outputSchema: { type: "object", required: ["status", "message"] },
    });
    // What is the protocol's default is left out.
    expect(tools[0]?.annotations).toEqual({ destructiveHint: false, openWorldHint: false });
  });

  it("moves a run, and answers with text and structured content", async () => {
    promise("mcp.both-eras");
    expect(await connected.call("knock", { id: "front" })).toEqual({
      text: "# Somebody knocks at front.",
      data: { status: "success", message: "Somebody knocks at front." },
      isError: false,
    });
    expect(project.read(".door/front.json")).toBe('{"state":"knocked"}\n');
    expect(JSON.parse(project.read(".pawl/events.jsonl") ?? "")).toMatchObject({
      type: "run:advanced",
      run: "door:front",
      by: { channel: "mcp", who: "rig 1.0.0" },
    });
  });

  it("marks a refused call as an error, with what the workflow said", async () => {
    expect(await connected.call("answer", { id: "quiet", is_approved: true })).toEqual({
      text: "Nobody knocks at quiet.",
      data: { status: "error", message: "Nobody knocks at quiet." },
      isError: true,
    });
  });

  it("refuses arguments that do not fit, naming each", async () => {
    const answered = await connected.call("knock", { id: 7, loud: true });
    expect(answered.isError).toBe(true);
    expect(answered.data).toMatchObject({ status: "error", data: { code: "usage" } });
    expect(answered.text).toContain("id: ");
    expect(answered.text).toContain("loud");
    expect(answered.text).toContain("Call knock again; it takes id.");
    const empty = await connected.call("knock", {});
    expect(empty.text).toContain(
      "do not fit. id is missing: expected a string.\nCall knock again; it takes id. ",
    );
    expect(empty.text).not.toContain("undefined");
  });

  it("shows an error as two lines, and goes on", async () => {
    project.write(".door/broken.json", "{ broken");
    const answered = await connected.call("knock", { id: "broken" });
    expect(answered.isError).toBe(true);
    expect(answered.text).toBe(".door/broken.json:1:1: expected JSON.\nMend or remove .door/broken.json.");
    expect(answered.data).toMatchObject({ status: "error", data: { code: "state-unreadable" } });
    expect((await connected.call("knock", { id: "../x" })).data).toMatchObject({
      data: { code: "id-invalid" },
    });
    expect((await connected.call("knock", { id: "back" })).isError).toBe(false);
  });

  it("offers the workflows' prompts and resources", async () => {
    const { prompts } = await connected.client.listPrompts();
    expect(prompts).toMatchObject([
      { name: "visit", title: "Visit somebody", arguments: [{ name: "door", required: true }] },
    ]);
    const { messages } = await connected.client.getPrompt({ name: "visit", arguments: { door: "front" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Knock at the door front." } }]);
    const { resources } = await connected.client.listResources();
    expect(resources).toMatchObject([{ uri: "pawl://door/doors", mimeType: "application/json" }]);
    const { contents } = await connected.client.readResource({ uri: "pawl://door/doors" });
    expect(contents).toMatchObject([{ uri: "pawl://door/doors", mimeType: "application/json" }]);
  });

  it("sees what another process did between two calls", async () => {
    await connected.call("knock", { id: "side" });
    expect((await project.person("approve", "side")).code).toBe(0);
    expect((await connected.call("knock", { id: "side" })).text).toBe("The door side is open.");
  });
});

describe("pawl mcp", () => {
  it("serves only the named workflows", async () => {
    using project = temporaryProject();
    await using connected = await connect(project, { workflows: ["door"] });
    expect((await connected.client.listTools()).tools).toHaveLength(2);
    const unknown = await project.pawl("mcp", "dor");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toContain("fix:  Use door.");
  });

  it("logs nothing to a client that did not ask for it", async () => {
    promise("mcp.words-reach-the-model");
    using project = temporaryProject();
    await using connected = await connect(project);
    await connected.call("knock", { id: "front" });
    await connected.call("knock", { id: "front" });
    await connected.client.ping();
    expect(connected.logs).toEqual([]);
    await connected.client.setLoggingLevel("warning");
    await connected.call("knock", { id: "back" });
    await connected.call("knock", { id: "back" });
    expect(connected.logs).toMatchObject([{ level: "warning", data: { tool: "knock" } }]);
  });

  it("reports each call's result to a client of 2025 in its log", async () => {
    using project = temporaryProject();
    await using connected = await connect(project);
    await connected.client.setLoggingLevel("info");
    await connected.call("knock", { id: "front" });
    await connected.call("knock", { id: "front" });
    expect(connected.logs).toMatchObject([
      { level: "info", data: { tool: "knock", message: "Somebody knocks at front." } },
      { level: "warning", data: { tool: "knock", message: "The door front is knocked." } },
    ]);
  });
});
