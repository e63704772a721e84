/**
 * OpenCode: `opencode run --format json`. It works in `$PWD`, reports each model call, and ends with reason
 * `stop`.
 */
import { join } from "node:path";
import type { Permission } from "../../../core/ports/agents.ts";
import {
  type AgentLine,
  type Dialect,
  type Fault,
  faultOfStatus,
  faultWords,
  type Json,
  numberAt,
  objectAt,
  sessionLine,
  textAt,
  toolDetail,
} from "./dialect.ts";
import { staticLists } from "./static-lists.ts";

const SETTINGS = [
  ...["opencode.json", "opencode.jsonc", "config.json", "tui.json", "AGENTS.md"],
  ...["agent", "command", "mode", "plugin", "skill", "tool"].flatMap((name) => [name, `${name}s`]),
  ...["themes", "node_modules", "package.json", "package-lock.json", "bun.lock"],
];
const NOTHING = { read: [], write: [], copy: [] };
const NO_SESSION = "Session not found";
/** The call has ended but not the run: the model wants a tool's result first. */
const CONTINUES = new Set(["tool-calls", "tool_calls"]);
/** Only these words of a tool's error show that it was refused. */
const REFUSED = "rejected permission to use this specific tool call";

export const opencode: Dialect = {
  name: "opencode",
  program: "opencode",
  // Its version is a bare number.
  version: /^\d+\.\d+\.\d+\s*$/,
  newest: "1.18.33",
  passes: ["OPENCODE_*"],
  arguments: (call) => [
    "run",
    "--format",
    "json",
    ...(call.permission === "all" ? ["--auto"] : []),
    ...(call.model ? ["-m", call.model] : []),
    ...(call.session.type === "resume" ? ["-s", call.session.id] : []),
  ],
  environment: (call) => {
    if (call.permission === "all") return {};
    return { OPENCODE_PERMISSION: permissionRules(call.permission, call.allow) };
  },
  // It has many providers: `sandbox.hosts` names the person's own.
  hosts: () => [],
  home: ({ HOME = "", XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME }) => [
    // It writes its own file beside them.
    {
      at: XDG_CONFIG_HOME || join(HOME, ".config"),
      read: SETTINGS.map((name) => `opencode/${name}`),
      write: [],
      copy: [],
    },
    {
      at: XDG_DATA_HOME || join(HOME, ".local/share"),
      read: [],
      write: ["opencode/auth.json", "opencode/mcp-auth.json"],
      copy: [],
    },
    { at: XDG_STATE_HOME || join(HOME, ".local/state"), ...NOTHING },
    { at: XDG_CACHE_HOME || join(HOME, ".cache"), ...NOTHING },
  ],
  read: (line) => [...sessionLine(textAt(line, "sessionID")), ...readBody(line)],
  failureOf: ({ errors }) =>
    errors.includes(NO_SESSION) ? { reason: "bad-session", detail: NO_SESSION } : null,
};

/** Never `ask`: without a terminal, opencode then ends the turn, while the model continues after a `deny`. */
function permissionRules(permission: Permission, allow: readonly string[]): string {
  const edits = permission === "edits";
  const bash = edits ? bashRules(allow) : {};
  return JSON.stringify({
    edit: edits ? "allow" : "deny",
    bash: { "*": "deny", ...bash },
    webfetch: "deny",
    external_directory: "deny",
  });
}

/**
 * The last pattern that matches a command counts; a `*` matches anything. So after each form with an open
 * part come the refused ones: extra quotes, so that the open part is one quoted text, and signs by which the
 * shell would read more into it.
 */
function bashRules(allow: readonly string[]): Readonly<Record<string, "allow" | "deny">> {
  const { exact, messages, paths, verbs } = staticLists(allow);
  const rules: [string, "allow" | "deny"][] = [];
  const rule = (answer: "allow" | "deny", ...patterns: readonly string[]) => {
    for (const pattern of patterns) rules.push([pattern, answer]);
  };
  for (const one of paths) {
    rule("allow", `${one} *`);
    rule("deny", ...["$", "`", ">", "<", '"', "'", "{", " -"].map((sign) => `${one} *${sign}*`), `${one} -*`);
  }
  for (const one of verbs) {
    rule("allow", one, `${one} *`);
    rule("deny", ...["$", "`", ">", "<"].map((sign) => `${one} *${sign}*`));
  }
  for (const one of messages) {
    rule("allow", `${one} "*"`, `${one} '*'`);
    rule("deny", `${one} "*"*"*`, `${one} '*'*'*`);
    rule("allow", `${one} "*" -m "*"`);
    rule("deny", `${one} "*"*"*"*"*`, `${one} "*$*`, `${one} "*\`*`);
  }
  rule("allow", ...exact);
  return Object.fromEntries(rules);
}

function readBody(line: Json): readonly AgentLine[] {
  const part = objectAt(line, "part");
  switch (line.type) {
    case "step_start":
      return [{ type: "working" }, { type: "turn", id: null }];
    case "text":
      return textAt(part, "text") ? [{ type: "text", text: textAt(part, "text") }] : [];
    case "tool_use": {
      const name = textAt(part, "tool");
      const detail = toolDetail(objectAt(part, "state", "input"), "filePath");
      const isRefused = textAt(part, "state", "error").includes(REFUSED);
      return [
        { type: "tool", name, detail },
        ...(isRefused
          ? ([{ type: "permission", title: `${name}: ${detail}`, answer: "refuse" }] as const)
          : []),
      ];
    }
    case "step_finish":
      return [{ type: "spent", usage: usageOf(part) }, ...endOf(textAt(part, "reason"))];
    case "error":
      return [{ type: "end", fault: faultOf(objectAt(line, "error")) }];
    default:
      return [];
  }
}

function endOf(reason: string): readonly AgentLine[] {
  if (CONTINUES.has(reason)) return [];
  if (reason === "stop") return [{ type: "end", fault: null }];
  const detail = `the model stopped with reason ${reason || "unknown"}`;
  return [{ type: "end", fault: { reason: "gave-up", detail } }];
}

function usageOf(part: Json) {
  const input = numberAt(part, "tokens", "input");
  const cache =
    (numberAt(part, "tokens", "cache", "read") ?? 0) + (numberAt(part, "tokens", "cache", "write") ?? 0);
  return {
    usd: numberAt(part, "cost"),
    inputTokens: input === null ? null : input + cache,
    outputTokens: numberAt(part, "tokens", "output"),
    turns: null,
  };
}

function faultOf(error: Json): Fault {
  const detail = faultWords(textAt(error, "data", "message") || textAt(error, "message") || error);
  const words = `${textAt(error, "name")}: ${detail}`;
  const fault = faultOfStatus(numberAt(error, "data", "statusCode"), detail, words);
  if (fault.reason !== "rate-limit") return fault;
  const headers = Object.entries(objectAt(error, "data", "responseHeaders")).sort();
  const named = (name: RegExp) =>
    headers.flatMap(([key, value]) => (name.test(key) ? `${key}: ${value}` : []));
  const body = textAt(error, "data", "responseBody");
  return { ...fault, fields: [...named(/^retry-after/i), body, ...named(/reset/i)].map(faultWords) };
}
