/** The MCP inspector's command line, on `pawl mcp` over standard input and output. */
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { end, testEnvironment } from "../rig/project.ts";

interface Listed {
  readonly tools: readonly { readonly name: string }[];
}

interface Called {
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: { readonly status?: string };
  readonly isError?: boolean;
}

/** Lists the tools strictly, calls one that succeeds and one that is refused. Throws where it does not. */
export async function inspect(inspector: string, program: string, cwd: string): Promise<string> {
  const ask = async (expected: number, ...args: readonly string[]) => {
    const words = [inspector, "--cli", process.execPath, program, "mcp", ...args];
    const env = testEnvironment({ MCP_INSPECTOR_SECRET_STORE: "memory" });
    const ended = await end(
      spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 }),
    );
    assert.equal(ended.code, expected, `${args.join(" ")}: ${ended.err}`);
    return JSON.parse(ended.out);
  };
  const { tools }: Listed = await ask(0, "--method", "tools/list", "--strict");
  for (const name of ["start_task", "submit_work", "lumos", "provide_review"])
    assert.ok(
      tools.some((tool) => tool.name === name),
      `${name} is not listed`,
    );
  const called: Called = await ask(0, "--method", "tools/call", "--tool-name", "lumos");
  assert.equal(called.isError ?? false, false);
  assert.ok((called.content[0]?.text ?? "").length > 0, "lumos says nothing");
  const initialized: Called = await ask(
    0,
    ...["--method", "tools/call", "--tool-name", "initialize_project", "--tool-arg", "provider=local"],
  );
  assert.equal(initialized.structuredContent?.status, "success");
  return `${tools.length} tools listed, 2 called`;
}
