import type { ElicitResult } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Connected, connect, ERAS } from "../rig/client.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

/** A project whose human is asked through the client, with somebody at the door. */
function askingProject() {
  const project = temporaryProject();
  project.write("pawl.yaml", "alfred:\n  human_review: elicit\n");
  knockAt(project, "front");
  return project;
}

const KNOCKED = '{"state":"knocked"}\n';
const knockAt = (project: TemporaryProject, door: string) => project.write(`.door/${door}.json`, KNOCKED);
const stateOf = (project: TemporaryProject, door: string) =>
  JSON.parse(project.read(`.door/${door}.json`) ?? "null");

describe.each(ERAS)("a human's verdict, asked for through a client of %s", (era) => {
  const asked: string[] = [];
  let answer: (message: string) => ElicitResult;
  let project: TemporaryProject;
  let connected: Connected;
  beforeAll(async () => {
    project = askingProject();
    const human = (message: string) => {
      asked.push(message);
      return answer(message);
    };
    connected = await connect(project, { era, human });
  });
  beforeEach(() => {
    asked.length = 0;
    knockAt(project, "front");
  });
  afterAll(async () => {
    await connected[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("is the human's, whatever the model passed on", async () => {
    promise("alfred.gates");
    answer = () => ({ action: "accept", content: { approve: false, notes: "Come back tomorrow." } });
    const answered = await connected.call("answer", {
      id: "front",
      is_approved: true,
      feedback_notes: "Fine by me.",
    });
    expect(asked).toEqual(["Somebody knocks at front. Let them in?"]);
    expect(answered).toMatchObject({ isError: false, text: "# The door front is closed." });
    expect(stateOf(project, "front")).toEqual({
      state: "closed",
      by: "elicitation",
      notes: "Come back tomorrow.",
    });
  });

  it("does not carry the model's notes if the human gave none", async () => {
    answer = () => ({ action: "accept", content: { approve: true } });
    await connected.call("answer", { id: "front", is_approved: false, feedback_notes: "No!" });
    expect(stateOf(project, "front")).toEqual({ state: "open", by: "elicitation" });
  });

  it.each(["decline", "cancel"] as const)("decides nothing if the human chooses to %s", async (action) => {
    answer = () => ({ action });
    const answered = await connected.call("answer", { id: "front", is_approved: true });
    expect(answered.isError).toBe(true);
    expect(answered.text).toContain("Nothing was decided");
    expect(answered.text).toContain("or because it has nobody to ask");
    expect(project.read(".door/front.json")).toBe(KNOCKED);
  });

  it("decides nothing if the client's answer has no verdict in it", async () => {
    answer = () => ({ action: "accept", content: { approve: "sure" } });
    const answered = await connected.call("answer", { id: "front", is_approved: true });
    expect(answered.isError).toBe(true);
    expect(project.read(".door/front.json")).toBe(KNOCKED);
  });

  it("asks again if what was asked about changed meanwhile", async () => {
    answer = () => {
      if (asked.length === 1) project.write(".door/front.json", '{"state":"knocked","notes":"boo"}\n');
      return { action: "accept", content: { approve: true } };
    };
    expect((await connected.call("answer", { id: "front", is_approved: true })).isError).toBe(false);
    expect(asked).toEqual([
      "Somebody knocks at front. Let them in?",
      "Somebody knocks at front and says boo. Let them in?",
    ]);
  });

  it("decides nothing if somebody else decided meanwhile", async () => {
    answer = () => {
      project.write(".door/front.json", '{"state":"open"}\n');
      return { action: "accept", content: { approve: false } };
    };
    const answered = await connected.call("answer", { id: "front", is_approved: true });
    expect(answered.text).toContain("The question that the human answered is no longer open.");
    expect(stateOf(project, "front")).toEqual({ state: "open" });
  });

  it("is given in a terminal if the client cannot ask", async () => {
    await using silent = await connect(project, { era });
    const answered = await silent.call("answer", { id: "front", is_approved: true });
    expect(answered).toMatchObject({ isError: true, data: { data: { code: "caller-not-allowed" } } });
    expect(answered.text).toContain("`pawl approve door:front`");
    expect(project.read(".door/front.json")).toBe(KNOCKED);
  });
});

describe("the state of a question", () => {
  const accepted = { verdict: { action: "accept", content: { approve: true } } };

  it("counts for the call that it was made for, and is refused if it was tampered with", async () => {
    using project = askingProject();
    knockAt(project, "back");
    await using connected = await connect(project, { era: "2026", human: () => ({ action: "cancel" }) });
    const send = (id: string, more: Record<string, unknown>) =>
      connected.client.request(
        { method: "tools/call", params: { name: "answer", arguments: { id, is_approved: true }, ...more } },
        { allowInputRequired: true },
      ) as Promise<Record<string, unknown>>;
    const { requestState } = (await send("front", {})) as { requestState: string };
    expect(requestState).toMatch(/^v1\./);
    const other = requestState.replace(
      /^(v1\..{8})(.)/,
      (_, start, letter) => start + (letter === "A" ? "B" : "A"),
    );
    await expect(send("front", { requestState: other, inputResponses: accepted })).rejects.toThrow(
      "Invalid or expired requestState",
    );
    expect(await send("back", { requestState, inputResponses: accepted })).toMatchObject({ isError: true });
    expect(project.read(".door/back.json")).toBe(KNOCKED);
    expect(project.read(".door/front.json")).toBe(KNOCKED);
    expect(await send("front", { requestState, inputResponses: accepted })).toMatchObject({
      structuredContent: { message: "The door front is open." },
    });
  });
});

describe.each(ERAS)("a tool that may pass on a person's verdict, in the list of a client of %s", (era) => {
  it.each([
    ["relay", "[ai, human]", true],
    ["relay", "[ai]", undefined],
    ["elicit", "[human]", undefined],
    ["confirm", "[human]", undefined],
  ])("needs the person for each call only if it does so: %s, %s", async (how, reviews, isNeeded) => {
    promise("mcp.relayed-verdict");
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("pawl.yaml", `alfred:\n  reviews: { default: ${reviews} }\n  human_review: ${how}\n`);
    const options = { era, workflows: ["alfred"], environment: { DOOR_ONLY: "" } };
    await using connected = await connect(project, options);
    const { tools } = await connected.client.listTools();
    const needing = tools.filter(({ _meta }) => _meta?.["anthropic/requiresUserInteraction"] === true);
    expect(needing.map(({ name }) => name)).toEqual(isNeeded ? ["provide_review"] : []);
    // Claude Code shows its model no more than the beginning of a longer answer.
    expect(new Set(tools.map(({ _meta }) => _meta?.["anthropic/maxResultSizeChars"]))).toEqual(
      new Set([500_000]),
    );
  });
});
