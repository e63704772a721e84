import { isId } from "../../core/id.ts";
import { hashOfPolicy, ignoredIn, type PolicyChange, renderChange } from "../../core/policy.ts";
import { placed } from "../../core/policy-places.ts";
import type { GitChanges, GitCommits } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Context, GateInput, Verdict } from "../../runtime/module.ts";
import { gitOf } from "../../runtime/review/git-of.ts";
import { pointsIn } from "../../runtime/review/points.ts";
import type { ReviewFinding } from "../../runtime/review/question.ts";
import { checkVersion, versionOf } from "../../runtime/review/version.ts";
import { hashOfTable } from "../../runtime/run-log/history.ts";
import { loadSteps } from "../../runtime/run-log/read.ts";
import type { Step } from "../../runtime/run-log/step.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import { taskOf } from "../../tasks-file/load.ts";
import { findTask, type Task } from "../../tasks-file/task.ts";
import { APPROVAL, loopPolicy, taskPolicy, taskSources } from "./govern.ts";
import { awaitsVerdict, judgedIn, repoOf } from "./judged.ts";
import { loadMessages, type Message, untoldNotes } from "./question.ts";
import { BLOOM } from "./run/table.ts";
import type { TaskRun, TaskVerdict } from "./run/task-run.ts";
import { noted, statusEdit } from "./verbs/edits.ts";
import { sendEvent } from "./verbs/person.ts";
import { askFirst } from "./verbs/persons-word.ts";
import { changingAfter, type Done, loadSnapshot, type Snapshot } from "./verbs/snapshot.ts";

/** A person's verdict on a task that waits for approval: `pawl approve`, `bloom approve`, `pawl reject`. */
export const gate = changingAfter(
  async (view: View, context: Context, { id }: GateInput) => ({
    ...(await loadSnapshot(view, context)),
    messages: await loadMessages(view, id),
    steps: isId(id) ? await loadSteps(view, `bloom:${id}`) : [],
  }),
  foundOf,
  (
    snapshot: LoadedGate,
    { changes, ignored, ...hashes },
    { id, approve, notes }: GateInput,
    context,
  ): Done => {
    const task = taskOf(snapshot.file.tasks, id);
    const run = snapshot.runs.get(id);
    if (!run || !snapshot.states.has(id) || !awaitsVerdict(run))
      return {
        text: `${id} does not wait for approval${run ? `: it is ${run.state}` : ""}.`,
        data: { task: id, state: run?.state ?? null },
        refused: true,
      };
    const question = askFirst(
      context,
      reviewOf(task, run, { changes, ignored }, { approve, notes: notes ?? "" }),
    );
    if (question) return question;
    const given = { approve, notes: notes ?? "" };
    const verdict = verdictOf(snapshot, run, given, hashes, context);
    const judged = { ...run, verdicts: [...run.verdicts, kept(run, given, context)] };
    if (approve) {
      const sent = sendEvent(snapshot, task, judged, { event: "approved" }, context);
      return { ...withUntold(task, snapshot, sent), verdict };
    }
    const edits = [noted(task, rejection(notes ?? "")), statusEdit(task, "blocked")];
    const reason = `rejected by a person${notes ? `: ${notes}` : ""}`;
    const result = sendEvent(
      snapshot,
      { ...task, status: "blocked" },
      judged,
      { event: "halted", reason },
      context,
    );
    return { ...result, text: `${id} is rejected and blocked.`, edits, verdict };
  },
);

/**
 * With the steps that the run took to get here, and the messages that people sent since its agent last
 * ran.
 */
type LoadedGate = Snapshot & { readonly steps: readonly Step[]; readonly messages: readonly Message[] };

/** Each point is on a line of its own, also in the agent's prompt. */
function rejection(notes: string): string {
  if (notes.trim() === "") return "rejected: no reason given";
  const { points, notes: words } = pointsIn(notes);
  return points.length > 0 && words === "" ? `rejected:\n${notes}` : `rejected: ${notes}`;
}

/** The part of a verdict that the run keeps for the next review. */
function kept({ work }: TaskRun, { approve, notes }: Given, context: Context): TaskVerdict {
  const { caller, now } = context;
  const by = caller.who ?? caller.channel;
  const commit = work?.commit ?? null;
  return { time: now.time, approved: approve, notes, by, strength: strengthOf(context), commit };
}

/** The record of the verdict. */
function verdictOf(
  { file, steps }: LoadedGate,
  { evidence, task, work }: TaskRun,
  { approve, notes }: Given,
  { policy, table }: Hashes,
  context: Context,
): Verdict {
  const [first] = steps;
  const isWhole = first?.kind === "begun" && steps.every(({ kind }) => kind !== "accepted");
  return {
    gate: APPROVAL,
    run: `bloom:${task}`,
    ...{ approve, notes, policy, workflow: table, artifact: null },
    strength: strengthOf(context),
    judged: work?.commit,
    evidence: evidence.slice(-MAX_COMMANDS).map(findingOf),
    start: first?.set ?? {},
    work: !isWhole
      ? elsewhere("its log does not hold all of its steps")
      : !work
        ? elsewhere("none of its work is known to be committed")
        : repoOf({ work }) !== null
          ? elsewhere(`its work is in the repository ${work.repo}`)
          : { in: "commit", commit: work.commit, target: taskOf(file.tasks, task).merge_into ?? null },
  };
}

