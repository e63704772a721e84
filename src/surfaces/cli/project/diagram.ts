import { renderMermaid, renderTable } from "../../../engine/diagram.ts";
import type { Workflow } from "../../../engine/workflow.ts";
import { xstateConfig } from "../../../engine/xstate.ts";
import type { Run } from "../line/command.ts";
import { tablesOf } from "./tables.ts";

/**
 * Prints a workflow's tables in a notation that other programs draw; several tables become one Markdown page.
 */
export const diagram: Run = async (host, call) => {
  const { tables, faults } = await tablesOf(host.workflows, call.arguments.workflow as string);
  if (faults[0]) throw faults[0].fault;
  const workflows = tables.map(({ workflow }) => workflow);
  const format = (call.options.format ?? "mermaid") as keyof typeof FORMATS;
  const text = FORMATS[format](workflows);
  const data =
    format === "xstate" ? JSON.parse(text) : { format, tables: workflows.map(({ name }) => name), text };
  return { text: text.endsWith("\n") ? text : `${text}\n`, data, isVerbatim: true };
};

const FORMATS = {
  mermaid: (workflows: readonly Workflow[]) => {
    const [only] = workflows;
    if (workflows.length === 1 && only) return renderMermaid(only);
    return page(workflows, (workflow) => `\`\`\`mermaid\n${renderMermaid(workflow).trimEnd()}\n\`\`\``);
  },
  markdown: (workflows: readonly Workflow[]) => workflows.map(renderTable).join("\n"),
  xstate: (workflows: readonly Workflow[]) => {
    const machines = workflows.map((workflow) => [workflow.name, xstateConfig(workflow)] as const);
    const [only] = machines;
    return JSON.stringify(machines.length === 1 && only ? only[1] : Object.fromEntries(machines), null, 2);
  },
} as const;

function page(workflows: readonly Workflow[], render: (workflow: Workflow) => string): string {
  return workflows.map((workflow) => `# ${workflow.title}\n\n${render(workflow).trimEnd()}\n`).join("\n");
}
