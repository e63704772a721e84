import type { Requirement } from "./requirements.ts";

/** What a person at a terminal is promised. */
export const COMMAND_LINE = {
  "doctor.sound": {
    says: "The doctor asks every part how it is, changes nothing, and exits with 0 where there are only hints.",
    source: "ecosystem, Packages for clients",
  },
  "doctor.packages": {
    says: "The doctor names each package of a client, one of another version, and one that registers the server beside the project's own file.",
    source: "ecosystem, Packages for clients",
  },
  "cli.compiled-code": {
    says: "Compiled code of the program lies in a folder that the user alone may write to, or nowhere; never among temporary files.",
    source: "docs/internals/performance.md, Starts",
  },
  "run.action": {
    says: "An action for GitHub works through the tasks of a checkout whose files the job trusts, never of a pull request.",
    source: "ecosystem, Seen from outside",
  },
  "cli.interrupted": {
    says: "Ctrl-C ends each command that lasts with 130, and leaves the project as it was.",
    source: "ecosystem, Terminal manners",
  },
  "cli.help": {
    says: "Every command's help begins in the imperative and ends with examples, each a line of that command. A command that there is not has none.",
    source: "ecosystem, Terminal manners",
  },
  "cli.narrow": {
    says: "No word is cut at 60 columns, in any command's help or on a main screen.",
    source: "ecosystem, Terminal manners",
  },
  "cli.completion": {
    says: "The shells bash, zsh and fish complete commands, choices, runs and tasks.",
    source: "ecosystem, Terminal manners",
  },
  "own.agents": {
    says: "A row of one's own workflow may start an agent: after its commit, in the session and with the permission that it says; its answer is checked field by field, and is the next event.",
    source: "agents in workflows",
  },
  "own.life": {
    says: "A task's life is the team's: a file with `extends: bloom` adds states in which its own agents work and rules that take their cases from Bloom's; a run keeps the life with which it began.",
    source: "agents in workflows, careful.yaml",
  },
  "own.extends": {
    says: "A workflow may extend another one of the project: its rows take their cases from the rows there, the whole is proved, and it has runs of its own.",
    source: "agents in workflows, release with notes",
  },
  "own.life-promises": {
    says: "What Bloom's table promises holds in every table that extends it: nothing is delivered that is not verified and committed, and no checkpoint that no person approved.",
    source: "agents in workflows, A10",
  },
  "own.agents-held": {
    says: "An agent whose answer does not fit is told once; one that cannot go on waits for a person, who lets it try again with a word, or answers in its place.",
    source: "agents in workflows",
  },
  "own.agents-budget": {
    says: "An order stops at its budget, which covers all that it takes to its end; only a person gives it another.",
    source: "agents in workflows",
  },
  "own.agents-crash": {
    says: "An order whose loop was killed or stopped goes on in its session, is counted once, and loses no try.",
    source: "agents in workflows",
  },
  "own.agents-loop": {
    says: "One loop works on tasks and on the orders of one's own workflows, and what an agent of one writes decides nothing in the other.",
    source: "agents in workflows",
  },
  "own.agents-said": {
    says: "What an agent says is a text in prompts, replies and the files of a command, never a part of a command line.",
    source: "agents in workflows",
  },
  "own.agents-shown": {
    says: "A diagram and a walk say where an agent works; what it answers is shown to the person who decides as its words, and never as a check.",
    source: "agents in workflows",
  },
  "own.agents-check": {
    says: "The check of a workflow says how often its agents may be started and for how much between two decisions of a person, and refuses a loop that has no bound, and each name that does not exist.",
    source: "agents in workflows",
  },
  "own.begin": {
    says: "A row of one's own workflow may begin runs: tasks of Bloom or runs of another own workflow, from an agent's tasks or a file's entries, in their order; `gathered` is the next event once they rest, and a fact says how they stand.",
    source: "agents in workflows",
  },
  "own.begin-again": {
    says: "A repeated `begin` adds only what is missing or failed; what waited for the failed one waits for the one in its place.",
    source: "agents in workflows",
  },
  "own.begin-crash": {
    says: "A kill before or after any commit loses no run that a row begins, and begins none twice.",
    source: "agents in workflows",
  },
  "own.begin-held": {
    says: "Entries that are too many or that cannot be used begin nothing; the order waits for a person, who is told why.",
    source: "agents in workflows",
  },
  "own.begin-check": {
    says: "A `begin` without a limit, from what is no list of tasks, in a circle, or whose end leads nowhere is refused by the check, which counts what it begins into the bound.",
    source: "agents in workflows",
  },
  "workflow.gallery-agents": {
    says: "Each workflow of the gallery whose rows start agents comes from its beginning to its goal with agents that answer, through each of its loops.",
    source: "agents in workflows",
  },
  "workflow.gallery": {
    says: "The gallery has sixteen workflows; each is proved, walked to its end along every path, and documented with its diagram.",
    source: "ecosystem, Own workflows",
  },
  "workflow.new-variable": {
    says: "A run whose table got a variable since it moved last goes on with its first value, once a person has accepted the change.",
    source: "docs/own-workflows.md, Runs",
  },
  "workflow.new": {
    says: "A person begins a workflow from the gallery or by questions; all its files are written at once, over none of theirs.",
    source: "ecosystem, Own workflows",
  },
  "workflow.try": {
    says: "A workflow is walked by events or by a person's choices, with its replies, and nothing is written.",
    source: "ecosystem, Own workflows",
  },
  "workflow.placed": {
    says: "What `pawl check` refuses in a project's own workflow has its file and line.",
    source: "ecosystem, Own workflows",
  },
  "library.gates": {
    says: "A program's workflow has gates and hints where a file has them, and no unknown key is dropped in silence.",
    source: "ecosystem, Own workflows",
  },
  "library.proved": {
    says: "A program's table that does not decide each case is refused where it is defined.",
    source: "found, M9",
  },
  "library.types": {
    says: "Misspelt workflows, states, events, facts, values and variables of a program do not compile.",
    source: "found, M9",
  },
  "library.closed": {
    says: "A closed project takes no call.",
    source: "found, M9",
  },
  "library.functions": {
    says: "A fact or a rule's command may be a function: it acts once after its rule's commit, and again with its key after a crash.",
    source: "found, M10",
  },
  "library.memory": {
    says: "A program may keep a project in its memory: nothing is written to the disk.",
    source: "found, M10",
  },
  "library.drives": {
    says: "A program calls the tools of Alfred and Spells, runs the tasks of Bloom, and passes on a person's verdicts.",
    source: "found, M10",
  },
  "library.agents": {
    says: "A program's function may be an agent: its step is done when it returns, and tried again when it throws.",
    source: "found, M10",
  },
  "library.light": {
    says: "An import of the library loads what defines and proves tables, and no reader of files.",
    source: "design, Libraries",
  },
  "library.bundled": {
    says: "A program works when it is bundled with the library into one file.",
    source: "found, M8",
  },
  "uninstall.as-before": {
    says: "What `pawl init` put into a project is taken out again, and every file is as it was, byte for byte.",
    source: "ecosystem, Packages for clients",
  },
  "uninstall.theirs": {
    says: "Uninstalling takes nothing that a person wrote, and keeps records, tasks and work unless everything is to go.",
    source: "ecosystem, Packages for clients",
  },
  "uninstall.asked": {
    says: "A person is shown what will be removed and asked; an agent cannot uninstall.",
    source: "ecosystem, Packages for clients",
  },
  "uninstall.killed": {
    says: "An uninstall that is killed at any point is finished by the next one.",
    source: "ecosystem, Packages for clients; design C4",
  },
  "doctor.fix": {
    says: "For each fault `pawl doctor` names a command that works when it is typed, or the edit, and exits with 1.",
    source: "ecosystem, Packages for clients",
  },
} satisfies Record<string, Requirement>;
