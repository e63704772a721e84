/** Compares a run's state file with its log. */

import { NotText, PawlError } from "../../core/error.ts";
import type { Caller } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { openByText } from "../../core/text/by-text.ts";
import type { GateVerdict, RunOverview } from "../transaction/transaction.ts";
import { checkFaults, configurationWords, confirmed, differences, isSame } from "./history.ts";
import { decidedIn, loadState, type RunKind, type StateFile } from "./kind.ts";
import { documentsOf } from "./replay.ts";
import {
  DamagedLog,
  documentIn,
  type End,
  endOf,
  hashOfDocument,
  type Line,
  logPath,
  parseEnd,
  parseLine,
  type Step,
} from "./step.ts";

/** The last line of the run's log; null: it has none. */
export type Last = End | Broken | null;

export interface Broken {
  /** In words for a person. */
  readonly why: string;
}

export function isBroken(last: Last): last is Broken {
  return last !== null && "why" in last;
}

export async function lastOf(view: View, run: string): Promise<Last> {
  try {
    const line = await view.lastLine(logPath(run));
    return line === null ? null : parseEnd(run, line);
  } catch (thrown) {
    return brokenBy(thrown, "the last line: ");
  }
}

/** Why a log cannot be used, by the error of reading it. Throws any other error. */
export function brokenBy(thrown: unknown, which = ""): Broken {
  if (thrown instanceof DamagedLog) return { why: thrown.problem };
  if (thrown instanceof NotText) return { why: `${which}it is not text` };
  throw thrown;
}

/** As `lastOf`, but a log with any line that cannot be read is broken. */
export async function lastOfWhole(view: View, run: string): Promise<Last> {
  try {
    await loadLines(view, run);
  } catch (thrown) {
    return brokenBy(thrown);
  }
  return lastOf(view, run);
}

/** What the last line says of this machine's state; null: the run has no log, or an unusable one. */
export async function lastLocal(view: View, run: string): Promise<End["local"] | null> {
  const last = await lastOf(view, run);
  return last === null || isBroken(last) ? null : last.local;
}

/** All lines, the oldest first. Throws `state-tampered`. */
export async function loadLines(view: View, run: string): Promise<readonly Line[]> {
  const text = (await view.read(logPath(run))) ?? "";
  const parsers = text.length < SHORT ? parsedShort : parsed;
  return parsers(`${run}\n${text}`, () => {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines.map((line, index) => parseLine(run, line, index + 1));
  });
}

/** One call needs a run's lines for its history, and again to check them; a board asks for those of thousands, again and again. */
const parsed = openByText<readonly Line[]>(1);
const parsedShort = openByText<readonly Line[]>(4_000);
/** Characters. */
const SHORT = 4_000;

/** The run's steps since its present life began. Throws `state-tampered`. */
export async function loadSteps(view: View, run: string): Promise<readonly Step[]> {
  const lines = await loadLines(view, run);
  return lines.slice(lifeOf(lines)).flatMap(({ step }) => step ?? []);
}

/** The index of the line with which the present life began. */
export function lifeOf(lines: readonly Line[]): number {
  const begins = lines.findLastIndex(
    ({ step }, at) =>
      step?.kind === "begun" && (isOwn(step) || "all" in (lines[endOf(lines, at)]?.local?.patch ?? {})),
  );
  const step = lines[begins]?.step;
  if (step && isOwn(step)) return begins;
  const commitBefore = lines.slice(0, Math.max(0, begins)).findLastIndex(({ local }) => local !== undefined);
  return commitBefore + 1;
}

/** Of the run's own table, not of one of Alfred's tools, of which a task's life has several. */
function isOwn({ machine, run }: Step): boolean {
  return run.startsWith(`${machine.split(":")[0]}:`);
}

/** The hash of what decides in a state file's content. */
export function hashOfState(kind: RunKind, text: string): string {
  return kind.decides ? hashOf(canonical(decidedIn(kind, documentIn(text)))) : hashOfDocument(text);
}

/** The hash of the last step after which the file had this content; null: it never had. */
export async function stepBackTo(
  view: View,
  kind: RunKind,
  run: string,
  text: string,
): Promise<string | null> {
  return (await lineBackTo(view, kind, run, text))?.local?.checkpoint.head ?? null;
}

async function lineBackTo(view: View, kind: RunKind, run: string, text: string): Promise<Line | undefined> {
  const document = hashOfState(kind, text);
  return (await loadLines(view, run)).findLast(({ local }) => local?.document === document);
}

