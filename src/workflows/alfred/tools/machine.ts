import { hashOf } from "../../../core/hash.ts";
import { canonical } from "../../../core/json.ts";
import { checkReachable } from "../../../engine/reach.ts";
import {
  makeReviewMachine,
  REVIEW_POLICY,
  REVIEW_SOURCE,
  REVIEW_STAGE,
  type ReviewMachine,
  reviewPolicy,
} from "../../../engine/review.ts";
import { NOTHING, withoutScopes } from "../../../engine/scope.ts";
import type { Configuration } from "../../../engine/workflow.ts";
import type { Table } from "../../../runtime/module.ts";
import type { ActiveTool } from "../state/state-file.ts";
import { type ToolDefinition, VERIFIED, type WorkStep } from "./definition.ts";
import { DEFINITIONS } from "./definitions.ts";

const machines = new Map<ToolDefinition, ReviewMachine>();

/** The tool's table, made once from its definition. */
export function machineOf(definition: ToolDefinition): ReviewMachine {
  const known = machines.get(definition);
  if (known) return known;
  const made = makeMachine(definition);
  machines.set(definition, made);
  return made;
}

export const BLOCKED_REPLY = "invalid-action";

/** For `check`: the table, and all replies (each state's prompt, the hand-over, the refusal). */
export function tableOf(definition: ToolDefinition): Table {
  const { workflow } = machineOf(definition);
  return { workflow, replies: [...Object.keys(workflow.states), BLOCKED_REPLY] };
}

let tables: string | undefined;

/** The hash of all tools' tables. */
export function tablesHash(): string {
  tables ??= hashOf(
    canonical(DEFINITIONS.map((definition) => withoutScopes(machineOf(definition).workflow))),
  );
  return tables;
}

function makeMachine(definition: ToolDefinition): ReviewMachine {
  return makeReviewMachine({
    name: definition.name,
    title: definition.title,
    shape: definition.reviews,
    blocked: BLOCKED_REPLY,
    scope: (state) =>
      definition.steps.find((step) => step.state === state)?.scope ?? definition.scope ?? NOTHING,
    work: definition.steps.map((step, index) => ({
      state: step.state,
      description: `The ${step.artifact} is awaited.`,
      ...(step.review && {
        review: { state: step.review, description: `The ${step.artifact} is under review.` },
      }),
      ...(index === 0 &&
        definition.opening && {
          entry: {
            state: definition.opening.state,
            description: `The run has begun; a ${step.artifact} is awaited.`,
          },
        }),
      ...(step.resubmits && { resubmits: true as const }),
    })),
    final: { state: VERIFIED, description: "Everything is approved; the run is over." },
  });
}

/** The run's configuration in its file, without a check that it is reachable. */
export function configurationIn(definition: ToolDefinition, active: ActiveTool): Configuration {
  return {
    state: active.current_state,
    variables: {
      [REVIEW_POLICY]: reviewPolicy(active.context_store.review_policy),
      ...(definition.reviews === "shared"
        ? { [REVIEW_SOURCE]: active.review_source }
        : { [REVIEW_STAGE]: active.review_stage }),
    },
  };
}

/** The run's configuration in its table. Throws `run-unreachable` if no run can reach it. */
export function configurationOf(definition: ToolDefinition, active: ActiveTool): Configuration {
  const configuration = configurationIn(definition, active);
  checkReachable(machineOf(definition).workflow, configuration);
  return configuration;
}

/** The run with this configuration. */
export function placed(active: ActiveTool, { state, variables }: Configuration): ActiveTool {
  const source = variables[REVIEW_SOURCE];
  const stage = variables[REVIEW_STAGE];
  return {
    ...active,
    current_state: state,
    review_source: typeof source === "string" ? source : null,
    review_stage: stage === "ai" || stage === "human" ? stage : null,
  };
}

export function stepOf(definition: ToolDefinition, state: string): WorkStep {
  const found = definition.steps.find((step) => step.state === state);
  if (!found) throw new Error(`${definition.name} has no work state ${state}.`);
  return found;
}

/** The step whose artifact is to be submitted or is under review in this state. Null at the end. */
export function workAt(definition: ToolDefinition, configuration: Configuration): WorkStep | null {
  const machine = machineOf(definition);
  const state = machine.underReview(configuration)?.work ?? machine.workOf(configuration.state);
  return state === null ? null : stepOf(definition, state);
}
