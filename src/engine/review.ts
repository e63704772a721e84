/**
 * Tables whose work is reviewed step by step, in both shapes of the review cycle, made from one description.
 *
 * named: Each work state has a review state of its own; the variable `review_stage` names the reviewer whose
 * turn it is. Triggers: `submit_<state>`, `ai_approve` (one rule per review state, to the next state),
 * `request_revision`, and `pass_to_human`, which moves the stage if the policy requires both reviewers.
 *
 * shared: All work states share `awaiting_ai_review` and `awaiting_human_review`; the variable
 * `review_source` names the work under review, and approval and rejection are guarded on it. Triggers:
 * `submit`, `approve`, `reject`.
 *
 * Both have `resume`, which shows the state's reply. The variable `review_policy` is given when a run starts
 * and holds for that run; without a reviewer, submitted work is accepted at once. Every other event in a
 * state is blocked: the table keeps the gate closed, whatever the caller sends.
 */
import { PawlError } from "../core/error.ts";
import type { Reviewer } from "../core/settings.ts";
import { fillBlocked } from "./guard.ts";
import type {
  Box,
  Configuration,
  EventDefinition,
  Fact,
  FactValue,
  Rule,
  State,
  StateScope,
  Workflow,
} from "./workflow.ts";

export interface ReviewPlan {
  /** The workflow's name, such as `start_task`. */
  readonly name: string;
  readonly title: string;
  readonly shape: "named" | "shared";
  /** In order. A run begins in the first one, or in its `entry`. */
  readonly work: readonly ReviewedWork[];
  /** The state after the last approval. */
  readonly final: DescribedState;
  /** The reply that shows a state; default: the state's own name. */
  readonly reply?: (state: string) => string;
  /** The reply to an event that a state does not take; default `invalid-action`. */
  readonly blocked?: string;
  /** What may be written in a state; absent: the table has no scopes. */
  readonly scope?: (state: string) => StateScope;
}

export interface DescribedState {
  readonly state: string;
  readonly description: string;
}

export interface ReviewedWork extends DescribedState {
  /** Its own review state: required in the named shape, and only there. */
  readonly review?: DescribedState;
  /** A state before it, in which its work is first submitted; a rejection leads to `state`. */
  readonly entry?: DescribedState;
  /** Approving in `state`, after a rejection, submits the stored artifact again. Only in the shared shape. */
  readonly resubmits?: true;
}

/** A table made from a plan, with the names of its events. */
export interface ReviewMachine {
  readonly workflow: Workflow;
  /** The event that submits work in this state. */
  submitEvent(state: string): string;
  /** The event with which the present reviewer approves. */
  approveEvent(configuration: Configuration): string;
  readonly rejectEvent: string;
  /** The work under review, and its present reviewer; null: none. */
  underReview(configuration: Configuration): { readonly work: string; readonly reviewer: Reviewer } | null;
  /** The work state whose artifact can be submitted in this state; null: none. */
  workOf(state: string): string | null;
}

const AI_REVIEW = "awaiting_ai_review";
const HUMAN_REVIEW = "awaiting_human_review";
export const REVIEW_SOURCE = "review_source";
export const REVIEW_STAGE = "review_stage";
export const REVIEW_POLICY = "review_policy";

/** The values of the fact `review_policy`: the reviewers, in order; the default first. */
export const REVIEW_POLICIES = ["ai,human", "ai", "human", "none"] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

/** The fact's value for a list of reviewers; throws `config-invalid` for a list that is none of the four. */
export function reviewPolicy(reviewers: readonly Reviewer[]): ReviewPolicy {
  const wanted = reviewers.length === 0 ? "none" : reviewers.join(",");
  const policy = REVIEW_POLICIES.find((each) => each === wanted);
  if (policy) return policy;
  throw new PawlError(
    "config-invalid",
    `The reviewers [${reviewers.join(", ")}] are no review policy; expected [ai], [human], [ai, human] or [].`,
    "Correct `reviews` in the configuration.",
  );
}

