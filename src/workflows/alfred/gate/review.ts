/** What a person needs to decide at a gate of a task. */
import { hashOf } from "../../../core/hash.ts";
import { canonical } from "../../../core/json.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { ChangedFile, Git, Snapshot } from "../../../core/ports/git.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Settings, Size } from "../../../core/settings.ts";
import { stricter } from "../../../core/strength.ts";
import { decide } from "../../../engine/decide.ts";
import type { StoryInput, Transaction } from "../../../runtime/module.ts";
import { answered } from "../../../runtime/review/answered.ts";
import { fieldWords } from "../../../runtime/review/brief.ts";
import type {
  Claim,
  ReviewChanges,
  ReviewCheck,
  ReviewCost,
  ReviewFacts,
  Round,
} from "../../../runtime/review/model.ts";
import { listFiles, type PlanItem, sizeOf, wordsIn } from "../../../runtime/review/order.ts";
import { pointsIn } from "../../../runtime/review/points.ts";
import { versionOf } from "../../../runtime/review/version.ts";
import { unknownChanges } from "../../../runtime/review/work-changes.ts";
import { loadSteps } from "../../../runtime/run-log/read.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import type { RunContext } from "../../../runtime/transaction/run-event.ts";
import { levelAt } from "../../../runtime/transaction/signed-gate.ts";
import { type Evidence, isNoCheck } from "../evidence/evidence.ts";
import { isOfWork, placeOfChecks, refreshEvidence } from "../evidence/gather.ts";
import { changedIn, inspectWork } from "../evidence/work-evidence.ts";
import { changingSlots, type LoadedRun, loadRun, loadTask, slotsOf } from "../state/load.ts";
import type { Artifact, Submission, Verdict } from "../state/state-file.ts";
import { isRunTool } from "../state/status.ts";
import { isPersonVerdict } from "../state/verdicts.ts";
import { titleOf } from "../texts/titles.ts";
import { statusAfter, VERIFIED, type WorkStep } from "../tools/definition.ts";
import { machineOf, stepOf } from "../tools/machine.ts";
import { adviceOn, meaningOf } from "./advice.ts";
import { choicesIn, claimIn } from "./choices.ts";
import { gateName, govern, withPolicyFinding } from "./govern.ts";
import { reviewNotes } from "./human-question.ts";
import { judgedIn, roundOf, verdictsAt } from "./judged.ts";

interface Opened {
  readonly view: View;
  /** Null: the task does not wait for a person's verdict. */
  readonly run: LoadedRun | null;
}

interface ReviewFindings {
  readonly evidence: Evidence;
  readonly changes: ReviewChanges | null;
  /** The files that differ from what a person judged last; null: not known. */
  readonly changed: readonly ChangedFile[] | null;
  /** The artifact that a person judged last; null: none, or it is not stored. */
  readonly judged: Artifact | null;
  readonly logs: ReadonlySet<string>;
  readonly level: string;
  readonly version: string;
  readonly settings: Settings;
  /** The steps in the run's log since the run last began. */
  readonly steps: readonly Step[];
}

export const review: Transaction<StoryInput, Opened, ReviewFindings | null, ReviewFacts | null> = {
  run: () => null,
  async read(view, { id }, context) {
    const task = await loadTask(view, id);
    if (task.state.active_tool_state === null) return { view, run: null };
    const run = await loadRun(view, task, context);
    const gate = machineOf(run.definition).underReview(run.configuration);
    const isAsked = gate?.reviewer === "human" && run.active.context_store.submitted !== null;
    return { view, run: isAsked ? run : null };
  },
  async observe({ run, view }, input, outside, context) {
    const submitted = run?.active.context_store.submitted;
    return run && submitted ? gatherFindings(run, submitted, { ...context, input, view, outside }) : null;
  },
  propose({ run }, findings) {
    const submitted = run?.active.context_store.submitted;
    return { reply: run && submitted && findings ? reviewOf(run, submitted, findings) : null };
  },
};

type ReviewContext = RunContext<unknown>;

/** The review at this moment; a verdict's question shows it, too. */
export async function reviewNow(
  run: LoadedRun,
  submitted: Submission,
  context: ReviewContext,
): Promise<ReviewFacts> {
  return reviewOf(run, submitted, await gatherFindings(run, submitted, context));
}

async function gatherFindings(
  run: LoadedRun,
  submitted: Submission,
  given: ReviewContext,
): Promise<ReviewFindings> {
  const { outside } = given;
  const governed = await govern(run, given);
  const context = { ...given, settings: governed.settings };
  const { evidence, work = await inspectWork(run, outside, context) } = await refreshEvidence(
    run,
    outside,
    context,
    "looks",
  );
  const last = verdictsAt(run, submitted.state).findLast(isPersonVerdict);
  const changed = last?.tree && work.kind === "tree" ? await outside.git.between(last.tree, work.tree) : null;
  const findings = withPolicyFinding(evidence, run.id, governed.ignored);
  const logs = checksIn(submitted, findings, governed.settings, new Set()).flatMap(({ log }) => log ?? []);
  const missingLogs = new Set<string>(await outside.files.missing(logs as ProjectPath[]));
  const level = await levelAt({ gate: gateName(run.definition.name), run: run.run }, given);
  const confirm = governed.settings.alfred.human_review === "confirm";
  return {
    evidence: findings,
    changes: await changesIn(run, work, changedIn(work, context), changed ? (last?.tree ?? null) : null, {
      git: outside.git,
      sinceLast: changed && changedIn({ ...work, files: changed } as Snapshot, context),
    }),
    changed,
    judged: await artifactOf(run, submitted, last),
    logs: missingLogs,
    level: confirm ? stricter(level, "terminal") : level,
    version: versionOf(judgedIn(run, submitted, work)),
    settings: governed.settings,
    steps: await loadSteps(given.view, run.run),
  };
}

