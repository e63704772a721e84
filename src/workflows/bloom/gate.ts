import { isId } from "../../core/id.ts";
import { hashOfPolicy } from "../../core/policy.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import { answerNotes } from "../../runtime/agent-order.ts";
import type { Context, GateInput, Verdict } from "../../runtime/module.ts";
import { briefOf, restOfClaims } from "../../runtime/review/brief.ts";
import type { ReviewFacts } from "../../runtime/review/model.ts";
import { pointsIn } from "../../runtime/review/points.ts";
import type { ReviewFinding } from "../../runtime/review/question.ts";
import { checkVersion, decidedWords, versionOf } from "../../runtime/review/version.ts";
import { hashOfTable } from "../../runtime/run-log/history.ts";
import { loadSteps } from "../../runtime/run-log/read.ts";
import type { Step } from "../../runtime/run-log/step.ts";
import { strengthOf } from "../../runtime/transaction/person.ts";
import { taskOf } from "../../tasks-file/load.ts";
import type { Task } from "../../tasks-file/task.ts";
import { APPROVAL, loopPolicy } from "./govern.ts";
import { awaitsVerdict, judgedIn, repoOf } from "./judged.ts";
import { loadMessages, type Message, undeliveredNotes } from "./question.ts";
import { loadKept, type ReviewExtras, reviewNow } from "./review.ts";
import { tableOf } from "./run/life.ts";
import type { TaskRun, TaskVerdict } from "./run/task-run.ts";
import { noted, statusEdit } from "./verbs/edits.ts";
import { sendEvent } from "./verbs/person.ts";
import { askFirst } from "./verbs/persons-word.ts";
import { changing, type Done, loadSnapshot, type Snapshot } from "./verbs/snapshot.ts";

/** A person's verdict on a task that waits for approval: `pawl approve`, `bloom approve`, `pawl reject`. */
export const gate = changing(
  async (view: View, context: Context, { id }: GateInput) => {
    const snapshot = await loadSnapshot(view, context);
    const run = snapshot.states.has(id) ? snapshot.runs.get(id) : undefined;
    return {
      ...snapshot,
      kept: await loadKept(view, run && awaitsVerdict(run) ? run : null),
      messages: await loadMessages(view, id),
      steps: isId(id) ? await loadSteps(view, `bloom:${id}`) : [],
    };
  },
  (
    snapshot: LoadedGate,
    { id, approve, block = false, notes }: GateInput,
    context,
    { logins, review, ...hashes }: GateObservations,
  ): Done => {
    const task = taskOf(snapshot.file.tasks, id);
    const run = snapshot.runs.get(id);
    if (!run || !review || !snapshot.states.has(id) || !awaitsVerdict(run))
      return {
        text: `${id} does not wait for approval${run ? `: it is ${run.state}` : ""}.${decidedWords(snapshot.steps, logins)}`,
        data: { task: id, state: run?.state ?? null },
        refused: true,
      };
    const given = { approve, block, notes: notes ?? "" };
    const question = askFirst(context, questionOf(task, run, review, given));
    if (question) return question;
    const verdict = verdictOf(snapshot, run, given, hashes, context);
    const judged = { ...run, verdicts: [...run.verdicts, kept(run, given, context)] };
    if (approve) {
      const sent = sendEvent(snapshot, task, judged, { event: "approved" }, context);
      return { ...withUndelivered(task, snapshot, sent), verdict };
    }
    const withNote = noted(task, rejection(notes ?? ""));
    if (!block) {
      const message = notes?.trim() || "No reason was given.";
      const sent = sendEvent(snapshot, task, judged, { event: "sent_back" }, context, message);
      return {
        ...sent,
        text: `${id} is rejected: its agent continues with your notes.`,
        edits: [withNote, ...(sent.edits ?? [])],
        verdict,
      };
    }
    const edits = [withNote, statusEdit(task, "blocked")];
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
  foundOf,
);

/**
 * With the steps that the run took to get here, and the messages that people sent since its agent last
 * ran.
 */
interface LoadedGate extends Snapshot {
  readonly steps: readonly Step[];
  readonly messages: readonly Message[];
  readonly kept: ReviewExtras;
}

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
function withUndelivered(task: Task, { messages }: LoadedGate, sent: Done): Done {
  if (sent.data?.state !== "done" || messages.length === 0) return sent;
  const notes = undeliveredNotes(messages);
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
  /** Null: it waits for no verdict. */
  readonly review: ReviewFacts | null;
  /** Of a database, of the verdicts so far. */
  readonly logins: ReadonlyMap<string, string> | undefined;
}

async function foundOf(
  snapshot: LoadedGate,
  input: GateInput,
  outside: Outside,
  context: Context,
): Promise<GateObservations> {
  const run = snapshot.states.has(input.id) ? snapshot.runs.get(input.id) : undefined;
  const waits = run && awaitsVerdict(run) ? run : null;
  const present = waits && versionOf(judgedIn(waits));
  checkVersion(`bloom:${input.id}`, input.version, present);
  return {
    logins: waits ? undefined : await outside.workers?.logins(`bloom:${input.id}`),
    review: waits && (await reviewNow({ snapshot, run: waits, ...snapshot.kept }, outside, context)),
    policy: hashOfPolicy(loopPolicy(context.settings)),
    table: hashOfTable(tableOf(run ?? {})),
  };
}

interface Given {
  readonly approve: boolean;
  readonly block: boolean;
  readonly notes: string;
}

function questionOf(task: Task, run: TaskRun, review: ReviewFacts, { approve, block, notes }: Given) {
  const verb = approve ? "approve" : "reject";
  return {
    question: `Do you ${verb} the work of task ${task.id} (${task.title})?`,
    facts: [
      approve
        ? "Yes lets it leave its branch: push, merge, what tasks.yaml says."
        : block
          ? "Yes blocks the task."
          : "Yes sends it back to its agent, with your notes.",
      ...(run.work ? [`Its work is on ${run.work.branch}, at ${run.work.commit.slice(0, 12)}.`] : []),
      ...(notes.trim() === "" ? [] : [`Your notes: ${notes}`]),
    ],
    brief: briefOf(review),
    findings: restOfClaims(review).map(({ about, found: words, verdict }) => ({ about, verdict, words })),
    changes: review.changes,
    notes: answerNotes(run.said ?? {}),
    whole: `pawl review ${task.id}`,
  };
}

const MAX_COMMANDS = 12;

function findingOf({ command, commit, empty, exit, flaky, on }: TaskRun["evidence"][number]): ReviewFinding {
  const where = `on ${on === "merge" ? "the merged result" : "its workspace"}${commit ? ` at ${commit.slice(0, 12)}` : ""}`;
  if (flaky)
    return {
      about: command,
      verdict: "differs",
      words: `it is flaky: it ended with ${flaky.exit ?? "a signal"}, then passed on the same files, ${where}`,
    };
  if (empty && exit === 0) return { about: command, verdict: "unknown", words: `it ran no test ${where}` };
  return exit === 0
    ? { about: command, verdict: "agrees", words: `it passed ${where}` }
    : { about: command, verdict: "differs", words: `it ended with ${exit ?? "a signal"} ${where}` };
}
