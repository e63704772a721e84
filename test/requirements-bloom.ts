import type { Requirement } from "./requirements.ts";

/** What the work loop, its agents and its git operations promise. */
export const BLOOM: Readonly<Record<string, Requirement>> = {
  "bloom.one-line": {
    says: "One changed status is one changed line; comments, order and unknown keys survive.",
    source: "bloom, tasks.yaml",
    tests: [
      "test/e2e/bloom-tasks.test.ts: changes one line for one status, and keeps everything else byte for byte",
      "src/tasks-file/splice.test.ts: keep every line but the changed one byte for byte",
    ],
  },
  "bloom.one-task": {
    says: "A change of one task costs what one task costs: of a file that changed, only the tasks that changed are parsed again.",
    source: "bloom, tasks.yaml",
    tests: [
      "src/tasks-file/read.test.ts: parses of a thousand tasks the one that changed",
      "src/tasks-file/read.test.ts: says what the whole text says, whatever stands in it",
      "src/tasks-file/read.test.ts: says the same where entries are known from another text",
    ],
  },
  "bloom.limit": {
    says: "A tasks.yaml holds at most 2,000 tasks and a megabyte; beyond that it is neither read nor made, and the error names the database.",
    source: "bloom, tasks.yaml",
    tests: [
      "test/e2e/tasks-limit.test.ts: that holds as many tasks as it may is worked on, and takes no more",
      "test/e2e/tasks-limit.test.ts: with too many %s is read by no command",
      "test/e2e/tasks-limit.test.ts: that is full to the byte is left as it is by a change that makes it longer",
      "test/e2e/database.slow.test.ts: has more tasks than a file holds, and they are worked on there",
    ],
  },
  "bloom.cancelled": {
    says: "A person cancels a task or step, with a reason; the loop counts it as closed, and what depends on it waits for a person.",
    source: "ecosystem, Bring along",
    tests: [
      "src/workflows/bloom/pick.test.ts: counts a cancelled task as closed for its parent and later phases, and never as done for what depends on it",
      "src/workflows/bloom/scheduler/cancel.test.ts: cancels a task with its open subtasks: the loop counts it as closed, and what depends on it waits",
      "src/workflows/bloom/scheduler/cancel.test.ts: cancels a task while its agent works: that one is stopped, and nothing of it is merged",
      "src/workflows/bloom/scheduler/cancel.test.ts: cancels a task whose run rests, and brings it back with what was known of it",
      "src/workflows/bloom/scheduler/cancel.test.ts: is left out by the loop and by the prompts, and its checks are not run",
      "test/e2e/bloom-cancel.test.ts: asks the person, writes the reason beside the status, and shows it wherever tasks are shown",
    ],
  },
  "bloom.cancelled-by-persons": {
    says: "Only a person cancels: an agent's call is refused, and what it writes into tasks.yaml cancels nothing unseen.",
    source: "ecosystem, Bring along",
    tests: [
      "src/workflows/bloom/scheduler/cancel.test.ts: alone cancels: what is written as cancelled while an agent works stops it, and waits for a person",
      "src/workflows/bloom/scheduler/cancel.test.ts: that is only written as cancelled while the task runs is checked all the same",
      "test/e2e/bloom-cancel.test.ts: refuses an agent of the loop",
    ],
  },
  "bloom.add": {
    says: "A person adds a task from the terminal: everything else in the file stays, and no task of several at once is lost.",
    source: "ecosystem, Bring along",
    tests: [
      "test/e2e/bloom-add.test.ts: adds a task at the end, keeps what is there, and counts ids on",
      "test/e2e/bloom-add.test.ts: numbers a task as its kind, and takes no title for one",
      "test/e2e/bloom-add.test.ts: makes the file where there is none, and loses no task of several at once",
      "test/e2e/bloom-add.test.ts: refuses an agent of the loop: what it proposes is not written unseen",
      "src/tasks-file/put.test.ts: keeps every line that was there",
    ],
  },
  "bloom.plan": {
    says: "An agent proposes tasks from a description; they land in tasks.yaml as a diff that a person has seen and said yes to, never unseen.",
    source: "ecosystem, Bring along",
    tests: [
      "test/e2e/bloom-plan.test.ts: shows the diff without a terminal, changes nothing, and takes the kept proposal with a person's yes",
      "test/e2e/bloom-plan.test.ts: asks at a terminal at once; whoever does not say yes changes nothing and keeps the proposal",
      "test/e2e/bloom-plan.test.ts: answers a reply that cannot be used once, and gives data to a program",
      "test/e2e/bloom-plan.test.ts: is refused to an agent of the loop, and says what it takes",
      "test/e2e/bloom-plan.test.ts: lets the agent write nowhere in the project behind the wall",
      "src/workflows/bloom/proposal/proposal.test.ts: is the JSON alone, or one fenced block of it among words",
      "src/workflows/bloom/proposal/proposal.test.ts: is refused by name if it has %s",
      "src/workflows/bloom/proposal/proposal.test.ts: get ids that nobody has, and what depends on them follows",
      "src/workflows/bloom/proposal/proposal.test.ts: are refused with an id twice, a dependency on nothing, or a circle",
      "src/workflows/bloom/proposal/propose.test.ts: only reads, within the limits of a task, and what it changed is told",
      "src/workflows/bloom/proposal/propose.test.ts: has no third try, and its words can be found",
      "src/tasks-file/diff.test.ts: is what git applies",
    ],
  },
  "bloom.none-lost": {
    says: "No update is ever lost, and no reader sees half a file.",
    source: "bloom, tasks.yaml",
    tests: [
      "test/e2e/bloom-tasks-at-once.slow.test.ts: loses nothing when sixteen processes mark steps at once, and shows no reader half a file",
    ],
  },
  "bloom.steps": {
    says: "Step helpers and prompts are the source's.",
    source: "sources/004",
    tests: [
      "src/tasks-file/steps.test.ts: getCurrentStepForTask returns first pending step",
      "src/workflows/bloom/step-prompt.test.ts: last step prompt mentions task will complete",
    ],
  },
  "agents.true-end": {
    says: "Success is the agent's own last event, and neither signalled nor stopped; a cut stream is none.",
    source: "bloom, Steps; Agents",
    tests: [
      "src/adapters/agents/heard.test.ts: on %s cut anywhere, even within a line, is never success",
      "src/adapters/agents/heard.test.ts: on %s with its last line garbled is never success",
      "src/adapters/agents/heard.test.ts: on %s is no success where work went on after the end",
      "src/adapters/agents/heard.test.ts: on a stream that says success is not success where the process tells otherwise (%#)",
    ],
  },
  "agents.sandbox": {
    says: "An agent that may not write the project still marks its steps and asks: the loop does it, and no gate's call.",
    source: "bloom, Steps; Agents",
    tests: [
      "test/e2e/bloom-outbox.slow.test.ts: does what an agent asked for when its run has ended, and tells what it may not ask for",
      "test/e2e/bloom-outbox.slow.test.ts: does it also where the loop was killed meanwhile: the step is not run again",
      "src/workflows/bloom/scheduler/shared.test.ts: is shown as completed once, as soon as it is recorded",
    ],
  },
  "agents.own-task": {
    says: "An agent speaks for its own task only, by its own run's capability; everything else of a person's is refused.",
    source: "bloom, CLI; trust",
    tests: [
      "test/e2e/bloom-own-verbs.slow.test.ts: speaks for its own task only: for another's every verb is refused with a sentence",
      "test/e2e/bloom-own-verbs.slow.test.ts: is refused a person's verbs and commands, for its own task and for others",
      "test/e2e/bloom-own-verbs.slow.test.ts: forces nothing, whatever of its environment it clears, in a terminal of its own neither",
      "test/e2e/bloom-own-verbs.slow.test.ts: cannot use another run's capability, nor one that it made itself",
      "test/e2e/bloom-own-verbs.slow.test.ts: counts for the run's own task only, and only with its capability",
    ],
  },
  "agents.forced-by-person": {
    says: "A task is done without its work only by a person's word at a terminal.",
    source: "trust",
    tests: ["test/e2e/bloom-own-verbs.slow.test.ts: makes a task done without its work at a terminal only"],
  },
  "agents.budget": {
    says: "A budget of turns, dollars or minutes stops the agent within one turn of it, over all runs of the task.",
    source: "bloom, The loop",
    tests: [
      "test/e2e/bloom-people.slow.test.ts: sets a budget of turns, and its agent is stopped before it has made two more",
      "test/e2e/bloom-people.slow.test.ts: sets a budget that a killed loop's runs count in, too",
      "test/e2e/bloom-own-verbs.slow.test.ts: at a terminal gives a new budget; without one what was spent stays spent",
      "src/adapters/agents/heard.test.ts: %s are counted turn by turn, before they end",
    ],
  },
  "cli.readable": {
    says: "Every screen is readable: plain lines in a pipe, JSON only under --json, Markdown rendered, tables and lists that fit, one colour per meaning.",
    source: "bloom, CLI",
    tests: [
      "test/e2e/bloom-screen.slow.test.ts: Into a pipe, a run prints lines for people, and JSON lines only under --json",
      "src/surfaces/cli/bloom/run-screen.test.ts: prints plain lines into a pipe, and once that there is nothing to do",
      "src/surfaces/cli/render-markdown.test.ts: draws a table within %i columns, in whole words where they fit",
      "src/surfaces/cli/render-markdown.test.ts: hangs a list's lines under their text, at each depth",
      "src/surfaces/cli/text-width.test.ts: is wrapped by its columns, and a word that is too wide stays whole",
      "src/surfaces/cli/terminal.test.ts: for %s follows the environment",
      "src/surfaces/cli/terminal.test.ts: has one meaning for each state, where the state stands alone in a column",
      "src/surfaces/cli/check.test.ts: leaves out counts where %i columns have no room for them",
    ],
  },
  "agents.asked": {
    says: "Under ask a person answers what an agent over ACP may not do unasked.",
    source: "bloom, Agents",
    tests: [
      "test/e2e/bloom-permission.slow.test.ts: asks a person for each thing, and does what was allowed",
    ],
  },
  "agents.no-orphan": {
    says: "After a stop nothing that bears the mark is alive, in whatever session it lives.",
    source: "bloom, The loop",
    tests: [
      "src/adapters/agents/process-tree.slow.test.ts: ends children in sessions of their own and double-forked ones",
      "src/adapters/agents/process-tree.slow.test.ts: catches up with processes that keep forking while they are looked for",
      "src/adapters/agents/process-tree.slow.test.ts: stops each process when it finds it, and kills none that is not stopped",
      "src/adapters/agents/agents.test.ts: that hangs and ignores SIGTERM is stopped, with the shell child that it left in another session",
    ],
  },
  "agents.end-with-loop": {
    says: "Agents end with their loop, whatever ends it: a signal, a closed terminal, SIGKILL.",
    source: "bloom, The loop",
    tests: [
      "test/e2e/bloom-loop-dies.slow.test.ts: end where the loop is killed in a moment in which it can do nothing",
      "test/e2e/bloom-loop-dies.slow.test.ts: end where its terminal is closed, and where the task stands is kept",
      "test/e2e/bloom-loop-dies.slow.test.ts: end on %s, in good order",
    ],
  },
  "agents.installed-first": {
    says: "An agent that is not installed is found before anything is written, with how to install it; other tasks go on.",
    source: "bloom, Agents",
    tests: [
      "test/e2e/bloom-people.slow.test.ts: is told that an agent is not there before anything is written, and how to install it",
      "src/workflows/bloom/scheduler/people.test.ts: stops its own task, and the others are done",
    ],
  },
  "agents.strayed": {
    says: "What changes outside the worktree while an agent runs is reported, with the file and when, unless it is known to be another's.",
    source: "bloom, The loop",
    tests: [
      "test/e2e/bloom-misbehaving.slow.test.ts: edits outside its worktree is noticed and reported",
      "src/adapters/git/worktrees.test.ts: takes a commit of what was there, and a log that another program writes, for nobody's edit",
    ],
  },
  "git.no-work-lost": {
    says: "No worktree with uncommitted or unmerged work is removed; a merge tramples no person's checkout.",
    source: "bloom, The loop",
    tests: [
      "src/adapters/git/worktrees.test.ts: keeps what is uncommitted, unmerged or unfinished",
      "src/adapters/git/worktrees.test.ts: keeps a person's other edits, and stops at those that it would overwrite",
    ],
  },
  "git.persons-matter": {
    says: "What only a person can mend blocks at once and says how; then what is done is merged, not done again.",
    source: "bloom, The loop",
    tests: [
      "test/e2e/bloom-misbehaving.slow.test.ts: has no repository, no commit or no branch to work on is blocked at once, with what to do",
      "test/e2e/bloom-misbehaving.slow.test.ts: is merged over nobody's edits, and its work is not done again once they are out of the way",
    ],
  },
  "git.lost-worktree": {
    says: "A worktree that lost its .git is set aside whole and made anew; nothing is ever done on the checkout around it.",
    source: "design, Bloom",
    tests: [
      "test/e2e/bloom-lost-worktree.slow.test.ts: is made anew; the person's checkout stays as it is, and the agent is told where its files are",
      "src/adapters/git/worktrees.test.ts: is set aside whole and made anew: it %s",
    ],
  },
  "bloom.setup": {
    says: "What git ignores is made by the repository's setup before work and checks, and a check that fails on the target alone blames the target.",
    source: "design, Bloom",
    tests: [
      "test/e2e/bloom-setup.slow.test.ts: a verify command finds what git ignores, in the worktree and on the merged result",
      "test/e2e/bloom-setup.slow.test.ts: a check that fails on the target alone too blames the target, and no agent is asked to mend it",
    ],
  },
  "git.shared-target": {
    says: "A target that others push to is fetched before a merge and pushed before the local branch moves; never forced.",
    source: "design, Bloom; use with a shared branch",
    tests: [
      "test/e2e/bloom-shared-target.slow.test.ts: takes the work of all: fetched before each merge, pushed after it, never forced",
      "src/adapters/git/shared-target.test.ts: is prepared again where somebody pushes between preparation and push, and moves nothing before",
      "src/adapters/git/shared-target.test.ts: brings a person's own commits together with the others'",
    ],
  },
  "git.once": {
    says: "A push, a merge, a pull request is never made twice, wherever the loop was killed.",
    source: "bloom, The loop",
    tests: [
      "src/adapters/git/crash.slow.test.ts: ends as an undisturbed one, killed %s each of git's commands that writes",
      "src/adapters/forge/pull-request.test.ts: is opened once, and found from then on",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title is written so
      "test/e2e/bloom-crash.slow.test.ts: just ${side} every fifth move goes on as if nothing had been (${name})",
      "test/e2e/bloom-pull-request-killed.slow.test.ts: whose loop is killed before it is told, and that is closed meanwhile, is blocked",
    ],
  },
  "bloom.pull-request": {
    says: "A pull request is watched at a slow pace until it is merged; what depends on it begins then.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/scheduler/pull-requests.test.ts: watches one while nothing else is to be done, at its pace and without any agent",
    ],
  },
  "bloom.idle": {
    says: "Idle costs nothing, and what passes is waited out.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/scheduler/loop.test.ts: looks twice a minute while there is nothing to do, and starts no agent",
      "src/workflows/bloom/scheduler/loop.test.ts: waits where tasks.yaml cannot be read, says so once, changes nothing, and goes on when it can",
      "test/e2e/bloom-overnight.slow.test.ts: waits while a person is in the middle of editing %s, and nothing that was done meanwhile is done again",
      "test/e2e/bloom-overnight.slow.test.ts: leaves a task as it is that something unforeseen stops, goes on with the others, and ends with that error",
    ],
  },
  "bloom.screen": {
    says: "The run's screen shows who is at work and what waits, whatever agents and titles hold.",
    source: "bloom, CLI",
    tests: [
      "src/surfaces/cli/bloom/run-screen.test.ts: is drawn over whole, whatever is told, where odd letters take %i columns",
      "test/e2e/bloom-screen.slow.test.ts: shows who is at work and what waits, each on one line, and ends clean",
    ],
  },
  "bloom.each-once": {
    says: "However many agents and loops work, are killed, stopped or spoken to: each task is run, merged and completed once, and no wake-up is lost.",
    source: "bloom, The loop",
    tests: [
      "test/schedules.test.ts: runs, merges and completes each task once, whoever is killed, stopped or edits meanwhile",
      "test/e2e/bloom-many-agents.slow.test.ts: claim, run, merge and complete each of many short tasks once, and a task that waits for its merge says so once",
    ],
  },
  "bloom.merge-train": {
    says: "Merges into a target are verified side by side, each on top of the one ahead, and published in the order in which they came; what was prepared on a merge that is not made is prepared again.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/merge-train.test.ts: admits the task that waits longest, whichever entered first, up to its limit",
      "src/workflows/bloom/merge-train.test.ts: publishes in order, each on what the target is at, whoever comes, fails or leaves meanwhile",
      "src/workflows/bloom/scheduler/merge-queue.test.ts: takes a failing merge out, and merges those behind it without its work",
    ],
  },
  "bloom.overlap": {
    says: "Tasks whose texts name the same files are not begun together while others are ready.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/overlap.test.ts: begins first what names no file of those at work, and otherwise keeps the order",
      "src/workflows/bloom/overlap.test.ts: begins an overlapping task where nothing else is ready",
    ],
  },
  "bloom.word-counts": {
    says: "What a person says of a task while its agent works counts at once: the agent is stopped, its work is kept.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/scheduler/people.test.ts: takes a task back or begins it anew while its agent works: that one is stopped",
      "src/workflows/bloom/scheduler/people.test.ts: blocks a task in tasks.yaml, and its agent is stopped",
    ],
  },
  "bloom.one-fault": {
    says: "A task whose lines cannot be changed is named, by validate and by the run; the others go on.",
    source: "bloom, tasks.yaml",
    tests: [
      "test/e2e/bloom-people.slow.test.ts: writes a status that cannot be changed: it is named, and the other tasks go on",
    ],
  },
  "bloom.by-hand": {
    says: "A run that ends with a task in a person's hands says so, and how it goes on.",
    source: "bloom, CLI",
    tests: [
      "src/workflows/bloom/scheduler/people.test.ts: works on a task alone: the run says so, and continues with the others",
    ],
  },
  "bloom.clock-set": {
    says: "Nothing waits longer because the clock was set.",
    source: "bloom, The loop",
    tests: [
      "src/workflows/bloom/standing.test.ts: is over where the clock was set back: nothing waits longer than its whole wait",
    ],
  },
  "bloom.not-without-work": {
    says: "A task is not done without a commit of its own or a declared reason; a branch that was merged already is never told as a merge.",
    source: "bloom, The loop",
    tests: [
      "test/e2e/bloom-without-work.slow.test.ts: is asked for its work, then blocked: nothing is told as merged, and nothing follows",
      "test/e2e/bloom-without-work.slow.test.ts: declares that there is nothing to do, and why: it is done, and nothing is told as merged",
      "test/e2e/bloom-without-work.slow.test.ts: has `.pawl/` removed in the middle of its run: it is not done before its work is",
    ],
  },
  "bloom.refusals": {
    says: "What an agent was refused is shown, and an agent that was refused something is not taken at its word.",
    source: "bloom, Steps; Agents",
    tests: [
      "src/adapters/agents/heard.test.ts: is told by claude with the command, at its end",
      "src/adapters/agents/heard.test.ts: is told by codex, opencode and gemini with the call",
      "src/workflows/bloom/table.test.ts: takes no agent at its word that was refused something and left its step open",
    ],
  },
};
