/** The environment of a program that bears a run's mark: the allow-list, what the order names, and the mark. */
import { ceilingOf } from "../git/whole.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { MARK, markValue } from "./mark.ts";

export type { Environment } from "../process/environment.ts";

export interface ChildOrder {
  readonly mark: string;
  readonly folder: string;
  /** Names that this child may have besides; a `*` at the end stands for any rest. */
  readonly names: readonly string[];
  readonly added: Readonly<Record<string, string>>;
}

export function childEnvironment(own: Environment, order: ChildOrder): Record<string, string> {
  return {
    ...allowedEnvironment(own, order.names),
    ...order.added,
    ...ceilingOf(order.folder),
    // Some programs work in $PWD, not in the folder that they were started in.
    PWD: order.folder,
    [MARK]: markValue(order.mark, own[MARK]),
  };
}
