import type { Run } from "./command.ts";
import { alignRows } from "./table.ts";
import { clean } from "./terminal.ts";

/** The effective settings, and where each comes from. */
export const config: Run = async (host) => {
  const project = await host.project();
  const settings = await project.explainSettings();
  const { columns, paint } = host.terminal;
  const rows = settings.map(({ from, path, value }) => [
    clean(`${path}: ${JSON.stringify(value)}`),
    (from === "default" ? paint.dim : paint.cyan)(clean(from)),
  ]);
  return { text: `${alignRows(rows, columns).join("\n")}\n`, data: { project: project.root, settings } };
};
