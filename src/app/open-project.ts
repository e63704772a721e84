/** Opens a project: its files, configuration, trust, notices and loop, wired to the runtime. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../adapters/clock/new-id.ts";
import { openCache } from "../adapters/files/cache.ts";
import type { OnForeign } from "../adapters/files/journal/foreign.ts";
import { ownPath } from "../adapters/files/own-folder.ts";
import { readLinkedText } from "../adapters/files/plain-file.ts";
import { openStore, type StoreOptions } from "../adapters/files/store.ts";
import { tracksPawl } from "../adapters/git/tracked.ts";
import { openProjectRedactor } from "../adapters/process/included-secrets.ts";
import { openRedactor, type Redactor } from "../adapters/process/redact.ts";
import {
  type Configuration,
  type Environment,
  openConfiguration,
  readSurroundings,
  within,
} from "../config/config.ts";
import { openStateHome } from "../config/state-home.ts";
import { versionOf } from "../config/version.ts";
import { attempt } from "../core/attempt.ts";
import { EVENTS } from "../core/event.ts";
import { readOnce } from "../core/once.ts";
import { projectPath } from "../core/path.ts";
import type { Cache } from "../core/ports/cache.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { LoopPorts } from "../core/ports/loop.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { Change, Pending, Store, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import type { EventsOptions, Project, Trust, Workflows } from "../runtime/project.ts";
import type { Runtime } from "../runtime/transaction/run-transaction.ts";
import { lateScopeWatch } from "../services/guard/out-of-scope-edits.ts";
import { openNotices } from "../services/notices/notices.ts";
import { openTelemetry } from "../services/telemetry/telemetry.ts";
import type { TrustContext } from "../services/trust.ts";
import type { ProjectLocation } from "../services/with-project.ts";
import { lazyPort } from "./lazy-port.ts";
import { openOutside } from "./ports.ts";
import type { Shared } from "./shared-project.ts";

export interface ProjectOptions extends ProjectLocation {
  readonly workflows: Workflows;
  /** The caller's folder; default: the root. */
  readonly cwd?: string;
  /** tasks.yaml from `--file` or `$BLOOM_TASKS_FILE`. */
  readonly tasksFile?: string | undefined;
  /** Set by a program that opens the project as a library. */
  readonly trust?: Pick<TrustContext, "own" | "vouched">;
  /** Where the project's files are; default: in the folder. */
  readonly store?: Store | undefined;
  /** The program's file, which agents call; default: the one that was started. */
  readonly program?: string;
  /** Receives, as one line, a warning for the person; default: dropped. */
  readonly warn?: (line: string) => void;
}

/** The shipped workflows, and those of the surrounding project if there is one. */
export async function allWorkflows(
  root: string | null,
  place: Omit<ProjectOptions, "root">,
  open: (place: ProjectOptions) => Promise<Project>,
): Promise<Workflows> {
  const hasOwn = root !== null && (await isSet("workflows", root, settingsReader({ ...place, root })));
  if (root === null || !(hasOwn || existsSync(join(root, ".pawl", "runs")))) return place.workflows;
  const { withOwnWorkflows, withProgramRuns } = await import("../services/own-workflows.ts");
  const workflows = hasOwn
    ? await withOwnWorkflows(place.workflows, () => open({ ...place, root }))
    : place.workflows;
  return withProgramRuns(workflows, root);
}

function settingsReader({ environment, home, root }: ProjectOptions) {
  return openConfiguration(openCache(openStateHome(root, environment), versionOf(home)));
}

