/** The kind of a workflow's runs for the run log. */
import { attempt } from "../../core/attempt.ts";
import type { View } from "../../core/ports/store.ts";
import type { RunKind, Runs } from "../../runtime/run-log/kind.ts";
import type { DefinitionSource, Loaded } from "./definition/definition.ts";
import { runPath, type StoredRun, sharedIn } from "./run-file.ts";
import { nameRun, sourceNamed } from "./run-name.ts";

/** `loaded`: null if a program has the table. */
export function runsOf(workflow: string, loaded: Loaded | null): RunKind {
  const folder = `.pawl/runs/${workflow}/`;
  const table = loaded?.definition.table ?? null;
  return {
    tableOf: (machine) => (machine === workflow ? table : null),
    runOf(path) {
      const name = path.startsWith(folder) ? path.slice(folder.length) : "";
      return name.endsWith(".json") && !name.includes("/")
        ? `${workflow}:${name.slice(0, -".json".length)}`
        : null;
    },
    pathsOf: (run) => [runPath(workflow, run.slice(workflow.length + 1))],
    at: (text) =>
      attempt(() => {
        const { kept, state } = JSON.parse(text) as StoredRun;
        return { machine: workflow, state, variables: kept };
      }, null),
    sharedIn,
  };
}

/** The kind of the run of that name, with its table as the project's files have it now. */
export function runsOfSources(sources: readonly DefinitionSource[]): Runs {
  return async (view: View, run: string) => {
    const { workflow } = nameRun(sources, run);
    return runsOf(workflow, await sourceNamed(sources, workflow).load(view));
  };
}
