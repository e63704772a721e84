import { PawlError } from "../../../core/error.ts";
import type { PinnedBase } from "../../../core/ports/git.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Size } from "../../../core/settings.ts";
import { initialConfiguration } from "../../../engine/decide.ts";
import { REVIEW_POLICY, reviewPolicy } from "../../../engine/review.ts";
import type { Decision } from "../../../engine/workflow.ts";
import type { Context, Proposal } from "../../../runtime/module.ts";
import type { LoggedDetails } from "../../../runtime/run-log/kind.ts";
import { sharesRuns } from "../../../runtime/run-log/team-records.ts";
import { runAdvanced, stamped } from "../../../runtime/transaction/run-advanced.ts";
import {
  type Answered,
  type RunContext,
  runEvent,
  type TypesOf,
} from "../../../runtime/transaction/run-event.ts";
import { runningNote } from "../evidence/check-evidence.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { refreshEvidence } from "../evidence/gather.ts";
import { govern, reviewersOf, withPolicyFinding } from "../gate/govern.ts";
import { type HandOver, loadHandOver } from "../loop/hand-over.ts";
import { loadProgress } from "../loop/loop-side.ts";
import { scratchpadTitle } from "../state/archive.ts";
import { isBegun, stateChanges } from "../state/live-state.ts";
import {
  completeRun,
  type LoadedRun,
  type LoadedTask,
  type LoopProgress,
  loadTask,
  personaOf,
  slotsOf,
} from "../state/load.ts";
import { missingTaskError } from "../state/missing-task.ts";
import { scratchpadPath, taskPath } from "../state/paths.ts";
import { loadMissing } from "../state/resolve-run.ts";
import type { ActiveTool, TaskState } from "../state/state-file.ts";
import { NEXT_TOOL } from "../state/status.ts";
import { renderTask, type Task } from "../state/task-file.ts";
import { fetchTask, isTracked } from "../state/tracked.ts";
import { renderPrompt } from "../texts/prompt.ts";
import { beginsAt, type ToolDefinition } from "./definition.ts";
import { callOf } from "./definitions.ts";
import { configurationOf, machineOf } from "./machine.ts";
import type { Answer, ToolPlan } from "./response.ts";
import { dataOf, invalidActionError } from "./transition.ts";

export interface OpenInput {
  readonly task_id: string;
  readonly prd_content?: string;
  readonly hand_over?: boolean;
}

/** The existing run, or the one that would begin now. */
interface OpenedRun extends LoadedRun {
  readonly begins: boolean;
  /** The records that a delivery lacks, before the work is committed. */
  readonly lost: readonly Change[];
  /** The plan, or the requests since, written for the loop; null if the caller did not ask for that. */
  readonly handover: HandOver | null;
}

type OpenTypes = TypesOf<{ input: OpenInput; run: OpenedRun; material: Evidence; reply: Answer }>;

type OpenContext = RunContext<OpenInput>;

/** Calling a workflow tool begins its run on the task, or shows the run's state. */
export function openTool(definition: ToolDefinition): ToolPlan<OpenInput> {
  return {
    tool: definition.name,
    task: (input) => input.task_id,
    syncs: true,
    ...runEvent<OpenTypes>({
      lock: (input) => `alfred:${input.task_id}`,
      load: (context) => loadOpened(definition, context),
      govern,
      // `begun` runs here because the pinned policy, which names the reviewers, is known only now.
      event(run, context) {
        if (!run.begins) return { event: "resume" };
        checkStatus(run, definition, context.settings.alfred.size);
        return begin(begun(run, definition, context.input, context), context);
      },
      async collect({ run }, context) {
        if (run.isAwaited) throw missingTaskError(run.id, []);
        const { evidence } = await refreshEvidence(run, context.outside, context, "waits");
        return withPolicyFinding(evidence, run.id, context.ignored);
      },
      propose({ decision, material, run }, context) {
        const shownAgain = resumed(withEvidence(run, material), decision, material, context);
        const { changes = [], events = [], ...effects } = withHandover(shownAgain, run);
        return { ...effects, changes: [...changes, ...run.lost], events };
      },
    }),
  };
}

async function loadOpened(definition: ToolDefinition, context: OpenContext): Promise<OpenedRun> {
  const { input, view } = context;
  const loaded = await loadTask(view, input.task_id, isTracked(context));
  const active = loaded.state.active_tool_state;
  if (active && active.tool_name !== definition.name) throw activeToolError(loaded, active, definition);
  if (!active) {
    // Its size, which the policy says, is not known yet.
    checkStatus(loaded, definition, "light");
    checkTaken(definition, input);
  }
  const first = active ?? activeFirst(loaded, definition, input, context);
  const run = await completeRun(view, loaded, first, context);
  const handover = await handedOver(view, run, input, context);
  const loop = await progressIn(view, run, handover, context);
  const isShared = active !== null && isUncommitted(run) && sharesRuns(context.settings, "alfred");
  const lost = isShared ? await loadMissing(view, run.id) : [];
  return { ...run, loop, begins: !active, handover, lost };
}

