/**
 * The life of one task in the work loop, as a table. A rule's commands are what the loop does next; the last
 * of them yields the next event. After a crash the commands of the last rule run again; each first checks
 * whether it is already done.
 *
 * B1  Git operations happen only after all steps: only `committing` leads to pushing, merging and opening_pr.
 * B2  A checkpoint leaves `committing` only when a person has approved. No person is asked again about exactly the
 *     files that they rejected.
 * B3  Every failure has an end: without attempts left it leads to `blocked`.
 * B4  A check that fails on the target alone counts against no task: it uses up no attempt, and its tasks
 *     wait in `target_red` until the target changes. They continue by verifying, never by delivering.
 * B5  An agent whose account is limited, or refused, has not failed: that uses up no attempt. Its tasks wait
 *     in `agent_rests` and continue in their sessions; or another agent takes them over.
 * B6  A pull request comes back to its agent a limited number of times; then a person decides. The work is
 *     verified each time.
 * B7  No task is done without work: if no commit is the task's own, and no reason for that was declared, its
 *     agent is asked again. The same holds for an agent that left its step open and was refused something, or
 *     changed nothing.
 */
import { readOnce } from "../../../core/once.ts";
import { boxesOf, type Given } from "../../../engine/boxes.ts";
import type { Extensible } from "../../../engine/extend.ts";
import type { TablePromise } from "../../../engine/promises.ts";
import { NOTHING } from "../../../engine/scope.ts";
import type { Command, Fact, FactValue, Rule, State, Workflow } from "../../../engine/workflow.ts";

/** Pawl itself pushes and merges, so no agent ever does. */
const AT_WORK = { writes: "worktree", forbids: ["push"] } as const;

const STATES = {
  ready: { description: "May be taken by a worker.", ...NOTHING },
  working: { description: "Its agent works on the current step.", ...AT_WORK },
  verifying: { description: "The loop runs the verify commands itself.", ...NOTHING },
  committing: { description: "All steps are done; nothing may be left uncommitted.", ...AT_WORK },
  pushing: { description: "The branch goes to its remote.", ...NOTHING },
  merging: { description: "The branch is merged into its target.", ...NOTHING },
  opening_pr: { description: "The pull request is opened, and waits to be merged.", ...NOTHING },
  cleaning: { description: "What is no longer needed is taken away.", ...NOTHING },
  target_red: {
    description: "Its target fails the same check without its work; it waits for a change there.",
    ...NOTHING,
  },
  agent_rests: {
    description: "Its agent's account is limited or refused; it waits until that ends.",
    ...NOTHING,
  },
  waiting_for_human: { description: "A person must answer or approve.", ...NOTHING },
  blocked: { description: "It does not go on by itself; the reason is in the run.", ...NOTHING },
  budget_exhausted: { description: "It has spent its budget.", ...NOTHING },
  done: { description: "Everything is done, its merge included.", final: true },
  cancelled: { description: "A person has cancelled it.", final: true },
} as const satisfies Record<string, State>;

export type TaskState = keyof typeof STATES;
/** A state that a task's life adds. */
export type OwnState = string & {};

export function isOneOf(states: readonly TaskState[], state: TaskState | OwnState): boolean {
  return (states as readonly string[]).includes(state);
}

