import { randomBytes } from "node:crypto";
import {
  type CacheHint,
  createRequestStateCodec,
  McpServer,
  type McpServerFactory,
  type RequestStateCodec,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Settings } from "../../core/settings.ts";
import type { Tool, UserPrompt, WorkflowModule } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import type { About } from "./about.ts";
import { OUTPUT, type Question, type Serving } from "./answer.ts";
import { checkArguments } from "./arguments.ts";
import { toolHandler } from "./call.ts";
import type { Gate } from "./gate.ts";
import { complete, registerResource, withFix } from "./resources.ts";
import type { Work } from "./work.ts";

export interface Served {
  readonly project: Project;
  readonly modules: readonly WorkflowModule[];
  readonly about: About;
  readonly work: Work;
  /** Null: nothing waits for the handshake. */
  readonly gate: Gate | null;
}

/** For a client of 2026: what was listed may be kept for an hour. */
const SAME: CacheHint = { ttlMs: 3_600_000, cacheScope: "private" };

/** Makes the server of one connection, for either era of the protocol, from what the workflows declare. */
export function openServerFactory({ project, modules, about, work, gate }: Served): McpServerFactory {
  const codec = lateCodec();
  return async () => {
    const { serverInfo, ...shown } = about;
    const server = new McpServer(serverInfo, {
      ...shown,
      cacheHints: { "tools/list": SAME, "prompts/list": SAME, "resources/templates/list": SAME },
      requestState: { verify: codec.verify },
    });
    const serving: Serving = {
      runtime: project.runtime,
      server,
      codec,
      work,
      logLevel: null,
      templates: new Map(),
    };
    server.server.setRequestHandler("logging/setLevel", ({ params }) => {
      serving.logLevel = params.level;
      return {};
    });
    server.server.setRequestHandler("completion/complete", ({ params }) => complete(serving, params));
    const shared = new Set<Tool>();
    const load = async () => {
      for (const module of modules) await register(serving, module, shared);
    };
    if (gate?.isHandshake()) gate.await(load);
    else await load();
    return server;
  };
}

/** Made with the first question. One process serves every round of it, so the key need not outlive it. */
function lateCodec(): RequestStateCodec<Question> {
  let made: RequestStateCodec<Question> | undefined;
  const codec = () => {
    made ??= createRequestStateCodec<Question>({ key: randomBytes(32) });
    return made;
  };
  return {
    mint: (question, context) => codec().mint(question, context),
    verify: async (state, context) => codec().verify(state, context),
  };
}

/** `shared`: the tools that exist already; several workflows may share one. */
async function register(serving: Serving, module: WorkflowModule, shared: Set<Tool>): Promise<void> {
  const [tools, prompts, resources] = await Promise.all([
    module.tools(),
    module.prompts(),
    module.resources(),
  ]);
  const settings = tools.some(({ relaysVerdict }) => relaysVerdict) ? await settingsOf(serving) : null;
  for (const tool of tools) {
    if (shared.has(tool)) continue;
    shared.add(tool);
    serving.server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: unchecked(tool.input.strict()),
        outputSchema: ENVELOPE,
        annotations: annotationsOf(tool),
        ...(settings && tool.relaysVerdict?.(settings) ? { _meta: NEEDS_PERSON } : {}),
      },
      toolHandler(serving, tool),
    );
  }
  for (const prompt of prompts) registerPrompt(serving, prompt);
  for (const resource of resources) registerResource(serving, resource);
}

/** Claude Code asks the person before each call, whatever else it may do by itself. */
const NEEDS_PERSON = { "anthropic/requiresUserInteraction": true };

/** Null: nobody can read them. Every call says so, and no verdict is taken. */
function settingsOf({ runtime }: Serving): Promise<Settings | null> {
  return runtime.settings(runtime.store.view()).catch(() => null);
}

/** Shown with every tool, so as short as possible; a call is checked against the whole schema. */
const ENVELOPE: z.ZodObject = withSchema(OUTPUT, () => ({ type: "object", required: ["status", "message"] }));

/**
 * What a client may know about a call before it makes it. Nothing is said twice: a hint that equals the protocol's
 * default is left out, and a tool that changes nothing leaves out the others.
 */
function annotationsOf({ readOnly, idempotent, openWorld, destructive }: Tool): ToolAnnotations {
  return {
    ...(readOnly ? { readOnlyHint: true } : destructive ? {} : { destructiveHint: false }),
    ...(idempotent && !readOnly ? { idempotentHint: true } : {}),
    ...(openWorld ? {} : { openWorldHint: false }),
  };
}

/** The schema as it is shown: without its dialect, which is the protocol's own, in each of dozens of schemas. */
function shown(schema: z.ZodObject): z.ZodObject {
  return withSchema(schema, (made) => {
    const { $schema: _, ...rest } = made;
    return rest;
  });
}

type JsonSchema = Record<string, unknown>;

function withSchema(schema: z.ZodObject, change: (made: JsonSchema) => JsonSchema): z.ZodObject {
  const standard = schema["~standard"];
  const changed =
    (make: typeof standard.jsonSchema.input): typeof standard.jsonSchema.input =>
    (options) =>
      change(make(options));
  const jsonSchema = {
    input: changed(standard.jsonSchema.input),
    output: changed(standard.jsonSchema.output),
  };
  return Object.create(schema, { "~standard": { value: { ...standard, jsonSchema } } });
}

/** The same schema to show; the call checks its input itself, so that a refusal looks like every other refusal. */
function unchecked(schema: z.ZodObject): z.ZodObject {
  const standard = { ...shown(schema)["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(schema, { "~standard": { value: standard } });
}

function registerPrompt({ runtime, server }: Serving, prompt: UserPrompt): void {
  const argument = (required: boolean, description: string) =>
    (required ? z.string() : z.string().optional()).describe(description);
  const shape = prompt.arguments.map(({ name, description, required }) => [
    name,
    argument(required, description),
  ]);
  const input = z.strictObject(Object.fromEntries(shape));
  const taker = { name: prompt.name, description: prompt.description, input };
  server.registerPrompt(
    prompt.name,
    { title: prompt.title, description: prompt.description, argsSchema: unchecked(input) },
    (given) =>
      withFix(runtime, async () => {
        const text = prompt.render(checkArguments(taker, given) as Record<string, string>);
        return { messages: [{ role: "user", content: { type: "text", text } }] };
      }),
  );
}
