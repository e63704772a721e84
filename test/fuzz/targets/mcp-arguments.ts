/** What a client passes to a tool. */
import { checkArguments } from "../../../src/surfaces/arguments.ts";
import { WORKFLOWS } from "../../../src/workflows/index.ts";
import type { Target } from "../target.ts";

const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
const tools = (await Promise.all(modules.map(({ mcp }) => mcp?.tools() ?? []))).flat();

export const mcpArguments: Target = {
  name: "mcp-arguments",
  seeds: [
    '{"task_id":"TS-01"}',
    '{"task_id":"TS-01","is_approved":false,"feedback_notes":"No."}',
    '{"task_id":"TS-01","artifact":{"summary":"s","steps":["a"]}}',
    '{"id":"x","given":{"a":1},"notes":"n"}',
  ],
  run(bytes) {
    let given: unknown;
    try {
      given = JSON.parse(Buffer.from(bytes).toString("utf8"));
    } catch {
      return;
    }
    for (const tool of tools) {
      try {
        checkArguments(tool, given);
      } catch (thrown) {
        if (!(thrown instanceof Error) || thrown.name !== "PawlError") throw thrown;
      }
    }
  },
};
