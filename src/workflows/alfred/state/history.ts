/**
 * A task's own history: each step that led to its state, in the state's file. The state must follow from it.
 *
 * H1  Replaying the steps through the tools' tables gives the state: status, configuration, what was accepted
 *     and by which verdicts. If a state differs, these steps did not make it, and it is held until a person
 *     decides.
 * H2  Each step holds the hash of the one before; the last one is also in `.pawl/heads`, written in the same
 *     commit.
 * H3  A state that was made from records has no history yet: it is accepted as it is, and the first step says
 *     so.
 */
import { PawlError } from "../../../core/error.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Reviewer } from "../../../core/settings.ts";
import { lineOf } from "../../../core/state-json.ts";
import { decide, initialConfiguration } from "../../../engine/decide.ts";
import { REVIEW_POLICY, reviewPolicy } from "../../../engine/review.ts";
import {
  brokenLinks,
  checkFaults,
  confirmed,
  differences,
  fromStored,
  headOf,
  headPath,
  loadHead,
  toStored,
} from "../../../runtime/run-log/history.ts";
import { type ToolDefinition, VERIFIED } from "../tools/definition.ts";
import { definitionOf } from "../tools/definitions.ts";
import { configurationIn, configurationOf, machineOf } from "../tools/machine.ts";
import { runStanding, sharedBy } from "./chain.ts";
import { statePath } from "./paths.ts";
import type { ActiveStanding, ActiveTool, Standing, Step, TaskState, ToolStep } from "./state-file.ts";
import { isRunTool } from "./status.ts";

function nameOf({ task_id }: Pick<TaskState, "task_id">): string {
  return `alfred:${task_id}`;
}

export function standingIn(state: TaskState): Standing {
  const { active_tool_state: active, completed_tool_outputs: finished, task_status } = state;
  return {
    task_status,
    active: active && activeStanding(active),
    finished: Object.fromEntries(Object.entries(finished).map(([tool, run]) => [tool, runStanding(run)])),
  };
}

function activeStanding(active: ActiveTool): ActiveStanding {
  const { context_store: store, tool_name } = active;
  return {
    tool: tool_name,
    position: toStored(configurationIn(definitionOf(tool_name), active)),
    submitted: store.submitted?.sha256 ?? null,
    ...runStanding(store),
  };
}

/** The steps so far, and the hash of the last one, for the next. */
export interface Past {
  readonly steps: readonly Step[];
  readonly head: string | null;
  /** The chain that git shares, up to this checkout's state of the task. */
  readonly chain: readonly ToolStep[];
}

export async function loadPast(state: TaskState, isNew: boolean, chain: readonly ToolStep[]): Promise<Past> {
  const steps = state.history.length > 0 || isNew ? state.history : [takenOver(state)];
  return { steps, head: await headOf(steps), chain };
}

function takenOver(state: TaskState): Step {
  const { task_status: status, updated_at: time } = state;
  return { time, type: "taken-over", tool: null, status, standing: standingIn(state), prev: null };
}

/**
 * The state with one more step, and the change that stores that step outside of it, too. `added`: the steps
 * that it adds to the chain.
 */
export function withStep(
  state: TaskState,
  { chain, head, steps }: Past,
  step: Omit<Step, "prev" | "shared">,
  added: readonly ToolStep[] = [],
): { readonly state: TaskState; readonly anchor: Change } {
  const shared = sharedBy(steps, step.standing !== undefined, chain, added);
  const last: Step = { ...step, ...(shared.length > 0 && { shared }), prev: head };
  const history = [...steps, last];
  const text = `${JSON.stringify({ run: nameOf(state), length: history.length, last }, null, 2)}\n`;
  return { state: { ...state, history }, anchor: { type: "write", path: headPath(nameOf(state)), text } };
}

/** Throws `state-tampered` with everything in the state that does not follow from its history. */
export async function checkHistory(view: View, state: TaskState): Promise<void> {
  const found = await differencesIn(view, state);
  checkFaults(statePath(state.task_id), "task's", found);
}

/** The differences between the state and its history, in words for a person. */
export async function differencesIn(view: View, state: TaskState): Promise<readonly string[]> {
  const paths = [statePath(state.task_id), headPath(nameOf(state))];
  return confirmed(view, paths, await allDifferences(view, state));
}

async function allDifferences(view: View, state: TaskState): Promise<readonly string[]> {
  const kept = await readHead(view, nameOf(state));
  const steps = state.history;
  if (steps.length === 0)
    return kept === null ? [] : [`it has no history, though ${kept.length} steps of it were recorded`];
  const last = steps.at(-1);
  const anchor =
    kept === null || JSON.stringify(kept.last) === JSON.stringify(last)
      ? []
      : [headWords(kept, steps.length)];
  const broken = await brokenLinks(steps);
  const derived = derive(steps);
  if ("fault" in derived) return [...anchor, ...broken, derived.fault];
  return [...anchor, ...broken, ...differences(standingIn(state), derived)];
}

interface Head {
  readonly length: number;
  readonly last: Step;
}