const elsewhere = (reason: string) => ({ in: "elsewhere", reason }) as const;

/** If the verdict ends the task, its agent will not run again, so undelivered messages are kept as notes. */
function withUntold(task: Task, { messages }: LoadedGate, sent: Done): Done {
  if (sent.data?.state !== "done" || messages.length === 0) return sent;
  const notes = untoldNotes(messages);
  const removed = messages.map(({ path }) => ({ type: "remove" as const, path }));
  return {
    ...sent,
    edits: [...(sent.edits ?? []), ...notes.map((text) => noted(task, text))],
    changes: [...(sent.changes ?? []), ...removed],
    events: [
      ...(sent.events ?? []),
      ...notes.map((text) => ({ type: "task:noted", taskId: task.id, text }) as const),
    ],
  };
}

interface Hashes {
  /** The hash of the loop's policy. */
  readonly policy: string;
  readonly table: string;
}

interface GateObservations extends Hashes {
  readonly changes: GitChanges | null;
  /** Edits of the tasks file that loosen the task's policy and do not count. */
  readonly ignored: readonly PolicyChange[];
}

async function foundOf(
  snapshot: Snapshot,
  input: GateInput,
  outside: Outside,
  { settings }: Context,
): Promise<GateObservations> {
  const run = snapshot.states.has(input.id) ? snapshot.runs.get(input.id) : undefined;
  const present = run && awaitsVerdict(run) ? versionOf(judgedIn(run)) : null;
  checkVersion(`bloom:${input.id}`, input.version, present);
  return {
    changes: await changesOf(snapshot, input, outside),
    ignored: await ignoredFor(snapshot, input.id, outside),
    policy: hashOfPolicy(loopPolicy(settings)),
    table: hashOfTable(BLOOM),
  };
}

/** What was loosened in the tasks file since the task began. */
export async function ignoredFor(
  { file, path, text }: Snapshot,
  id: string,
  { policies }: Outside,
): Promise<readonly PolicyChange[]> {
  const task = findTask(file.tasks, id);
  const pinned = task && ((await policies?.find(`bloom:${task.id}`)) ?? null);
  const loosened = task && pinned ? ignoredIn(pinned, taskPolicy(task)) : [];
  return placed(loosened, taskSources(path, id), async () => text);
}

/** What the task's branch has and its target lacks; null: no commit of the task is known. */
async function changesOf(
  { file, runs }: Snapshot,
  { id }: GateInput,
  outside: Outside,
): Promise<GitChanges | null> {
  const run = runs.get(id);
  if (!run || !awaitsVerdict(run) || !run.work) return null;
  const { base, files, ...found } = { base: "", files: [], ...(await commitsOf(file, run, outside)) };
  const repo = repoOf(run);
  const against = repo === null ? base : `${base} in ${repo}`;
  return found.kind === "commits" ? { kind: "changes", base: against, files } : (found as GitChanges);
}

export async function commitsOf(file: Snapshot["file"], run: TaskRun, outside: Outside): Promise<GitCommits> {
  const target = taskOf(file.tasks, run.task).merge_into ?? null;
  const git = await gitOf(outside, repoOf(run));
  return "reason" in git ? { kind: "unavailable", ...git } : git.commits(target, run.work?.commit ?? "");
}

interface Given {
  readonly approve: boolean;
  readonly notes: string;
}

function reviewOf(
  task: Task,
  run: TaskRun,
  { changes, ignored }: Pick<GateObservations, "changes" | "ignored">,
  { approve, notes }: Given,
) {
  const verb = approve ? "approve" : "reject";
  return {
    question: `Do you ${verb} the work of task ${task.id} (${task.title})?`,
    facts: [
      approve ? "Yes lets it leave its branch: push, merge, what tasks.yaml says." : "Yes blocks the task.",
      ...(run.work ? [`Its work is on ${run.work.branch}, at ${run.work.commit.slice(0, 12)}.`] : []),
      ...(notes.trim() === "" ? [] : [`Your notes: ${notes}`]),
    ],
    findings: [...policyFindings(task.id, ignored), ...run.evidence.slice(-MAX_COMMANDS).map(findingOf)],
    changes,
    notes: [{ by: "tasks.yaml (its agents write there too)", text: (task.ai_notes ?? []).join("\n") }],
    whole: `bloom show ${task.id}`,
  };
}

export function policyFindings(id: string, ignored: readonly PolicyChange[]): readonly ReviewFinding[] {
  if (ignored.length === 0) return [];
  const words = `The tasks file was loosened since the task began, which is ignored: ${ignored.map(renderChange).join("; ")}. \`pawl policy bloom:${id} --accept\` lets it count.`;
  return [{ about: "policy", verdict: "differs", words }];
}

const MAX_COMMANDS = 12;

function findingOf({ command, commit, exit, flaky, on }: TaskRun["evidence"][number]): ReviewFinding {
  const where = `on ${on === "merge" ? "the merged result" : "its worktree"}${commit ? ` at ${commit.slice(0, 12)}` : ""}`;
  if (flaky)
    return {
      about: command,
      verdict: "differs",
      words: `it is flaky: it ended with ${flaky.exit ?? "a signal"}, then passed on the same files, ${where}`,
    };
  return exit === 0
    ? { about: command, verdict: "agrees", words: `it passed ${where}` }
    : { about: command, verdict: "differs", words: `it ended with ${exit ?? "a signal"} ${where}` };
}
