import { overview } from "../../runtime/overview.ts";
import type { JournalRepair } from "../../runtime/project.ts";
import type { Run } from "./command.ts";
import { clean } from "./terminal.ts";

/**
 * Mends the journal where it is damaged, replays what was committed and not yet applied, and names what cannot be read
 * with its fix.
 */
export const repair: Run = async (host) => {
  const project = await host.project();
  const journal = await project.repairJournal();
  const workflows = await overview(project);
  const problems = workflows.flatMap((workflow) => [
    ...(workflow.problem ? [{ run: workflow.name, ...workflow.problem }] : []),
    ...workflow.runs.flatMap(({ run, problem }) => (problem ? [{ run, ...problem }] : [])),
  ]);
  const lines = problems.map(
    ({ run, message, fix }) => `${clean(run)}\n  ${clean(message)}\n  ${clean(fix)}\n`,
  );
  const text = [...renderJournal(journal), ...lines].join("");
  const isSound = journal.aside === null && problems.length === 0;
  return {
    text: isSound ? "Nothing is damaged: the journal is replayed, and every run can be read.\n" : text,
    data: { journal, problems },
    ...(problems.length > 0 ? { exit: 1 as const } : {}),
  };
};

function renderJournal({ aside, goodRecords, lostBytes, lostCommits }: JournalRepair): readonly string[] {
  if (aside === null) return [];
  const lost =
    lostCommits === 0
      ? ""
      : ` ${lostCommits} commits between them are lost: what they wrote is there as far as it had been applied.`;
  return [
    `The journal was damaged and lies in ${clean(aside)} now.\n`,
    `  ${goodRecords} good commits in it are applied; ${lostBytes} bytes belong to none.${lost}\n`,
  ];
}