const EVENTS = {
  claimed: "A worker took the task.",
  step_done: "The agent ended well, and the step is marked done.",
  step_unmarked: "The agent ended well, and the step is still open.",
  purpose_done: "The agent ended well what it was resumed for.",
  agent_failed: "The agent failed, was killed, or ended without its own word of success.",
  agent_missing: "The agent cannot be started here.",
  agent_limited: "The agent's account is limited, or refused.",
  agent_free: "The time for which the agent rests is over.",
  session_lost: "The session cannot be resumed.",
  question_asked: "The agent waits for an answer.",
  interjected: "A person has something to say to the agent at once.",
  interrupted: "The worker was told to stop.",
  budget_spent: "The budget is spent.",
  verify_passed: "Every verify command passed.",
  verify_failed: "A verify command failed.",
  target_red: "The target fails the same check without its work.",
  target_green: "The target has changed, and passes the check.",
  committed: "Nothing is uncommitted.",
  uncommitted: "Work is uncommitted.",
  unchanged: "Its agent committed exactly what a person rejected.",
  nothing_done: "Nothing was committed, and nobody declared that there is nothing to do.",
  pushed: "The remote has the branch.",
  push_failed: "The push did not come through.",
  push_refused: "The remote refuses the branch, or there is none.",
  merged: "The target has the branch's work.",
  merge_conflicted: "The branch conflicts with its target.",
  merge_unverified: "A verify command failed on the merged result.",
  merge_failed: "The merge could not be published.",
  merge_awaited: "Another merge into the target is under way.",
  pr_opened: "The pull request is open.",
  pr_pending: "The pull request is not merged yet.",
  pr_returned:
    "The pull request fails a check on the forge, has changes requested, or conflicts with its target.",
  pr_merged: "The pull request is merged.",
  pr_closed: "The pull request was closed and not merged.",
  pr_failed: "The pull request could not be opened now.",
  pr_refused: "The forge refuses the pull request.",
  cleaned: "What could be taken away was; work that would be lost stayed.",
  git_failed: "Git itself failed, or the setup of a folder.",
  git_refused: "A repository, commit or branch is missing, or cannot be used: no further try mends that.",
  answered: "A person answered.",
  approved: "A person approved.",
  sent_back: "A person rejected the work, and its agent continues.",
  reset: "tasks.yaml says that it begins anew.",
  dropped: "tasks.yaml says that it is done.",
  halted: "tasks.yaml says that it is blocked.",
  cancelled: "A person has cancelled it.",
} as const;

export type TaskEvent = keyof typeof EVENTS;

const bool = (description: string): Fact => ({ description, values: [false, true] });

const FACTS = {
  open_work: bool("A step, or the task without steps, is not done."),
  tries_left: bool("It failed fewer times in a row than the limit."),
  commit_tries_left: bool("The agent was asked to commit fewer times than the limit."),
  rounds_left: bool("Its pull request came back no more times than the limit."),
  unmarked: {
    description: "What to do with a step that its agent left open (`on_unmarked_step`).",
    values: ["assume", "ask", "block"],
  },
  in_doubt: bool(
    "Its agent may have ended because it could not go on: it was refused something, or changed nothing.",
  ),
  next_agent: bool("Another agent takes over while its own rests (`on_limit: next`)."),
  repo: bool("It works in a repository."),
  push: bool("Its branch is pushed."),
  target: { description: "Where its branch goes.", values: ["none", "merge", "pr"] },
  checkpoint: bool("A person must approve."),
  approved: { ...bool("A person has approved."), initial: false },
  awaits: {
    description: "What a person is waited for.",
    values: ["nothing", "answer_in_work", "answer_in_commit", "approval"],
    initial: "nothing",
  },
} as const satisfies Record<string, Fact>;

const run = (purpose: string): readonly Command[] => [{ type: "run-agent", purpose }];
const does = (type: string): readonly Command[] => [{ type }];

interface More extends Partial<Pick<Rule, "set" | "outcome" | "reply">> {
  readonly when?: Given | readonly Given[];
}
type From = TaskState | (string & {}) | readonly string[];
type To = TaskState | (string & {});
type AnyEvent = TaskEvent | typeof UNCLEAR;
type Does = readonly Command[] | null;

/** The states that a team's own table adds (`extends: bloom`). In each of them, an agent of that table works. */
type OwnStates = Readonly<Record<string, State>>;

const NO_STATES: OwnStates = {};
const UNCLEAR = "agent_unclear";
/** Does again what the agent of an own state was ordered to do. */
export const ORDER_AGAIN = "order-again";

/** Whether the rule starts an agent: the task's own, or one of its life. */
export function startsAgent({ commands = [] }: Pick<Rule, "commands">): boolean {
  return commands.some(({ type }) => type === "run-agent" || type === "run" || type === ORDER_AGAIN);
}

