/** Gemini CLI: `gemini -o stream-json`. */
import { join } from "node:path";
import { escaped } from "../../process/redact.ts";
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
  objectAt,
  sessionArguments,
  sessionLine,
  shortLine,
  textAt,
  tokensAt,
  toolDetail,
} from "./dialect.ts";
import { staticLists } from "./static-lists.ts";

/** Its exit code without a key or login. It ends before its first event. */
const NO_AUTH = 41;
/** Its exit code for bad input, such as an unknown session. */
const BAD_INPUT = 42;
/**
 * Its stream has no field for the model's status. The message quotes the API's answer, or gives gemini's own
 * advice after a 429.
 */
const RATE_LIMIT =
  /"code":\s*(?:429|503)\b|RESOURCE_EXHAUSTED|QuotaError|\]\nPlease wait and try again later\./;
const NO_KEY = /UNAUTHENTICATED|API_KEY_INVALID|API key not valid|PERMISSION_DENIED|"code":\s*40[13]\b/;
const BAD_REQUEST = /INVALID_ARGUMENT|"code":\s*400\b/;
const NO_MODEL = /model_not_found|models\/\S+ is not found|"code":\s*404\b/;
const POLICY = "--policy";
const RULES = "rules.toml";
const REFUSALS: ReadonlySet<string> = new Set(["policy_violation", "permission_denied"]);

export const gemini: Dialect = {
  name: "gemini",
  program: "gemini",
  version: /^\d+\.\d+\.\d+\s*$/,
  newest: "0.61.0",
  passes: ["GEMINI_*", "GOOGLE_*"],
  arguments: (call) => [
    "-o",
    "stream-json",
    "--approval-mode",
    { ask: "default", edits: "auto_edit", all: "yolo" }[call.permission],
    // Gemini has never seen the folder of a new worktree.
    "--skip-trust",
    ...allowArguments(call),
    ...(call.model ? ["-m", call.model] : []),
    ...sessionArguments(call),
  ],
  environment: () => ({}),
  hosts: ({ GOOGLE_GEMINI_BASE_URL: address }) => [
    ...["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
    ...hostOf(address),
  ],
  home: ({ HOME = "" }) => [
    {
      at: join(HOME, ".gemini"),
      read: ["settings.json", "GEMINI.md", "extensions", "commands", "policies", ".env"],
      write: ["oauth_creds.json", "google_accounts.json"],
      copy: ["installation_id", "trustedFolders.json"],
    },
  ],
  login: ({ HOME = "" }) => [join(HOME, ".gemini/google_accounts.json"), "active"],
  needsHelp: ({ allow = [], permission }) => permission === "edits" && allow.length > 0,
  files: (call): Readonly<Record<string, string>> =>
    hasRules(call) ? { [RULES]: renderRules(commandRules(call.allow)) } : {},
  read: readLine,
  failureOf({ code, errors }) {
    if (code === NO_AUTH) return { reason: "account", refuses: "key", detail: shortLine(errors) };
    return code === BAD_INPUT && /resuming session|session/i.test(errors)
      ? { reason: "bad-session", detail: shortLine(/Error resuming session:.*/.exec(errors)?.[0] ?? errors) }
      : null;
  },
};

/**
 * Uses a file of rules: gemini's older list knows only first words, and lets a redirection pass if edits are
 * allowed.
 */
function allowArguments(call: Call): string[] {
  return hasRules(call) ? ["--policy", join(call.runFolder, RULES)] : [];
}

function hasRules({ permission, allow, knows }: Call): boolean {
  return permission === "edits" && allow.length > 0 && knows(POLICY);
}

/**
 * The commands that may run without a question, each as an expression for the whole command. Gemini matches
 * it against the call's arguments as JSON, behind `"command":"`, so the quote that ends the command ends the
 * expression. No repeated group may hold another: Gemini rejects such expressions.
 */
function commandRules(allow: readonly string[]): readonly string[] {
  const { exact, messages, paths, verbs } = staticLists(allow);
  return [
    ...exact.map((one) => `${escaped(one)}"`),
    ...paths.map((one) => `${escaped(one)} [A-Za-z0-9_./][A-Za-z0-9_./ ]*"`),
    ...messages.flatMap((one) => [
      ...QUOTED.map((text) => `${escaped(one)} ${text}"`),
      `${escaped(one)} ${IN_DOUBLE} -m ${IN_DOUBLE}"`,
    ]),
    ...verbs.flatMap((one) => [
      `${escaped(one)} [A-Za-z0-9_.: -]*"`,
      ...QUOTED.map((text) => `${escaped(one)} [A-Za-z0-9_.: -]*${text}( --blocking)*"`),
    ]),
  ];
}

/** Inside the JSON of a command: a quoted text without a sign that the shell interprets. */
const IN_DOUBLE = '\\\\"([^"\\\\$`]|\\\\n)*\\\\"';
const IN_SINGLE = "'([^'\"\\\\]|\\\\n)*'";
const QUOTED = [IN_DOUBLE, IN_SINGLE];

function renderRules(rules: readonly string[]): string {
  const lines = rules.map((rule) =>
    [
      "[[rule]]",
      'toolName = "run_shell_command"',
      `commandRegex = ${JSON.stringify(rule)}`,
      'decision = "allow"',
      "priority = 500",
    ].join("\n"),
  );
  return `${lines.join("\n\n")}\n`;
}

function readLine(line: Json): readonly AgentLine[] {
  switch (line.type) {
    case "init":
      return [...sessionLine(textAt(line, "session_id")), ...modelLine("asked", textAt(line, "model"))];
    case "message":
      if (line.role !== "assistant") return [];
      return [
        { type: "working" },
        { type: line.delta === true ? "text-part" : "text", text: textAt(line, "content") },
      ];
    case "tool_use": {
      const detail = toolDetail(objectAt(line, "parameters"));
      return [{ type: "working" }, { type: "tool", name: textAt(line, "tool_name"), detail }];
    }
    case "tool_result": {
      const kind = textAt(line, "error", "type");
      const title = shortLine(textAt(line, "error", "message") || kind);
      return REFUSALS.has(kind) ? [{ type: "permission", title, answer: "refuse" }] : [];
    }
    case "error":
      return [{ type: "warning", text: shortLine(textAt(line, "message")) }];
    case "result":
      return [
        { type: "usage", usage: tokensAt(line.stats) },
        { type: "end", fault: line.status === "success" ? null : faultOf(objectAt(line, "error")) },
      ];
    default:
      return [];
  }
}

function faultOf(error: Json): Fault {
  const message = textAt(error, "message");
  if (textAt(error, "type") === "FatalTurnLimitedError")
    return { reason: "gave-up", detail: shortLine(message) };
  const detail = faultWords(message || error);
  if (NO_KEY.test(message)) return { reason: "account", refuses: "key", detail };
  if (NO_MODEL.test(message)) return { reason: "account", refuses: "model", detail };
  return faultOfStatus(BAD_REQUEST.test(message) ? 400 : RATE_LIMIT.test(message) ? 429 : null, detail);
}
