/** What a person needs to decide in a state that takes verdicts. */
import { PawlError } from "../../core/error.ts";
import type { ChangedFile, Snapshot } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import { asStrength } from "../../core/strength.ts";
import { targetOf } from "../../engine/configuration.ts";
import { variableWords } from "../../engine/counter.ts";
import { canApply } from "../../engine/reach.ts";
import type { Context, StoryInput, Transaction } from "../../runtime/module.ts";
import { answered } from "../../runtime/review/answered.ts";
import type {
  Claim,
  ReviewChanges,
  ReviewCheck,
  ReviewCost,
  ReviewFacts,
} from "../../runtime/review/model.ts";
import { listFiles, sizeOf, wordsIn } from "../../runtime/review/order.ts";
import { pointsIn } from "../../runtime/review/points.ts";
import { unknownChanges } from "../../runtime/review/work-changes.ts";
import { levelAt } from "../../runtime/transaction/signed-gate.ts";
import { totalOf } from "../../scheduler/costs.ts";
import { agentNotes } from "./agents/order-state.ts";
import { type Child, childrenShown, childrenWords } from "./begin/children.ts";
import { type DefinitionSource, gateName } from "./definition/definition.ts";
import { eventFor, inspectWork, presentVersion, roundOf, verdictsAt } from "./judged.ts";
import { loadRun, type OwnRun } from "./load-run.ts";

interface ReviewFindings {
  readonly changes: ReviewChanges;
  /** The files that differ from the last judged version; null: not known. */
  readonly changed: readonly ChangedFile[] | null;
  readonly level: string;
  /** Null: it waits for no verdict. */
  readonly version: string | null;
}

export function reviewIn(
  source: DefinitionSource,
  sources: readonly DefinitionSource[],
): Transaction<
  StoryInput,
  OwnRun & { readonly children: readonly Child[] },
  ReviewFindings,
  ReviewFacts | null
> {
  return {
    run: () => null,
    async read(view, { id }, context) {
      const run = await loadRun(sources, view, `${source.name}:${id}`);
      return { ...run, children: await childrenShown(run.file, { ...context, sources, view }) };
    },
    observe: (run, _, outside, context) => gatherFindings(run, outside, context),
    propose(run, { version, ...findings }, { anyState }) {
      if (!anyState && version === null && run.file === null) throw notBegunError(run.run);
      // A run that others moved cannot be decided here.
      const isOpen = anyState || (version !== null && !run.elsewhere);
      return { reply: isOpen ? reviewOf(run, { ...findings, version: version ?? "" }) : null };
    },
  };
}

function notBegunError(run: string): PawlError {
  return new PawlError("run-missing", `No run ${run} has begun.`, "`pawl status` lists every run.");
}

/** The review's facts for the question of an event, on the work that the person agrees to. */
export async function reviewNow(
  run: OwnRun,
  work: Snapshot,
  outside: Outside,
  context: Pick<Context, "settings">,
): Promise<ReviewFacts> {
  const { version, ...findings } = await gatherFindings(run, outside, context, work);
  return reviewOf(run, { ...findings, version: version ?? "" });
}

async function gatherFindings(
  run: OwnRun,
  outside: Outside,
  { settings }: Pick<Context, "settings">,
  snapshot?: Snapshot,
): Promise<ReviewFindings> {
  const work = snapshot ?? (await inspectWork(outside));
  const judged = verdictsAt(run).at(-1)?.tree;
  const changed = judged && work.kind === "tree" ? await outside.git.between(judged, work.tree) : null;
  const gate = gateName(run.loaded.definition, run.configuration.state);
  return {
    changes: await changesIn(work, changed ? (judged ?? null) : null, changed, outside),
    changed,
    level: await levelAt({ gate, run: run.run }, { outside, settings }),
    version: await presentVersion(run, work),
  };
}

function reviewOf(
  run: OwnRun & { readonly children?: readonly Child[] },
  { changed, changes, level, version }: ReviewFindings & { readonly version: string },
): ReviewFacts {
  const { configuration, file, loaded, workflow } = run;
  const { state } = configuration;
  const verdicts = verdictsAt(run);
  const last = verdicts.at(-1);
  const notes = file?.history.findLast((entry) => (entry.notes ?? "").trim() !== "");
  const by = notes?.by === undefined ? "An earlier event" : `${notes.event} (by ${notes.by.channel})`;
  const notesText = notes?.notes ?? "";
  const rejected = last?.gate === "reject" ? pointsIn(last.notes ?? "").points : [];
  const lacks = (["approve", "reject"] as const).filter((verdict) => eventFor(run, verdict) === undefined);
  return {
    run: run.run,
    title: `${workflow.title} ${run.id}`,
    gate: gateName(loaded.definition, state),
    subject: `what is in ${state}`,
    version,
    since: file?.history.at(-1)?.time ?? file?.created_at ?? null,
    round: roundOf(run),
    question: `Do you approve ${run.run}, which is in ${state}? (${workflow.states[state]?.description ?? ""})`,
    leads: { approve: leadOf(run, "approve"), reject: leadOf(run, "reject") },
    ...(lacks.length > 0 && { lacks }),
    facts: [
      ...Object.entries(configuration.variables).map(
        ([name, value]) => `${name} = ${variableWords(workflow, name, value)}`,
      ),
      ...(run.children?.length ? [`It began ${childrenWords(run.children)}`] : []),
    ],
    claims: claimsIn(run),
    choices: [],
    artifact: null,
    changes,
    checks: checksIn(run),
    cost: costOf(run),
    size: sizeOf(changes.kind === "changes" ? changes.files : [], wordsIn(notesText)),
    history: verdicts.map((entry) => ({
      ...{ time: entry.time, approved: entry.gate === "approve", stage: "human" },
      ...{ by: entry.by?.who ?? entry.by?.channel ?? null, strength: asStrength(entry.strength) },
      ...pointsIn(entry.notes ?? ""),
      ...{ artifact: null, work: entry.tree ?? null },
    })),
    points: answered(rejected, { changed, before: null, now: null }),
    notes: [...agentNotes(run), ...(notesText === "" ? [] : [{ by, text: notesText }])],
    level,
  };
}

