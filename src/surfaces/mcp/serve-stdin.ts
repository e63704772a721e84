/**
 * `pawl mcp`: one connection over standard input and output, until the client disconnects or a signal ends
 * the process. Only the protocol may use standard output; everything else written there goes to standard
 * error.
 */
import { Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { firstSignal } from "../ending-signals.ts";
import { type AppPorts, openWork } from "./connection.ts";
import { declaredBy, openServers } from "./server.ts";
import { followingFirst, openFollower } from "./wake.ts";

export interface StdinServing {
  readonly version: string;
  readonly app: AppPorts | null;
}

/** Returns the signal that ended it; null: the client disconnected. */
export async function serveStdin(
  project: Project,
  names: readonly string[],
  { app, version }: StdinServing,
): Promise<NodeJS.Signals | null> {
  const { runtime } = project;
  // Before the first answer, because a client may end the server at once.
  const stopped = firstSignal();
  const modules = await loadWorkflows(project.workflows, names);
  // Before the input is read, because the SDK drops requests that still wait for a server when the input
  // ends.
  const declared = await declaredBy(modules, runtime);
  const work = openWork(() => runtime.store.settle());
  const { stdout, closed } = takeStdout();
  const follower = openFollower(project);
  const makeServer = openServers({ project, modules, version, work, app, follower, over: "stdio" });
  const handle = serveStdio(({ era }) => makeServer(era, declared), {
    transport: followingFirst(new StdioServerTransport(process.stdin, stdout), follower, runtime),
    onerror: (error) => void process.stderr.write(`${error.message.split("\n")[0]}\n`),
  });
  const signal = (await Promise.race([closed, ended(process.stdin), stopped])) ?? null;
  await work.done();
  follower.end();
  await handle.close();
  process.stdin.destroy();
  return signal;
}

/** A stream to the real standard output, which nothing else can reach. `closed`: its reader is gone. */
function takeStdout(): { stdout: Writable; closed: Promise<void> } {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, () => done()),
  });
  return { stdout, closed: new Promise((resolve) => process.stdout.once("error", () => resolve())) };
}

function ended(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}
