/**
 * What a workflow's folder declares, as data; the runtime advances it and the surfaces render it. A new workflow is
 * one folder with a `module.ts` that default-exports one of these, and its line in `workflows/index.ts`.
 * Everything but the names is loaded when it is first used, so that a cold start pays only for what it uses.
 */
import type { ZodObject } from "zod";
import type { Caller, PawlEvent } from "../base/event.ts";
import type { ProjectPath } from "../base/path.ts";
import type { Cache, Change, Outside, View } from "../base/ports.ts";
import type { Settings } from "../base/settings.ts";
import type { Workflow } from "../engine/workflow.ts";

export interface WorkflowModule {
  readonly name: string;
  readonly title: string;
  /** One sentence: what it is for. */
  readonly summary: string;
  /** How a model begins with it: a sentence or two in the MCP server's instructions. */
  readonly guidance?: string;
  /** Its tables, for `pawl check` and `pawl diagram`. */
  tables(): Promise<readonly Table[]>;
  /** Every run of it that the project holds, for `pawl status`. Reads only state: cheap, no schema library. */
  overview(view: View): Promise<readonly RunOverview[]>;
  tools(): Promise<readonly Tool[]>;
  prompts(): Promise<readonly UserPrompt[]>;
  resources(): Promise<readonly Resource[]>;
  /** CLI verbs of its own. */
  readonly verbs: readonly Verb[];
  /** A human's verdict on what the run has under review (`pawl approve`, `pawl reject`); absent: it has no gates. */
  readonly gate?: () => Promise<Advance<GateInput, unknown, unknown, Reply>>;
  /** A run's whole story (`pawl show`): who decided what, when, on which evidence; as markdown and as data. */
  readonly story?: () => Promise<Advance<StoryInput, unknown, unknown, Reply>>;
  /** What `pawl init` creates for it; nothing that exists is touched. */
  readonly init?: () => Promise<Advance<Record<string, never>, unknown, unknown, Reply>>;
}

export interface Table {
  readonly workflow: Workflow;
  /** The names of the replies that exist, to be matched with the rows'. */
  readonly replies: readonly string[];
}

export interface RunOverview {
  /** `workflow:id` */
  readonly run: string;
  readonly title: string;
  readonly state: string;
  /** Who must act next. */
  readonly awaits: "nobody" | "assistant" | "human" | "agent";
  /** What is awaited, in a few words: "approve or reject the git status". */
  readonly next: string;
  /** What a person types to go on; default, where a human is awaited: `pawl approve` with the run. */
  readonly command?: string;
  /** ISO 8601, or null where the run has not begun. */
  readonly since: string | null;
  /** Set where the run cannot be read: the two lines of the error. */
  readonly problem?: { readonly message: string; readonly fix: string };
}

export interface StoryInput {
  readonly id: string;
}

export interface GateInput {
  readonly id: string;
  readonly approve: boolean;
  readonly notes?: string;
}

// ── One advance ──────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * One advance, run by `runtime/advance.ts`: read → gather → prepare (all may fail, nothing has changed) → commit.
 *
 * A1  `read` reads through the view only, and may be run again.
 * A2  `gather` looks outside (git, network, checks) and never runs under a lock. Where it exists and what was read has
 *     changed meanwhile, everything is done again.
 * A3  `prepare` is pure: it decides, renders the reply, and says what to commit. The moment is an argument.
 */
export interface Advance<Input, Seen, Gathered, R> {
  /** The run whose lock is held, `workflow:id`; null: it only reads. Throws on a bad id. */
  run(input: Input): string | null;
  read(view: View, input: Input, context: Context): Promise<Seen>;
  gather?(seen: Seen, input: Input, outside: Outside, context: Context): Promise<Gathered>;
  prepare(seen: Seen, gathered: Gathered, input: Input, context: Context): Prepared<R>;
}

export interface Context {
  readonly settings: Settings;
  readonly caller: Caller;
  readonly moment: Moment;
  /** What was worked out of texts before; absent: nothing is kept. */
  readonly cache?: Pick<Cache, "get">;
}

export interface Moment {
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string;
  /** A fresh unique id (UUID), for the event and the appends of this advance. */
  readonly id: string;
}

export interface Prepared<R> {
  readonly reply: R;
  /** Empty or absent: nothing is committed. */
  readonly changes?: readonly Change[];
  /** Appended to `.pawl/events.jsonl` in the same commit. Only together with changes. */
  readonly events?: readonly PawlEvent[];
  /** Written after the commit (or without one), best effort. */
  readonly logs?: readonly LogLine[];
  /** Worked out of a text, for the cache; put there after the commit (or without one), best effort. */
  readonly worked?: readonly Worked[];
  /** Run after the commit, each time; what comes of it never undoes or fails this advance. */
  readonly followUp?: FollowUp<R>;
  /** Instead of a commit: a human must be asked first; the surface asks and calls again. */
  readonly ask?: HumanQuestion;
}

/** An advance that follows another: looks at what the commit left to be told outside, and tells it. */
export interface FollowUp<R> {
  // biome-ignore lint/suspicious/noExplicitAny: it has types of its own; the runtime passes them through unread
  readonly plan: Advance<any, any, any, R>;
  readonly input: unknown;
  /** The reply, with what came of the follow-up. */
  merge(reply: R, followed: R): R;
}

export interface LogLine {
  readonly path: ProjectPath;
  readonly line: string;
}

export interface Worked {
  readonly kind: string;
  readonly source: string;
  readonly worked: string;
}

/**
 * What a surface must ask of a human. It then tries the advance again with the human's verdict in the input's place
 * (`is_approved`, `feedback_notes`) and the channel `elicitation`.
 */
export interface HumanQuestion {
  readonly message: string;
}

// ── Surfaces, as data ────────────────────────────────────────────────────────────────────────────────────────────

/** What every surface can show: the same text in CLI and MCP, the same data under `--json` and as structured content. */
export interface Reply {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The action was refused; nothing changed. */
  readonly refused?: true;
  /** What comes next is a person's; the CLI exits with 3. */
  readonly waits?: true;
}

export interface Tool {
  /** Literal: the specs' names are contracts. */
  readonly name: string;
  readonly title: string;
  /** When a model should use it; short. */
  readonly description: string;
  readonly input: ZodObject;
  readonly output: ZodObject;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has types of its own; the runtime passes them through unread
  readonly advance: Advance<any, any, any, Reply>;
}

/** A user's entry point in an MCP client. */
export interface UserPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  render(values: Readonly<Record<string, string>>): string;
}

export interface Resource {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly advance: Advance<Record<string, never>, unknown, unknown, Reply>;
}

export interface Verb {
  /** One or two words: `cast`, `plan export`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly VerbArgument[];
  readonly options: readonly VerbOption[];
  /** Where no project is found, the repository or the working directory is taken to become one. */
  readonly create?: true;
  /** The input is an object of the arguments and options by name (camelCase). */
  // biome-ignore lint/suspicious/noExplicitAny: as with tools
  readonly advance: () => Promise<Advance<any, any, any, Reply>>;
}

export interface VerbArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
}

export interface VerbOption {
  /** As commander takes it: `-n, --number <n>`. */
  readonly flags: string;
  readonly description: string;
}