/** The artifact that the verdict judged, if it is stored anywhere; else null. */
async function artifactOf(
  { active, state }: LoadedRun,
  submitted: Submission,
  verdict: Verdict | undefined,
): Promise<Artifact | null> {
  if (verdict === undefined) return null;
  const { feedback } = active.context_store;
  if (feedback && hashOf(canonical(feedback.artifact)) === verdict.sha256) return feedback.artifact;
  const before = state.completed_tool_outputs[active.tool_name]?.accepted ?? [];
  return [submitted, ...before].find(({ sha256 }) => sha256 === verdict.sha256)?.artifact ?? null;
}

async function changesIn(
  run: LoadedRun,
  work: Snapshot,
  files: readonly ChangedFile[],
  lastJudged: string | null,
  { git, sinceLast }: { readonly git: Git; readonly sinceLast: readonly ChangedFile[] | null },
): Promise<ReviewChanges | null> {
  const { submitted } = run.active.context_store;
  const isAboutWork = isOfWork(stepOf(run.definition, submitted?.state ?? ""));
  if (work.kind !== "tree" || work.base === null) {
    return isAboutWork ? { kind: "unavailable", reason: unknownChanges(work) ?? "" } : null;
  }
  if (files.length === 0 && !isAboutWork) return null;
  const { branch: base, commit: from } = work.base;
  const to = work.tree;
  const listed = await listFiles(files, planOf(run), sinceLast, { git, from, to, last: lastJudged });
  return { kind: "changes", repo: null, base, from, to, ...listed, lastJudged };
}

/** The slots of the accepted plan, with the files that they may change; null: the task was not planned. */
function planOf({ state }: LoadedRun): readonly PlanItem[] | null {
  if (slotsOf(state).length === 0) return null;
  return changingSlots(state).map(({ location, slot_id }) => ({ id: slot_id, files: [location] }));
}

function reviewOf(run: LoadedRun, submitted: Submission, findings: ReviewFindings): ReviewFacts {
  const { changed, changes, evidence, judged, level, version } = findings;
  const { artifact, sha256, state } = submitted;
  const step = stepOf(run.definition, state);
  const title = titleOf(run.definition.name, state);
  const verdicts = verdictsAt(run, state);
  const last = verdicts.findLast(isPersonVerdict);
  const rejected = last && !last.approved ? pointsIn(last.notes).points : [];
  return {
    run: run.run,
    title: run.task.title,
    gate: gateName(run.definition.name),
    subject: `the ${title}`,
    version,
    since: sinceOf(run, submitted),
    round: roundOf(run, state),
    question: `Do you approve the ${title} of task ${run.id} (${run.task.title})?`,
    leads: leadsOf(run, step, submitted, findings.settings.alfred.size),
    facts: factsOf(run, step, submitted, findings),
    criteria: run.task.acceptance_criteria.map((text) => ({ text, check: null })),
    deeds: deedsOf(run),
    claims: evidence.filter(isNoCheck).map((each) => claimOf(step, artifact, each)),
    choices: choicesIn(step.artifact, artifact, judged),
    artifact: { name: title, value: artifact, sha256 },
    changes,
    checks: checksIn(submitted, evidence, findings.settings, findings.logs),
    cost: costOf(findings.steps),
    size: sizeOf(changes?.kind === "changes" ? changes.files : [], wordsIn(artifact)),
    history: verdicts.map(roundIn),
    points: answered(rejected, { changed, before: judged, now: artifact }),
    notes: reviewNotes(run, submitted),
    level,
  };
}

function deedsOf({ state }: LoadedRun): NonNullable<ReviewFacts["deeds"]> {
  return slotsOf(state).map(({ slot_id: id, spec, title }) => ({ id, words: `${title}: ${spec}` }));
}

/** When the wait began: at the submission, or at the assistant's own approval after it. */
function sinceOf({ active }: LoadedRun, { sha256, state, time }: Submission): string {
  const approvals = active.context_store.verdicts.filter(
    (verdict) => verdict.state === state && verdict.sha256 === sha256 && verdict.time > time,
  );
  return approvals.at(-1)?.time ?? time;
}

