/** The composition root: environment and configuration → adapters → runtime → surfaces. */
import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename, join, resolve } from "node:path";
import { agentAround } from "../adapters/agents/ancestry.ts";
import { newId } from "../adapters/clock/new-id.ts";
import { openCache } from "../adapters/files/cache.ts";
import type { OnForeign } from "../adapters/files/foreign.ts";
import { ownPlace } from "../adapters/files/own-folder.ts";
import { openStore, type StoreOptions } from "../adapters/files/store.ts";
import { looksTracked } from "../adapters/git/tracked.ts";
import { openRedactor } from "../adapters/process/redact.ts";
import {
  type Environment,
  openConfiguration,
  readEnvironment,
  readSurroundings,
  within,
  withoutOwnSecrets,
} from "../config/config.ts";
import { findRoot, type RootWanted } from "../config/project-root.ts";
import { openStateHome, stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { type Caller, EVENTS } from "../core/event.ts";
import { masked } from "../core/masked.ts";
import { lookOnce } from "../core/once.ts";
import { projectPath } from "../core/path.ts";
import type { Database } from "../core/ports/database.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { Keys } from "../core/ports/signatures.ts";
import type { Change, Pending, Store, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import { asCommandLine } from "../runtime/person.ts";
import type { EventsOptions, Project, Trust, Workflows } from "../runtime/project.ts";
import type { Runtime } from "../runtime/run-transaction.ts";
import type { BoardOrder, Host, VerifyOrder } from "../surfaces/cli/command.ts";
import { CONTROLLING_TERMINAL, type ControllingTerminal } from "../surfaces/cli/controlling-terminal.ts";
import { readOwnOptions } from "../surfaces/cli/own-options.ts";
import { runProgram } from "../surfaces/cli/program.ts";
import { clean, openTerminal, type Terminal } from "../surfaces/cli/terminal.ts";
import type { Report } from "../verify/report.ts";
import { WORKFLOWS } from "../workflows/index.ts";
import { isSet, type SettingsReader } from "./early-settings.ts";
import { launchOf } from "./launch.ts";
import { openNotices } from "./notices.ts";
import { lateScopeWatch } from "./out-of-scope-edits.ts";
import { openOutside } from "./ports.ts";
import type { Shared } from "./shared-project.ts";
import { openTelemetry } from "./telemetry.ts";
import type { TrustPlace } from "./trust.ts";
import { versionOf } from "./version.ts";

export interface Start {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  /** The path by which the program was called. */
  readonly program: string;
  /**
   * The folder of the program's own files. It holds `workflows/` with the packaged texts; package.json is above it.
   */
  readonly home: string;
  readonly workflows?: Workflows;
  /** How far up the process's ancestors agents are searched; default: all the way. */
  readonly ancestry?: { readonly until?: number };
  /** Default: the present process. */
  readonly process?: HostProcess;
}

/** What the program uses of a process. A test passes a substitute. */
export interface HostProcess {
  readonly environment: Environment;
  workingFolder(): string;
  readonly terminal: Terminal;
  readonly controllingTerminal: ControllingTerminal;
}

function ownProcess(): HostProcess {
  const environment = readEnvironment();
  return {
    environment,
    workingFolder,
    terminal: openTerminal(environment),
    controllingTerminal: CONTROLLING_TERMINAL,
  };
}

/** The process. Its output never shows a secret that its environment holds. */
function processOf(start: Start): HostProcess {
  const { controllingTerminal, terminal, ...process } = start.process ?? ownProcess();
  const mask = openRedactor(process.environment).text;
  const shown: Pick<Terminal, "out" | "err"> = {
    out: (text) => terminal.out(mask(text)),
    err: (text) => terminal.err(mask(text)),
  };
  return {
    ...process,
    terminal: Object.create(terminal, Object.getOwnPropertyDescriptors(shown)),
    controllingTerminal: {
      isThere: () => controllingTerminal.isThere(),
      open() {
        const conversation = controllingTerminal.open();
        return conversation && { ...conversation, write: (text) => conversation.write(mask(text)) };
      },
    },
  };
}

function beyondFiles(
  environment: Environment,
  workingFolder: HostProcess["workingFolder"],
): Pick<Host, "database" | "imports"> {
  return {
    database: () => databaseOf(environment),
    imports: (root) => importsAt(root, environment, workingFolder()),
  };
}

async function databaseOf(environment: Environment): Promise<Database> {
  const [{ openDatabase }, { DATABASE_URL }] = await Promise.all([
    import("../adapters/postgres/database.ts"),
    import("../core/ports/database.ts"),
  ]);
  // A person waits, and would rather hear that it does not answer.
  return openDatabase({ url: environment[DATABASE_URL], limits: { reconnecting: 5_000 } });
}

async function importsAt(root: string, environment: Environment, cwd: string) {
  const [{ openSources }, { openGitHubIssues }] = await Promise.all([
    import("../adapters/sources/sources.ts"),
    import("../adapters/forge/github-issues.ts"),
  ]);
  const { GITHUB_TOKEN: token, GITHUB_API_URL: api } = environment;
  const issues = openGitHubIssues({ token, api, environment, now: Date.now });
  return { sources: openSources(root, cwd), issues };
}

/** Runs the command line and returns its exit code. */
export async function run(start: Start): Promise<number> {
  const { argv, program, home, workflows: shipped = WORKFLOWS, ancestry = {} } = start;
  const { environment, workingFolder, terminal, controllingTerminal } = processOf(start);
  const name = basename(program).replace(/\.[cm]?[jt]s$/, "") === "bloom" ? "bloom" : "pawl";
  const warn = warningOn(terminal, name);
  const opened: Project[] = [];
  const open = async (place: ProjectPlace) => {
    const project = await openProject({ ...place, warn });
    opened.push(project);
    return project;
  };
  const place = { home, environment, workflows: shipped };
  // The command itself is not read yet: the workflows define its verbs.
  const option = readOwnOptions(argv).projects.at(-1);
  const root = existingRoot(option, environment, workingFolder);
  const workflows = await allWorkflows(root, place, open);
  const agentHere = lookOnce(() => agentAround(environment, ancestry));
  const host: Host = {
    name,
    version: versionOf(home),
    terminal,
    controllingTerminal,
    workflows,
    caller: callerBy(agentHere, controllingTerminal),
    agent: agentHere,
    get launch() {
      return launchOf({ home, cwd: workingFolder() });
    },
    async project({ create = false, option, file } = {}) {
      const cwd = workingFolder();
      const tasksFile = file ?? environment.BLOOM_TASKS_FILE;
      const root = rootFor(environment, { cwd, option, tasksFile, create });
      return open({ root, home, environment, workflows, cwd, tasksFile });
    },
    ...(environment.PAWL_OUTBOX ? { post: posting(environment.PAWL_OUTBOX, environment) } : {}),
    async callerInRun(root) {
      const { runAround } = await import("../adapters/agents/capability.ts");
      const around = runAround(placeOf(root, environment));
      return around && { channel: "agent", who: around.run, task: around.task };
    },
    ...forAgents(environment, workingFolder),
    keys: (root) => ownKeys(root, environment),
    verify: (order) => verifyAround(option, workingFolder(), { ...place, workflows: shipped }, order),
    guard: async (root) => (await import("./guard-outside.ts")).openGuardOutside({ root, home, environment }),
    leftovers: async (root) => (await import("./leftovers.ts")).openLeftovers(root, environment),
    machine: async (root) => (await import("./machine.ts")).lookAtMachine(root, environment),
    clientPackages: async () => (await import("./client-packages.ts")).clientPackages(environment),
    git: (root) =>
      gitAt(root, environment, async () => (await open({ root, home, environment, workflows })).runtime),
    ...beyondFiles(environment, workingFolder),
    serveBoard: (order) => boardOf(order, { host, place, open, cwd: workingFolder(), until: ancestry.until }),
    async serve(project, names) {
      // It lives as long as its client, and each agent has one: memory counts more than the last tenth of speed.
      (await import("node:v8")).setFlagsFromString("--optimize-for-size --no-opt");
      const { serveStdin } = await import("../surfaces/mcp/serve-stdin.ts");
      const app = await clientAppOf(home, project.root, environment);
      return serveStdin(project, names, { version: host.version, app });
    },
    async serveHttp(project, names, how) {
      const { serveHttp } = await import("../surfaces/mcp/serve-http.ts");
      const onError = (message: string) => host.terminal.err(`${message}\n`);
      const token = environment.PAWL_MCP_TOKEN || undefined;
      const context = { version: host.version, app: await clientAppOf(home, project.root, environment) };
      return serveHttp(project, names, { ...how, ...context, token, onError });
    },
  };
  try {
    return await runProgram(argv, host);
  } finally {
    // Settling is never needed for correctness: if it fails here, the next process does it.
    for (const project of opened) await project.close().catch(() => {});
  }
}

async function boardOf(
  order: BoardOrder,
  around: {
    readonly host: Host;
    readonly place: Omit<ProjectPlace, "root">;
    readonly open: (place: ProjectPlace) => Promise<Project>;
    readonly cwd: string;
    readonly until: number | undefined;
  },
): Promise<NodeJS.Signals> {
  const { cwd, host, open, place, until } = around;
  const { distinctRoots, serveBoard } = await import("./board.ts");
  const { environment, home } = place;
  return serveBoard(distinctRoots(order.folders, cwd, environment), order, {
    ...{ home, environment, version: host.version, until },
    caller: { channel: "board", who: person() },
    open: async (root) => open({ ...place, root, workflows: await allWorkflows(root, place, open) }),
    onError: (message) => host.terminal.err(`${host.name}: ${clean(message)}\n`),
  });
}

async function clientAppOf(home: string, root: string, environment: Environment) {
  return (await import("./client-app.ts")).clientApp(home, root, environment);
}

async function gitAt(root: string, environment: Environment, runtime: () => Promise<Runtime>) {
  const [{ openRepositories }, { openWorktrees }] = await Promise.all([
    import("../adapters/git/repositories.ts"),
    import("../adapters/git/worktrees.ts"),
  ]);
  const filters = async () => {
    const { store, settings } = await runtime();
    return (await settings(store.view())).git.filters;
  };
  return {
    repositories: openRepositories(root, environment, filters),
    worktrees: openWorktrees(root, environment, { filters, wall: await wallIn(root, environment, runtime) }),
  };
}

/** Git looks at a workspace behind the wall, if there is one. */
async function wallIn(root: string, environment: Environment, runtime: () => Promise<Runtime>) {
  const [{ openWall }, { wallSetup }] = await Promise.all([
    import("../adapters/wall/wall.ts"),
    import("./wall.ts"),
  ]);
  const { store, settings } = await runtime();
  const setup = wallSetup({ root, environment, settings: await settings(store.view()), programs: [] });
  return setup.settings.kind === "none" ? undefined : (openWall(setup).wall ?? undefined);
}

function forAgents(
  environment: Environment,
  workingFolder: HostProcess["workingFolder"],
): Pick<Host, "agents" | "lastWords" | "wall"> {
  return {
    async lastWords(root) {
      const { lastWords } = await import("../adapters/agents/last-words.ts");
      return (agentRun) => lastWords(root, agentRun);
    },
    async agents(root, settings, untrusted = []) {
      const [{ openAgents }, { wallFor }, { scratchSetup }] = await Promise.all([
        import("../adapters/agents/agents.ts"),
        import("../adapters/wall/wall.ts"),
        import("./wall.ts"),
      ]);
      const place = placeOf(root ?? workingFolder(), withoutOwnSecrets(environment, settings));
      const setup = { root: place.projectRoot, environment, settings, programs: [] };
      const wallAround = (folder: string) => wallFor(scratchSetup(setup, folder));
      return openAgents({ ...place, agents: settings.agents ?? {}, untrusted, wallAround });
    },
    async wall(root, settings) {
      const [{ wallSetup }, { proveWall }] = await Promise.all([
        import("./wall.ts"),
        import("../adapters/wall/prove.ts"),
      ]);
      return proveWall(wallSetup({ root: root ?? workingFolder(), environment, settings, programs: [] }));
    },
  };
}

async function ownKeys(root: string, environment: Environment): Promise<Keys> {
  const { configFolder, openKeys } = await import("../adapters/signatures/keys.ts");
  return openKeys(environment, { root, folder: configFolder(environment) });
}

/** Needs no open project: a bare clone has none, and HEAD's files prove nothing. */
async function verifyAround(
  option: string | undefined,
  cwd: string,
  { environment, home, workflows: shipped }: Omit<ProjectPlace, "root">,
  order: VerifyOrder,
): Promise<Report> {
  const [{ verify }, { discover }] = await Promise.all([
    import("./verification.ts"),
    import("../adapters/git/discover.ts"),
  ]);
  const isBare = discover(cwd)?.top === null;
  const root = isBare ? null : existingRoot(option, environment, () => cwd);
  const folder = option === undefined ? (root ?? cwd) : resolve(cwd, option);
  return verify({ folder, environment, shipped, packaged: packagedTexts(join(home, "workflows")) }, order);
}

function posting(outbox: string, environment: Environment): NonNullable<Host["post"]> {
  return async (call) => {
    const [{ postCall }, { CAPABILITY }] = await Promise.all([
      import("../adapters/agents/outbox.ts"),
      import("../adapters/agents/capability.ts"),
    ]);
    const said = masked(call, openRedactor(environment).text);
    postCall(outbox, { ...said, capability: environment[CAPABILITY] ?? null });
  };
}

function placeOf(projectRoot: string, environment: Environment) {
  return { projectRoot, stateFolder: stateFolder(projectRoot, environment), environment };
}

/** Prints each warning as one line on standard error, once. */
function warningOn(terminal: Terminal, name: string): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (!told.has(line)) terminal.err(`${name}: warning: ${clean(line)}\n`);
    told.add(line);
  };
}

