/** The rows of `pawl watch`: first what waits for a person, then active runs, then the rest. */
import { cleanLine } from "../../../core/text/clean.ts";
import type { TaskCard, TaskDeed } from "../../../runtime/board.ts";
import { orderDeeds, taskDeeds } from "../../../runtime/board.ts";
import { isUnbegun, type WorkflowOverview } from "../../../runtime/reports/overview.ts";
import { AWAITS, KINDS, type Phase, phaseOf, stateWords } from "../../../runtime/reports/state-words.ts";
import type { Waiting } from "../../../runtime/review/load.ts";
import type { HeldOrder } from "../../../runtime/transaction/transaction.ts";
import { costWords } from "../terminal/amounts.ts";

export interface Row {
  /** Stable across refreshes, so that the cursor stays on its row. */
  readonly key: string;
  readonly section: Exclude<Phase, "open">;
  readonly run: string;
  readonly title: string;
  readonly kind: Waiting["kind"] | null;
  /** What it is, in a word or two. */
  readonly state: string;
  /** The next step or the question, unchanged. */
  readonly next: string;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  /** The expected time of a person in minutes; null: not known. */
  readonly minutes: number | null;
  /** The command that a person could type; null: none. */
  readonly command: string | null;
  /** The question's id; null: the row is no question. */
  readonly question: string | null;
  /** The costs of its agents so far, in words; empty: not known. */
  readonly cost: string;
  /** Null: it is no task for agents. */
  readonly task: TaskCard | null;
  /** The agent's order that waits for a person; null: there is none. */
  readonly order: HeldOrder | null;
}

/** `tasks`: by run. */
export function rowsOf(
  waiting: readonly Waiting[],
  workflows: readonly Pick<WorkflowOverview, "runs">[],
  tasks: ReadonlyMap<string, TaskCard> = new Map(),
): readonly Row[] {
  const all = workflows.flatMap(({ runs }) => runs);
  const costs = new Map(all.map(({ cost, run }) => [run, cost ? costWords(cost) : ""]));
  const orders = new Map(all.map(({ order, run }) => [run, order ?? null]));
  const shared = ({ next, run, since, title }: Pick<Row, "next" | "run" | "since" | "title">) => ({
    ...{ next, since, run: cleanLine(run), title: cleanLine(title) || cleanLine(run) },
    ...{ cost: costs.get(run) ?? "", task: tasks.get(run) ?? null, order: orders.get(run) ?? null },
  });
  const mine = waiting.map(
    (each, at): Row => ({
      ...shared(each),
      key: `waits ${each.run} ${each.question ?? countIn(waiting.slice(0, at), each)}`,
      section: "yours",
      kind: each.kind,
      state: KINDS[each.kind],
      command: each.command,
      minutes: each.minutes,
      question: each.question ?? null,
    }),
  );
  const listed = new Set(waiting.map(({ run }) => run));
  const others = all
    .filter((run) => !isUnbegun(run) && !listed.has(run.run))
    .map((run): Row => {
      const common = shared(run);
      const phase = phaseOf(run);
      // No loop runs.
      const isLeft = run.awaits === "agent" && common.task?.agentRun === null;
      return {
        ...common,
        key: run.run,
        section: phase === "open" || isLeft ? "waiting" : phase,
        kind: null,
        state: isLeft ? AWAITS.agent : cleanLine(stateWords(run.state)),
        command: run.command ?? null,
        minutes: null,
        question: null,
      };
    });
  const asks = ({ kind }: Row) => kind === "gate" || kind === "question" || kind === "other";
  return [
    ...mine.filter(asks),
    ...mine.filter((row) => !asks(row)),
    ...SECTIONS.flatMap((section) => others.filter((row) => row.section === section)),
  ];
}

function countIn(before: readonly Waiting[], { kind, run }: Waiting): string {
  return `${kind} ${before.filter((each) => each.run === run && each.kind === kind).length}`;
}

export const SECTIONS: readonly Row["section"][] = ["yours", "working", "waiting", "done"];

/** Whether the row has these words, as the board's filter finds them. */
export function matchesSearch({ next, run, state, title }: Row, search: string): boolean {
  return `${state} ${run} ${title} ${next}`.toLowerCase().includes(search.trim().toLowerCase());
}

/** Keeps the order that the person sees: rows that began to wait meanwhile stay out until asked for. */
export function settled(
  rows: readonly Row[],
  order: readonly string[] | null,
): { readonly rows: readonly Row[]; readonly fresh: number } {
  const places = new Map((order ?? []).map((key, at) => [key, at]));
  const mine = rows.filter(({ section }) => section === "yours");
  const ranked = mine.filter(({ key }) => places.has(key));
  if (order === null || ranked.length === 0) return { rows, fresh: 0 };
  ranked.sort((one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0));
  return {
    rows: [...ranked, ...rows.filter(({ section }) => section !== "yours")],
    fresh: mine.length - ranked.length,
  };
}

/** The part of the list that fits, with the cursor in it. */
export function windowOf(
  count: number,
  cursor: number,
  room: number,
): { readonly from: number; readonly to: number } {
  if (count <= room) return { from: 0, to: count };
  const from = Math.min(Math.max(0, cursor - Math.floor(room / 2)), count - room);
  return { from, to: from + room };
}

/** `40 s`, `12 min`, `3 h`, `2 d`; empty if not known. */
export function ageOf(since: string | null, now: number): string {
  const milliseconds = since === null ? Number.NaN : now - Date.parse(since);
  if (Number.isNaN(milliseconds)) return "";
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** What a key does for a row. */
export interface Deed {
  readonly act: TaskDeed["act"] | "approve" | "log" | "look" | "reject";
  readonly key: string;
  readonly label: string;
  /** What to ask in the screen's last line first; absent: nothing. */
  readonly asks?: string;
  /** It may be done without words. */
  readonly isOptional?: true;
  /** Asks yes or no first. */
  readonly isSure?: true;
}

const KEYS: Readonly<Record<TaskDeed["act"], string>> = {
  answer: "w",
  interject: "i",
  stop: "s",
  retry: "t",
  hint: "h",
  take: "o",
  cancel: "c",
};

const ANSWER: Deed = { act: "answer", key: "w", label: "answer", asks: "Your answer" };
const VERDICT: readonly Deed[] = [
  { act: "approve", key: "a", label: "approve" },
  {
    ...{ act: "reject", key: "r", label: "reject" },
    ...{ asks: "Why? (Enter alone: without a reason)", isOptional: true },
  },
];

/** In the order in which they are shown; any other key does nothing. */
export function deedsOf({ kind, order, task }: Row): readonly Deed[] {
  const own = order ? orderDeeds(order) : task ? taskDeeds(task) : [];
  const deeds = kind === "question" ? [] : own;
  return [
    ...(kind === "question" ? [ANSWER] : []),
    ...(kind === "gate" ? VERDICT : []),
    ...deeds.map(
      ({ act, isSure, label, words }): Deed => ({
        ...{ act, key: KEYS[act], label: label.toLowerCase() },
        ...(words !== undefined && { asks: words }),
        ...(isSure && { isSure }),
      }),
    ),
    { act: "look", key: "v", label: kind === "gate" ? "view it with its changes" : "view its history" },
    { act: "log", key: "l", label: "log" },
  ];
}

/** The words of the command for what is shown outside of the screen. */
export function wordsOf(act: Deed["act"], { kind, run }: Row, said: string): readonly string[] {
  if (act === "look") return kind === "gate" ? ["review", run, "--diff"] : ["show", run];
  if (act === "reject") return ["reject", run, ...(said === "" ? [] : ["--notes", said])];
  return [act, run];
}
