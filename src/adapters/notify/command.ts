/** A program of the person's, which gets the notice as JSON on stdin. */
import type { Receiver } from "../../core/ports/notify.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { runProgram } from "./run-program.ts";

export function openCommand(words: readonly string[], environment: Environment, root: string): Receiver {
  const [program = "", ...args] = words;
  return {
    name: "command",
    send: (notice) =>
      runProgram({
        ...{ receiver: "command", program, args, root },
        environment: allowedEnvironment(environment),
        input: `${JSON.stringify({ version: 1, ...notice })}\n`,
      }),
  };
}
