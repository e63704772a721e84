/**
 * Git in a workspace. An agent writes there: files, git's folder, its configuration and its hooks. So no git outside reads
 * any of it: a script runs there, behind the wall if there is one, and what it says is checked outside.
 */

import { topOf, workspaceEnvironment } from "../process/work-folder.ts";
import { type GitAnswer, type GitCall, gitFailed, plainEnvironment, runProgram } from "./git.ts";
import type { Workplace } from "./workplace.ts";

export interface InsideOrder
  extends Pick<GitCall, "accept" | "input" | "inputFile" | "limit" | "onOutput" | "stop"> {
  /** In the workspace. */
  readonly folder: string;
  /** For `sh`; its arguments are `$1`, `$2` … */
  readonly script: string;
  readonly args?: readonly string[];
  /** Folders outside the workspace that it may write. */
  readonly writes?: readonly string[];
  /** It must not write the workspace. */
  readonly readOnly?: true;
  readonly environment?: Readonly<Record<string, string>>;
}

/** No more is read of what it says, unless somebody takes it as it comes. */
const MOST = 64 * 1024 * 1024;

/** Git starts nothing by itself: no hook of the person's, no pager, no upkeep. */
const QUIET =
  'git() { command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.pager=cat -c gc.auto=0 -c maintenance.auto=false "$@"; }\n';

/** Throws `git-failed` on an exit code that is not accepted. */
export async function inside(place: Workplace, order: InsideOrder): Promise<GitAnswer> {
  const folder = topOf(order.folder);
  const own = {
    ...plainEnvironment(place.call(folder).environment),
    ...workspaceEnvironment(folder),
    ...order.environment,
  };
  const called = {
    program: "sh",
    args: ["-c", QUIET + order.script, "sh", ...(order.args ?? [])],
    environment: own,
  };
  const { program, args, environment } =
    place.wall?.enclose({
      ...called,
      folder,
      ...(order.readOnly && { readOnly: true }),
      ...(order.writes && { writes: order.writes }),
    }) ?? called;
  const answer = await runProgram(
    { ...order, ...capped(order), folder, environment: own },
    program,
    args,
    environment,
  );
  if (answer.code === 0 || order.accept?.includes(answer.code)) return answer;
  const words = answer.errors.trim() || answer.output.trim() || `exit code ${answer.code}`;
  throw gitFailed([order.script.trim().split("\n").at(-1)?.trim() ?? ""], folder, words);
}

function capped({ onOutput }: InsideOrder): Pick<GitCall, "most"> {
  return onOutput ? {} : { most: MOST };
}
