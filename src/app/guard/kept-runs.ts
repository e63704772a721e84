/**
 * The scope of each run with a session, kept beside the project's key with the stamps of the files that it
 * was read from.
 */

import { stampOf } from "../../adapters/files/stamp.ts";
import { hashOf } from "../../core/hash.ts";
import type { Cache } from "../../core/ports/cache.ts";
import type { View } from "../../core/ports/store.ts";
import { type Note, watched } from "../../core/watched-view.ts";
import type { WorkflowModule } from "../../runtime/module.ts";
import type { Project, Workflows } from "../../runtime/project.ts";
import type { Scope } from "../../runtime/scope.ts";

/** By path. */
export type Stamps = Readonly<Record<string, string>>;

export interface KeptRun {
  /** Null: there is no such run, or it is over. */
  readonly scope: Scope | null;
  readonly files: Stamps;
}

export type Runs = Pick<Project, "runtime" | "workflows">;

export interface KeptRuns {
  /** The scope that was kept last. */
  find(run: string): Promise<KeptRun | null>;
  /** Reads the scope again, and keeps it. */
  keep(project: Runs, run: string): Promise<KeptRun>;
}

/** These cache entries come from no text. */
export const NO_SOURCE = "";

export function openKeptRuns({ cache, root }: { readonly cache: Cache; readonly root: string }): KeptRuns {
  return {
    find: async (run) => (await cache.get(kindOf(run), NO_SOURCE)) as KeptRun | null,
    async keep(project, run) {
      const read = await readRun(project, root, run);
      cache.put(kindOf(run), NO_SOURCE, () => read);
      return read;
    },
  };
}

function kindOf(run: string): string {
  return `guard-run-${hashOf(run).slice(0, 32)}`;
}

/** Reads the run's scope, and records its files. */
export async function readRun({ runtime, workflows }: Runs, root: string, run: string): Promise<KeptRun> {
  const { scopeOf } = await import("../../runtime/reports/open-scopes.ts");
  const files: Record<string, Record<string, string>> = {};
  const scope = await scopeOf({ runtime, workflows: noted(workflows, root, files) }, run);
  return { scope, files: files[run] ?? {} };
}

/** Records each path once, with its stamp at that time. */
export function noteIn(root: string, stamps: Record<string, string>): Note {
  return (path) => {
    stamps[path] ??= stampOf(root, path);
  };
}

/** Workflows whose scopes record their files. */
export function noted(
  workflows: Workflows,
  root: string,
  files: Record<string, Record<string, string>>,
): Workflows {
  const wrap = (name: string, module: WorkflowModule): WorkflowModule => {
    const { scope } = module;
    if (scope === undefined) return module;
    return Object.create(module, {
      scope: {
        value: (view: View, id: string) => {
          const stamps: Record<string, string> = {};
          files[`${name}:${id}`] = stamps;
          return scope(watched(view, { onRead: noteIn(root, stamps) }), id);
        },
      },
    });
  };
  return Object.fromEntries(
    Object.entries(workflows).map(([name, load]) => [name, async () => wrap(name, await load())]),
  );
}
