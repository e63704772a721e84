/** The commands that belong to no workflow. Each is loaded when it is called. */

import { SIZES } from "../../../core/settings.ts";
import { GUARDED_CLIENTS } from "../../../guard/clients.ts";
import { EXPORTS } from "../../../import/export-formats.ts";
import { FORMATS } from "../../../import/source.ts";
import { optional, required } from "../../../runtime/verb.ts";
import { TEMPLATES } from "../../../workflows/custom/template-names.ts";
import { CLIENTS } from "../clients/client-names.ts";
import type { CommandArgument, CommandOption, CommandSpec } from "./command.ts";

const A_RUN = "a run as `pawl status` names it, or just its id if that is unique";
const RUN = required("run", A_RUN);
const FROM_LOOP = "the run (default: the loop's own settings)";
const LIMIT = { flags: "--limit <n>", description: "at most this many runs" } as const;
const NOTES = { flags: "-m, --notes <text>", description: "your reason, kept with the verdict" } as const;
const FIGURES = {
  flags: "--listen <address>",
  description: "answer /healthz and /metrics there (PORT or HOST:PORT)",
} as const;

interface Draft extends Omit<CommandSpec, "arguments" | "options"> {
  /** Its arguments, in order, and its options. */
  readonly given?: readonly (CommandArgument | CommandOption)[];
}