/** The reviewers that a policy requires, in order. */
export function reviewersOf(policy: ReviewPolicy): readonly Reviewer[] {
  return policy === "none" ? [] : (policy.split(",") as Reviewer[]);
}

/**
 * Makes the table of a plan, and the names of its events. Throws `workflow-invalid` for a plan without a
 * table.
 */
export function makeReviewMachine(plan: ReviewPlan): ReviewMachine {
  checkPlan(plan);
  return plan.shape === "named" ? makeNamed(plan) : makeShared(plan);
}

// Shared review states

function makeShared(plan: ReviewPlan): ReviewMachine {
  const works = plan.work.map(({ state }) => state);
  const workflow = finish(plan, {
    states: {
      [AI_REVIEW]: {
        description: "The work that review_source names awaits the assistant's own review.",
      },
      [HUMAN_REVIEW]: { description: "The work that review_source names awaits a person's verdict." },
    },
    events: {
      submit: { description: "Work is handed in." },
      approve: { description: "The reviewer whose turn it is approves." },
      reject: { description: "The reviewer whose turn it is asks for a revision." },
    },
    fact: REVIEW_SOURCE,
    definition: variable("The work state whose artifact is under review.", works),
    rules: plan.work.flatMap((work, index) => sharedRules(plan, work, nextState(plan, index))),
  });
  return {
    workflow,
    submitEvent: () => "submit",
    approveEvent: () => "approve",
    rejectEvent: "reject",
    underReview({ state, variables }) {
      const work = variables[REVIEW_SOURCE];
      if (typeof work !== "string" || (state !== AI_REVIEW && state !== HUMAN_REVIEW)) return null;
      return { work, reviewer: state === AI_REVIEW ? "ai" : "human" };
    },
    workOf: (state) => workTakenIn(plan, state),
  };
}

function sharedRules(plan: ReviewPlan, work: ReviewedWork, next: string): readonly Rule[] {
  const { state } = work;
  const reply = replyOf(plan);
  const here: Box = { [REVIEW_SOURCE]: [state] };
  const begun = { set: { [REVIEW_SOURCE]: state } };
  const ended = { set: { [REVIEW_SOURCE]: null } };
  const move = (on: string, from: readonly string[], id: string, to: string, when: Box, set = {}): Rule => {
    return { id, from, on, when: [when], to, ...set, outcome: "moved", reply: reply(to) };
  };
  const handIn = (on: string, from: readonly string[], id: string) => [
    move(on, from, `${id}.to_ai`, AI_REVIEW, policy("ai", "ai,human"), begun),
    move(on, from, `${id}.to_human`, HUMAN_REVIEW, policy("human"), begun),
  ];
  const approve = (review: string, by: string, to: string, when: Box, set = {}) =>
    move("approve", [review], `approve.${state}.${by}`, to, { ...here, ...when }, set);
  return [
    ...handIn("submit", sourcesOf(work), `submit.${state}`),
    move("submit", sourcesOf(work), `submit.${state}.accepted`, next, policy("none")),
    ...(work.resubmits ? handIn("approve", [state], `resubmit.${state}`) : []),
    approve(AI_REVIEW, "to_human", HUMAN_REVIEW, policy("ai,human")),
    approve(AI_REVIEW, "by_ai", next, policy("ai"), ended),
    approve(HUMAN_REVIEW, "by_human", next, {}, ended),
    move("reject", [AI_REVIEW, HUMAN_REVIEW], `reject.${state}`, state, here, ended),
  ];
}

// A review state for each work state

const FIRST_OF_TWO: Box = { [REVIEW_STAGE]: ["ai"], ...policy("ai,human") };
const LAST_STAGE: readonly Box[] = [
  { [REVIEW_STAGE]: ["ai"], ...policy("ai") },
  { [REVIEW_STAGE]: ["human"], ...policy("human", "ai,human") },
];

