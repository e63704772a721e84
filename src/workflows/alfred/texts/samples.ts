/**
 * Every prompt of every state, rendered with sample data, for people (`pawl workflow prompts --all`) and for the
 * tests. Includes a project's own templates, so that their author can read the result.
 */

import type { View } from "../../../core/ports/store.ts";
import { type AlfredSettings, DEFAULT_SETTINGS, type Reviewer } from "../../../core/settings.ts";
import type { PromptSample } from "../../../runtime/module.ts";
import type { Finding } from "../evidence/evidence.ts";
import type { LoadedRun, LoopProgress } from "../state/load.ts";
import type {
  Accepted,
  ActiveTool,
  Artifact,
  ContextStore,
  FinishedRun,
  Submission,
} from "../state/state-file.ts";
import { SHARED_REVIEW, type ToolDefinition, type WorkStep } from "../tools/definition.ts";
import { DEFINITIONS } from "../tools/definitions.ts";
import { configurationOf, machineOf } from "../tools/machine.ts";
import { renderNextSlot, renderPrompt } from "./prompt.ts";
import { SAMPLE_ARTIFACTS as ARTIFACTS, SAMPLE_TASK as TASK } from "./sample-data.ts";
import { loadPersona, loadTemplates } from "./texts.ts";

const TIME = "2026-01-31T09:30:15.250Z";
const SHA = "0".repeat(64);
const POLICY: readonly Reviewer[] = ["ai", "human"];

interface Variant {
  /** What distinguishes it. */
  readonly what: string;
  readonly store?: Partial<ContextStore>;
  /** The artifact under review. */
  readonly artifact?: Artifact;
  readonly reviewer?: Reviewer;
  readonly opens?: true;
  readonly settings?: Partial<AlfredSettings>;
  readonly outputs?: Readonly<Record<string, FinishedRun>>;
  readonly loop?: LoopProgress;
  /** Shows the answer of mark_subtask_complete instead of the prompt. */
  readonly isMarked?: true;
}

/** In the order of a task's life. */
export async function promptSamples(view: View): Promise<readonly PromptSample[]> {
  const samples: PromptSample[] = [];
  for (const definition of DEFINITIONS) {
    const base = await loadBase(view, definition);
    for (const step of definition.steps)
      for (const variant of variantsOf(definition, step)) samples.push(sampleOf(base, step, variant));
    const status = definition.status.after;
    const text = `${definition.handover(TASK.task_id, status)}\n`;
    samples.push({ name: `${definition.name}: over`, machine: definition.name, configuration: null, text });
  }
  return samples;
}

type Base = Pick<LoadedRun, "definition" | "persona" | "templates">;

async function loadBase(view: View, definition: ToolDefinition): Promise<Base> {
  const templates = await loadTemplates(view, definition);
  return { definition, templates, persona: await loadPersona(view, definition.persona) };
}

// ── The variants of a step ─────────────────────────────────────────────────────────────────────────────────

function variantsOf(definition: ToolDefinition, step: WorkStep): readonly Variant[] {
  const work = definition.countsSubtasks ? buildVariants(step) : workVariants(definition, step);
  const artifacts = [{ what: "", artifact: ARTIFACTS[step.artifact] }, ...(OTHERS[step.artifact] ?? [])];
  const reviews = artifacts.flatMap(({ artifact, what }) =>
    REVIEWS.map((review) => ({ ...review, what: [review.what, what].filter(Boolean).join(", "), artifact })),
  );
  return [...work, ...reviews];
}

function workVariants(definition: ToolDefinition, step: WorkStep): readonly Variant[] {
  const isFirst = definition.steps[0] === step;
  const opens = isFirst && definition.opening ? [{ what: "", opens: true } as const] : [];
  const fresh = isFirst && definition.opening ? [] : [{ what: "" }];
  return [...opens, ...fresh, rejected(step)];
}

