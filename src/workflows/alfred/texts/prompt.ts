import type { AlfredSettings } from "../../../core/settings.ts";
import type { Configuration } from "../../../engine/workflow.ts";
import { adviceOn, meaningOf } from "../gate/advice.ts";
import { sentBackBy } from "../loop/rework.ts";
import { type LoadedRun, type Slot, slotsOf } from "../state/load.ts";
import type { Accepted, ActiveTool, ContextStore, Note, TaskState } from "../state/state-file.ts";
import type { RunTool } from "../state/status.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { DEFINITIONS } from "../tools/definitions.ts";
import { machineOf, workAt } from "../tools/machine.ts";
import { render, type Values } from "./prompter.ts";
import { completed, renderStructure } from "./structure.ts";
import { artifactTemplate, promptFor } from "./texts.ts";
import { ARTIFACT_TITLES, titleOf } from "./titles.ts";

/** The prompt for the run's present state. */
export function renderPrompt(run: LoadedRun, configuration: Configuration, settings: AlfredSettings): string {
  const reviewer = machineOf(run.definition).underReview(configuration)?.reviewer ?? null;
  const name = promptFor(run.templates, run.definition.name, configuration.state, reviewer);
  return render(run.templates, name, promptValues(run, configuration, settings));
}

/** The answer after a slot is marked: the next slot, or that the work can be submitted. */
export function renderNextSlot(run: LoadedRun, message: string, settings: AlfredSettings): string {
  const values = { ...promptValues(run, run.configuration, settings), message };
  return render(run.templates, "prompts/partials/next_slot", values);
}

/** Every name is present, null or empty if it has no value, because templates are strict. */
export function promptValues(run: LoadedRun, configuration: Configuration, settings: AlfredSettings): Values {
  const { active, definition, task } = run;
  const { context_store: store } = active;
  const { review_policy: policy } = store;
  const under = machineOf(definition).underReview(configuration);
  const work = workAt(definition, configuration);
  const submitted = under ? store.submitted : null;
  const reviewer = under?.reviewer ?? null;
  const review = {
    reviewer: reviewer ?? "ai",
    thenHuman: reviewer === "ai" && policy.includes("human"),
  } as const;
  const slots = slotsOf(run.state).map((slot) => ({ ...slot, depends_on: slot.depends_on ?? [] }));
  return {
    task,
    persona: run.persona,
    tool: definition.name,
    state: configuration.state,
    work_state: work?.state ?? null,
    artifact_name: work?.artifact ?? null,
    structure: work && !under ? renderStructure(work.artifact) : null,
    artifact: submitted?.artifact ?? null,
    title: work ? ARTIFACT_TITLES[work.artifact] : null,
    verdict: submitted && work ? meaningOf(work, submitted) : null,
    evidence: (submitted?.evidence ?? []).map((finding) => ({ ...finding, tail: finding.check?.tail ?? "" })),
    running: (submitted?.evidence ?? []).flatMap(({ check, verdict }) =>
      verdict === "running" && check ? [check.name] : [],
    ),
    advice: submitted && work ? adviceOn(run, work, submitted, review) : [],
    feedback: store.feedback,
    notes: notesOf(run.state, active),
    accepted: acceptedOf(definition, store.accepted),
    outputs: outputsOf(run.state),
    subtasks: slots.map((slot) => ({
      ...slot,
      mark: store.completed_subtasks.includes(slot.slot_id) ? "x" : " ",
    })),
    next_slot: nextSlot(slots, store.completed_subtasks),
    is_begun: store.completed_subtasks.length > 0,
    rework: reworkOf(run.state, store),
    loop: run.loop ?? null,
    input: store.input ?? null,
    reviewer,
    then_human: review.thenHuman,
    after_ai: reviewer === "human" && policy.includes("ai"),
    human_review: settings.human_review,
  };
}

function notesOf(state: TaskState, active: ActiveTool): readonly unknown[] {
  const titled = (tool: RunTool, notes: readonly Note[]) =>
    notes.map((note) => ({ ...note, title: titleOf(tool, note.state) }));
  const earlier = DEFINITIONS.flatMap(({ name }) =>
    titled(name, state.completed_tool_outputs[name]?.notes ?? []),
  );
  return [...earlier, ...titled(active.tool_name, active.context_store.notes)];
}

/** By work state; null if nothing is accepted yet. */
function acceptedOf(
  definition: ToolDefinition,
  accepted: readonly Accepted[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    definition.steps.map(({ state }) => [
      state,
      accepted.findLast((each) => each.state === state)?.artifact ?? null,
    ]),
  );
}

function outputsOf(state: TaskState): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    DEFINITIONS.map((definition) => [
      definition.name,
      acceptedOf(definition, state.completed_tool_outputs[definition.name]?.accepted ?? []),
    ]),
  );
}

type PlannedSlot = Slot & { readonly depends_on: readonly string[] };

/**
 * The first unmarked slot whose dependencies are all marked, else the first unmarked one; null: none is left.
 */
function nextSlot(slots: readonly PlannedSlot[], completed: readonly string[]): PlannedSlot | null {
  const open = slots.filter(({ slot_id }) => !completed.includes(slot_id));
  return open.find(({ depends_on }) => depends_on.every((id) => completed.includes(id))) ?? open[0] ?? null;
}

/** Why the task was sent back, and whether the rejected work is the loop's. */
function reworkOf(
  state: TaskState,
  { submitted }: ContextStore,
): Readonly<Record<"review" | "test" | "by_loop", unknown>> {
  const cause = sentBackBy(state);
  const artifact = cause?.run.accepted.at(-1)?.artifact ?? null;
  const handedIn = submitted ?? (cause ? state.completed_tool_outputs.implement_task?.accepted.at(-1) : null);
  return {
    review: cause?.tool === "review_task" ? artifact : null,
    test: cause?.tool === "test_task" ? artifact : null,
    by_loop: handedIn?.from === "loop",
  };
}

/** The section of the scratchpad for an accepted artifact. */
export function renderSection(
  run: LoadedRun,
  accepted: Pick<Accepted, "state" | "artifact">,
  time: string,
): string {
  const step = run.definition.steps.find((each) => each.state === accepted.state);
  const name = artifactTemplate(step?.artifact ?? "");
  return render(run.templates, name, {
    artifact: step ? completed(step.artifact, accepted.artifact) : accepted.artifact,
    persona: run.persona,
    timestamp: time,
    task: run.task,
    tool: run.definition.name,
    state: accepted.state,
  });
}
