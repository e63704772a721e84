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
import { checkArguments, strictOf } from "../arguments.ts";
import type { About } from "./about.ts";
import { OUTPUT } from "./answer.ts";
import { registerApp } from "./app/app.ts";
import { type Nonces, openNonces } from "./app/nonces.ts";
import type { AppPorts } from "./app/ports.ts";
import { toolHandler } from "./call.ts";
import type { Follower } from "./follow.ts";
import type { Gate } from "./gate.ts";
import { answerLists } from "./lists.ts";
import { complete, registerResource, withFix } from "./resources.ts";
import { unchecked, withSchema } from "./schemas.ts";
import type { Question, Serving } from "./serving.ts";
import { wakeOn } from "./wake.ts";
import type { Work } from "./work.ts";

export interface Served {
  readonly project: Project;
  readonly modules: readonly WorkflowModule[];
  readonly about: About;
  readonly work: Work;
  /** Null: nothing waits for the handshake. */
  readonly gate: Gate | null;
  /** Null: there is no app. */
  readonly app: AppPorts | null;
  readonly follower: Follower;
}

/** For a client of 2026: what was listed may be kept for an hour. */
const SAME: CacheHint = { ttlMs: 3_600_000, cacheScope: "private" };

/** Makes the server of one connection, for either era of the protocol, from what the workflows declare. */
export function openServerFactory(served: Served): McpServerFactory {
  const { about, app, follower, gate, modules, project, work } = served;
  const codec = lateCodec();
  const nonces = noncesBy(served);
  return async ({ era }) => {
    const { serverInfo, ...shown } = about;
    const server = new McpServer(serverInfo, {
      ...shown,
      cacheHints: { "tools/list": SAME, "prompts/list": SAME, "resources/templates/list": SAME },
      requestState: { verify: codec.verify },
    });
    const serving: Serving = {
      ...{ project, runtime: project.runtime, server, codec, work, app },
      ...{ tools: [], listings: [], templates: new Map(), logLevel: null },
    };
    // Over HTTP, a client of 2026 has a server for each request: it is told by the bus.
    if (era === "legacy" || gate) wakeOn(serving, follower, era);
    server.server.setRequestHandler("completion/complete", ({ params }) => complete(serving, params));
    answerLists(serving);
    const own = nonces(era);
    const load = async () => {
      const gated: string[] = [];
      for (const module of modules) if (await register(serving, module)) gated.push(module.name);
      if (app) serving.tools.push(...registerApp(serving, app, { project, gated, nonces: own }));
    };
    if (gate?.isHandshake()) gate.await(load);
    else await load();
    return server;
  };
}

/**
 * The nonces of a connection, which end with it. Over HTTP a client of 2026 has no connection, only requests: those of all
 * clients that know the process's token share theirs.
 */
function noncesBy({ gate }: Served): (era: "legacy" | "modern") => Nonces {
  const open = () =>
    openNonces({ now: () => performance.now(), word: () => randomBytes(32).toString("base64url") });
  const shared = open();
  return (era) => (era === "modern" && gate === null ? shared : open());
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

/** Whether its tools can leave a run at a person's gate. */
async function register(serving: Serving, module: WorkflowModule): Promise<boolean> {
  const [tools, prompts, resources] = await Promise.all([
    module.tools(),
    module.prompts(),
    module.resources(),
  ]);
  const settings = tools.some(({ relaysVerdict }) => relaysVerdict) ? await settingsOf(serving) : null;
  for (const tool of tools) {
    const { description, name, title } = tool;
    // Several workflows may share one.
    if (serving.tools.some((each) => each.name === name)) continue;
    const about = {
      ...{ title, description, inputSchema: unchecked(strictOf(tool.input)), outputSchema: ENVELOPE },
      annotations: annotationsOf(tool),
      ...(settings && tool.relaysVerdict?.(settings) ? { _meta: NEEDS_PERSON } : {}),
    };
    const registered = serving.server.registerTool(name, about, toolHandler(serving, tool));
    serving.tools.push({ name, tool: registered, audience: tool.waitsAtGate ? "gate" : "model" });
  }
  for (const prompt of prompts) registerPrompt(serving, prompt);
  for (const resource of resources) registerResource(serving, resource);
  return tools.some(({ waitsAtGate }) => waitsAtGate);
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
