#!/usr/bin/env node
import { enableCompileCache } from "node:module";

enableCompileCache();
const { run } = await import("./app.ts");
process.exitCode = await run({
  argv: process.argv.slice(2),
  program: process.argv[1] ?? "pawl",
  home: import.meta.dirname,
});
