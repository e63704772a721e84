import type { Run } from "./command.ts";
import { clean } from "./terminal.ts";

/** The places stand below one another, unless a value is longer than this. */
const WIDTH = 56;

/** The settings that hold, and where each comes from. */
export const config: Run = async (host) => {
  const project = await host.project();
  const settings = await project.explainSettings();
  const { paint } = host.terminal;
  const said = settings.map(({ path, value }) => clean(`${path}: ${JSON.stringify(value)}`));
  const width = Math.min(WIDTH, Math.max(...said.map((line) => line.length)));
  const lines = settings.map(({ from }, at) => {
    const source = clean(from);
    return `${(said[at] ?? "").padEnd(width)}  ${from === "default" ? paint.dim(source) : paint.cyan(source)}`;
  });
  return { text: `${lines.join("\n")}\n`, data: { project: project.root, settings } };
};
