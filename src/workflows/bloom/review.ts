/** What a person needs to judge a task's work that waits for approval. */

import type { LoopEvidence } from "../../core/loop-record.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { PolicyChange } from "../../core/policy.ts";
import type { ChangedFile } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import { answerNotes } from "../../runtime/agent-order.ts";
import type { Context, StoryInput, Transaction } from "../../runtime/module.ts";
import { answered } from "../../runtime/review/answered.ts";
import { gitOf } from "../../runtime/review/git-of.ts";
import type { Claim, ReviewChanges, ReviewCheck, ReviewFacts } from "../../runtime/review/model.ts";
import { listFiles, sizeOf, wordsIn } from "../../runtime/review/order.ts";
import { pointsIn } from "../../runtime/review/points.ts";
import { versionOf } from "../../runtime/review/version.ts";
import { loadSteps } from "../../runtime/run-log/read.ts";
import { levelAt } from "../../runtime/transaction/signed-gate.ts";
import { taskOf } from "../../tasks-file/load.ts";
import { branchOf, type Task, type TasksFile } from "../../tasks-file/task.ts";
import { costOf } from "./costs.ts";
import { criteriaShown } from "./criteria-shown.ts";
import { commitsOf, ignoredFor, policyFindings } from "./gate-facts.ts";
import { APPROVAL, governTask } from "./govern.ts";
import { awaitsVerdict, judgedIn, repoOf, roundOf } from "./judged.ts";
import { INPUTS } from "./run/facts.ts";
import { tableOf } from "./run/life.ts";
import type { TaskRun } from "./run/task-run.ts";
import { loadTail, outputFileOf } from "./verbs/failed-output.ts";
import { loadSnapshot, type Snapshot } from "./verbs/snapshot.ts";

interface LoadedReview extends ReviewExtras {
  readonly snapshot: Snapshot;
  /** Null: there is nothing to show. */
  readonly run: TaskRun | null;
}

/** What a review reads beside the run. */
export interface ReviewExtras {
  /** The end of each shown command's output. */
  readonly tails: ReadonlyMap<LoopEvidence, string>;
  /** How often an agent began to work on it; null: not known. */
  readonly tries: number | null;
}

interface ReviewFindings {
  readonly changes: ReviewChanges | null;
  /** The logins of a database that brought the verdicts, by their time. */
  readonly logins: ReadonlyMap<string, string> | undefined;
  /** The files that differ from the last judged version; null: not known. */
  readonly changed: readonly ChangedFile[] | null;
  readonly ignored: readonly PolicyChange[];
  /** The task under its policy. */
  readonly task: Task;
  readonly missingLogs: ReadonlySet<string>;
  readonly level: string;
  readonly version: string;
}

export const review: Transaction<StoryInput, LoadedReview, ReviewFindings | null, ReviewFacts | null> = {
  run: () => null,
  async read(view, { anyState, id }, context) {
    const snapshot = await loadSnapshot(view, context);
    const fault = snapshot.held.get(id);
    if (fault) throw fault;
    const task = taskOf(snapshot.file.tasks, id);
    const run = snapshot.states.has(id) ? snapshot.runs.get(id) : undefined;
    const shown = !run || awaitsVerdict(run) ? (run ?? null) : anyState ? withLastVerified(run, task) : null;
    return { snapshot, run: shown, ...(await loadKept(view, shown)) };
  },
  observe: async ({ run, snapshot }, _, outside, context) =>
    run && gatherFindings(run, snapshot, outside, context),
  propose: ({ run, snapshot: { cacheEntries, file }, ...kept }, findings) => ({
    reply: run && findings && reviewOf(run, file, kept, findings),
    cacheEntries,
  }),
};

/** Until all of its work is committed, the commit on which its commands last ran counts as its work. */
function withLastVerified(run: TaskRun, task: Task): TaskRun {
  const commit = run.evidence.findLast((each) => each.commit !== null)?.commit;
  const { repo } = task;
  if (run.work !== null || commit == null || repo === undefined) return run;
  return { ...run, work: { repo, branch: branchOf(task), commit, merged: null, time: "" } };
}

export async function loadKept(view: View, run: TaskRun | null | undefined): Promise<ReviewExtras> {
  if (!run) return { tails: new Map(), tries: null };
  return { tails: await loadTails(view, shownOf(run)), tries: await triesOf(view, run) };
}

/** The review's facts, also for the question of a verdict. */
export async function reviewNow(
  { run, snapshot, ...kept }: LoadedReview & { readonly run: TaskRun },
  outside: Outside,
  context: Context,
): Promise<ReviewFacts> {
  return reviewOf(run, snapshot.file, kept, await gatherFindings(run, snapshot, outside, context));
}