export interface ProjectPlace {
  readonly root: string;
  readonly home: string;
  readonly environment: Environment;
  readonly workflows: Workflows;
  /** The folder of the call; default: the root. */
  readonly cwd?: string;
  /** tasks.yaml from `--file` or `$BLOOM_TASKS_FILE`. */
  readonly tasksFile?: string | undefined;
  /** Set by a program that opens the project as a library. */
  readonly trust?: Pick<TrustPlace, "own" | "vouched">;
  /** The program's file, which agents call; default: the one that was started. */
  readonly program?: string;
  /** Receives, as one line, what a person should know besides any answer; default: nobody. */
  readonly warn?: (line: string) => void;
}

/** The shipped workflows, and those of the surrounding project if there is one. */
export async function allWorkflows(
  root: string | null,
  place: Omit<ProjectPlace, "root">,
  open: (place: ProjectPlace) => Promise<Project>,
): Promise<Workflows> {
  const hasOwn = root !== null && (await isSet("workflows", root, settingsReader({ ...place, root })));
  if (root === null || !(hasOwn || existsSync(join(root, ".pawl", "runs")))) return place.workflows;
  const { withOwnWorkflows, withProgramRuns } = await import("./own-workflows.ts");
  const workflows = hasOwn
    ? await withOwnWorkflows(place.workflows, () => open({ ...place, root }))
    : place.workflows;
  return withProgramRuns(workflows, root);
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new PawlError(
      "usage",
      "The shell's current folder no longer exists: it was removed or renamed.",
      "Change to an existing folder.",
      cause,
    );
  }
}

