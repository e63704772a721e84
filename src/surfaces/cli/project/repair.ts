import { toPawlError } from "../../../core/error.ts";
import type { WorkflowModule } from "../../../runtime/module.ts";
import { type JournalRepair, loadWorkflow, type Project } from "../../../runtime/project.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import { acceptEditOf, wholeLogFaults } from "../../../runtime/run-log/accept.ts";
import { kindOf } from "../../../runtime/run-log/kind.ts";
import { found } from "../../../runtime/transaction/out-of-scope-edits.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Host, Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import { confirm, runAsking } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

/**
 * Repairs a damaged journal, replays commits that are not applied yet, and lists unreadable files with their
 * fixes.
 */
export const repair: Run = async (host, call) => {
  const project = await host.projects.open();
  const journal = await project.repairJournal();
  if (typeof call.options.accept === "string") {
    const { acceptJournal } = await import("./accept-journal.ts");
    return acceptJournal(host, project, journal.foreign, call.options.accept);
  }
  const accepted = [...(await offerEdits(host, project)), ...(await offerOutOfScopeEdits(host, project))];
  const workflows = await overview(project);
  const problems = [
    ...workflows.flatMap((workflow) => [
      ...(workflow.problem ? [{ run: workflow.name, ...workflow.problem }] : []),
      ...workflow.runs.flatMap(({ run, problem }) => (problem ? [{ run, ...problem }] : [])),
    ]),
    ...(await brokenLogs(project)),
  ];
  const lines = problems.map(
    ({ run, message, fix }) => `${clean(run)}\n  ${clean(message)}\n  ${clean(fix)}\n`,
  );
  const text = [...renderJournal(journal), ...accepted, ...lines].join("");
  const isSound = text === "";
  return {
    text: isSound ? "No damage found: the journal is replayed, and every run can be read.\n" : text,
    data: { journal, problems },
    ...(problems.length > 0 ? { exit: 1 as const } : {}),
  };
};

/** At a terminal, a person may accept edited states, and the workflow's proposed fix of an unreadable one. */
async function offerEdits(host: Host, project: Project): Promise<readonly string[]> {
  if (host.person.caller().channel !== "terminal") return [];
  const accepted: string[] = [];
  const broken = new Set((await brokenLogs(project)).map(({ run }) => run));
  for (const { runs } of await overview(project))
    for (const { command, problem, run } of runs) {
      const isOffered = problem?.code === "state-tampered" || (problem && command === "pawl repair");
      if (!isOffered && !broken.has(run)) continue;
      const [workflow = ""] = run.split(":", 1);
      const decision = await decisionOn(project, await loadWorkflow(project.workflows, workflow), run);
      if (decision === null) continue;
      const input = { id: run.slice(workflow.length + 1) };
      try {
        const { reply } = await runAsking(host, project.runtime, decision, input);
        accepted.push(`${clean(run)}\n  ${clean(reply.text).trimEnd()}\n`);
      } catch (thrown) {
        // Without the person's agreement, the state stays unaccepted and is listed with the rest.
        if (toPawlError(thrown).code !== "person-declined") throw thrown;
      }
    }
  return accepted;
}

/** Accepts an edited state; null: the workflow has none to accept. */
async function decisionOn({ runtime }: Project, { log }: WorkflowModule, run: string) {
  if (log?.acceptEdit) return log.acceptEdit();
  return log ? acceptEditOf(await kindOf(await log.kind(), runtime.store.view(), run), () => run) : null;
}

/** The runs that can be read, but whose logs contradict themselves: a move reads the last line alone. */
async function brokenLogs({ runtime, workflows }: Project) {
  const found: { run: string; message: string; fix: string }[] = [];
  for (const { name, runs } of await overview({ runtime, workflows })) {
    const kinds = await (await loadWorkflow(workflows, name)).log?.kind();
    if (!kinds) continue;
    for (const { problem, run } of runs) {
      if (problem) continue;
      const view = runtime.store.view();
      const faults = await wholeLogFaults(view, await kindOf(kinds, view, run), run);
      if (faults.length > 0) found.push({ run, message: faults.join("; "), fix: FIX });
    }
  }
  return found;
}

const FIX =
  "Restore the log from a backup, or accept the run's state as it is in a terminal with `pawl repair`.";

/**
 * At a terminal, a person may accept out-of-scope edits; without their agreement, the edits stay out of
 * scope.
 */
async function offerOutOfScopeEdits(host: Host, { runtime, workflows }: Project): Promise<readonly string[]> {
  const { scopeWatch } = runtime;
  if (host.person.caller().channel !== "terminal" || !scopeWatch) return [];
  const accepted: string[] = [];
  for (const { runs } of await overview({ runtime, workflows }))
    for (const { run } of runs) {
      const edits = await scopeWatch.find(run);
      if (edits === null || !isAgreed(host, found(edits))) continue;
      const { outOfScopeEvent } = await import("../../../guard/out-of-scope-events.ts");
      const event = { type: "guard:accepted", run, paths: edits.files, by: host.person.caller() } as const;
      await runTransaction(runtime, outOfScopeEvent, event, host.person.caller());
      await scopeWatch.note(run, edits);
      accepted.push(`${clean(run)}\n  These edits stay: ${clean(edits.files.join(", "))}.\n`);
    }
  return accepted;
}

function isAgreed(host: Host, message: string): boolean {
  try {
    confirm(host, { message: `${message}\n\nMay they stay?`, command: "pawl repair" });
    return true;
  } catch (thrown) {
    if (toPawlError(thrown).code !== "person-declined") throw thrown;
    return false;
  }
}

function renderJournal({ aside, goodRecords, lostBytes, lostCommits, foreign }: JournalRepair): string[] {
  const others = foreign.map(renderForeign);
  if (aside === null) return others;
  const lost =
    lostCommits === 0
      ? ""
      : ` ${lostCommits} commits in between are lost, except for what was already applied.`;
  return [
    `The journal was damaged; Pawl moved it to ${clean(aside)}.\n`,
    `  ${goodRecords} intact commits in it are applied; ${lostBytes} bytes belong to no commit.${lost}\n`,
    ...others,
  ];
}

const MAX_PATHS = 20;

function renderForeign({ kept, commits, unusable, paths }: JournalRepair["foreign"][number]): string {
  const shown = paths.slice(0, MAX_PATHS).map((path) => `    ${clean(path)}\n`);
  const rest = paths.length > MAX_PATHS ? [`    and ${paths.length - MAX_PATHS} more\n`] : [];
  const lines = [
    `${clean(kept)} holds ${counted(commits, "commit")} that this project did not make. Nothing of it was applied.\n`,
    ...(unusable > 0
      ? [
          `  ${counted(unusable, "commit")} of these cannot be taken: forged, or built on commits that are not in this file.\n`,
        ]
      : []),
    ...(paths.length > 0 ? ["  It would write:\n"] : []),
    ...shown,
    ...rest,
    "  Such commits come from a clone, a merge, another copy of this project, or a process with another HOME or XDG_STATE_HOME.\n",
    ...(unusable > 0
      ? []
      : [
          `  To see what would change, and to accept it: \`pawl repair --accept ${clean(kept)}\` in a terminal.\n`,
        ]),
    `  If you do not want them, remove ${clean(kept)}.\n`,
  ];
  return lines.join("");
}
