import { toPawlError } from "../../../core/error.ts";
import type { AgentFound } from "../../../core/ports/agents.ts";
import { agentsFor, type Settings } from "../../../core/settings.ts";
import type { Project } from "../../../runtime/project.ts";
import { eachTask, isOpenStatus } from "../../../tasks-file/task.ts";
import { allowedCommands } from "../../../workflows/bloom/allowed.ts";
import { tasksOf } from "../bloom/repo.ts";
import { isOpen as isWallOpen, openAgents } from "../clients/agents.ts";
import type { Host } from "../line/command.ts";
import { type Finding, fault, findingsOr, good, hint } from "./finding.ts";

/**
 * Checks each agent. It is a fault if one that open tasks need does not start; about the others it only
 * reports.
 */
export function agents(host: Host, project: Project | null, settings: Settings): Promise<readonly Finding[]> {
  return findingsOr("agents", async () => {
    const wanted = project ? await wantedBy(host, project, settings) : new Set<string>();
    const programs = project ? (await openAgents(host)).programs : await host.machine.agents(null, settings);
    const agents = await programs.survey(allowedCommands(settings.bloom.command));
    const missing = agents.filter(({ name, status }) => status === "missing" && !wanted.has(name));
    const unknown = [...wanted].filter((name) => agents.every((agent) => agent.name !== name));
    return [
      ...agents
        .filter((agent) => !missing.includes(agent))
        .map((agent) => findingOf(agent, wanted, programs)),
      ...unknown.map((name) =>
        fault(name, "tasks name it, and no such agent is known", { fix: words(programs, name) }),
      ),
      ...(missing.length > 0 ? [good("not installed", missing.map(({ name }) => name).join(", "))] : []),
    ];
  });
}

type Programs = Awaited<ReturnType<typeof openAgents>>["programs"];

function findingOf(agent: AgentFound, wanted: ReadonlySet<string>, programs: Programs): Finding {
  const { name, newerThan, recognised, status, version } = agent;
  const isWanted = wanted.has(name);
  const newer = newerThan === undefined ? "" : ` (newer than ${newerThan}, the newest that Pawl knows)`;
  if (status === "ready")
    return good(name, `${version ?? "starts"}${newer}; \`pawl config agents test ${name}\` asks its model`);
  if (status === "untried") return good(name, recognised);
  if (status === "untrusted")
    return hint(name, "nobody has trusted its program yet", { command: "pawl trust" });
  const mend = { fix: words(programs, name) };
  return isWanted ? fault(name, recognised, mend) : hint(name, recognised, mend);
}

function words(programs: Programs, name: string): string {
  return programs.missing(name) ?? "Install it anew; `pawl config agents` shows how it was recognised.";
}

/** The agents of tasks that are not closed. */
async function wantedBy(host: Host, project: Project, { bloom }: Settings): Promise<ReadonlySet<string>> {
  try {
    const tasks = eachTask(await tasksOf(project, host)).map(({ task }) => task);
    const open = tasks.filter(({ status }) => isOpenStatus(status));
    return new Set(open.flatMap((task) => agentsFor(task, bloom)));
  } catch (thrown) {
    // The check of the tasks reports what is wrong with the file.
    if (toPawlError(thrown).code === "internal") throw thrown;
    return new Set();
  }
}

export function wall(host: Host, project: Project | null, settings: Settings): Promise<readonly Finding[]> {
  return findingsOr("wall", async () => {
    const what = "wall";
    const wall = await host.machine.wall(project?.root ?? null, settings);
    if (wall.kind === "none") {
      if (settings.sandbox.kind === "none") return [good(what, "none, as `sandbox` says")];
      const none = `none is around agents: ${wall.why}`;
      const mend = {
        command: "pawl config agents",
        fix: "shows what it needs; docs/security.md says how to get one",
      };
      return [settings.sandbox.kind === "bwrap" ? fault(what, none, mend) : hint(what, none, mend)];
    }
    if (!isWallOpen(wall)) return [good(what, `${wall.kind}, and it holds`)];
    const through = wall.tried.filter(({ held }) => !held).map((each) => each.what);
    return [fault(what, `it lets through: ${through.join(", ")}`, { command: "pawl config agents" })];
  });
}
