/**
 * A server over MCP with one tool, whose answer has other words in its text than in its structured content. Into the file that
 * it is given it writes how the client names itself.
 */
import { writeFileSync } from "node:fs";
import { CLIENT_INFO_META_KEY, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { OUTPUT } from "../../src/surfaces/mcp/answer.ts";

const [file = "", text = "", data = ""] = process.argv.slice(2);

serveStdio(() => {
  const server = new McpServer({ name: "shown", version: "0.0.0" });
  const about = {
    description: "Tells its words.",
    inputSchema: z.object({ which: z.string() }),
    outputSchema: OUTPUT,
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  server.registerTool("tell_words", about, async (_, { mcpReq }) => {
    const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const client = envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
    writeFileSync(file, JSON.stringify(client));
    return {
      content: [{ type: "text", text }],
      structuredContent: { status: "success", message: "Told.", next_prompt: data },
    };
  });
  return server;
});
