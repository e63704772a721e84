/** The rows of `pawl watch`: first what waits for a person, then active runs, then the rest. */
import { cleanLine } from "../../../core/text/clean.ts";
import { isUnbegun, type WorkflowOverview } from "../../../runtime/reports/overview.ts";
import type { Waiting } from "../../../runtime/review/load.ts";
import { costWords } from "../terminal/amounts.ts";

export interface Row {
  /** Stable across refreshes, so that the cursor stays on its row. */
  readonly key: string;
  readonly section: "waits" | "works" | "rests";
  readonly run: string;
  readonly title: string;
  readonly kind: Waiting["kind"] | null;
  readonly state: string;
  readonly next: string;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  /** The expected time of a person in minutes; null: not known. */
  readonly minutes: number | null;
  /** The command that a person could type; null: none. */
  readonly command: string | null;
  /** The costs of its agents so far, in words; empty: not known. */
  readonly cost: string;
}

export function rowsOf(
  waiting: readonly Waiting[],
  workflows: readonly Pick<WorkflowOverview, "runs">[],
): readonly Row[] {
  const all = workflows.flatMap(({ runs }) => runs);
  const costs = new Map(all.map(({ cost, run }) => [run, cost ? costWords(cost) : ""]));
  const mine = waiting.map((each, at): Row => {
    const key = `waits ${each.run} ${waiting.slice(0, at).filter(({ run }) => run === each.run).length}`;
    return {
      ...cleaned(each),
      key,
      section: "waits",
      kind: each.kind,
      command: each.command,
      minutes: each.minutes,
      cost: costs.get(each.run) ?? "",
    };
  });
  const listed = new Set(waiting.map(({ run }) => run));
  const others = all
    .filter((run) => !isUnbegun(run) && !listed.has(run.run))
    .map((run): Row => {
      const section = run.awaits === "agent" || run.awaits === "assistant" ? "works" : "rests";
      return {
        ...cleaned(run),
        key: run.run,
        section,
        kind: null,
        command: run.command ?? null,
        minutes: null,
        cost: costs.get(run.run) ?? "",
      };
    });
  const works = others.filter(({ section }) => section === "works");
  return [...mine, ...works, ...others.filter(({ section }) => section === "rests")];
}

type RowTexts = Pick<Row, "run" | "title" | "state" | "next" | "since">;

/** Cleans the texts, because agents write some of them. */
function cleaned({ next, run, since, state, title }: RowTexts): RowTexts {
  return {
    run: cleanLine(run),
    title: cleanLine(title),
    state: cleanLine(state),
    next: cleanLine(next),
    since,
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

export type Act = "review" | "approve" | "reject" | "answer" | "interject" | "log";

/** What the keys do for a row; any other key does nothing. */
export function actsOf({ kind, run, section }: Row): readonly Act[] {
  const isTask = run.startsWith("bloom:");
  const verdict: readonly Act[] = kind === "gate" ? ["review", "approve", "reject"] : ["review"];
  return [
    ...(kind === "question" ? (["answer"] as const) : verdict),
    ...(isTask && section === "works" ? (["interject"] as const) : []),
    "log",
  ];
}

/** The words of the command for an action. `said`: what the person typed for it; empty: nothing. */
export function wordsOf(act: Act, { command, kind, run }: Row, said: string): readonly string[] {
  const id = run.slice(run.indexOf(":") + 1);
  switch (act) {
    case "review":
      return kind === "gate" ? ["review", run, "--diff"] : ["show", run];
    case "approve":
      return ["approve", run];
    case "reject":
      return ["reject", run, ...(said === "" ? [] : ["--notes", said])];
    case "answer":
      return ["answer", questionIn(command ?? ""), said];
    case "interject":
      return ["interject", id, said];
    case "log":
      return ["log", run];
  }
}

/** The question's id in `bloom answer ID "…"`. */
function questionIn(command: string): string {
  return /\banswer (\S+)/.exec(command)?.[1] ?? "";
}

/** The question to ask the person first; null: none. */
export const ASKED: Readonly<Record<Act, string | null>> = {
  review: null,
  approve: null,
  reject: "Why? (Enter alone: without a reason) ",
  answer: "Your answer: ",
  interject: "What should the agent know? ",
  log: null,
};