/** The run's first commit. It is not an event of the table, because the run has no configuration before. */
async function begin(loaded: OpenedRun, context: OpenContext): Promise<Answered<Answer>> {
  const { outside } = context;
  const base = loaded.state.base ? null : await outside.git.pin(`feature/${loaded.id}`);
  const fetched = loaded.isAwaited ? await fetchTask(loaded.id, outside, context) : null;
  const run = pinnedTo(base, fetched ? { ...loaded, task: fetched } : loaded);
  return { answer: withHandover(started(run, fetched, context), loaded) };
}

function pinnedTo(base: PinnedBase | null, run: LoadedRun): LoadedRun {
  return base ? { ...run, state: { ...run.state, base } } : run;
}

function begun(run: OpenedRun, definition: ToolDefinition, input: OpenInput, context: Context): OpenedRun {
  const active = activeFirst(run, definition, input, context);
  return { ...run, active, configuration: configurationOf(definition, active) };
}

/**
 * The hand-over to the loop, if requested; null: not requested. Throws `plan-missing` and the other errors of
 * an export, or `invalid-action` if no work is left.
 */
async function handedOver(
  view: View,
  run: LoadedRun,
  { hand_over }: OpenInput,
  context: Context,
): Promise<HandOver | null> {
  if (!run.definition.countsSubtasks || hand_over !== true) return null;
  if (machineOf(run.definition).workOf(run.configuration.state) === null)
    throw invalidActionError(run, `${run.definition.name} (hand_over)`);
  const handover = await loadHandOver(view, run, context);
  if (handover.changes.length > 0 && context.settings.stores.bloom === "postgres")
    throw planInDatabaseError(run, callOf(run.definition.name, run.id));
  return handover;
}

/** One commit writes to the checkout, where the task's state is, or to the database: never to both. */
function planInDatabaseError({ id }: LoadedRun, call: string): PawlError {
  return new PawlError(
    "invalid-action",
    `The loop's tasks are in the database, so \`hand_over\` cannot bring the plan of '${id}' there.`,
    `Have the developer run \`pawl plan export ${id}\`, then call ${call}.`,
  );
}

/** The loop's progress with the task, for the prompt; null: the loop does not have the work. */
async function progressIn(
  view: View,
  run: LoadedRun,
  handover: HandOver | null,
  context: Context,
): Promise<LoopProgress | null> {
  if (!run.definition.countsSubtasks || slotsOf(run.state).length === 0) return null;
  return handover?.progress ?? loadProgress(view, run, context);
}

/** The tool delivers the work, and is in its first step. */
function isUncommitted({ active, definition }: LoadedRun): boolean {
  return definition.delivers === true && active.current_state === definition.steps[0]?.state;
}

function withHandover(opened: Proposal<Answer>, { handover }: OpenedRun): Proposal<Answer> {
  if (handover === null) return opened;
  const { changes, events, text } = handover;
  const { note, response } = opened.reply;
  return {
    ...opened,
    changes: [...(opened.changes ?? []), ...changes],
    events: [...(opened.events ?? []), ...events],
    reply: {
      ...opened.reply,
      response: { ...response, message: `${response.message} ${text}` },
      note: [note, text].filter(Boolean).join("; "),
    },
  };
}

function activeToolError(loaded: LoadedTask, active: ActiveTool, wanted: ToolDefinition): PawlError {
  return new PawlError(
    "tool-active",
    `The tool '${active.tool_name}' is active on the task '${loaded.id}', in state '${active.current_state}'; '${wanted.name}' cannot begin before it is complete.`,
    `Call ${callOf(active.tool_name, loaded.id)} to continue it.`,
  );
}

function checkStatus({ id, state }: LoadedTask, definition: ToolDefinition, size: Size | null): void {
  const { running } = definition.status;
  const before = beginsAt(definition, size);
  const status = state.task_status;
  // A run that was removed by hand leaves its running status behind.
  if (before.includes(status) || status === running) return;
  const next = NEXT_TOOL[status];
  throw new PawlError(
    "status-not-allowed",
    `Task '${id}' has status '${status}'. ${definition.name} begins in ${before.map((each) => `'${each}'`).join(", ")}.`,
    next === null ? "The task is done." : `Call ${callOf(next, id)}.`,
  );
}

