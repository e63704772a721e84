import { execFile } from "node:child_process";
import { parse } from "node:path";
import { allowedEnvironment, type Environment } from "../process/environment.ts";

const LIMIT = 20_000;

/** The version of git on the PATH, `2.47.3`; null: there is none, or it does not start. */
export function gitVersion(environment: Environment): Promise<string | null> {
  // Not in the project: nothing there may steer a program that should only print its version.
  const options = {
    cwd: parse(process.cwd()).root,
    env: allowedEnvironment(environment),
    timeout: LIMIT,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((done) => {
    execFile("git", ["--version"], options, (cause, stdout) =>
      done(cause ? null : (/\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null)),
    );
  });
}
