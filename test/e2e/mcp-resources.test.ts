import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTEXT, DESIGN, PLAN, STRATEGY } from "../rig/alfred-artifacts.ts";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { type Connected, connect, ERAS } from "../rig/client.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

describe.each(ERAS)("resources and prompts, for a client of %s", (era) => {
  let project: TemporaryProject;
  let connected: Connected;
  const read = async (uri: string) => {
    const { contents } = await connected.client.readResource({ uri });
    return (contents[0] as { text: string }).text;
  };
  beforeAll(async () => {
    project = temporaryProject();
    project.write("pawl.yaml", "alfred:\n  reviews: { default: [], implement_task: [ai] }\n");
    connected = await connect(project, { era, environment: { DOOR_ONLY: "" } });
    for (const id of ["TS-01", "TS-02"])
      await connected.call("create_task", { task_content: taskMarkdown(id) });
    await connected.call("plan_task", { task_id: "TS-01" });
    for (const artifact of [CONTEXT, STRATEGY, DESIGN, PLAN])
      await connected.call("submit_work", { task_id: "TS-01", artifact });
  });
  afterAll(async () => {
    await connected[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("offer a task, its plan, its scratchpad and its review, by template, in the list, and completed", async () => {
    promise("mcp.resources");
    const { resourceTemplates } = await connected.client.listResourceTemplates();
    const uris = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(uris).toEqual(
      ["", "/plan", "/scratchpad", "/review"].map((end) => `pawl://alfred/tasks/{task_id}${end}`),
    );
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(["pawl://alfred/tasks/TS-01", "pawl://alfred/tasks/TS-02/plan"]),
    );
    expect(await read("pawl://alfred/tasks/TS-01")).toContain("# TASK: TS-01");
    expect(await read("pawl://alfred/tasks/TS-01/plan")).toContain('"slot_id": "S-1"');
    expect(await read("pawl://alfred/tasks/TS-01/scratchpad")).toContain("S-1");
    const ref = { type: "ref/resource", uri: uris[1] ?? "" } as const;
    const { completion } = await connected.client.complete({
      ref,
      argument: { name: "task_id", value: "ts-0" },
    });
    expect(completion.values).toEqual(["TS-01", "TS-02"]);
  });

  it("keep the fix if they cannot be read", async () => {
    promise("mcp.resources");
    await expect(read("pawl://alfred/tasks/TS-02/plan")).rejects.toThrow(
      "The task 'TS-02' has no accepted plan yet.\nCall work_on_task with task_id \"TS-02\"",
    );
    await expect(read("pawl://alfred/tasks/TS-09")).rejects.toMatchObject({
      code: -32602,
      data: { code: "task-missing", fix: expect.stringMatching(/\w/) },
    });
  });

  it("refuse arguments of a prompt that are missing or unknown, with the fix", async () => {
    promise("mcp.resources");
    const get = (given: Record<string, string>) =>
      connected.client.getPrompt({ name: "start_task", arguments: given });
    await expect(get({ id: "TS-01" })).rejects.toThrow(
      /task_id is missing: expected a string; start_task has no argument id \(found "TS-01"; did you mean task_id\?\)\.\nCall start_task again with task_id in place of id/,
    );
    expect((await get({ task_id: "TS-01" })).messages).toHaveLength(1);
  });

  it("have every spell among the prompts, for the developer to cast from a menu", async () => {
    const { prompts } = await connected.client.listPrompts();
    const names = prompts.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["accio", "expecto", "reparo", "reverto", "finite", "lumos"]),
    );
    const { messages } = await connected.client.getPrompt({ name: "accio" });
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining("call the tool accio") });
  });

  it("say that the lists of tools and prompts do not change", () => {
    const { tools, prompts } = connected.client.getServerCapabilities() ?? {};
    expect(tools?.listChanged ?? false).toBe(false);
    expect(prompts?.listChanged ?? false).toBe(false);
  });
});
