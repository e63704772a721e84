#!/usr/bin/env node
import { keepCompiledCode } from "./config/compiled-code.ts";
import { readEnvironment } from "./config/config.ts";

// An older Node would stop at the first thing that it lacks, with a stack trace in place of a reason.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `pawl: Pawl needs Node 22.12 or newer; this is Node ${process.versions.node}. [usage]\nfix:  Install a newer Node, or call a newer one by its path.\n`,
  );
  process.exitCode = 2;
} else {
  // Node itself would print the code that threw, and no fix.
  process.on("uncaughtException", (error) => {
    process.stderr.write(
      `pawl: Pawl failed in a way that nobody foresaw: ${error?.stack ?? error} [internal]\nfix:  Report this, with the lines above.\n`,
      () => process.exit(1),
    );
  });
  keepCompiledCode(readEnvironment());
  const [, program = "pawl", ...argv] = process.argv;
  const [command, client, event] = argv;
  const home = import.meta.dirname;
  // A client calls its hook before each tool: without the rest of the program, it costs little more than Node's own start.
  const guard = command === "guard" ? await import("./app/guard.ts") : null;
  if (guard?.isGuardedClient(client)) {
    process.exitCode = await guard.answerHook({ client, event, program, home });
  } else {
    const { run } = await import("./app/app.ts");
    process.exitCode = await run({ argv, program, home });
  }
}
