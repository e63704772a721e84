/**
 * Runs git in a workspace, where an agent may have written anything: files, git's folder, its configuration
 * and its hooks. So no git outside reads it: a script runs there, behind the wall if there is one, and its
 * output is checked outside.
 */

import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { gitSettings } from "../../process/environment.ts";
import { topOf, workspaceEnvironment } from "../../process/work-folder.ts";
import {
  checkFilter,
  configOf,
  filtersOf,
  type GitAnswer,
  type GitCall,
  gitError,
  plainEnvironment,
  runProgram,
} from "../git.ts";
import { driverOverrides, FIXED } from "../safe-config.ts";
import type { Workplace } from "./workplace.ts";

export interface InsideOrder
  extends Pick<GitCall, "accept" | "input" | "inputFile" | "limit" | "onOutput" | "stop"> {
  /** A folder of the workspace. */
  readonly folder: AgentFolder;
  /** For `sh`; its arguments are `$1`, `$2` … */
  readonly script: string;
  readonly args?: readonly string[];
  /** Folders outside the workspace that the script may write. */
  readonly writes?: readonly string[];
  /** The script must not write the workspace. */
  readonly readOnly?: true;
  readonly environment?: Readonly<Record<string, string>>;
  /** The person's repository. Without a wall, its configuration decides which filters and drivers may run. */
  readonly from?: GitCall;
}

/** Maximum bytes of output, unless the caller reads it in chunks. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Throws `git-failed` on an exit code that is not accepted. */
export async function inside(workplace: Workplace, order: InsideOrder): Promise<GitAnswer> {
  const top = topOf(order.folder);
  const folder = top.agentPath;
  // Behind the wall, any filter and driver may run; without it, only those that the person's own git may run.
  const config = workplace.wall || !order.from ? null : await configOf(order.from);
  const filters = config && order.from ? await filtersOf(order.from, config) : [];
  const own = {
    ...plainEnvironment(workplace.call(folder).environment),
    ...workspaceEnvironment(top),
    ...gitSettings([...FIXED, ...(config ? driverOverrides(config, filters) : [])]),
    ...order.environment,
  };
  const called = {
    program: "sh",
    args: ["-c", order.script, "sh", ...(order.args ?? [])],
    environment: own,
  };
  const { program, args, environment } =
    workplace.wall?.enclose({
      ...called,
      folder: top,
      ...(order.readOnly && { readOnly: true }),
      ...(order.writes && { writes: order.writes }),
    }) ?? called;
  const answer = await runProgram(
    { ...order, ...(order.onOutput ? {} : { most: MAX_OUTPUT_BYTES }), folder, environment: own },
    program,
    args,
    environment,
  );
  if (answer.code === 0 || order.accept?.includes(answer.code)) return answer;
  if (config) checkFilter(answer.errors, folder, config, filters);
  const words = answer.errors.trim() || answer.output.trim() || `exit code ${answer.code}`;
  const last = order.script.trim().split("\n").at(-1)?.trim() ?? "";
  throw gitError([last.replace(/^git /, "")], folder, words);
}
