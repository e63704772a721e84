import type { Requirement } from "./requirements.ts";

/** What the work loop, its agents and its git operations promise. */
export const BLOOM = {
  "bloom.one-line": {
    says: "One changed status is one changed line; comments, order and unknown keys survive.",
    source: "bloom, tasks.yaml",
  },
  "bloom.one-task": {
    says: "A change of one task costs what one task costs: of a file that changed, only the tasks that changed are parsed again.",
    source: "bloom, tasks.yaml",
  },
  "bloom.target-red": {
    says: "A check that its target fails by itself is nobody's failure: it spends no try, its tasks wait, one notice says since which commit, and they go on with the new target.",
    source: "workspaces, The target is red",
  },
  "bloom.remote-away": {
    says: "A remote or forge that cannot be reached spends no try: finished work waits, Pawl asks again at longer and longer intervals for about two hours, and only then is the task blocked.",
    source: "bloom, How a task goes",
  },
  "bloom.flaky": {
    says: "A check that fails and then passes on the same files is flaky: told, shown at the gate, never repaired, and no try is spent.",
    source: "workspaces, The target is red",
  },
  "bloom.criteria": {
    says: "A criterion's check runs where `verify` runs and decides like it: a failure, or a run of no test, goes back to the agent and names the criterion. Its gate shows each criterion with how its check ended on this work, and an agent's edit of it has no effect.",
    source: "bloom, Keys of a task",
  },
  "bloom.no-test": {
    says: "A check whose test runner ran no test is told apart from one that passed, at the gates of Bloom, of Alfred and of own workflows, and in every list.",
    source: "bloom, Keys of a task",
  },
  "bloom.environment": {
    says: "A task at work has a name, a slot and free ports for itself, and what `up` makes: the same for setup, agent, verify and merge check; whoever comes after a killed worker takes it away exactly once.",
    source: "workspaces, The environment of a task",
  },
  "bloom.exclusive": {
    says: "What is exclusive is used by one task at a time, and status says which task has it.",
    source: "workspaces, The environment of a task",
  },
  "agents.limit": {
    says: "A usage limit is a resource: by an agent's own last event its tasks rest in one state, spend no try, are told once, and go on in their sessions at the reset, which is read with and without a zone; an unreadable one is backed off from, an hour at most.",
    source: "hours, Quota is a resource",
  },
  "agents.accounts": {
    says: "Each account with which an agent has worked is open, limited or exhausted, with its reset and where that is from, in the same words in `status`, the board, `watch` and their JSON; where the agent says what is left, that stands there, too.",
    source: "hours, Quota is a resource",
  },
  "agents.one-record": {
    says: "Which agents rest is one record by agent and account, `.pawl/accounts.json`, in the database where Bloom's tasks are: a task that begins, one that goes on, `status` and every other machine with the same account know it from there; an agent that works after the limit ends the rest, and so does a person for all its tasks.",
    source: "docs/bloom.md, A limit and a refused account",
  },
  "agents.fit": {
    says: "With `fit: true`, a step for which less is left of its agent's quota than one of its last five runs took waits for the reset before it begins, spends no try, and is told once; where the agent does not say what is left, it begins.",
    source: "hours, Quota is a resource",
  },
  "agents.night": {
    says: "A night of 40 tasks and two agents, with three limits and their resets, a refused key, overloaded hosts, cut connections and two kills of the loop: nothing is blocked, nothing is done twice, and the money that Pawl counts is exact to the cent.",
    source: "hours, It must reach",
  },
  "agents.next": {
    says: "With a list of agents and `on_limit: next`, the next agent takes over a task whose agent is limited, in a fresh session that is told what was done; new tasks do not ask the limited one until its reset, and with all of them limited the first reset ends the wait.",
    source: "hours, Quota is a resource",
  },
  "agents.hostile-stream": {
    says: "What an agent's stream says gives no option to its next run, and fills neither records nor memory nor the loop's time.",
    source: "docs/security.md, A text that takes too long to parse",
  },
  "agents.account": {
    says: "An agent whose account is refused (key, login, credit, model) stops for all its tasks at once, spends no try, and a person is told once what mends it.",
    source: "hours, Quota is a resource",
  },
  "agents.session-kept": {
    says: "A session is kept whenever it can be resumed: after a failed call of the model, a limit, a killed loop, an interruption. It is then told to go on, not what it knows.",
    source: "hours, What an agent's run says",
  },
  "agents.retry-line": {
    says: "While an agent's program tries a call of its model again, one line says why and how often; of one that says nothing for half a minute outside of a tool, a line says that.",
    source: "hours, What an agent's run says",
  },
  "agents.may-verify": {
    says: "What verifies its task an agent may run under `edits`, as it is written there and nothing more, in every client that takes a list.",
    source: "hours, What an agent's run says",
  },
  "agents.own-cost": {
    says: "What a run cost is its own: a counter of the whole session is not counted again at each resume.",
    source: "hours, What an agent's run says",
  },
  "agents.unknown-version": {
    says: "A version of an agent's program that is newer than Pawl knows is warned of once in a loop; a session that it resumes is counted in full, rather too much than too little, and gets no budget of dollars.",
    source: "hours, What an agent's run says",
  },
  "agents.lost-run": {
    says: "The run of a killed loop has an end, at its last sign of life: stats counts it, and the trace draws it so long.",
    source: "workspaces",
  },
  "bloom.limit": {
    says: "A tasks.yaml holds at most 2,000 tasks and a megabyte; beyond that it is neither read nor made, and the error names the database.",
    source: "bloom, tasks.yaml",
  },
  "bloom.cancelled": {
    says: "A person cancels a task or step, with a reason; the loop counts it as closed, and what depends on it waits for a person.",
    source: "ecosystem, Bring along",
  },
  "bloom.cancelled-by-persons": {
    says: "Only a person cancels: an agent's call is refused, and what it writes into tasks.yaml cancels nothing unseen.",
    source: "ecosystem, Bring along",
  },
  "bloom.add": {
    says: "A person adds a task from the terminal: everything else in the file stays, and no task of several at once is lost.",
    source: "ecosystem, Bring along",
  },
  "bloom.plan": {
    says: "An agent proposes tasks from a description; they land in tasks.yaml as a diff that a person has seen and said yes to, never unseen.",
    source: "ecosystem, Bring along",
  },
  "bloom.none-lost": {
    says: "No update is ever lost, and no reader sees half a file.",
    source: "bloom, tasks.yaml",
  },
  "bloom.steps": {
    says: "Step helpers and prompts are the source's.",
    source: "sources/004",
  },
  "agents.true-end": {
    says: "Success is the agent's own last event, and neither signalled nor stopped; a cut stream is none.",
    source: "bloom, Steps; Agents",
  },
  "agents.sandbox": {
    says: "An agent that may not write the project still marks its steps and asks: the loop does it, and no gate's call.",
    source: "bloom, Steps; Agents",
  },
  "agents.own-task": {
    says: "An agent speaks for its own task only, by its own run's capability; everything else of a person's is refused.",
    source: "bloom, CLI; trust",
  },
  "agents.forced-by-person": {
    says: "A task is done without its work only by a person's word at a terminal.",
    source: "trust",
  },
  "agents.budget": {
    says: "A budget of turns, dollars or minutes stops the agent within one turn of it, over all runs of the task.",
    source: "bloom, The loop",
  },
  "cli.watch": {
    says: "The screen of `pawl watch` shows whole questions, wrapped at words, in a window of any size, does by a key what the board does by a button, and leaves the terminal as it was.",
    source: "review, The terminal",
  },
  "cli.readable": {
    says: "Every screen is readable: plain lines in a pipe, JSON only under --json, Markdown rendered, tables and lists that fit, one colour per meaning.",
    source: "bloom, CLI",
  },
  "agents.asked": {
    says: "Under ask a person answers what an agent over ACP may not do unasked.",
    source: "bloom, Agents",
  },
  "agents.no-orphan": {
    says: "After a stop nothing that bears the mark is alive, in whatever session it lives.",
    source: "bloom, The loop",
  },
  "agents.end-with-loop": {
    says: "Agents end with their loop, whatever ends it: a signal, a closed terminal, SIGKILL.",
    source: "bloom, The loop",
  },
  "agents.installed-first": {
    says: "An agent that is not installed is found before anything is written, with how to install it; other tasks go on.",
    source: "bloom, Agents",
  },
  "agents.strayed": {
    says: "What changes outside the workspace while an agent runs is reported, with the file and when, unless it is known to be another's.",
    source: "bloom, The loop",
  },
  "git.no-work-lost": {
    says: "No workspace with uncommitted or unmerged work is removed; a merge tramples no person's checkout.",
    source: "bloom, The loop",
  },
  "git.persons-matter": {
    says: "What only a person can mend blocks at once and says how; then what is done is merged, not done again.",
    source: "bloom, The loop",
  },
  "git.left-lock": {
    says: "A lock of git that a killed process has left in a task's workspace stops no later commit there.",
    source: "hours, It must reach",
  },
  "git.lost-worktree": {
    says: "A workspace that lost its .git is set aside whole and made anew; nothing is ever done on the checkout around it.",
    source: "design, Bloom",
  },
  "bloom.setup": {
    says: "What git ignores is made by the repository's setup before work and checks, and a check that fails on the target alone blames the target.",
    source: "design, Bloom",
  },
  "bloom.honest-evidence": {
    says: "A check is green or red by the task's own tree alone, whatever the person's checkout, its neighbours and git's settings hold.",
    source: "workspaces",
  },
  "bloom.included-secrets": {
    says: "What is secret in a file that .worktreeinclude names is masked in what programs print in a workspace, and in what agents say to Pawl.",
    source: "workspaces",
  },
  "bloom.setup-left-out": {
    says: "What setup makes and git does not ignore is no work of the task until somebody changes it.",
    source: "boundary and workspaces, found by use",
  },
  "git.include-by-person": {
    says: "A task that changes .worktreeinclude is not merged by Pawl: only a person names ignored files for agents.",
    source: "boundary and workspaces, found by use",
  },
  "bloom.setup-put-back": {
    says: "What setup changes in tracked files of a workspace without work is put back, and said.",
    source: "boundary and workspaces, found by use",
  },
  "git.shared-target": {
    says: "A target that others push to is fetched before a merge and pushed before the local branch moves; never forced.",
    source: "design, Bloom; use with a shared branch",
  },
  "git.any-repository": {
    says: "A task's whole git life goes right in repositories as people have them, behind the wall and without it: docs/repositories.md names them.",
    source: "workspaces",
  },
  "git.once": {
    says: "A push, a merge, a pull request is never made twice, wherever the loop was killed.",
    source: "bloom, The loop",
  },
  "bloom.pull-request": {
    says: "A pull request is watched at a slow pace until it is merged; what depends on it begins then.",
    source: "bloom, The loop",
  },
  "bloom.pull-request.comes-back": {
    says: "A pull request that fails a check, has changes requested or conflicts goes to its agent again, at most so many times; then a person is asked.",
    source: "bloom, The loop",
  },
  "forge.found": {
    says: "The forge of a repository is found by its remote's host, or by the address that a variable names; a token goes to its own forge's server alone.",
    source: "workspaces, Out",
  },
  "forge.renamed": {
    says: "A repository that was renamed or moved is asked for under its present name, and a person is told once.",
    source: "workspaces, Out",
  },
  "bloom.idle": {
    says: "Idle costs nothing, and what passes is waited out.",
    source: "bloom, The loop",
  },
  "bloom.screen": {
    says: "The run's screen shows who is at work and what waits, whatever agents and titles hold.",
    source: "bloom, CLI",
  },
  "bloom.each-once": {
    says: "However many agents and loops work, are killed, stopped or spoken to: each task is run, merged and completed once, and no wake-up is lost.",
    source: "bloom, The loop",
  },
  "bloom.merge-train": {
    says: "Merges into a target are verified side by side, each on top of the one ahead, and published in the order in which they came; what was prepared on a merge that is not made is prepared again.",
    source: "bloom, The loop",
  },
  "bloom.overlap": {
    says: "Tasks whose texts name the same files are not begun together while others are ready.",
    source: "bloom, The loop",
  },
  "bloom.word-counts": {
    says: "What a person says of a task while its agent works counts at once: the agent is stopped, its work is kept.",
    source: "bloom, The loop",
  },
  "bloom.one-fault": {
    says: "A task whose lines cannot be changed is named, by validate and by the run; the others go on.",
    source: "bloom, tasks.yaml",
  },
  "bloom.by-hand": {
    says: "A run that ends with a task in a person's hands says so, and how it goes on.",
    source: "bloom, CLI",
  },
  "bloom.clock-set": {
    says: "Nothing waits longer because the clock was set.",
    source: "bloom, The loop",
  },
  "bloom.not-without-work": {
    says: "A task is not done without a commit of its own or a declared reason; a branch that was merged already is never told as a merge.",
    source: "bloom, The loop",
  },
  "bloom.refusals": {
    says: "What an agent was refused is shown, and an agent that was refused something is not taken at its word.",
    source: "bloom, Steps; Agents",
  },
} satisfies Record<string, Requirement>;
