import { describe, expect, it } from "vitest";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { type ConnectOptions, clientThatShows, connect } from "../rig/client.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const WALK = async (named: Pick<ConnectOptions, "name" | "version"> = {}) => {
  using project = temporaryProject();
  await using client = await connect(project, { environment: { DOOR_ONLY: "" }, ...named });
  await client.call("create_task", { task_content: taskMarkdown("TS-01") });
  return {
    started: await client.call("start_task", { task_id: "TS-01" }),
    cast: await client.call("accio"),
    lumos: await client.call("lumos"),
    refused: await client.call("plan_task", { task_id: "TS-02" }),
  };
};

const STARTED = "Starting setup for task 'TS-01'. Current step: initialized.";
const [TEXT, DATA, BOTH] = [clientThatShows("text"), clientThatShows("data"), clientThatShows("both")];

describe("a reply's words", () => {
  it("are in both parts, for a client that nobody knows", async () => {
    promise("mcp.words-reach-the-model");
    const { started, cast, lumos, refused } = await WALK();
    expect(started.text).toContain("Directive: Check Git Status");
    expect(started.data).toMatchObject({
      status: "success",
      message: STARTED,
      next_prompt: started.text,
      data: { task_id: "TS-01", current_state: "initialized" },
    });
    expect(cast.text).toContain("## Response to the AI");
    expect(cast.data.reply).toBe(cast.text);
    expect(cast.data.history).toBeUndefined();
    expect(lumos.data.history).toHaveLength(1);
    expect(refused.text).toContain("Task 'TS-02' not found.");
  });

  it("are in both parts, for a version of a client that nobody looked at, and for one that shows both", async () => {
    promise("mcp.words-reach-the-model");
    for (const client of [{ ...TEXT, version: "0.0.1" }, BOTH]) {
      const { cast } = await WALK(client);
      expect(cast.text).toContain("## Response to the AI");
      expect(cast.data.reply).toBe(cast.text);
    }
  });

  it("are the text alone, for a client whose model is shown the text", async () => {
    promise("mcp.words-reach-the-model");
    const { started, cast } = await WALK(TEXT);
    expect(started.text).toContain("Directive: Check Git Status");
    expect(started.data).toMatchObject({ status: "success", message: STARTED });
    expect(JSON.stringify(started.data)).not.toContain("Directive");
    expect(cast.text).toContain("## Response to the AI");
    expect(JSON.stringify(cast.data)).not.toContain("Response to the AI");
  });

  it("are in the data alone, for a client whose model is shown the data", async () => {
    promise("mcp.words-reach-the-model");
    const { started, cast, refused } = await WALK(DATA);
    expect(started.text).toBe(STARTED);
    expect(started.data.next_prompt).toContain("Directive: Check Git Status");
    expect(cast.text).toBe("Accio: GATHER_NEEDS_CONTEXT → GATHER_EDITING_CONTEXT");
    expect(cast.data.reply).toContain("## Response to the AI");
    expect(refused.data).toMatchObject({ status: "error", message: expect.stringContaining("not found") });
    expect(JSON.stringify(refused.data)).toContain('"fix"');
  });
});
