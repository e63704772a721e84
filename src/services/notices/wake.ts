/** Requests a search for notices, and starts the program for it. */

import { ownProgram } from "../../adapters/agents/own-program.ts";
import { openNoticePlace } from "../../adapters/notify/place.ts";
import { spawn } from "../../adapters/process/start-program.ts";
import { openStateHome } from "../../config/state-home.ts";
import type { LoopRest } from "../../core/ports/notify.ts";
import { quietEnd } from "../../runtime/reports/notices.ts";
import type { NoticesPlace } from "./notices-place.ts";

export interface Wish {
  /** The loop's state; null: it works again; absent: unchanged. */
  readonly rest?: LoopRest | null;
  readonly looks: boolean;
}

/** Returns the milliseconds after which to repeat the request, because of quiet hours; otherwise 0. */
export async function wakeSender(given: NoticesPlace, wish: Wish): Promise<number> {
  const { environment, home, now, root, settings } = given;
  const place = openNoticePlace(openStateHome(root, environment));
  if (wish.rest !== undefined) place.noteRest(wish.rest);
  if (!wish.looks) return 0;
  place.ask();
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
