/**
 * The page is at `/`, with its own routes after the `#`; its files are in `/assets/`. The server serves
 * nothing else, and nothing without the session's cookie. Each POST is JSON (`content-type:
 * application/json`), at most 256 KB, with the header `x-pawl-csrf`. A refusal has status 401 (the session is
 * gone: the person opens the board's URL again), 403, 404, 409 (the state changed meanwhile: request it
 * again), 413, 429 or 5xx.
 *
 * The messages between the board's page and its server, as JSON. `P` in a path is a project's key.
 * Each answer to a GET is one of these types; a refusal is a `Refused` with its status. Texts of agents and
 * files are unchanged: the page shows them as text, never as markup.
 */
import type { AgentAccount } from "../../core/ports/agents.ts";
import type { Overlap, TaskCard } from "../../runtime/board.ts";
import type { CostRow } from "../../runtime/reports/costs.ts";
import type { Review } from "../../runtime/review/model.ts";
import type { Waiting } from "../../runtime/review/queue.ts";
import type { HeldOrder } from "../../runtime/transaction/transaction.ts";

/**
 * `GET /api/P/task/TASK` returns an `EditedTask` without a difference. `POST /api/P/edit/TASK` takes an `EditOrder`, and
 * returns `Done`, or a `VerdictQuestion` with the difference, which the same order with `asked` answers.
 */
export type { EditedTask, Overlap, TaskCard } from "../../runtime/board.ts";

export interface EditOrder {
  /** The keys to change; null takes one away. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Identifies the definition that the person saw. */
  readonly seen: string;
  readonly asked?: string;
}

/** `GET /api/session`: before anything else, and again after a restart of the server. */
export interface Session {
  /** The value of the header `x-pawl-csrf` in every POST. */
  readonly csrf: string;
  /** This board accepts no decisions. */
  readonly readOnly: boolean;
  readonly version: string;
  /** The device from which the page is used, and whether it has a passkey; absent: a browser at the machine. */
  readonly device?: { readonly name: string; readonly passkey: boolean };
  readonly projects: readonly ProjectEntry[];
}

export interface ProjectEntry {
  readonly key: string;
  /** The folder's name. */
  readonly name: string;
  readonly root: string;
  /** Why it is unreadable; null: it is readable. */
  readonly problem: Refused | null;
}

/** `GET /api/inbox`: of all projects, the oldest and quickest first. */
export interface Inbox {
  readonly items: readonly InboxItem[];
}

export interface InboxItem extends Waiting {
  /** The project's key. */
  readonly project: string;
  /** Of a gate's review, once it is known. */
  readonly review?: {
    readonly version: string;
    readonly lines: number;
    readonly minutes: number;
    /** The reasons to read it before an approval; empty: everything agrees. */
    readonly against: readonly string[];
  };
}

/**
 * `GET /api/P/review/RUN` returns a `ReviewPage`; `GET /api/P/diff/RUN?path=PATH&since=last` a `FileDiff`.
 *
 * `POST /api/P/verdict/RUN` takes a `VerdictOrder`, and returns `Done` or `VerdictQuestion`. 409
 * `review-changed`: the review is another one by now. Every other POST that changes a run returns `Done`.
 */
export type { Done, VerdictOrder, VerdictQuestion } from "../../runtime/review/give-verdict.ts";
export type { Colours, FileDiff, ReviewPage } from "../../runtime/review/pages.ts";

/** `GET /api/P/runs`: the runs of all workflows. */
export interface Runs {
  readonly workflows: readonly {
    readonly name: string;
    readonly title: string;
    readonly problem: Refused | null;
    readonly runs: readonly RunEntry[];
  }[];
}

export interface RunEntry {
  readonly run: string;
  readonly title: string;
  /** False: it is known, but nothing has happened to it yet. */
  readonly isBegun: boolean;
  readonly state: string;
  readonly awaits: "nobody" | "assistant" | "human" | "agent";
  /** It waits for a verdict. */
  readonly isGate: boolean;
  readonly next: string;
  readonly since: string | null;
  readonly problem: Refused | null;
  /** The agent's order that waits for a person; absent: there is none. Its acts are POSTs like a task's, with the run's name. */
  readonly order?: HeldOrder;
}

