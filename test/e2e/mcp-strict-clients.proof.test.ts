/**
 * Clients that check every structured content against the tool's own output schema, of both generations of the SDK: one
 * that finds a fault there hides the message behind a protocol error.
 */

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Transport2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { CONTEXT, DESIGN, MANIFEST, PLAN, REVIEW, STRATEGY, TESTED } from "../rig/alfred-artifacts.ts";
import { CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { MAIN, type TemporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { committedAt } from "../rig/repository.ts";

type Input = Record<string, unknown>;
interface Strict {
  tools(): Promise<readonly string[]>;
  /** Rejects where what came does not fit the tool's schema. */
  call(name: string, input: Input): Promise<{ isError: boolean; text: string; data: Input }>;
  close(): Promise<void>;
}

const YES = { action: "accept", content: { approve: true, notes: "Fine." } } as const;

// biome-ignore lint/suspicious/noExplicitAny: two SDKs with types of their own; the test looks at what arrives
function strict(client: any): Strict {
  return {
    async tools() {
      const { tools } = await client.listTools();
      for (const { name, outputSchema } of tools) expect(outputSchema, name).toBeDefined();
      return tools.map(({ name }: { name: string }) => name);
    },
    async call(name, input) {
      const result = await client.callTool({ name, arguments: input });
      return {
        isError: result.isError === true,
        text: result.content[0].text,
        data: result.structuredContent,
      };
    },
    close: () => client.close(),
  };
}

async function connectBy(generation: "1.x" | "2.x", { root }: TemporaryProject): Promise<Strict> {
  const env = testEnvironment({ DOOR_ONLY: "" });
  const serving = { command: process.execPath, args: [MAIN, "mcp"], cwd: root, env, stderr: "pipe" as const };
  const info = { name: "strict", version: "1.0.0" };
  if (generation === "1.x") {
    const client = new Client1(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => YES);
    await client.connect(new Transport1(serving));
    return strict(client);
  }
  const client = new Client2(info, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", () => YES);
  await client.connect(new Transport2(serving));
  return strict(client);
}

const ID = "TS-01";
const ON = { task_id: ID };
const RUN = "release:1.2.0";

function projectOfAll(): TemporaryProject {
  const project = releaseReady();
  const workflows = project.read("pawl.yaml") ?? "";
  project.write(
    "pawl.yaml",
    `${workflows}\nalfred:\n  human_review: elicit\n  reviews: { default: [], start_task: [human] }\n`,
  );
  project.write("src/server.txt", "server\n");
  committedAt(project.root);
  return project;
}

/** Every tool's way to a success, in an order in which each is possible. */
const WALK: readonly (readonly [string, Input])[] = [
  ["initialize_project", {}],
  ["initialize_project", { provider: "local" }],
  ["create_task", { task_content: taskMarkdown(ID) }],
  ["create_task", { task_content: taskMarkdown("TS-90") }],
  ["get_next_task", {}],
  ["work_on_task", ON],
  ["create_spec", { task_id: "TS-90", prd_content: "Limit the rate." }],
  [
    "submit_work",
    {
      task_id: "TS-90",
      artifact: { title: "", overview: "", requirements: [], design_decisions: [], out_of_scope: [] },
    },
  ],
  ["create_tasks_from_spec", { task_id: "TS-90" }],
  ["start_task", ON],
  ["submit_work", { ...ON, artifact: CLEAN }],
  ["provide_review", { ...ON, is_approved: true }],
  ["submit_work", { ...ON, artifact: { branch_name: "main", success: true, details: "" } }],
  ["provide_review", { ...ON, is_approved: true }],
  ["plan_task", ON],
  ...[CONTEXT, STRATEGY, DESIGN, PLAN].map((artifact) => ["submit_work", { ...ON, artifact }] as const),
  ["implement_task", ON],
  ["mark_subtask_complete", { ...ON, subtask_id: "S-1" }],
  ["mark_subtask_complete", { ...ON, subtask_id: "S-2" }],
  ["submit_work", { ...ON, artifact: MANIFEST }],
  ["review_task", ON],
  ["submit_work", { ...ON, artifact: REVIEW }],
  ["test_task", ON],
  ["submit_work", { ...ON, artifact: TESTED }],
  ["finalize_task", ON],
  ...["lumos", "accio", "expecto", "finite", "accio", "reparo", "reverto"].map((name) => [name, {}] as const),
  ["knock", { id: "front" }],
  ["answer", { id: "front", is_approved: true }],
  ["look", {}],
  ["look", { run: RUN }],
  ["advance", { run: RUN, event: "submit", given: { risk: "low" } }],
  ["advance", { run: RUN, event: "approve" }],
];

/** Files that make each tool fail when it reads them. */
const BROKEN = [
  `.alfred/workspace/${ID}/task_state.json`,
  ".ai/task/state.json",
  ".pawl/runs/release/1.2.0.json",
  ".door/front.json",
];

describe.each(["1.x", "2.x"] as const)("a client of SDK %s that checks the output schemas", (generation) => {
  it("is given every tool's successes, questions, refusals and errors in a form that fits them", {
    timeout: 120_000,
  }, async () => {
    promise("mcp.output-schema");
    using project = projectOfAll();
    const client = await connectBy(generation, project);
    const tools = await client.tools();
    const succeeded = new Set<string>();
    for (const [name, input] of WALK) {
      const { isError, text, data } = await client.call(name, input);
      expect(isError, `${name}: ${text}`).toBe(false);
      expect(data, name).toMatchObject({ status: expect.any(String), message: expect.any(String) });
      succeeded.add(name);
    }
    expect(tools.filter((name) => !succeeded.has(name))).toEqual([]);
    for (const name of tools) {
      const refused = await client.call(name, { none_such: true });
      expect(refused, name).toMatchObject({ isError: true, data: { status: "error" } });
      expect(refused.text, name).toContain("none_such");
    }
    for (const path of BROKEN) project.write(path, "{ broken");
    const failing: readonly (readonly [string, Input])[] = [
      ["work_on_task", ON],
      ["plan_task", ON],
      ["submit_work", { ...ON, artifact: {} }],
      ["provide_review", { ...ON, is_approved: true }],
      ["lumos", {}],
      ["accio", {}],
      ["look", { run: RUN }],
      ["advance", { run: RUN, event: "retry" }],
      ["knock", { id: "front" }],
    ];
    for (const [name, input] of failing) {
      const failed = await client.call(name, input);
      expect(failed, name).toMatchObject({ isError: true, data: { status: "error" } });
      expect(failed.text, name).toMatch(/\.json/);
    }
    await client.close();
  });
});
