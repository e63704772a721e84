import { randomBytes } from "node:crypto";
import {
  type CacheHint,
  createRequestStateCodec,
  McpServer,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Settings } from "../../core/settings.ts";
import type { Resource, Tool, UserPrompt, WorkflowModule } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";
import { checkArguments, strictOf } from "../arguments.ts";
import { OUTPUT, withoutValidation, withSchema } from "./answer.ts";
import { APP_URI, registerApp } from "./app/app.ts";
import { type Nonces, openNonces } from "./app/nonces.ts";
import { toolHandler } from "./call.ts";
import {
  type AppPorts,
  type Connection,
  type Listed,
  type Question,
  showsApp,
  type Work,
} from "./connection.ts";
import { complete, registerResource, withFix } from "./resources.ts";
import { type Follower, wakeOn } from "./wake.ts";

export interface ServerDeps {
  readonly project: Project;
  readonly modules: readonly WorkflowModule[];
  readonly version: string;
  readonly work: Work;
  /** Null: there is no app. */
  readonly app: AppPorts | null;
  readonly follower: Follower;
  /** Over standard input the process has one connection; over HTTP it has many. */
  readonly over: "stdio" | "http";
}

/** The workflows' declarations, and the settings that affect them. */
export interface Declared {
  readonly workflows: readonly Declarations[];
  /** Null: the settings are unreadable. Every call reports that, and no verdict is taken. */
  readonly settings: Settings | null;
}

interface Declarations {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly prompts: readonly UserPrompt[];
  readonly resources: readonly Resource[];
}

export async function declaredBy(
  modules: readonly WorkflowModule[],
  { settings, store }: Runtime,
): Promise<Declared> {
  const workflows = await Promise.all(
    modules.map(async ({ mcp, name }) => {
      const [tools = [], prompts = [], resources = []] = await Promise.all([
        mcp?.tools(),
        mcp?.prompts?.(),
        mcp?.resources?.(),
      ]);
      return { name, tools, prompts, resources };
    }),
  );
  const relays = workflows.some(({ tools }) => tools.some(({ relaysVerdict }) => relaysVerdict));
  return { workflows, settings: relays ? await settings(store.view()).catch(() => null) : null };
}

/**
 * The lists of tools and prompts do not change while the server runs; tasks change without a notification.
 */
const CAPABILITIES = {
  logging: {},
  completions: {},
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { listChanged: false, subscribe: true },
};

/** A client of 2026 may cache the lists for an hour. */
const SAME: CacheHint = { ttlMs: 3_600_000, cacheScope: "private" };

type Era = "legacy" | "modern";

/** Creates the server of one connection, for either era of the protocol, from the workflows' declarations. */
export function openServers(served: ServerDeps): (era: Era, declared: Declared) => McpServer {
  const { app, follower, modules, over, project, version, work } = served;
  // One process handles all rounds of a question, so the key need not outlive it.
  const codec = createRequestStateCodec<Question>({ key: randomBytes(32) });
  const nonces = noncesBy(over);
  const instructions = renderInstructions(project.root, modules);
  return (era, { settings, workflows }) => {
    const server = new McpServer(
      { name: "pawl", title: "Pawl", version },
      {
        capabilities: CAPABILITIES,
        instructions,
        cacheHints: { "tools/list": SAME, "prompts/list": SAME, "resources/templates/list": SAME },
        requestState: { verify: codec.verify },
      },
    );
    const connection: Connection = {
      ...{ project, runtime: project.runtime, server, codec, work, app },
      ...{ tools: [], listings: [], templates: new Map(), logLevel: null },
    };
    // Over HTTP, a client of 2026 has a server for each request, so the bus notifies it instead.
    if (era === "legacy" || over === "stdio") wakeOn(connection, follower, era);
    server.server.setRequestHandler("completion/complete", ({ params }) => complete(connection, params));
    answerLists(connection);
    for (const workflow of workflows) register(connection, workflow, settings);
    const gated = workflows.filter(({ tools }) => tools.some(({ waitsAtGate }) => waitsAtGate));
    const options = { project, gated: gated.map(({ name }) => name), nonces: nonces(era) };
    if (app) connection.tools.push(...registerApp(connection, app, options));
    return server;
  };
}

/**
 * The nonces of a connection, which end with it. Over HTTP a client of 2026 has only requests, no connection,
 * so all clients that know the process's token share their nonces.
 */
function noncesBy(over: ServerDeps["over"]): (era: Era) => Nonces {
  const open = () =>
    openNonces({ now: () => performance.now(), word: () => randomBytes(32).toString("base64url") });
  const shared = open();
  return (era) => (era === "modern" && over === "http" ? shared : open());
}

