/** Two processes that begin a run at once: what governs it is the policy of the one that began it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStateFolder } from "../../src/adapters/files/state-folder.ts";
import { openPolicies } from "../../src/adapters/policies/policies.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import { type Runtime, runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { type AlfredProject, MODEL, projectWithTask } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const RUN = "alfred:TS-01";

/** A process with a configuration of its own. `meanwhile` happens once, when it has read the task's state. */
function processOf(
  project: AlfredProject,
  home: string,
  checks: "loose" | "strict",
  meanwhile?: () => Promise<unknown>,
): Runtime {
  const runtime = project.runtime();
  let pending = meanwhile;
  const view = () => {
    const made = runtime.store.view();
    const read = made.read.bind(made);
    return Object.assign(made, {
      async read(path: Parameters<typeof read>[0]) {
        const text = await read(path);
        const happens = path.endsWith("/task_state.json") ? pending : undefined;
        if (happens) pending = undefined;
        await happens?.();
        return text;
      },
    });
  };
  return {
    ...runtime,
    store: { ...runtime.store, view },
    outside: { ...runtime.outside, policies: openPolicies(openStateFolder(home)) },
    settings: async () => ({
      ...DEFAULT_SETTINGS,
      alfred: { ...DEFAULT_SETTINGS.alfred, checks: checks === "strict" ? { test: "true" } : {} },
    }),
  };
}

it("a process that had read the task before another began it goes by the other's policy, and does not put its own in its place", async () => {
  promise("policy.once");
  using project = await projectWithTask("TS-01", { withoutGit: true });
  const home = mkdtempSync(join(tmpdir(), "pawl-policies-"));
  const start = (await alfred.mcp?.tools())?.find(({ name }) => name === "start_task");
  const begin = (runtime: Runtime) =>
    runTransaction(runtime, start?.transaction as never, { task_id: "TS-01" }, MODEL);
  const first = processOf(project, home, "strict");
  const late = processOf(project, home, "loose", () => begin(first));
  await begin(late);
  const kept = await late.outside.policies?.find(RUN);
  rmSync(home, { recursive: true });
  expect(kept).toMatchObject({ "alfred.checks.test": "true" });
});
