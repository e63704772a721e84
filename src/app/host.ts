/** The five ports of a command's host. Their dependencies are loaded on first use. */
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { callingAgent } from "../adapters/agents/ancestry.ts";
import { openRedactor } from "../adapters/process/redact.ts";
import { type Environment, withoutOwnSecrets } from "../config/config.ts";
import { findRoot } from "../config/project-root.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import type { Caller, DeviceEvent } from "../core/event.ts";
import { masked } from "../core/text/masked.ts";
import type { Project, Workflows } from "../runtime/project.ts";
import { asCommandLine } from "../runtime/transaction/person.ts";
import type { Runtime } from "../runtime/transaction/run-transaction.ts";
import type {
  BoardOrder,
  MachinePort,
  PersonPort,
  ProjectsPort,
  RepositoriesPort,
  ServersPort,
  VerifyOrder,
} from "../surfaces/cli/line/command.ts";
import type { ControllingTerminal } from "../surfaces/cli/terminal/controlling-terminal.ts";
import { clean, type Terminal } from "../surfaces/cli/terminal/terminal.ts";
import type { Report } from "../verify/report.ts";
import { launchOf } from "./launch.ts";
import { allWorkflows, type ProjectOptions, packagedTexts } from "./open-project.ts";

export interface HostContext {
  readonly name: string;
  readonly version: string;
  readonly home: string;
  readonly environment: Environment;
  /** Throws `usage` if it no longer exists. */
  workingFolder(): string;
  readonly terminal: Terminal;
  /** The workflows that the program brings. */
  readonly shipped: Workflows;
  /** Those, and the surrounding project's own. */
  readonly workflows: Workflows;
  /** `--project` */
  readonly option: string | undefined;
  /** The search for agents among the ancestors stops before this process; default: none. */
  readonly until?: number | undefined;
  open(place: ProjectOptions): Promise<Project>;
}

export function projectsPort({
  environment,
  home,
  open,
  workflows,
  workingFolder,
}: HostContext): ProjectsPort {
  return {
    async open({ create = false, option, file } = {}) {
      const cwd = workingFolder();
      const tasksFile = file ?? environment.BLOOM_TASKS_FILE;
      const root = findRoot({ cwd, environment, option, tasksFile, create });
      return open({ root, home, environment, workflows, cwd, tasksFile });
    },
    ...(environment.PAWL_OUTBOX ? { post: posting(environment.PAWL_OUTBOX, environment) } : {}),
    async lastWords(root) {
      const { lastWords } = await import("../adapters/agents/dialects/last-words.ts");
      return (agentRun) => lastWords(root, agentRun);
    },
    leftovers: async (root) => (await import("../services/leftovers.ts")).openLeftovers(root, environment),
    imports: (root) => importsAt(root, environment, workingFolder()),
    async database() {
      const [{ openDatabase }, { DATABASE_URL }] = await Promise.all([
        import("../adapters/postgres/database.ts"),
        import("../core/ports/database.ts"),
      ]);
      // A short limit, since a person waits for the answer.
      return openDatabase({ url: environment[DATABASE_URL], limits: { reconnecting: 5_000 } });
    },
  };
}

export function personPort(
  { environment }: HostContext,
  agent: () => ReturnType<typeof callingAgent>,
  terminal: ControllingTerminal,
): PersonPort {
  const caller = callerBy(agent, terminal);
  return {
    caller: () => caller,
    async inRun(root) {
      const { callingRun } = await import("../adapters/agents/capability.ts");
      const run = callingRun(callerContext(root, environment));
      return run && { channel: "agent", who: run.run, task: run.task };
    },
    agent,
    terminal,
    edit: async (text, ending) =>
      (await import("../adapters/process/open-editor.ts")).openEditor(text, ending, environment),
    async keys(root) {
      const { configFolder, openKeys } = await import("../adapters/signatures/keys.ts");
      return openKeys(environment, { root, folder: configFolder(environment) });
    },
  };
}

