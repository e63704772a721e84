/** The program as it is, with the door beside its workflows. Bundled into `.rig/` by `global-setup.ts`. */
import { resolve } from "node:path";
import { run } from "../../src/app/app.ts";
import { withProject } from "../../src/app/with-project.ts";
import { isGuardedClient } from "../../src/guard/clients.ts";
import { answerHook } from "../../src/services/guard/guard.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

const { DOOR_ONLY, NOISY, PROGRAM_NAME, RIG_TESTER } = process.env;
const door = {
  async door() {
    // A library that writes where it must not.
    if (NOISY) setInterval(() => process.stdout.write("noise\n"), 5).unref();
    return (await import("./door.ts")).DOOR;
  },
};
const [command, client, event] = process.argv.slice(2);
const home = resolve(import.meta.dirname, "../src");
if (command === "guard" && isGuardedClient(client))
  process.exitCode = await answerHook({
    client,
    event,
    home,
    withProject,
    program: process.argv[1] ?? "pawl",
  });
else
  process.exitCode = await run({
    argv: process.argv.slice(2),
    program: PROGRAM_NAME ?? "pawl",
    home,
    ancestry: RIG_TESTER ? { until: Number(RIG_TESTER) } : {},
    workflows: DOOR_ONLY ? door : { ...WORKFLOWS, ...door },
  });
