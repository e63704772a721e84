/** The four model APIs: a request's body to what was asked, and an answer to the events of the stream. */
import {
  type Answer,
  at,
  listAt,
  type ModelRequest,
  namesOf,
  offered,
  type Said,
  type Tool,
  textOf,
} from "./conversation.ts";

export interface ModelApi {
  readonly matches: (path: string) => boolean;
  readonly parse: (body: unknown, path: string) => ModelRequest;
  /** Server-sent events of the answer, in order; for a cut stream all are made and only some sent. */
  readonly events: (answer: Answer, asked: ModelRequest) => readonly Event[];
  readonly error: (status: number) => unknown;
}

export interface Event {
  readonly event?: string;
  readonly data: unknown;
}

let count = 0;
const fresh = (prefix: string) => {
  count += 1;
  return `${prefix}_${process.pid}_${count}`;
};
const MESSAGE = "the scripted model refuses";

// ── Anthropic Messages ─────────────────────────────────────────────────────────────────────────────────────────────

const anthropic: ModelApi = {
  matches: (path) => path.endsWith("/v1/messages"),
  parse: (body) => ({
    model: String(at(body, "model")),
    ...offered(namesOf(listAt(body, "tools"))),
    said: listAt(body, "messages").flatMap((message): Said[] => {
      if (at(message, "role") !== "user") return [{ by: "model" }];
      const content = at(message, "content");
      if (typeof content === "string") return [{ by: "user", text: content }];
      return listAt(content).map((part) =>
        at(part, "type") === "tool_result"
          ? { by: "tool", text: textOf(at(part, "content")) }
          : { by: "user", text: textOf([part]) },
      );
    }),
  }),
  events: (answer, asked) => {
    const block =
      answer.type === "call"
        ? { type: "tool_use", id: fresh("toolu"), name: answer.tool.name, input: {} }
        : { type: "text", text: "" };
    const delta =
      answer.type === "call"
        ? { type: "input_json_delta", partial_json: JSON.stringify(answer.input) }
        : { type: "text_delta", text: wordsOf(answer) };
    const usage = { input_tokens: 100, output_tokens: 10 };
    const message = { id: fresh("msg"), type: "message", role: "assistant", model: asked.model, content: [] };
    const events = [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: answer.type === "call" ? "tool_use" : "end_turn", stop_sequence: null },
        usage,
      },
      { type: "message_stop" },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },
  error: (status) => ({ type: "error", error: { type: errorName(status), message: MESSAGE } }),
};

// ── OpenAI Responses ───────────────────────────────────────────────────────────────────────────────────────────────

const responses: ModelApi = {
  matches: (path) => path.endsWith("/responses"),
  parse: (body) => ({
    model: String(at(body, "model")),
    ...offered(responsesTools(listAt(body, "tools"))),
    said: listAt(body, "input").flatMap((item): Said[] => {
      if (at(item, "type") === "function_call_output")
        return [{ by: "tool", text: textOf(at(item, "output")) }];
      if (at(item, "role") === "user") return [{ by: "user", text: textOf(at(item, "content")) }];
      return at(item, "role") === "assistant" ? [{ by: "model" }] : [];
    }),
  }),
  events: (answer) => {
    const item =
      answer.type === "call"
        ? {
            type: "function_call",
            id: fresh("fc"),
            call_id: fresh("call"),
            ...calledAs(answer.tool),
            arguments: JSON.stringify(answer.input),
            status: "completed",
          }
        : {
            type: "message",
            id: fresh("msg"),
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: wordsOf(answer), annotations: [] }],
          };
    const id = fresh("resp");
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 110,
    };
    const events = [
      { type: "response.created", response: { id, status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, status: "completed", output: [item], usage } },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },
  error: (status) => ({ error: { message: MESSAGE, type: errorName(status), code: errorName(status) } }),
};

/** Tools of MCP come in groups, named `group` and then by their own names. */
function responsesTools(tools: readonly unknown[]): readonly Tool[] {
  return tools.flatMap((tool) => {
    if (at(tool, "type") !== "namespace") return namesOf([tool]);
    const group = String(at(tool, "name"));
    return namesOf(listAt(tool, "tools")).map(({ name }) => ({ name: `${group}_${name}`, group }));
  });
}

function calledAs({ name, group }: Tool) {
  return group === undefined ? { name } : { name: name.slice(group.length + 1), namespace: group };
}

// ── OpenAI chat completions ────────────────────────────────────────────────────────────────────────────────────────

const chat: ModelApi = {
  matches: (path) => path.endsWith("/chat/completions"),
  parse: (body) => ({
    model: String(at(body, "model")),
    ...offered(namesOf(listAt(body, "tools"), "function")),
    said: listAt(body, "messages").flatMap((message): Said[] => {
      const text = textOf(at(message, "content"));
      if (at(message, "role") === "tool") return [{ by: "tool", text }];
      if (at(message, "role") === "user") return [{ by: "user", text }];
      return at(message, "role") === "assistant" ? [{ by: "model" }] : [];
    }),
  }),
  events: (answer, asked) => {
    const chunk = (delta: unknown, finish: string | null) => ({
      data: {
        id: fresh("chatcmpl"),
        object: "chat.completion.chunk",
        created: 1,
        model: asked.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...(finish ? { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } } : {}),
      },
    });
    if (answer.type !== "call")
      return [
        chunk({ role: "assistant", content: "" }, null),
        chunk({ content: wordsOf(answer) }, null),
        chunk({}, "stop"),
        { data: "[DONE]" },
      ];
    const call = {
      index: 0,
      id: fresh("call"),
      type: "function",
      function: { name: answer.tool.name, arguments: JSON.stringify(answer.input) },
    };
    return [
      chunk({ role: "assistant", tool_calls: [call] }, null),
      chunk({}, "tool_calls"),
      { data: "[DONE]" },
    ];
  },
  error: responses.error,
};

// ── Gemini ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const gemini: ModelApi = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  parse: (body, path) => ({
    model: /models\/([^:]+):/.exec(path)?.[1] ?? "",
    ...offered(listAt(body, "tools").flatMap((tool) => namesOf(listAt(tool, "functionDeclarations")))),
    said: listAt(body, "contents").flatMap((content): Said[] => {
      if (at(content, "role") !== "user") return [{ by: "model" }];
      return listAt(content, "parts").map((part) =>
        at(part, "functionResponse")
          ? { by: "tool", text: JSON.stringify(at(part, "functionResponse", "response")) }
          : { by: "user", text: String(at(part, "text") ?? "") },
      );
    }),
  }),
  events: (answer, asked) => {
    const part =
      answer.type === "call"
        ? { functionCall: { name: answer.tool.name, args: answer.input } }
        : { text: wordsOf(answer) };
    const chunk = (parts: unknown[], finishReason?: string) => ({
      data: {
        candidates: [
          { index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) },
        ],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
        modelVersion: asked.model,
      },
    });
    return [chunk([part]), chunk([{ text: "" }], "STOP")];
  },
  error: (status) => ({ error: { code: status, message: MESSAGE, status: errorName(status).toUpperCase() } }),
};

export const MODEL_APIS: readonly ModelApi[] = [anthropic, responses, chat, gemini];

function wordsOf(answer: Answer): string {
  return answer.type === "say" ? answer.text : "These words were never fini";
}

function errorName(status: number): string {
  const names: Readonly<Record<number, string>> = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
  };
  return names[status] ?? "api_error";
}
