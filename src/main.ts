#!/usr/bin/env node
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
  // It lives long beside its client, and each agent has one: memory counts more than the last tenth of speed. The threads that
  // optimize large functions keep 10 MB for that, and no call is quicker for it. Before the cache, which is kept by V8's flags.
  if (process.argv[2] === "mcp") {
    const flags = "--optimize-for-size --no-opt --max-optimized-bytecode-size=1000";
    process.getBuiltinModule("node:v8").setFlagsFromString(flags);
  }
  // An import of it would read each of its properties.
  process.getBuiltinModule("node:module").enableCompileCache();
  // All is done then, but for what others do at that moment. The end by itself would take the heap down piece by piece.
  process.once("beforeExit", () => setImmediate(() => process.exit()));
  const [, program = "pawl", command, client, event] = process.argv;
  const home = import.meta.dirname;
  // Before each tool of an assistant: without the rest of the program, it costs little more than Node's own start.
  const guarding = command === "guard" ? await import("./app/guard.ts") : null;
  if (guarding?.isGuardedClient(client)) {
    process.exitCode = await guarding.answerHook({ client, event, program, home });
  } else {
    const { run } = await import("./app/app.ts");
    process.exitCode = await run({ argv: process.argv.slice(2), program, home });
  }
}