function rejected(step: WorkStep, stage: Reviewer = "human"): Variant {
  const artifact = ARTIFACTS[step.artifact];
  return {
    what: `rejected in the ${stage} review`,
    store: {
      submitted: submissionOf(step.state, artifact),
      feedback: { state: step.state, notes: "Name the limit.\nAnd say who sets it.", stage, artifact },
    },
  };
}

const REVIEWS: readonly Variant[] = [
  { what: "AI review, a human after it", reviewer: "ai" },
  { what: "AI review alone", reviewer: "ai", store: { review_policy: ["ai"] } },
  { what: "human review, relay", reviewer: "human" },
  { what: "human review, elicit", reviewer: "human", settings: { human_review: "elicit" } },
  { what: "human review, confirm", reviewer: "human", settings: { human_review: "confirm" } },
  { what: "human review alone", reviewer: "human", store: { review_policy: ["human"] } },
];

/** Artifacts that a reviewer may see besides good ones. */
const OTHERS: Readonly<Record<string, readonly { readonly what: string; readonly artifact: Artifact }[]>> = {
  GitStatusArtifact: [
    {
      what: "not clean",
      artifact: { is_clean: false, current_branch: "main", uncommitted_files: ["src/server.ts"] },
    },
  ],
  BranchCreationArtifact: [
    {
      what: "failed",
      artifact: { branch_name: "main", success: false, details: "fatal: a branch of that name exists" },
    },
  ],
  ContextAnalysisArtifact: [
    {
      what: "without questions",
      artifact: { ...ARTIFACTS.ContextAnalysisArtifact, questions_for_developer: [] },
    },
  ],
  ReviewArtifact: [
    {
      what: "not approved",
      artifact: {
        summary: "Not yet.",
        approved: false,
        feedback: ["src/bucket.ts: the clock is not passed in"],
      },
    },
  ],
  TestResultArtifact: [
    { what: "failed", artifact: { command: "npm test", exit_code: 1, output: "1 failed, 11 passed" } },
  ],
};

function buildVariants(step: WorkStep): readonly Variant[] {
  const all = { completed_subtasks: ["S-1", "S-2"] };
  const handedIn = { ...all, ...rejected(step, "ai").store };
  const [review] = OTHERS.ReviewArtifact ?? [];
  const [failed] = OTHERS.TestResultArtifact ?? [];
  const sentBack = (tool: string, artifact: Artifact | undefined) => ({
    [tool]: finishedOf("dispatched", artifact ?? {}, "revisions_requested"),
  });
  return [
    { what: "nothing is built" },
    { what: "the first slot is marked", store: { completed_subtasks: ["S-1"] } },
    { what: "answer to marking the first slot", store: { completed_subtasks: ["S-1"] }, isMarked: true },
    { what: "every slot is marked", store: all },
    { what: "answer to marking the last slot", store: all, isMarked: true },
    {
      what: "without a plan",
      outputs: { plan_task: finishedOf("contextualize", {}, "ready_for_development") },
    },
    { what: "rejected", store: handedIn },
    {
      what: "the loop's work was rejected",
      store: {
        ...handedIn,
        submitted: { ...submissionOf(step.state, ARTIFACTS[step.artifact]), from: "loop" },
      },
    },
    { what: "sent back by the review", store: all, outputs: sentBack("review_task", review?.artifact) },
    { what: "sent back by the test", store: all, outputs: sentBack("test_task", failed?.artifact) },
    { what: "the loop has not begun", loop: loopAt("todo", 0) },
    { what: "the loop works", loop: { ...loopAt("in_progress", 1), state: "working" } },
    {
      what: "the loop is blocked",
      loop: { ...loopAt("blocked", 1), reason: "`npm test` fails after three tries" },
    },
    { what: "the loop is done", loop: { ...loopAt("done", 2), is_done: true } },
  ];
}

function loopAt(status: string, done: number): LoopProgress {
  return { status, state: null, reason: null, done, total: 2, is_done: false };
}

// ── A sample run in the state ──────────────────────────────────────────────────────────────────────────────

