/** Gemini CLI: `gemini -o stream-json`. */
import {
  type Call,
  type Dialect,
  type Fault,
  type Json,
  numberAt,
  objectAt,
  shortly,
  type Told,
  textAt,
} from "./dialect.ts";

/** Its exit code for a bad input, which a session that it does not know is. */
const BAD_INPUT = 42;
/**
 * Its stream tells the model's status by no field of its own: the API's answer is quoted in the message, or gemini's own
 * advice after a 429.
 */
const RATE_LIMIT = /"code":\s*429\b|RESOURCE_EXHAUSTED|QuotaError|\]\nPlease wait and try again later\./;
const REFUSALS: ReadonlySet<string> = new Set(["policy_violation", "permission_denied"]);

export const gemini: Dialect = {
  name: "gemini",
  program: "gemini",
  version: /^\d+\.\d+\.\d+\s*$/,
  passes: ["GEMINI_*", "GOOGLE_*"],
  arguments: (call) => [
    "-o",
    "stream-json",
    "--approval-mode",
    { ask: "default", edits: "auto_edit", all: "yolo" }[call.permission],
    // Each worktree is a folder that it has not seen before.
    "--skip-trust",
    ...allowArguments(call),
    ...(call.model ? ["-m", call.model] : []),
    ...sessionArguments(call),
  ],
  environment: () => ({}),
  read: (line) => readLine(line),
  failureOf: ({ code, errors }) =>
    code === BAD_INPUT && /resuming session|session/i.test(errors)
      ? { reason: "bad-session", detail: shortly(/Error resuming session:.*/.exec(errors)?.[0] ?? errors) }
      : null,
};

function allowArguments({ permission, allow }: Call): string[] {
  if (permission !== "edits" || allow.length === 0) return [];
  return ["--allowed-tools", allow.map((command) => `run_shell_command(${command})`).join(",")];
}

function sessionArguments({ session }: Call): string[] {
  if (session.type === "resume") return ["--resume", session.id];
  return session.id ? ["--session-id", session.id] : [];
}

function readLine(line: Json): readonly Told[] {
  switch (line.type) {
    case "init":
      return textAt(line, "session_id") ? [{ type: "session", id: textAt(line, "session_id") }] : [];
    case "message":
      if (line.role !== "assistant") return [];
      return [
        { type: "working" },
        { type: line.delta === true ? "text-part" : "text", text: textAt(line, "content") },
      ];
    case "tool_use": {
      const input = objectAt(line, "parameters");
      const detail = shortly(input.command ?? input.file_path ?? input);
      return [{ type: "working" }, { type: "tool", name: textAt(line, "tool_name"), detail }];
    }
    case "tool_result": {
      const kind = textAt(line, "error", "type");
      const title = shortly(textAt(line, "error", "message") || kind);
      return REFUSALS.has(kind) ? [{ type: "permission", title, answer: "refuse" }] : [];
    }
    case "error":
      return [{ type: "warning", text: shortly(textAt(line, "message")) }];
    case "result":
      return [
        { type: "usage", usage: usageOf(line) },
        { type: "end", fault: line.status === "success" ? null : faultOf(objectAt(line, "error")) },
      ];
    default:
      return [];
  }
}

function usageOf(line: Json) {
  return {
    usd: null,
    inputTokens: numberAt(line, "stats", "input_tokens"),
    outputTokens: numberAt(line, "stats", "output_tokens"),
    turns: null,
  };
}

function faultOf(error: Json): Fault {
  const message = textAt(error, "message");
  if (textAt(error, "type") === "FatalTurnLimitedError")
    return { reason: "gave-up", detail: shortly(message) };
  return {
    reason: RATE_LIMIT.test(message) ? "rate-limit" : "model-error",
    detail: shortly(message || error),
  };
}
