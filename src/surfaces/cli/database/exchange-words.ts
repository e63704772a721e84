/** What `pawl pull` and `pawl push` say. */
import { renderDiff } from "../../../tasks-file/diff.ts";
import type { Conflict } from "../../../tasks-file/merge/merge-slots.ts";
import type { Summary } from "../../../tasks-file/merge/summarize.ts";
import type { Answer } from "../command.ts";
import { counted } from "../counted.ts";
import type { Exchanged, Place } from "./exchange.ts";

export type Direction = "pull" | "push";

/** How a conflict over the file itself is named in an option. */
export const THE_FILE = ".";

export function nameOf({ ids }: Conflict): string {
  return ids.at(-1) ?? THE_FILE;
}

export function answerOf(
  direction: Direction,
  place: Place,
  done: Exchanged,
  { dryRun, name }: { readonly dryRun: boolean; readonly name: string },
): Answer {
  if (done.conflicts !== null) return conflictAnswer(direction, place, done, name);
  const { after, before, changed, isBehind } = done;
  const isChanged = before !== after;
  const data = {
    direction,
    database: place.shown,
    file: place.path,
    dryRun,
    written: isChanged && !dryRun,
    ...changed,
  };
  const diff = renderDiff(place.path, before, after);
  if (dryRun)
    return {
      text: `${isChanged ? `${diff}\n\n` : ""}${resultWords(direction, place, isChanged, changed, true)}\n`,
      data: { ...data, diff, conflicts: [] },
    };
  const other =
    direction === "pull"
      ? `Your own changes stay in ${place.path}; \`${name} push\` sends them.`
      : `The database has more than ${place.path} here; \`${name} pull\` brings it.`;
  const lines = [
    ...restoredWords(done),
    resultWords(direction, place, isChanged, changed, false),
    ...(isBehind ? [other] : []),
  ];
  return { text: `${lines.join("\n")}\n`, data: { ...data, isBehind, conflicts: [] } };
}

function resultWords(
  direction: Direction,
  { path, shown }: Place,
  isChanged: boolean,
  { added, changed, removed }: Summary,
  isDry: boolean,
): string {
  const [to, from] = direction === "pull" ? [path, shown] : [shown, path];
  if (!isChanged) return `${to} has everything of ${from} already.`;
  const counts = [
    ...(added.length > 0 ? [`${counted(added.length, "task")} new`] : []),
    ...(changed.length > 0 ? [`${counted(changed.length, "task")} changed`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "task")} removed`] : []),
  ];
  const what = counts.length === 0 ? "comments, layout or settings" : counts.join(", ");
  return isDry
    ? `Nothing was changed. ${to} would be updated: ${what}.`
    : `${to} is updated from ${from}: ${what}.`;
}

function conflictAnswer(
  direction: Direction,
  { path, shown }: Place,
  { conflicts, isRestored }: { readonly conflicts: readonly Conflict[]; readonly isRestored: boolean },
  name: string,
): Answer {
  const [first] = conflicts.map(nameOf);
  const rest = conflicts.length - MOST_CONFLICTS;
  const lines = [
    ...restoredWords({ isRestored }),
    `${counted(conflicts.length, "conflict")} between ${path} here and the one in ${shown}. Nothing was changed.`,
    ...conflicts.slice(0, MOST_CONFLICTS).flatMap((conflict) => ["", ...conflictLines(conflict)]),
    ...(rest > 0 ? ["", `and ${rest} more (--json has all)`] : []),
    "",
    `fix:  Write what is right into ${path}, then \`${name} ${direction} --mine ${first}\` takes yours; \`--theirs ${first}\` takes the database's.`,
  ];
  const data = {
    direction,
    database: shown,
    file: path,
    conflicts: conflicts.map((each) => ({ name: nameOf(each), ...each })),
  };
  return { text: `${lines.join("\n")}\n`, data, exit: 1 };
}

function restoredWords({ isRestored }: Pick<Exchanged, "isRestored">): readonly string[] {
  return isRestored
    ? [
        "The database is in an earlier state than at the last pull or push here, as a restored backup is. So nothing of yours is taken for old.",
      ]
    : [];
}

function conflictLines(conflict: Conflict): readonly string[] {
  const { base, ids, key, mine, theirs } = conflict;
  const where = ids.length === 0 ? (key ?? "") : [nameOf(conflict), ...(key === null ? [] : [key])].join(" ");
  const about = ids.length === 0 ? ` (the file itself: --mine ${THE_FILE}, --theirs ${THE_FILE})` : "";
  if (key === "layout")
    return [`layout: anchors or brackets make that it can only be taken as a whole${about}`];
  return [
    `${where}${about}`,
    ...versionLines("before", base),
    ...versionLines("mine", mine),
    ...versionLines("theirs", theirs),
  ];
}

const MOST_CONFLICTS = 20;
const MOST_LINES = 6;
const MOST_COLUMNS = 200;

function versionLines(who: string, text: string | null): readonly string[] {
  const lines = text === null || text === "" ? ["(not there)"] : text.split("\n");
  const rest = lines.length - MOST_LINES;
  const shown = rest > 0 ? [...lines.slice(0, MOST_LINES), `… ${counted(rest, "line")} more`] : lines;
  return shown.map(
    (line, at) =>
      `  ${(at === 0 ? who : "").padEnd(8)}${line.length > MOST_COLUMNS ? `${line.slice(0, MOST_COLUMNS)}…` : line}`,
  );
}