function register(
  connection: Connection,
  { prompts, resources, tools }: Declarations,
  settings: Settings | null,
): void {
  for (const tool of tools) {
    const { description, name, title } = tool;
    // Several workflows may share a tool.
    if (connection.tools.some((each) => each.name === name)) continue;
    const about = {
      ...{ title, description, inputSchema: withoutValidation(strictOf(tool.input)), outputSchema: ENVELOPE },
      annotations: annotationsOf(tool),
      _meta: { ...WHOLE, ...(settings && tool.relaysVerdict?.(settings) ? NEEDS_PERSON : {}) },
    };
    const registered = connection.server.registerTool(name, about, toolHandler(connection, tool));
    connection.tools.push({ name, tool: registered, audience: tool.waitsAtGate ? "gate" : "model" });
  }
  for (const prompt of prompts) registerPrompt(connection, prompt);
  for (const resource of resources) registerResource(connection, resource);
}

/** Of an answer with over 50,000 characters, Claude Code would show its model the first 2,000, without the step to take. */
const WHOLE = { "anthropic/maxResultSizeChars": 500_000 };

/** Makes Claude Code ask the person before each call, even under permissions that allow calls. */
const NEEDS_PERSON = { "anthropic/requiresUserInteraction": true };

/** The output schema in the list of tools: as short as possible. A call is checked against the whole schema. */
const ENVELOPE: z.ZodObject = withSchema(OUTPUT, () => ({ type: "object", required: ["status", "message"] }));

/**
 * Hints about a call for clients. Nothing is redundant: a hint equal to the protocol's default is omitted,
 * and a tool that changes nothing omits the others.
 */
function annotationsOf({ readOnly, idempotent, openWorld, destructive }: Tool): ToolAnnotations {
  return {
    ...(readOnly ? { readOnlyHint: true } : destructive ? {} : { destructiveHint: false }),
    ...(idempotent && !readOnly ? { idempotentHint: true } : {}),
    ...(openWorld ? {} : { openWorldHint: false }),
  };
}

function registerPrompt({ runtime, server }: Connection, prompt: UserPrompt): void {
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
    { title: prompt.title, description: prompt.description, argsSchema: withoutValidation(input) },
    (given) =>
      withFix(runtime, async () => {
        const text = prompt.render(checkArguments(taker, given) as Record<string, string>);
        return { messages: [{ role: "user", content: { type: "text", text } }] };
      }),
  );
}

/** The lists of tools and resources, by client, because the SDK's own are the same for all clients. */
function answerLists(connection: Connection): void {
  const { listings, server, tools } = connection;
  server.server.setRequestHandler("tools/list", (_, context) => {
    const isShown = showsApp(connection, context);
    const shown = tools.filter(({ audience }) => isShown || audience !== "app");
    return { tools: shown.map((each) => shownTool(each, isShown)) };
  });
  server.server.setRequestHandler("resources/list", async () => {
    const lists = await Promise.all(listings.map((list) => list()));
    return { resources: lists.flat() };
  });
}

const DIALECT = { target: "draft-2020-12" } as const;
const AT_GATE = { ui: { resourceUri: APP_URI } };

function shownTool({ audience, name, tool }: Listed, isShown: boolean) {
  const { annotations, description, inputSchema, outputSchema, title } = tool;
  const _meta = isShown && audience === "gate" ? { ...tool._meta, ...AT_GATE } : tool._meta;
  return {
    ...{ name, title, description, inputSchema: json(inputSchema, "input"), annotations, _meta },
    ...(outputSchema && { outputSchema: json(outputSchema, "output") }),
  };
}

function json(schema: StandardSchemaWithJSON | undefined, direction: "input" | "output") {
  return { type: "object" as const, ...schema?.["~standard"].jsonSchema[direction](DIALECT) };
}

type Described = Pick<WorkflowModule, "title" | "summary" | "mcp">;

/** The rules for every workflow, for a model. */
export const RULES = [
  "Pawl keeps work on a written workflow. Each tool call moves a run by one step, and its reply says what to do next:",
  "do exactly that, then report it with the tool that the reply names. A refused call changed nothing and says what",
  "was expected. The reply says who approves: if it is the human, ask them and pass on their words; never",
  "decide for them. Everything is on disk: after a restart, call the same tool again and continue.",
].join("\n");

/** The server's instructions for a model: what Pawl is, and how to start each served workflow. */
export function renderInstructions(root: string, modules: readonly Described[]): string {
  const workflows = modules.map(
    ({ title, summary, mcp }) => `${title}: ${summary}${mcp?.guidance ? ` ${mcp.guidance}` : ""}`,
  );
  return [RULES, "", `Project: ${root}`, "", ...workflows].join("\n");
}
