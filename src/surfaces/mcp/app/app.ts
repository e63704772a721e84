/**
 * The review inside the client: an app (MCP Apps) for clients that show apps, and the two tools that the app
 * calls.
 *
 * A1  Only a client that declares the extension sees any of it. Every other client gets the same bytes as
 *     before.
 * A2  A verdict needs the nonce of the review that was read. The nonce is in a result's `_meta`, which is for
 *     the app: even a client that wrongly calls the app's tools for its model does not show it to the model.
 * A3  Such a verdict is the client's claim, like the answer to its form: the channel is `elicitation`.
 * A4  The app decides only runs that a call of this server's tools can leave at a gate.
 */
import { RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import { type CallToolResult, ResourceNotFoundError, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PawlError, toPawlError } from "../../../core/error.ts";
import { masked } from "../../../core/text/masked.ts";
import type { Project, Workflows } from "../../../runtime/project.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import { openVerdicts } from "../../../runtime/review/give-verdict.ts";
import type { Review } from "../../../runtime/review/model.ts";
import { openReviews } from "../../../runtime/review/pages.ts";
import { inTurn, waitingIn } from "../../../runtime/review/queue.ts";
import { checkArguments, type Taker } from "../../arguments.ts";
import { refusal, withoutValidation } from "../answer.ts";
import { type AppPorts, type Connection, callerOf, type Listed, showsApp } from "../connection.ts";
import type { Nonces } from "./nonces.ts";

export const APP_URI = "ui://pawl/review";

/** In a result's `_meta`, for the app: the run that the call left at a gate. */
export const RUN_KEY = "pawl/run";
/** In a result's `_meta`, for the app: the nonce that a verdict needs. */
const NONCE_KEY = "pawl/nonce";

const run = z.string().max(300);

const REVIEW = {
  name: "app_review",
  description: "For Pawl's app alone: what a person needs to decide about a run, or one file's difference.",
  input: z.strictObject({
    run: run.optional().describe("the run; without it, the one that waits for a person first"),
    path: z.string().max(4096).optional().describe("the file"),
    since: z.boolean().optional().describe("only what is new since the last verdict"),
  }),
} satisfies Taker;

const MAX_TEXT_LENGTH = 50_000;
const text = z.string().max(MAX_TEXT_LENGTH);

const VERDICT = {
  name: "app_verdict",
  description: "For Pawl's app alone: the verdict of the person who read the review there.",
  input: z.strictObject({
    run: run.describe("as the review names it"),
    nonce: z.string().max(200).describe("as it came with the review"),
    approve: z.boolean().describe("false sends it back"),
    notes: text.describe("in the person's words"),
    points: z
      .array(z.strictObject({ text, at: z.string().max(4200).optional() }))
      .max(500)
      .describe("each with its place, if it has one"),
    version: z.string().max(200).describe("of the review that was read"),
    asked: z.string().max(200).optional().describe("the question that the person answers by this"),
  }),
} satisfies Taker;

const APP_ONLY = { ui: { resourceUri: APP_URI, visibility: ["app"] } };
/** The app loads nothing, sends nothing, and frames nothing. */
const CSP = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
const DOCUMENT = { ui: { csp: CSP, prefersBorder: true } };

export interface OpenApp {
  readonly project: Project;
  /** The workflows whose runs the app may decide. */
  readonly gated: readonly string[];
  readonly nonces: Nonces;
}

/** Registers the app and its tools. Returns the tools, for the lists of the clients that may see them. */
export function registerApp(connection: Connection, ports: AppPorts, opened: OpenApp): readonly Listed[] {
  const { server } = connection;
  server.registerResource("app_review", APP_URI, { mimeType: RESOURCE_MIME_TYPE }, (_, context) => {
    if (!showsApp(connection, context)) throw new ResourceNotFoundError(APP_URI);
    const contents = { uri: APP_URI, mimeType: RESOURCE_MIME_TYPE, text: ports.document(), _meta: DOCUMENT };
    return { contents: [contents] };
  });
  const acts = actsOf(connection, ports, opened);
  return [
    registerTool(connection, REVIEW, "Show the review", true, acts.review),
    registerTool(connection, VERDICT, "Take the verdict", false, acts.verdict),
  ];
}

type Act = (given: never, context: ServerContext) => Promise<CallToolResult>;

function registerTool(
  connection: Connection,
  taker: Taker,
  title: string,
  readOnlyHint: boolean,
  act: Act,
): Listed {
  const { name, description, input } = taker;
  const { mask } = connection.runtime;
  const answer = async (given: unknown, context: ServerContext) => {
    if (!showsApp(connection, context)) return notShown(name);
    try {
      return await act(checkArguments(taker, given) as never, context);
    } catch (thrown) {
      const { code, fix, message } = toPawlError(thrown);
      return refusal(code, message, fix);
    }
  };
  const about = { title, description, inputSchema: withoutValidation(input), _meta: APP_ONLY };
  const annotations = { readOnlyHint, destructiveHint: false, openWorldHint: false };
  const tool = connection.server.registerTool(name, { ...about, annotations }, (given, context) =>
    connection.work.run(async () => masked(await answer(given, context), mask)),
  );
  return { name, tool, audience: "app" };
}

function actsOf(connection: Connection, { coloursOf }: AppPorts, { gated, nonces, project }: OpenApp) {
  const limited = { ...project, workflows: pickWorkflows(gated, project.workflows) };
  const reviews = openReviews(coloursOf);
  const verdicts = openVerdicts();
  return {
    async review(given: z.infer<typeof REVIEW.input>): Promise<CallToolResult> {
      const { path, run: named = await firstOf(limited), since = false } = given;
      if (named === null) return said({ page: { review: null, strayed: null } });
      if (path !== undefined) return said({ diff: await reviews.diff(limited, named, { path, since }) });
      const page = await reviews.page(limited, named);
      const closed = page.review && closedTo(page.review);
      const nonce = page.review && !closed ? nonces.issue(page.review) : undefined;
      return said({ page: { ...page, ...(closed && { closed }) } }, nonce);
    },
    async verdict(given: z.infer<typeof VERDICT.input>, context: ServerContext): Promise<CallToolResult> {
      const { nonce, run: judged, ...order } = given;
      const reviewed = { run: judged, version: order.version };
      if (!nonces.take(nonce, reviewed)) throw spentNonceError(judged);
      // The caller had a valid nonce, so it gets a new one for another try.
      const next = () => nonces.issue(reviewed);
      try {
        const caller = callerOf(connection, context, "elicitation");
        const done = await verdicts.give(
          limited,
          judged,
          order as Parameters<typeof verdicts.give>[2],
          caller,
        );
        return said(done, "asked" in done ? next() : undefined);
      } catch (thrown) {
        const { code, fix, message } = toPawlError(thrown);
        return { ...refusal(code, message, fix), _meta: { [NONCE_KEY]: next() } };
      }
    },
  };
}

function pickWorkflows(names: readonly string[], workflows: Workflows): Workflows {
  return Object.fromEntries(Object.entries(workflows).filter(([name]) => names.includes(name)));
}

/** The first run that waits for a person's verdict; null: none does. */
async function firstOf(project: Project): Promise<string | null> {
  const runs = (await overview(project)).flatMap((workflow) => workflow.runs);
  const gates = runs.flatMap(waitingIn).filter(({ kind }) => kind === "gate");
  return inTurn(gates, project.runtime.now())[0]?.run ?? null;
}

/** Clients may show the text to the model; everything else is for the app. */
function said(data: object, nonce?: string): CallToolResult {
  const message = "This is for the person, in the client's app: nothing of it is for a model to decide.";
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { status: "success", message, ...data },
    ...(nonce !== undefined && { _meta: { [NONCE_KEY]: nonce } }),
  };
}

/** Why no verdict is possible here; null: one is. */
function closedTo({ gate, level, run: name }: Review) {
  if (level === "any") return null;
  return {
    code: "verdict-too-weak",
    message: `The gate ${gate} of ${name} needs a stronger verdict (${level}) than a client can give.`,
    fix: `Decide in a terminal: \`pawl approve ${name}\` or \`pawl reject ${name}\`; or on the board: \`pawl board\`.`,
  };
}

function spentNonceError(name: string): PawlError {
  return new PawlError(
    "nonce-refused",
    `The verdict on ${name} was refused: its nonce was used already, is too old, or belongs to another review. Nothing was decided.`,
    `A person reads the review again in the client's app and decides there, or with \`pawl approve ${name}\` or \`pawl reject ${name}\` in a terminal.`,
  );
}

function notShown(name: string): CallToolResult {
  return refusal(
    "caller-not-allowed",
    `${name} belongs to Pawl's app, and this client does not say that it shows apps. Nothing was decided.`,
    "A person decides: `pawl review` lists what waits for them.",
  );
}
