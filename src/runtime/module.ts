/**
 * What a workflow's folder declares, as data; the runtime runs it and the surfaces render it. A new workflow
 * is one folder with a `module.ts` that default-exports one of these, and its line in `workflows/index.ts`.
 * Everything but the names is loaded on first use, so a cold start pays only for what it uses.
 */
import type { ZodObject } from "zod";
import type { PawlError } from "../core/error.ts";
import type { GateRecord } from "../core/gate-record.ts";
import type { Policy } from "../core/policy.ts";
import type { PolicySources } from "../core/policy-places.ts";
import type { FindLife } from "../core/ports/loop.ts";
import type { Change, View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import type { Violation } from "../engine/violation.ts";
import type { Configuration, Workflow } from "../engine/workflow.ts";
import type { TaskBoard } from "./board.ts";
import type { OverviewContext } from "./reports/overview-context.ts";
import type { ReviewFacts } from "./review/model.ts";
import type { AdoptInput } from "./run-log/adopt-run.ts";
import type { Runs } from "./run-log/kind.ts";
import type { Scope } from "./scope.ts";
import type { Owners } from "./transaction/check-event.ts";
import type { Context, Reply, RunOverview, StoryInput, Transaction } from "./transaction/transaction.ts";

export type { OverviewContext } from "./reports/overview-context.ts";
export type { AdoptInput } from "./run-log/adopt-run.ts";
export type {
  AfterCommit,
  CacheEntry,
  Context,
  GateVerdict,
  HumanQuestion,
  LogLine,
  Nearing,
  OpenQuestion,
  Proposal,
  Reply,
  RunOverview,
  SignedRecord,
  StoryInput,
  Transaction,
  Verdict,
} from "./transaction/transaction.ts";

export interface WorkflowModule {
  readonly name: string;
  readonly title: string;
  /** Its purpose, in one sentence. */
  readonly summary: string;
  /** How a person begins with it: a few words or a command, for `pawl status`. */
  readonly begin?: string;
  /** Why it cannot be used, if its definition has a fault; the rest of the project keeps working. */
  readonly fault?: PawlError;
  /** The keys of its own part of `pawl.yaml`, which has its name; omitted keys keep their defaults. */
  readonly settings?: () => Promise<ZodObject>;
  /** Its tables, for `pawl check` and `pawl workflow diagram`. */
  tables(): Promise<readonly Table[]>;
  /**
   * Every run in the project, and what it could begin with, for `pawl status`. Reads only state: cheap, no
   * schema library.
   */
  overview(view: View, context: OverviewContext): Promise<readonly RunOverview[]>;
  /**
   * The scopes of its runs; absent: these limit no paths, since their work is not done in the project's own
   * checkout. Cheap, like `overview`: a client's hook waits for it.
   */
  readonly scopes?: {
    /** The ids of the runs that may be open, by the names of their files alone. */
    runIds(view: View): Promise<readonly string[]>;
    /** Null: there is no such run, or it has not begun, or it is over. */
    scopeOf(view: View, id: string): Promise<Scope | null>;
    /** The id of the run that a call of one of its tools is about; null: of none, or it has no such tool. */
    runOfCall(tool: string, input: Readonly<Record<string, unknown>>): string | null;
  };
  /** A board for its runs, which are tasks of agents. */
  readonly board?: () => Promise<TaskBoard>;
  /** What the MCP server offers for it; absent: nothing. */
  readonly mcp?: {
    /** How a model begins with it: a sentence or two in the server's instructions. */
    readonly guidance?: string;
    tools(): Promise<readonly Tool[]>;
    prompts?(): Promise<readonly UserPrompt[]>;
    resources?(): Promise<readonly Resource[]>;
  };
  /** CLI verbs of its own. */
  readonly verbs: readonly Verb[];
  /** Absent: it has no gates. */
  readonly gate?: {
    /** A person's verdict on what the run has under review (`pawl approve`, `pawl reject`). */
    verdict(): Promise<Transaction<GateInput, unknown, unknown, Reply>>;
    /** What a person needs to decide at the run's present gate; null: it waits for no person's verdict. */
    review?(): Promise<Transaction<StoryInput, unknown, unknown, ReviewFacts | null>>;
  };
  /** Lets a person continue an agent's order in the run, with a message; absent: the run has no orders. */
  readonly again?: () => Promise<Transaction<AgainInput, unknown, unknown, Reply>>;
  /** Every prompt or reply of its states, rendered with sample data, for `pawl workflow prompts`. */
  readonly samples?: (view: View) => Promise<readonly PromptSample[]>;
  /** What governs its runs; absent: they have no pinned policy, and no signed gate. */
  readonly policy?: {
    /** The policy in the project's files for the run; null: it is over, or has not begun. */
    present(view: View, settings: Settings, id: string): Promise<PresentPolicy | null>;
    /** The data that `pawl verify` checks against. */
    proof(base: ProofBase): Promise<GateProof>;
  };
  /**
   * A run's whole history (`pawl show`): who decided what, when, on which evidence; as markdown and as data.
   */
  readonly story?: () => Promise<Transaction<StoryInput, unknown, unknown, Reply>>;
  /** Its runs' logs; absent: they have none. */
  readonly log?: {
    kind(): Promise<Runs>;
    /** A person accepts an edited or unreadable state (`pawl repair`); absent: an edited one, as in every log. */
    acceptEdit?(): Promise<Transaction<StoryInput, unknown, unknown, Reply>>;
  };
  /** What others get of its runs by git; absent: nothing. */
  readonly records?: () => Promise<RunRecords>;
  /** Pawl's files in the project; absent: none. */
  readonly files?: () => Promise<ProjectFiles>;
}

export interface RunRecords {
  /** Those that the run lacks now (`pawl task share`). Throws `run-elsewhere` if others moved it last. */
  missing(view: View, id: string, context: Context): Promise<readonly Change[]>;
  /** A person adopts a run that others advanced, or chooses one of its branches (`pawl adopt`). */
  adopt(lives?: FindLife): Transaction<AdoptInput, unknown, unknown, Reply>;
}

/** For `pawl uninstall`. Paths are relative to the project's root. */
export interface ProjectFiles {
  /** What `pawl init` creates; existing files stay unchanged. */
  readonly init?: Transaction<Record<string, never>, unknown, unknown, Reply>;
  /** Whether a file still has the text that Pawl wrote. */
  readonly written: Readonly<Record<string, (text: string) => boolean>>;
  /** Files of this checkout alone: git ignores them. */
  readonly state: readonly string[];
  /** Files that git shares: they stay unless everything is removed. */
  readonly work: readonly string[];
}

/** The commit that says which tables and which policy count. */
export interface ProofBase {
  readonly view: View;
  readonly lives?: FindLife;
  readonly settings: Settings;
}

/** Checks that gate records follow from the workflow's tables and from the files. */
export interface GateProof {
  /** The sha-256 of its tables, or of each table that its runs may have. */
  readonly tables: readonly string[];
  /** The sha-256 of the policy of its runs, according to the files. */
  policy(settings: Settings): string;
  /** `records`: of one life of the run, from its beginning. */
  replay(records: readonly GateRecord[], settings: Settings): Promise<Replayed>;
  /** The artifacts in git that were handed in at its gates. */
  artifacts(view: View, id: string): Promise<readonly { readonly gate: string; readonly sha256: string }[]>;
}

export interface Replayed {
  /** Why the records do not follow, each in words for a person. */
  readonly faults: readonly string[];
  /** For each record: whether a goal can be reached after its verdict without another signed gate. */
  readonly isFinal: readonly boolean[];
}

export interface PresentPolicy {
  readonly policy: Policy;
  /** Where the policy's values are defined. */
  readonly sourcesOf: PolicySources;
  /** The sha-256 of the policy in the run's state, as of its last move. */
  readonly named?: string | undefined;
  /** Loosened, it holds the run; absent: the loosening is ignored, and the run continues. */
  readonly holdsLoosened?: true;
}

export interface Table {
  readonly workflow: Workflow;
  /** The names of the existing replies, to be matched with the rules'. */
  readonly replies: readonly string[];
  /**
   * The place of a violation in a file: `release.yaml:12:3`. Absent: the table is in no file of the project.
   */
  readonly placeOf?: (violation: Violation) => string;
  /** Who sends which event. Absent: the one for whom the state waits. */
  readonly owners?: Owners;
  /** What its agents may cost at most, or the loop that has no bound. Absent: it starts none. */
  readonly bound?: AgentsBound;
  /** What it breaks of the promises of the table that it extends. */
  readonly broken?: readonly Violation[];
}

/**
 * Between two decisions of a person. `usd`: null, an agent has no budget in dollars. `tasks`: of Bloom, which it begins, and whose
 * cost is their own; absent: none.
 */
export type AgentsBound =
  | { readonly orders: number; readonly usd: number | null; readonly tasks?: number }
  | { readonly loop: Violation };

export interface PromptSample {
  /**
   * The table, the state and the special case: `plan_task: design, DesignArtifact, rejected in the human
   * review`.
   */
  readonly name: string;
  /** The name of its table. */
  readonly machine: string;
  /** The run's configuration in it; null if the run is over, or the text belongs to no configuration. */
  readonly configuration: Configuration | null;
  readonly text: string;
}

export interface AgainInput {
  readonly id: string;
  readonly words: string;
  /** It answers what the agent asks, and does nothing else. */
  readonly isAnswer: boolean;
}

export interface GateInput {
  readonly id: string;
  readonly approve: boolean;
  readonly notes?: string;
  /** A rejected task stays blocked, instead of going back to its agent. */
  readonly block?: boolean;
  /** Of the review that the person read. If the judged version is another by now, the verdict is refused. */
  readonly version?: string;
}

// ── Surfaces, as data ────────────────────────────────────────────────────────────────────────────────────────────

export interface Tool {
  /** Literal: the specs' names are contracts. */
  readonly name: string;
  readonly title: string;
  /** When a model should use it; short. */
  readonly description: string;
  /** Unknown arguments are always refused, whatever the schema allows; every argument has a description. */
  readonly input: ZodObject;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  /**
   * It queries services for texts of others. A configured tracker and the project's own checks are a closed
   * world.
   */
  readonly openWorld?: true;
  /** It may destroy something: it runs commands that Pawl does not know. */
  readonly destructive?: true;
  /**
   * Under these settings, a call may relay a person's word: the client permits no call without the person.
   */
  readonly relaysVerdict?: (settings: Settings) => boolean;
  /** A call may leave its run at a person's gate: a client that shows apps shows the review there. */
  readonly waitsAtGate?: true;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has types of its own; the runtime passes them through unread
  readonly transaction: Transaction<any, any, any, Reply>;
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
  /**
   * With a variable, such as `pawl://alfred/tasks/{task_id}`: one resource for each of `ids`, which is the
   * input's.
   */
  readonly uri: string;
  readonly ids?: (view: View) => Promise<readonly string[]>;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  // biome-ignore lint/suspicious/noExplicitAny: as with tools
  readonly transaction: Transaction<any, any, any, Reply>;
}

export interface Verb {
  /** One or two words: `cast`, `plan export`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly VerbArgument[];
  readonly options: readonly VerbOption[];
  /** If there is no project, the repository or the working directory becomes one. */
  readonly create?: true;
  /**
   * An agent calls it about its own work: if it may not write to the project, the call goes to its outbox.
   */
  readonly deferrable?: true;
  /** A person who calls it lets the run continue under the project's present files. */
  readonly renewsPolicy?: true;
  /** Its replies are Markdown prose: a terminal breaks their long lines. */
  readonly prose?: true;
  /** If several workflows have a verb of this name: whether the words after it mean this one. */
  accepts?(words: readonly string[]): boolean;
  /** The input is an object of the arguments and options by name (camelCase). */
  // biome-ignore lint/suspicious/noExplicitAny: as with tools
  readonly transaction: () => Promise<Transaction<any, any, any, Reply>>;
}

export interface VerbArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
}

export interface VerbOption {
  /** In commander's form: `-n, --number <n>`. */
  readonly flags: string;
  readonly description: string;
}
