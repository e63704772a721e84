/** What waits for a person, in all projects. */
import type { RunOverview } from "../../../runtime/module.ts";
import { isUnbegun, overview } from "../../../runtime/overview.ts";
import type { Project } from "../../../runtime/project.ts";
import { inTurn, waitingIn } from "../../../runtime/review/queue.ts";
import type { Inbox, InboxItem, RunEntry, Runs } from "../wire.ts";
import type { BoardProject } from "./projects.ts";

/** Those that cannot be opened are left out: the session names them. */
export async function inboxOf(projects: Iterable<BoardProject>, now: Date): Promise<Inbox> {
  const found = await Promise.all(
    [...projects].map(async ({ key, project }) => {
      const opened = await project().catch(() => null);
      return opened === null ? [] : waitingOf(key, opened);
    }),
  );
  return { items: inTurn(found.flat(), now) };
}

/** What reading a gate's review takes is found when it is opened: making all reviews would keep the first view waiting. */
async function waitingOf(key: string, project: Project): Promise<readonly InboxItem[]> {
  const workflows = await overview(project).catch(() => []);
  const waiting = workflows.flatMap(({ runs }) => runs).flatMap(waitingIn);
  return waiting.map((each) => ({ project: key, ...each }));
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