function leadsOf(
  run: LoadedRun,
  step: WorkStep,
  submitted: Submission,
  size: Size | null,
): ReviewFacts["leads"] {
  const { approve, reject } = meaningOf(step, submitted);
  const machine = machineOf(run.definition);
  const { state } = decide(
    run.workflow,
    run.configuration,
    machine.approveEvent(run.configuration),
    {},
  ).after;
  const next = machine.workOf(state);
  const then =
    state === VERIFIED
      ? `then the task is '${statusAfter(run.definition, submitted.artifact, size)}'`
      : next === null
        ? "then another review follows"
        : `then the assistant hands in the ${titleOf(run.definition.name, next)}`;
  return { approve: `Approving ${approve}; ${then}.`, reject: `Rejecting ${reject}, with your notes.` };
}

function factsOf(
  run: LoadedRun,
  step: WorkStep,
  submitted: Submission,
  { evidence, settings }: ReviewFindings,
): readonly string[] {
  const open = evidence.filter(({ verdict }) => verdict === "differs" || verdict === "running");
  const isStopped = settings.alfred.evidence === "require" && open.length > 0;
  const isUnchecked =
    step.evidence.includes("checks") &&
    Object.keys(settings.alfred.checks).length === 0 &&
    evidence.every(({ loop }) => loop === undefined);
  return [
    ...adviceOn(run, step, { ...submitted, evidence }, { reviewer: "human", thenHuman: false }),
    ...(isUnchecked
      ? ["Pawl ran no check: the project names none. Name them in `checks` of pawl.yaml."]
      : []),
    ...(isStopped
      ? [
          "It cannot be approved while what was found differs from it, or is not known yet (evidence: require).",
        ]
      : []),
  ];
}

function claimOf(step: WorkStep, artifact: Artifact, { about, verdict, words }: Evidence[number]): Claim {
  const claim = claimIn(step.artifact, about, artifact);
  return { about, ...(claim === undefined ? {} : { claim }), found: words, verdict };
}

const STATES = { agrees: "passed", differs: "failed", running: "running", unknown: "unknown" } as const;

/** `missingLogs`: the logs that no longer exist. */
export function checksIn(
  submitted: Submission,
  evidence: Evidence,
  { alfred }: Settings,
  missingLogs: ReadonlySet<string>,
): readonly ReviewCheck[] {
  const on = placeOfChecks(submitted);
  const commandOf = (name: string) =>
    Object.hasOwn(alfred.checks, name) ? (alfred.checks[name] ?? null) : null;
  return evidence.flatMap(({ check, loop, unstarted, verdict, words }): readonly ReviewCheck[] => {
    if (unstarted) {
      const { name } = unstarted;
      return [
        {
          ...{ name, command: commandOf(name), state: "unknown", exit: null, duration_ms: null, tail: words },
          ...{ log: null, on: null },
        },
      ];
    }
    if (check) {
      const log = `.pawl/checks/${check.key}/output`;
      return [
        {
          name: check.name,
          command: commandOf(check.name),
          state: STATES[verdict],
          exit: check.exit_code,
          duration_ms: check.duration_ms,
          tail: check.tail,
          ...(check.empty ? { empty: check.empty } : {}),
          log: missingLogs.has(log) ? null : log,
          on,
        },
      ];
    }
    return (loop?.commands ?? []).map(({ command, exit_code, log }) => ({
      ...{ name: command, command, exit: exit_code, duration_ms: null, tail: "" },
      ...{ state: exit_code === 0 ? ("passed" as const) : ("failed" as const), on: loop?.commit ?? null },
      log: missingLogs.has(log) ? null : log,
    }));
  });
}

const MINUTE = 60_000;

/**
 * By tool: how often the same artifact was submitted, at most, and how long the assistant took. Waiting for a
 * person does not count.
 */
function costOf(all: readonly Step[]): ReviewCost {
  const steps = all.flatMap(({ artifact, from, kind, machine: tool, strength, time, verdict }, at) => {
    const before = all[at - 1];
    if (!isRunTool(tool)) return [];
    const isWork = kind === "moved" && before !== undefined && strength === undefined;
    const isHandIn = kind === "moved" && artifact !== undefined && verdict === undefined;
    const spent = isWork ? Math.max(0, Date.parse(time) - Date.parse(before.time)) : 0;
    return [{ tool, spent, place: isHandIn ? `${tool} ${from}` : null }];
  });
  const sum = (toolSteps: typeof steps) => ({
    minutes: Math.round(toolSteps.reduce((total, { spent }) => total + spent, 0) / MINUTE),
    tries: mostAlike(toolSteps.flatMap(({ place }) => place ?? [])),
  });
  const tools = [...new Set(steps.map(({ tool }) => tool))];
  const unknown = { usd: null, tokens: null };
  return {
    ...unknown,
    ...sum(steps),
    steps: tools.map((name) => ({
      name: fieldWords(name),
      ...unknown,
      ...sum(steps.filter(({ tool }) => tool === name)),
    })),
  };
}

/** How often the word that is there most often is there. */
function mostAlike(words: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function roundIn(verdict: Verdict): Round {
  const { approved, channel, sha256, stage, strength = null, time, tree = null, who } = verdict;
  return {
    ...{ time, approved, stage, strength, by: who ?? channel },
    ...pointsIn(verdict.notes),
    ...{ artifact: sha256, work: tree },
  };
}
