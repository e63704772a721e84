/** The program as it is, with the suite's fixtures beside its workflows. Bundled by `run.ts`, as the product is. */
import { resolve } from "node:path";
import { run } from "../../src/app/app.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

process.exitCode = await run({
  argv: process.argv.slice(2),
  program: "pawl",
  home: resolve(import.meta.dirname, "../../src"),
  workflows: { ...WORKFLOWS, conformance: async () => (await import("./fixture.ts")).FIXTURE },
});
