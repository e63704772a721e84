/** The commands that belong to no workflow. Each is loaded when it is called. */
import type { CommandSpec } from "./command.ts";

const RUN = {
  name: "run",
  description: "the run, as `pawl status` names it; the id alone where it is unique",
  required: true,
} as const;

const NOTES = {
  flags: "-m, --notes <text>",
  description: "what the verdict says besides yes or no",
} as const;

export const CLIENTS = ["claude-code", "codex", "cursor", "vscode", "opencode", "gemini"] as const;

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
    details: "Creates what is missing and leaves alone what is there; a second call changes nothing.",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "status",
    summary: "show every run: where it stands, and what is awaited of whom",
    group: EVERY_DAY,
    arguments: [],
    options: [],
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "show",
    summary: "tell a run's whole story: who decided what, when, and on which evidence",
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
    options: [{ flags: "--follow", description: "go on with what happens from now on" }],
    details: "Under --json one event a line, as they are stored.",
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
        description: "as the worker of that name: its group's tasks and those of none",
      },
      { flags: "--task <id>", description: "only this task and its subtasks" },
      { flags: "--once", description: "end when nothing is left that could be done now" },
      { flags: "--dry-run", description: "show what would be taken, and change nothing" },
    ],
    details:
      "Ctrl-C ends it: nothing new begins, agents are stopped, and the next run goes on from there. A second run joins in.",
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "agents",
    summary: "show which agents are installed, and how each would be called",
    group: EVERY_DAY,
    arguments: [],
    options: [],
    details: "Starts each program that is found once, for its version. Works outside a project, too.",
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
    summary: "list the worktrees of tasks, and what in them is nowhere else",
    group: BLOOM,
    arguments: [],
    options: [],
    load: async () => (await import("./worktrees.ts")).worktrees,
  },
  {
    name: "repo list",
    summary: "list the repositories that tasks.yaml uses, and those inside the project",
    group: BLOOM,
    arguments: [],
    options: [],
    load: async () => (await import("./repo.ts")).repoList,
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
    details: "Says how to name it in tasks.yaml, and changes nothing there.",
    load: async () => (await import("./repo.ts")).repoAdd,
  },
  {
    name: "repo sync",
    summary: "fetch every repository that tasks.yaml uses",
    group: BLOOM,
    arguments: [],
    options: [],
    details:
      "Branches that only lag behind move forward; one that is checked out with edits stays as it is, and it is said.",
    load: async () => (await import("./repo.ts")).repoSync,
  },
  {
    name: "mcp",
    summary: "serve workflows to an assistant over MCP (standard input and output, or HTTP)",
    group: EVERY_DAY,
    arguments: [
      {
        name: "names",
        description: "the workflows to serve; all without it",
        required: false,
        variadic: true,
      },
    ],
    options: [
      { flags: "--http", description: "serve over HTTP, on this machine alone, to whoever has the token" },
      { flags: "--port <number>", description: "the port of --http; any that is free without it" },
    ],
    details:
      "With --http, $PAWL_MCP_TOKEN sets the token; without it one is made, and shown once on standard error.",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "check",
    summary: "prove the workflows' tables, and show what was proved",
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
    name: "config",
    summary: "show the settings that hold, and where each comes from",
    group: WORKFLOWS,
    arguments: [],
    options: [],
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "repair",
    summary: "find what is damaged in the project's files, and mend it",
    group: WORKFLOWS,
    arguments: [],
    options: [],
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
