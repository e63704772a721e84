import type { PromptSample } from "../../../runtime/module.ts";
import { loadWorkflow, loadWorkflows } from "../../../runtime/project.ts";
import type { Run } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";

/** Lists the prompts of every state, with sample data; with `--all`, prints their whole texts. */
export const prompts: Run = async (host, call) => {
  const project = await host.projects.open({ create: true });
  const wanted = call.arguments.workflow;
  const modules =
    typeof wanted === "string"
      ? [await loadWorkflow(project.workflows, wanted)]
      : await loadWorkflows(project.workflows);
  const view = project.runtime.store.view();
  const samples: (PromptSample & { readonly workflow: string })[] = [];
  for (const { name: workflow, samples: load } of modules)
    for (const sample of (await load?.(view)) ?? []) samples.push({ workflow, ...sample });
  const isWhole = call.options.all === true;
  const text = samples.map(({ name, text, workflow }) =>
    isWhole ? `===== ${workflow} ${name} =====\n\n${clean(text).trimEnd()}\n\n` : `${workflow} ${name}\n`,
  );
  const data = samples.map(({ machine, name, configuration, text, workflow }) => ({
    ...{ workflow, name, machine, state: configuration?.state ?? null },
    ...(isWhole && { text }),
  }));
  return { text: text.join(""), data: { prompts: data }, ...(isWhole && { isVerbatim: true }) };
};
