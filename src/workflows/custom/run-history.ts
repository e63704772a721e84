/**
 * Whether a run's file follows from its own history. Each entry holds the hash of the one before; replaying them through the
 * table from the run's origin gives where it stands. The last entry and the place are kept in `.pawl/heads` too, in the same
 * commit. What does not follow is held until a person decides.
 *
 * Steps under another table than the one there is cannot be replayed: the origin of a run moves on to where it stood when
 * the table changed. A file without an origin is of an earlier version: it is taken as it is until its next move.
 */
import { PawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { pairOf } from "../../engine/lookup.ts";
import { follow, startingPositions } from "../../engine/position.ts";
import { canApply } from "../../engine/reach.ts";
import type { Position, Workflow } from "../../engine/workflow.ts";
import type { Loaded } from "./definition.ts";
import { hashOf } from "./hash.ts";
import { type RunFile, runPath } from "./run-file.ts";

/** The hash of the run's last entry, for the next one. */
export async function headOf(file: RunFile | null): Promise<string | null> {
  const last = file?.history.at(-1);
  return last === undefined ? null : hashOf(canonical(last));
}

/** What is kept of the run beside its file. */
export function anchorOf(file: RunFile): Change {
  return { type: "write", path: headPath(file), text: `${JSON.stringify(standingOf(file), null, 2)}\n` };
}

function standingOf({ history, id, kept, origin, state, workflow }: RunFile) {
  return { run: `${workflow}:${id}`, length: history.length, state, kept, origin, last: history.at(-1) };
}

/** As JSON, whatever the order of the keys: reading a file may change it. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

function headPath({ id, workflow }: RunFile): ProjectPath {
  return projectPath(".pawl/heads", workflow, `${id}.json`);
}

/** Throws `state-tampered` with all in which the run's file does not follow from its history. */
export async function checkHistory(view: View, file: RunFile, loaded: Loaded): Promise<void> {
  const found = await differencesIn(view, file, loaded);
  if (found.length === 0) return;
  const path = runPath(file.workflow, file.id);
  throw new PawlError(
    "state-tampered",
    `${path} does not follow from the run's own history: ${found.join("; ")}. Nothing goes on with it until a person decides.`,
    "Put the file back as it was; or, if the edit is your own, accept it in a terminal with `pawl repair`.",
  );
}

/** In which the file does not follow from its history, each in words for a person. */
export async function differencesIn(view: View, file: RunFile, loaded: Loaded): Promise<readonly string[]> {
  const isSame = loaded.hash === file.table_hash;
  return [
    ...(await anchorDifference(view, file)),
    ...(await brokenLinks(file)),
    ...(isSame && file.origin ? replayed(file, loaded.definition.table) : []),
  ];
}

async function anchorDifference(view: View, file: RunFile): Promise<readonly string[]> {
  const text = await view.read(headPath(file));
  const kept = text === null ? null : parsed(text);
  if (kept === null || canonical(kept) === canonical(standingOf(file))) return [];
  const found = file.history.length;
  const cut = found < kept.length ? ": an older file was put back, or its end was cut off" : "";
  return [
    `it is in ${file.state} after ${found} entries; what was recorded is ${kept.state} after ${kept.length}${cut}`,
  ];
}

/** Null where it cannot be read: then the history alone speaks. */
function parsed(text: string): { readonly length: number; readonly state: string } | null {
  try {
    const value = JSON.parse(text);
    return typeof value?.length === "number" && typeof value.state === "string" ? value : null;
  } catch {
    return null;
  }
}

async function brokenLinks({ history }: RunFile): Promise<readonly string[]> {
  let head: string | null = null;
  for (const [at, entry] of history.entries()) {
    if (entry.prev !== undefined && entry.prev !== head)
      return [`entry ${at + 1} of its history is not made on the ${at} before it`];
    head = await hashOf(canonical(entry));
  }
  return [];
}

/** Whether each entry is made on the one before. */
export async function isChained(file: RunFile): Promise<boolean> {
  return (await brokenLinks(file)).length === 0;
}

/** By the table as it is, from the run's origin. */
function replayed({ history, kept, origin, state }: RunFile, table: Workflow): readonly string[] {
  if (!origin) return [];
  let position: Position = { state: origin.state, kept: origin.kept };
  if (origin.at === 0 && !startingPositions(table).some((start) => isSame(start, position)))
    return ["it did not begin where a run of the table begins"];
  for (const [index, entry] of history.slice(origin.at).entries()) {
    const { rows } = pairOf(table, position.state, entry.event);
    const row = rows.find(({ id }) => id === entry.row);
    const leads = row && canApply(table, row, position.kept) ? follow(table, row, position) : null;
    if (leads === null || entry.from !== position.state || entry.to !== leads.state)
      return [
        `entry ${origin.at + index + 1} of its history (${entry.event}) does not lead on from ${position.state}`,
      ];
    position = leads;
  }
  if (isSame(position, { state, kept })) return [];
  return [`found ${wordsOf({ state, kept })}; its history leads to ${wordsOf(position)}`];
}

function isSame(one: Position, other: Position): boolean {
  const names = new Set([...Object.keys(one.kept), ...Object.keys(other.kept)]);
  return one.state === other.state && [...names].every((name) => one.kept[name] === other.kept[name]);
}

function wordsOf({ kept, state }: Position): string {
  const facts = Object.entries(kept).map(([name, value]) => `${name} = ${value}`);
  return facts.length === 0 ? state : `${state} with ${facts.join(", ")}`;
}
