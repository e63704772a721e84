/** One call of OpenSSH's `ssh-keygen`. */
import { PawlError } from "../../core/error.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { findProgram, safePath } from "../process/programs.ts";
import { spawn } from "../process/start-program.ts";

const SSH_KEYGEN_TIMEOUT = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Asking {
  /** Its stdin; absent: the terminal. */
  readonly input?: string;
  /** The program that prompts the person; absent: no prompt, or one on stdin. */
  readonly askpass?: string;
}

export async function sshKeygen(
  environment: Environment,
  args: readonly string[],
  { askpass, input }: Asking = { input: "" },
): Promise<Ended> {
  const asks = askpass === undefined ? {} : { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: "force" };
  const isHasty = input !== undefined && askpass === undefined;
  const { path, why } = findProgram("ssh-keygen", environment);
  if (path === null) throw missingProgramError(`there is ${why}`);
  const allowed = allowedEnvironment(environment, ["SSH_SK_PROVIDER"]);
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...args], {
      env: { ...allowed, PATH: safePath(environment), LC_ALL: "C", ...asks },
      stdio: [input === undefined ? "inherit" : "pipe", "pipe", "pipe"],
      ...(isHasty ? { timeout: SSH_KEYGEN_TIMEOUT } : {}),
    });
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    child.on("error", (cause) => reject(missingProgramError(cause.message, cause)));
    child.on("close", (code) =>
      resolve({
        code,
        output: Buffer.concat(output).toString("utf8"),
        errors: Buffer.concat(errors).toString("utf8"),
      }),
    );
  });
}

function missingProgramError(why: string, cause?: Error): PawlError {
  return new PawlError(
    "signature-failed",
    `ssh-keygen could not be started: ${why}.`,
    "Install OpenSSH 8.9 or later.",
    cause,
  );
}
