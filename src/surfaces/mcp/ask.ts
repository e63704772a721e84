/**
 * A human's verdict, requested through the client: the client asks, or opens the board for them. The question
 * goes out with a signed state; the answer counts only for the same tool, the same arguments and the same
 * question. After a visit to the board, the run's state shows whether a verdict was given.
 */
import { createHash } from "node:crypto";
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { HumanQuestion, RunOverview, Tool } from "../../runtime/module.ts";
import { findRun, overviewOf } from "../../runtime/reports/overview.ts";
import { waitingIn } from "../../runtime/review/queue.ts";
import { preview, runTransaction } from "../../runtime/transaction/run-transaction.ts";
import { askedIn, type ShownQuestion, shownIn } from "../../runtime/transaction/transaction.ts";
import { answerCommands, cannotAsk } from "../replies.ts";
import { partFor, refusal, toResult } from "./answer.ts";
import {
  type Connection,
  callerOf,
  capabilitiesOf,
  type Question,
  showsApp,
  tracedBy,
  waitingOf,
} from "./connection.ts";

type Answer = CallToolResult | InputRequiredResult;
type Input = Readonly<Record<string, unknown>>;

const KEY = "verdict";

const FORM = {
  type: "object",
  properties: {
    approve: { type: "boolean", title: "Approve", description: "Yes continues the work; no sends it back." },
    notes: {
      type: "string",
      title: "Notes",
      description: "What the assistant should know or change. Optional.",
    },
  },
  required: ["approve"],
} as const;

/** Asks the human. If the client cannot ask, answers with the command for a person. */
export async function ask(
  connection: Connection,
  tool: Tool,
  input: Input,
  humanQuestion: HumanQuestion,
  context: ServerContext,
): Promise<Answer> {
  const run = tool.transaction.run(input) ?? "RUN";
  const message = shownIn(humanQuestion);
  const terminal = answerCommands(run, humanQuestion.command);
  if (tool.waitsAtGate && showsApp(connection, context)) {
    const text = `Nothing is decided yet. The human decides in the review that this client shows, or with ${terminal} in a terminal; never decide for them. Wait until they have, then look at the state of ${run} and continue.`;
    return textResult(connection, context, text);
  }
  const question = { tool: tool.name, input: hash(input), message: shownHash(humanQuestion) };
  const { elicitation } = capabilitiesOf(connection, context) ?? {};
  const url = elicitation?.url && addressOf(connection, tool, input);
  if (url) {
    const words = "Pawl waits for your verdict: read the review on the board, and decide there.";
    return inputRequired({
      inputRequests: { [KEY]: inputRequired.elicitUrl({ message: words, url }) },
      requestState: await connection.codec.mint({ ...question, byUrl: true }, context),
    });
  }
  if (!elicitation || (elicitation.form === undefined && elicitation.url !== undefined)) {
    const why = "this client cannot ask them (it does not support elicitation)";
    const { message, fix } = cannotAsk(run, why, terminal);
    return refusal("caller-not-allowed", message, fix);
  }
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message,
        requestedSchema: { ...FORM, properties: { ...FORM.properties }, required: [...FORM.required] },
      }),
    },
    requestState: await connection.codec.mint(question, context),
  });
}

/** Handles the human's answer to an earlier question. */
export async function takeAnswer(
  connection: Connection,
  tool: Tool,
  input: Input,
  question: Question,
  context: ServerContext,
): Promise<Answer> {
  if (question.tool !== tool.name || question.input !== hash(input)) {
    return undecided("The answer belongs to another call.");
  }
  const decidedNow = () =>
    preview(connection.runtime, tool.transaction, input, callerOf(connection, context, "mcp"));
  if (question.byUrl) {
    const { action } = inputResponse(context.mcpReq.inputResponses, KEY) as { readonly action?: string };
    if (action === "decline" || action === "cancel") return undecided(unanswered(action));
    const isOpen = async () => shownHash((await decidedNow()).ask) === question.message;
    return awaitVerdict(connection, tool.transaction.run(input) ?? "RUN", isOpen, context);
  }
  const open = await decidedNow();
  if (!open.ask) return undecided("The question that the human answered is no longer open.");
  const answer = inputResponse(context.mcpReq.inputResponses, KEY);
  if (shownHash(open.ask) !== question.message || answer.kind !== "elicit") {
    return ask(connection, tool, input, open.ask, context);
  }
  if (answer.action === "decline" || answer.action === "cancel") return undecided(unanswered(answer.action));
  const { approve, notes } = answer.content ?? {};
  if (typeof approve !== "boolean" || (notes !== undefined && typeof notes !== "string")) {
    return undecided(
      "The client's answer has no verdict in it: expected approve (a boolean) and notes (a string).",
    );
  }
  const { feedback_notes: _, ...rest } = input;
  const decided = { ...rest, is_approved: approve, ...(notes ? { feedback_notes: notes } : {}) };
  const prepared = await runTransaction(
    tracedBy(connection.runtime, context),
    tool.transaction,
    decided,
    callerOf(connection, context, "elicitation"),
    {
      to: askedIn(open.ask),
      ...(typeof input.feedback_notes === "string" ? { notes: input.feedback_notes } : {}),
    },
  );
  // The findings have changed since the person was asked.
  if (prepared.ask) return ask(connection, tool, input, prepared.ask, context);
  const { reply } = prepared;
  return toResult(reply, partFor(connection, context));
}