async function triesOf(view: View, run: TaskRun): Promise<number> {
  const steps = await loadSteps(view, `bloom:${run.task}`);
  const starts = new Set(
    tableOf(run)
      .rules.filter(({ commands }) => commands?.some(({ type }) => type === "run-agent" || type === "run"))
      .map(({ id: rule }) => rule),
  );
  return steps.filter(({ rule }) => rule !== undefined && starts.has(rule)).length;
}

/** The last run of each command, in each place. */
function shownOf({ evidence }: TaskRun): readonly LoopEvidence[] {
  return evidence.filter(
    ({ command, on }, at) =>
      evidence.findLastIndex((other) => other.command === command && other.on === on) === at,
  );
}

async function loadTails(
  view: View,
  shown: readonly LoopEvidence[],
): Promise<ReadonlyMap<LoopEvidence, string>> {
  const tails = new Map<LoopEvidence, string>();
  for (const each of shown) tails.set(each, await loadTail(view, each));
  return tails;
}

async function gatherFindings(
  run: TaskRun,
  snapshot: Snapshot,
  outside: Outside,
  { settings }: Context,
): Promise<ReviewFindings> {
  const { task: id, verdicts, work } = run;
  const judged = verdicts.at(-1)?.commit;
  const git = await gitOf(outside, repoOf(run));
  const changed = judged && work && !("reason" in git) ? await git.between(judged, work.commit) : null;
  const logs = shownOf(run).map(outputFileOf);
  const task = taskOf(snapshot.file.tasks, id);
  const pinned = (await outside.policies?.find(`bloom:${id}`)) ?? null;
  return {
    changes: await changesOf(run, snapshot, changed ? (judged ?? null) : null, changed, outside),
    changed,
    logins: judged === undefined ? undefined : await outside.workers?.logins(`bloom:${id}`),
    ignored: await ignoredFor(snapshot, id, outside),
    task: governTask(task, pinned).task,
    missingLogs: new Set(logs.length === 0 ? [] : await outside.files.missing(logs as ProjectPath[])),
    level: await levelAt({ gate: APPROVAL, run: `bloom:${id}` }, { outside, settings }),
    version: versionOf(judgedIn(run)),
  };
}

async function changesOf(
  run: TaskRun,
  { file }: Snapshot,
  lastJudged: string | null,
  sinceLast: readonly ChangedFile[] | null,
  outside: Outside,
): Promise<ReviewChanges | null> {
  if (!run.work) return null;
  const findings = await commitsOf(file, run, outside);
  if (findings.kind === "unavailable") return findings;
  if (findings.from === undefined)
    return { kind: "unavailable", reason: "this git port does not say since when" };
  const { base, from } = findings;
  const git = await gitOf(outside, repoOf(run));
  if ("reason" in git) return { kind: "unavailable", ...git };
  const to = run.work.commit;
  const listed = await listFiles(findings.files, null, sinceLast, { git, from, to, last: lastJudged });
  return { kind: "changes", repo: repoOf(run), base, from, to, ...listed, lastJudged };
}

function reviewOf(
  run: TaskRun,
  file: TasksFile,
  { tails, tries }: Pick<LoadedReview, "tails" | "tries">,
  findings: ReviewFindings,
): ReviewFacts {
  const { changed, changes, missingLogs, ignored, level, logins, task, version } = findings;
  const { verdicts } = run;
  const last = verdicts.at(-1);
  const notes = task.ai_notes.join("\n");
  return {
    run: `bloom:${task.id}`,
    title: task.title,
    gate: APPROVAL,
    subject: "the work",
    version,
    since: run.since,
    round: roundOf(run),
    question: `Do you approve the work of task ${task.id} (${task.title})?`,
    leads: leadsOf(run, task, file),
    facts: factsOf(run),
    criteria: criteriaShown(run, task),
    deeds: deedsOf(task),
    claims: [...policyFindings(task.id, ignored).map(asClaim), ...claimsIn(run, task)],
    choices: [],
    artifact: null,
    changes,
    checks: shownOf(run).map((each) => checkOf(each, tails.get(each) ?? "", missingLogs)),
    cost: costOf(run, task, tries),
    size: sizeOf(changes?.kind === "changes" ? changes.files : [], wordsIn(notes)),
    history: verdicts.map(({ approved, by, commit, notes: text, strength, time }) => ({
      ...{
        time,
        approved,
        by,
        login: logins?.get(time),
        strength,
        stage: "human",
        artifact: null,
        work: commit,
      },
      ...pointsIn(text),
    })),
    points: answered(last && !last.approved ? pointsIn(last.notes).points : [], {
      ...{ changed, before: null, now: null },
    }),
    notes: [
      ...answerNotes(run.said ?? {}),
      { by: "tasks.yaml (its agents write there too)", text: notes },
      { by: "The agent, on why there is nothing to commit", text: run.nothing ?? "" },
    ].filter(({ text }) => text.trim() !== ""),
    level,
  };
}

