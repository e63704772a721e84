/** A command: data that describes it, and a function that is loaded when the command is called. */
import type { Caller, DeviceEvent } from "../../../core/event.ts";
import type { Agents, DeferredCall, WallFound } from "../../../core/ports/agents.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { Devices } from "../../../core/ports/devices.ts";
import type { GitHooks, GuardedHook, HookState } from "../../../core/ports/git-hooks.ts";
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
  /** Its heading in the help, if it is in none of the program's own groups. */
  readonly group?: string;
  /** A workflow's verbs begin with the same word. */
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
  /** In commander's notation: `--format <format>`. */
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
  /** Every `--project` option. Only a command about several projects reads more than the last. */
  readonly projects?: readonly string[];
}

/** A command's output: `text` for a person, `data` under `--json`. */
export interface Answer {
  readonly text: string;
  readonly data: unknown;
  /** 1: failed or refused. 3: waits for a person. 130: stopped by a signal before it was done. */
  readonly exit?: 1 | 3 | 130;
  /** `text` is Markdown: rendered on a screen, verbatim in a pipe. */
  readonly isMarkdown?: true;
  /** `text` is code or data, not wrapped on a screen. */
  readonly isVerbatim?: true;
  /** The command has already printed its whole output. */
  readonly isPrinted?: true;
}

export interface VerifyOrder {
  /** `BASE..HEAD` */
  readonly range: string;
  /** Runs the base's checks on HEAD's files. */
  readonly rerun: boolean;
  /**
   * Counts reviews on the forge: of this pull request, or of the one whose head is HEAD. Null: counts none.
   */
  readonly forge: { readonly pull: number | null } | null;
}

/** Where the board is served to the person's other devices. */
export interface BoardListen {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The files of a certificate and its key; null: plain http, on loopback alone. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** The https origin of a tunnel or of the certificate's name; null: that of the host and the port. */
  readonly origin: string | null;
}

/** What lets one device in, once. */
export interface DeviceInvitation {
  readonly code: string;
  readonly address: string;
}

export interface BoardOrder {
  /** Every `--project`; empty: the project around the working folder. */
  readonly folders: readonly string[];
  /** 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  /** Whether Pawl may open a browser, if there is a desktop. */
  readonly open: boolean;
  /** Other commands do not point people to this board. */
  readonly unlisted: boolean;
  /** Null: this machine alone uses it. */
  readonly listen: BoardListen | null;
  /** Called with what happened to a device, in words. */
  readonly onSeen: (words: string) => void;
  /** Called once, when a browser may connect. */
  readonly onOpen: (served: {
    readonly url: string;
    /** With a token that authenticates one browser, once. */
    readonly address: string;
    readonly roots: readonly string[];
    readonly opened: boolean;
    /** Null: no other device may use it. */
    readonly devices: { readonly origin: string; invite(): DeviceInvitation } | null;
  }) => void;
}

/** The result of a trial run. */
export interface Tried {
  /** Null: it could not start, or took too long. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface GuardOutside {
  readonly gitHooks: GitHooks;
  readonly proofs: GuardProofs;
  /** When the client last called its hook here, to the day; null: never. */
  lastCall(client: string): Date | null;
  /** Restores the shell settings of the clients' files. */
  openShells(): Promise<void>;
  hash(text: string): string;
  /** Runs a hook's command as the client does, with `input` on its standard input. */
  tryCommand(command: string, input: string): Tried;
  /** Calls OpenCode's plugin before a tool. */
  tryPlugin(text: string, call: string): Tried;
  /**
   * Has git call each hook in a state that forbids commits and pushes, from a process that looks like an
   * agent's.
   */
  tryGitHooks(hooks: readonly HookState[]): Readonly<Record<GuardedHook, Tried>>;
  /** A client's settings file below the user's home folder; null: it does not exist. */
  settingsAtHome(path: string): string | null;
  /**
   * Whether git got its hooks' folder for this one call, as in Pawl's own push. That is no new hole: a caller
   * who can set it could also name an empty folder.
   */
  readonly isOwnPush: boolean;
  /** The repository's main checkout, if the root is another one with a project of its own; else null. */
  mainCheckout(): string | null;
}

