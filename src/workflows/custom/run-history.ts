/**
 * Checks whether a run's file follows from its own history. Each entry holds the hash of the one before;
 * replaying them through the table from the run's origin gives its configuration. `.pawl/heads` has the last
 * entry and the configuration, too, written in the same commit. A file that does not follow is held until a
 * person decides.
 *
 * Steps under another table than the present one cannot be replayed, so when the table changes, a run's
 * origin moves to its present configuration.
 */
import { canonical } from "../../core/canonical.ts";
import { hashOf } from "../../core/hash.ts";
import type { Change, View } from "../../core/ports/store.ts";
import {
  brokenLinks,
  checkFaults,
  confirmed,
  headPath,
  loadHead,
  replayFaults,
} from "../../runtime/run-log/history.ts";
import type { Loaded } from "./definition.ts";
import { type RunFile, runPath, sharedEntry } from "./run-file.ts";

/** The copy of the run's last entry and configuration outside of its file. */
export function anchorOf(file: RunFile): Change {
  const text = `${JSON.stringify(standingOf(file), null, 2)}\n`;
  return { type: "write", path: headPath(nameOf(file)), text };
}

function nameOf({ id, workflow }: RunFile): string {
  return `${workflow}:${id}`;
}

function standingOf(file: RunFile) {
  const { history, kept, origin, state } = file;
  return { run: nameOf(file), length: history.length, state, kept, origin, last: history.at(-1) };
}

/** Throws `state-tampered` with everything in the run's file that does not follow from its history. */
export async function checkHistory(view: View, file: RunFile, loaded: Loaded): Promise<void> {
  checkFaults(runPath(file.workflow, file.id), "run's", await differencesIn(view, file, loaded));
}

/** The differences between the file and its history, in words for a person. */
export async function differencesIn(view: View, file: RunFile, loaded: Loaded): Promise<readonly string[]> {
  const { history, kept: variables, origin, state } = file;
  const isSame = loaded.hash === file.table_hash;
  const from = { ...origin, begins: origin.at === 0 };
  const found = [
    ...(await anchorDifference(view, file)),
    ...(await linkFaults(file)),
    ...(isSame ? replayFaults(loaded.definition.table, from, history, { state, variables }, "entry") : []),
  ];
  return confirmed(view, [runPath(file.workflow, file.id), headPath(nameOf(file))], found);
}

async function anchorDifference(view: View, file: RunFile): Promise<readonly string[]> {
  const kept = await loadHead(view, nameOf(file));
  if (typeof kept?.length !== "number" || canonical(kept) === canonical(standingOf(file))) return [];
  const found = file.history.length;
  const cut = found < kept.length ? ": an older file was put back, or its end was cut off" : "";
  return [
    `it is in ${file.state} after ${found} entries; what was recorded is ${kept.state} after ${kept.length}${cut}`,
  ];
}

/** Whether the entries form a chain. */
export async function isChained(file: RunFile): Promise<boolean> {
  return (await linkFaults(file)).length === 0;
}

async function linkFaults({ history }: RunFile): Promise<readonly string[]> {
  const changed = history.findIndex(
    ({ ended }) => ended?.tail !== undefined && ended.sha256 !== hashOf(ended.tail),
  );
  return [
    ...(await brokenLinks(history.map(sharedEntry), "entry")),
    ...(changed < 0 ? [] : [`what the command of entry ${changed + 1} printed was changed`]),
  ];
}

/** Where a branch of the run's records does not follow from its own history, in words for a person. */
export async function branchFaults(file: RunFile, { definition, hash }: Loaded): Promise<readonly string[]> {
  const { history, kept: variables, origin, state, table_hash } = file;
  if (hash !== table_hash) return [];
  const from = { ...origin, begins: origin.at === 0 };
  return replayFaults(definition.table, from, history, { state, variables }, "entry");
}
