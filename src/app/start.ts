import { keepCompiledCode } from "../config/compiled-code.ts";
import { readEnvironment } from "../config/config.ts";
import { withProject } from "./with-project.ts";

/**
 * Runs a command line: Node, the program, its words. `home`: the program's own folder. Returns the exit code.
 */
export async function start(commandLine: readonly string[], home: string): Promise<number> {
  keepCompiledCode(readEnvironment(), home);
  const [, program = "pawl", ...argv] = commandLine;
  const [command, client, event] = argv;
  // A client calls its hook before each tool: without the rest of the program, it costs little more than
  // Node's own start.
  const guard = command === "guard" ? await import("../services/guard/guard.ts") : null;
  if (guard?.isGuardedClient(client)) return guard.answerHook({ client, event, program, home, withProject });
  const { run } = await import("./app.ts");
  return run({ argv, program, home });
}
