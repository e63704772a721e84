/** The program as it is, with the door beside its workflows. */
import { resolve } from "node:path";
import { run } from "../../src/app.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

const { DOOR_ONLY, PROGRAM_NAME } = process.env;
const door = { door: async () => (await import("./door.ts")).DOOR };
process.exitCode = await run({
  argv: process.argv.slice(2),
  program: PROGRAM_NAME ?? "pawl",
  home: resolve(import.meta.dirname, "../../src"),
  workflows: DOOR_ONLY ? door : { ...WORKFLOWS, ...door },
});
