/** `pawl config notify`: the state of the receivers, and a test of each. */

import { openNoticeStore } from "../../adapters/notify/notice-store.ts";
import { openReceiver } from "../../adapters/notify/receivers.ts";
import { openStateHome } from "../../config/state-home.ts";
import { PawlError, toPawlError } from "../../core/error.ts";
import { isObject } from "../../core/json.ts";
import type { ReceiverName } from "../../core/notice.ts";
import type { NotifySettings } from "../../core/settings.ts";
import { isTrusted, noticeEntry, receiversOf } from "../../core/trust.ts";
import type { ReceiverStatus, ReceiverTest, Trust } from "../../runtime/project.ts";
import { testNotice } from "../../runtime/reports/notices.ts";
import { type NoticesContext, noticeContext } from "./notices-context.ts";

export async function receiverStatuses(
  context: NoticesContext,
  trust: Trust,
): Promise<readonly ReceiverStatus[]> {
  const { environment, root, settings } = context;
  const { notify } = await settings();
  const { record } = await trust.status();
  const memory = openNoticeStore(openStateHome(root, environment)).load();
  return receiversOf(notify).map((name) => ({
    name,
    trusted: isTrusted(noticeEntry(name, notify), record),
    unset: variablesOf(name, notify).filter((variable) => !environment[variable]),
    memory: memory[name] ?? null,
  }));
}

export async function testReceivers(context: NoticesContext, trust: Trust): Promise<readonly ReceiverTest[]> {
  const { notify } = await context.settings();
  const notice = testNotice(noticeContext(context, context.now()));
  const test = async ({ name, trusted }: ReceiverStatus): Promise<ReceiverTest> => {
    if (!trusted) return { name, error: untrustedReceiverError(name) };
    try {
      await (await openReceiver(name, notify, context))?.send(notice);
      return { name, error: null };
    } catch (thrown) {
      return { name, error: toPawlError(thrown) };
    }
  };
  return Promise.all((await receiverStatuses(context, trust)).map(test));
}

function variablesOf(name: ReceiverName, notify: NotifySettings): readonly string[] {
  const own = notify[name];
  return isObject(own) ? Object.values(own) : [];
}

function untrustedReceiverError(name: ReceiverName): PawlError {
  return new PawlError(
    "project-untrusted",
    `Nobody on this machine has agreed to the receiver ${name} of pawl.yaml. Nothing was sent.`,
    "Run `pawl trust` in a terminal: it shows the receiver, and asks.",
  );
}
