/** `pawl task export`: prints the backlog, or sends its statuses back to the issues that tasks came from. */
import { PawlError } from "../../../core/error.ts";
import type { IssueState } from "../../../core/ports/sources.ts";
import { type IssueUpdate, issueUpdates, renderBacklog } from "../../../import/export.ts";
import type { ExportFormat } from "../../../import/export-formats.ts";
import { loadTasks } from "../../../tasks-file/load.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

export const exportCommand: Run = async (host, { options }) => {
  const { root, runtime } = await host.projects.open();
  const view = runtime.store.view();
  const settings = await runtime.settings(view);
  const { file, text } = await loadTasks(view, {
    settings,
    ...(runtime.cache ? { cache: runtime.cache } : {}),
  });
  const dryRun = options.dryRun === true;
  if (options.to === undefined) {
    if (dryRun)
      throw new PawlError(
        "usage",
        "--dry-run works only with --to.",
        "Leave --dry-run out, or name --to github.",
      );
    const format = (options.format ?? "markdown") as ExportFormat;
    const shown = format === "yaml" ? clean(text) : renderBacklog(file.tasks, format);
    return { text: shown, data: { tasks: file.tasks } };
  }
  if (options.format !== undefined)
    throw new PawlError(
      "usage",
      "--format does not work with --to, which prints no tasks.",
      "Leave one of them out.",
    );
  if (!dryRun) refuseAgent(host, "change issues", "pawl task export --to github");
  return toGitHub(host, root, issueUpdates(file.tasks), dryRun);
};

interface Sent extends IssueUpdate {
  readonly before: IssueState;
  readonly changed: boolean;
}

/**
 * Checks each issue first, so that nothing is sent that the forge already has. Stops at a failure; what was
 * sent stays sent.
 */
async function toGitHub(
  host: Host,
  root: string,
  updates: readonly IssueUpdate[],
  dryRun: boolean,
): Promise<Answer> {
  const { issues } = await host.projects.imports(root);
  const sent: Sent[] = [];
  for (const update of updates) {
    const { number, reason, repository, state } = update;
    const before = await issues.read(repository, number);
    const changed = before.state !== state || (state === "closed" && before.reason !== reason);
    if (changed && !dryRun) await issues.setState(repository, number, { state, reason });
    sent.push({ ...update, before, changed });
  }
  const changed = sent.filter((each) => each.changed);
  const lines = changed.map(({ number, reason, repository, state, task }) =>
    clean(`${task}  ${repository}#${number}  ${state}${reason ? ` (${reason.replace("_", " ")})` : ""}`),
  );
  const same = sent.length - changed.length;
  const verb = dryRun ? "would be changed" : "changed";
  return {
    text: `${[...lines, `${changed.length} ${verb}, ${same} as they are there already.`].join("\n")}\n`,
    data: { dryRun, updates: sent },
  };
}
