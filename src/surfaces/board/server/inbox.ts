/** What waits for a person, in all projects. */
import { setTimeout } from "node:timers/promises";
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { RunOverview } from "../../../runtime/module.ts";
import type { Project } from "../../../runtime/project.ts";
import { isUnbegun, overview } from "../../../runtime/reports/overview.ts";
import { reviewOf } from "../../../runtime/review/load.ts";
import { inTurn, waitingIn } from "../../../runtime/review/queue.ts";
import type { Inbox, InboxItem, RunEntry, Runs } from "../wire.ts";
import type { BoardProject } from "./projects.ts";

/** At most this many reviews are prepared after an answer, for the next one. */
const MAX_AFTER = 20;
/**
 * Each review starts git several times, so it waits until no request has come for the first time, but at most the
 * second. Milliseconds.
 */
const QUIET_MILLISECONDS = 500;
const MAX_WAIT_MILLISECONDS = 5_000;
const MAX_KEPT = 1000;

/**
 * Omits projects that are unreadable, because the session names them. The time to read a gate's review is
 * known only once the review is made, which would delay the first view: so it is computed after the answer,
 * one by one, and included in the next.
 */
export function openInbox(projects: ReadonlyMap<string, BoardProject>): (now: Date) => Promise<Inbox> {
  const reviews = new BoundedMap<string, InboxItem["review"] | null>(MAX_KEPT);
  let isFinding = false;
  let askedAt = 0;
  const quiet = async () => {
    const end = performance.now() + MAX_WAIT_MILLISECONDS;
    while (performance.now() < Math.min(end, askedAt + QUIET_MILLISECONDS))
      await setTimeout(QUIET_MILLISECONDS / 5, undefined, { ref: false });
  };
  const find = async (items: readonly InboxItem[]) => {
    for (const item of items) {
      await quiet();
      const project = await projects.get(item.project)?.project();
      const review = project && (await reviewOf(project, item.run).catch(() => null));
      const { brief, size, version } = review ?? {};
      const found = size && brief && version !== undefined && { version, ...size, against: brief.against };
      reviews.set(keyOf(item), found ? found : null);
    }
  };
  const findAfter = async (items: readonly InboxItem[]) => {
    if (isFinding || items.length === 0) return;
    isFinding = true;
    // A project may be unreadable now: the next answer tries again.
    await find(items).catch(() => {});
    isFinding = false;
  };
  return async (now) => {
    askedAt = performance.now();
    const lists = await Promise.all([...projects.values()].map(waitingOf));
    const items = lists.flat().map((item): InboxItem => {
      const review = reviews.get(keyOf(item)) ?? undefined;
      return { ...item, minutes: item.minutes ?? review?.minutes ?? null, ...(review && { review }) };
    });
    const unknown = items.filter((item) => item.kind === "gate" && !reviews.has(keyOf(item)));
    void findAfter(unknown.slice(0, MAX_AFTER));
    return { items: inTurn(items, now) };
  };
}

/** Includes `since`, because a new submission waits since a new time. */
function keyOf({ project, run, since, state }: InboxItem): string {
  return JSON.stringify([project, run, state, since]);
}

async function waitingOf({ key, project }: BoardProject): Promise<readonly InboxItem[]> {
  const workflows = await project()
    .then(overview)
    .catch(() => []);
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
  const { run, title, state, awaits, next, order, since, problem } = overviewed;
  return {
    ...{ run, title, state, awaits, next, since, ...(order && { order }) },
    isBegun: !isUnbegun(overviewed),
    isGate: overviewed.awaits === "human" && overviewed.waitsFor === "gate",
    problem: problem ? { code: "state-unreadable", ...problem } : null,
  };
}