const DRAFTS: readonly Draft[] = [
  {
    name: "init",
    summary: "set up a project and connect an assistant",
    given: [
      {
        flags: "--client <name>",
        description: "write the project's configuration for this client",
        choices: CLIENTS,
      },
      {
        flags: "--reviews <size>",
        description: "how much review a task gets, in a new pawl.yaml",
        choices: SIZES,
      },
      { flags: "--guard", description: "guard the project: clients' hooks, git's hooks, and `guard: true`" },
      { flags: "--no-guard", description: "remove the guard; only a person can" },
    ],
    details:
      "Creates what is missing and keeps what is there. Running it twice changes nothing. Without --client, --guard covers the clients that are connected.",
    load: async () => (await import("../work/init.ts")).init,
  },
  {
    name: "demo",
    summary: "make a small repository to try Pawl on",
    given: [optional("dir", "where (default: pawl-demo)")],
    details: "docs/quickstart.md walks through it.",
    load: async () => (await import("../work/demo.ts")).demo,
  },
  {
    name: "status",
    summary: "show every run: its state, and who acts next",
    given: [LIMIT],
    load: async () => (await import("../work/status.ts")).status,
  },
  {
    name: "watch",
    summary: "watch all runs on one screen, and decide by keys",
    load: async () => (await import("../watch/watch.ts")).watch,
  },
  {
    name: "show",
    summary: "show a run's history: who decided what, when, and on which evidence",
    given: [RUN],
    load: async () => (await import("../work/show.ts")).show,
  },
  {
    name: "log",
    summary: "show what happened, in every workflow or in one run",
    given: [
      optional("run", A_RUN),
      { flags: "--follow", description: "keep printing new events" },
      { flags: "--since <time>", description: "only events from this time on" },
      { flags: "--until <time>", description: "only events up to this time" },
      { flags: "-n, --number <n>", description: "only the last n of them" },
      {
        flags: "--type <type...>",
        description: "only events of these types, such as agent:ended, or agent for all of its kind",
      },
    ],
    details:
      "A time is 30min, 2h or 3d (ago), a day such as 2026-01-31, or 2026-01-31T14:30. With --json: one event per line, as stored.",
    load: async () => (await import("../work/log.ts")).log,
  },
  {
    name: "stats",
    summary: "show what the work cost: money, tokens, time, tries, waiting for people",
    given: [
      {
        flags: "--by <name>",
        description: "one line for each of these (default: task)",
        choices: ["task", "agent", "day"],
      },
    ],
    details:
      "Counts from the event log. Money and tokens are what the agents reported; nothing is estimated.",
    load: async () => (await import("../work/stats.ts")).stats,
  },
  {
    name: "trace",
    summary: "show where a run's time went: its steps, agents, checks, merge and waits",
    given: [RUN],
    load: async () => (await import("../work/trace.ts")).trace,
  },
  {
    name: "review",
    summary: "show what waits for you, or what you need to decide about a run",
    given: [
      optional("run", `${A_RUN}; without it, everything that waits for you`),
      { flags: "--diff", description: "also the differences" },
      { flags: "--path <file>", description: "only this file's difference, at length" },
      { flags: "--since", description: "only what is new since the last verdict on it" },
      LIMIT,
    ],
    details:
      "Reads only. What Pawl found comes before what was claimed; the words of agents are marked as such. Decide with `pawl approve` or `pawl reject`.",
    load: async () => (await import("../work/review.ts")).review,
  },
  {
    name: "approve",
    summary: "approve what a run has under review",
    given: [RUN, NOTES],
    load: async () => (await import("../work/verdict.ts")).approve,
  },
  {
    name: "reject",
    summary: "send back what a run has under review",
    given: [
      RUN,
      NOTES,
      {
        flags: "--at <text...>",
        description:
          'two words, as often as you like: a place (FILE:LINE, FILE, or "field NAME") and what is wrong there',
      },
      {
        flags: "--block",
        description: "leave a task of Bloom blocked, instead of giving it back to its agent",
      },
    ],
    load: async () => (await import("../work/verdict.ts")).reject,
  },
  {
    name: "adopt",
    summary: "continue a run that others moved last, or choose which of its branches counts",
    given: [
      RUN,
      { flags: "--branch <branch>", description: "the branch that counts, as `pawl status` names it" },
    ],
    details:
      "Asks a person at a terminal. Until you adopt the run, Pawl only shows what others recorded of it.",
    load: async () => (await import("../work/adopt.ts")).adopt,
  },
  {
    name: "share",
    summary: "record a run as it is now, so that others can continue it",
    given: [RUN],
    details:
      "Writes what its records lack, and names the file to commit. Whoever gets the file by git can adopt the run.",
    load: async () => (await import("../work/share.ts")).share,
  },
  {
    name: "run",
    summary: "work through tasks.yaml with agents",
    given: [
      { flags: "--agents <n>", description: "how many work at once" },
      {
        flags: "--agent <name>",
        description: "this worker's name: it takes the tasks assigned to it, and unassigned ones",
      },
      { flags: "--task <id>", description: "only this task and its subtasks" },
      {
        flags: "--once",
        description: "stop when no task can run any more; waits for an agent whose account limit is reached",
      },
      {
        flags: "--no-wait",
        description: "with --once: do not wait for such an agent",
      },
      { flags: "--dry-run", description: "show which tasks would start, and change nothing" },
      FIGURES,
    ],
    details:
      "Ctrl-C stops the agents and saves where each task stands; the next run resumes. A second run joins in as another worker.",
    load: async () => (await import("../bloom/run.ts")).run,
  },
  {
    name: "worker",
    summary: "work through tasks beside other machines, until you stop it",
    given: [
      { flags: "--name <name>", description: "its name among the workers (default: this machine's)" },
      {
        flags: "--labels <labels>",
        description:
          "what it serves, separated by commas: repo:PATH, agent:NAME, or what it has, such as gpu",
      },
      { flags: "--agents <n>", description: "how many work at once" },
      FIGURES,
    ],
    details:
      "For a project that keeps Bloom's work in a database. On Ctrl-C or SIGTERM it takes no new tasks and ends when its own are done; on a second one it hands them back at once.",
    load: async () => (await import("../bloom/worker.ts")).worker,
  },
  {
    name: "workers",
    summary: "show the workers on all machines: state, tasks at work, labels",
    load: async () => (await import("../bloom/workers.ts")).workers,
  },
  {
    name: "workers drain",
    summary: "let a worker finish its tasks, take no new ones, and end",
    given: [
      required("name", "the worker's name, as `pawl worker list` shows it"),
      { flags: "--wait", description: "return when the worker has ended; exit code 1 if it died before" },
    ],
    details: "Only a person can.",
    load: async () => (await import("../bloom/workers.ts")).drainWorker,
  },
  {
    name: "plan",
    summary: "have an agent propose tasks, and add them after your yes",
    hasVerbs: true,
    given: [
      optional("text", "what you want, in your words"),
      { flags: "--agent <name>", description: "the agent that proposes (default: the tasks' own)" },
      { flags: "--repo <path>", description: "the repository that it reads, and that the tasks work in" },
      { flags: "--after <id...>", description: "tasks that must be done before the new ones" },
      { flags: "--take <file>", description: "show a kept proposal, and add its tasks after your yes" },
    ],
    details:
      "The agent only reads. You see the proposal as a diff of tasks.yaml, and nothing is written before your yes at a terminal. Without a terminal, Pawl keeps the proposal in a file for --take and exits with 3.",
    load: async () => (await import("../bloom/plan.ts")).plan,
  },
  {
    name: "import",
    summary: "import tasks from another tool, or from a tasks.yaml",
    given: [
      required("path", "a file or folder of the tool, a tasks.yaml, or github:OWNER/NAME"),
      {
        flags: "--format <name>",
        description: "the tool, if Pawl cannot tell by the files",
        choices: FORMATS,
      },
      {
        flags: "--into <name>",
        description: "tasks.yaml or Alfred's task files (default: tasks)",
        choices: ["tasks", "alfred"],
      },
      { flags: "--repo <path>", description: "the repository that the new tasks work in, such as ." },
      {
        flags: "--status <name=status...>",
        description:
          "the status that a word of the source means, such as Erledigt=done; kept for the next import",
      },
      { flags: "--dry-run", description: "show what would be written, and change nothing" },
    ],
    details:
      "A second import updates what the first one wrote. What a person or the loop changed since stays. GitHub is asked with GITHUB_TOKEN.",
    load: async () => (await import("../work/import.ts")).importCommand,
  },
  {
    name: "export",
    summary: "print the tasks as YAML, JSON, CSV or markdown, or bring their status back to GitHub",
    given: [
      { flags: "--format <name>", description: "the form (default: markdown)", choices: EXPORTS },
      {
        flags: "--to <name>",
        description: "close or reopen the issues that tasks came from",
        choices: ["github"],
      },
      { flags: "--dry-run", description: "with --to: show what would change, and change nothing" },
    ],
    details:
      "With --to, Pawl sends each status that changed here since the import, and nothing else. GitHub is asked with GITHUB_TOKEN.",
    load: async () => (await import("../work/export.ts")).exportCommand,
  },
  {
    name: "edit",
    summary: "change a task, in your editor or key by key; only a person can",
    given: [
      required("id", "a task's id"),
      {
        flags: "--set <key=value...>",
        description: "a key and its value as YAML, such as budget.usd=5; no value removes the key",
      },
      { flags: "--dry-run", description: "show the task, and what --set would change" },
    ],
    details:
      "Without --set, opens $EDITOR on the task's YAML, shows the difference and asks. Names each key that decides how the work is judged. Status and notes have commands of their own.",
    load: async () => (await import("../work/edit.ts")).edit,
  },
  {
    name: "agents",
    summary: "show which agents are installed, and the command line of each",
    details: "Starts each program it finds once, to ask for its version. Also works outside a project.",
    load: async () => (await import("../clients/agents.ts")).agents,
  },
  {
    name: "agents test",
    summary: "test an agent: start a session, then resume it",
    given: [required("name", "the agent, as `pawl config agents` names it")],
    details: "Works in a scratch folder and asks the model two short questions, at its usual price.",
    load: async () => (await import("../clients/agents.ts")).testAgent,
  },
  {
    name: "worktrees",
    summary: "list the tasks' workspaces and their unmerged work",
    load: async () => (await import("../bloom/worktrees.ts")).worktrees,
  },
  {
    name: "repo list",
    summary: "list the repositories that tasks.yaml uses, and those inside the project",
    load: async () => (await import("../bloom/repo.ts")).repoList,
  },
  {
    name: "repo add",
    summary: "clone a repository into the project, or check one that is there",
    given: [
      required("source", "an address to clone from, or a path from the project's root"),
      optional("name", "the clone's folder (default: the last part of the address)"),
    ],
    details: "Prints how to name it in tasks.yaml. Does not change tasks.yaml.",
    load: async () => (await import("../bloom/repo.ts")).repoAdd,
  },
  {
    name: "repo sync",
    summary: "fetch every repository that tasks.yaml uses",
    details:
      "Fast-forwards branches that lag behind. A branch that is checked out with edits is skipped with a message.",
    load: async () => (await import("../bloom/repo.ts")).repoSync,
  },
  {
    name: "board",
    summary: "review and follow everything in a browser on this machine",
    given: [
      { flags: "--port <number>", description: "the port (default: any free port)" },
      { flags: "--read-only", description: "only show; nothing can be decided" },
      { flags: "--no-open", description: "only print the address, and open no browser" },
      {
        flags: "--listen [address]",
        description: "also serve your other devices there (HOST:PORT; default: 127.0.0.1:7295, for a tunnel)",
      },
      {
        flags: "--origin <address>",
        description: "with --listen: the https address at which devices reach it",
      },
      { flags: "--cert <file>", description: "with --listen: your certificate; a network address needs one" },
      { flags: "--key <file>", description: "with --listen: the certificate's key" },
      { flags: "--devices", description: "list the devices that you let in" },
      { flags: "--revoke <name>", description: "end the access of a device, at once" },
    ],
    details:
      "The printed address opens one browser, once, within five minutes. Name --project several times for several projects on one board. If an agent starts it, the board only shows. With --listen, a code at the terminal lets in one device; Enter shows another.",
    load: async () => (await import("../board.ts")).board,
  },
  {
    name: "mcp",
    summary: "serve workflows to an assistant over MCP (standard input and output, or HTTP)",
    given: [
      {
        name: "names",
        description: "the workflows to serve (default: all)",
        required: false,
        variadic: true,
      },
      { flags: "--http", description: "serve over HTTP on this machine, to clients that have the token" },
      { flags: "--port <number>", description: "the port for --http (default: any free port)" },
    ],
    details:
      "With --http, clients need the token in $PAWL_MCP_TOKEN. If it is not set, Pawl makes one and shows it once on standard error.",
    load: async () => (await import("../clients/mcp.ts")).mcp,
  },
  {
    name: "call",
    summary: "call a workflow's tool from the shell, as an assistant does over MCP",
    given: [
      required("name", "the tool, such as work_on_task"),
      optional("json", "its arguments as JSON, or @FILE, or - for standard input (default: {})"),
      { flags: "--schema", description: "call nothing; show what the tool takes, as JSON Schema" },
    ],
    details:
      "Prints the tool's answer, usually the prompt for the next step. It never counts as a person's verdict: people decide with `pawl approve` or `pawl reject`.",
    load: async () => (await import("../clients/call.ts")).call,
  },
  {
    name: "check",
    summary: "check the workflows' tables and show what was proved",
    given: [optional("workflow", "only this one")],
    load: async () => (await import("../project/check.ts")).check,
  },
  {
    name: "diagram",
    summary: "draw a workflow's tables",
    given: [
      required("workflow", "a workflow, such as alfred, or one of its tables, such as start_task"),
      {
        flags: "--format <format>",
        description: "the notation",
        choices: ["mermaid", "xstate", "markdown"],
      },
    ],
    load: async () => (await import("../project/diagram.ts")).diagram,
  },
  {
    name: "workflow new",
    summary: "begin a workflow of your own, from a template or by questions",
    given: [
      optional("name", "its name, and its file's (default: the template's)"),
      { flags: "--template <name>", description: "a workflow of the gallery", choices: TEMPLATES },
    ],
    details:
      "Writes NAME.yaml, its replies in NAME/, and its line in pawl.yaml; overwrites nothing. Without --template, asks a person at a terminal. docs/workflows-gallery.md shows the gallery.",
    load: async () => (await import("../workflow/new.ts")).newWorkflow,
  },
  {
    name: "workflow try",
    summary: "walk through a workflow of your own, without a run",
    given: [
      required("name", "the workflow"),
      {
        flags: "--events <names>",
        description: "the events in their order, such as submit,approve (default: Pawl asks)",
      },
      { flags: "--fact <name=value...>", description: "a fact's value, wherever a rule asks for it" },
    ],
    details: "Reads no file that a fact names, starts no command, and begins no run.",
    load: async () => (await import("../workflow/try.ts")).tryWorkflow,
  },
  {
    name: "prompts",
    summary: "list the prompts of a workflow, state by state",
    given: [
      optional("workflow", "only this one"),
      { flags: "--all", description: "print every text, rendered with sample data" },
    ],
    details: "Inside a project, its own prompts replace the packaged ones.",
    load: async () => (await import("../project/prompts.ts")).prompts,
  },
  {
    name: "config",
    summary: "show the effective settings and where each comes from",
    load: async () => (await import("../project/config.ts")).config,
  },
  {
    name: "policy",
    summary: "show the policy of a run, and which later edits it ignores",
    given: [
      optional("run", FROM_LOOP),
      { flags: "--accept", description: "accept the edits that loosen it; asks a person at a terminal" },
    ],
    details:
      "A run's policy is pinned when the run starts. An edit that tightens it counts at once; an edit that loosens it counts when a person accepts it.",
    load: async () => (await import("../project/policy.ts")).policy,
  },
  {
    name: "trust",
    summary: "show which programs this project's files would start, and ask whether you allow them",
    given: [
      { flags: "--show", description: "only show it" },
      { flags: "--yes", description: "allow it without asking, for your own scripts" },
      { flags: "--revoke", description: "withdraw the permission" },
    ],
    details:
      "Pawl keeps your answer outside the project, on this machine. It asks again about what an edit, a pull or a merge adds or changes later.",
    load: async () => (await import("../project/trust.ts")).trust,
  },
  {
    name: "notify",
    summary: "show where notices go, and whether they arrive",
    given: [{ flags: "--test", description: "send a test notice to each receiver" }],
    details:
      "The receivers are `notify` in pawl.yaml. Nothing is sent to a receiver before you agree to it with `pawl trust`.",
    load: async () => (await import("../team/notify.ts")).notify,
  },
  {
    name: "keys list",
    summary: "show whose keys may sign at this project's gates, and which is yours",
    load: async () => (await import("../team/keys.ts")).listKeys,
  },
  {
    name: "keys add",
    summary: "let your key sign at this project's gates",
    given: [
      optional("key", "the path of your public key (default: the key that you use already)"),
      { flags: "--generate", description: "make a key for gates alone; you type its passphrase" },
      { flags: "--as <name>", description: "your name among the signers (default: your git address)" },
      {
        flags: "--unprotected",
        description: "accept a key without a passphrase; every program of yours can sign with it",
      },
    ],
    details:
      "Writes .alfred/allowed_signers, and a project_id into pawl.yaml if it has none. `pawl verify` reads both from the protected branch, so have the change reviewed.",
    load: async () => (await import("../team/keys.ts")).addKey,
  },
  {
    name: "verify",
    summary: "verify that signed gates cover everything that a range of commits changes",
    given: [
      required("range", "BASE..HEAD; signers, policy and workflows come from BASE"),
      { flags: "--rerun", description: "also run the checks of BASE on the files of HEAD" },
      {
        flags: "--forge",
        description:
          "if BASE wants no signatures: count an approving review of HEAD on GitHub by one of its `verify.reviewers`",
      },
      {
        flags: "--pull <number>",
        description: "the pull request for --forge (needed if it comes from a fork)",
      },
      {
        flags: "--format <format>",
        description: "the form of the report (default: table)",
        choices: ["table", "json", "sarif", "junit"],
      },
    ],
    details:
      "Reads only git's objects, and with --forge asks GitHub with GITHUB_TOKEN: a bare clone with its history is enough. Opens no project. Exits with 1 if anything differs from what was approved.",
    load: async () => (await import("../team/verify.ts")).verify,
  },
  {
    name: "repair",
    summary: "find and repair damaged files of the project",
    given: [
      {
        flags: "--accept <journal>",
        description: "show what a journal that was set aside would write, and accept it",
      },
    ],
    details:
      "Pawl holds a run whose file does not follow from its history. At a terminal, this command shows the difference and lets you accept the file.",
    load: async () => (await import("../project/repair.ts")).repair,
  },
  {
    name: "database init",
    summary: "set up the database in PAWL_DATABASE_URL, and add this project to it",
    details:
      "Makes the tables that are missing, and a project_id in pawl.yaml if it has none. Running it twice changes nothing. The address is read from the environment only.",
    load: async () => (await import("../database/database.ts")).initDatabase,
  },
  {
    name: "database migrate",
    summary: "bring the database to the form that this version of Pawl needs",
    details:
      "Programs of the previous version can still work with it. Migrations at the same time wait for one another.",
    load: async () => (await import("../database/database.ts")).migrateDatabase,
  },
  {
    name: "database check",
    summary: "show what the database has of this project, and what is wrong with it",
    details: "Changes nothing. Exits with 1 if something is wrong.",
    load: async () => (await import("../database/database.ts")).checkDatabase,
  },
  {
    name: "database import",
    summary: "copy this project's backlog, runs, records and events into the database",
    given: [{ flags: "--replace", description: "overwrite what the database has of this project" }],
    details:
      "Copies everything in one commit, or nothing. Pawl works with the files until pawl.yaml has `stores: {bloom: postgres}`. Running it twice changes nothing.",
    load: async () => (await import("../database/database.ts")).importProject,
  },
  {
    name: "database export",
    summary: "write what the database has of this project into an empty folder",
    given: [required("dir", "an empty folder")],
    details: "The way back: a plain project of files, byte for byte as it was imported.",
    load: async () => (await import("../database/database.ts")).exportProject,
  },
  {
    name: "doctor",
    summary: "check everything that Pawl needs, and say how to fix it",
    details:
      "Changes nothing. Exits with 1 if something does not work, with 0 if there are only hints. Starts each agent once, for its version, and tries the wall.",
    load: async () => (await import("../doctor/doctor.ts")).doctor,
  },
  {
    name: "uninstall",
    summary: "remove Pawl from a project, and keep what people wrote",
    given: [
      {
        flags: "--client <name>",
        description: "only what is in this client's files",
        choices: CLIENTS,
      },
      { flags: "--all", description: "also records, tasks, settings and other work" },
      { flags: "--dry-run", description: "list what would be removed, and change nothing" },
      { flags: "--yes", description: "remove it without asking, for your own scripts" },
    ],
    details:
      "Lists everything first and asks a person at a terminal. Keeps tasks.yaml, .alfred/records and the like, and workspaces with uncommitted work. If it is interrupted, run it again.",
    load: async () => (await import("../project/uninstall.ts")).uninstall,
  },
  {
    name: "guard",
    summary: "answer a hook of a client or of git: whether the assistant may do this",
    given: [
      {
        ...optional("client", "whose hook calls"),
        choices: [...GUARDED_CLIENTS, "git"],
      },
      optional("event", "the hook's event, where the client's call does not name it"),
      { flags: "--canary", description: "try each layer of the guard with a planted violation" },
    ],
    details:
      "Reads the client's call on standard input. `pawl init --guard` writes the hooks that call it. With --canary, exits with 1 if a violation came through.",
    load: async () => (await import("../guard/guard.ts")).guard,
  },
  {
    name: "completion",
    summary: "print a shell's completion script",
    given: [required("shell", "the shell", ["bash", "zsh", "fish"])],
    details: 'For example, in ~/.bashrc: eval "$(pawl config completion bash)"',
    load: async () => (await import("./completion.ts")).completion,
  },
];

export const COMMANDS = DRAFTS.map(
  ({ given = [], ...draft }): CommandSpec => ({
    ...draft,
    arguments: given.filter((each): each is CommandArgument => "name" in each),
    options: given.filter((each): each is CommandOption => "flags" in each),
  }),
);
