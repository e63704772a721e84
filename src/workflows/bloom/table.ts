/**
 * The life of one task in the work loop, as a table. A row's commands are what the loop does next; the event that
 * comes of the last of them is the next event. After a crash the commands of the last row are done again, each after a
 * look whether it was done before.
 *
 * B1  Git operations happen only after all steps: only `committing` leads to pushing, merging and opening_pr.
 * B2  A checkpoint passes on from `committing` only when a person has approved.
 * B3  Every failure has an end: without tries left it leads to `blocked`.
 * B4  Nothing is done without work: where no commit is the task's own, and nobody declared that there is nothing to do, its
 *     agent is asked again. An agent that was refused something and left its step open is not taken at its word either.
 */
import type { Box, Command, Fact, FactValue, Row, State, Workflow } from "../../engine/workflow.ts";

const STATES = {
  ready: { description: "May be taken by a worker." },
  working: { description: "Its agent works on the current step." },
  verifying: { description: "The loop runs the verify commands itself." },
  committing: { description: "All steps are done; nothing may be left uncommitted." },
  pushing: { description: "The branch goes to its remote." },
  merging: { description: "The branch is merged into its target." },
  opening_pr: { description: "The pull request is opened, and waits to be merged." },
  cleaning: { description: "What is no longer needed is taken away." },
  waiting_for_human: { description: "A person must answer or approve." },
  blocked: { description: "It does not go on by itself; the reason is in the run." },
  budget_exhausted: { description: "It has spent its budget." },
  done: { description: "Everything is done, its merge included.", final: true },
} as const satisfies Record<string, State>;

export type TaskState = keyof typeof STATES;

const EVENTS = {
  claimed: "A worker took the task.",
  step_done: "The agent ended well, and the step is marked done.",
  step_unmarked: "The agent ended well, and the step is still open.",
  errand_done: "The agent ended well what it was resumed for.",
  agent_failed: "The agent failed, was killed, or ended without its own word of success.",
  agent_missing: "The agent cannot be started here.",
  session_lost: "The session cannot be resumed.",
  question_asked: "The agent waits for an answer.",
  interjected: "A person has something to say to the agent at once.",
  interrupted: "The worker was told to stop.",
  budget_spent: "The budget is spent.",
  verify_passed: "Every verify command passed.",
  verify_failed: "A verify command failed.",
  committed: "Nothing is uncommitted.",
  uncommitted: "Work is uncommitted.",
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
  pr_merged: "The pull request is merged.",
  pr_closed: "The pull request was closed and not merged.",
  pr_failed: "The pull request could not be opened now.",
  pr_refused: "The forge refuses the pull request.",
  cleaned: "What could be taken away was; work that would be lost stayed.",
  git_failed: "Git itself failed, or the setup of a folder.",
  git_refused: "A repository, commit or branch is missing, or cannot be used: no further try mends that.",
  answered: "A person answered.",
  approved: "A person approved.",
  reset: "tasks.yaml says that it begins anew.",
  dropped: "tasks.yaml says that it is done.",
  halted: "tasks.yaml says that it is blocked.",
} as const;

export type TaskEvent = keyof typeof EVENTS;

const bool = (description: string): Fact => ({ description, values: [false, true] });

