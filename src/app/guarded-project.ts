/** What the guard needs of a project: its open runs' scopes, kept beside the project's key as long as nothing has changed. */
import { openCache } from "../adapters/files/cache.ts";
import { stampOf } from "../adapters/files/stamp.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Store, View } from "../core/ports/store.ts";
import type { Project } from "../runtime/project.ts";
import type { Scope } from "../runtime/scope.ts";

export interface Known {
  readonly tasksFile: string;
  /** The definitions of its own workflows, relative to the root. */
  readonly workflows: readonly string[];
  readonly scopes: readonly Scope[];
}

interface Kept {
  readonly known: Known;
  /** Everything that was read for it, with the stamps of that time. */
  readonly stamps: Readonly<Record<string, string>>;
}

interface Wanted {
  readonly root: string;
  /** The program's own folder. */
  readonly home: string;
  readonly environment: Environment;
}

const KIND = "guard";
/** Every commit appends to it. */
const EVENTS = ".pawl/events.jsonl";
const SETTINGS = ["pawl.yaml", ".alfred/config.yml"];

export function lookAt(wanted: Wanted) {
  const { environment, home, root } = wanted;
  const cache = openCache({ folder: stateFolder(root, environment) });
  // Another version of Pawl may have other tables.
  const version = `1 ${stampOf(home, ".")}`;
  return {
    async project(): Promise<Known> {
      const kept = (await cache.get(KIND, version)) as Kept | null;
      if (kept && Object.entries(kept.stamps).every(([path, stamp]) => stampOf(root, path) === stamp))
        return kept.known;
      const fresh = await readProject(wanted);
      cache.put(KIND, version, () => fresh);
      return fresh.known;
    },
    /** The run that a call of one of Pawl's tools is about. */
    async runOf(tool: string, input: Readonly<Record<string, unknown>>): Promise<string | null> {
      const { runOfCall } = await import("../runtime/open-scopes.ts");
      return withProject(wanted, (project) => runOfCall(project, tool, input));
    },
  };
}

async function withProject<T>(
  { environment, home, root }: Wanted,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const [{ allWorkflows, openProject }, { WORKFLOWS }] = await Promise.all([
    import("./app.ts"),
    import("../workflows/index.ts"),
  ]);
  const place = { root, home, environment, workflows: WORKFLOWS };
  const project = await openProject({ ...place, workflows: await allWorkflows(root, place, openProject) });
  try {
    return await work(project);
  } finally {
    await project.close();
  }
}

function readProject(wanted: Wanted): Promise<Kept> {
  const { root } = wanted;
  const stamps: Record<string, string> = {};
  // Before it is read: what changes while it is read is read again next time.
  const note = (path: string) => {
    stamps[path] ??= stampOf(root, path);
  };
  for (const path of [EVENTS, ...SETTINGS]) note(path);
  return withProject(wanted, async (project) => {
    const { openScopes } = await import("../runtime/open-scopes.ts");
    const store = noting(project.runtime.store, note);
    const runtime = { ...project.runtime, store };
    const settings = await runtime.settings(store.view());
    const workflows = settings.workflows.map((file) => file.replace(/^\.\//, ""));
    for (const file of workflows) note(file);
    const scopes = await openScopes({ runtime, workflows: project.workflows });
    return { known: { tasksFile: settings.bloom.tasks_file, workflows, scopes }, stamps };
  });
}

/** A store whose views tell what is read through them. */
function noting(store: Store, note: (path: string) => void): Store {
  return {
    ...store,
    view(): View {
      const view = store.view();
      return {
        read(path: ProjectPath) {
          note(path);
          return view.read(path);
        },
        list(folder: ProjectPath) {
          note(folder === "" ? "." : folder);
          return view.list(folder);
        },
        isCurrent: (paths) => view.isCurrent(paths),
        packaged: (path) => view.packaged(path),
      };
    },
  };
}
