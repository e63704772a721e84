/**
 * One connection over standard input and output, until the client is gone or a signal ends the process. Only the
 * protocol may use standard output; everything else that writes there goes to standard error.
 */
import { Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { WorkflowModule } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import type { About } from "./about.ts";
import type { AppPorts } from "./app/ports.ts";
import { openFollower } from "./follow.ts";
import { openGate } from "./gate.ts";
import type { RequestId } from "./handshake.ts";
import { openServerFactory } from "./server.ts";
import { hearListen } from "./wake.ts";
import { openWork } from "./work.ts";

export interface Serve {
  readonly project: Project;
  readonly modules: readonly WorkflowModule[];
  readonly about: About;
  readonly app: AppPorts | null;
  /** The bytes of standard input that were read already. */
  readonly heard: Buffer;
  /** The handshake among them that was answered already. */
  readonly answered: RequestId | null;
  /** A signal came. */
  readonly stopped: Promise<NodeJS.Signals>;
}

export async function serveStdin(serve: Serve): Promise<NodeJS.Signals | null> {
  const { about, answered, app, heard, modules, project, stopped } = serve;
  const work = openWork(() => project.runtime.store.settle());
  const { stdout, gone } = takeStdout();
  if (heard.length > 0) process.stdin.unshift(heard);
  const gate = openGate(new StdioServerTransport(process.stdin, stdout), answered);
  const follower = openFollower(project);
  const following = hearListen(gate, follower, project.runtime);
  const handle = serveStdio(openServerFactory({ project, modules, about, work, gate, app, follower }), {
    transport: gate.transport,
    onerror: (error) => void process.stderr.write(`${error.message.split("\n")[0]}\n`),
  });
  const signal = (await Promise.race([gone, ended(process.stdin), stopped])) ?? null;
  await work.done();
  following.end();
  await handle.close();
  process.stdin.destroy();
  return signal;
}

/** A stream to the real standard output, which nothing else can reach; `gone`: nobody reads it any more. */
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
