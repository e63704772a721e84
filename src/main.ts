#!/usr/bin/env node
// Nothing is imported before this: an older Node would stop at the first thing that it lacks, with a stack trace and no reason.
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
  const { start } = await import("./app/start.ts");
  process.exitCode = await start(process.argv, import.meta.dirname);
}
