/** Leaves the wish for a look, and starts the program that looks. */

import { ownProgram } from "../../adapters/agents/own-program.ts";
import { openNoticePlace } from "../../adapters/notify/place.ts";
import { spawn } from "../../adapters/process/start-program.ts";
import { openStateHome } from "../../config/state-home.ts";
import type { LoopRest } from "../../core/ports/notify.ts";
import { quietEnd } from "../../runtime/reports/notices.ts";
import type { NoticesPlace } from "./notices-place.ts";

export interface Wish {
  /** How the loop stands now; null: it works again; absent: as before. */
  readonly rest?: LoopRest | null;
  readonly looks: boolean;
}

/** Returns in how many milliseconds to wish again, because the hours are quiet; else 0. */
export async function wakeSender(given: NoticesPlace, wish: Wish): Promise<number> {
  const { environment, home, now, root, settings } = given;
  const place = openNoticePlace(openStateHome(root, environment));
  if (wish.rest !== undefined) place.noteRest(wish.rest);
  if (!wish.looks) return 0;
  place.ask();
  const program = ownProgram("../../app/notices/send.ts", "send-notices.js");
  // Detached and without streams: it outlives a command, and holds up nobody who waits for the command's output.
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
