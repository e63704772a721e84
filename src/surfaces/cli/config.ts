import type { Run } from "./command.ts";
import { clean } from "./terminal.ts";

/** The settings that hold, and where each comes from. */
export const config: Run = async (host) => {
  const project = await host.project();
  const settings = await project.explainSettings();
  const { paint } = host.terminal;
  const lines = settings.map(({ path, value, from }) => {
    const line = clean(`${path}: ${JSON.stringify(value)}`);
    const source = clean(from);
    return `${line}  ${from === "default" ? paint.dim(source) : paint.cyan(source)}`;
  });
  return { text: `${lines.join("\n")}\n`, data: { project: project.root, settings } };
};