/** A client without a person answers like this on its own. */
function unanswered(action: "decline" | "cancel"): string {
  const what = action === "decline" ? "declined" : "dismissed";
  return `The client reports that the question was ${what}, by the human or because it has nobody to ask.`;
}

function undecided(why: string): CallToolResult {
  return refusal(
    "caller-not-allowed",
    `${why} Nothing was decided, and the run waits as before.`,
    "Call the tool again when the human is ready to answer.",
  );
}

function shownHash(question: ShownQuestion | undefined): string {
  return hash(question && shownIn(question));
}

function hash(value: unknown = null): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

/** Milliseconds for which a call waits for the person: most clients give up on a call after a minute. */
const VERDICT_WAIT = 45_000;

/** The board's page of the run that a call of the tool concerns; null: no board runs, or it leads to no gate. */
function addressOf({ app }: Connection, tool: Tool, input: Input): string | null {
  const run = tool.waitsAtGate ? tool.transaction.run(input) : null;
  return run === null ? null : (app?.reviewAddress(run) ?? null);
}

/**
 * Waits for a while until the question is closed, and reports whether it is. `isOpen`: checks the run's own
 * state.
 */
async function awaitVerdict(
  connection: Connection,
  run: string,
  isOpen: () => Promise<boolean>,
  context: ServerContext,
): Promise<Answer> {
  const { stop, onWait } = waitingOf(context);
  onWait?.(`The person decides on the board about ${run}.`);
  const limit = AbortSignal.any([stop, AbortSignal.timeout(VERDICT_WAIT)]);
  const log = await connection.project.eventLog();
  let ring = () => {};
  const watch = log.watch(() => ring());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        ring = resolve;
        limit.addEventListener("abort", () => resolve(), { once: true });
      });
      if (!(await isOpen())) return textResult(connection, context, await decidedWords(connection, run));
      if (limit.aborted) return textResult(connection, context, openWords(run));
      await changed;
    }
  } finally {
    watch.close();
  }
}

function textResult(connection: Connection, context: ServerContext, text: string): CallToolResult {
  return toResult({ text, data: { message: text } }, partFor(connection, context));
}

function openWords(run: string): string {
  return `Nothing is decided yet: the human has the review of ${run} on the board. Never decide for them. Wait until they say that they have decided, then look at the state of ${run} and continue.`;
}

async function decidedWords(connection: Connection, run: string): Promise<string> {
  const found = await findOverview(connection, run);
  const where =
    found === null ? "" : `: ${run} is at "${found.state}"${found.next ? `, next: ${found.next}` : ""}`;
  return `The human has decided on the board${where}. Look at the state of ${run}, and continue.`;
}

async function findOverview({ project }: Connection, run: string): Promise<RunOverview | null> {
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
  const found = await findOverview(connection, run).catch(() => null);
  if (found === null || !waitingIn(found).some(({ kind }) => kind === "gate")) return answer;
  const line = `The human can read it and decide on the board: ${address}`;
  const part = partFor(connection, context);
  return {
    ...answer,
    ...(part !== "text" && { structuredContent: { ...(answer.structuredContent as object), review: line } }),
    ...(part !== "data" && { content: [...answer.content, { type: "text", text: line }] }),
  };
}
