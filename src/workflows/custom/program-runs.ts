/**
 * Runs of workflows that a program defines through the library: their tables are in that program. Their files
 * are shown anyway, so that no gate that waits for a person is overlooked.
 */
import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { RunOverview, WorkflowModule } from "../../runtime/module.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { allRuns, loadOwn, resolveRun } from "./resolve-run.ts";

/** The module of such a workflow, without its table. */
export function programWorkflow(name: string): WorkflowModule {
  return {
    name,
    title: name,
    summary: "A workflow of a program's own: its table is in that program, not in pawl.yaml.",
    tables: async () => [],
    overview: (view) => overview(name, view),
    verbs: [],
    gate: {
      async verdict() {
        throw new PawlError(
          "workflow-missing",
          `The table of ${name} is in a program, not in pawl.yaml: its events cannot be sent from here. Nothing was changed.`,
          `Decide in the program that runs ${name}, or name its table under \`workflows:\` in pawl.yaml.`,
        );
      },
    },
    story: async () => (await import("./story.ts")).storyOf({ name }),
    records: async () => (await import("./adopt.ts")).recordsOf(name, async () => null),
  };
}

async function overview(name: string, view: View): Promise<readonly RunOverview[]> {
  const ids = await allRuns(view, name);
  const runs = await Promise.all(ids.map((id) => overviewOf(name, id, view)));
  return runs.flatMap((each) => each ?? []);
}

async function overviewOf(name: string, id: string, view: View): Promise<RunOverview | null> {
  const run = { run: `${name}:${id}`, title: name };
  try {
    const resolved = await resolveRun(view, name, id, await loadOwn(view, name, id));
    if (resolved === null) return null;
    const { awaits, created_at, history, next, state } = resolved.file;
    const since = history.at(-1)?.time ?? created_at;
    if (awaits === "nobody") return { ...run, state, awaits: "nobody", next, since };
    const what = next ? `${next}, in the program that runs it` : "go on in the program that runs it";
    const who = awaits === "assistant" || awaits === "agent" ? awaits : "human";
    return { ...run, state, awaits: who, next: what, command: `pawl show ${run.run}`, since };
  } catch (thrown) {
    return unreadableRun(run.run, run.title, thrown);
  }
}
