/**
 * A small agent that speaks ACP and obeys its prompt's lines: `RUN: command` (asks for permission first), `EDIT: path`
 * (asks too), `SAY: text`, `COST: dollars` of the session so far, `META: {…}` beside such a cost, `RECALL:`, `FAIL: status` or
 * `FAIL: {…} words`, `HANG:`. Sessions are kept in $ACP_AGENT_HOME. It begins in the mode `auto`, in which
 * it asks nobody; the file `modes` there names others than `auto default`, `name` another name for itself, and `version` another
 * version.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";

const home = process.env.ACP_AGENT_HOME ?? ".";
const file = (id: string) => join(home, `${id}.jsonl`);
const cancelled = new Map<string, () => void>();

/** What a session has left to do. By that name, a refusal ends its turn. */
const cut = new Map<string, readonly string[]>();
let turns = 0;
const modes = new Map<string, string>();
const AUTO = "auto";

function modesOf(sessionId: string) {
  const names = existsSync(join(home, "modes"))
    ? readFileSync(join(home, "modes"), "utf8")
    : `${AUTO} default`;
  modes.set(sessionId, AUTO);
  const availableModes = names
    .trim()
    .split(" ")
    .map((id) => ({ id, name: id }));
  return { currentModeId: AUTO, availableModes };
}

function said(what: "name" | "version", usual: string): string {
  return existsSync(join(home, what)) ? readFileSync(join(home, what), "utf8") : usual;
}

const nameOf = () => said("name", "scripted-acp");

async function allowed(client: AgentContext, sessionId: string, kind: "execute" | "edit", what: string) {
  if (modes.get(sessionId) === AUTO) return true;
  const rawInput = kind === "execute" ? { command: what } : { file_path: what };
  const toolCall = { toolCallId: randomUUID(), kind, title: `${kind} ${what}`, rawInput };
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" as const },
    { optionId: "no", name: "Reject", kind: "reject_once" as const },
  ];
  const { outcome } = await client.request<RequestPermissionResponse>(
    methods.client.session.requestPermission,
    {
      sessionId,
      toolCall,
      options,
    },
  );
  return outcome.outcome === "selected" && outcome.optionId === "yes";
}

async function runPrompt(
  client: AgentContext,
  sessionId: string,
  text: string,
): Promise<"end_turn" | "cancelled"> {
  const earlier = readFileSync(file(sessionId), "utf8").trim().split("\n").filter(Boolean);
  appendFileSync(file(sessionId), `${JSON.stringify(text)}\n`);
  const say = (words: string) =>
    client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } },
    });
  const lines = cut.get(sessionId) ?? text.split("\n");
  cut.delete(sessionId);
  for (const [at, line] of lines.entries()) {
    const [, word, rest = ""] = /^\s*(RUN|EDIT|SAY|COST|META|RECALL|FAIL|HANG):\s*(.*?)\s*$/.exec(line) ?? [];
    if (word === "SAY") await say(rest);
    if (word === "COST")
      await client.notify(methods.client.session.update, {
        sessionId,
        update: {
          ...{ sessionUpdate: "usage_update", used: 100, size: 1000 },
          cost: { amount: Number(rest), currency: "USD" },
        },
      });
    if (word === "META")
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "usage_update", used: 100, size: 1000, _meta: JSON.parse(rest) },
      });
    if (word === "RECALL")
      await say(`I recall ${earlier.length}: ${earlier.map((one) => JSON.parse(one).split("\n")[0])}`);
    const [, data, words] = /^(\{.*\}) (.*)$/.exec(rest) ?? [];
    if (word === "FAIL" && data) throw RequestError.internalError(JSON.parse(data), words);
    if (word === "FAIL")
      throw RequestError.internalError({ statusCode: Number(rest) || 500 }, "the model refuses");
    const runs = word === "RUN" && (await allowed(client, sessionId, "execute", rest));
    if (runs) spawnSync("bash", ["--norc", "-c", rest]);
    if (word === "RUN" && !runs && nameOf() === "Copilot") {
      cut.set(sessionId, [...lines.slice(at + 1)]);
      return "end_turn";
    }
    if (word === "EDIT" && (await allowed(client, sessionId, "edit", rest))) writeFileSync(rest, "edited\n");
    if (word === "HANG") {
      await new Promise<void>((done) => cancelled.set(sessionId, done));
      return "cancelled";
    }
  }
  return "end_turn";
}

// As real ones do: a turn that is ended from outside is answered as cancelled.
process.on("SIGTERM", () => {
  for (const cancel of cancelled.values()) cancel();
});

// As some programs set a terminal's title or colour, before their first message.
process.stdout.write("\u001b]0;agent\u0007\u001b[0m");

agent({ name: "scripted-acp" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    agentInfo: { name: nameOf(), version: said("version", "1.0.0") },
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = randomUUID();
    writeFileSync(file(sessionId), "");
    return { sessionId, modes: modesOf(sessionId) };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    if (!existsSync(file(sessionId))) throw RequestError.invalidParams({ sessionId }, "no such session");
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "old words" },
    } as const;
    await client.notify(methods.client.session.update, { sessionId, update });
    return { modes: modesOf(sessionId) };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    modes.set(params.sessionId, params.modeId);
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => cancelled.get(params.sessionId)?.())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    turns += 1;
    const usage = { inputTokens: 100 * turns, outputTokens: 10 * turns, totalTokens: 110 * turns };
    return { stopReason: await runPrompt(client, params.sessionId, text), usage };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout),
      Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
    ),
  );