function rule(id: string, from: From, on: AnyEvent, to: To, does: Does, more: More = {}): Rule {
  const { when, ...rest } = more;
  const given = { ...(when && { when: boxesOf(when) }), ...(does && { commands: does }) };
  return { id, from: [from].flat(), on, to, ...given, outcome: "moved", reply: "went_on", ...rest };
}

const TRIES_LEFT = { tries_left: true };
const NO_TRIES = { tries_left: false };

/** A failure while attempts are left. */
function retries(id: string, from: From, on: TaskEvent, to: To, does: Does): Rule {
  return rule(id, from, on, to, does, { when: TRIES_LEFT, reply: "tries_again" });
}

function blocks(id: string, from: From, on: AnyEvent, when?: More["when"]): Rule {
  return rule(id, from, on, "blocked", null, {
    ...(when && { when }),
    set: { awaits: "nothing" },
    reply: "blocked",
  });
}

/** Makes the rule for events that have no effect in these states. */
function ignores(id: string, from: From, on: TaskEvent, more: More = {}): Rule {
  return rule(id, from, on, "same", null, { outcome: "no-effect", reply: "not_now", ...more });
}

const COMPLETED = { set: { awaits: "nothing" }, reply: "completed" };
const AWAITS_APPROVAL = { set: { awaits: "approval" }, reply: "waits" };
const SPENT = { set: { awaits: "nothing" }, reply: "spent" };
const APPROVED = { awaits: "nothing", approved: true };

/** The ways out once all steps are done and committed, as data. */
const WAYS_OUT: readonly {
  readonly id: string;
  readonly box: Given;
  readonly to: TaskState;
  readonly command: string;
}[] = [
  { id: "pushes", box: { push: true }, to: "pushing", command: "push" },
  { id: "merges", box: { push: false, target: "merge" }, to: "merging", command: "merge" },
  { id: "opens_pr", box: { push: false, target: "pr" }, to: "opening_pr", command: "open-pr" },
  { id: "cleans", box: { push: false, target: "none" }, to: "cleaning", command: "clean-up" },
];

const taken = (): readonly Rule[] => [
  rule("ready.works", "ready", "claimed", "working", run("step"), { when: { open_work: true } }),
  rule("ready.verifies", "ready", "claimed", "verifying", does("run-verify"), { when: { open_work: false } }),
];

const worked = (): readonly Rule[] => [
  rule("step.verifies", "working", "step_done", "verifying", does("run-verify")),
  rule("step.assumed_done", "working", "step_unmarked", "verifying", does("run-verify"), {
    when: { unmarked: "assume", in_doubt: false },
    reply: "assumed_done",
  }),
  rule("step.asked_to_mark", "working", "step_unmarked", "same", run("mark"), {
    when: [
      { unmarked: "ask", tries_left: true },
      // The agent may have ended because it could not continue.
      { unmarked: "assume", in_doubt: true, tries_left: true },
    ],
  }),
  blocks("step.unmarked_blocks", "working", "step_unmarked", [
    { unmarked: "block" },
    { unmarked: "ask", tries_left: false },
    { unmarked: "assume", in_doubt: true, tries_left: false },
  ]),
  rule("purpose.verifies", "working", "purpose_done", "verifying", does("run-verify")),
  rule("purpose.commits", "committing", "purpose_done", "same", does("ensure-committed")),
];

/**
 * The possible outcomes of an agent's run, in each state that has one. A failure repeats the run's purpose.
 */
