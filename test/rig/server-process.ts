/** A command of the program that serves until it is told to end, as a real child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { type Ended, end, MAIN, type TemporaryProject, testEnvironment } from "./project.ts";

export interface ServerProcess {
  readonly child: ChildProcess;
  /** Told to end, and to its end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ServerProcessOptions {
  /** In place of the rig's program. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `--port` and so on. */
  readonly args?: readonly string[];
}

/** Resolves once it serves, with the JSON that it then says; rejects with what it said where it does not. */
export async function openServerProcess<Told>(
  project: Pick<TemporaryProject, "root">,
  words: readonly string[],
  { program = MAIN, environment = {}, args = [] }: ServerProcessOptions,
): Promise<ServerProcess & { readonly told: Told }> {
  const child = spawn(process.execPath, [program, ...words, "--json", ...args], {
    cwd: project.root,
    env: testEnvironment(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = end(child);
  const opened = new Promise<string>((resolve) => child.stdout?.once("data", (chunk) => resolve(`${chunk}`)));
  const said = await Promise.race([opened, ended]);
  if (typeof said !== "string") throw new Error(`It does not serve: ${said.err || said.out}`);
  const told = JSON.parse(said);
  if (told.error) throw new Error(told.error.message);
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { told, child, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