/** Why the file does not follow from the run's log, each in words for a person. */
export async function stateFaults(
  view: View,
  kind: RunKind,
  run: string,
  { path, text }: StateFile,
): Promise<readonly string[]> {
  const faults = await faultsIn(view, kind, run, text);
  return confirmed(view, [path, logPath(run)], faults);
}

async function faultsIn(view: View, kind: RunKind, run: string, text: string): Promise<readonly string[]> {
  const last = await lastOf(view, run);
  if (last === null) return kind.comesByGit ? [] : [`its log, ${logPath(run)}, is missing`];
  if (isBroken(last)) return [brokenWords(run, last)];
  const { checkpoint, document } = last.local;
  const at = kind.at(text);
  if (document === hashOfState(kind, text))
    return kind.decides || at === null || isSame(at, checkpoint)
      ? []
      : [`the log's last line says ${configurationWords(checkpoint)}`];
  const earlier = await lineBackTo(view, kind, run, text);
  if (earlier !== undefined && kind.returns) return [];
  if (earlier !== undefined)
    return [
      `it is what Pawl wrote after step ${earlier.local?.checkpoint.seq}, and its log goes on to step ${checkpoint.seq}: an older file was put back`,
    ];
  const wrong = `it is not the one that Pawl wrote after step ${checkpoint.seq}`;
  if (kind.decides) {
    const written = documentsOf(await loadLines(view, run)).at(-1) ?? null;
    return [wrong, ...differences(decidedIn(kind, documentIn(text)), decidedIn(kind, written))];
  }
  if (at === null) return [wrong];
  if (isSame(at, checkpoint)) return [`${wrong}; it still stands at ${configurationWords(at)}`];
  return [`${wrong}: found ${configurationWords(at)}; its log leads to ${configurationWords(checkpoint)}`];
}

export function brokenWords(run: string, { why }: Broken): string {
  return `${logPath(run)}, its log, cannot be used: ${why}`;
}

/** Throws `state-tampered` if the run's state file does not follow from its log. */
export async function checkRun(view: View, kind: RunKind, run: string): Promise<void> {
  const state = await loadState(view, kind, run);
  if (state !== null) await checkState(view, kind, run, state);
}

/** The same for a file that is read already. */
export async function checkState(
  view: View,
  kind: RunKind,
  run: string,
  { path, text }: StateFile,
): Promise<void> {
  checkFaults(path, "run's", await stateFaults(view, kind, run, { path, text }));
}

/**
 * For a workflow that builds on the file of another workflow's run, without its kind. Throws `state-tampered`
 * if it is not the one that Pawl wrote last.
 */
export async function checkAsWritten(
  view: View,
  run: string,
  path: ProjectPath,
  text: string,
): Promise<void> {
  const local = await lastLocal(view, run);
  const isIt = local?.document === hashOfDocument(text);
  const found = isIt ? [] : [`it is not the one that Pawl wrote after step ${local?.checkpoint.seq ?? 1}`];
  checkFaults(path, "run's", await confirmed(view, [path, logPath(run)], found));
}

/** People's verdicts in these steps. */
export function verdictsIn(
  steps: readonly {
    readonly by?: Pick<Caller, "who">;
    readonly event?: string | undefined;
    readonly from: string;
    readonly kind?: string;
    readonly strength?: string | undefined;
    readonly time: string;
  }[],
): readonly GateVerdict[] {
  return steps.flatMap(({ by, event, from, kind, strength, time }) =>
    strength === undefined
      ? []
      : [{ gate: from, what: `${from}: ${event ?? kind}`, by: by?.who, strength, time }],
  );
}

/** The log's part of the run's overview, with the verdicts of people since its present life began. */
export async function loggedVerdicts(
  view: View,
  run: string,
): Promise<Pick<RunOverview, "unproved" | "verdicts">> {
  const logged = await loggedOverview(view, run);
  try {
    const verdicts = verdictsIn(await loadSteps(view, run));
    return { ...logged, ...(verdicts.length > 0 ? { verdicts } : {}) };
  } catch (thrown) {
    // `pawl repair` says so; the overview of the other runs does not fail for it.
    if (thrown instanceof PawlError) return logged;
    throw thrown;
  }
}

/** The log's part of the run's overview. */
export async function loggedOverview(view: View, run: string): Promise<Pick<RunOverview, "unproved">> {
  const local = await lastLocal(view, run);
  return local !== null && local.checkpoint.unproved !== true ? {} : { unproved: true };
}
