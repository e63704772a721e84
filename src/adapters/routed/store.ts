/**
 * Two stores as one: each path and each run's lock belongs to the files of this checkout or to the shared
 * store of several machines.
 *
 * T1  A commit writes to one of the two, and only while what was read of the other still holds.
 * T2  Optional changes of the other side (a copy, a file that is no longer needed) follow a shared commit,
 *     and never undo it.
 */
import { PawlError } from "../../core/error.ts";
import { EVENTS } from "../../core/event.ts";
import { once } from "../../core/once.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, Entry, Store, View } from "../../core/ports/store.ts";

export interface Routes {
  isShared(path: string): boolean;
  isSharedRun(run: string): boolean;
  /** Whether the folder may contain shared documents. */
  leadsToShared(folder: string): boolean;
  /** Whether a shared commit may make this change to the files afterwards, or skip it. */
  mayFollow(change: Change): boolean;
  /** Whether a shared document is copied into the files of the checkout in which it was written. */
  isCopied(path: string): boolean;
}

interface RoutedViews {
  readonly files: View;
  /** Null: nothing shared was read. */
  shared: View | null;
}

/** `shared` is called on first need. */
export function openRoutedStore(files: Store, shared: () => Promise<Store>, routes: Routes): Store {
  const viewsOf = new WeakMap<View, RoutedViews>();
  const viewsIn = (view: View): RoutedViews => {
    const views = viewsOf.get(view);
    if (views !== undefined) return views;
    throw new PawlError("internal", "This store got a view of another store.", "Report this.");
  };
  const sharedHolds = async ({ shared: read }: RoutedViews) => read === null || (await shared()).holds(read);

  const commitShared = async (views: RoutedViews, { follow, shared: changes }: PartedChanges) => {
    if (!(await files.holds(views.files))) return "changed";
    const store = await shared();
    const done = await store.commit(views.shared ?? store.view(), changes);
    const copies = changes.filter((change) => change.type === "write" && routes.isCopied(change.path));
    const after = [...follow, ...copies];
    // Optional: the shared commit has been made.
    if (done === "committed" && after.length > 0) await files.commit(files.view(), after).catch(() => {});
    return done;
  };

  return {
    view() {
      const views: RoutedViews = { files: files.view(), shared: null };
      const view = openView(views, shared, routes);
      viewsOf.set(view, views);
      return view;
    },
    hold: async (run) => (routes.isSharedRun(run) ? await shared() : files).hold(run),
    holds: async (view) => {
      const views = viewsIn(view);
      return (await files.holds(views.files)) && (await sharedHolds(views));
    },
    async commit(view, changes) {
      const views = viewsIn(view);
      const parted = part(changes, routes);
      if (parted.shared.length > 0) return commitShared(views, parted);
      return (await sharedHolds(views)) ? files.commit(views.files, changes) : "changed";
    },
    catchUp: () => files.catchUp(),
    pending: () => files.pending(),
    log: (path, line) => files.log(path, line),
    settle: () => files.settle(),
  };
}

function openView(views: RoutedViews, shared: () => Promise<Store>, routes: Routes): View {
  const open = once(async () => (await shared()).view());
  // A failed read counts as none, so that a commit to the files does not depend on it.
  const through = async <T>(read: (view: View) => Promise<T>): Promise<T> => {
    const opened = await open();
    const found = await read(opened);
    views.shared = opened;
    return found;
  };
  return {
    read: async (path) =>
      routes.isShared(path) ? through((view) => view.read(path)) : views.files.read(path),
    lastLine: async (path) =>
      routes.isShared(path) ? through((view) => view.lastLine(path)) : views.files.lastLine(path),
    async list(folder: ProjectPath) {
      const entries = await views.files.list(folder);
      if (!routes.leadsToShared(folder)) return entries;
      return merged(entries, await through((view) => view.list(folder)), folder, routes);
    },
    async isCurrent(paths) {
      const shared = paths.filter((path) => routes.isShared(path));
      const others = paths.filter((path) => !routes.isShared(path));
      if (shared.length > 0 && views.shared !== null && !(await views.shared.isCurrent(shared))) return false;
      return views.files.isCurrent(others);
    },
    packaged: (path) => views.files.packaged(path),
  };
}

/** Takes each name from the side to which it belongs: a file in the other's place does not count. */
function merged(
  files: readonly Entry[],
  shared: readonly Entry[],
  folder: string,
  routes: Routes,
): readonly Entry[] {
  const pathOf = ({ name }: Entry) => (folder === "" ? name : `${folder}/${name}`);
  const found = new Map<string, Entry>();
  for (const entry of files) if (!routes.isShared(pathOf(entry))) found.set(entry.name, entry);
  for (const entry of shared) {
    const path = pathOf(entry);
    const counts = entry.kind === "file" ? routes.isShared(path) : routes.leadsToShared(path);
    if (counts) found.set(entry.name, entry);
  }
  return [...found.values()].sort((one, other) =>
    one.name < other.name ? -1 : Number(one.name > other.name),
  );
}

interface PartedChanges {
  /** The shared changes, with the events. Empty: there are none. */
  readonly shared: readonly Change[];
  /** The optional changes of the files, made after the shared commit. */
  readonly follow: readonly Change[];
}

function part(changes: readonly Change[], routes: Routes): PartedChanges {
  const sharedChanges = changes.filter((change) => isSharedChange(change, routes));
  if (sharedChanges.length === 0) return { shared: [], follow: [] };
  const [events, others] = [[] as Change[], [] as Change[]];
  for (const change of changes)
    if (!sharedChanges.includes(change))
      (change.type !== "move" && change.path === EVENTS ? events : others).push(change);
  const split = others.find((change) => !routes.mayFollow(change));
  if (split !== undefined) throw mixedChangesError(split);
  return { shared: [...sharedChanges, ...events], follow: others };
}

function isSharedChange(change: Change, routes: Routes): boolean {
  if (change.type !== "move") return routes.isShared(change.path);
  if (routes.isShared(change.from) !== routes.isShared(change.to)) throw mixedChangesError(change);
  return routes.isShared(change.from);
}

function mixedChangesError(change: Change): PawlError {
  const path = change.type === "move" ? change.from : change.path;
  return new PawlError(
    "internal",
    `A change set has ${path}, which is in this checkout, together with what the database keeps: they cannot be committed at once.`,
    "Report this with the command that was run.",
  );
}
