import { describe, expect, it } from "vitest";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { temporaryProject } from "../rig/project.ts";

const WALK = async (name?: string) => {
  using project = temporaryProject();
  await using client = await connect(project, { environment: { DOOR_ONLY: "" }, ...(name && { name }) });
  await client.call("create_task", { task_content: taskMarkdown("TS-01") });
  return {
    started: await client.call("start_task", { task_id: "TS-01" }),
    cast: await client.call("accio"),
    lumos: await client.call("lumos"),
    refused: await client.call("plan_task", { task_id: "TS-02" }),
  };
};

describe("a reply's words", () => {
  it("are the text, for a client whose model reads the text, and are not said again in the data", async () => {
    const { started, cast, lumos, refused } = await WALK();
    expect(started.text).toContain("Directive: Check Git Status");
    expect(started.data).toMatchObject({
      status: "success",
      message: "Starting setup for task 'TS-01'. Current step: initialized.",
      data: { task_id: "TS-01", current_state: "initialized" },
    });
    expect(JSON.stringify(started.data)).not.toContain("Directive");
    expect(cast.text).toContain("## Response to the AI");
    expect(JSON.stringify(cast.data)).not.toContain("Response to the AI");
    expect(cast.data.history).toBeUndefined();
    expect(lumos.data.history).toHaveLength(1);
    expect(refused.text).toContain("Task 'TS-02' not found.");
  });

  it.each(["claude-code", "codex-mcp-client", "Visual Studio Code", "github-copilot-developer"])(
    "are in the data, for a client whose model is shown the data alone: %s",
    async (name) => {
      const { started, cast, refused } = await WALK(name);
      expect(started.text).toBe("Starting setup for task 'TS-01'. Current step: initialized.");
      expect(started.data.next_prompt).toContain("Directive: Check Git Status");
      expect(cast.text).toBe("Accio: GATHER_NEEDS_CONTEXT → GATHER_EDITING_CONTEXT");
      expect(cast.data.reply).toContain("## Response to the AI");
      expect(refused.data).toMatchObject({ status: "error", message: expect.stringContaining("not found") });
      expect(JSON.stringify(refused.data)).toContain('"fix"');
    },
  );
});
