/**
 * A project for a program that uses the library: it moves runs of the workflows, reads them and listens to
 * events.
 */
import { basename, dirname } from "node:path";
import { keepProgramsFrom } from "../adapters/process/programs.ts";
import { PawlError } from "../core/error.ts";
import type { Caller, PawlEvent } from "../core/event.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { Store } from "../core/ports/store.ts";
import type { Facts, FactValue } from "../engine/workflow.ts";
import {
  type Reply,
  type RunOverview,
  shownIn,
  type Transaction,
} from "../runtime/transaction/transaction.ts";
import type { WorkflowDraft } from "../workflows/custom/define.ts";
import type { Definition } from "../workflows/custom/definition.ts";
import { startsIn } from "../workflows/custom/starts.ts";

export interface OpenOptions {
  /** The project's folder, absolute. It need not be a project yet: the first commit makes `.pawl/`. */
  readonly root: string;
  /** The program's own workflows, in addition to those that the project's pawl.yaml names. */
  readonly workflows?: readonly WorkflowDraft[];
  /** Replaces Pawl's own adapters: another git, another runner of commands, a tracker. */
  readonly outside?: Partial<Outside>;
  /**
   * The program vouches for the project's files: Pawl starts the programs that they name without a person's
   * `pawl trust`. Commands of the program's own workflows never need trust. Default: false.
   */
  readonly trusted?: boolean;
  /** The environment of commands that Pawl runs; default: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface SendOptions {
  /**
   * The facts whose source is `given`. With a run's first event, also the variables of one of the table's
   * starts.
   */
  readonly given?: Readonly<Record<string, FactValue>>;
  /** Stored with the event. */
  readonly notes?: string;
  /**
   * The caller; default: `{ channel: "library" }`, which a person's gate refuses. A program that relays a
   * person's word uses the channel `terminal`. Pawl records it as that program's word, with the strength
   * `program`.
   */
  readonly caller?: Caller;
}

export interface RunReply extends Reply {
  readonly data: Reply["data"] & {
    readonly status: string;
    readonly message: string;
    readonly run: string;
    readonly state: string;
    readonly variables: Facts;
  };
}

export interface OpenProject {
  readonly root: string;
  readonly store: Store;
  /**
   * Sends an event to a run (`release:1.2.0`); its first event begins the run. The result is durable when it
   * resolves. By then a rule's command has ended, or the reply says that it still runs. Without an event, it
   * finishes unfinished commands.
   */
  send(run: string, event?: string, options?: SendOptions): Promise<RunReply>;
  /** A run's state, its history, and the events that it accepts. Moves nothing. */
  look(run: string): Promise<RunReply>;
  /** Every run of these workflows. */
  runs(): Promise<readonly RunOverview[]>;
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
export async function openProject(options: OpenOptions): Promise<OpenProject> {
  const { root, workflows = [], outside = {} } = options;
  keepProgramsFrom(root);
  const [app, own, send, look, define, config, { overview }, { runTransaction }] = await Promise.all([
    import("./open-project.ts"),
    import("./own-workflows.ts"),
    import("../workflows/custom/send.ts"),
    import("../workflows/custom/look.ts"),
    import("../workflows/custom/define.ts"),
    import("../config/config.ts"),
    import("../workflows/custom/overview.ts"),
    import("../runtime/transaction/run-transaction.ts"),
  ]);
  const environment = options.environment ?? config.readEnvironment();
  const definitions = workflows.map((definition) => define.defineWorkflow(definition));
  const project = await app.openProject({
    root,
    home: homeOf(import.meta.dirname),
    environment,
    workflows: {},
    trust: { own: definitions.flatMap(commandsIn), vouched: options.trusted ?? false },
  });
  const runtime = { ...project.runtime, outside: { ...project.runtime.outside, ...outside } };
  const { store } = runtime;
  const settings = await runtime.settings(store.view());
  const sources = [
    ...definitions.map((definition) => define.programSource(definition)),
    ...(await own.ownSources(settings)),
  ];
  const sending = send.sendTo(sources);
  const looking = look.lookAt(sources);
  const asLibrary: Caller = { channel: "library" };
  return {
    root,
    store,
    async send(run, event, { given, notes, caller = asLibrary } = {}) {
      const answered = isPersons(caller) ? "vouched" : undefined;
      const { reply } = await runTransaction(
        runtime,
        sending,
        { run, event, given, notes },
        caller,
        answered,
      );
      return reply as RunReply;
    },
    async look(run) {
      const { reply } = await runTransaction(runtime, looking, { run }, asLibrary);
      return reply as RunReply;
    },
    async runs() {
      const view = store.view();
      return (await Promise.all(sources.map((source) => overview(source, view)))).flat();
    },
    async runTransaction(plan, input, caller = asLibrary) {
      const answered = isPersons(caller) ? "vouched" : undefined;
      const { ask, reply } = await runTransaction(runtime, plan, input, caller, answered);
      if (ask) throw unasked(shownIn(ask));
      return reply;
    },
    events: (wanted) => project.events(wanted),
    close: () => project.close(),
  };
}

/** Whether the program claims to relay a person's word. */
function isPersons({ channel }: Caller): boolean {
  return channel === "terminal" || channel === "board" || channel === "elicitation";
}

/** Nothing was committed, and that must not look like an answer. */
function unasked(question: string): PawlError {
  return new PawlError(
    "caller-not-allowed",
    `A person must decide this, and a call from a program cannot ask one. Nothing was changed. The question: ${question}`,
    'Ask the person, and pass on their word with `{ channel: "terminal", who: "…" }` as the caller; or let them decide with `pawl approve`.',
  );
}

function commandsIn(definition: Definition): readonly string[] {
  return startsIn(definition).commands.map(({ command }) => command);
}

/** The folder of the program's own files, wherever the bundler put this code. */
function homeOf(folder: string): string {
  return ["chunks", "app"].includes(basename(folder)) ? dirname(folder) : folder;
}
