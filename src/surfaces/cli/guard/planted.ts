/**
 * A violation that every guard refuses: writing pawl.yaml with the client's own tool, in the form that the
 * client sends to its hook.
 */
import { CANARY_SESSION, type GuardedClient } from "../../../guard/clients.ts";

const PLANTED_FILE = "pawl.yaml";

export function plantedCall(client: GuardedClient, root: string): string {
  const path = `${root}/${PLANTED_FILE}`;
  return JSON.stringify(CALLS[client](path, root));
}

const ID = CANARY_SESSION;

const claudeCall = (tool_name: string, tool_input: object, cwd: string) => ({
  ...{ session_id: ID, transcript_path: null, cwd, hook_event_name: "PreToolUse" },
  ...{ tool_name, tool_input, tool_use_id: ID },
});

const CALLS: Readonly<Record<GuardedClient, (path: string, cwd: string) => object>> = {
  "claude-code": (path, cwd) => claudeCall("Write", { file_path: path, content: "" }, cwd),
  codex: (path, cwd) =>
    claudeCall(
      "apply_patch",
      { command: `*** Begin Patch\n*** Update File: ${path}\n@@\n+\n*** End Patch\n` },
      cwd,
    ),
  copilot: (path, cwd) => ({
    ...{ sessionId: ID, timestamp: 0, cwd, toolName: "create" },
    toolArgs: JSON.stringify({ path, file_text: "" }),
  }),
  vscode: (path, cwd) => ({
    ...claudeCall("create_file", { filePath: path, content: "" }, cwd),
    ...{ sessionId: ID, hookEventName: "PreToolUse" },
  }),
  cursor: (path, cwd) => ({
    ...{ conversation_id: ID, generation_id: ID, hook_event_name: "preToolUse", workspace_roots: [cwd] },
    ...{ cwd, tool_name: "Write", tool_input: { file_path: path, content: "" }, tool_use_id: ID },
  }),
  gemini: (path, cwd) => ({
    ...{ session_id: ID, transcript_path: "", cwd, hook_event_name: "BeforeTool", timestamp: "" },
    ...{ tool_name: "write_file", tool_input: { file_path: path, content: "" } },
  }),
  antigravity: (path, cwd) => ({
    ...{ conversationId: ID, workspacePaths: [cwd], stepIdx: 0 },
    toolCall: { name: "write_to_file", args: { TargetFile: path, CodeContent: "" } },
  }),
  opencode: (path, cwd) => ({
    input: { tool: "write", sessionID: ID, callID: ID },
    output: { args: { filePath: path, content: "" } },
    place: { directory: cwd, worktree: cwd },
  }),
};

const DENIALS: ReadonlySet<unknown> = new Set(["deny", "block"]);

export interface HookAnswer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Whether the hook refused that file: a hook that merely fails proves nothing. */
export function isRefusal({ code, err, out }: HookAnswer): boolean {
  if (!`${out}${err}`.includes(PLANTED_FILE)) return false;
  if (code === 2) return true;
  if (code !== 0) return false;
  const holds = (value: unknown): boolean =>
    DENIALS.has(value) ||
    (typeof value === "object" && value !== null && Object.values(value).some((inner) => holds(inner)));
  try {
    return holds(JSON.parse(out));
  } catch {
    return false;
  }
}
