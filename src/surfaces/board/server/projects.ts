/** The projects of a board, and what each route needs of one. */
import { basename } from "node:path";
import { toPawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { once } from "../../../core/once.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import type { Project } from "../../../runtime/project.ts";
import type { ProjectEntry } from "../wire.ts";
import { refused } from "./errors.ts";

/** A project's folder, and how to open it. */
export interface ProjectSource {
  /** Absolute. */
  readonly root: string;
  open(): Promise<Project>;
  /** The latest output of an agent's run, the oldest line first. */
  tail(run: string): readonly string[];
}

export interface BoardProject {
  /** Used in URLs; stable across restarts. */
  readonly key: string;
  readonly root: string;
  /** Opens the project. Throws the reason if it cannot be opened. */
  project(): Promise<Project>;
  log(): Promise<EventLog>;
  readonly tail: ProjectSource["tail"];
}

export function boardProjects(places: readonly ProjectSource[]): ReadonlyMap<string, BoardProject> {
  return new Map(
    places.map(({ root, open, tail }) => {
      const key = projectKey(root);
      const project = once(open);
      const log = once(async () => (await project()).eventLog());
      return [key, { key, root, project, log, tail }];
    }),
  );
}

/** The project's key in URLs. `root`: its real path. */
export function projectKey(root: string): string {
  return hashOf(root).slice(0, 12);
}

export async function entryOf({ key, root, project }: BoardProject): Promise<ProjectEntry> {
  const problem = await project()
    .then(async ({ runtime: { settings, store } }) => void (await settings(store.view())))
    .then(
      () => null,
      (thrown) => refused(toPawlError(thrown)),
    );
  return { key, name: basename(root), root, problem };
}
