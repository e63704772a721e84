import type { Run } from "../line/command.ts";
import { alignRows } from "../terminal/table.ts";
import { clean } from "../terminal/terminal.ts";
import { wrapPainted } from "../terminal/text-width.ts";

/** The effective settings, and where each comes from. */
export const config: Run = async (host) => {
  const project = await host.projects.open();
  const settings = await project.explainSettings();
  const { columns, paint } = host.terminal;
  const rows = settings.map(({ from, path, value }) => [
    clean(`${path}: ${spaced(value)}`),
    (from === "default" ? paint.dim : paint.cyan)(clean(from)),
  ]);
  const lines =
    columns < SIDE_BY_SIDE
      ? rows.flatMap(([setting = "", from = ""]) => [...wrapPainted(setting, columns), `  ${from}`])
      : alignRows(rows, columns);
  return { text: `${lines.join("\n")}\n`, data: { project: project.root, settings } };
};

/** On a narrower screen each setting has its source below it. */
const SIDE_BY_SIDE = 72;

/** JSON on one line with blanks in it, where a narrow screen can break it. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/([[{])\n\s*/g, "$1")
    .replace(/\n\s*([\]}])/g, "$1")
    .replace(/\n\s*/g, " ");
}
