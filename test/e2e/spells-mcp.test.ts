import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../src/main.ts");

describe("the six spells over MCP", () => {
  let root: string;
  let client: Client;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "pawl-spells-mcp-"));
    mkdirSync(join(root, ".ai"));
    client = new Client({ name: "test", version: "1" });
    const args = [MAIN, "mcp", "spells"];
    const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env as Record<string, string>;
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env }));
  }, 60_000);

  afterAll(async () => {
    await client.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("are six tools without parameters, in under 4,000 characters", async () => {
    const list = await client.listTools();
    expect(list.tools.map(({ name }) => name)).toEqual([
      "accio",
      "expecto",
      "reparo",
      "reverto",
      "finite",
      "lumos",
    ]);
    for (const { inputSchema } of list.tools) expect(inputSchema.properties).toEqual({});
    expect(JSON.stringify(list).length).toBeLessThan(4_000);
  });

  test("say each when to use it, which are the developer's to cast, and which reach outside", async () => {
    const { tools } = await client.listTools();
    for (const { name, description, annotations } of tools) {
      expect(/only when the developer asks/.test(description ?? ""), name).toBe(name !== "lumos");
      expect(annotations?.readOnlyHint ?? false, name).toBe(name === "lumos");
      // Left out where it is the protocol's default.
      const reaches = ["accio", "expecto", "reparo"].includes(name);
      expect(annotations?.openWorldHint, name).toBe(reaches ? undefined : false);
    }
  });

  test("say to the model who casts them", () => {
    expect(client.getInstructions()).toContain("cast one only when they ask for it");
  });

  test("answer with the reply as text and with if the work stands as data; Lumos is a resource too", async () => {
    const moved = await client.callTool({ name: "accio", arguments: {} });
    expect(moved.isError).toBeFalsy();
    const [content] = moved.content as { text: string }[];
    expect(content?.text).toMatch(/^## Response to the AI\n/);
    expect(moved.structuredContent).toMatchObject({
      message: "Accio: GATHER_NEEDS_CONTEXT → GATHER_EDITING_CONTEXT",
      row: "GC1",
      state: "GATHER_EDITING_CONTEXT",
      available: ["accio"],
    });
    const blocked = await client.callTool({ name: "reverto", arguments: {} });
    expect(blocked.isError).toBeFalsy();
    expect(blocked.structuredContent).toMatchObject({ row: "GCB1", outcome: "blocked" });
    const looked = await client.callTool({ name: "lumos", arguments: {} });
    const resource = await client.readResource({ uri: "pawl://spells/lumos" });
    expect((resource.contents[0] as { text: string }).text).toBe(
      (looked.content as { text: string }[])[0]?.text,
    );
    const again = await client.callTool({ name: "lumos", arguments: {} });
    for (const { content, structuredContent } of [looked, again]) {
      const [{ text = "" } = {}] = content as { text?: string }[];
      expect(text).toMatch(/^> \*\*AI Engineer Workflow\*\* helps you/);
      expect(structuredContent).toMatchObject({ reply: text });
    }
    const state = JSON.parse(readFileSync(join(root, ".ai/task/state.json"), "utf8"));
    expect(state).toMatchObject({ current_state: "GATHER_EDITING_CONTEXT", context: {} });
    expect(state.history).toHaveLength(1);
  });
});
