/** Codex: `codex exec --json`. It reports the usage of the whole thread, over all runs, and no price. */
import { join } from "node:path";
import {
  type AgentLine,
  type Call,
  type Dialect,
  type Fault,
  faultOfStatus,
  faultWords,
  hostOf,
  type Json,
  objectAt,
  sessionLine,
  shortLine,
  textAt,
  tokensAt,
} from "./dialect.ts";

const NO_SESSION = "no rollout found";
/** Codex has no field for the model's status. It writes these words before the status. */
const STATUS = /unexpected status (\d{3})\b/;
const BAD_REQUEST = /"type":"invalid_request_error"|ran out of room in the model's context window/;
const NO_LOGIN =
  /^Missing environment variable: |access token could not be refreshed|log out and sign in again/;
const NO_MODEL = /^model: \S+$|"code":"model_not_found"|model .* does not exist|model is not supported/;

export const codex: Dialect = {
  name: "codex",
  program: "codex",
  version: /^codex-cli /m,
  newest: "0.171.0",
  passes: ["CODEX_*", "OPENAI_*"],
  arguments: (call) => [
    "exec",
    ...(call.session.type === "resume" ? ["resume"] : []),
    "--json",
    "--skip-git-repo-check",
    // A login shell resets the PATH, and then does not find the programs that Pawl provides.
    "-c",
    "allow_login_shell=false",
    ...permissionArguments(call),
    ...(call.model ? ["-m", call.model] : []),
    ...(call.session.type === "resume" ? [call.session.id] : []),
    "-",
  ],
  environment: () => ({}),
  hosts: ({ OPENAI_BASE_URL: address }) => [
    ...["api.openai.com", "auth.openai.com", "chatgpt.com"],
    ...hostOf(address),
  ],
  home: ({ CODEX_HOME: named, HOME = "" }) => [
    {
      at: named || join(HOME, ".codex"),
      read: [
        ...["config.toml", "managed_config.toml", "AGENTS.md", "AGENTS.override.md"],
        ...["prompts", "rules", "skills"],
      ],
      write: ["auth.json"],
      copy: [],
    },
  ],
  quotaFolder: ({ CODEX_HOME: named, HOME = "" }) => named || join(HOME, ".codex"),
  login: ({ CODEX_HOME: named, HOME = "" }) => [
    join(named || join(HOME, ".codex"), "auth.json"),
    ...["tokens", "account_id"],
  ],
  read: readLine,
  failureOf: ({ errors }) =>
    errors.includes(NO_SESSION) ? { reason: "bad-session", detail: shortLine(lastLine(errors)) } : null,
};

/** Passed with `-c`, since `exec resume` has no `--sandbox`. */
function permissionArguments({ asRoot, permission, walled, writable }: Call): string[] {
  if (permission === "all") return ["--dangerously-bypass-approvals-and-sandbox"];
  // Inside the wall, root without its capabilities cannot build codex' sandbox: the wall is the sandbox.
  if (permission === "edits" && walled && asRoot) return ["-c", 'sandbox_mode="danger-full-access"'];
  if (permission === "ask") return ["-c", 'sandbox_mode="read-only"'];
  const roots = JSON.stringify(writable);
  return [
    ...["-c", 'sandbox_mode="workspace-write"'],
    ...(writable.length > 0 ? ["-c", `sandbox_workspace_write.writable_roots=${roots}`] : []),
  ];
}

function readLine(line: Json): readonly AgentLine[] {
  switch (line.type) {
    case "thread.started":
      return sessionLine(textAt(line, "thread_id"));
    case "turn.started":
      return [{ type: "working" }];
    case "item.started":
    case "item.completed":
      return readItem(line.type, objectAt(line, "item"));
    case "turn.completed":
      return [
        { type: "spent-in-all", usage: tokensAt(line.usage) },
        { type: "end", fault: null },
      ];
    case "turn.failed":
      return [{ type: "end", fault: faultOf(textAt(line, "error", "message")) }];
    // Codex reports this while it still retries; the end of the turn decides.
    case "error":
      return [{ type: "warning", text: shortLine(textAt(line, "message")) }];
    default:
      return [];
  }
}

function readItem(at: "item.started" | "item.completed", item: Json): readonly AgentLine[] {
  const kind = textAt(item, "type");
  if (at === "item.started")
    return kind === "command_execution"
      ? [{ type: "tool", name: "shell", detail: shortLine(item.command) }]
      : [];
  if (textAt(item, "status") === "declined")
    return [{ type: "permission", title: shortLine(item.command ?? item.changes ?? kind), answer: "refuse" }];
  if (kind === "agent_message") return [{ type: "text", text: textAt(item, "text") }];
  if (kind === "file_change") return [{ type: "tool", name: "edit", detail: shortLine(item.changes) }];
  if (kind === "mcp_tool_call")
    return [{ type: "tool", name: textAt(item, "tool"), detail: shortLine(item.arguments) }];
  // May be only a warning: the end of the turn decides.
  if (kind === "error") return [{ type: "warning", text: shortLine(textAt(item, "message")) }];
  return [];
}

function faultOf(message: string): Fault {
  const detail = faultWords(message || "turn failed");
  if (NO_LOGIN.test(message)) return { reason: "account", refuses: "key", detail };
  if (NO_MODEL.test(message)) return { reason: "account", refuses: "model", detail };
  const status = BAD_REQUEST.test(message) ? 400 : Number(STATUS.exec(message)?.[1] ?? Number.NaN);
  return faultOfStatus(Number.isNaN(status) ? null : status, detail);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
