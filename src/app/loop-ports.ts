/** The adapters behind the work loop: agents, commands, worktrees, pull requests, leases and changes. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { openAgents } from "../adapters/agents/agents.ts";
import { openCommands } from "../adapters/agents/commands.ts";
import { MARK, markValue } from "../adapters/agents/mark.ts";
import type { AgentsSetup } from "../adapters/agents/setup.ts";
import { openSupervisor } from "../adapters/agents/supervisor.ts";
import { systemClock } from "../adapters/clock/system-clock.ts";
import { openLeaseManager } from "../adapters/files/lease-manager.ts";
import { writeOwnFile } from "../adapters/files/own-folder.ts";
import { openWatch } from "../adapters/files/watch.ts";
import { openWorkspaceFiles } from "../adapters/git/workspace/left-out.ts";
import { openWorktrees } from "../adapters/git/workspace/worktrees.ts";
import { openFreePorts } from "../adapters/process/free-ports.ts";
import { openSetups } from "../adapters/setup/setup.ts";
import { wallFor } from "../adapters/wall/wall.ts";
import { type Environment, withoutOwnSecrets } from "../config/config.ts";
import { machineFolder, stateFolder } from "../config/state-home.ts";
import type { Agents } from "../core/ports/agents.ts";
import type { CommandOrder, Commands } from "../core/ports/commands.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { LoopPorts } from "../core/ports/loop.ts";
import type { PullRequests } from "../core/ports/pull-requests.ts";
import type { Store } from "../core/ports/store.ts";
import type { Watch } from "../core/ports/watch.ts";
import type { Settings } from "../core/settings.ts";
import { shellWord } from "../core/text/shell-word.ts";
import type { TraceparentOf } from "../services/telemetry/telemetry.ts";
import { lazyPort } from "./lazy-port.ts";
import { NO_WALL, wallSetup } from "./wall.ts";

export interface LoopContext {
  readonly root: string;
  readonly environment: Environment;
  readonly settings: Settings;
  /** The command line that starts this program. */
  readonly launch: readonly string[];
  readonly warn?: (line: string) => void;
  readonly lacksTrust?: LoopPorts["lacksTrust"];
  /** Absent: tracing is off. */
  readonly traceparentOf?: TraceparentOf;
  /** Present: other machines work on the tasks, too. */
  readonly shared?: SharedLoop;
  readonly eventLog: () => Promise<EventLog>;
}

export interface SharedLoop
  extends Pick<LoopPorts, "leaseManager" | "watch">,
    Required<Pick<LoopPorts, "workers">> {
  /** This machine and the place on it where it works. */
  readonly host: string;
  fenced(lease: string): Store;
}

/** Throws `wall-missing`. */
export function openLoopOutside(context: LoopContext): LoopPorts {
  const { root, environment, settings, launch, shared } = context;
  const { agents = {}, bloom, git } = settings;
  const { noWall, ...wall } = wallFor(wallSetup({ root, environment, settings, programs: launch }));
  if (noWall !== undefined) context.warn?.(`${NO_WALL}: ${noWall}.`);
  const watch = openWatch(root, bloom.tasks_file);
  const supervisor = openSupervisor(root);
  shared?.leaseManager.onProlonged?.(supervisor.endIn);
  const marked = {
    ...withoutOwnSecrets(environment, settings),
    [MARK]: markValue(supervisor.mark, environment[MARK]),
  };
  const own = {
    PAWL_PROJECT: root,
    BLOOM_TASKS_FILE: join(root, bloom.tasks_file),
    PATH: [join(root, BIN), environment.PATH ?? ""].join(delimiter),
  };
  return {
    ports: {
      agents: agentsOf(context, {
        environment: marked,
        agents,
        ...wall,
        ...(noWall === undefined ? {} : { noWall }),
      }),
      commands: tracedCommands(
        openCommands({
          projectRoot: root,
          environment: marked,
          names: [...settings.environment, ...bloom.environment],
          lasting: withoutOwnSecrets(environment, settings),
          hasSetup: Object.keys(settings.setup).length > 0,
          ...wall,
        }),
        context.traceparentOf,
      ),
      setups: openSetups(root, openWorkspaceFiles(root, environment, wall.wall)),
      freePorts: openFreePorts(machineFolder(environment, "ports")),
      worktrees: openWorktrees(root, environment, {
        filters: async () => git.filters,
        wall: wall.wall,
        fence: { kind: git.fence, project: settings.project_id ?? "" },
      }),
      pullRequests: forgeOf(context),
      root: { agentPath: root },
      environment: own,
      ...(shared ? { host: shared.host } : {}),
    },
    leaseManager: shared?.leaseManager ?? openLeaseManager(root),
    watch: shared ? bothWatches(watch, shared.watch) : watch,
    ...(shared ? { fenced: shared.fenced, workers: shared.workers } : {}),
    clock: systemClock,
    ...(context.lacksTrust ? { lacksTrust: context.lacksTrust } : {}),
    isWalled: wall.wall !== undefined,
    ...(shared
      ? {}
      : {
          endedHere: async (items) =>
            (await import("../workflows/bloom/ended-in-log.ts")).endedInLog(await context.eventLog(), items),
        }),
    close: supervisor.close,
  };
}