const FACTS = {
  open_work: bool("A step, or the task without steps, is not done."),
  tries_left: bool("It failed fewer times in a row than the limit."),
  commit_tries_left: bool("The agent was asked to commit fewer times than the limit."),
  unmarked: {
    description: "What to do with a step that its agent left open (`on_unmarked_step`).",
    values: ["assume", "ask", "block"],
  },
  refused: bool("Its agent was not allowed something in its last run."),
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

type Draft = Omit<Row, "outcome" | "reply"> & Partial<Pick<Row, "outcome" | "reply">>;
const row = (draft: Draft): Row => ({ outcome: "moved", reply: "went_on", ...draft });
const blocks = (id: string, from: readonly string[], on: TaskEvent, when?: readonly Box[]): Row =>
  row({
    id,
    from,
    on,
    ...(when ? { when } : {}),
    to: "blocked",
    set: { awaits: "nothing" },
    reply: "blocked",
  });
const YES = [true] as readonly FactValue[];
const NO = [false] as readonly FactValue[];

/** From where all steps are done and committed: the way out, as data. */
const WAYS_OUT: readonly {
  readonly id: string;
  readonly box: Box;
  readonly to: TaskState;
  readonly command: string;
}[] = [
  { id: "pushes", box: { push: YES }, to: "pushing", command: "push" },
  { id: "merges", box: { push: NO, target: ["merge"] }, to: "merging", command: "merge" },
  { id: "opens_pr", box: { push: NO, target: ["pr"] }, to: "opening_pr", command: "open-pr" },
  { id: "cleans", box: { push: NO, target: ["none"] }, to: "cleaning", command: "clean-up" },
];

const TAKEN: readonly Row[] = [
  row({
    id: "ready.works",
    from: ["ready"],
    on: "claimed",
    when: [{ open_work: YES }],
    to: "working",
    commands: run("step"),
  }),
  row({
    id: "ready.verifies",
    from: ["ready"],
    on: "claimed",
    when: [{ open_work: NO }],
    to: "verifying",
    commands: does("run-verify"),
  }),
];

const WORKED: readonly Row[] = [
  row({
    id: "step.verifies",
    from: ["working"],
    on: "step_done",
    to: "verifying",
    commands: does("run-verify"),
  }),
  row({
    id: "step.assumed_done",
    from: ["working"],
    on: "step_unmarked",
    when: [{ unmarked: ["assume"], refused: NO }],
    to: "verifying",
    commands: [{ type: "run-verify" }],
    reply: "assumed_done",
  }),
  row({
    id: "step.asked_to_mark",
    from: ["working"],
    on: "step_unmarked",
    when: [
      { unmarked: ["ask"], tries_left: YES },
      // It may have ended because it could not go on.
      { unmarked: ["assume"], refused: YES, tries_left: YES },
    ],
    to: "same",
    commands: run("mark"),
  }),
  blocks("step.unmarked_blocks", ["working"], "step_unmarked", [
    { unmarked: ["block"] },
    { unmarked: ["ask"], tries_left: NO },
    { unmarked: ["assume"], refused: YES, tries_left: NO },
  ]),
  row({
    id: "errand.verifies",
    from: ["working"],
    on: "errand_done",
    to: "verifying",
    commands: does("run-verify"),
  }),
  row({
    id: "errand.commits",
    from: ["committing"],
    on: "errand_done",
    to: "same",
    commands: does("ensure-committed"),
  }),
];

/** What may come of an agent's run, in both states that have one; the errand that a failure repeats. */
const AGENT_ENDS: readonly Row[] = (["working", "committing"] as const).flatMap((state) => {
  const again = run("again");
  const at = (id: string, on: TaskEvent, more: Partial<Draft>): Row =>
    row({ id: `${state}.${id}`, from: [state], on, to: "same", ...more });
  return [
    at("tries_again", "agent_failed", { when: [{ tries_left: YES }], commands: again, reply: "tries_again" }),
    blocks(`${state}.gives_up`, [state], "agent_failed", [{ tries_left: NO }]),
    blocks(`${state}.without_agent`, [state], "agent_missing"),
    at("begins_afresh", "session_lost", { commands: again, reply: "begins_afresh" }),
    at("hears", "interjected", { commands: run("interjection"), reply: "hears" }),
    at("asks", "question_asked", {
      to: "waiting_for_human",
      set: { awaits: state === "working" ? "answer_in_work" : "answer_in_commit" },
      reply: "waits",
    }),
    at("spent", "budget_spent", { to: "budget_exhausted", set: { awaits: "nothing" }, reply: "spent" }),
    at("stops", "interrupted", { commands: again, reply: "stops" }),
  ];
});

const VERIFIED: readonly Row[] = [
  row({
    id: "verified.next_step",
    from: ["verifying"],
    on: "verify_passed",
    when: [{ open_work: YES }],
    to: "working",
    commands: run("step"),
  }),
  row({
    id: "verified.commits",
    from: ["verifying"],
    on: "verify_passed",
    when: [{ open_work: NO, repo: YES }],
    to: "committing",
    commands: does("ensure-committed"),
  }),
  row({
    id: "verified.awaits_approval",
    from: ["verifying"],
    on: "verify_passed",
    when: [{ open_work: NO, repo: NO, checkpoint: YES, approved: NO }],
    to: "waiting_for_human",
    set: { awaits: "approval" },
    reply: "waits",
  }),
  row({
    id: "verified.completes",
    from: ["verifying"],
    on: "verify_passed",
    when: [
      { open_work: NO, repo: NO, checkpoint: NO },
      { open_work: NO, repo: NO, checkpoint: YES, approved: YES },
    ],
    to: "done",
    set: { awaits: "nothing" },
    reply: "completed",
  }),
  row({
    id: "verify.repairs",
    from: ["verifying"],
    on: "verify_failed",
    when: [{ tries_left: YES }],
    to: "working",
    commands: run("repair"),
    reply: "tries_again",
  }),
  blocks("verify.gives_up", ["verifying"], "verify_failed", [{ tries_left: NO }]),
];

const COMMITTED: readonly Row[] = [
  row({
    id: "committed.awaits_approval",
    from: ["committing"],
    on: "committed",
    when: [{ checkpoint: YES, approved: NO }],
    to: "waiting_for_human",
    set: { awaits: "approval" },
    reply: "waits",
  }),
  ...WAYS_OUT.map(({ id, box, to, command }) =>
    row({
      id: `committed.${id}`,
      from: ["committing"],
      on: "committed",
      when: [
        { ...box, checkpoint: NO },
        { ...box, checkpoint: YES, approved: YES },
      ],
      to,
      commands: does(command),
    }),
  ),
  row({
    id: "uncommitted.asks",
    from: ["committing"],
    on: "uncommitted",
    when: [{ commit_tries_left: YES }],
    to: "same",
    commands: run("commit"),
  }),
  row({
    id: "nothing.asks",
    from: ["committing"],
    on: "nothing_done",
    when: [{ tries_left: YES }],
    to: "working",
    commands: run("nothing"),
    reply: "tries_again",
  }),
  blocks("nothing.gives_up", ["committing"], "nothing_done", [{ tries_left: NO }]),
  blocks("uncommitted.gives_up", ["committing"], "uncommitted", [{ commit_tries_left: NO }]),
];

const DELIVERED: readonly Row[] = [
  row({
    id: "pushed.merges",
    from: ["pushing"],
    on: "pushed",
    when: [{ target: ["merge"] }],
    to: "merging",
    commands: does("merge"),
  }),
  row({
    id: "pushed.opens_pr",
    from: ["pushing"],
    on: "pushed",
    when: [{ target: ["pr"] }],
    to: "opening_pr",
    commands: does("open-pr"),
  }),
  row({
    id: "pushed.cleans",
    from: ["pushing"],
    on: "pushed",
    when: [{ target: ["none"] }],
    to: "cleaning",
    commands: does("clean-up"),
  }),
  row({
    id: "push.again",
    from: ["pushing"],
    on: "push_failed",
    when: [{ tries_left: YES }],
    to: "same",
    commands: does("push"),
    reply: "tries_again",
  }),
  blocks("push.gives_up", ["pushing"], "push_failed", [{ tries_left: NO }]),
  blocks("push.refused", ["pushing"], "push_refused"),
  row({ id: "merged.cleans", from: ["merging"], on: "merged", to: "cleaning", commands: does("clean-up") }),
  row({
    id: "merge.waits_for_turn",
    from: ["merging"],
    on: "merge_awaited",
    to: "same",
    commands: does("merge"),
    reply: "awaits_turn",
  }),
  row({
    id: "merge.resolves",
    from: ["merging"],
    on: "merge_conflicted",
    when: [{ tries_left: YES }],
    to: "working",
    commands: run("resolve"),
    reply: "tries_again",
  }),
  blocks("merge.stays_conflicted", ["merging"], "merge_conflicted", [{ tries_left: NO }]),
  row({
    id: "merge.repairs",
    from: ["merging"],
    on: "merge_unverified",
    when: [{ tries_left: YES }],
    to: "working",
    commands: run("repair-merge"),
    reply: "tries_again",
  }),
  blocks("merge.stays_unverified", ["merging"], "merge_unverified", [{ tries_left: NO }]),
  row({
    id: "merge.again",
    from: ["merging"],
    on: "merge_failed",
    when: [{ tries_left: YES }],
    to: "same",
    commands: does("merge"),
    reply: "tries_again",
  }),
  blocks("merge.gives_up", ["merging"], "merge_failed", [{ tries_left: NO }]),
  row({
    id: "pr.watches",
    from: ["opening_pr"],
    on: "pr_opened",
    to: "same",
    commands: does("watch-pr"),
    reply: "pr_open",
  }),
  row({
    id: "pr.still_open",
    from: ["opening_pr"],
    on: "pr_pending",
    to: "same",
    outcome: "no-effect",
    reply: "pr_open",
  }),
  row({ id: "pr.cleans", from: ["opening_pr"], on: "pr_merged", to: "cleaning", commands: does("clean-up") }),
  row({
    id: "pr.again",
    from: ["opening_pr"],
    on: "pr_failed",
    when: [{ tries_left: YES }],
    to: "same",
    commands: does("open-pr"),
    reply: "tries_again",
  }),
  blocks("pr.closed", ["opening_pr"], "pr_closed"),
  blocks("pr.gives_up", ["opening_pr"], "pr_failed", [{ tries_left: NO }]),
  blocks("pr.refused", ["opening_pr"], "pr_refused"),
  row({
    id: "cleaned.completes",
    from: ["cleaning"],
    on: "cleaned",
    to: "done",
    set: { awaits: "nothing" },
    reply: "completed",
  }),
];

/** What each state does again when the worker was stopped there, or when git failed. */
const DOES_AGAIN = {
  ready: null,
  verifying: "run-verify",
  pushing: "push",
  merging: "merge",
  opening_pr: "open-pr",
  cleaning: "clean-up",
} as const;

const STOPPED: readonly Row[] = Object.entries(DOES_AGAIN).map(([state, command]) =>
  row({
    id: `${state}.stops`,
    from: [state],
    on: "interrupted",
    to: "same",
    ...(command === null ? {} : { commands: does(command) }),
    reply: "stops",
  }),
);

const GIT_FAILS: readonly Row[] = [
  ...Object.entries({ ...DOES_AGAIN, working: "", committing: "ensure-committed" }).flatMap(
    ([state, command]) =>
      command === null
        ? []
        : [
            row({
              id: `${state}.git_again`,
              from: [state],
              on: "git_failed",
              when: [{ tries_left: YES }],
              to: "same",
              commands: command === "" ? run("again") : does(command),
              reply: "tries_again",
            }),
            blocks(`${state}.git_gives_up`, [state], "git_failed", [{ tries_left: NO }]),
            blocks(`${state}.git_refused`, [state], "git_refused"),
          ],
  ),
];

const ANSWERED: readonly Row[] = [
  row({
    id: "answer.resumes_work",
    from: ["waiting_for_human"],
    on: "answered",
    when: [{ awaits: ["answer_in_work"] }],
    to: "working",
    set: { awaits: "nothing" },
    commands: run("answer"),
  }),
  row({
    id: "answer.resumes_commit",
    from: ["waiting_for_human"],
    on: "answered",
    when: [{ awaits: ["answer_in_commit"] }],
    to: "committing",
    set: { awaits: "nothing" },
    commands: run("answer"),
  }),
  row({
    id: "answer.not_awaited",
    from: ["waiting_for_human"],
    on: "answered",
    when: [{ awaits: ["nothing", "approval"] }],
    to: "same",
    outcome: "no-effect",
    reply: "not_now",
  }),
  row({
    id: "approval.completes",
    from: ["waiting_for_human"],
    on: "approved",
    when: [{ awaits: ["approval"], repo: NO }],
    to: "done",
    set: { awaits: "nothing", approved: true },
    reply: "completed",
  }),
  ...WAYS_OUT.map(({ id, box, to, command }) =>
    row({
      id: `approval.${id}`,
      from: ["waiting_for_human"],
      on: "approved",
      when: [{ ...box, awaits: ["approval"], repo: YES }],
      to,
      set: { awaits: "nothing", approved: true },
      commands: does(command),
    }),
  ),
  row({
    id: "approval.not_awaited",
    from: ["waiting_for_human"],
    on: "approved",
    when: [{ awaits: ["nothing", "answer_in_work", "answer_in_commit"] }],
    to: "same",
    outcome: "no-effect",
    reply: "not_now",
  }),
  row({
    id: "approval.says_merged",
    from: ["opening_pr"],
    on: "approved",
    to: "cleaning",
    commands: does("clean-up"),
  }),
];

const OPEN = (Object.keys(STATES) as TaskState[]).filter((state) => state !== "done");

/** tasks.yaml wins over the run. */
const TOLD: readonly Row[] = [
  row({
    id: "told.reset",
    from: OPEN,
    on: "reset",
    to: "ready",
    set: { awaits: "nothing", approved: false },
    reply: "reset",
  }),
  row({
    id: "told.dropped",
    from: OPEN,
    on: "dropped",
    to: "done",
    set: { awaits: "nothing" },
    reply: "completed",
  }),
  blocks(
    "told.halted",
    OPEN.filter((state) => state !== "blocked"),
    "halted",
  ),
];

const WRITTEN: readonly Row[] = [
  ...TAKEN,
  ...WORKED,
  ...AGENT_ENDS,
  ...VERIFIED,
  ...COMMITTED,
  ...DELIVERED,
  ...STOPPED,
  ...GIT_FAILS,
  ...ANSWERED,
  ...TOLD,
];

/** Whatever comes where it is not awaited changes nothing. */
const NOT_NOW: readonly Row[] = Object.keys(EVENTS).flatMap((event) => {
  const from = OPEN.filter(
    (state) => !WRITTEN.some((each) => each.on === event && each.from.includes(state)),
  );
  return from.length === 0
    ? []
    : [row({ id: `${event}.not_now`, from, on: event, to: "same", outcome: "no-effect", reply: "not_now" })];
});

export const BLOOM: Workflow = {
  name: "bloom",
  title: "One task in the work loop",
  states: STATES,
  initial: "ready",
  events: Object.fromEntries(Object.entries(EVENTS).map(([name, description]) => [name, { description }])),
  facts: FACTS,
  rows: [...WRITTEN, ...NOT_NOW],
  goals: ["done"],
};

/** What a row tells, in a few words; `{reason}` is the run's. */
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
  awaits_turn: "waits for another merge: {reason}",
  pr_open: "its pull request is open: {reason}",
  completed: "done",
  reset: "begins anew",
  not_now: "nothing to do",
};
