/** `pawl mcp` as a real child process, without a client that says more than it is told to. */
import { type ChildProcess, spawn } from "node:child_process";
import { MAIN, type TemporaryProject, testEnvironment } from "./project.ts";

export function startServer(
  project: TemporaryProject,
  environment: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, [MAIN, "mcp"], { cwd: project.root, env: testEnvironment(environment) });
}

export function send(server: ChildProcess, ...messages: readonly object[]): void {
  server.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
}

/** Resolves once the text stands in what the server says from now on. */
export function untilWritten(server: ChildProcess, text: string): Promise<void> {
  let heard = "";
  return new Promise((resolve) => {
    server.stdout?.on("data", (chunk: Buffer) => {
      heard += chunk;
      if (heard.includes(text)) resolve();
    });
  });
}
