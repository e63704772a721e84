import { PawlError } from "../../base/error.ts";
import { nearest } from "../../base/nearest.ts";
import { loadWorkflows, type Workflows } from "../../runtime/project.ts";
import type { Table } from "../../workflows/module.ts";

/** The tables of a workflow (`alfred`), the one table of that name (`start_task`), or all of them. */
export async function tablesOf(workflows: Workflows, name: string | undefined): Promise<readonly Table[]> {
  const modules = await loadWorkflows(workflows);
  const own = await Promise.all(
    modules.map(async (module) => ({ name: module.name, tables: await module.tables() })),
  );
  const all = own.flatMap(({ tables }) => tables);
  if (name === undefined) return all;
  const module = own.find((entry) => entry.name === name);
  const found = module ? module.tables : all.filter(({ workflow }) => workflow.name === name);
  if (found.length > 0) return found;
  const known = [
    ...new Set([...own.map((entry) => entry.name), ...all.map(({ workflow }) => workflow.name)]),
  ];
  const near = nearest(name, known);
  throw new PawlError(
    "workflow-missing",
    `No workflow or table is called ${JSON.stringify(name)}: expected one of ${known.join(", ")}.`,
    near ? `Use ${near}.` : "Leave the name out for all of them.",
  );
}