const MINUTE = 60_000;

/** By state: how long the run was in it, and how often, not counting waits that a person's verdict ended. Then by agent. */
function costOf(run: OwnRun): ReviewCost {
  const { created_at, history = [] } = run.file ?? {};
  const spent = history.flatMap((entry, at) => {
    const began = history[at - 1]?.time ?? created_at ?? entry.time;
    const isWork = entry.strength === undefined && entry.kind !== "adopted";
    return isWork ? [{ state: entry.from, spent: Date.parse(entry.time) - Date.parse(began) }] : [];
  });
  const unknown = { usd: null, tokens: null };
  const { tokens, usd } = totalOf(Object.values(run.file?.costs ?? {}));
  const agents = Object.entries(run.file?.costs ?? {}).map(([agent, cost]) => ({
    ...{ name: `the agent ${agent}`, usd: cost.usd, tokens: cost.tokens },
    ...{ minutes: Math.round(cost.milliseconds / MINUTE), tries: cost.runs },
  }));
  const sum = (group: typeof spent) =>
    Math.max(0, Math.round(group.reduce((total, each) => total + each.spent, 0) / MINUTE));
  const steps = [...new Set(spent.map(({ state }) => state))].map((name) => {
    const ofState = spent.filter(({ state }) => state === name);
    return { name, ...unknown, minutes: sum(ofState), tries: ofState.length };
  });
  const minutes = spent.length === 0 ? null : sum(spent);
  return { usd, tokens, minutes, tries: roundOf(run), steps: [...steps, ...agents] };
}

/** The verdict's event, and the states that it may lead to. */
function leadOf(run: OwnRun, verdict: "approve" | "reject"): string {
  const { configuration, workflow } = run;
  const { state, variables } = configuration;
  const event = eventFor(run, verdict);
  const doing = verdict === "approve" ? "Approving" : "Rejecting";
  if (event === undefined) return `${doing} leads nowhere here: no event of ${state} stands for it.`;
  const rules = workflow.rules.filter(
    (rule) =>
      rule.on === event &&
      rule.outcome === "moved" &&
      rule.from.includes(state) &&
      canApply(workflow, rule, variables),
  );
  const targets = [...new Set(rules.flatMap((rule) => targetOf(rule, state) ?? []))];
  const description = workflow.events[event]?.description ?? "";
  return `${doing} sends \`${event}\` (${description}), which leads to ${targets.join(" or ")}.`;
}

/** Unchecked claims that the caller sent with the last event, and the facts observed for it. */
function claimsIn({ file, loaded }: OwnRun): readonly Claim[] {
  const last = file?.history.at(-1);
  return Object.entries(last?.facts ?? {}).map(([about, value]): Claim => {
    const isGiven = loaded.definition.sources[about]?.type === "given";
    return isGiven
      ? {
          about,
          claim: String(value),
          found: "It came with the event; nobody checked it.",
          verdict: "unknown",
        }
      : last?.empty?.includes(about)
        ? {
            about,
            found: `It ${String(value)} at the last event, but ran no test.`,
            verdict: "differs",
          }
        : { about, found: `It was ${String(value)} at the last event.`, verdict: "agrees" };
  });
}

/** The end of the last command. What an agent answers is no check. */
function checksIn({ file }: OwnRun): readonly ReviewCheck[] {
  const ended = file?.history.at(-1)?.ended;
  if (!ended || ended.agent !== undefined) return [];
  const { command, empty, exit_code: exit, milliseconds: duration_ms } = ended;
  const tail = file?.output ?? "";
  const state = exit === 0 ? "passed" : "failed";
  const nothing = empty ? { empty } : {};
  return [{ name: command, command, state, ...nothing, exit, duration_ms, tail, log: null, on: null }];
}

async function changesIn(
  work: Snapshot,
  lastJudged: string | null,
  sinceLast: readonly ChangedFile[] | null,
  { git }: Outside,
): Promise<ReviewChanges> {
  const reason = unknownChanges(work);
  if (reason !== null || work.kind !== "tree" || work.base === null)
    return { kind: "unavailable", reason: reason ?? "" };
  const { branch: base, commit: from } = work.base;
  const to = work.tree;
  const listed = await listFiles(work.files, null, sinceLast, { git, from, to, last: lastJudged });
  return { kind: "changes", repo: null, base, from, to, ...listed, lastJudged };
}