function makeNamed(plan: ReviewPlan): ReviewMachine {
  const reviews = plan.work.map((work) => ({ work: work.state, ...reviewOf(plan, work) }));
  const submits = plan.work.map(
    ({ state }) => [`submit_${state}`, { description: `The work of ${state} is handed in.` }] as const,
  );
  const workflow = finish(plan, {
    states: Object.fromEntries(reviews.map(({ state, description }) => [state, { description }])),
    events: {
      ...Object.fromEntries(submits),
      pass_to_human: { description: "The assistant's own review is passed; a person's follows." },
      ai_approve: { description: "The last review that the policy asks for is passed." },
      request_revision: { description: "The reviewer whose turn it is asks for a revision." },
    },
    fact: REVIEW_STAGE,
    definition: variable("Whose turn the review is, within a review state.", ["ai", "human"]),
    rules: [
      ...plan.work.flatMap((work, index) => namedRules(plan, work, nextState(plan, index))),
      ...heldGates(
        plan,
        reviews.map(({ state }) => state),
      ),
    ],
  });
  const underReview: ReviewMachine["underReview"] = ({ state, variables }) => {
    const review = reviews.find((each) => each.state === state);
    const reviewer = variables[REVIEW_STAGE];
    return review && (reviewer === "ai" || reviewer === "human") ? { work: review.work, reviewer } : null;
  };
  return {
    workflow,
    submitEvent: (state) => `submit_${workTakenIn(plan, state) ?? state}`,
    approveEvent(configuration) {
      const first =
        underReview(configuration)?.reviewer === "ai" &&
        configuration.variables[REVIEW_POLICY] === "ai,human";
      return first ? "pass_to_human" : "ai_approve";
    },
    rejectEvent: "request_revision",
    underReview,
    workOf: (state) => workTakenIn(plan, state),
  };
}

function namedRules(plan: ReviewPlan, work: ReviewedWork, next: string): readonly Rule[] {
  const { state } = work;
  const review = reviewOf(plan, work).state;
  const reply = replyOf(plan);
  const rule = (
    on: string,
    id: string,
    to: string,
    when: readonly Box[] | null,
    stage?: FactValue,
  ): Rule => ({
    id: `${on}.${id}`,
    from: on.startsWith("submit_") ? sourcesOf(work) : [review],
    on,
    ...(when ? { when } : {}),
    to,
    ...(stage === undefined ? {} : { set: { [REVIEW_STAGE]: stage } }),
    outcome: "moved",
    reply: reply(to === "same" ? review : to),
  });
  const submit = `submit_${state}`;
  return [
    rule(submit, "to_ai", review, [policy("ai", "ai,human")], "ai"),
    rule(submit, "to_human", review, [policy("human")], "human"),
    rule(submit, "accepted", next, [policy("none")]),
    rule("pass_to_human", state, "same", [FIRST_OF_TWO], "human"),
    rule("ai_approve", state, next, LAST_STAGE, null),
    rule("request_revision", state, state, null, null),
  ];
}

/** The triggers of a review that is not due yet, or is the last. */
function heldGates(plan: ReviewPlan, reviews: readonly string[]): readonly Rule[] {
  const held = { from: reviews, to: "same", outcome: "blocked", reply: blockedReply(plan) } as const;
  return [
    { ...held, id: "blocked.ai_approve.too_early", on: "ai_approve", when: [FIRST_OF_TWO] },
    { ...held, id: "blocked.pass_to_human.last_stage", on: "pass_to_human", when: LAST_STAGE },
  ];
}

// What both shapes share

interface Shape {
  readonly states: Readonly<Record<string, State>>;
  readonly events: Readonly<Record<string, EventDefinition>>;
  readonly fact: string;
  readonly definition: Fact;
  readonly rules: readonly Rule[];
}

