/** One run of an agent that speaks the Agent Client Protocol over stdin and stdout. */
import {
  type AnyMessage,
  type ClientConnection,
  client,
  type Implementation,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import type { AgentEnd, AgentEvent, AgentOrder, AgentRun, AgentUsage } from "../../core/ports/agents.ts";
import { isNewVersion } from "./ask-program.ts";
import { optionFor, policyAnswer, questionOf } from "./dialects/acp-policy.ts";
import { ACP_PROGRAMS, type AcpProgram } from "./dialects/acp-programs.ts";
import { quotaOf } from "./dialects/claude.ts";
import {
  type AgentLine,
  type Fault,
  faultOfStatus,
  faultWords,
  type Json,
  modelLine,
  numberAt,
  objectAt,
  parseLine,
  shortLine,
  textAt,
  tokensAt,
} from "./dialects/dialect.ts";
import { judge, withReset } from "./heard.ts";
import { openRun, tooLong } from "./open-run.ts";
import type { ProcessEnd, RunningProcess } from "./run-process.ts";
import type { AgentsSetup, KnownAgent } from "./setup.ts";
import { outsideNeeds } from "./walled.ts";

type AcpAgent = Extract<KnownAgent, { kind: "acp" }>;

/** Milliseconds that the agent may take to end a cancelled turn, and to exit once its stdin is closed. */
const EXIT_TIMEOUT = 1500;

export function startAcp(
  setup: AgentsSetup,
  agent: AcpAgent,
  order: AgentOrder,
  onEvent: (event: AgentEvent) => void,
): AgentRun {
  const run = openRun(setup, order, order.agent, onEvent);
  const [program = "", ...args] = agent.command;
  if (order.permission === "all")
    onEvent({
      type: "warning",
      text: "permission is all: Pawl allows every request of the agent in this run",
    });
  const wire = openWire();
  const names = agent.settings.environment ?? [];
  const running = run.start({
    program,
    args,
    names,
    added: {},
    ...outsideNeeds(setup, agent),
    input: null,
    onLine: wire.push,
    onTooLong: (characters) => onEvent({ type: "warning", text: tooLong(characters) }),
  });
  const talk = converse(order, agent, wire.stream(running), {
    addLines: run.addLines,
    begins: ({ name, version }) => {
      const newest = ACP_PROGRAMS[name]?.newest;
      if (isNewVersion({ agent: order.agent, version, newest }, onEvent)) run.countAll();
    },
  });
  const ended = finish();

  async function finish(): Promise<AgentEnd> {
    const first = await Promise.race([talk.fault, running.ended.then(() => "gone" as const)]);
    running.input?.end();
    if (first !== "gone") await Promise.race([running.ended, wait(EXIT_TIMEOUT)]);
    const closed = first !== "gone" && !stopping ? running.stop("its work is done") : running.ended;
    const processEnd = await closed;
    wire.close();
    return run.end(processEnd, ({ resets }, end) => {
      const fault = verdict(first, end, stopping);
      return fault && withReset(fault, resets);
    });
  }

  let stopping: string | null = null;
  return {
    run: order.run,
    ended,
    stop: async (reason) => {
      if (stopping === null) {
        stopping = reason;
        talk.cancel();
        await Promise.race([talk.fault, running.ended, wait(EXIT_TIMEOUT)]);
        await running.stop(reason);
      }
      return ended;
    },
  };
}

/** After a good answer, the program's exit code does not matter. */
function verdict(first: Fault | null | "gone", end: ProcessEnd, stopping: string | null): Fault | null {
  if (stopping !== null) return { reason: "stopped", detail: stopping };
  if (first === null) return null;
  // An agent that a limit ended may still have reported that its turn was cancelled.
  if (first !== "gone" && end.ending !== "inactive" && end.ending !== "timed-out") return first;
  return (
    judge({ end: null }, end, () => null) ?? { reason: "cut-stream", detail: "it exited without an answer" }
  );
}

interface Talk {
  /** Null: the agent ended its turn well. */
  readonly fault: Promise<Fault | null>;
  cancel(): void;
}

interface Listener {
  addLines(lines: readonly AgentLine[]): void;
  /** Called once, before a session opens. */
  begins(program: Program): void;
}

/** As the agent calls itself; empty: it does not say. */
type Program = Pick<Implementation, "name" | "version">;

function converse(order: AgentOrder, agent: AcpAgent, stream: Stream, { begins, addLines }: Listener): Talk {
  /** False while an old session is loaded: its events are history, not this run's. */
  let live = false;
  let session = "";
  /** What was refused in this turn. */
  let refused: string[] = [];
  const connection = client({ name: "pawl" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const question = questionOf(params.toolCall);
      const policy = {
        permission: order.permission,
        allow: order.allow ?? [],
        folder: order.folder.agentPath,
      };
      const byPolicy = policyAnswer(policy, params.toolCall);
      const answer = byPolicy === "ask" ? ((await order.ask?.(question)) ?? "refuse") : byPolicy;
      if (answer === "refuse") refused.push(question.detail || question.title);
      const asked = byPolicy === "ask" && order.ask !== undefined ? { byPerson: true as const } : {};
      addLines([{ type: "permission", title: question.title, answer, ...asked }]);
      const optionId = optionFor(answer, params.options);
      return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      if (live) addLines(linesIn(params.update));
    })
    .connect(stream);
  connection.closed.catch(() => {});

  const fault = (async (): Promise<Fault | null> => {
    try {
      const opened = await openSession(connection, order, begins);
      if ("reason" in opened) return opened;
      session = opened.id;
      addLines([{ type: "session", id: session }]);
      const unheld = await chooseMode(connection, order, opened);
      if (unheld) return unheld;
      await chooseModel(connection, session, order.model ?? agent.settings.model, addLines);
      live = true;
      let text = order.prompt;
      for (let left = MAX_REFUSALS; ; left--) {
        refused = [];
        const answer = await connection.agent.request(methods.agent.session.prompt, {
          sessionId: session,
          prompt: [{ type: "text", text }],
        });
        const usage = objectAt(answer, "usage");
        if (numberAt(usage, "inputTokens") !== null) addLines([spentIn(usage, opened.program)]);
        const isCut = refused.length > 0 && opened.program.endsAtRefusal === true;
        if (!isCut || answer.stopReason !== "end_turn" || left === 0) return faultOfStop(answer.stopReason);
        text = `You were refused: ${refused.join("; ")}. Go on without it.`;
      }
    } catch (thrown) {
      return faultOfError(thrown);
    }
  })();
  return {
    fault,
    cancel: () => {
      if (session)
        connection.agent.notify(methods.agent.session.cancel, { sessionId: session }).catch(() => {});
    },
  };
}

const MAX_REFUSALS = 20;
const NO_TOKENS: AgentUsage = { usd: null, inputTokens: null, outputTokens: null, turns: null };

function spentIn(answer: Json, { tokens }: AcpProgram): AgentLine {
  const usage = tokens === "last-call" ? NO_TOKENS : tokensAt(answer, "inputTokens", "outputTokens");
  return { type: tokens === "process" ? "usage" : "spent", usage };
}

interface NewSession {
  readonly sessionId: string;
  readonly modes?: SessionModeState | null;
}

interface OpenSession {
  readonly id: string;
  readonly program: AcpProgram;
  readonly modes: SessionModeState | null;
}

async function openSession(
  connection: ClientConnection,
  order: AgentOrder,
  begins: Listener["begins"],
): Promise<OpenSession | Fault> {
  const { agent } = connection;
  const { agentCapabilities, agentInfo } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "pawl", version: "1" },
  });
  const { name, version } = agentInfo ?? { name: "", version: "" };
  begins({ name, version });
  const program = ACP_PROGRAMS[name] ?? {};
  const session = { cwd: order.folder.agentPath, mcpServers: [] };
  if (order.session.type === "new") {
    const { modes, sessionId: id } = await agent.request<NewSession>(methods.agent.session.new, session);
    return { id, program, modes: modes ?? null };
  }
  const again = { ...session, sessionId: order.session.id };
  try {
    const way = agentCapabilities?.sessionCapabilities?.resume
      ? methods.agent.session.resume
      : agentCapabilities?.loadSession
        ? methods.agent.session.load
        : null;
    if (way === null) return { reason: "bad-session", detail: "the agent cannot load a session" };
    const opened = await agent.request<Pick<NewSession, "modes"> | null>(way, again);
    return { id: again.sessionId, program, modes: opened?.modes ?? null };
  } catch (thrown) {
    if (thrown instanceof RequestError) return { reason: "bad-session", detail: messageOf(thrown) };
    throw thrown;
  }
}