export function machinePort({ environment, home, workingFolder }: HostContext): MachinePort {
  return {
    launch: () => launchOf({ home, cwd: workingFolder() }),
    inspect: async (root) => (await import("../services/machine.ts")).inspectMachine(root, environment),
    async agents(root, settings, untrusted = []) {
      const [{ openAgents }, { wallFor }, { scratchSetup }] = await Promise.all([
        import("../adapters/agents/agents.ts"),
        import("../adapters/wall/wall.ts"),
        import("./wall.ts"),
      ]);
      const place = callerContext(root ?? workingFolder(), withoutOwnSecrets(environment, settings));
      const setup = { root: place.projectRoot, environment, settings, programs: [] };
      const wallOf = (folder: string) => wallFor(scratchSetup(setup, folder));
      return openAgents({ ...place, agents: settings.agents ?? {}, untrusted, wallOf });
    },
    async wall(root, settings) {
      const [{ wallSetup }, { proveWall }] = await Promise.all([
        import("./wall.ts"),
        import("../adapters/wall/prove.ts"),
      ]);
      return proveWall(wallSetup({ root: root ?? workingFolder(), environment, settings, programs: [] }));
    },
    guard: async (root) => (await import("./guard-outside.ts")).openGuardOutside({ root, home, environment }),
    async situation(folder) {
      const [{ discover, realOr }, { homeOf }] = await Promise.all([
        import("../adapters/git/discover.ts"),
        import("../adapters/wall/homes.ts"),
      ]);
      return {
        isHome: realOr(folder) === realOr(homeOf(environment)),
        isInRepository: discover(folder) !== null,
      };
    },
    makeRepository: async (folder, files) =>
      (await import("../adapters/git/make-repository.ts")).makeRepository(folder, files, environment),
    clientPackages: async () => (await import("../services/client-packages.ts")).clientPackages(environment),
  };
}

export function repositoriesPort(context: HostContext): RepositoriesPort {
  const { environment, home, open, workflows } = context;
  return {
    open: (root) =>
      gitAt(root, environment, async () => (await open({ root, home, environment, workflows })).runtime),
    verify: (order) => verifyRange(context, order),
  };
}

export function serversPort(context: HostContext): ServersPort {
  const { environment, home, terminal, version } = context;
  return {
    board: (order) => boardOf(order, context),
    async metrics(project, at) {
      const { serveMetrics } = await import("../surfaces/board/server/metrics.ts");
      const found = { root: project.root, open: async () => project, tail: () => [] };
      return serveMetrics(found, at, environment.PAWL_METRICS_TOKEN || null);
    },
    async devices() {
      const [{ devicesFolder, recordDevice }, { openDevices }] = await Promise.all([
        import("./board.ts"),
        import("../adapters/devices/devices.ts"),
      ]);
      const devices = openDevices(devicesFolder(environment));
      const report = async (seen: DeviceEvent) => recordDevice(await projectsPort(context).open(), seen);
      return { ...devices, report };
    },
    async mcp(project, names) {
      // It lives as long as its client, and each agent has one: memory counts more than the last tenth of
      // speed.
      (await import("node:v8")).setFlagsFromString("--optimize-for-size --no-opt");
      const { serveStdin } = await import("../surfaces/mcp/serve-stdin.ts");
      const app = await clientAppOf(home, project.root, environment);
      return serveStdin(project, names, { version, app });
    },
    async mcpOverHttp(project, names, how) {
      const { serveHttp } = await import("../surfaces/mcp/serve-http.ts");
      const onError = (message: string) => terminal.err(`${message}\n`);
      const token = environment.PAWL_MCP_TOKEN || undefined;
      const context = { version, app: await clientAppOf(home, project.root, environment) };
      return serveHttp(project, names, { ...how, ...context, token, onError });
    },
  };
}