function finish(plan: ReviewPlan, shape: Shape): Workflow {
  const working = plan.work.flatMap((work) => (work.entry ? [work.entry, work] : [work]));
  const described: Record<string, State> = {
    ...Object.fromEntries(working.map(({ state, description }) => [state, { description }])),
    ...shape.states,
  };
  const going = Object.fromEntries(
    Object.entries(described).map(([state, each]) => [state, { ...each, ...plan.scope?.(state) }]),
  );
  const { state: goal, description } = plan.final;
  const workflow: Workflow = {
    name: plan.name,
    title: plan.title,
    states: { ...going, [goal]: { description, final: true } },
    initial: working[0]?.state ?? goal,
    events: { ...shape.events, resume: { description: "The tool is called again while its run is active." } },
    facts: {
      [shape.fact]: shape.definition,
      [REVIEW_POLICY]: {
        description: "Who reviews, in order; given when the run starts.",
        values: REVIEW_POLICIES,
        initial: "ai,human",
      },
    },
    starts: REVIEW_POLICIES.map((value) => ({ [REVIEW_POLICY]: value })),
    rules: [...shape.rules, ...Object.keys(going).map((state) => resumeRule(plan, state))],
    goals: [goal],
  };
  return fillBlocked(workflow, blockedReply(plan));
}

function resumeRule(plan: ReviewPlan, state: string): Rule {
  const reply = replyOf(plan)(state);
  return { id: `resume.${state}`, from: [state], on: "resume", to: "same", outcome: "shown", reply };
}

/** A fact that is null outside a review. */
function variable(description: string, values: readonly string[]): Fact {
  return { description, values: [null, ...values], initial: null };
}

function policy(...values: readonly ReviewPolicy[]): Box {
  return { [REVIEW_POLICY]: values };
}

function replyOf(plan: ReviewPlan): (state: string) => string {
  return plan.reply ?? ((state) => state);
}

function blockedReply(plan: ReviewPlan): string {
  return plan.blocked ?? "invalid-action";
}

/** The states in which work is submitted: its own, and the one before its first submission. */
function sourcesOf({ entry, state }: ReviewedWork): readonly string[] {
  return entry ? [entry.state, state] : [state];
}

function nextState(plan: ReviewPlan, index: number): string {
  const next = plan.work[index + 1];
  return next ? (next.entry ?? next).state : plan.final.state;
}

function workTakenIn(plan: ReviewPlan, state: string): string | null {
  return plan.work.find((work) => sourcesOf(work).includes(state))?.state ?? null;
}

function reviewOf(plan: ReviewPlan, { review, state }: ReviewedWork): DescribedState {
  if (review) return review;
  throw invalidCycleError(plan, `the work state "${state}" has no review state`, "Give it `review`.");
}

function checkPlan(plan: ReviewPlan): void {
  const { final, shape, work } = plan;
  if (work.length === 0) throw invalidCycleError(plan, "it has no work state", "Give it at least one.");
  const reviewed = work.find(({ review }) => shape === "shared" && review);
  if (reviewed)
    throw invalidCycleError(
      plan,
      `"${reviewed.state}" has a review state of its own`,
      "Drop it, or use the named shape.",
    );
  const again = work.find(({ resubmits }) => shape === "named" && resubmits);
  if (again)
    throw invalidCycleError(
      plan,
      `"${again.state}" re-submits on approval`,
      "Drop it, or use the shared shape.",
    );
  const states = work.flatMap((each) => [...sourcesOf(each), ...(each.review ? [each.review.state] : [])]);
  const all = [...states, final.state, ...(shape === "shared" ? [AI_REVIEW, HUMAN_REVIEW] : [])];
  const twice = all.find((state, index) => all.indexOf(state) !== index);
  if (twice !== undefined)
    throw invalidCycleError(plan, `"${twice}" is named twice`, "Name each state once.");
}

function invalidCycleError(plan: ReviewPlan, what: string, fix: string): PawlError {
  return new PawlError("workflow-invalid", `No review cycle can be made of ${plan.name}: ${what}.`, fix);
}