const agentEnds = (states: OwnStates): readonly Rule[] =>
  ["working", "committing", ...Object.keys(states)].flatMap((state) => {
    const isOwn = Object.hasOwn(states, state);
    const again = isOwn ? does(ORDER_AGAIN) : run("again");
    const asked = { set: { awaits: answerIn(state) }, reply: "waits" };
    const at = (id: string, on: TaskEvent, reply: string, does: Does): Rule =>
      rule(`${state}.${id}`, state, on, "same", does, { reply });
    const rests = { ...(isOwn ? { set: { rests_in: state } } : {}), reply: "rests" };
    return [
      retries(`${state}.tries_again`, state, "agent_failed", "same", again),
      blocks(`${state}.gives_up`, state, "agent_failed", NO_TRIES),
      blocks(`${state}.without_agent`, state, "agent_missing"),
      ...(isOwn
        ? [
            blocks(`${state}.unclear`, state, UNCLEAR),
            rule(`${state}.rests`, state, "agent_limited", "agent_rests", does("await-agent"), rests),
          ]
        : [
            rule(`${state}.rests`, state, "agent_limited", "agent_rests", does("await-agent"), {
              when: { next_agent: false },
              ...rests,
            }),
            rule(`${state}.hands_over`, state, "agent_limited", "same", again, {
              when: { next_agent: true },
              reply: "hands_over",
            }),
          ]),
      at("begins_afresh", "session_lost", "begins_afresh", again),
      at("hears", "interjected", "hears", isOwn ? again : run("interjection")),
      rule(`${state}.asks`, state, "question_asked", "waiting_for_human", null, asked),
      rule(`${state}.spent`, state, "budget_spent", "budget_exhausted", null, SPENT),
      at("stops", "interrupted", "stops", again),
    ];
  });

/** The value of `awaits` while a person is asked by the agent of that state. */
function answerIn(state: string): string {
  if (state === "working") return "answer_in_work";
  return state === "committing" ? "answer_in_commit" : `answer_in_${state}`;
}

const verified = (): readonly Rule[] => [
  rule("verified.next_step", "verifying", "verify_passed", "working", run("step"), {
    when: { open_work: true },
  }),
  rule("verified.commits", "verifying", "verify_passed", "committing", does("ensure-committed"), {
    when: { open_work: false, repo: true },
  }),
  rule("verified.awaits_approval", "verifying", "verify_passed", "waiting_for_human", null, {
    when: { open_work: false, repo: false, checkpoint: true, approved: false },
    ...AWAITS_APPROVAL,
  }),
  rule("verified.completes", "verifying", "verify_passed", "done", null, {
    when: [
      { open_work: false, repo: false, checkpoint: false },
      { open_work: false, repo: false, checkpoint: true, approved: true },
    ],
    ...COMPLETED,
  }),
  retries("verify.repairs", "verifying", "verify_failed", "working", run("repair")),
  blocks("verify.gives_up", "verifying", "verify_failed", NO_TRIES),
];

/**
 * The check fails on the target itself: the task waits until the target's new state can be merged into its
 * workspace.
 */
const targetFails = (): readonly Rule[] => [
  rule("target.is_red", ["verifying", "merging"], "target_red", "target_red", does("watch-target"), {
    reply: "target_red",
  }),
  ignores("target.still_red", "target_red", "target_red", { reply: "target_red" }),
  rule("target.is_green", ["verifying", "target_red"], "target_green", "verifying", does("run-verify")),
];

/** Repeats the interrupted run of the agent, with its purpose. */
const agentRests = (states: OwnStates): readonly Rule[] => [
  rule("agent.goes_on", "agent_rests", "agent_free", "working", run("again"), {
    ...(states === NO_STATES ? {} : { when: { rests_in: "nothing" } }),
  }),
  ...Object.keys(states).map((state) =>
    rule(`agent.goes_on.${state}`, "agent_rests", "agent_free", state, does(ORDER_AGAIN), {
      when: { rests_in: state },
      set: { rests_in: "nothing" },
    }),
  ),
  rule("agent_rests.stops", "agent_rests", "interrupted", "same", does("await-agent"), { reply: "stops" }),
];

const committed = (): readonly Rule[] => [
  rule("committed.awaits_approval", "committing", "committed", "waiting_for_human", null, {
    when: { checkpoint: true, approved: false },
    ...AWAITS_APPROVAL,
  }),
  ...WAYS_OUT.map(({ id, box, to, command }) =>
    rule(`committed.${id}`, "committing", "committed", to, does(command), {
      when: [
        { ...box, checkpoint: false },
        { ...box, checkpoint: true, approved: true },
      ],
    }),
  ),
  rule("uncommitted.asks", "committing", "uncommitted", "same", run("commit"), {
    when: { commit_tries_left: true },
  }),
  retries("nothing.asks", "committing", "nothing_done", "working", run("nothing")),
  blocks("nothing.gives_up", "committing", "nothing_done", NO_TRIES),
  blocks("rejected.unchanged", "committing", "unchanged"),
  blocks("uncommitted.gives_up", "committing", "uncommitted", { commit_tries_left: false }),
];

