import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PAGE, renderToolReference } from "../../scripts/mcp-docs.ts";

describe("docs/internals/mcp-tools.md", () => {
  it("shows the tools as they are: run scripts/mcp-docs.ts after a change", async () => {
    const page = readFileSync(PAGE, "utf8");
    expect(page.split("\n### ").length).toBeGreaterThan(20);
    expect(page).toBe(await renderToolReference());
  });
});

describe("docs/mcp.md", () => {
  it("shows configurations that are JSON, with the server's own path and header", () => {
    const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
    const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, body]) =>
      JSON.parse(body ?? ""),
    );
    expect(blocks).toMatchObject([
      { mcpServers: { pawl: { command: "npx", args: ["--no", "--package=pawl", "--", "pawl", "mcp"] } } },
      { mcpServers: { pawl: { type: "http", url: expect.stringMatching(/\/mcp$/) } } },
    ]);
  });
});
