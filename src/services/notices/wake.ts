/** Requests a search for notices, and starts the program for it. */

import { ownProgram } from "../../adapters/agents/own-program.ts";
import { openNoticeStore } from "../../adapters/notify/notice-store.ts";
import { spawn } from "../../adapters/process/start-program.ts";
import { openStateHome } from "../../config/state-home.ts";
import type { LoopRest } from "../../core/ports/notify.ts";
import { quietEnd } from "../../runtime/reports/notices.ts";
import type { NoticesContext } from "./notices-context.ts";

export interface WakeOrder {
  /** The loop's state; null: it works again; absent: unchanged. */
  readonly rest?: LoopRest | null;
  readonly search: boolean;
}

/** Returns the milliseconds after which to repeat the request, because of quiet hours; otherwise 0. */
export async function wakeSender(given: NoticesContext, order: WakeOrder): Promise<number> {
  const { environment, home, now, root, settings } = given;
  const store = openNoticeStore(openStateHome(root, environment));
  if (order.rest !== undefined) store.noteRest(order.rest);
  if (!order.search) return 0;
  store.ask();
  const program = ownProgram("../../app/send-notices.ts", "send-notices.js");
  // Detached and without streams: it outlives a command, and does not delay readers of the command's output.
  const child = spawn(process.execPath, [program, root, home], {
    cwd: "/",
    env: environment,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {});
  child.unref();
  const end = quietEnd((await settings()).notify.quiet, now());
  return end === null ? 0 : end.getTime() - now().getTime();
}
