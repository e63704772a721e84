/** One call of OpenSSH's `ssh-keygen`. */
import { spawn } from "node:child_process";
import { PawlError } from "../../core/error.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";

const LIMIT = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Asking {
  /** Its standard input; absent: the terminal. */
  readonly input?: string;
  /** The program by which it asks the person; absent: it asks nobody, or on its standard input. */
  readonly askpass?: string;
}

export function sshKeygen(
  environment: Environment,
  args: readonly string[],
  { askpass, input }: Asking = { input: "" },
): Promise<Ended> {
  const asks = askpass === undefined ? {} : { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: "force" };
  const isHasty = input !== undefined && askpass === undefined;
  return new Promise((resolve, reject) => {
    const child = spawn("ssh-keygen", [...args], {
      env: { ...allowedEnvironment(environment, ["SSH_SK_PROVIDER"]), LC_ALL: "C", ...asks },
      stdio: [input === undefined ? "inherit" : "pipe", "pipe", "pipe"],
      ...(isHasty ? { timeout: LIMIT } : {}),
    });
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    child.on("error", (cause) => reject(notThere(cause)));
    child.on("close", (code) =>
      resolve({
        code,
        output: Buffer.concat(output).toString("utf8"),
        errors: Buffer.concat(errors).toString("utf8"),
      }),
    );
  });
}

function notThere(cause: Error): PawlError {
  return new PawlError(
    "signature-failed",
    `ssh-keygen could not be started: ${cause.message}.`,
    "Install OpenSSH 8.9 or later.",
    cause,
  );
}