async function importsAt(root: string, environment: Environment, cwd: string) {
  const [{ openSources }, { openGitHubIssues }] = await Promise.all([
    import("../adapters/sources/sources.ts"),
    import("../adapters/forge/github-issues.ts"),
  ]);
  return { sources: openSources(root, cwd), issues: openGitHubIssues(environment) };
}

async function boardOf(order: BoardOrder, context: HostContext): Promise<NodeJS.Signals> {
  const { distinctRoots, serveBoard } = await import("./board.ts");
  const { environment, home, name, open, shipped, terminal, until, version } = context;
  const shared = { home, environment, workflows: shipped };
  return serveBoard(distinctRoots(order.folders, context.workingFolder(), environment), order, {
    ...{ home, environment, version, until },
    caller: { channel: "board", who: person() },
    open: async (root) => open({ ...shared, root, workflows: await allWorkflows(root, shared, open) }),
    onError: (message) => terminal.err(`${name}: ${clean(message)}\n`),
  });
}

async function clientAppOf(home: string, root: string, environment: Environment) {
  return (await import("./client-app.ts")).clientApp(home, root, environment);
}

async function gitAt(root: string, environment: Environment, runtime: () => Promise<Runtime>) {
  const [{ openRepositories }, { openWorktrees }] = await Promise.all([
    import("../adapters/git/repositories.ts"),
    import("../adapters/git/workspace/worktrees.ts"),
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

/** Git inspects a workspace behind the wall, if there is one. */
async function wallIn(root: string, environment: Environment, runtime: () => Promise<Runtime>) {
  const [{ openWall }, { wallSetup }] = await Promise.all([
    import("../adapters/wall/wall.ts"),
    import("./wall.ts"),
  ]);
  const { store, settings } = await runtime();
  const setup = wallSetup({ root, environment, settings: await settings(store.view()), programs: [] });
  return setup.settings.kind === "none" ? undefined : (openWall(setup).wall ?? undefined);
}

/** Needs no open project: a bare clone has none, and HEAD's files prove nothing. */
async function verifyRange(
  { environment, home, option, shipped, workingFolder }: HostContext,
  order: VerifyOrder,
): Promise<Report> {
  const [{ verify }, { discover }] = await Promise.all([
    import("./verification.ts"),
    import("../adapters/git/discover.ts"),
  ]);
  const cwd = workingFolder();
  const isBare = discover(cwd)?.top === null;
  const root = isBare ? null : existingRoot(option, environment, () => cwd);
  const folder = option === undefined ? (root ?? cwd) : resolve(cwd, option);
  return verify({ folder, environment, shipped, packaged: packagedTexts(join(home, "workflows")) }, order);
}

function posting(outbox: string, environment: Environment): NonNullable<ProjectsPort["post"]> {
  return async (call) => {
    const [{ postCall }, { CAPABILITY }] = await Promise.all([
      import("../adapters/agents/outbox.ts"),
      import("../adapters/agents/capability.ts"),
    ]);
    const said = masked(call, openRedactor(environment).text);
    postCall(outbox, { ...said, capability: environment[CAPABILITY] ?? null });
  };
}

function callerContext(projectRoot: string, environment: Environment) {
  return { projectRoot, stateFolder: stateFolder(projectRoot, environment), environment };
}

/** `option`: `--project`. */
export function existingRoot(
  option: string | undefined,
  environment: Environment,
  workingFolder: () => string,
): string | null {
  // Commands that need a project report why there is none.
  return attempt(
    () =>
      findRoot({
        cwd: workingFolder(),
        environment,
        option,
        tasksFile: environment.BLOOM_TASKS_FILE,
        create: false,
      }),
    null,
  );
}

/** Lazy: read-only commands never need it. */
function callerBy(agentHere: PersonPort["agent"], terminal: ControllingTerminal): Caller {
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
    // A user without an entry in the system's list has no name.
    return hostname();
  }
}