function settingsReader({ environment, home, root }: ProjectPlace) {
  return openConfiguration(openCache(openStateHome(root, environment), versionOf(home)));
}

function rootFor(environment: Environment, wanted: Omit<RootWanted, "environment" | "variable">): string {
  return findRoot({ ...wanted, environment, variable: environment.PAWL_PROJECT });
}

/** `option`: `--project`. */
function existingRoot(
  option: string | undefined,
  environment: Environment,
  workingFolder: HostProcess["workingFolder"],
): string | null {
  // Commands that need a project report why there is none.
  return attempt(
    () =>
      findRoot({
        cwd: workingFolder(),
        environment,
        option,
        variable: environment.PAWL_PROJECT,
        tasksFile: environment.BLOOM_TASKS_FILE,
        create: false,
      }),
    null,
  );
}

/** Opens the project at the root, after applying pending commits. */
export async function openProject(place: ProjectPlace): Promise<Project> {
  const { root, home, environment, workflows } = place;
  const packaged = packagedTexts(join(home, "workflows"));
  const files = {
    root,
    packaged,
    state: openStateHome(root, environment),
    editors: async () => ({ tasks: (await import("../tasks-file/edit.ts")).editTasks }),
    onPending: ({ message, fix }: Pending) => place.warn?.(`${message} ${fix}`),
    onForeign: (found: Parameters<OnForeign>[0]) => place.warn?.(foreignWarning(found)),
  };
  const untracked = () => checkUntracked(root, environment);
  if (looksTracked(root) === "yes") place.warn?.(TRACKED);
  const commits = noteCommits(untracked, (changes) => {
    notices.saw(changes);
    telemetry.saw(changes);
  });
  const ownFiles = openStore(files);
  const surroundings = readSurroundings({ ...place, cwd: place.cwd ?? root });
  const cache = openCache(files.state, versionOf(home));
  const read = openConfiguration(cache);
  const settings = async (view: View) => within((await read(view)).settings, surroundings);
  const shared = await sharedOf(place, ownFiles, { read, settings: () => settings(ownFiles.view()) });
  const store = commits.noted(shared?.store ?? ownFiles);
  const present = () => settings(store.view());
  const trust = lateTrust({ root, environment, view: () => store.view(), settings: present, ...place.trust });
  const notices = openNotices({ root, home, environment, settings: present, now: () => new Date() }, trust);
  const plain = async () => (await read(store.view())).settings;
  const ports = openOutside(root, environment, plain, trust, { isShared: shared !== null });
  const outside = shared ? { ...ports, leases: shared.leases, workers: shared.workers } : ports;
  const eventLog = lateEventLog(root, shared);
  const telemetry = openTelemetry({ ...place, newId, log: eventLog, version: () => versionOf(home) });
  const redactor = lookOnce(() => openRedactor(environment));
  const runtime: Runtime = {
    ...{ store, outside, cache, settings, now: () => new Date(), newId },
    mask: (text) => redactor().text(text),
    scopeWatch: lateScopeWatch({ root, home, environment, project: () => ({ runtime, workflows }) }),
  };
  return {
    ...{ root, workflows, trust, notices, runtime },
    files: shared ? commits.noted(ownFiles) : store,
    ...(shared ? { database: shared.database } : {}),
    events: (options) => (shared ? sharedEvents(eventLog, options) : fileEvents(root, store, options)),
    eventLog,
    async openLoop() {
      await untracked();
      await trust.checkLoop();
      const { openLoopOutside } = await import("./loop-ports.ts");
      return openLoopOutside({
        ...{ root, environment, eventLog, lacksTrust: trust.lacking },
        settings: within((await read(store.view())).settings, surroundings),
        launch: [process.execPath, place.program ?? process.argv[1] ?? ""],
        warn: (line) => place.warn?.(line),
        ...(shared ? { shared: await shared.loop(commits.noted) } : {}),
        ...(await telemetry.loop()),
      });
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

async function checkUntracked(folder: string, environment: Environment): Promise<void> {
  if (looksTracked(folder) === "no") return;
  await (await import("../adapters/git/planted.ts")).checkUntracked({ folder, environment });
}

function journalOf(files: StoreOptions): Pick<Project, "foreignJournal" | "repairJournal"> {
  return {
    async repairJournal() {
      const { repairJournal } = await import("../adapters/files/repair.ts");
      return repairJournal(files);
    },
    async foreignJournal(kept) {
      const [{ openForeign }, { projectOf }] = await Promise.all([
        import("../adapters/files/accept.ts"),
        import("../adapters/files/store.ts"),
      ]);
      return openForeign(projectOf(files), kept);
    },
  };
}

/** Null: everything is in this checkout's files. */
async function sharedOf(
  { environment, root }: ProjectPlace,
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
    const files = openEventLog(ownPlace(root, EVENTS));
    return shared ? shared.eventLog(files) : files;
  };
}

async function* fileEvents(root: string, store: Store, options?: EventsOptions) {
  const { readEvents } = await import("../adapters/events/read-events.ts");
  yield* readEvents(ownPlace(root, EVENTS), { ...options, pending: () => pendingEvents(store) });
}

async function* sharedEvents(eventLog: () => Promise<EventLog>, options?: EventsOptions) {
  const { readLogEvents } = await import("../adapters/routed/read-events.ts");
  yield* readLogEvents(await eventLog(), options);
}

/** The event log as it will be, if the disk refuses to write it yet. */
async function pendingEvents(store: Store): Promise<string | null> {
  return (await store.catchUp()) === null ? null : store.view().read(EVENTS);
}

/** Loaded when something is to be started: reading needs no trust. */
function lateTrust(place: TrustPlace): Trust {
  const open = async () => (await import("./trust.ts")).openTrust(place);
  return {
    look: async () => (await open()).look(),
    checkCommand: async (command) => (await open()).checkCommand(command),
    checkLoop: async () => (await open()).checkLoop(),
    lacking: async (task) => (await open()).lacking(task),
    checkAgent: async (name) => (await open()).checkAgent(name),
    accept: async (entries, by) => (await open()).accept(entries, by),
    acceptAgent: async (name, by) => (await open()).acceptAgent(name, by),
    revoke: async () => (await open()).revoke(),
  };
}

/** A warning about commits that were found and not applied. */
function foreignWarning({ kept, records }: Parameters<OnForeign>[0]): string {
  const what = `${records} ${records === 1 ? "commit" : "commits"} that this project did not make`;
  return kept === null
    ? `.pawl/journal holds ${what}; Pawl applies none of it. \`pawl repair\` shows what it would write.`
    : `.pawl/journal held ${what}; Pawl applied none of it and moved it to ${kept}. \`pawl repair\` shows what it would write.`;
}

const TRACKED =
  "the repository tracks files of .pawl/, which belongs to Pawl: Pawl executes and commits nothing here until you remove them (`git rm -r --cached .pawl`).";

/** Stores, and whether anything was committed through one of them. `check` runs before the first commit. */
function noteCommits(check: () => Promise<void>, saw: (changes: readonly Change[]) => void) {
  let committed = false;
  return {
    any: () => committed,
    noted: (store: Store): Store => ({
      ...store,
      async commit(view, changes) {
        if (!committed) await check();
        committed = true;
        const result = await store.commit(view, changes);
        if (result === "committed") saw(changes);
        return result;
      },
    }),
  };
}

function packagedTexts(folder: string): (path: string) => Promise<string | null> {
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

/** Looked at when somebody asks: most commands that only show something never do. */
function callerBy(agentHere: Host["agent"], terminal: ControllingTerminal): Caller {
  return asCommandLine({
    get channel() {
      if (agentHere() !== null) return "agent";
      return terminal.isThere() ? "terminal" : "script";
    },
    get who() {
      const agent = agentHere();
      return agent === null ? person() : `${person()} (${agent.agent})`;
    },
  });
}

function person(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user who is not in the system's list has no name.
    return hostname();
  }
}