/** The state of the machine for `pawl doctor`. */
export interface MachineReport {
  /** The version of Node that runs this program. */
  readonly node: string;
  /** The version of git on the PATH; null: git does not start. */
  readonly git: string | null;
  /** The PATH entries that Pawl does not search for programs. */
  readonly leftOut: readonly { readonly entry: string; readonly why: string }[];
  /** The version of Pawl's package in the project's `node_modules`; null: it has none. */
  readonly installed: string | null;
  /** The state folder outside of the project, and why it is not writable (null: it is). Null: no project. */
  readonly state: { readonly folder: string; readonly refused: string | null } | null;
  /** `stale`: the file names a board that no longer runs. */
  readonly board: "open" | "stale" | "none";
}

/** A plugin or an extension of Pawl that a person installed in a client. */
export interface ClientPackage {
  readonly client: "claude-code" | "codex" | "opencode" | "gemini";
  /** The name in the client's own commands; for OpenCode, the folder. */
  readonly name: string;
  readonly version: string;
}

/** What `pawl uninstall` finds and removes besides the clients' files. */
export interface Leftovers {
  /** The folder outside of the project with Pawl's data about it; null: none. */
  readonly stateFolder: string | null;
  /** Whether the path exists, a link included. */
  has(path: string): boolean;
  /**
   * Removes files and folders below the root, in this order, and first those outside of it if `state` is set.
   * Follows no links. Then removes the folders around them and around the `emptied` files, if they are empty.
   */
  remove(order: {
    readonly paths: readonly string[];
    readonly emptied: readonly string[];
    readonly state: boolean;
  }): void;
}

/** What the program provides to a command: each command uses the ports that it needs. */
export interface Host {
  /** `pawl` or `bloom`: the name by which it was called. */
  readonly name: string;
  readonly version: string;
  readonly terminal: Terminal;
  /** The caller wants JSON. Only commands that print while they run need to know. */
  readonly json?: boolean;
  readonly workflows: Workflows;
  readonly projects: ProjectsPort;
  readonly person: PersonPort;
  readonly machine: MachinePort;
  readonly repositories: RepositoriesPort;
  readonly servers: ServersPort;
  /**
   * Runs another command line of this program, as if a person had typed it here; returns its exit code.
   * Absent in a program that cannot do that.
   */
  readonly dispatch?: (words: readonly string[]) => Promise<number>;
}

export interface ProjectsPort {
  /**
   * Opens the project; it is closed when the program ends. `create`: if there is no project, opens the place
   * for a new one. `option`: another root than the one in `--project`.
   */
  open(wanted?: {
    readonly create?: boolean;
    readonly option?: string | undefined;
    readonly file?: string | undefined;
  }): Promise<Project>;
  /** Defers a call to the loop. Present only if an agent called the program. */
  readonly post?: (call: DeferredCall) => Promise<void>;
  /** The latest output of an agent's run, the oldest line first; for the project at `root`. */
  lastWords(root: string): Promise<(agentRun: string) => readonly string[]>;
  /** What Pawl created in the project at `root`, and outside of it. */
  leftovers(root: string): Promise<Leftovers>;
  /** The sources of an import and the target of an export, for the project at `root`. */
  imports(root: string): Promise<{ readonly sources: Sources; readonly issues: Issues }>;
  /** The database of `PAWL_DATABASE_URL`; the caller closes it. Throws `database-unconfigured`. */
  database(): Promise<Database>;
}

export interface EditedText {
  readonly text: string;
  /** Where the person's words are until `forget`. */
  readonly file: string;
  forget(): void;
}

