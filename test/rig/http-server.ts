/** `pawl mcp --http` as a real child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { type Ended, end, MAIN, type TemporaryProject, testEnvironment } from "./project.ts";

export interface HttpServer {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** Told to end, and to its end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface HttpServerOptions {
  /** In place of the rig's program. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `--port` and so on. */
  readonly args?: readonly string[];
}

/** Resolves once it serves; rejects with what it said where it does not. */
export async function openHttpServer(
  project: Pick<TemporaryProject, "root">,
  { program = MAIN, environment = {}, args = [] }: HttpServerOptions = {},
): Promise<HttpServer> {
  const child = spawn(process.execPath, [program, "mcp", "--http", "--json", ...args], {
    cwd: project.root,
    env: testEnvironment(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = end(child);
  const opened = new Promise<string>((resolve) => child.stdout?.once("data", (chunk) => resolve(`${chunk}`)));
  const said = await Promise.race([opened, ended]);
  if (typeof said !== "string") throw new Error(`It does not serve: ${said.err || said.out}`);
  const { url, token = environment.PAWL_MCP_TOKEN ?? "", error } = JSON.parse(said);
  if (error) throw new Error(error.message);
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { url, token, child, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
