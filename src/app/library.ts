/**
 * A project for a program that uses the library: it moves runs of the workflows, reads them and listens to
 * events.
 */
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { AgentFunctions } from "../adapters/agents/function-agents.ts";
import { keepProgramsFrom } from "../adapters/process/programs.ts";
import type { BloomEvent } from "../core/bloom-event.ts";
import { PawlError } from "../core/error.ts";
import type { Caller, PawlEvent } from "../core/event.ts";
import { readOnce } from "../core/once.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { OpenDriver } from "../core/ports/loop.ts";
import type { LoopEnd } from "../core/ports/loop-end.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { PullRequests } from "../core/ports/pull-requests.ts";
import type { Store } from "../core/ports/store.ts";
import type { Facts, FactValue } from "../engine/workflow.ts";
import type { Project, Workflows } from "../runtime/project.ts";
import type { Runtime } from "../runtime/transaction/run-transaction.ts";
import {
  type Reply,
  type RunOverview,
  shownIn,
  type Transaction,
} from "../runtime/transaction/transaction.ts";
import type { Definition, DefinitionSource } from "../workflows/custom/definition/definition.ts";
import type {
  EventOfRun,
  FactsOf,
  GivenOfRun,
  RunOf,
  StateOfRun,
  WorkflowDraft,
} from "../workflows/custom/definition/draft.ts";
import { startsIn } from "../workflows/custom/definition/starts.ts";

export interface OpenOptions<Draft extends WorkflowDraft = WorkflowDraft> {
  /** The project's folder, absolute. It need not be a project yet: the first commit makes `.pawl/`. */
  readonly root: string;
  /** The program's own workflows, in addition to those that the project's pawl.yaml names. */
  readonly workflows?: readonly Draft[];
  /** Replaces Pawl's own adapters: another git, another runner of commands, a tracker. */
  readonly outside?: Partial<Outside>;
  /** Agents that are functions of the program, by the names that tasks give them, besides those of pawl.yaml. */
  readonly agents?: AgentFunctions;
  /** The forge on which `work` opens pull requests; default: the remote's. */
  readonly pullRequests?: PullRequests;
  /** The time of all events, and of every wait in `work`; default: the system's. */
  readonly clock?: Clock;
  /**
   * Where the project's files are; default: in the folder. `openMemoryStore()` keeps them in this process: nothing is
   * written to the disk, and no policy is pinned.
   */
  readonly store?: Store;
  /**
   * The program vouches for the project's files: Pawl starts the programs that they name without a person's
   * `pawl trust`. Commands of the program's own workflows never need trust. Default: false.
   */
  readonly trusted?: boolean;
  /** The environment of commands that Pawl runs; default: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface SendOptions<Given = Readonly<Record<string, FactValue>>> {
  /**
   * The facts whose source is `given`. With a run's first event, also the variables of one of the table's
   * starts.
   */
  readonly given?: Given;
  /** Stored with the event. */
  readonly notes?: string;
  /**
   * The caller; default: `{ channel: "library" }`, which a person's gate refuses. A program that relays a
   * person's word uses the channel `terminal`. Pawl records it as that program's word, with the strength
   * `program`.
   */
  readonly caller?: Caller;
}

export interface VerdictOptions {
  readonly approve: boolean;
  /** With a rejection: what is to be done better. */
  readonly notes?: string;
  /** The person; the program vouches that they decided. */
  readonly who: string;
}

export interface WorkOptions {
  /** How many agents at once; default: those of pawl.yaml. */
  readonly agents?: number;
  /** Only this task. */
  readonly task?: string;
  /** Default: false, which ends as soon as nothing can be done now. True: until `stop` or `drain` is aborted. */
  readonly stays?: boolean;
  /** Aborted: begins nothing new, ends the agents and saves each task's state. */
  readonly stop?: AbortSignal;
  /** Aborted: begins nothing new, and finishes what has begun. */
  readonly drain?: AbortSignal;
  /** Receives every event as it happens, those that are not stored (what an agent says and does) too. */
  readonly hear?: (event: BloomEvent | PawlEvent) => void;
}

export interface RunReply<State extends string = string> extends Reply {
  readonly data: Reply["data"] & {
    readonly status: string;
    readonly message: string;
    readonly run: string;
    readonly state: State;
    readonly kept: Facts;
  };
}