/** Copilot's mode in which it asks. Codex has another one that ends in `agent`, which does not ask. */
const COPILOTS = "https://agentclientprotocol.com/protocol/session-modes#agent";

/** The agents' names for modes in which they ask before they act. */
const ASKING = ["default", "ask", "read-only", COPILOTS];

const MODES: Readonly<Record<AgentOrder["permission"], readonly string[]>> = {
  ask: ASKING,
  // Pawl answers for the person, as `edits` allows. In Codex' sandbox for the workspace, only what leaves it asks.
  edits: ["workspace-write", ...ASKING],
  // Where it offers none that asks nothing (Claude does not to root), Pawl allows what it asks: in the mode in
  // which it begins, a model may decide, and refuse.
  all: ["bypassPermissions", "yolo", "full-access", "agent-full-access", ...ASKING],
};

/**
 * Sets the mode: an agent may begin in one that asks for no permission. Returns why the permission cannot be
 * enforced, or null.
 */
async function chooseMode(
  { agent }: ClientConnection,
  { permission }: AgentOrder,
  { id: sessionId, modes }: OpenSession,
): Promise<Fault | null> {
  if (modes === null) return null;
  const names = modes.availableModes.map(({ id }) => id);
  const modeId = MODES[permission].find((name) => names.includes(name));
  if (modeId === undefined && permission !== "all")
    return {
      reason: "not-installed",
      detail: `over ACP it has the modes ${names.join(", ")}, and Pawl knows none of them as one that asks: it can only run with \`permission: all\``,
    };
  if (modeId !== undefined && modeId !== modes.currentModeId)
    await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  return null;
}

