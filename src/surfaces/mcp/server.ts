import { randomBytes } from "node:crypto";
import { createRequestStateCodec, McpServer, type McpServerFactory } from "@modelcontextprotocol/server";
import { z } from "zod";
import { advance } from "../../runtime/advance.ts";
import type { Project } from "../../runtime/project.ts";
import type { Resource, UserPrompt, WorkflowModule } from "../../workflows/module.ts";
import type { Question } from "./ask.ts";
import { type Serving, toolHandler } from "./call.ts";
import { renderInstructions } from "./instructions.ts";
import type { Work } from "./work.ts";

export interface Served {
  readonly project: Project;
  readonly modules: readonly WorkflowModule[];
  readonly version: string;
  readonly work: Work;
}

/** Makes the server of one connection, for either era of the protocol, from what the workflows declare. */
export function openServerFactory({ project, modules, version, work }: Served): McpServerFactory {
  // One process serves every round of a question, so its key need not outlive it.
  const codec = createRequestStateCodec<Question>({ key: randomBytes(32) });
  return async () => {
    const server = new McpServer(
      { name: "pawl", title: "Pawl", version },
      {
        instructions: renderInstructions(project.root, modules),
        capabilities: { logging: {}, tools: {}, prompts: {}, resources: {} },
        requestState: { verify: codec.verify },
      },
    );
    const serving: Serving = { runtime: project.runtime, server, codec, work };
    for (const module of modules) await register(serving, module);
    return server;
  };
}

async function register(serving: Serving, module: WorkflowModule): Promise<void> {
  const [tools, prompts, resources] = await Promise.all([
    module.tools(),
    module.prompts(),
    module.resources(),
  ]);
  for (const tool of tools) {
    serving.server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: unchecked(tool.input),
        outputSchema: tool.output,
        annotations: {
          title: tool.title,
          readOnlyHint: tool.readOnly,
          idempotentHint: tool.idempotent,
          destructiveHint: false,
          openWorldHint: false,
        },
      },
      toolHandler(serving, tool),
    );
  }
  for (const prompt of prompts) registerPrompt(serving.server, prompt);
  for (const resource of resources) registerResource(serving, resource);
}

/** The same schema to show; the call checks its input itself, so that a refusal looks like every other refusal. */
function unchecked(schema: z.ZodObject): z.ZodObject {
  const standard = { ...schema["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(schema, { "~standard": { value: standard } });
}

function registerPrompt(server: McpServer, prompt: UserPrompt): void {
  const argument = (required: boolean, description: string) =>
    (required ? z.string() : z.string().optional()).describe(description);
  const shape = prompt.arguments.map(({ name, description, required }) => [
    name,
    argument(required, description),
  ]);
  server.registerPrompt(
    prompt.name,
    { title: prompt.title, description: prompt.description, argsSchema: z.object(Object.fromEntries(shape)) },
    (values) => ({
      messages: [
        { role: "user", content: { type: "text", text: prompt.render(values as Record<string, string>) } },
      ],
    }),
  );
}

function registerResource({ server, runtime, work }: Serving, resource: Resource): void {
  const { name, uri, title, description, mimeType } = resource;
  server.registerResource(name, uri, { title, description, mimeType }, async () => {
    const { reply } = await work.run(() => advance(runtime, resource.advance, {}, { channel: "mcp" }));
    return { contents: [{ uri, mimeType, text: reply.text }] };
  });
}
