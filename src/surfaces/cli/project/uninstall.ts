/**
 * `pawl uninstall`: removes from a project what Pawl created there, and nothing that a person wrote.
 *
 * U1  It removes exactly what it showed: the clients' files change in one commit, which fails if one has
 *     changed since.
 * U2  If it is interrupted at any point, a second call does the rest. The files that make the folder a
 *     project go last.
 * U3  Work stays unless everything is to go: what git shares, and any worktree with uncommitted changes.
 */
import { PawlError } from "../../../core/error.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { GUARDED_CLIENTS } from "../../../guard/clients.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { heldTasks } from "../../../workflows/bloom/lease.ts";
import { shownFolder } from "../bloom/worktrees.ts";
import { CLIENTS } from "../clients/client-names.ts";
import { CLIENT_FILES, type ClientName, type Launch } from "../clients/clients.ts";
import { entryIn } from "../clients/connect.ts";
import { disconnect, isOwnEntry } from "../clients/disconnect.ts";
import { takeOut } from "../guard/edit-setup.ts";
import { guardLaunch, placesIn } from "../guard/init.ts";
import { withoutGuard } from "../guard/setting.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { confirm, refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { isOwnPawlYaml } from "../work/init.ts";
import { changesOf, type FileEdit } from "./edit-files.ts";

export const uninstall: Run = async (host, call) => {
  const { all, client, dryRun, yes } = call.options;
  const wanted: Wanted = { client: client as string | undefined, all: all === true };
  const command = `pawl uninstall${wanted.client ? ` --client ${wanted.client}` : ""}${all ? " --all" : ""}`;
  if (dryRun !== true) refuseAgent(host, "remove Pawl from a project", command);
  // Even if the files that mark a project are gone, the rest may still be here.
  const project = await host.projects.open({ create: true });
  for (let count = 0; count < MAX_ASKED; count++) {
    const view = project.runtime.store.view();
    const plan = await planOf(host, project, view, wanted);
    const listed = render(plan, project.root);
    if (dryRun === true || isEmpty(plan)) return answer(plan, listed, false);
    await checkNobodyWorks(project);
    if (yes !== true) confirm(host, { message: `${listed}\nRemove all of this?`, command });
    if (!(await removeAll(host, project, view, plan))) continue;
    return answer(plan, `${render(plan, project.root, "Removed")}`, true);
  }
  throw new PawlError(
    "review-changed",
    "The files changed again each time while you read what would be removed. Nothing was removed.",
    "Close the programs that write the clients' files, then run the command again.",
  );
};

const MAX_ASKED = 5;

interface Wanted {
  /** Only what is in this client's files; undefined: everything. */
  readonly client: string | undefined;
  /** Records, tasks and working files, too. */
  readonly all: boolean;
}

type Edit = FileEdit & { readonly before: string };

