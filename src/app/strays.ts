/** The comparison of the working tree with what may be written: each part is loaded when it is first needed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openKeptByRun } from "../adapters/files/kept-by-run.ts";
import type { Environment } from "../config/config.ts";
import { openStateHome, stateFolder } from "../config/state-home.ts";
import type { TreeNote } from "../core/ports/tree-notes.ts";
import { scopeInCheckout } from "../runtime/open-scopes.ts";
import type { Project } from "../runtime/project.ts";
import { advance } from "../runtime/run-transaction.ts";
import type { Strays } from "../runtime/strays.ts";

export interface StraysOrder {
  readonly root: string;
  readonly environment: Environment;
  project(): Pick<Project, "runtime" | "workflows">;
}

const FOLDER = "trees";

/** Costs a project without a guard one look at a folder. */
export function lateStrays({ environment, project, root }: StraysOrder): Strays {
  const isOn = async () => {
    const { settings, store } = project().runtime;
    return (await settings(store.view())).guard;
  };
  let folder: string | undefined;
  const isNoted = () => {
    folder ??= join(stateFolder(root, environment), FOLDER);
    return existsSync(folder);
  };
  const open = async (): Promise<Strays> => {
    const { openStrays } = await import("../guard/strays.ts");
    const notes = openKeptByRun<TreeNote>(openStateHome(root, environment), {
      folder: FOLDER,
      key: "note",
      noun: "the tree",
      without: "look through the project's changes, and remove it: Pawl then compares with what is there.",
    });
    return openStrays({
      git: project().runtime.outside.git,
      notes,
      scopeOf: (run) => scopeInCheckout(project(), run),
      isOn,
      async tell(event) {
        const { strayEvent } = await import("../guard/stray-events.ts");
        await advance(project().runtime, strayEvent, event, { channel: "script" });
      },
    });
  };
  return {
    look: async (run) => (isNoted() ? (await open()).look(run) : null),
    async note(run, accepted) {
      if (isNoted() || (await isOn())) await (await open()).note(run, accepted);
    },
  };
}
