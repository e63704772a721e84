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
    source: "docs/performance.md, Starts",
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
  "workflow.gallery": {
    says: "The gallery has ten workflows; each is proved, walked to its end along every path, and documented with its diagram.",
    source: "ecosystem, Own workflows",
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
