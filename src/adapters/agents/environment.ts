/** The environment of a program in a run: the allow-list, the order's own variables, and the run tag. */
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { workspaceEnvironment } from "../process/work-folder.ts";
import { MARK, markValue } from "./mark.ts";

export type { Environment } from "../process/environment.ts";

export interface ChildOrder {
  readonly mark: string;
  readonly folder: AgentFolder;
  /** More names that this child may have; a `*` at the end matches any rest. */
  readonly names: readonly string[];
  readonly added: Readonly<Record<string, string>>;
}

export function childEnvironment(base: Environment, order: ChildOrder): Record<string, string> {
  return {
    ...allowedEnvironment(base, order.names),
    ...order.added,
    ...workspaceEnvironment(order.folder),
    // Some programs work in $PWD instead of their working folder.
    PWD: order.folder.agentPath,
    [MARK]: markValue(order.mark, base[MARK]),
  };
}