/** Changes in the files of this checkout, and elsewhere. */
function bothWatches(one: Watch, other: Watch): Watch {
  return {
    onChange(heard) {
      const both = [one.onChange(heard), other.onChange(heard)];
      return { close: () => both.forEach((each) => void each.close()) };
    },
  };
}

function agentsOf(
  { root, environment, launch, shared, traceparentOf }: LoopContext,
  setup: Pick<AgentsSetup, "environment" | "agents" | "noWall" | "wall">,
): Agents {
  const agents = openAgents({
    projectRoot: root,
    stateFolder: stateFolder(root, environment),
    isShared: shared !== undefined,
    ...setup,
  });
  return withPrograms(root, launch, traced(agents, traceparentOf));
}

/** Gives each agent the span of its run, for its own tracing. */
function traced(agents: Agents, traceparentOf: LoopContext["traceparentOf"]): Agents {
  if (!traceparentOf) return agents;
  return {
    ...agents,
    start: (order, hear) => agents.start(withParent(order, "agent", traceparentOf), hear),
  };
}

function tracedCommands(commands: Commands, traceparentOf: LoopContext["traceparentOf"]): Commands {
  if (!traceparentOf) return commands;
  return { ...commands, run: (order) => commands.run(withParent(order, "check", traceparentOf)) };
}

function withParent<Order extends Pick<CommandOrder, "environment" | "run" | "task">>(
  order: Order,
  kind: "agent" | "check",
  traceparentOf: NonNullable<LoopContext["traceparentOf"]>,
): Order {
  const TRACEPARENT = order.task === undefined ? null : traceparentOf(order.task, kind, order.run);
  return TRACEPARENT === null ? order : { ...order, environment: { ...order.environment, TRACEPARENT } };
}

/** Few projects have pull requests. */
function forgeOf({ environment, root, warn }: LoopContext): PullRequests {
  return lazyPort(async () => {
    const { openPullRequests } = await import("../adapters/forge/pull-request.ts");
    return openPullRequests({ projectRoot: root, environment, warn });
  });
}

const BIN = ".pawl/bin";

/**
 * Gives each agent `bloom` and `pawl`: they start this program, even if another one has that name. An agent
 * without a wall may remove them, as `git clean -fdx` does: the next one has them again.
 */
function withPrograms(root: string, launch: readonly string[], agents: Agents): Agents {
  const script = `#!/bin/sh\nexec ${launch.map(shellWord).join(" ")} "$@"\n`;
  const write = (isThere: (path: string) => boolean) => {
    for (const path of ["bloom", "pawl"].map((name) => `${BIN}/${name}`)) {
      if (!isThere(join(root, path))) writeOwnFile(root, path, script, 0o755);
    }
  };
  write(() => false);
  return {
    ...agents,
    start(order, hear) {
      write(existsSync);
      return agents.start(order, hear);
    },
  };
}
