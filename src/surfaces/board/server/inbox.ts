/** What waits for a person, in all projects. */
import type { RunOverview } from "../../../runtime/module.ts";
import { isUnbegun, overview } from "../../../runtime/overview.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Inbox, InboxItem, RunEntry, Runs } from "../wire.ts";
import type { BoardProject } from "./projects.ts";

/** Those that cannot be opened are left out: the session names them. */
export async function inboxOf(projects: Iterable<BoardProject>): Promise<Inbox> {
  const found = await Promise.all(
    [...projects].map(async ({ key, project }) => {
      const opened = await project().catch(() => null);
      return opened === null ? [] : waitingIn(key, opened);
    }),
  );
  return { items: found.flat().sort(byAge) };
}

async function waitingIn(key: string, project: Project): Promise<readonly InboxItem[]> {
  const workflows = await overview(project).catch(() => []);
  return workflows
    .flatMap(({ runs }) => runs)
    .filter(({ awaits, problem }) => awaits === "human" || problem !== undefined)
    .map((run) => itemOf(key, run));
}

function itemOf(project: string, overviewed: RunOverview): InboxItem {
  const { run, title, state, next, since, command } = overviewed;
  return {
    ...{ project, run, title, state, next, since },
    kind: kindOf(overviewed),
    command: command ?? `pawl approve ${run}`,
    minutes: null,
  };
}

function kindOf({ problem, command, state }: RunOverview): InboxItem["kind"] {
  if (problem?.code === "state-tampered" || problem?.code === "policy-held") return "held";
  if (problem !== undefined) return "failed";
  if (command === undefined) return "gate";
  return state === "waiting_for_human" ? "question" : "blocked";
}

/** The oldest first; what has no time waits at the end. */
function byAge({ since: one }: InboxItem, { since: other }: InboxItem): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}

export async function runsOf(project: Project): Promise<Runs> {
  const workflows = await overview(project);
  return {
    workflows: workflows.map(({ name, title, runs, problem, warning }) => {
      const fault = problem ?? warning;
      return {
        ...{ name, title },
        problem: fault ? { code: "workflow-invalid", ...fault } : null,
        runs: runs.map(runEntry),
      };
    }),
  };
}

export function runEntry(overviewed: RunOverview): RunEntry {
  const { run, title, state, awaits, next, since, problem } = overviewed;
  return {
    ...{ run, title, state, awaits, next, since },
    isBegun: !isUnbegun(overviewed),
    problem: problem ? { code: "state-unreadable", ...problem } : null,
  };
}