function deedsOf({ steps }: Task): NonNullable<ReviewFacts["deeds"]> {
  const done = steps.filter(({ status }) => status === "done");
  return done.map(({ id, instruction: words }) => ({ id, words }));
}

function leadsOf(run: TaskRun, task: Task, file: TasksFile): ReviewFacts["leads"] {
  const rejected = {
    reject: "Rejecting sends it back to its agent, with your notes.",
    block: `If rejected, it stays blocked until you say \`pawl task ready ${task.id}\``,
  };
  if (run.state === "opening_pr")
    return { approve: "Approving says that its pull request is merged: Pawl cleans up.", ...rejected };
  const input = (name: "push" | "target") =>
    INPUTS[name]?.({ file, task } as Parameters<(typeof INPUTS)[string]>[0], run, "approved");
  const target = input("target");
  const ways = [
    ...(input("push") === true ? ["pushes its branch"] : []),
    ...(target === "pr" ? ["opens its pull request"] : []),
    ...(target === "merge" ? [`merges it into ${task.merge_into}`] : []),
  ];
  const approve = ways.length === 0 ? "Approving completes the task." : `Approving ${ways.join(" and ")}.`;
  return { approve, ...rejected };
}

function factsOf(run: TaskRun): readonly string[] {
  const { refused = [], work } = run;
  const flaky = shownOf(run).filter((each) => each.flaky !== undefined);
  return [
    ...flaky.map(
      (each) =>
        `\`${each.command}\` is flaky: it ended with ${each.flaky?.exit ?? "a signal"}, then passed on the same files. What it printed then is in ${each.flaky?.log}/output.jsonl.`,
    ),
    ...(work ? [`Its work is on ${work.branch}, at ${work.commit.slice(0, 12)}.`] : []),
    ...(refused.length > 0 ? [`Its agent was not allowed to: ${refused.join("; ")}.`] : []),
  ];
}

const asClaim = ({ about, verdict, words }: ReturnType<typeof policyFindings>[number]): Claim => ({
  ...{ about, verdict, found: words },
});

/** What is marked as done, next to the results of the commands that the loop ran for it. */
function claimsIn({ evidence }: TaskRun, task: Task): readonly Claim[] {
  return task.steps
    .filter(({ status }) => status === "done")
    .map(({ id, verify = task.verify ?? [] }): Claim => {
      const ends = verify.map((command) => ({
        command,
        last: evidence.findLast((each) => each.command === command && each.on === "worktree"),
      }));
      const named = (group: typeof ends) => group.map(({ command }) => `\`${command}\``).join(", ");
      const failed = ends.filter(({ last }) => last !== undefined && last.exit !== 0);
      const unseen = ends.filter(({ last }) => last === undefined);
      const empty = ends.filter(({ last }) => last?.empty);
      const claim = { about: `step ${id}`, claim: "done" };
      if (failed.length > 0) return { ...claim, found: `Failed: ${named(failed)}.`, verdict: "differs" };
      if (ends.length === 0) return { ...claim, found: "No command checks it.", verdict: "unknown" };
      if (unseen.length > 0) return { ...claim, found: `Not run: ${named(unseen)}.`, verdict: "unknown" };
      return empty.length > 0
        ? { ...claim, found: `Ran no test: ${named(empty)}.`, verdict: "unknown" }
        : { ...claim, found: `Passed: ${named(ends)}.`, verdict: "agrees" };
    });
}

function checkOf(each: LoopEvidence, tail: string, missingLogs: ReadonlySet<string>): ReviewCheck {
  const { command, commit, duration, exit, on } = each;
  const log = outputFileOf(each);
  return {
    name: on === "merge" ? `${command} (on the merged result)` : command,
    command,
    state: exit === 0 ? "passed" : "failed",
    ...(each.empty ? { empty: true } : {}),
    exit,
    duration_ms: duration,
    tail,
    log: missingLogs.has(log) ? null : log,
    on: commit,
  };
}