/**
 * `Draft`: the program's workflows, of which runs, events and facts must be; with `WorkflowDraft`, any, as for those
 * of pawl.yaml. Each method but `close` throws `invalid-action` once the project is closed.
 */
export interface OpenProject<Draft extends WorkflowDraft = WorkflowDraft> {
  readonly root: string;
  readonly store: Store;
  /**
   * Sends an event to a run (`release:1.2.0`); its first event begins the run. The result is durable when it
   * resolves. By then a rule's command has ended, or the reply says that it still runs. Without an event, it
   * finishes unfinished commands.
   */
  send<const Run extends RunOf<Draft>>(
    run: Run,
    event?: EventOfRun<Draft, Run>,
    options?: SendOptions<GivenOfRun<Draft, Run>>,
  ): Promise<RunReply<StateOfRun<Draft, Run>>>;
  /** A run's state, its history, and the events that it accepts. Moves nothing. */
  look<const Run extends RunOf<Draft>>(run: Run): Promise<RunReply<StateOfRun<Draft, Run>>>;
  /**
   * Calls a tool of Alfred, Spells or an own workflow by its name (`work_on_task`), as an assistant does over MCP.
   * Throws `usage` if there is none, or if the arguments do not fit.
   */
  call(tool: string, input?: Readonly<Record<string, unknown>>, caller?: Caller): Promise<Reply>;
  /**
   * A person's verdict at the gate where any run waits (`alfred:TS-01`, `bloom:T1`), recorded as this program's word,
   * with the strength `program`. Throws if the run waits at none, or the gate wants more.
   */
  verdict(run: string, options: VerdictOptions): Promise<Reply>;
  /**
   * Runs agents at the tasks of tasks.yaml, as `pawl run` does, and resolves when nothing can be done now.
   * Throws `project-untrusted` if programs of the project's files lack a person's `pawl trust`.
   */
  work(options?: WorkOptions): Promise<LoopEnd>;
  /** Every run of these workflows. */
  runs(): Promise<readonly RunOverview[]>;
  /** Every run in the project, of all workflows; of tasks.yaml, also tasks that have not begun. */
  allRuns(): Promise<readonly RunOverview[]>;
  /** Runs a transaction that the program defines; see `Transaction`. */
  runTransaction<Input, Snapshot, Observations, R>(
    plan: Transaction<Input, Snapshot, Observations, R>,
    input: Input,
    caller?: Caller,
  ): Promise<R>;
  /** The events of every workflow, in order. With `follow`, also later ones, until aborted. */
  events(options?: { readonly follow?: boolean; readonly signal?: AbortSignal }): AsyncIterable<PawlEvent>;
  /** Syncs pending writes and releases the project. */
  close(): Promise<void>;
}

/**
 * Opens a project. Applies pending commits, such as those of a crashed process, before it reads anything.
 *
 * @throws PawlError `config-invalid` if the project's configuration is invalid.
 */