const delivered = (): readonly Rule[] => [
  rule("pushed.merges", "pushing", "pushed", "merging", does("merge"), { when: { target: "merge" } }),
  rule("pushed.opens_pr", "pushing", "pushed", "opening_pr", does("open-pr"), { when: { target: "pr" } }),
  rule("pushed.cleans", "pushing", "pushed", "cleaning", does("clean-up"), { when: { target: "none" } }),
  retries("push.again", "pushing", "push_failed", "same", does("push")),
  blocks("push.gives_up", "pushing", "push_failed", NO_TRIES),
  blocks("push.refused", "pushing", "push_refused"),
  rule("merged.cleans", "merging", "merged", "cleaning", does("clean-up")),
  rule("merge.waits_for_turn", "merging", "merge_awaited", "same", does("merge"), { reply: "awaits_turn" }),
  retries("merge.resolves", ["verifying", "merging"], "merge_conflicted", "working", run("resolve")),
  blocks("merge.stays_conflicted", ["verifying", "merging"], "merge_conflicted", NO_TRIES),
  retries("merge.repairs", "merging", "merge_unverified", "working", run("repair-merge")),
  blocks("merge.stays_unverified", "merging", "merge_unverified", NO_TRIES),
  retries("merge.again", "merging", "merge_failed", "same", does("merge")),
  blocks("merge.gives_up", "merging", "merge_failed", NO_TRIES),
  rule("pr.watches", "opening_pr", "pr_opened", "same", does("watch-pr"), { reply: "pr_open" }),
  ignores("pr.still_open", "opening_pr", "pr_pending", { reply: "pr_open" }),
  rule("pr.comes_back", "opening_pr", "pr_returned", "working", run("pull-request"), {
    when: { rounds_left: true },
    reply: "pr_back",
  }),
  blocks("pr.asks_person", "opening_pr", "pr_returned", { rounds_left: false }),
  rule("pr.cleans", "opening_pr", "pr_merged", "cleaning", does("clean-up")),
  retries("pr.again", "opening_pr", "pr_failed", "same", does("open-pr")),
  blocks("pr.closed", "opening_pr", "pr_closed"),
  blocks("pr.gives_up", "opening_pr", "pr_failed", NO_TRIES),
  blocks("pr.refused", "opening_pr", "pr_refused"),
  rule("cleaned.completes", "cleaning", "cleaned", "done", null, COMPLETED),
];

/** The command that each state repeats after the worker was stopped there, or after git failed. */
const DOES_AGAIN = [
  ["ready", null],
  ["verifying", "run-verify"],
  ["target_red", "watch-target"],
  ["pushing", "push"],
  ["merging", "merge"],
  ["opening_pr", "open-pr"],
  ["cleaning", "clean-up"],
] as const;

const stopped = (): readonly Rule[] =>
  DOES_AGAIN.map(([state, command]) =>
    rule(`${state}.stops`, state, "interrupted", "same", command && does(command), { reply: "stops" }),
  );

const gitFails = (states: OwnStates): readonly Rule[] =>
  [
    ...Object.keys(states).map((state) => [state, does(ORDER_AGAIN)] as const),
    ...DOES_AGAIN.flatMap(([state, command]) => (command === null ? [] : [[state, does(command)] as const])),
    ["working", run("again")] as const,
    ["committing", does("ensure-committed")] as const,
  ].flatMap(([state, commands]) => [
    retries(`${state}.git_again`, state, "git_failed", "same", commands),
    blocks(`${state}.git_gives_up`, state, "git_failed", NO_TRIES),
    blocks(`${state}.git_refused`, state, "git_refused"),
  ]);

const ANSWERS = ["answer_in_work", "answer_in_commit"];
const answersIn = (states: OwnStates) => [...ANSWERS, ...Object.keys(states).map(answerIn)];

