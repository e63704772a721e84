/**
 * Updates the tracker about a task: its status, and where its plan is. Runs after the commit, checks before
 * it writes, and leaves failures to a later call. `tracker.json` records what the tracker knows.
 */
import { attempt } from "../../../core/attempt.ts";
import { PawlError, toPawlError } from "../../../core/error.ts";
import { checkId } from "../../../core/id.ts";
import type { Tracker } from "../../../core/ports/trackers.ts";
import type { TrackerSettings } from "../../../core/settings.ts";
import type { AfterCommit, Context, Reply, Transaction } from "../../../runtime/module.ts";
import { withFailure } from "../../../runtime/transaction/transaction.ts";
import { loadTaskIds } from "../state/load.ts";
import { missingTaskError } from "../state/missing-task.ts";
import { archiveFolder, archivePath, taskPath, trackerPath } from "../state/paths.ts";
import { loadState } from "../state/resolve-run.ts";
import type { TaskState } from "../state/state-file.ts";
import { isTracked, openTracker } from "../state/tracked.ts";

interface SyncInput {
  readonly id: string;
}

interface TrackerState {
  /** The last status written to the tracker. */
  readonly status: string | null;
  /** When the plan of the last comment was finished. */
  readonly plan: string | null;
}

interface LoadedSync {
  readonly sent: TrackerState;
  readonly wanted: TrackerState;
  readonly plan: string;
}

interface Gathered {
  readonly sent: TrackerState;
  readonly error: PawlError | null;
}

const NOTHING: TrackerState = { status: null, plan: null };

export const sync: Transaction<SyncInput, LoadedSync, Gathered, Reply> = {
  run: ({ id }) => `alfred:${checkId(id, "task id")}`,
  async read(view, { id }, context) {
    if (!isTracked(context)) throw untrackedError();
    if ((await view.read(taskPath(id))) === null) throw missingTaskError(id, await loadTaskIds(view));
    const sent = parseTrackerState(await view.read(trackerPath(id)));
    const state = await loadState(view, id);
    const archive = await view.list(archiveFolder(id));
    const file = archive.findLast(({ name }) => name.endsWith("-plan_task.md"))?.name;
    const path = file === undefined ? "" : archivePath(id, file);
    return {
      sent,
      wanted: wantedOf(state, sent, context),
      plan: linkTo(path, context.settings.alfred.tracker),
    };
  },
  async observe({ plan, sent, wanted }, { id }, outside, context) {
    let now = sent;
    try {
      const tracker = isSent(sent, wanted) ? null : await openTracker(outside, context);
      if (tracker)
        for await (const step of writeChanges(tracker, id, sent, wanted, plan)) now = { ...now, ...step };
      return { sent: now, error: null };
    } catch (thrown) {
      return { sent: now, error: toPawlError(thrown) };
    }
  },
  propose({ sent, wanted }, { error, sent: now }, { id }) {
    const isChanged = !isSent(sent, now);
    const done = [
      ...(now.status !== sent.status ? [`its status there is "${now.status}"`] : []),
      ...(now.plan !== sent.plan ? ["a comment says where its plan is"] : []),
    ];
    const text = error
      ? `The tracker could not be updated about '${id}': ${error.message} Pawl tries again later. ${error.fix}`
      : done.length > 0
        ? `The tracker was updated about '${id}': ${done.join("; ")}.`
        : `The tracker is up to date about '${id}'.`;
    return {
      reply: {
        text,
        data: { task_id: id, sent: now, pending: !isSent(now, wanted), changed: isChanged },
        ...(error && { refused: true as const }),
      },
      ...(isChanged && {
        changes: [
          { type: "write" as const, path: trackerPath(id), text: `${JSON.stringify(now, null, 2)}\n` },
        ],
      }),
    };
  },
};

function untrackedError(): PawlError {
  return new PawlError(
    "no-effect",
    "The project's tasks are its own (provider: local): there is no tracker to update.",
    "Nothing to do. Pawl updates a tracker if the configuration has `provider: jira`, `linear` or `github`.",
  );
}

/** Runs after a commit that may have changed something that the tracker must know. */
export function followedBySync(id: string, context: Context): AfterCommit<Reply> | undefined {
  if (!isTracked(context)) return undefined;
  return { plan: sync, input: { id }, merge, failed: withFailure };
}

/** Adds the update's result to the answer's message; adds nothing if there was nothing to update. */
function merge(reply: Reply, { data, refused, text }: Reply): Reply {
  if (refused !== true && data.changed !== true) return reply;
  const message = `${String(reply.data.message ?? "")} ${text}`.trim();
  return {
    ...reply,
    data: { ...reply.data, message, data: { ...(reply.data.data as object), tracker: data } },
  };
}

async function* writeChanges(
  tracker: Tracker,
  id: string,
  sent: TrackerState,
  wanted: TrackerState,
  plan: string,
): AsyncGenerator<Partial<TrackerState>> {
  if (wanted.status !== null && wanted.status !== sent.status) {
    await tracker.setStatus(id, wanted.status);
    yield { status: wanted.status };
  }
  if (wanted.plan !== null && wanted.plan !== sent.plan) {
    await tracker.comment(id, `plan of ${wanted.plan}`, `The plan is accepted: ${plan}`);
    yield { plan: wanted.plan };
  }
}

function wantedOf(state: TaskState, sent: TrackerState, { settings }: Context): TrackerState {
  const status = settings.alfred.tracker.statuses[state.task_status] ?? null;
  return {
    status: status ?? sent.status,
    plan: state.completed_tool_outputs.plan_task?.finished_at ?? null,
  };
}

const isSent = (sent: TrackerState, wanted: TrackerState): boolean =>
  sent.status === wanted.status && sent.plan === wanted.plan;

function linkTo(path: string, { link }: TrackerSettings): string {
  return link === null ? path : link.replaceAll("{path}", path);
}

/** An unreadable file counts as nothing reported, because reporting twice changes nothing. */
function parseTrackerState(text: string | null): TrackerState {
  if (text === null) return NOTHING;
  return attempt(() => {
    const { plan, status } = JSON.parse(text) as Partial<TrackerState>;
    return {
      status: typeof status === "string" ? status : null,
      plan: typeof plan === "string" ? plan : null,
    };
  }, NOTHING);
}
