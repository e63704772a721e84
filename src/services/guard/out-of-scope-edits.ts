/** The search for out-of-scope edits in the working tree: each part is loaded on first use. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { emptyRepositories } from "../../adapters/guard/empty-repositories.ts";
import { stateFolder, TREES } from "../../config/state-home.ts";
import type { View } from "../../core/ports/store.ts";
import type { Project } from "../../runtime/project.ts";
import { scopeOf } from "../../runtime/reports/open-scopes.ts";
import type { ScopeWatch } from "../../runtime/transaction/out-of-scope-edits.ts";
import { runTransaction } from "../../runtime/transaction/run-transaction.ts";
import type { ProjectLocation } from "../with-project.ts";
import { openTreeNotes } from "./tree-notes.ts";

export interface ScopeWatchOrder extends ProjectLocation {
  project(): Pick<Project, "runtime" | "workflows">;
}

/** In a project without a guard it costs one check of a folder. */
export function lateScopeWatch({ environment, home, project, root }: ScopeWatchOrder): ScopeWatch {
  const isOn = async (view?: View) => {
    const { settings, store } = project().runtime;
    return (await settings(view ?? store.view())).guard;
  };
  let folder: string | undefined;
  const isNoted = () => {
    folder ??= join(stateFolder(root, environment), TREES);
    return existsSync(folder);
  };
  const open = async (): Promise<ScopeWatch> => {
    const { openScopeWatch } = await import("../../guard/out-of-scope-edits.ts");
    const notes = openTreeNotes(root, environment);
    return openScopeWatch({
      git: project().runtime.outside.git,
      notes,
      scopeOf: (run) => scopeOf(project(), run),
      isOn: () => isOn(),
      nested: () => emptyRepositories(root),
      async append(event) {
        const { outOfScopeEvent } = await import("../../guard/out-of-scope-events.ts");
        await runTransaction(project().runtime, outOfScopeEvent, event, { channel: "script" });
      },
    });
  };
  /** Updates the run's kept scope, so that the next call of a client's hook need not read the project. */
  const updateScope = async (run: string) => {
    const { keptScopes } = await import("./kept-scopes.ts");
    const kept = keptScopes({ root, home, environment, open: (work) => work(project()) });
    // After the answer. Optional: a hook that finds it outdated reads the project itself.
    setImmediate(() => void kept.update(run).catch(() => {}));
  };
  return {
    find: async (run) => (isNoted() ? (await open()).find(run) : null),
    async note(run, accepted, view) {
      const guards = await isOn(view);
      if (guards || isNoted()) await (await open()).note(run, accepted);
      if (guards) await updateScope(run);
    },
  };
}
