/** The commands that belong to no workflow. Each is loaded when it is called. */
import { CLIENTS } from "./client-names.ts";
import type { CommandSpec } from "./command.ts";

const RUN = {
  name: "run",
  description: "a run as `pawl status` names it, or just its id if that is unique",
  required: true,
} as const;

const NOTES = {
  flags: "-m, --notes <text>",
  description: "the reason, kept with the verdict",
} as const;

const EVERY_DAY = "Every day";
const WORKFLOWS = "Workflows and files";
/** Beside the workflow's own verbs: these ask git, not the project's files. */
const BLOOM = "Bloom";

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "set a project up and connect an assistant",
    group: EVERY_DAY,
    arguments: [],
    options: [
      {
        flags: "--client <name>",
        description: "write this client's configuration of the project",
        choices: CLIENTS,
      },
    ],
    details: "Creates what is missing and keeps what is there. Running it twice changes nothing.",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "status",
    summary: "show every run: where it stands, and who needs to act",
    group: EVERY_DAY,
    arguments: [],
    options: [],
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "show",
    summary: "show a run's history: who decided what, when, and on which evidence",
    group: EVERY_DAY,
    arguments: [RUN],
    options: [],
    load: async () => (await import("./show.ts")).show,
  },
  {
    name: "log",
    summary: "show what happened, in every workflow or in one run",
    group: EVERY_DAY,
    arguments: [{ ...RUN, required: false }],
    options: [{ flags: "--follow", description: "keep printing new events" }],
    details: "With --json: one event per line, as stored.",
    load: async () => (await import("./log.ts")).log,
  },
  {
    name: "approve",
    summary: "approve what a run has under review",
    group: EVERY_DAY,
    arguments: [RUN],
    options: [NOTES],
    load: async () => (await import("./verdict.ts")).approve,
  },
  {
    name: "reject",
    summary: "send back what a run has under review",
    group: EVERY_DAY,
    arguments: [RUN],
    options: [NOTES],
    load: async () => (await import("./verdict.ts")).reject,
  },
  {
    name: "run",
    summary: "work through tasks.yaml with agents",
    group: EVERY_DAY,
    arguments: [],
    options: [
      { flags: "--agents <n>", description: "how many work at once" },
      {
        flags: "--agent <name>",
        description: "work as this worker: on tasks assigned to it and on unassigned ones",
      },
      { flags: "--task <id>", description: "only this task and its subtasks" },
      { flags: "--once", description: "stop when no task can be worked on now" },
      { flags: "--dry-run", description: "show which tasks would start, and change nothing" },
    ],
    details:
      "Ctrl-C stops the agents and saves where each task stands; the next run resumes. A second run joins in as another worker.",
    load: async () => (await import("./bloom/run.ts")).run,
  },
  {
    name: "agents",
    summary: "show which agents are installed, and how each would be called",
    group: EVERY_DAY,
    arguments: [],
    options: [],
    details: "Starts each program it finds once, to ask for its version. Also works outside a project.",
    load: async () => (await import("./agents.ts")).agents,
  },
  {
    name: "agents test",
    summary: "try an agent out: a new session, then the same one resumed",
    group: EVERY_DAY,
    arguments: [{ name: "name", description: "the agent, as `pawl agents` names it", required: true }],
    options: [],
    details:
      "It works in a scratch folder and asks its model twice, which costs what two short questions cost.",
    load: async () => (await import("./agents.ts")).testAgent,
  },
  {
    name: "worktrees",
    summary: "list the tasks' worktrees and their unmerged work",
    group: BLOOM,
    arguments: [],
    options: [],
    load: async () => (await import("./bloom/worktrees.ts")).worktrees,
  },
  {
    name: "repo list",
    summary: "list the repositories that tasks.yaml uses, and those inside the project",
    group: BLOOM,
    arguments: [],
    options: [],
    load: async () => (await import("./bloom/repo.ts")).repoList,
  },
  {
    name: "repo add",
    summary: "clone a repository into the project, or check one that is there",
    group: BLOOM,
    arguments: [
      {
        name: "source",
        description: "an address to clone from, or a path from the project's root",
        required: true,
      },
      { name: "name", description: "the folder of the clone; else as the address ends", required: false },
    ],
    options: [],
    details: "Prints how to name it in tasks.yaml. tasks.yaml itself stays as it is.",
    load: async () => (await import("./bloom/repo.ts")).repoAdd,
  },
  {
    name: "repo sync",
    summary: "fetch every repository that tasks.yaml uses",
    group: BLOOM,
    arguments: [],
    options: [],
    details:
      "Fast-forwards branches that lag behind. A branch that is checked out with edits is skipped with a message.",
    load: async () => (await import("./bloom/repo.ts")).repoSync,
  },
  {
    name: "mcp",
    summary: "serve workflows to an assistant over MCP (standard input and output, or HTTP)",
    group: EVERY_DAY,
    arguments: [
      {
        name: "names",
        description: "the workflows to serve (default: all)",
        required: false,
        variadic: true,
      },
    ],
    options: [
      { flags: "--http", description: "serve over HTTP on loopback, to clients that have the token" },
      { flags: "--port <number>", description: "the port for --http (default: any free port)" },
    ],
    details:
      "With --http, $PAWL_MCP_TOKEN sets the token; without it one is made, and shown once on standard error.",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "check",
    summary: "check the workflows' tables and show what was proved",
    group: WORKFLOWS,
    arguments: [{ name: "workflow", description: "only this one", required: false }],
    options: [],
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "diagram",
    summary: "draw a workflow's tables",
    group: WORKFLOWS,
    arguments: [
      { name: "workflow", description: "such as alfred, or one table of it: start_task", required: true },
    ],
    options: [
      {
        flags: "--format <format>",
        description: "the notation",
        choices: ["mermaid", "xstate", "markdown"],
      },
    ],
    load: async () => (await import("./diagram.ts")).diagram,
  },
  {
    name: "prompts",
    summary: "list what a workflow says to an assistant, in each state",
    group: WORKFLOWS,
    arguments: [{ name: "workflow", description: "only this one", required: false }],
    options: [{ flags: "--all", description: "print every text, rendered with sample data" }],
    details: "In a project, its own prompts take the place of the packaged ones.",
    load: async () => (await import("./prompts.ts")).prompts,
  },
  {
    name: "config",
    summary: "show the effective settings and where each comes from",
    group: WORKFLOWS,
    arguments: [],
    options: [],
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "policy",
    summary: "show what a run goes by, and what of later edits is ignored",
    group: WORKFLOWS,
    arguments: [{ ...RUN, description: "the run; without it, the loop's own settings", required: false }],
    options: [
      { flags: "--accept", description: "let what loosens it count: a person's word, at a terminal" },
    ],
    details:
      "What governs a run is pinned when it begins. An edit that tightens it counts at once, one that loosens it once a person accepts it.",
    load: async () => (await import("./policy.ts")).policy,
  },
  {
    name: "trust",
    summary: "show what this project's files would start here, and allow it",
    group: WORKFLOWS,
    arguments: [],
    options: [
      { flags: "--show", description: "only show it" },
      { flags: "--yes", description: "allow it without the question; for a person's own scripts" },
      { flags: "--revoke", description: "allow nothing any more" },
    ],
    details:
      "Kept outside the project, for this machine. What is added or changed later is asked for again; the tasks file is trusted as a whole.",
    load: async () => (await import("./trust.ts")).trust,
  },
  {
    name: "repair",
    summary: "find and repair damaged files of the project",
    group: WORKFLOWS,
    arguments: [],
    options: [
      {
        flags: "--accept <file>",
        description: "take over what a journal that was set aside would write, after you have seen it",
      },
    ],
    details:
      "A run whose file does not follow from its own history is held: at a terminal you are shown in what it differs, and may take it as it is.",
    load: async () => (await import("./repair.ts")).repair,
  },
  {
    name: "completion",
    summary: "print a shell's completion script",
    group: WORKFLOWS,
    arguments: [
      { name: "shell", description: "the shell", required: true, choices: ["bash", "zsh", "fish"] },
    ],
    options: [],
    details: 'For example, in ~/.bashrc: eval "$(pawl completion bash)"',
    load: async () => (await import("./completion.ts")).completion,
  },
];