export async function openProject<const Draft extends WorkflowDraft = WorkflowDraft>(
  options: OpenOptions<Draft>,
): Promise<OpenProject<Draft>> {
  const { root, workflows = [] } = options;
  keepProgramsFrom(root);
  const [own, send, look, define, { overview }, { runTransaction }] = await Promise.all([
    import("../services/own-workflows.ts"),
    import("../workflows/custom/send.ts"),
    import("../workflows/custom/show-run.ts"),
    import("../workflows/custom/define.ts"),
    import("../workflows/custom/overview.ts"),
    import("../runtime/transaction/run-transaction.ts"),
  ]);
  const definitions = workflows.map((draft) => define.defineWorkflow<string, string, string, FactsOf>(draft));
  const { project, runtime } = await openRuntime(options, definitions);
  const { store } = runtime;
  const settings = await runtime.settings(store.view());
  const sources = [
    ...definitions.map((definition) => define.programSource(definition)),
    ...(await own.ownSources(settings)),
  ];
  const sending = send.sendTo(sources);
  const looking = look.show(sources);
  const asLibrary: Caller = { channel: "library" };
  let isClosed = false;
  const running = () => {
    if (isClosed) throw closedError(root);
    return runtime;
  };
  const move = async <Input, Snapshot, Observations, R>(
    plan: Transaction<Input, Snapshot, Observations, R>,
    input: Input,
    caller: Caller = asLibrary,
  ) => {
    const answered = isPersons(caller) ? "vouched" : undefined;
    const { ask, reply } = await runTransaction(running(), plan, input, caller, answered);
    if (ask) throw unaskedError(shownIn(ask));
    return reply;
  };
  const open = () => ({ ...project, runtime: running() });
  const opened = {
    root,
    store,
    ...driving(options, { sources, open, move }),
    async send(run: string, event?: string, { given, notes, caller = asLibrary }: SendOptions = {}) {
      const answered = isPersons(caller) ? "vouched" : undefined;
      const input = { run, event, given, notes };
      const { reply } = await runTransaction(running(), sending, input, caller, answered);
      return reply as RunReply;
    },
    async look(run: string) {
      const { reply } = await runTransaction(running(), looking, { run }, asLibrary);
      return reply as RunReply;
    },
    async runs() {
      const view = running().store.view();
      return (await Promise.all(sources.map((source) => overview(source, view)))).flat();
    },
    runTransaction: move,
    events(wanted?: Parameters<OpenProject["events"]>[0]) {
      running();
      return project.events(wanted);
    },
    async close() {
      isClosed = true;
      await project.close();
    },
  };
  return opened as unknown as OpenProject<Draft>;
}

interface Driver {
  readonly sources: readonly DefinitionSource[];
  readonly open: () => Project;
  readonly move: OpenProject["runTransaction"];
}

/** Moves the runs of all workflows, Pawl's own too. */
function driving(options: OpenOptions, { move, open, sources }: Driver) {
  const workflowsOf = readOnce(async (): Promise<Workflows> => {
    const [{ WORKFLOWS }, { openOwnWorkflows }] = await Promise.all([
      import("../workflows/index.ts"),
      import("../workflows/custom/module.ts"),
    ]);
    return { ...WORKFLOWS, ...openOwnWorkflows({ sources, view: () => open().runtime.store.view() }) };
  });
  return {
    async call(tool: string, input: Readonly<Record<string, unknown>> = {}, caller?: Caller) {
      const { checkArguments, toolNamed } = await import("../surfaces/arguments.ts");
      const found = await toolNamed(await workflowsOf(), tool);
      return move(found.transaction, checkArguments(found, input), caller);
    },
    async verdict(run: string, { approve, notes, who }: VerdictOptions) {
      const { findGate } = await import("../runtime/review/give-verdict.ts");
      const { id, plan } = await findGate({ ...open(), workflows: await workflowsOf() }, run);
      const input = { id, approve, ...(notes === undefined ? {} : { notes }) };
      return move(plan, input, { channel: "terminal", who });
    },
    async work(wanted: WorkOptions = {}) {
      if (options.store !== undefined) throw inMemoryError();
      return workIn(open(), options, wanted, sources);
    },
    async allRuns() {
      const { overview: overviewOfAll } = await import("../runtime/reports/overview.ts");
      const all = await overviewOfAll({ ...open(), workflows: await workflowsOf() });
      return all.flatMap((each) => each.runs);
    },
  };
}

async function openRuntime(options: OpenOptions, definitions: readonly Definition[]) {
  const { clock, environment, outside = {}, root, store, trusted = false } = options;
  if (store === undefined && !(await isFolder(root)))
    throw new PawlError(
      "usage",
      `There is no folder ${root}: expected the project's, by its absolute path. Nothing was changed.`,
      "Make the folder first, or open the project with `store: openMemoryStore()`.",
    );
  const [app, config] = await Promise.all([import("./open-project.ts"), import("../config/config.ts")]);
  const home = homeOf(import.meta.dirname);
  const project = await app.openProject({
    root,
    home,
    program: programIn(home),
    environment: environment ?? config.readEnvironment(),
    store,
    workflows: {},
    trust: { own: definitions.flatMap(commandsIn), vouched: trusted },
  });
  const { policies: _, ...unpinned } = project.runtime.outside;
  const ports = store === undefined ? project.runtime.outside : unpinned;
  const time = clock && { now: () => clock.now() };
  return { project, runtime: { ...project.runtime, ...time, outside: { ...ports, ...outside } } };
}

