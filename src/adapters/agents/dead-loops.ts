/**
 * Ends the processes that dead loops of a checkout left. Their supervisors do it too, in their own time: this
 * is for callers that must know that it is done.
 *
 * Only a loop with this machine's process ids can be known to be dead: a container has others.
 */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { markOf, marksIn } from "./mark.ts";
import { readProc } from "./proc.ts";
import { endTree, psEnvironments } from "./process-tree.ts";

/** No loop is left to record their output. */
const AT_ONCE = { grace: 0, within: 9000 };

/** False: some could not be ended. */
export async function endRunsOfDead(projectRoot: string): Promise<boolean> {
  const prefix = markOf(projectRoot, "@loop-");
  const marks = new Set(environments().flatMap((each) => marksIn(each)));
  const dead = [...marks].filter((mark) => mark.startsWith(prefix) && !isAlive(mark.slice(prefix.length)));
  const ends = await Promise.all(dead.map((mark) => endTree({ mark }, AT_ONCE)));
  return ends.every(({ alive }) => alive === 0);
}

/** `loop`: its process id, and more. */
function isAlive(loop: string): boolean {
  const pid = Number.parseInt(loop, 10);
  if (!(pid > 0)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function environments(): readonly string[] {
  if (!existsSync("/proc/self/stat")) return [...psEnvironments().values()];
  const namespace = namespaceOf("self");
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && namespaceOf(name) === namespace)
    .map((pid) => readProc(`/proc/${pid}/environ`));
}

function namespaceOf(pid: string): string {
  return attempt(() => readlinkSync(`/proc/${pid}/ns/pid`), "");
}
