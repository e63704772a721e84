import { parse } from "node:path";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { findProgram } from "../process/programs.ts";
import { execFile } from "../process/start-program.ts";

const GIT_TIMEOUT = 20_000;

/** The version of git on the PATH, `2.47.3`; null: there is none, or it does not start. */
export async function gitVersion(environment: Environment): Promise<string | null> {
  const { path } = findProgram("git", environment);
  if (path === null) return null;
  // Not in the project: its files must not influence a program that only prints its version.
  const options = {
    cwd: parse(process.cwd()).root,
    env: allowedEnvironment(environment),
    timeout: GIT_TIMEOUT,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((done) => {
    execFile(path, ["--version"], options, (cause, stdout) =>
      done(cause ? null : (/\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null)),
    );
  });
}
