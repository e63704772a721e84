/**
 * A process's part in notices: it records that there may be one, and starts the program that sends it, at
 * most once in a while. Loaded by every command, so it costs nothing until an event comes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MARK } from "../../adapters/agents/mark.ts";
import { stateFolder, TRUST_FILE } from "../../config/state-home.ts";
import { attempt } from "../../core/attempt.ts";
import type { LoopRest } from "../../core/ports/notify.ts";
import type { Change } from "../../core/ports/store.ts";
import { receiversOf } from "../../core/trust.ts";
import type { Notices, Trust } from "../../runtime/project.ts";
import { mayCauseNotice } from "../../runtime/reports/notice-events.ts";
import { eventIn } from "../committed.ts";
import type { NoticesContext } from "./notices-context.ts";

/** Several events of one moment cause one search. */
const SOON_MILLISECONDS = 300;

export type OpenNotices = Notices & {
  /** Takes committed changes. */
  onCommit(changes: readonly Change[]): void;
  /** Starts a pending search. */
  close(): Promise<void>;
};

export function openNotices(context: NoticesContext, trust: Trust): OpenNotices {
  // An agent's process has no secrets, and ends with its run. The loop reports its work.
  const isAgents = context.environment[MARK] !== undefined;
  let [mustSearch, hasWorked] = [false, false];
  let rest: LoopRest | null | undefined;
  let timer: NodeJS.Timeout | undefined;
  let morning: NodeJS.Timeout | undefined;
  const wake = () => {
    mustSearch = true;
    soon();
  };
  const soon = () => {
    if (!isAgents) timer ??= setTimeout(() => void flush(), SOON_MILLISECONDS).unref();
  };
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const order = { search: mustSearch, ...(rest === undefined ? {} : { rest }) };
    const hasOrder = mustSearch || rest !== undefined;
    mustSearch = false;
    rest = undefined;
    try {
      if (!hasOrder || !(await hasReceivers(context))) return;
      const wait = await (await import("./wake.ts")).wakeSender(context, order);
      clearTimeout(morning);
      if (wait > 0) morning = setTimeout(wake, wait).unref();
    } catch {
      // A failure must not disturb the work: the next event tries again.
    }
  };
  return {
    wake,
    onCommit(changes) {
      if (changes.some(mayCauseNoticeIn)) wake();
    },
    receive(event) {
      if (event.type !== "loop:progress") return;
      const { blocked, done, idle, open, waiting } = event;
      if (!idle) rest = null;
      else if (hasWorked) rest = { time: context.now().toISOString(), done, open, blocked, waiting };
      if (idle && hasWorked) wake();
      hasWorked = !idle;
      soon();
    },
    receivers: async () => (await import("./show.ts")).receiverStatuses(context, trust),
    test: async () => (await import("./show.ts")).testReceivers(context, trust),
    close: async () => (isAgents ? undefined : flush()),
  };
}

/**
 * Whether a receiver is named, or was consented to: one that was removed from pawl.yaml gets a last notice.
 */
async function hasReceivers({ environment, root, settings }: NoticesContext): Promise<boolean> {
  if (receiversOf((await settings()).notify).length > 0) return true;
  const record = join(stateFolder(root, environment), TRUST_FILE);
  return attempt(() => readFileSync(record, "utf8").includes('"kind": "notice"'), false);
}

function mayCauseNoticeIn(change: Change): boolean {
  const event = eventIn(change);
  return event !== null && attempt(() => mayCauseNotice(event), false);
}
