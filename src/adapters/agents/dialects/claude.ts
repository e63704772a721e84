/** Claude Code: `claude -p`, one JSON object per line. */
import { join } from "node:path";
import { shellWord } from "../../../core/text/shell-word.ts";
import { ownProgram } from "../own-program.ts";
import {
  type AgentLine,
  type Call,
  type Dialect,
  type Fault,
  faultOfStatus,
  faultWords,
  hostOf,
  type Json,
  modelLine,
  numberAt,
  objectAt,
  sessionArguments,
  sessionLine,
  shortLine,
  textAt,
  toolDetail,
} from "./dialect.ts";
import { timeOf } from "./reset-time.ts";

const NO_SESSION = "No conversation found";
/** An earlier start has used the preset id: the session exists, but cannot be created. */
const ID_TAKEN = "is already in use";

const MAX_USD = "--max-budget-usd";

export const claude: Dialect = {
  name: "claude",
  program: "claude",
  version: /\(Claude Code\)/,
  newest: "2.1.332",
  needsHelp: ({ limits }) => limits?.usd !== undefined,
  passes: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_AUTOUPDATER", "AWS_BEARER_TOKEN_BEDROCK"],
  arguments: (call) => [
    "-p",
    "--verbose",
    "--output-format",
    "stream-json",
    ...permissionArguments(call),
    ...limitArguments(call),
    ...(call.model ? ["--model", call.model] : []),
    ...sessionArguments(call),
  ],
  // Without this variable claude refuses to bypass permissions as root.
  environment: (call) => ({ ...(call.asRoot && call.permission === "all" ? { IS_SANDBOX: "1" } : {}) }),
  hosts: ({ ANTHROPIC_BASE_URL: address }) => [
    ...["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
    ...hostOf(address),
  ],
  home: ({ CLAUDE_CONFIG_DIR: named, HOME = "" }) => [
    {
      at: named || join(HOME, ".claude"),
      read: [
        ...["settings.json", "settings.local.json", "CLAUDE.md", "agents", "commands", "skills", "plugins"],
        ...["hooks", "output-styles", "rules"],
      ],
      write: [".credentials.json"],
      copy: named ? [".claude.json"] : [],
    },
    ...(named ? [] : [{ at: HOME, read: [], write: [], copy: [".claude.json"] }]),
  ],
  login: ({ CLAUDE_CONFIG_DIR: named, HOME = "" }) => [
    join(named || HOME, ".claude.json"),
    ...["oauthAccount", "accountUuid"],
  ],
  read: (line) => [...sessionOf(line), ...readBody(line)],
  failureOf: ({ errors }) => badSession(errors),
};

/**
 * Claude's own rules know a command by its first words, but not by its options. So Pawl gives it no list: its
 * hook queries Pawl, and Claude refuses commands that neither allows, since it has no person to ask.
 */
function permissionArguments({ allow, folder, permission }: Call): string[] {
  if (permission === "all") return ["--dangerously-skip-permissions"];
  const mode = permission === "edits" ? "acceptEdits" : "default";
  if (permission !== "edits" || allow.length === 0) return ["--permission-mode", mode];
  const program = ownProgram("permission/check-command.ts", "check-command.js");
  const command = [process.execPath, program, folder, ...allow].map(shellWord).join(" ");
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] };
  return ["--permission-mode", mode, "--settings", JSON.stringify({ hooks })];
}

function limitArguments({ limits, knows }: Call): string[] {
  return [
    ...(limits.turns === undefined ? [] : ["--max-turns", String(Math.max(1, Math.ceil(limits.turns)))]),
    ...(limits.usd === undefined || !knows(MAX_USD) ? [] : [MAX_USD, String(limits.usd)]),
  ];
}

function sessionOf(line: Json): readonly AgentLine[] {
  // A failed resume reports the id that it could not find.
  return textAt(line, "subtype") === "error_during_execution" ? [] : sessionLine(textAt(line, "session_id"));
}

function readBody(line: Json): readonly AgentLine[] {
  switch (line.type) {
    case "assistant":
      return [
        { type: "working" },
        // Claude's message about an API error is no call of the model.
        ...(line.is_api_error_message === true
          ? []
          : [{ type: "turn", id: textAt(line, "message", "id") || null } as const]),
        // A subagent's model is not the run's.
        ...(textAt(line, "parent_tool_use_id")
          ? []
          : modelLine("answered", textAt(line, "message", "model"))),
        ...contentOf(line),
      ];
    case "system":
      if (line.subtype === "init") return modelLine("asked", textAt(line, "model"));
      if (line.subtype === "api_retry") return retryOf(line);
      return line.subtype === "permission_denied"
        ? [{ type: "permission", title: textAt(line, "tool_name"), answer: "refuse" }]
        : [];
    case "rate_limit_event":
      return quotaOf(objectAt(line, "rate_limit_info"));
    case "result":
      return [
        { type: "usage", usage: usageOf(line) },
        ...sessionCost(line),
        { type: "refusals", what: refusalsOf(line) },
        { type: "end", fault: faultOf(line) },
      ];
    default:
      return [];
  }
}