/** Opens the project at the root, after applying pending commits. */
export async function openProject(options: ProjectOptions): Promise<Project> {
  const { root, home, environment, workflows } = options;
  const { files, isFolder, ownFiles, untracked } = openFiles(options);
  const commits = noteCommits(untracked, (changes) => {
    notices.onCommit(changes);
    telemetry.onCommit(changes);
  });
  const surroundings = readSurroundings({ ...options, cwd: options.cwd ?? root });
  const cache = isFolder ? openCache(files.state, versionOf(home)) : NO_CACHE;
  const read = openConfiguration(cache);
  const settings = async (view: View) => within((await read(view)).settings, surroundings);
  const shared = await sharedOf(options, ownFiles, { read, settings: () => settings(ownFiles.view()) });
  const store = commits.noted(shared?.store ?? ownFiles);
  const present = () => settings(store.view());
  const trustPlace = { root, environment, view: () => store.view(), settings: present, ...options.trust };
  // Lazy: reading needs no trust.
  const trust: Trust = lazyPort(async () => (await import("../services/trust.ts")).openTrust(trustPlace));
  const notices = openNotices({ root, home, environment, settings: present, now: () => new Date() }, trust);
  const plain = async () => (await read(store.view())).settings;
  const ports = openOutside(root, environment, plain, trust, { isShared: shared !== null });
  const outside = shared ? { ...ports, leases: shared.leases, workers: shared.workers } : ports;
  const eventLog = isFolder ? lateEventLog(root, shared) : storeLog(store, commits.watch);
  const telemetry = openTelemetry({ ...options, newId, log: eventLog, version: () => versionOf(home) });
  const redactor = readOnce(() => redactorFor(root, environment));
  const runtime: Runtime = {
    ...{ store, outside, cache, settings, now: () => new Date(), newId },
    mask: (text) => redactor().text(text),
    ...(isFolder
      ? { scopeWatch: lateScopeWatch({ root, home, environment, project: () => ({ runtime, workflows }) }) }
      : {}),
  };
  return {
    ...{ root, workflows, trust, notices, runtime },
    lives: async (...asked) => (await import("../services/own-workflows.ts")).findLife(...asked),
    files: shared ? commits.noted(ownFiles) : store,
    ...(shared ? { database: shared.database } : {}),
    events: (options) => readProject(eventLog, store, options),
    eventLog,
    async openLoop() {
      await untracked();
      await trust.checkLoop();
      const { openLoopOutside } = await import("./loop-ports.ts");
      const settings = await present();
      const opened = openLoopOutside({
        ...{ root, environment, eventLog, lacksTrust: trust.lacking },
        settings: await pinnedSettings(outside, settings),
        launch: [process.execPath, options.program ?? process.argv[1] ?? ""],
        warn: (line) => options.warn?.(line),
        ...(shared ? { shared: await shared.loop(commits.noted) } : {}),
        ...(await telemetry.loop()),
      });
      return withOrders(opened, runtime, settings);
    },
    explainSettings: async () => (await read(store.view())).origins,
    ...journalOf(files),
    // Read-only commands skip settling, and do not wait for a lock.
    close: async () => {
      await notices.close();
      if (commits.any()) await store.settle();
      await telemetry.close();
      await shared?.close();
    },
  };
}

/** The loop also works on what agents have in the project's own workflows. */
async function withOrders(opened: LoopPorts, runtime: Runtime, settings: Settings): Promise<LoopPorts> {
  if (settings.workflows.length === 0) return opened;
  const [{ findLife, ownSources }, { driversOfOrders }] = await Promise.all([
    import("../services/own-workflows.ts"),
    import("../workflows/custom/agents/driver.ts"),
  ]);
  const others = await driversOfOrders(runtime, await ownSources(settings));
  return { ...opened, lives: findLife, ...(others.length > 0 && { others }) };
}

/** The project's files: in its folder, or in the store that a program brings. */
function openFiles(options: ProjectOptions) {
  const { root, home, environment } = options;
  const files = {
    root,
    packaged: packagedTexts(join(home, "workflows")),
    state: openStateHome(root, environment),
    editors: async () => ({ tasks: (await import("../tasks-file/edit.ts")).editTasks }),
    onPending: ({ message, fix }: Pending) => options.warn?.(`${message} ${fix}`),
    onForeign: (found: Parameters<OnForeign>[0]) => options.warn?.(foreignWarning(found)),
  };
  if (options.store !== undefined)
    return { files, isFolder: false, ownFiles: options.store, untracked: async () => {} };
  if (tracksPawl(root) === "yes") options.warn?.(TRACKED);
  return {
    files,
    isFolder: true,
    ownFiles: openStore(files),
    untracked: () => checkUntracked(root, environment),
  };
}

/** An agent, which has a run's capability, may say what is in its workspace. */
function redactorFor(root: string, environment: Environment): Redactor {
  const isAgents = environment.PAWL_RUN_CAPABILITY !== undefined;
  return isAgents ? openProjectRedactor(root, environment) : openRedactor(environment);
}

/** The wall around agents follows the pinned policy, as the loop's other settings do. */
async function pinnedSettings({ policies }: Outside, present: Settings): Promise<Settings> {
  const { LOOP, loopSettings } = await import("../workflows/bloom/govern.ts");
  return loopSettings((await policies?.find(LOOP)) ?? null, present);
}

async function checkUntracked(folder: string, environment: Environment): Promise<void> {
  if (tracksPawl(folder) === "no") return;
  await (await import("../adapters/git/workspace/planted.ts")).checkUntracked({ folder, environment });
}