const answered = (states: OwnStates): readonly Rule[] => [
  rule("answer.resumes_work", "waiting_for_human", "answered", "working", run("answer"), {
    when: { awaits: "answer_in_work" },
    set: { awaits: "nothing" },
  }),
  rule("answer.resumes_commit", "waiting_for_human", "answered", "committing", run("answer"), {
    when: { awaits: "answer_in_commit" },
    set: { awaits: "nothing" },
  }),
  ...Object.keys(states).map((state) =>
    rule(`answer.resumes_${state}`, "waiting_for_human", "answered", state, does(ORDER_AGAIN), {
      when: { awaits: answerIn(state) },
      set: { awaits: "nothing" },
    }),
  ),
  ignores("answer.not_awaited", "waiting_for_human", "answered", {
    when: { awaits: ["nothing", "approval"] },
  }),
  rule("approval.completes", "waiting_for_human", "approved", "done", null, {
    when: { awaits: "approval", repo: false },
    set: APPROVED,
    reply: "completed",
  }),
  ...WAYS_OUT.map(({ id, box, to, command }) =>
    rule(`approval.${id}`, "waiting_for_human", "approved", to, does(command), {
      when: { ...box, awaits: "approval", repo: true },
      set: APPROVED,
    }),
  ),
  ignores("approval.not_awaited", "waiting_for_human", "approved", {
    when: { awaits: ["nothing", ...answersIn(states)] },
  }),
  rule("approval.says_merged", "opening_pr", "approved", "cleaning", does("clean-up")),
  rule("rejection.reworks", "waiting_for_human", "sent_back", "working", run("rework"), {
    when: { awaits: "approval" },
    set: { awaits: "nothing" },
  }),
  rule("rejection.reworks_pr", "opening_pr", "sent_back", "working", run("rework"), {
    set: { awaits: "nothing", approved: false },
  }),
  ignores("rejection.not_awaited", "waiting_for_human", "sent_back", {
    when: { awaits: ["nothing", ...answersIn(states)] },
  }),
];

const ALL = Object.keys(STATES) as TaskState[];

/** The states in which a run has no work left. */
export const OVER: readonly TaskState[] = ALL.filter((state) => "final" in STATES[state]);
const openIn = (states: OwnStates): readonly string[] => [
  ...ALL.filter((state) => !OVER.includes(state)),
  ...Object.keys(states),
];

/** The states in which no agent works: a person acts next, or the run is over. */
export const AT_REST: readonly TaskState[] = ["waiting_for_human", "blocked", "budget_exhausted", ...OVER];

const LEAVES = ["pushing", "merging", "opening_pr"] as const;
/** Its work is done and on its way out: no agent works on it. */
export const DELIVERED: ReadonlySet<string> = new Set([...LEAVES, "cleaning"]);

/** tasks.yaml wins over the run. */
const tasksFileRules = (states: OwnStates): readonly Rule[] => [
  rule("person.reset", openIn(states), "reset", "ready", null, {
    set: { awaits: "nothing", approved: false },
    reply: "reset",
  }),
  rule("person.dropped", openIn(states), "dropped", "done", null, COMPLETED),
  blocks(
    "person.halted",
    openIn(states).filter((state) => state !== "blocked"),
    "halted",
  ),
  rule("person.cancelled", openIn(states), "cancelled", "cancelled", null, {
    set: { awaits: "nothing" },
    reply: "cancelled",
  }),
];

const written = (states: OwnStates): readonly Rule[] => [
  ...taken(),
  ...worked(),
  ...agentEnds(states),
  ...verified(),
  ...targetFails(),
  ...agentRests(states),
  ...committed(),
  ...delivered(),
  ...stopped(),
  ...gitFails(states),
  ...answered(states),
  ...tasksFileRules(states),
];

/** An event that a state does not expect changes nothing. */
function notNow(rules: readonly Rule[], events: readonly string[], states: OwnStates): readonly Rule[] {
  return events.flatMap((event) => {
    const from = openIn(states).filter(
      (state) => !rules.some((each) => each.on === event && each.from.includes(state)),
    );
    return from.length === 0 ? [] : [ignores(`${event}.not_now`, from, event as TaskEvent)];
  });
}

