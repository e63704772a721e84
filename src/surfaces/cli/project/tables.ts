import { PawlError, toPawlError } from "../../../core/error.ts";
import { nearest } from "../../../core/text/nearest.ts";
import type { Table } from "../../../runtime/module.ts";
import type { Workflows } from "../../../runtime/project.ts";

export interface FoundTables {
  readonly tables: readonly Table[];
  /** The workflows without tables, because their definition has a fault. */
  readonly faults: readonly WorkflowFault[];
}

export interface WorkflowFault {
  readonly workflow: string;
  readonly fault: PawlError;
}

/**
 * The tables of a workflow (`alfred`), the one table of that name (`start_task`), or all of them. A faulty
 * workflow does not affect the others.
 */
export async function tablesOf(workflows: Workflows, name: string | undefined): Promise<FoundTables> {
  const own = await Promise.all(
    Object.entries(workflows).map(async ([workflow, load]) => {
      try {
        return { workflow, tables: await (await load()).tables(), faults: [] };
      } catch (thrown) {
        return { workflow, tables: [], faults: [{ workflow, fault: toPawlError(thrown) }] };
      }
    }),
  );
  const tables = own.flatMap((each) => each.tables);
  if (name === undefined) return { tables, faults: own.flatMap(({ faults }) => faults) };
  const named = own.find(({ workflow }) => workflow === name);
  if (named && named.tables.length + named.faults.length > 0) return named;
  const matching = tables.filter(({ workflow }) => workflow.name === name);
  if (matching.length > 0) return { tables: matching, faults: [] };
  const unread = own.find(({ workflow }) => workflow === "pawl.yaml");
  if (unread) return unread;
  if (named)
    throw new PawlError(
      "workflow-missing",
      `${name} has runs here, and no table that can be proved: pawl.yaml names no file of it under \`workflows\`, or a program brings it.`,
      "Name its file in pawl.yaml.",
    );
  const names = [
    ...new Set([...own.map(({ workflow }) => workflow), ...tables.map(({ workflow }) => workflow.name)]),
  ];
  const near = nearest(name, names);
  throw new PawlError(
    "workflow-missing",
    `No workflow or table is called ${JSON.stringify(name)}: expected one of ${names.join(", ")}.`,
    near ? `Use ${near}.` : "Leave the name out for all of them.",
  );
}