/** `GET /api/P/run/RUN` */
export interface RunPage {
  readonly entry: RunEntry;
  /** Its card, if it is a task of an agent. */
  readonly task: Tasks["tasks"][number] | null;
  /** The table that it is in now, with its state; null: it is over or has not begun. */
  readonly machine: Machine | null;
  /** The state of the run in that table. */
  readonly at: string | null;
  readonly moves: readonly Move[];
  /** The run's history as Markdown (`pawl show`). */
  readonly story: string;
  readonly timeline: readonly TimelineEntry[];
}

/** `GET /api/P/work/RUN`: the review's model in any state; null: nothing is known of the work. */
export interface WorkPage {
  readonly review: Review | null;
}

/** A table as a graph. */
export interface Machine {
  readonly name: string;
  readonly title: string;
  readonly states: readonly {
    readonly name: string;
    readonly description: string;
    readonly isFinal: boolean;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly labels: readonly string[];
  }[];
}

/** An event that may happen next, and who may send it, or why it may not happen. */
export interface Move {
  readonly event: string;
  readonly description: string;
  /** `a person`, `the assistant`, `an agent`, `Pawl` */
  readonly by: string;
  /** The resulting states: `to done, if tests = passed`. */
  readonly leads: readonly string[];
  /** Null: it may happen. */
  readonly refused: string | null;
}

export interface TimelineEntry {
  /** ISO 8601 */
  readonly time: string;
  readonly words: string;
  /** `terminal`, `mcp`; null: no particular caller. */
  readonly by: string | null;
  readonly usd: number | null;
  readonly duration_ms: number | null;
}

/** `GET /api/P/tasks`; empty if no workflow's runs are tasks. */
export interface Tasks {
  readonly tasks: readonly (TaskCard & {
    /** `workflow:id` */
    readonly run: string;
    /** The latest output of its agent. */
    readonly tail: readonly string[];
  })[];
  readonly overlaps: readonly Overlap[];
  /** The accounts with which agents have worked. */
  readonly accounts: readonly AgentAccount[];
  /** Why the tasks are unreadable; null: they are readable. */
  readonly problem: Refused | null;
}

/**
 * `GET /api/events?since=ID` is the live stream, as server-sent events: `hello` once, right after the server
 * has begun to listen (data requested after it misses nothing); `logged` with a `ShownEvent` for each
 * event; `reset` with `{ "project": KEY }` if events were missed, so that the page must reload that project's
 * data. An id is opaque (the positions in all logs, `KEY:OFFSET:GENERATION` each): a browser sends the last one
 * back as `Last-Event-ID`; a new `EventSource` passes it as `since`. The first one is in the
 * page's own markup (`<meta name="pawl-since">`), from before the page's first request; if it is empty, the
 * page requests its data again after `hello`.
 */
export interface ShownEvent {
  readonly project: string;
  /** `workflow:id`; null: it concerns no run. */
  readonly run: string | null;
}

/** `GET /api/P/workflows` */
export interface WorkflowsPage {
  readonly workflows: readonly {
    readonly name: string;
    readonly title: string;
    readonly summary: string;
    readonly problem: Refused | null;
    readonly tables: readonly {
      readonly machine: Machine;
      /** What was proved of it, in words, or the faults. */
      readonly proof: { readonly holds: boolean; readonly words: readonly string[] };
      readonly events: readonly string[];
      /** The possible values of each fact. */
      readonly facts: Readonly<Record<string, readonly string[]>>;
    }[];
  }[];
}

/** `POST /api/P/try`: a dry run of an event. Values as in `facts`; irrelevant facts may be omitted. */
export interface TryOrder {
  readonly machine: string;
  readonly state: string;
  readonly event: string;
  readonly facts: Readonly<Record<string, string>>;
}

export interface TryAnswer {
  readonly rule: string;
  readonly to: string;
  readonly outcome: string;
}

/** `GET /api/P/cost`: agent runs that differ only in their figures share a row. */
export interface CostPage {
  readonly rows: readonly CostRow[];
}

/**
 * `POST /api/P/answer/QUESTION`; `interject`, `stop`, `retry`, `hint`, `take`, `cancel` with a task. Returns
 * `Done`, or a `VerdictQuestion` that the same order with `asked` answers.
 */
export interface WordsOrder {
  /** What is said, or the reason; may be empty. */
  readonly words: string;
  readonly asked?: string;
}

/** An error: the same two lines as everywhere. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}