function activeFirst(
  loaded: LoadedTask,
  definition: ToolDefinition,
  input: OpenInput,
  context: Context,
): ActiveTool {
  const { now, settings } = context;
  const policy = reviewersOf(settings.alfred.reviews, definition.name);
  const start = initialConfiguration(machineOf(definition).workflow, {
    [REVIEW_POLICY]: reviewPolicy(policy),
  });
  return {
    task_id: loaded.id,
    tool_name: definition.name,
    current_state: isShort(settings.alfred.size) ? (definition.shortStart ?? start.state) : start.state,
    review_source: null,
    review_stage: null,
    context_store: {
      review_policy: policy,
      submitted: null,
      feedback: null,
      accepted: [],
      notes: [],
      verdicts: [],
      rejections: {},
      completed_subtasks: definition.countsSubtasks ? markedBefore(loaded) : [],
      ...(definition.takes && input.prd_content !== undefined && { input: input.prd_content }),
    },
    persona_name: personaOf(definition, context),
    // Unknown until the task is governed; `begun` makes the run that is written.
    policy: context.policy ?? "",
    created_at: now.time,
    updated_at: now.time,
  };
}

const isShort = (size: Size | null): boolean => size === "light" || size === "standard";

/** When work is sent back, done slots stay marked, unless the task was planned anew. */
function markedBefore({ state }: LoadedTask): readonly string[] {
  const { implement_task, plan_task } = state.completed_tool_outputs;
  if (!implement_task || !plan_task || plan_task.finished_at > implement_task.finished_at) return [];
  return slotsOf(state).map(({ slot_id }) => slot_id);
}

function checkTaken(definition: ToolDefinition, input: OpenInput): void {
  if (!definition.takes || (input[definition.takes] ?? "").trim() !== "") return;
  throw new PawlError(
    "usage",
    `${definition.name} needs ${definition.takes} to begin: expected the product document as markdown, found nothing.`,
    `Call ${definition.name} again with ${definition.takes}.`,
  );
}

function withEvidence(run: LoadedRun, evidence: Evidence): LoadedRun {
  const store = run.active.context_store;
  if (store.submitted === null) return run;
  return {
    ...run,
    active: { ...run.active, context_store: { ...store, submitted: { ...store.submitted, evidence } } },
  };
}

function started(run: LoadedRun, fetched: Task | null, context: Context): Proposal<Answer> {
  const { definition, id } = run;
  const { time } = context.now;
  const status = definition.status.running ?? run.state.task_status;
  const state = {
    ...run.state,
    ...{ task_status: status, active_tool_state: run.active, updated_at: time },
  };
  const changes: Change[] = [...stateChanges(run.workspace, state)];
  if (!run.workspace.hasScratchpad)
    changes.push({ type: "write", path: scratchpadPath(id), text: scratchpadTitle(id) });
  if (fetched) changes.push({ type: "write", path: taskPath(id), text: renderTask(fetched) });
  const { name } = definition;
  const to = run.configuration.state;
  const answer = shown({ ...run, state }, context);
  const message = answer.response.message + sizeNote(run.task, context);
  const move = { run: run.run, machine: name, event: name, row: "start", from: "", to };
  return {
    changes,
    events: stamped([runAdvanced(move, { summary: `${id}: ${name} begun` }, context)], context),
    logged: { status, found: run.workspace.hasState ? undefined : foundIn(run.state) },
    reply: {
      ...answer,
      response: { ...answer.response, message },
      before: run.state.task_status,
      note: `Created the run of ${name} in state ${to}`,
    },
  };
}

/** Says so if the task's own size does not count. */
function sizeNote({ size }: Task, { settings: { alfred } }: Context): string {
  if (size === null || size === alfred.size) return "";
  return ` Its size '${size}' does not count here: the project's settings of its reviews do.`;
}

/** The task's position by records, in no table; undefined: it is new. */
function foundIn(state: TaskState): LoggedDetails["found"] {
  const status = state.task_status;
  return isBegun(state) ? { machine: "alfred", state: status, variables: {}, status } : undefined;
}

function resumed(run: LoadedRun, { rule }: Decision, evidence: Evidence, context: Context): Proposal<Answer> {
  const answer = shown(run, context);
  const { response } = answer;
  const message = response.message + runningNote(evidence, run.definition.name);
  const note = `Showed the run of ${run.definition.name} in state ${rule.reply}`;
  return { reply: { ...answer, response: { ...response, message }, note } };
}

function shown(run: LoadedRun, { settings }: Context): Answer {
  const { state } = run.configuration;
  return {
    response: {
      status: "success",
      message: run.definition.greeting(run.id, state),
      data: dataOf(run, run.active, run.state.task_status),
      next_prompt: renderPrompt(run, run.configuration, settings.alfred),
    },
    before: state,
    after: state,
  };
}
