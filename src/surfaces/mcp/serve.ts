/**
 * `pawl mcp`: one connection over standard input and output, until the client is gone or a signal ends the process.
 * Whatever else would write to standard output is sent to standard error: nothing but the protocol may stand there.
 */
import { Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { openGate } from "./gate.ts";
import { openServerFactory } from "./server.ts";
import { openWork } from "./work.ts";

export async function serve(project: Project, names: readonly string[], version: string): Promise<void> {
  const modules = await loadWorkflows(project.workflows, names);
  const work = openWork(() => project.runtime.store.settle());
  const { stdout, gone } = takeStdout();
  const gate = openGate(new StdioServerTransport(process.stdin, stdout));
  const handle = serveStdio(openServerFactory({ project, modules, version, work, gate }), {
    transport: gate.transport,
    onerror: (error) => void process.stderr.write(`${error.message.split("\n")[0]}\n`),
  });
  await Promise.race([
    gone,
    ended(process.stdin),
    signalled("SIGTERM"),
    signalled("SIGINT"),
    signalled("SIGHUP"),
  ]);
  await work.done();
  await handle.close();
  process.stdin.destroy();
}

/** A stream to the real standard output, which nothing else reaches from now on; `gone`: nobody reads it any more. */
function takeStdout(): { stdout: Writable; gone: Promise<void> } {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, () => done()),
  });
  return { stdout, gone: new Promise((resolve) => process.stdout.once("error", () => resolve())) };
}

function ended(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

function signalled(signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => process.once(signal, () => resolve()));
}