/**
 * Sets the session's model, if the agent has such an option. Otherwise its own default applies, with a
 * warning.
 */
async function chooseModel(
  connection: ClientConnection,
  sessionId: string,
  model: string | undefined,
  addLines: (lines: readonly AgentLine[]) => void,
): Promise<void> {
  if (!model) return;
  try {
    await connection.agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "model",
      value: model,
    });
    addLines(modelLine("asked", model));
  } catch (thrown) {
    addLines([{ type: "warning", text: `the model ${model} could not be selected: ${messageOf(thrown)}` }]);
  }
}

/** claude-agent-acp passes on what claude says of its account. */
const CLAUDES_LIMIT = "_claude/rateLimit";

function linesIn(update: SessionUpdate): readonly AgentLine[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return update.content.type === "text" ? [{ type: "text-part", text: update.content.text }] : [];
    case "tool_call":
      return [{ type: "tool", name: update.kind ?? "tool", detail: shortLine(update.title) }];
    case "usage_update": {
      const usd = update.cost?.currency === "USD" ? update.cost.amount : null;
      const usage = { usd, inputTokens: null, outputTokens: null, turns: null };
      return [
        ...quotaOf(objectAt(update._meta, CLAUDES_LIMIT)),
        ...(usd === null ? [] : ([{ type: "spent-in-all", usage }] as const)),
      ];
    }
    default:
      return [];
  }
}

function faultOfStop(reason: string): Fault | null {
  if (reason === "end_turn") return null;
  if (reason === "refusal") return { reason: "model-error", detail: "the model refused" };
  return { reason: "gave-up", detail: `the turn ended with ${reason}` };
}

/** The protocol's code for an agent that must log in first. */
const AUTH_REQUIRED = -32000;
/** The kinds of failure that claude-agent-acp names. */
const KINDS: Readonly<Record<string, number>> = {
  ...{ authentication_failed: 401, billing_error: 402, model_not_found: 404, invalid_request: 400 },
  ...{ rate_limit: 429, overloaded: 529 },
};

function faultOfError(thrown: unknown): Fault {
  if (!(thrown instanceof RequestError)) return { reason: "cut-stream", detail: messageOf(thrown) };
  const words = messageOf(thrown);
  const kind = KINDS[textAt(thrown.data, "errorKind")];
  const status = numberAt(thrown.data, "statusCode") ?? numberAt(thrown.data, "status") ?? kind;
  if (thrown.code === AUTH_REQUIRED) return faultOfStatus(401, words);
  return faultOfStatus(status ?? null, words);
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return faultWords(String(thrown));
  const data =
    thrown instanceof RequestError && thrown.data !== undefined ? ` ${JSON.stringify(thrown.data)}` : "";
  return faultWords(`${thrown.message}${data}`);
}

/** Carries the protocol's messages over the lines that the process runner reads. */
function openWire(): { push(line: string): void; stream(running: RunningProcess): Stream; close(): void } {
  let controller: ReadableStreamDefaultController<AnyMessage> | null = null;
  const readable = new ReadableStream<AnyMessage>({
    start: (made) => {
      controller = made;
    },
  });
  return {
    push: (line) => {
      // Programs also print other lines.
      const message = parseLine(line);
      if (message !== null) controller?.enqueue(message as unknown as AnyMessage);
    },
    stream: (running) => ({
      readable,
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          running.input?.write(`${JSON.stringify(message)}\n`);
        },
      }),
    }),
    close: () => {
      try {
        controller?.close();
      } catch {
        // The other side has already closed it.
      }
      controller = null;
    },
  };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds).unref();
  });
}