function journalOf(files: StoreOptions): Pick<Project, "foreignJournal" | "repairJournal"> {
  return {
    async repairJournal() {
      const { repairJournal } = await import("../adapters/files/journal/repair.ts");
      return repairJournal(files);
    },
    async foreignJournal(kept) {
      const [{ openForeign }, { projectOf }] = await Promise.all([
        import("../adapters/files/journal/accept.ts"),
        import("../adapters/files/store.ts"),
      ]);
      return openForeign(projectOf(files), kept);
    },
  };
}

/** Null: everything is in this checkout's files. */
async function sharedOf(
  { environment, root }: ProjectOptions,
  files: Store,
  { read, settings }: { readonly read: SettingsReader; readonly settings: () => Promise<Settings> },
): Promise<Shared | null> {
  if (!(await isSet("stores", root, read))) return null;
  const present = await settings();
  if (present.stores.bloom === "files") return null;
  const { openShared } = await import("./shared-project.ts");
  return openShared({ root, environment, files, settings: present });
}

function lateEventLog(root: string, shared: Shared | null): () => Promise<EventLog> {
  return async () => {
    const { openEventLog } = await import("../adapters/events/event-log.ts");
    const files = openEventLog(ownPath(root, EVENTS));
    return shared ? shared.eventLog(files) : files;
  };
}

function storeLog(store: Store, watch: EventLog["watch"]): () => Promise<EventLog> {
  return async () => (await import("../adapters/memory/store-log.ts")).openStoreLog(store, watch);
}

async function* readProject(eventLog: () => Promise<EventLog>, store: Store, options?: EventsOptions) {
  const { readEvents } = await import("../adapters/events/read-events.ts");
  yield* readEvents(await eventLog(), { ...options, pending: () => pendingEvents(store) });
}

/** The event log as it will be, if the disk refuses to write it yet. */
async function pendingEvents(store: Store): Promise<string | null> {
  return (await store.catchUp()) === null ? null : store.view().read(EVENTS);
}

/** A warning about commits that were not applied. */
function foreignWarning({ kept, records }: Parameters<OnForeign>[0]): string {
  const what = `${records} ${records === 1 ? "commit" : "commits"} that this project did not make`;
  return kept === null
    ? `.pawl/journal holds ${what}; Pawl applies none of it. \`pawl repair\` shows what it would write.`
    : `.pawl/journal held ${what}; Pawl applied none of it and moved it to ${kept}. \`pawl repair\` shows what it would write.`;
}

const NO_CACHE: Cache = { get: async () => null, put: () => {} };

const TRACKED =
  "the repository tracks files of .pawl/, which belongs to Pawl: Pawl executes and commits nothing here until you remove them (`git rm -r --cached .pawl`).";

/** Wraps a store, and records commits through it. `check` runs before the first commit. */
function noteCommits(check: () => Promise<void>, onCommit: (changes: readonly Change[]) => void) {
  let committed = false;
  const listeners = new Set<() => void>();
  return {
    any: () => committed,
    watch(listener: () => void) {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    noted: (store: Store): Store => ({
      ...store,
      async commit(view, changes) {
        if (!committed) await check();
        committed = true;
        const result = await store.commit(view, changes);
        if (result === "committed") {
          onCommit(changes);
          for (const listener of listeners) listener();
        }
        return result;
      },
    }),
  };
}

export function packagedTexts(folder: string): (path: string) => Promise<string | null> {
  const known = new Map<string, string | null>();
  return async (path) => {
    const text = known.get(path);
    if (text !== undefined) return text;
    const read = readText(join(folder, projectPath(path)));
    known.set(path, read);
    return read;
  };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}

type SettingsReader = (view: Pick<View, "read">) => Promise<Configuration>;

const IS_SET = {
  stores: ({ stores }: Settings) => stores.bloom !== "files",
  workflows: ({ workflows }: Settings) => workflows.length > 0,
} as const;

/**
 * Whether pawl.yaml sets this, before the project's store is open: reads the file without the journal, because a
 * damaged journal must not keep `pawl repair` from starting. Of a file with faults, the part that can be parsed
 * counts; its reader reports the faults.
 */
async function isSet(key: keyof typeof IS_SET, root: string, read: SettingsReader): Promise<boolean> {
  const textOf = (path: string) => attempt(() => readLinkedText(join(root, path)), null);
  try {
    return IS_SET[key]((await read({ read: async (path) => textOf(path) })).settings);
  } catch {
    // An unknown key may be a misspelt `workflows`.
    return (
      key === "workflows" || (await import("../config/config-file.ts")).hasKey(textOf("pawl.yaml") ?? "", key)
    );
  }
}
