import type { Run } from "../line/command.ts";
import { alignRows } from "../terminal/table.ts";
import { clean } from "../terminal/terminal.ts";
import { wrapPainted } from "../terminal/text-width.ts";

/** Prints the effective settings and the source of each. */
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

/** On a narrower screen, the source is below each setting. */
const SIDE_BY_SIDE = 72;

/** JSON on one line with blanks in it, so that it can be wrapped. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/([[{])\n\s*/g, "$1")
    .replace(/\n\s*([\]}])/g, "$1")
    .replace(/\n\s*/g, " ");
}