/** Who called the program, and how to ask a person. */
export interface PersonPort {
  /** The caller, as far as it is known; more precise once a project is open. */
  caller(): Caller;
  /** The caller, if this process belongs to one of the loop's runs in the project at `root`; else null. */
  inRun(root: string): Promise<Caller | null>;
  /** The agent whose process calls, or null: see `callingAgent`. */
  agent(): { readonly agent: string; readonly pid: number; readonly by: string } | null;
  /** The terminal at which a person is asked. */
  readonly terminal: ControllingTerminal;
  /**
   * Opens the person's editor on a text, in a file of that ending, and waits for its end. Throws `terminal-missing` if they
   * have none here.
   */
  edit(text: string, ending: string): Promise<EditedText>;
  /** The signing keys of the person at this machine, for the project at `root`. */
  keys(root: string): Promise<Keys>;
}

/** What is installed here, and what restricts agents. */
export interface MachinePort {
  /** The command line by which a client starts this program, in words. */
  launch(): readonly string[];
  /** The state of the machine: for the project at `root`, or outside any project. */
  inspect(root: string | null): Promise<MachineReport>;
  /**
   * The agents in the settings of the project at `root`; null: outside any project. `untrusted`: the agents
   * whose programs a survey does not start.
   */
  agents(root: string | null, settings: Settings, untrusted?: readonly string[]): Promise<Agents>;
  /**
   * The wall around agents and commands that the settings require, tested from inside. Null: outside any
   * project. Reports what is missing instead of throwing, even if the settings require it.
   */
  wall(root: string | null, settings: Settings): Promise<WallFound>;
  /** The parts of the guard outside of the project's files. */
  guard(root: string): Promise<GuardOutside>;
  /** Whether the folder is the person's home, and whether a git repository is around it. */
  situation(folder: string): Promise<{ readonly isHome: boolean; readonly isInRepository: boolean }>;
  /** Makes a git repository with one commit of these files, and returns its folder. */
  makeRepository(folder: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Pawl's packages in the person's clients. */
  clientPackages(): Promise<readonly ClientPackage[]>;
}

export interface RepositoriesPort {
  /** The git repositories and worktrees of the project at `root`. */
  open(root: string): Promise<{ readonly repositories: Repositories; readonly worktrees: Worktrees }>;
  /**
   * Verifies a range of commits against the rules in its base, for the repository at `--project` or around
   * the working folder.
   */
  verify(order: VerifyOrder): Promise<Report>;
}

export interface ServersPort {
  /** Serves the board to browsers on this machine until a signal ends it; returns the signal. */
  board(order: BoardOrder): Promise<NodeJS.Signals>;
  /** Answers `/healthz` and `/metrics` of the project until it is closed. */
  metrics(
    project: Project,
    at: Pick<BoardListen, "host" | "port">,
  ): Promise<{ readonly host: string; close(): Promise<void> }>;
  /** The devices that may use a board, and the log of their events. */
  devices(): Promise<Devices & { report(device: DeviceEvent): Promise<void> }>;
  /** Serves MCP over standard input and output until the client disconnects (null) or a signal ends it. */
  mcp(project: Project, workflows: readonly string[]): Promise<NodeJS.Signals | null>;
  /** Serves MCP over HTTP to programs on this machine until a signal ends it; returns the signal. */
  mcpOverHttp(
    project: Project,
    workflows: readonly string[],
    how: {
      /** 0: any free port. */
      readonly port: number;
      /** Called once, when clients may connect. `made`: the token was created for this process. */
      readonly onOpen: (served: {
        readonly url: string;
        readonly token: string;
        readonly made: boolean;
      }) => void;
    },
  ): Promise<NodeJS.Signals>;
}

/** `step show <id>`: a command and its arguments. */
export function formOf({ arguments: taken, name }: Pick<CommandSpec, "arguments" | "name">): string {
  return [name, ...taken.map((each) => (each.required ? `<${each.name}>` : `[${each.name}]`))].join(" ");
}

/** The name of an argument or option in a call: `dry-run` becomes `dryRun`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