/** The last recorded step; null if there is none or it is unreadable: then only the history counts. */
async function readHead(view: View, run: string): Promise<Head | null> {
  const head = (await loadHead(view, run)) as Partial<Head> | null;
  return typeof head?.length === "number" && head.last !== undefined ? (head as Head) : null;
}

function headWords({ last, length }: Head, found: number): string {
  const recorded = `the last of the ${length} steps that were recorded is ${last.event ?? last.type} of ${last.time}`;
  return found < length
    ? `its history ends after ${found} steps, and ${recorded}: an older file was put back, or its end was cut off`
    : `its history of ${found} steps ends in another one than was recorded; ${recorded}`;
}

/** Whether the steps are possible, each after the one before. */
export async function isSound(steps: readonly Step[]): Promise<boolean> {
  return !("fault" in derive(steps)) && (await brokenLinks(steps)).length === 0;
}

type Derived = Standing | { readonly fault: string };

/** The state that the steps lead to, from a new task. */
export function derive(steps: readonly Step[]): Derived {
  let standing: Standing = { task_status: "new", active: null, finished: {} };
  for (const [at, step] of steps.entries()) {
    const next = after(standing, step);
    if (typeof next === "string") return { fault: `step ${at + 1} of its history cannot be: ${next}` };
    standing = next;
  }
  return standing;
}

/** The state after one more step, or why the step is impossible. */
export function after(standing: Standing, step: Step): Standing | string {
  if (step.standing) return step.standing;
  if (!isRunTool(step.tool)) return "it names no tool";
  const definition = definitionOf(step.tool);
  return step.type === "start" ? begun(standing, step, definition) : moved(standing, step, definition);
}

function begun(standing: Standing, { policy, status }: Step, definition: ToolDefinition): Standing | string {
  if (standing.active) return `${definition.name} begins while ${standing.active.tool} is active`;
  if (!definition.status.before.includes(standing.task_status))
    return `${definition.name} does not begin at the status '${standing.task_status}'`;
  if (status !== (definition.status.running ?? standing.task_status))
    return `${definition.name} does not lead to '${status}'`;
  const configuration = initialConfiguration(machineOf(definition).workflow, {
    [REVIEW_POLICY]: reviewPolicy(policy ?? []),
  });
  const position = toStored(configuration);
  const active = { tool: definition.name, position, submitted: null, accepted: {}, verdicts: [] };
  return { ...standing, task_status: status, active };
}

function moved(standing: Standing, step: Step, definition: ToolDefinition): Standing | string {
  const { active } = standing;
  if (active?.tool !== definition.name) return `${definition.name} is not active`;
  const machine = machineOf(definition);
  const event = step.event ?? "";
  if (!Object.hasOwn(machine.workflow.events, event)) return `${definition.name} has no event '${event}'`;
  const { after, before, rule } = decide(machine.workflow, fromStored(active.position), event, {});
  if (rule.outcome === "blocked") return `'${event}' does not lead on from '${before.state}'`;
  const under = machine.underReview(before);
  if (under && !isJudged(step, under, active.submitted, event === machine.rejectEvent))
    return `'${event}' decides the review of '${under.work}' without a verdict on what was handed in`;
  const submitted = step.submitted ?? active.submitted;
  const work = under?.work ?? machine.workOf(before.state);
  const isAccepted =
    machine.underReview(after) === null && event !== machine.rejectEvent && submitted !== null;
  const accepted = isAccepted && work !== null ? { ...active.accepted, [work]: submitted } : active.accepted;
  const verdicts = step.verdict === undefined ? active.verdicts : [...active.verdicts, step.verdict];
  const run = { accepted, verdicts };
  if (after.state !== VERIFIED)
    return {
      ...standing,
      active: { ...active, ...run, position: toStored(after), submitted: isAccepted ? null : submitted },
    };
  const ends = [definition.status.after, ...(definition.sendsBack ? [definition.sendsBack.to] : [])];
  if (!ends.includes(step.status)) return `${definition.name} does not leave a task '${step.status}'`;
  return {
    task_status: step.status,
    active: null,
    finished: { ...standing.finished, [definition.name]: run },
  };
}

/** Whether the step has the verdict that its event means, on the artifact under review. */
function isJudged(
  { submitted, verdict = "" }: Step,
  under: { readonly work: string; readonly reviewer: Reviewer },
  before: string | null,
  isRejection: boolean,
): boolean {
  const [work, stage, word, sha256] = verdict.split(" ");
  const isOnIt = submitted === before && sha256 === before && work === under.work;
  return isOnIt && stage === under.reviewer && word === (isRejection ? "rejected" : "approved");
}

/** Throws `run-unreachable`, with file and line, if no run can reach the active run's configuration. */
export async function checkPlace(
  view: View,
  { active_tool_state: active, task_id: id }: TaskState,
): Promise<void> {
  if (!active) return;
  try {
    configurationOf(definitionOf(active.tool_name), active);
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "run-unreachable") throw thrown;
    const path = statePath(id);
    const line = lineOf((await view.read(path)) ?? "", ["active_tool_state", "current_state"]);
    throw new PawlError(
      "run-unreachable",
      `${path}, line ${line}: ${thrown.message}`,
      `Put ${path} back as it was, or correct line ${line} of it.`,
      thrown,
    );
  }
}
