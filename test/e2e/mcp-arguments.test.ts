import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connected, connect } from "../rig/client.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";

interface Schema {
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

const TASK =
  "# TASK: TS-01\n\n## Title\nA\n\n## Context\nB\n\n## Implementation Details\nC\n\n## Acceptance Criteria\n- d\n";
const ID = { task_id: "TS-01" };

describe("the arguments of every tool", () => {
  let project: TemporaryProject;
  let connected: Connected;
  beforeAll(async () => {
    project = releaseReady();
    connected = await connect(project, { environment: { DOOR_ONLY: "" } });
    await connected.call("create_task", { task_content: TASK });
    await connected.call("start_task", ID);
    await connected.call("submit_work", {
      ...ID,
      artifact: { is_clean: true, current_branch: "main", uncommitted_files: [] },
    });
  });
  afterAll(async () => {
    await connected[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("are closed, and each says what it means", async () => {
    promise("mcp.strict-arguments");
    const { tools } = await connected.client.listTools();
    expect(tools.length).toBeGreaterThan(20);
    for (const { name, inputSchema } of tools) {
      const { additionalProperties, properties = {} } = inputSchema as Schema;
      expect(additionalProperties, name).toBe(false);
      for (const [argument, { description }] of Object.entries(properties))
        expect(description, `${name}.${argument}`).toMatch(/\w/);
    }
  });

  it("are refused if one is unknown, with the name that was probably meant, and nothing changes", async () => {
    promise("mcp.strict-arguments");
    const { tools } = await connected.client.listTools();
    const before = project.read(".pawl/events.jsonl");
    for (const { name } of tools) {
      const refused = await connected.call(name, { utterly_unknown: 1 });
      expect(refused.isError, name).toBe(true);
      expect(refused.text, name).toContain(`${name} has no argument utterly_unknown (found 1)`);
      expect(refused.data, name).toMatchObject({ status: "error", data: { code: "usage" } });
    }
    const dropped = await connected.call("provide_review", {
      ...ID,
      is_approved: false,
      feedback: "The branch is wrong.",
    });
    expect(dropped.isError).toBe(true);
    expect(dropped.text.split("\n")[0]).toBe(
      'The arguments of provide_review do not fit. provide_review has no argument feedback (found "The branch is wrong."; did you mean feedback_notes?).',
    );
    expect(dropped.text.split("\n")[1]).toMatch(
      /^Call provide_review again with feedback_notes in place of feedback; it takes task_id, is_approved, feedback_notes \(optional\)\./,
    );
    expect(project.read(".pawl/events.jsonl")).toBe(before);
  });

  it("are named with what was expected and found, in words that are Pawl's own", async () => {
    const wrong = await connected.call("provide_review", { task_id: 7, is_approved: "yes" });
    expect(wrong.text).toContain(
      'task_id: expected a string, found 7; is_approved: expected true or false, found "yes".',
    );
    const missing = await connected.call("initialize_project", { provider: "trello" });
    expect(missing.text).toContain('provider: expected one of local, jira, linear, github, found "trello"');
    const facts = await connected.call("advance", {
      run: "release:1.2.0",
      event: "submit",
      given: { risk: [] },
    });
    expect(facts.text).toContain(
      "given.risk: expected a string or a number or true or false or null, found []",
    );
    const long = await connected.call("advance", { run: "release:1.2.0", notes: "x".repeat(20_001) });
    expect(long.text).toContain('notes: expected at most 20000 characters, found "xxx');
    expect(long.text.length).toBeLessThan(1_000);
  });

  it("refuses a rejection without a reason", async () => {
    promise("mcp.rejection-reason");
    const before = project.read(".alfred/workspace/TS-01/task_state.json");
    for (const feedback_notes of [undefined, "", "  \n"]) {
      const refused = await connected.call("provide_review", {
        ...ID,
        is_approved: false,
        ...(feedback_notes !== undefined && { feedback_notes }),
      });
      expect(refused.data).toMatchObject({ status: "error", data: { code: "usage" } });
      expect(refused.text).toContain("needs a reason");
    }
    expect(project.read(".alfred/workspace/TS-01/task_state.json")).toBe(before);
    const given = await connected.call("provide_review", {
      ...ID,
      is_approved: false,
      feedback_notes: "Commit first.",
    });
    expect(given.isError).toBe(false);
    expect(given.text).toContain("> Commit first.");
  });

  it("suggests the key that was probably meant in an artifact, too", async () => {
    const refused = await connected.call("submit_work", {
      ...ID,
      artifact: { is_clean: true, current_branch: "main", uncommitted: [] },
    });
    expect(refused.text).toContain(
      "- uncommitted: expected no such key, found [] (did you mean uncommitted_files?)",
    );
    expect(refused.text).toContain("- uncommitted_files: expected a list, found nothing");
  });
});
