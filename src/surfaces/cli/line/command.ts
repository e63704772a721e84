/** A command: data that describes it, and a function that loads when it is called. */
import type { Caller } from "../../../core/event.ts";
import type { Agents, DeferredCall, WallFound } from "../../../core/ports/agents.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { GitHooks, GuardedHook, HookLook } from "../../../core/ports/git-hooks.ts";
import type { GuardProofs } from "../../../core/ports/guard-proofs.ts";
import type { Repositories } from "../../../core/ports/repositories.ts";
import type { Keys } from "../../../core/ports/signatures.ts";
import type { Issues, Sources } from "../../../core/ports/sources.ts";
import type { Worktrees } from "../../../core/ports/worktrees.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Project, Workflows } from "../../../runtime/project.ts";
import type { Report } from "../../../verify/report.ts";
import type { ControllingTerminal } from "../terminal/controlling-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface CommandSpec {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  /** Its heading in the help. */
  readonly group: string;
  /** Verbs of a workflow begin with its word, too. */
  readonly hasVerbs?: true;
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  /** Shown under the command's own help. */
  readonly details?: string;
  load(): Promise<Run>;
}

export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly variadic?: true;
  readonly choices?: readonly string[];
}

export interface CommandOption {
  /** As commander takes it: `--format <format>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
}

export type Run = (host: Host, call: Call) => Promise<Answer | undefined>;

/** One call of a command: its arguments by name, in camel case, and its options. */
export interface Call {
  readonly arguments: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly json?: boolean;
  /** Every `--project` that was given. Only a command about several projects reads more than the last. */
  readonly projects?: readonly string[];
}

/** A command's output: `text` for a person, `data` under `--json`. */
export interface Answer {
  readonly text: string;
  readonly data: unknown;
  /** 1: failed or refused. 3: waits for a person. 130: stopped by a signal before it was done. */
  readonly exit?: 1 | 3 | 130;
  /** `text` is Markdown: rendered on a screen, printed as it is into a pipe. */
  readonly isMarkdown?: true;
  /** The command has already printed everything itself. */
  readonly isPrinted?: true;
}

export interface VerifyOrder {
  /** `BASE..HEAD` */
  readonly range: string;
  /** Runs the base's checks on HEAD's files. */
  readonly rerun: boolean;
  /** Counts reviews on the forge of this pull request, or of the one with HEAD as its head. Null: counts none. */
  readonly forge: { readonly pull: number | null } | null;
}

export interface BoardOrder {
  /** Every `--project`; empty: the project around. */
  readonly folders: readonly string[];
  /** 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  /** Whether a browser is to open by itself, where there is a desktop. */
  readonly open: boolean;
  /** Nobody is led to this board. */
  readonly unlisted: boolean;
  /** Called once, when a browser may connect. */
  readonly onOpen: (served: {
    readonly url: string;
    /** With a token that opens one browser, once. */
    readonly address: string;
    readonly roots: readonly string[];
    readonly opened: boolean;
  }) => void;
}

/** What a try came to. */
export interface Tried {
  /** Null: it could not start, or took too long. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface GuardOutside {
  readonly gitHooks: GitHooks;
  readonly proofs: GuardProofs;
  /** When the client last called its hook here, to the day; null: it never has. */
  lastCall(client: string): Date | null;
  /** Puts back what a client's settings said of its shell. */
  openShells(): Promise<void>;
  hash(text: string): string;
  /** Runs a hook's command as the client does, with this on its standard input. */
  tryCommand(command: string, input: string): Tried;
  /** Calls OpenCode's plugin before a tool. */
  tryPlugin(text: string, call: string): Tried;
  /** Has git call each hook where nothing may be committed or pushed, for somebody who looks like an agent. */
  tryGitHooks(hooks: readonly HookLook[]): Readonly<Record<GuardedHook, Tried>>;
  /** Settings of a client for its user, below their home folder; null: there are none. */
  settingsAtHome(path: string): string | null;
  /**
   * Git was told where its hooks are for this one call, as Pawl's own push does. Who can do so could as well have named
   * an empty folder.
   */
  readonly isOwnPush: boolean;
  /** The repository's first checkout, if the root is another that has a project of its own; else null. */
  mainCheckout(): string | null;
}

/** What `pawl doctor` asks of the machine. */
export interface MachineReport {
  /** The version of Node that runs this program. */
  readonly node: string;
  /** The version of git on the PATH; null: none starts. */
  readonly git: string | null;
  /** The entries of the PATH in which Pawl looks for no program. */
  readonly leftOut: readonly { readonly entry: string; readonly why: string }[];
  /** The version of Pawl's package in the project's `node_modules`; null: it has none. */
  readonly installed: string | null;
  /** The folder outside of the project, and why nothing can be written there (null: it can). Null: no project. */
  readonly state: { readonly folder: string; readonly refused: string | null } | null;
  /** `stale`: the file names a board that does not run any more. */
  readonly board: "open" | "stale" | "none";
}

/** A plugin or an extension of Pawl's that a person installed in a client. */
export interface ClientPackage {
  readonly client: "claude-code" | "codex" | "opencode" | "gemini";
  /** As the client's own commands name it; OpenCode's, by its folder. */
  readonly name: string;
  readonly version: string;
}

/** What `pawl uninstall` finds and removes beside the clients' files. */
export interface Leftovers {
  /** The folder outside of the project with what Pawl keeps of it; null: there is none. */
  readonly stateFolder: string | null;
  /** Whether there is anything at the path, a link included. */
  has(path: string): boolean;
  /**
   * Removes files and folders below the root, in this order, and what is outside first if `state` says so. Follows no link.
   * Then removes the folders around them and around the `emptied` files, if nothing is left in them.
   */
  remove(order: {
    readonly paths: readonly string[];
    readonly emptied: readonly string[];
    readonly state: boolean;
  }): void;
}

/** What a command gets from the program around it: each names the ports that it uses. */
export interface Host {
  /** `pawl` or `bloom`: as it was called. */
  readonly name: string;
  readonly version: string;
  readonly terminal: Terminal;
  /** The caller wants JSON; matters only to commands that print while they run. */
  readonly json?: boolean;
  readonly workflows: Workflows;
  readonly projects: ProjectsPort;
  readonly person: PersonPort;
  readonly machine: MachinePort;
  readonly repositories: RepositoriesPort;
  readonly servers: ServersPort;
  /** Runs another command line of this program, as if a person had typed it here; its exit code. Absent outside of one. */
  readonly dispatch?: (words: readonly string[]) => Promise<number>;
}

export interface ProjectsPort {
  /**
   * Opens the project; it is closed when the program ends. `create`: where there is none, the place for one. `option`:
   * another root than the one that `--project` names, which commands need not pass on.
   */
  open(wanted?: {
    readonly create?: boolean;
    readonly option?: string | undefined;
    readonly file?: string | undefined;
  }): Promise<Project>;
  /** Present where an agent called the program: leaves a call for the loop to make. */
  readonly post?: (call: DeferredCall) => Promise<void>;
  /** What the agent of a run said and did last, the oldest first; for the project at `root`. */
  lastWords(root: string): Promise<(agentRun: string) => readonly string[]>;
  /** What Pawl made in the project at `root`, and outside of it. */
  leftovers(root: string): Promise<Leftovers>;
  /** What an import reads and an export writes, for the project at `root`. */
  imports(root: string): Promise<{ readonly sources: Sources; readonly issues: Issues }>;
  /** The database of `PAWL_DATABASE_URL`; to be closed. Throws `database-unconfigured`. */
  database(): Promise<Database>;
}

/** Who called the program, and how a person is asked. */
export interface PersonPort {
  /** As far as it can be known; more precise once a project is open. */
  caller(): Caller;
  /** The caller, if this process belongs to one of the loop's runs in the project at `root`; else null. */
  inRun(root: string): Promise<Caller | null>;
  /** The agent whose process calls, or null: see `agentAround`. */
  agent(): { readonly agent: string; readonly pid: number; readonly by: string } | null;
  /** Where a person is asked. */
  readonly terminal: ControllingTerminal;
  /** The keys with which the person at this machine signs, for the project at `root`. */
  keys(root: string): Promise<Keys>;
}

/** What is installed here, and what holds agents back. */
export interface MachinePort {
  /** How a client starts this program: the words of a command line. */
  launch(): readonly string[];
  /** What is known of the machine; of the project at `root`, or outside any project. */
  look(root: string | null): Promise<MachineReport>;
  /**
   * The agents in the settings of the project at `root`; null: outside any project. `untrusted`: the agents whose
   * programs a survey does not start.
   */
  agents(root: string | null, settings: Settings, untrusted?: readonly string[]): Promise<Agents>;
  /**
   * The wall that the settings ask for around agents and commands, tried from inside. Null: outside any project.
   * Reports what is missing, even if the settings require it.
   */
  wall(root: string | null, settings: Settings): Promise<WallFound>;
  /** What the guard has outside of the project's files. */
  guard(root: string): Promise<GuardOutside>;
  /** Pawl's packages in the person's clients. */
  clientPackages(): Promise<readonly ClientPackage[]>;
}

export interface RepositoriesPort {
  /** The git repositories and worktrees of the project at `root`. */
  open(root: string): Promise<{ readonly repositories: Repositories; readonly worktrees: Worktrees }>;
  /**
   * Verifies a range of commits by what its base says, for the repository at `--project` or around the working folder.
   */
  verify(order: VerifyOrder): Promise<Report>;
}

export interface ServersPort {
  /** Serves the board to browsers of this machine until a signal ends it; returns which. */
  board(order: BoardOrder): Promise<NodeJS.Signals>;
  /** Serves MCP over standard input and output until the client is gone (null) or a signal ends it. */
  mcp(project: Project, workflows: readonly string[]): Promise<NodeJS.Signals | null>;
  /** Serves MCP over HTTP to programs on this machine until a signal ends it; returns which. */
  mcpOverHttp(
    project: Project,
    workflows: readonly string[],
    how: {
      /** 0: any free port. */
      readonly port: number;
      /** Called once, when clients may connect. `made`: the token was made for this process. */
      readonly onOpen: (served: {
        readonly url: string;
        readonly token: string;
        readonly made: boolean;
      }) => void;
    },
  ): Promise<NodeJS.Signals>;
}
