/** Compares a run's state file with its log. */
import { NotText } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { RunOverview } from "../transaction/transaction.ts";
import { checkFaults, configurationWords, confirmed, isSame } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { DamagedLog, type End, hashOfDocument, type Line, logPath, parseEnd, parseLine } from "./step.ts";

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
    if (thrown instanceof DamagedLog) return { why: thrown.problem };
    if (thrown instanceof NotText) return { why: "it is not text" };
    throw thrown;
  }
}

/** All lines, the oldest first. Throws `state-tampered`. */
export async function loadLines(view: View, run: string): Promise<readonly Line[]> {
  const text = (await view.read(logPath(run))) ?? "";
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, index) => parseLine(run, line, index + 1));
}

/** The hash of the last step after which the file had this content; null: it never had. */
export async function stepBackTo(view: View, run: string, text: string): Promise<string | null> {
  const document = hashOfDocument(text);
  const line = (await loadLines(view, run)).findLast(({ local }) => local?.document === document);
  return line?.local?.checkpoint.head ?? null;
}

/** Why the file does not follow from the run's log, each in words for a person. */
export async function stateFaults(
  view: View,
  kind: RunKind,
  run: string,
  text: string,
): Promise<readonly string[]> {
  const found = await faultsIn(view, kind, run, text);
  return confirmed(view, [kind.pathOf(run), logPath(run)], found);
}

async function faultsIn(view: View, kind: RunKind, run: string, text: string): Promise<readonly string[]> {
  const last = await lastOf(view, run);
  if (last === null) return kind.comesByGit ? [] : ["none of its steps is recorded"];
  if (isBroken(last)) return [brokenWords(run, last)];
  const { checkpoint, document } = last.local;
  const found = kind.configurationIn(text);
  const written = { state: checkpoint.state, variables: checkpoint.variables };
  if (document === hashOfDocument(text))
    return isSame(found, written) ? [] : [`the log's last line says ${configurationWords(written)}`];
  if (kind.returns && (await stepBackTo(view, run, text)) !== null) return [];
  const wrong = `it is not the one that Pawl wrote after step ${checkpoint.seq}`;
  if (isSame(found, written)) return [`${wrong}; it still stands at ${configurationWords(found)}`];
  return [`${wrong}: found ${configurationWords(found)}; its log leads to ${configurationWords(written)}`];
}

export function brokenWords(run: string, { why }: Broken): string {
  return `${logPath(run)}, its log, cannot be used: the last line: ${why}`;
}

/** Throws `state-tampered` if the run's state file does not follow from its log. */
export async function checkRun(view: View, kind: RunKind, run: string): Promise<void> {
  const path = kind.pathOf(run);
  const text = await view.read(path);
  if (text === null) return;
  checkFaults(path, "run's", await stateFaults(view, kind, run, text));
}

/** The log's part of the run's overview. */
export async function loggedOverview(view: View, run: string): Promise<Pick<RunOverview, "unproved">> {
  const last = await lastOf(view, run);
  const isProved = last !== null && !isBroken(last) && last.local.checkpoint.unproved !== true;
  return isProved ? {} : { unproved: true };
}