/** Runs the work loop in this process. */
async function workIn(
  project: Project,
  { agents: functions = {}, clock, pullRequests }: OpenOptions,
  { agents, drain, hear, stays = false, stop, task }: WorkOptions,
  sources: readonly DefinitionSource[],
): Promise<LoopEnd> {
  const { notices, root, runtime } = project;
  const brought = await ordersOf(runtime, sources);
  const [{ pinLoop, missingTasksError }, { runLoop }, { withFunctions }] = await Promise.all([
    import("../workflows/bloom/govern.ts"),
    import("../workflows/bloom/scheduler/loop.ts"),
    import("../adapters/agents/function-agents.ts"),
  ]);
  const lacking = await missingTasksError(runtime, task, brought.length > 0);
  const { bloom } = await runtime.settings(runtime.store.view());
  await pinLoop(runtime);
  const outside = await project.openLoop();
  const others = [...(outside.others ?? []), ...brought];
  if (lacking && others.length === 0) throw lacking;
  const { ports } = outside;
  notices.wake();
  try {
    return await runLoop({
      ...outside,
      ports: {
        ...ports,
        agents: withFunctions(ports.agents, root, functions),
        ...(pullRequests && { pullRequests }),
      },
      ...(clock && { clock }),
      runtime,
      others,
      hasTasks: lacking === null,
      name: `library@${hostname()}:${process.pid}`,
      worker: { name: null, only: task ?? null },
      agents: agents ?? bloom.agents,
      mergeTrain: bloom.merge_train,
      once: !stays,
      noWait: !stays,
      show(event) {
        notices.receive(event);
        hear?.(event);
      },
      stop: stop ?? new AbortController().signal,
      ...(drain && { drain }),
    });
  } finally {
    outside.close?.();
  }
}

/** The agents of the workflows that the program brings, which vouches for them. */
async function ordersOf(
  runtime: Runtime,
  sources: readonly DefinitionSource[],
): Promise<readonly OpenDriver[]> {
  const { driversOfOrders } = await import("../workflows/custom/agents/driver.ts");
  const own = sources.filter(({ file }) => file === null);
  return driversOfOrders(runtime, own, { lacksTrust: async () => null });
}

function inMemoryError(): PawlError {
  return new PawlError(
    "usage",
    "Agents work in folders, and this project is in memory: expected a project in a folder. Nothing was changed.",
    "Open the project without `store`.",
  );
}

function closedError(root: string): PawlError {
  return new PawlError(
    "invalid-action",
    `The project in ${root} is closed: expected no call after \`close()\`. Nothing was changed.`,
    "Call `close()` last, or open the project again.",
  );
}

async function isFolder(root: string): Promise<boolean> {
  return isAbsolute(root) && ((await stat(root).catch(() => null))?.isDirectory() ?? false);
}

/** Whether the program claims to relay a person's word. */
function isPersons({ channel }: Caller): boolean {
  return channel === "terminal" || channel === "board" || channel === "elicitation";
}

/** Nothing was committed, and that must not look like an answer. */
function unaskedError(question: string): PawlError {
  return new PawlError(
    "caller-not-allowed",
    `A person must decide this, and a call from a program cannot ask one. Nothing was changed. The question: ${question}`,
    'Ask the person, and pass on their word with `{ channel: "terminal", who: "…" }` as the caller; or let them decide with `pawl approve`.',
  );
}

function commandsIn(definition: Definition): readonly string[] {
  return startsIn(definition).commands.map(({ command }) => command);
}

/** The folder of Pawl's own files: around this code, or where Pawl is installed, if a bundler took this code along. */
function homeOf(folder: string): string {
  const own = ["library", "app"].includes(basename(folder)) ? dirname(folder) : folder;
  if (existsSync(join(own, "workflows"))) return own;
  try {
    return join(dirname(createRequire(import.meta.url).resolve("pawl/package.json")), "dist");
  } catch {
    return own;
  }
}

/** What agents call as `bloom` and `pawl`. */
function programIn(home: string): string {
  const main = join(home, "main.js");
  return existsSync(main) ? main : join(home, "main.ts");
}
