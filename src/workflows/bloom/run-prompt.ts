import type { WorkDone } from "../../core/ports/worktrees.ts";
import { firstFew } from "../../core/text/few.ts";
import type { Step, Task } from "../../tasks-file/task.ts";
import { targetOf } from "./commands/pull-request.ts";
import type { TaskSnapshot } from "./execution-context.ts";
import { buildPurposePrompt, buildStepPrompt, buildTaskPrompt, gitInfoOf } from "./prompt.ts";
import { lifeOf, textOf } from "./run/life.ts";
import type { TaskRun } from "./run/task-run.ts";

/** The prompt of this run: messages from people first, then the step or purpose. */
export function runPrompt(
  { task, run, settings, messages }: TaskSnapshot,
  step: Step | null,
  conflicts: readonly string[],
  fresh: boolean,
  done: WorkDone | null = null,
): string {
  const git = gitInfoOf(task);
  const cli = settings.command;
  const isWork = run.purpose === "step" || run.purpose === "mark";
  const words = [
    ...(isWork && run.message !== null ? [run.message] : []),
    ...messages.map((each) => each.text),
  ];
  const prefix = `${words.length === 0 ? "" : `A person says:\n\n${words.join("\n\n")}\n\n`}${doneText(done)}`;
  if (!isWork) {
    const text = orderedText(run, task) ?? purposeText(run.purpose, run.message, task, conflicts, cli);
    return prefix + buildPurposePrompt(task, git, text, fresh);
  }
  if (!fresh && run.purpose === "step" && hasBeenSent(run, step))
    return prefix + goOnText(task.id, step, cli);
  if (run.purpose === "mark" && !fresh) return prefix + markText(task.id, step, cli, run.refused);
  return (
    prefix + (step ? buildStepPrompt(task, step, git, cli, fresh) : buildTaskPrompt(task, git, cli, fresh))
  );
}

/** The prompt for the task's agent in a row of its life; null: no row has one. */
function orderedText(run: TaskRun, task: Task): string | null {
  const life = run.purpose === "order" ? lifeOf(run) : null;
  return life && run.ordered != null ? textOf(life, run.ordered, run, task) : null;
}

/**
 * Whether its session already knows this step or purpose: the earlier run in it was stopped or could not
 * continue.
 */
function hasBeenSent({ purpose, session, toldIn }: TaskRun, step: Step | null): boolean {
  return toldIn != null && toldIn.session === session?.id && toldIn.what === (step?.id ?? purpose);
}

function goOnText(task: string, step: Step | null, cli: string): string {
  const [name, command] = step
    ? [`step ${step.id}`, `${cli} step done ${step.id}`]
    : [task, `${cli} done ${task}`];
  return `Your last turn on ${name} was cut short. See what you have done already, do not repeat it, and continue from there. When all of it is done and committed, run the command below and end your turn.\n\n${command}`;
}

const MAX_PATHS = 50;

/** For a new session that continues the work of an earlier one. */
function doneText(done: WorkDone | null): string {
  if (done === null || done.commits.length + done.uncommitted.length === 0) return "";
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? "" : `\n\n${title}:\n\n${bullets(lines)}`;
  const paths = firstFew(done.uncommitted, MAX_PATHS);
  return `## Done before\n\nThis task was worked on before this session began. Look at what is left of that in your folder, and continue from there.${list("Its commits on your branch", done.commits)}${list("Not committed", paths)}\n\n`;
}

const MAX_CONFLICTS = 100;

function conflictList(conflicts: readonly string[]): string {
  return bullets(firstFew(conflicts, MAX_CONFLICTS));
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** What an agent was refused, as a clause. */
export function refusals(refused: readonly string[] = [], subject = "; its agent"): string {
  return refused.length === 0
    ? ""
    : `${subject} ${subject.endsWith("You") ? "were" : "was"} refused: ${refused.join("; ")}`;
}

export function markText(task: string, step: Step | null, cli: string, refused?: readonly string[]): string {
  const [name, command] = step ? [step.id, `${cli} step done ${step.id}`] : [task, `${cli} done ${task}`];
  return `You ended your turn, and ${name} is not marked done.${refusals(refused, " You")} If it is done, run the command below and end your turn; if not, finish it first.\n\n${command}`;
}

export function purposeText(
  purpose: string,
  message: string | null,
  task: Task,
  conflicts: readonly string[],
  cli: string,
): string {
  const { id, merge_into: target } = task;
  const news = message ?? "";
  switch (purpose) {
    case "repair":
      return `## A check failed\n\nIt was run for you after your last turn. Repair what it shows.\n\n${news}`;
    case "commit":
      return `## Uncommitted work\n\n${news}\n\nCommit what belongs to the task; delete or ignore the rest.`;
    case "nothing":
      return `## Nothing was committed\n\n${news}\n\nDo what the task asks, and commit it. If there is truly nothing to be done, say why:\n\n${cli} done ${id} --nothing "why"`;
    case "resolve":
      return `## Conflicts with ${target}\n\n\`${target}\` was merged into your branch and conflicts in:\n\n${conflictList(conflicts)}\n\nResolve every conflict so that both sides' work is kept, and commit the merge.`;
    case "repair-merge":
      return `## A check fails with ${target} merged in\n\n\`${target}\` is merged into your branch now. Together they fail this check. Repair it and commit.\n\n${news}`;
    case "rework":
      return `## Your work was rejected\n\nA person read it. Change what they ask for${task.repo === undefined ? "" : ", and commit it"}; then end your turn.\n\n${news}`;
    case "pull-request":
      return [
        `## Your pull request came back\n\nThis speaks against your branch as it was pushed. \`${targetOf(task)}\` is merged into your branch now. Do what is asked and commit it; the branch is checked and pushed for you.`,
        news,
        ...(conflicts.length === 0
          ? []
          : [
              `## Conflicts with ${targetOf(task)}\n\nThe merge conflicts in:\n\n${conflictList(conflicts)}\n\nResolve every conflict so that both sides' work is kept, and commit the merge.`,
            ]),
      ].join("\n\n");
    default:
      return news;
  }
}
