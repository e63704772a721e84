/**
 * Sends a person to the board, for clients that show no review themselves: by URL elicitation, or by the URL
 * in a reply. The client's answer decides nothing: the run shows whether a verdict was given.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { RunOverview, Tool } from "../../runtime/module.ts";
import { findRun, overviewOf } from "../../runtime/reports/overview.ts";
import { waitingIn } from "../../runtime/review/queue.ts";
import { partFor, toResult } from "./answer.ts";
import { capabilitiesOf, showsApp, waitingOf } from "./client.ts";
import type { Connection } from "./connection.ts";

type Answer = CallToolResult | InputRequiredResult;
type Input = Readonly<Record<string, unknown>>;

/** Milliseconds for which a call waits for the person: most clients give up on a call after a minute. */
const PATIENCE = 45_000;

/**
 * The board's page of the run; null: no board runs, the tool leads to no gate, or the client opens no URLs.
 */
export function placeToLead(
  connection: Connection,
  tool: Tool,
  input: Input,
  context: ServerContext,
): string | null {
  const leads = capabilitiesOf(connection, context)?.elicitation?.url !== undefined;
  return leads ? addressOf(connection, tool, input) : null;
}

/** The board's page of the run that a call of the tool concerns. */
function addressOf({ app }: Connection, tool: Tool, input: Input): string | null {
  const run = tool.waitsAtGate ? tool.transaction.run(input) : null;
  return run === null ? null : (app?.reviewAddress(run) ?? null);
}

/** Asks the client to open the board for the person. */
export async function lead(key: string, url: string, requestState: string): Promise<Answer> {
  const message = "Pawl waits for your verdict: read the review on the board, and decide there.";
  return inputRequired({ inputRequests: { [key]: inputRequired.elicitUrl({ message, url }) }, requestState });
}

/**
 * Waits for a while until the question is closed, and reports whether it is. `isOpen`: checks the run's own
 * state.
 */
export async function awaitVerdict(
  connection: Connection,
  run: string,
  isOpen: () => Promise<boolean>,
  context: ServerContext,
): Promise<Answer> {
  const { stop, onWait } = waitingOf(context);
  onWait?.(`The person decides on the board about ${run}.`);
  const limit = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE)]);
  const log = await connection.project.eventLog();
  let ring = () => {};
  const watch = log.watch(() => ring());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        ring = resolve;
        limit.addEventListener("abort", () => resolve(), { once: true });
      });
      if (!(await isOpen())) return said(connection, context, await decidedWords(connection, run));
      if (limit.aborted) return said(connection, context, openWords(run));
      await changed;
    }
  } finally {
    watch.close();
  }
}

function said(connection: Connection, context: ServerContext, text: string): CallToolResult {
  return toResult({ text, data: { message: text } }, partFor(connection, context));
}

function openWords(run: string): string {
  return `Nothing is decided yet: the human has the review of ${run} on the board. Never decide for them. Wait until they say that they have decided, then see where ${run} stands and go on.`;
}

async function decidedWords(connection: Connection, run: string): Promise<string> {
  const found = await standingOf(connection, run);
  const where =
    found === null ? "" : `: ${run} is at "${found.state}"${found.next ? `, next: ${found.next}` : ""}`;
  return `The human has decided on the board${where}. See where ${run} stands, and go on.`;
}

async function standingOf({ project }: Connection, run: string): Promise<RunOverview | null> {
  return overviewOf(project, await findRun(project, run));
}

/** Adds the board's URL to the answer if the call left its run at a gate. */
export async function withAddress(
  connection: Connection,
  tool: Tool,
  input: Input,
  answer: CallToolResult,
  context: ServerContext,
): Promise<CallToolResult> {
  const address = answer.isError || showsApp(connection, context) ? null : addressOf(connection, tool, input);
  const run = tool.transaction.run(input);
  if (address === null || run === null) return answer;
  const found = await standingOf(connection, run).catch(() => null);
  if (found === null || !waitingIn(found).some(({ kind }) => kind === "gate")) return answer;
  const line = `The human can read it and decide on the board: ${address}`;
  const part = partFor(connection, context);
  return {
    ...answer,
    ...(part !== "text" && { structuredContent: { ...(answer.structuredContent as object), review: line } }),
    ...(part !== "data" && { content: [...answer.content, { type: "text", text: line }] }),
  };
}