interface Plan {
  readonly edits: readonly Edit[];
  readonly hooks: readonly string[];
  readonly worktrees: readonly { readonly repo: string; readonly branch: string; readonly folder: string }[];
  /** Folders and files that are removed whole, in this order. */
  readonly paths: readonly string[];
  /** Pawl's data about the project outside of it; null: none. */
  readonly stateFolder: string | null;
  /** What stays, and why. */
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

function isEmpty({ edits, hooks, paths, stateFolder, worktrees }: Plan): boolean {
  return stateFolder === null && [edits, hooks, paths, worktrees].every(({ length }) => length === 0);
}

async function planOf(host: Host, project: Project, view: View, wanted: Wanted): Promise<Plan> {
  const { edits, kept } = await clientEdits(host, view, wanted.client);
  if (wanted.client !== undefined)
    return { edits, kept, hooks: [], worktrees: [], paths: [], stateFolder: null };
  const outside = await host.machine.guard(project.root);
  const hooksState = await outside.gitHooks.inspect();
  const hooks =
    hooksState.kind === "left"
      ? []
      : hooksState.hooks.filter(({ guard }) => guard !== "none").map(({ path }) => path);
  const worktrees = await worktreesOf(host, project);
  const leftovers = await host.projects.leftovers(project.root);
  const files = await ownFiles(project, view, wanted.all);
  const there = files.paths.filter(({ path }) => leftovers.has(path));
  const pawl = await view.read(PAWL_YAML);
  const unguarded = pawl === null ? null : withoutGuard(pawl);
  const isGoing = there.some(({ path }) => path === PAWL_YAML);
  const work = worktrees.filter(({ left }) => left !== null);
  const isStateKept = work.length > 0;
  const paths = there.filter(({ path }) => !(isStateKept && path === CONTROL)).map(({ path }) => path);
  return {
    edits: [
      ...edits,
      ...(pawl === null || unguarded === null || isGoing || unguarded === pawl
        ? []
        : [{ path: PAWL_YAML, before: pawl, after: unguarded }]),
    ],
    hooks,
    worktrees: worktrees.filter(({ left }) => left === null),
    paths,
    stateFolder: isStateKept ? null : leftovers.stateFolder,
    kept: [
      ...kept,
      ...work.map(({ folder, left }) => ({ path: folder, why: left ?? "" })),
      ...(isStateKept ? [{ path: `${CONTROL}/`, why: "it belongs to these workspaces" }] : []),
      ...files.kept.filter(({ path }) => leftovers.has(path)),
    ],
  };
}

const CONTROL = ".pawl";
const PAWL_YAML = projectPath("pawl.yaml");

/** Edits that remove the server's entries and the guard from the clients' files. */
async function clientEdits(
  host: Host,
  view: View,
  client: string | undefined,
): Promise<Pick<Plan, "edits" | "kept">> {
  const edits = new Map<string, Edit>();
  const kept: { path: string; why: string }[] = [];
  const apply = (name: string, text: string | null, take: (text: string) => string | null) => {
    const before = edits.get(name)?.before ?? text;
    const now = edits.has(name) ? edits.get(name)?.after : text;
    if (before === null || now === null || now === undefined) return;
    try {
      const after = take(now);
      if (after !== before) edits.set(name, { path: name, before, after });
    } catch (thrown) {
      if (!(thrown instanceof PawlError)) throw thrown;
      kept.push({ path: name, why: thrown.message });
    }
  };
  const guarded = GUARDED_CLIENTS.filter((each) => client === undefined || each === client);
  for (const file of await placesIn(view, guardLaunch(host), guarded))
    apply(file.name, file.text, (text) => takeOut(file, text));
  for (const name of CLIENTS.filter((each) => client === undefined || each === client))
    for (const file of CLIENT_FILES[name].files) {
      const text = await view.read(projectPath(file));
      apply(file, text, (now) => disconnect(CLIENT_FILES[name], host.machine.launch() as Launch, file, now));
      if (text !== null && isEdited(name, host, file, text))
        kept.push({ path: file, why: "its entry `pawl` was edited: remove it yourself" });
    }
  const once = kept.filter(({ path }, at) => kept.findIndex((each) => each.path === path) === at);
  return { edits: [...edits.values()], kept: once };
}

function isEdited(name: ClientName, host: Host, file: string, text: string): boolean {
  try {
    const entry = entryIn(CLIENT_FILES[name], host.machine.launch() as Launch, file, text);
    return entry !== undefined && !isOwnEntry(CLIENT_FILES[name], entry);
  } catch {
    // Another check already reports that the file is unreadable.
    return false;
  }
}

async function worktreesOf(host: Host, { root }: Project) {
  const { worktrees } = await host.repositories.open(root);
  const paths = [];
  for (const worktree of await worktrees.list()) {
    const { uncommitted, unfinished } = await worktrees.state(worktree);
    const left =
      unfinished !== null
        ? `a ${unfinished} was begun there and not finished`
        : uncommitted.length > 0
          ? "something in it is not committed"
          : null;
    paths.push({ ...worktree, folder: shownFolder(worktree, root), left });
  }
  return paths;
}

/** Pawl's own files in the order of their removal, and what stays. */
async function ownFiles(
  project: Project,
  view: View,
  all: boolean,
): Promise<{ readonly paths: readonly { readonly path: string }[]; readonly kept: Plan["kept"] }> {
  const modules = await loadWorkflows(project.workflows);
  const owned = await Promise.all(modules.flatMap(({ files }) => (files ? [files()] : [])));
  const state = [CONTROL, ...owned.flatMap((each) => each.state)];
  const work = [...owned.flatMap((each) => each.work), ...(await tasksFile(project, view))];
  const written = [
    ...owned.flatMap((each) => Object.entries(each.written)),
    [PAWL_YAML, isOwnPawlYaml] as const,
  ];
  if (all)
    return {
      paths: [...state, ...work, ...written.map(([path]) => path)].map((path) => ({ path })),
      kept: [],
    };
  const hasRecords = await isProved(view);
  const unedited: { path: string }[] = [];
  const kept: { path: string; why: string }[] = [];
  for (const [path, isOwn] of written) {
    const text = await view.read(projectPath(path));
    if (text === null) continue;
    if (path === PAWL_YAML && hasRecords) kept.push({ path, why: "the records belong to its project_id" });
    else if (isOwn(path === PAWL_YAML ? withoutGuard(text) : text)) unedited.push({ path });
    else kept.push({ path, why: "a person edited it" });
  }
  const why = "it holds work; `--all` removes it, too";
  return {
    paths: [...state.map((path) => ({ path })), ...unedited],
    kept: [...kept, ...work.map((path) => ({ path, why }))],
  };
}

async function tasksFile({ runtime }: Project, view: View): Promise<readonly string[]> {
  try {
    return [(await runtime.settings(view)).bloom.tasks_file];
  } catch {
    // An unreadable pawl.yaml is a person's, and names no file.
    return [];
  }
}

/** Whether records refer to this project by its id. */
async function isProved(view: View): Promise<boolean> {
  const names = (await view.list(projectPath(".alfred"))).map(({ name }) => name);
  return names.includes("records") || names.includes("allowed_signers");
}

async function checkNobodyWorks({ runtime }: Project): Promise<void> {
  const held = await heldTasks(runtime.outside.leases, runtime.now().toISOString());
  if (held.size === 0) return;
  throw new PawlError(
    "project-busy",
    `Agents are at work in this project: ${[...held].join(", ")}. Nothing was changed.`,
    "End the loop with Ctrl-C, then run the command again.",
  );
}

/** Returns false if something has changed since it was shown; then nothing was removed. */
async function removeAll(host: Host, project: Project, view: View, plan: Plan): Promise<boolean> {
  const { store } = project.runtime;
  const changes = changesOf(plan.edits);
  if (changes.length > 0 && (await store.commit(view, changes)) === "changed") return false;
  if (changes.length === 0 && !(await store.holds(view))) return false;
  const outside = await host.machine.guard(project.root);
  await outside.openShells();
  if (plan.hooks.length > 0) await outside.gitHooks.uninstall();
  const { worktrees } = await host.repositories.open(project.root);
  // The branch goes to the person's repository first, so every commit is kept.
  for (const { branch, repo } of plan.worktrees) {
    await worktrees.leave(repo as ProjectPath, branch);
    await worktrees.remove({ branch, repo: repo as ProjectPath }, { into: branch, branch: false });
  }
  await store.settle();
  const removed = plan.edits.filter(({ after }) => after === null).map(({ path }) => path);
  const places = await host.projects.leftovers(project.root);
  places.remove({ paths: plan.paths, emptied: removed, state: plan.stateFolder !== null });
  return true;
}

function answer(plan: Plan, text: string, removed: boolean): Answer {
  return {
    text,
    data: { ...plan, edits: plan.edits.map(({ path, after }) => ({ path, whole: after === null })), removed },
  };
}

function render(plan: Plan, root: string, verb = "Removes"): string {
  const { edits, hooks, kept, paths, stateFolder, worktrees } = plan;
  const lines = [
    ...edits.map(({ after, path }) => (after === null ? path : `${path}: what Pawl put into it`)),
    ...hooks.map((path) => `${path}: the guard's lines`),
    ...worktrees.map(({ branch, folder }) => `${folder}: the branch ${branch} stays`),
    ...paths,
    ...(stateFolder === null ? [] : [`${stateFolder}: what Pawl keeps of this project outside of it`]),
  ];
  const stays = kept.map(({ path, why }) => `  ${path}: ${why}\n`);
  const first = isEmpty(plan)
    ? `Nothing of Pawl is left in ${root}.\n`
    : `${verb} from ${root}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
  return clean(`${first}${stays.length > 0 ? `Stays:\n${stays.join("")}` : ""}`);
}