function sampleOf(base: Base, step: WorkStep, variant: Variant): PromptSample {
  const { definition } = base;
  const active = activeOf(definition, step, variant);
  const state = {
    task_id: TASK.task_id,
    task_status: definition.status.running ?? "planning",
    active_tool_state: active,
    completed_tool_outputs: { ...outputsBefore(definition), ...variant.outputs },
    updated_at: TIME,
  } as const;
  const configuration = configurationOf(definition, active);
  const workspace = { hasState: true, hasScratchpad: true, isIgnored: true, ignores: null };
  const run: LoadedRun = {
    ...base,
    run: `alfred:${TASK.task_id}`,
    workflow: machineOf(definition).workflow,
    id: TASK.task_id,
    task: TASK,
    state,
    active,
    configuration,
    workspace,
    archived: [],
    loop: variant.loop ?? null,
    altered: [],
  };
  const settings = { ...DEFAULT_SETTINGS.alfred, ...variant.settings };
  const marked = `Subtask 'S-1' of task '${TASK.task_id}' is complete.`;
  const text = variant.isMarked
    ? renderNextSlot(run, marked, settings)
    : renderPrompt(run, configuration, settings);
  const name = [`${definition.name}: ${configuration.state}`, step.artifact, variant.what]
    .filter(Boolean)
    .join(", ");
  return { name, machine: definition.name, configuration, text };
}

function activeOf(definition: ToolDefinition, step: WorkStep, variant: Variant): ActiveTool {
  const { artifact = ARTIFACTS[step.artifact], opens, reviewer, store } = variant;
  const isNamed = definition.reviews === "named";
  const state = reviewer
    ? ((isNamed ? step.review : SHARED_REVIEW[reviewer]) ?? step.state)
    : opens
      ? (definition.opening?.state ?? step.state)
      : step.state;
  const at = definition.steps.indexOf(step);
  return {
    task_id: TASK.task_id,
    tool_name: definition.name,
    policy: SHA,
    current_state: state,
    review_source: reviewer && !isNamed ? step.state : null,
    review_stage: reviewer && isNamed ? reviewer : null,
    context_store: {
      review_policy: POLICY,
      submitted: reviewer ? submissionOf(step.state, artifact) : null,
      feedback: null,
      accepted: definition.steps
        .slice(0, at)
        .map((each) => submissionOf(each.state, ARTIFACTS[each.artifact])),
      notes:
        at > 0 ? [{ state: definition.steps[0]?.state ?? "", stage: "human", notes: "Per client." }] : [],
      verdicts: [],
      rejections: {},
      completed_subtasks: definition.countsSubtasks && reviewer ? ["S-1", "S-2"] : [],
      ...(definition.takes && { input: "# Rates\n\nLimit them." }),
      ...store,
    },
    persona_name: definition.persona,
    created_at: TIME,
    updated_at: TIME,
  };
}

const EVIDENCE: readonly Finding[] = [
  { about: "git", verdict: "agrees", words: "The server sees the branch 'main' and no uncommitted files." },
  {
    about: "check test",
    verdict: "differs",
    words: "`npm test` failed with exit code 1 after 2.0 s.",
    check: { name: "test", key: "k", exit_code: 1, duration_ms: 2000, tail: "1 failed" },
  },
];

function submissionOf(state: string, artifact: Artifact): Submission & Accepted {
  return { state, artifact, sha256: SHA, time: TIME, evidence: EVIDENCE };
}

function outputsBefore(definition: ToolDefinition): Readonly<Record<string, FinishedRun>> {
  const before = DEFINITIONS.slice(0, DEFINITIONS.indexOf(definition));
  return Object.fromEntries(
    before.map(({ name, status, steps }) => [
      name,
      {
        ...finishedOf("", {}, status.after),
        accepted: steps.map((each) => submissionOf(each.state, ARTIFACTS[each.artifact])),
      },
    ]),
  );
}

function finishedOf(state: string, artifact: Artifact, task_status: FinishedRun["task_status"]): FinishedRun {
  const accepted = [submissionOf(state, artifact)];
  return { started_at: TIME, finished_at: TIME, task_status, accepted, notes: [], verdicts: [] };
}
