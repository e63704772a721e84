/**
 * The page is at `/`, its own places behind the `#`; its files are in `/assets/`. Nothing else is served, and nothing without the
 * session's cookie. Each POST is JSON (`content-type: application/json`), at most 256 KB, with the header `x-pawl-csrf`. A
 * refusal has status 401 (the session is gone: the person opens the address anew), 403, 404, 409 (it has changed meanwhile:
 * ask anew), 413, 429 or 5xx.
 *
 * What the board's page and its server say to each other, as JSON. `P` in a path stands for a project's key. Each answer to a GET
 * is one of these types; a refusal is a `Refused` with its status. Texts of agents and files are as they were written: the page
 * shows them as text, never as markup.
 */
import type { Overlap, TaskCard } from "../../runtime/board.ts";
import type { CostRow } from "../../runtime/reports/costs.ts";
import type { Waiting } from "../../runtime/review/queue.ts";

export type { Overlap, TaskCard } from "../../runtime/board.ts";

/** `GET /api/session`: first of all, and again when the server has started anew. */
export interface Session {
  /** To be sent back as the header `x-pawl-csrf` with every POST. */
  readonly csrf: string;
  /** Nothing can be decided here. */
  readonly readOnly: boolean;
  readonly version: string;
  readonly projects: readonly ProjectEntry[];
}

export interface ProjectEntry {
  readonly key: string;
  /** The folder's name. */
  readonly name: string;
  readonly root: string;
  /** Set if it cannot be read. */
  readonly problem: Refused | null;
}

/** `GET /api/inbox`: of all projects, the oldest and cheapest first. */
export interface Inbox {
  readonly items: readonly InboxItem[];
}

export interface InboxItem extends Waiting {
  /** Its key. */
  readonly project: string;
}

/**
 * `GET /api/P/review/RUN` is a `ReviewPage`; `GET /api/P/diff/RUN?path=PATH&since=last` a `FileDiff`.
 *
 * `POST /api/P/verdict/RUN` takes a `VerdictOrder`, and is answered with `Done` or `VerdictQuestion`. 409 `review-changed`: it is another
 * review by now. Every other POST that does something to a run is answered with `Done`.
 */
export type { Done, VerdictOrder, VerdictQuestion } from "../../runtime/review/give-verdict.ts";
export type { Colours, FileDiff, ReviewPage } from "../../runtime/review/pages.ts";

/** `GET /api/P/runs`: of all workflows. */
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
  /** False: it is known, and nothing has happened to it yet. */
  readonly isBegun: boolean;
  readonly state: string;
  readonly awaits: "nobody" | "assistant" | "human" | "agent";
  readonly next: string;
  readonly since: string | null;
  readonly problem: Refused | null;
}

/** `GET /api/P/run/RUN` */
export interface RunPage {
  readonly entry: RunEntry;
  /** The table that it is in now, with its place; null: it is over or has not begun. */
  readonly machine: Machine | null;
  /** The state of the run in it. */
  readonly at: string | null;
  readonly moves: readonly Move[];
  /** The run's history as Markdown (`pawl show`). */
  readonly story: string;
  readonly timeline: readonly TimelineEntry[];
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

/** What may happen next, and who may do it; or why not. */
export interface Move {
  readonly event: string;
  readonly description: string;
  /** `a person`, `the assistant`, `an agent`, `Pawl` */
  readonly by: string;
  /** Where it leads: `to done, if tests = passed`. */
  readonly leads: readonly string[];
  /** Null: it may happen. */
  readonly refused: string | null;
}

export interface TimelineEntry {
  /** ISO 8601 */
  readonly time: string;
  readonly words: string;
  /** `terminal`, `mcp`; null: nobody in particular. */
  readonly by: string | null;
  readonly usd: number | null;
  readonly duration_ms: number | null;
}

/** `GET /api/P/tasks`; those without a workflow whose runs are tasks have none. */
export interface Tasks {
  readonly tasks: readonly (TaskCard & {
    /** `workflow:id` */
    readonly run: string;
    /** What its agent said and did last. */
    readonly tail: readonly string[];
  })[];
  readonly overlaps: readonly Overlap[];
  /** Why the tasks cannot be read; null: they can. */
  readonly problem: Refused | null;
}

/**
 * `GET /api/events?since=ID` is the live stream, as server-sent events: `hello` once, right after it has begun to listen (ask
 * for the page's data after it, and nothing is missed); `happened` with a `ShownEvent` for each event; `reset` with
 * `{ "project": KEY }` where events were missed, so that all of that project is to be asked for anew. An id is opaque (the
 * places in all logs, `KEY:OFFSET:GENERATION` each): a browser gives the last one back as `Last-Event-ID` by itself; a new
 * `EventSource` names it as `since`. The page's first one is in its own markup (`<meta name="pawl-since">`), as the logs were
 * before it asked for anything; where that is empty, the page asks for its data again after `hello`.
 */
export interface ShownEvent {
  readonly project: string;
  readonly offset: number;
  readonly time: string;
  readonly type: string;
  /** `workflow:id`; null: of no run. */
  readonly run: string | null;
  readonly words: string;
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
      /** What was proved of it, in words; the faults, if it was not. */
      readonly proof: { readonly holds: boolean; readonly words: readonly string[] };
      readonly events: readonly string[];
      /** Each fact with the values that it can have. */
      readonly facts: Readonly<Record<string, readonly string[]>>;
    }[];
  }[];
}

/** `POST /api/P/try`: an event in a dry run. Values as `facts` names them; facts that do not matter may be left out. */
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

/** `GET /api/P/cost`: runs of agents that differ in nothing but their figures share a row. */
export interface CostPage {
  readonly rows: readonly CostRow[];
}

/** `POST /api/P/answer/QUESTION`, `POST /api/P/interject/TASK`, `POST /api/P/stop/TASK` (the words are the reason; may be empty). */
export interface WordsOrder {
  readonly words: string;
}

/** What an error says: the same two lines as everywhere. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}