/** Lazy: most commands send no event, so they need no rules. */
const rules = readOnce((): readonly Rule[] => {
  const all = written(NO_STATES);
  return [...all, ...notNow(all, Object.keys(EVENTS), NO_STATES)];
});

const described = (events: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(events).map(([name, description]) => [name, { description }]));

export const BLOOM: Workflow = {
  name: "bloom",
  title: "One task in the work loop",
  states: STATES,
  initial: "ready",
  events: described(EVENTS),
  facts: FACTS,
  get rules() {
    return rules();
  },
  goals: ["done", "cancelled"],
};

/**
 * Bloom's table with more states, in each of which another agent works: with a rule for every end of that agent, and without
 * those for events that a state does not expect (`notNow`). The variables `awaits` and `rests_in` say where a run returns to.
 */
export function bloomWith(own: OwnStates): Workflow {
  const states = Object.keys(own);
  const awaits: Fact = { ...FACTS.awaits, values: [...FACTS.awaits.values, ...states.map(answerIn)] };
  const rests_in: Fact = {
    description: "Where it goes on once its agent is free; nothing: at its step.",
    values: ["nothing", ...states] satisfies FactValue[],
    initial: "nothing",
  };
  return {
    ...BLOOM,
    states: { ...STATES, ...own },
    events: described({ ...EVENTS, [UNCLEAR]: "The agent's answer was refused twice." }),
    facts: { ...FACTS, awaits, rests_in },
    rules: written(own),
  };
}

/** What a rule replies, in a few words; `{reason}` is the run's. */
export const REPLIES: Readonly<Record<string, string>> = {
  went_on: "goes on: {state}",
  assumed_done: "the step was left open by its agent and is taken as done",
  tries_again: "tries again: {reason}",
  begins_afresh: "goes on in a fresh session: {reason}",
  hears: "a person has spoken to its agent",
  waits: "waits for a person: {reason}",
  blocked: "blocked: {reason}",
  spent: "stopped, its budget is spent: {reason}",
  stops: "stopped, to go on later",
  target_red: "waits for its target: {reason}",
  rests: "waits for its agent: {reason}",
  hands_over: "taken over by another agent: {reason}",
  awaits_turn: "waits for another merge: {reason}",
  pr_open: "its pull request is open: {reason}",
  pr_back: "its pull request came back: {reason}",
  completed: "done",
  cancelled: "cancelled: {reason}",
  reset: "begins anew",
  not_now: "nothing to do",
};

const BOUNDED =
  `agent_failed step_unmarked verify_failed uncommitted nothing_done push_failed merge_conflicted
  merge_unverified merge_failed pr_failed git_failed pr_returned agent_limited agent_free session_lost interrupted interjected
  merge_awaited target_red target_green`.split(/\s+/);

/** What Bloom's table, and every table that extends it, promises: B1 and B2. */
const PROMISES: readonly TablePromise[] = [
  {
    ...{ no: LEAVES, without: { state: "committing" } },
    says: "nothing leaves the workspace that is not committed",
  },
  {
    ...{ no: ["committing"], without: { event: "verify_passed" } },
    says: "nothing is committed for delivery that is not verified",
  },
  {
    ...{ no: LEAVES, without: { event: "approved" }, when: { checkpoint: true } },
    says: "no checkpoint leaves the workspace that no person approved",
  },
];

/** For tasks' lives: files with `extends: bloom`. */
export const EXTENSIBLE: Extensible = {
  table: BLOOM,
  with: bloomWith,
  notNow,
  replies: Object.keys(REPLIES),
  sharedReplies: ["went_on", "waits", "blocked"],
  sets: ["awaits"],
  starts: new Set(["verifying", "committing", ...LEAVES, "cleaning", "target_red", "agent_rests"]),
  works: "working",
  persons: ["answered", "approved", "sent_back", "reset", "dropped", "halted", "cancelled"],
  bounded: new Set(BOUNDED),
  promises: PROMISES,
  fixed: ["repo", "push", "target", "checkpoint"],
};
