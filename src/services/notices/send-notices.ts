/**
 * Searches for causes, and sends each receiver notices of new ones.
 *
 * T1  One process of a project searches at a time. A process that finds the lock taken has set `ask`; the
 *     holder checks it again before it exits, so no request is lost.
 * T2  A cause is remembered once its notice has arrived. If the sender dies in between, the notice is sent
 *     twice, under the same id, by which a receiver can drop the second.
 * T3  Notices go only to receivers with the consent of a person on this machine, exactly as they are. A
 *     receiver with consent that was removed from pawl.yaml, or changed there, gets one last notice, so that
 *     it cannot be silenced unnoticed.
 */
import { openNoticeStore } from "../../adapters/notify/notice-store.ts";
import { openReceiver } from "../../adapters/notify/receivers.ts";
import { openStateHome } from "../../config/state-home.ts";
import { toPawlError } from "../../core/error.ts";
import type { Cause, ReceiverName } from "../../core/notice.ts";
import type { LoopRest, NoticeStore, Receiver, ReceiverMemory } from "../../core/ports/notify.ts";
import type { NotifySettings } from "../../core/settings.ts";
import { type AgreedNotice, agreedNotices, isTrusted, noticeEntry, receiversOf } from "../../core/trust.ts";
import type { Project } from "../../runtime/project.ts";
import {
  causesOf,
  type DueNotice,
  dueNotices,
  endedNotice,
  lastQuietEnd,
  quietEnd,
} from "../../runtime/reports/notices.ts";
import { overview } from "../../runtime/reports/overview.ts";
import { logFailure } from "../../runtime/transaction/run-transaction.ts";
import { heldTasks } from "../../workflows/bloom/lease.ts";
import type { ProjectLocation, WithProject } from "../with-project.ts";
import { noticeContext } from "./notices-context.ts";

export async function sendNotices(given: ProjectLocation, withProject: WithProject): Promise<void> {
  const store = openNoticeStore(openStateHome(given.root, given.environment));
  for (let lock = await store.tryLock(); lock !== null; lock = store.isAsked() ? await store.tryLock() : null)
    try {
      while (store.isAsked()) {
        store.takeAsked();
        // The next event repeats a failed search; `pawl status` reports the fault.
        await withProject(given, (project) => sendToAll(project, given, store)).catch(() => {});
      }
    } finally {
      lock.release();
    }
}

async function sendToAll(project: Project, given: ProjectLocation, store: NoticeStore): Promise<void> {
  const { runtime, trust } = project;
  const { notify } = await runtime.settings(runtime.store.view());
  const found = await findCauses(project, store.findRest());
  const { record } = await trust.status();
  const sending = { project, given, memory: openMemory(store), now: runtime.now() };
  await Promise.all([
    ...receiversOf(notify)
      .filter((name) => isTrusted(noticeEntry(name, notify), record))
      .map((name) => sendDue(sending, name, notify, found)),
    ...agreedNotices(record, notify).map((agreed) => sendEnd(sending, agreed)),
  ]);
}

interface Sending {
  readonly project: Project;
  readonly given: ProjectLocation;
  readonly memory: Memory;
  readonly now: Date;
}

async function sendDue(
  sending: Sending,
  name: ReceiverName,
  notify: NotifySettings,
  { causes, isWhole }: NoticeCauses,
): Promise<void> {
  const { given, memory, now } = sending;
  if (isWhole) memory.keepOnly(name, new Set(causes.map(({ key }) => key)));
  if (quietEnd(notify.quiet, now) !== null) return;
  const after = lastQuietEnd(notify.quiet, now);
  const { reported } = memory.of(name);
  const due = dueNotices(causes, notify.for, reported, after, noticeContext(given, now));
  await sendAll(sending, name, await openReceiver(name, notify, given), due);
}

async function sendEnd(sending: Sending, { name, settings, text }: AgreedNotice): Promise<void> {
  const { given, memory, now } = sending;
  const notice = endedNotice(text, noticeContext(given, now));
  memory.keepOnly(name, new Set(notice.keys));
  const isSent = notice.keys.some((key) => Object.hasOwn(memory.of(name).reported, key));
  if (isSent || quietEnd(settings.quiet, now) !== null) return;
  await sendAll(sending, name, await openReceiver(name, settings, given), [notice]);
}

interface NoticeCauses {
  readonly causes: readonly Cause[];
  /** Every workflow could be read. Otherwise a cause that was not found may still hold. */
  readonly isWhole: boolean;
}

/** The loop rests only if no worker holds a task. */
async function findCauses(project: Project, rest: LoopRest | null): Promise<NoticeCauses> {
  const { now, outside } = project.runtime;
  const workflows = await overview(project);
  const runs = workflows.flatMap((workflow) => workflow.runs);
  const held = rest === null ? new Set() : await heldTasks(outside.leases, now().toISOString());
  return {
    causes: causesOf(runs, held.size > 0 ? null : rest),
    isWhole: workflows.every(({ problem }) => !problem) && runs.every(({ problem }) => !problem),
  };
}

/** After a failure the rest waits for the next search, since the receiver is probably unreachable. */
async function sendAll(
  { memory, project: { runtime } }: Sending,
  name: ReceiverName,
  receiver: Receiver | null,
  due: readonly DueNotice[],
): Promise<void> {
  for (const { keys, notice } of due) {
    const before = memory.of(name);
    const time = runtime.now().toISOString();
    try {
      await receiver?.send(notice);
      const reported = { ...before.reported, ...Object.fromEntries(keys.map((key) => [key, time])) };
      memory.set(name, { reported, sent: time, fault: null });
    } catch (thrown) {
      const error = toPawlError(thrown);
      memory.set(name, { ...before, fault: { time, message: `${error.message} ${error.fix}` } });
      // Logs only the first of several failures.
      if (before.fault === null) await logFailure(runtime, "notice", error);
      return;
    }
  }
}

/** The receivers' notices. Written after each one. */
interface Memory {
  of(name: ReceiverName): ReceiverMemory;
  set(name: ReceiverName, memory: ReceiverMemory): void;
  /** Forgets causes that no longer hold. */
  keepOnly(name: ReceiverName, keys: ReadonlySet<string>): void;
}

const NOTHING: ReceiverMemory = { reported: {}, sent: null, fault: null };

function openMemory(store: NoticeStore): Memory {
  let known = store.load();
  const of = (name: ReceiverName) => ({ ...NOTHING, ...known[name] });
  const set = (name: ReceiverName, memory: ReceiverMemory) => {
    known = { ...known, [name]: memory };
    store.save(known);
  };
  return {
    of,
    set,
    keepOnly(name, keys) {
      const before = of(name);
      const all = Object.entries(before.reported);
      const reported = all.filter(([key]) => keys.has(key));
      if (reported.length < all.length) set(name, { ...before, reported: Object.fromEntries(reported) });
    },
  };
}
