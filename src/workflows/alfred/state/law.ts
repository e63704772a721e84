/**
 * Replays a task's steps through the tools' tables, from a new task on. The result is its `ReplayedState`, the part
 * of its state that decides: status, configuration, accepted artifacts and their verdicts.
 */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Reviewer } from "../../../core/settings.ts";
import { lineOf } from "../../../core/state-json.ts";
import { startingConfigurations } from "../../../engine/configuration.ts";
import { decide } from "../../../engine/decide.ts";
import type { Configuration } from "../../../engine/workflow.ts";
import { fromStored, isSame, toStored } from "../../../runtime/run-log/history.ts";
import type { RunLaw } from "../../../runtime/run-log/kind.ts";
import type { Json } from "../../../runtime/run-log/patch.ts";
import type { Step } from "../../../runtime/run-log/step.ts";
import { beginsAt, endsOf, type ToolDefinition, VERIFIED } from "../tools/definition.ts";
import { definitionOf } from "../tools/definitions.ts";
import { configurationIn, configurationOf, machineOf } from "../tools/machine.ts";
import { statePath } from "./paths.ts";
import type { ActiveTool, ReplayedActiveRun, ReplayedState, TaskState } from "./state-file.ts";
import { isRunTool } from "./status.ts";
import { keptVerdicts, toReplayedRun } from "./verdicts.ts";

export const NEW_TASK: ReplayedState = { task_status: "new", active: null, finished: {} };

/** The document's replayed state; the whole document if it is no task's state. */
export function decidedIn(document: Json): Json {
  return attempt<Json, Json>(() => {
    return json(toReplayedState(document as unknown as TaskState));
  }, document);
}

/** Drops keys without a value, as writing to disk does. */
function json(current: ReplayedState): Json {
  return JSON.parse(JSON.stringify(current)) as Json;
}

export function toReplayedState(state: TaskState): ReplayedState {
  const { active_tool_state: active, completed_tool_outputs: finished, task_status } = state;
  return {
    task_status,
    active: active && toReplayedActiveRun(active),
    finished: Object.fromEntries(Object.entries(finished).map(([tool, run]) => [tool, toReplayedRun(run)])),
  };
}

function toReplayedActiveRun(active: ActiveTool): ReplayedActiveRun {
  const { context_store: store, tool_name } = active;
  return {
    tool: tool_name,
    position: toStored(configurationIn(definitionOf(tool_name), active)),
    submitted: store.submitted?.sha256 ?? null,
    ...toReplayedRun(store),
  };
}

/** Takes the state as written after steps that no table decides: a person's decision, or an adopted record. */
export const TASK_LAW: RunLaw = {
  first: json(NEW_TASK),
  after(before, step, { decides, isFirst, isLast }) {
    const written = decides as unknown as ReplayedState;
    if (step.kind !== "begun" && step.kind !== "moved") {
      // The tool that the same commit begins is not active yet.
      const adopted = { ...written, active: null, task_status: step.status ?? step.to };
      return isLast ? decides : json(adopted as ReplayedState);
    }
    const next = after(isFirst ? NEW_TASK : (before as unknown as ReplayedState), step);
    return typeof next === "string" ? { fault: next } : json(next);
  },
};

/** The state after one more step, or why the step is impossible. */
export function after(current: ReplayedState, step: Step): ReplayedState | string {
  if (step.kind !== "begun" && step.kind !== "moved") return "it took the task as it was found";
  if (!isRunTool(step.machine)) return "it names no tool";
  const definition = definitionOf(step.machine);
  return step.kind === "begun" ? begun(current, step, definition) : moved(current, step, definition);
}

function begun(
  current: ReplayedState,
  { set, status, to }: Step,
  definition: ToolDefinition,
): ReplayedState | string {
  if (current.active) return `${definition.name} begins while ${current.active.tool} is active`;
  const { running } = definition.status;
  // A run that a person removed leaves its running status behind.
  if (!beginsAt(definition, "light").includes(current.task_status) && current.task_status !== running)
    return `${definition.name} does not begin at the status '${current.task_status}'`;
  if (status !== (running ?? current.task_status)) return `${definition.name} does not lead to '${status}'`;
  const configuration: Configuration = { state: to, variables: set };
  const long = startingConfigurations(machineOf(definition).workflow);
  const { shortStart } = definition;
  const short = shortStart === undefined ? [] : long.map((start) => ({ ...start, state: shortStart }));
  const starts = [...long, ...short];
  if (!starts.some((start) => isSame(start, configuration)))
    return `${definition.name} does not begin in '${to}'`;
  const position = toStored(configuration);
  const active = { tool: definition.name, position, submitted: null, accepted: {}, verdicts: [] };
  return { ...current, task_status: running ?? current.task_status, active };
}

function moved(current: ReplayedState, step: Step, definition: ToolDefinition): ReplayedState | string {
  const { active } = current;
  if (active?.tool !== definition.name) return `${definition.name} is not active`;
  const machine = machineOf(definition);
  const event = step.event ?? "";
  if (!Object.hasOwn(machine.workflow.events, event)) return `${definition.name} has no event '${event}'`;
  const { after, before, rule } = decide(machine.workflow, fromStored(active.position), event, {});
  if (rule.outcome === "blocked") return `'${event}' does not lead on from '${before.state}'`;
  const under = machine.underReview(before);
  if (under && !isJudged(step, under, active.submitted, event === machine.rejectEvent))
    return `'${event}' decides the review of '${under.work}' without a verdict on what was handed in`;
  const submitted = step.artifact ?? active.submitted;
  const work = under?.work ?? machine.workOf(before.state);
  const isAccepted =
    machine.underReview(after) === null && event !== machine.rejectEvent && submitted !== null;
  const accepted = isAccepted && work !== null ? { ...active.accepted, [work]: submitted } : active.accepted;
  const verdicts =
    step.verdict === undefined ? active.verdicts : keptVerdicts([...active.verdicts, step.verdict]);
  const run = { accepted, verdicts };
  if (after.state !== VERIFIED)
    return {
      ...current,
      active: { ...active, ...run, position: toStored(after), submitted: isAccepted ? null : submitted },
    };
  const status = endsOf(definition).find((each) => each === step.status);
  if (status === undefined) return `${definition.name} does not leave a task '${step.status}'`;
  return {
    task_status: status,
    active: null,
    finished: { ...current.finished, [definition.name]: run },
  };
}

/** Whether the step has the verdict that its event means, on the artifact under review. */
function isJudged(
  { artifact, verdict = "" }: Step,
  under: { readonly work: string; readonly reviewer: Reviewer },
  before: string | null,
  isRejection: boolean,
): boolean {
  const [work, stage, word, sha256] = verdict.split(" ");
  const isOnIt = artifact === before && sha256 === before && work === under.work;
  return isOnIt && stage === under.reviewer && word === (isRejection ? "rejected" : "approved");
}

/** Throws `run-unreachable`, with file and line, if no run can reach the active run's configuration. */
export async function checkConfiguration(
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