/** From its `rate_limit_info`. Only a subscriber's account has windows. */
export function quotaOf({ resetsAt, status, unifiedWindows }: Json): readonly AgentLine[] {
  const windows = Object.entries(objectAt(unifiedWindows)).flatMap(([name, window]) => {
    const [used, resets] = [numberAt(window, "utilization"), timeOf(objectAt(window).resetsAt)];
    return used === null || resets === null ? [] : [{ name, used, resets: resets.toISOString() }];
  });
  const ends = status === "rejected" ? timeOf(resetsAt) : null;
  return [
    ...(windows.length > 0 ? ([{ type: "quota", windows }] as const) : []),
    ...(ends === null ? [] : ([{ type: "limit", resets: ends.getTime() }] as const)),
  ];
}

/** Reports the first retry, then only long waits. */
function retryOf(line: Json): readonly AgentLine[] {
  const [attempt, most] = [numberAt(line, "attempt") ?? 1, numberAt(line, "max_retries")];
  const wait = Math.round((numberAt(line, "retry_delay_ms") ?? 0) / 1000);
  if (attempt > 1 && wait < 8) return [];
  const cause = [textAt(line, "error"), numberAt(line, "error_status")].filter(Boolean).join(", ");
  const count = `${attempt}${most === null ? "" : ` of ${most}`}`;
  const text = `a call of the model failed (${cause || "no reason given"}); retry ${count} follows in ${wait} s`;
  return [{ type: "warning", text }];
}

function contentOf(line: Json): readonly AgentLine[] {
  const { content } = objectAt(line, "message");
  if (!Array.isArray(content)) return [];
  return content.flatMap((part): AgentLine[] => {
    const text = textAt(part, "text");
    if (textAt(part, "type") === "text" && text) return [{ type: "text", text }];
    if (textAt(part, "type") !== "tool_use") return [];
    return [{ type: "tool", name: textAt(part, "name"), detail: toolDetail(objectAt(part, "input")) }];
  });
}

function refusalsOf({ permission_denials: denials }: Json): readonly string[] {
  if (!Array.isArray(denials)) return [];
  return denials.map((each) => `${textAt(each, "tool_name")}: ${toolDetail(objectAt(each, "tool_input"))}`);
}

function usageOf(line: Json) {
  const read = (name: string) => numberAt(line, "usage", name);
  const parts = [read("input_tokens"), read("cache_creation_input_tokens"), read("cache_read_input_tokens")];
  return {
    usd: ownCost(line) ?? numberAt(line, "total_cost_usd"),
    inputTokens: parts[0] === null ? null : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0),
    outputTokens: read("output_tokens"),
    turns: numberAt(line, "num_turns"),
  };
}

function sessionCost(line: Json): readonly AgentLine[] {
  const usd = numberAt(line, "total_cost_usd");
  return usd === null || ownCost(line) === null ? [] : [{ type: "cost-in-all", usd }];
}

/** The run's own cost, if the line has it: then the line's total is that of the whole session. */
function ownCost({ model_usage_since_last_result: models }: Json): number | null {
  if (typeof models !== "object" || models === null) return null;
  const costs = Object.values(models).map((each) => numberAt(each, "costUSD"));
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

/** Only `is_error: false` is success: after a model's error `subtype` still claims it. */
function faultOf(line: Json): Fault | null {
  const subtype = textAt(line, "subtype");
  if (line.is_error === false && subtype === "success") return null;
  const errors = Array.isArray(line.errors) ? line.errors.map(String).join("; ") : "";
  const detail = faultWords(textAt(line, "result") || errors || subtype || "it says that it failed");
  if (/^error_max_/.test(subtype)) return { reason: "gave-up", detail: errors || subtype };
  return badSession(errors) ?? faultOfStatus(numberAt(line, "api_error_status"), detail);
}

function badSession(text: string): Fault | null {
  if (!text.includes(NO_SESSION) && !text.includes(ID_TAKEN)) return null;
  return { reason: "bad-session", detail: shortLine(text) };
}
