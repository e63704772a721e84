/** What a client's hook is called with, in the form of each client. */

import { isObject } from "../../../src/core/json.ts";
import { decide, type GuardContext } from "../../../src/guard/decide.ts";
import { DIALECTS } from "../../../src/surfaces/hooks/clients.ts";
import type { Target } from "../target.ts";

const dialects = Object.values(DIALECTS);
const place: GuardContext = {
  ...{
    root: "/p",
    checkout: "/p",
    home: "/home/dev",
    temporary: ["/tmp"],
    clientFolders: [],
    pawlFolders: [],
  },
  ...{ files: { tasksFile: "tasks.yaml", workflows: [] }, program: "/opt/main.js", real: (path) => path },
  ...{ own: [], shell: "none", twin: () => null, repository: () => null },
};

export const hookCalls: Target = {
  name: "hook-calls",
  seeds: [
    '{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"Write","tool_input":{"file_path":"a"}}',
    '{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\\n*** Add File: a\\n"}}',
    '{"hook_event_name":"beforeShellExecution","conversation_id":"c","workspace_roots":["/p"],"command":"rm a","cwd":""}',
    '{"sessionId":"s","cwd":"/p","toolName":"bash","toolArgs":"{\\"command\\":\\"rm a\\"}"}',
    '{"conversationId":"c","workspacePaths":["/p"],"toolCall":{"name":"run_command","args":{"CommandLine":"rm a","Cwd":"/p"}}}',
    '{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":"a"},"mcp_context":{"server_name":"pawl","tool_name":"x"}}',
    '{"event":"before-tool","sessionID":"s","tool":"edit","args":{"filePath":"a","edits":[{"filePath":"b"}]}}',
  ],
  run(bytes) {
    let given: unknown;
    try {
      given = JSON.parse(Buffer.from(bytes).toString("utf8"));
    } catch {
      return;
    }
    if (!isObject(given)) return;
    for (const dialect of dialects) {
      const call = dialect.read(given, undefined);
      for (const action of call.actions) decide(action, null, place);
      for (const { exit } of [dialect.allow(call), dialect.deny("no")])
        if (exit !== 0 && exit !== 2) throw new Error(`a hook ends with ${exit}`);
    }
  },
};
