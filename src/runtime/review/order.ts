/** The order in which changed files matter to a reviewer, and how long reading them takes. */

import type { ChangedFile } from "../../core/ports/git.ts";
import { processFiles } from "../../core/process-files.ts";
import { compareText } from "../../core/text/natural-order.ts";
import type { ReviewFile, ReviewSize } from "./model.ts";

/** An item of the plan, with the files that it names. */
export interface PlanItem {
  readonly id: string;
  readonly files: readonly string[];
}

export interface Ordering {
  /** Null: there is no plan of files. */
  readonly plan: readonly PlanItem[] | null;
  /** The files that differ from what was judged last; null: there was no verdict. */
  readonly sinceLast: readonly ChangedFile[] | null;
}

/** Files outside the plan first, then those that decide how the work is judged, then by item of the plan. */
export function orderFiles(
  files: readonly ChangedFile[],
  { plan, sinceLast }: Ordering,
): readonly ReviewFile[] {
  const kinds = new Map(processFiles(files.map(({ path }) => path)).map(({ kind, path }) => [path, kind]));
  const items = new Map((plan ?? []).flatMap(({ files: named, id }) => named.map((path) => [path, id])));
  const newer = sinceLast && new Set(sinceLast.map(({ path }) => path));
  const order = new Map((plan ?? []).map(({ id }, at) => [id, at]));
  const placed = files.map(({ added, deleted, path }): ReviewFile => {
    const item = items.get(path) ?? null;
    const kind = kinds.get(path) ?? null;
    const group =
      plan !== null && item === null
        ? "outside-plan"
        : kind !== null
          ? "process"
          : item !== null
            ? "plan"
            : "other";
    const isNew = newer === null ? null : newer.has(path);
    return { path, added, deleted, group, item: group === "plan" ? item : kind, isNew };
  });
  const rank = ({ group, item }: ReviewFile) =>
    GROUPS.indexOf(group) * 1e6 + (group === "plan" ? (order.get(item ?? "") ?? 0) : 0);
  return placed.sort((one, other) => rank(one) - rank(other) || compareText(one.path, other.path));
}

/** Both lists of a review: compared with its base, and with what was judged last. */
export function listFiles(files: readonly ChangedFile[], { plan, sinceLast }: Ordering) {
  return {
    files: orderFiles(files, { plan, sinceLast }),
    since: sinceLast === null ? [] : orderFiles(sinceLast, { plan, sinceLast }),
  };
}

const GROUPS: readonly ReviewFile["group"][] = ["outside-plan", "process", "plan", "other"];

const LINES_A_MINUTE = 50;
const MINUTES_A_FILE = 0.25;
const WORDS_A_MINUTE = 200;

/** `words`: the artifact's number of words. The result is at least a minute. */
export function sizeOf(files: readonly ChangedFile[], words: number): ReviewSize {
  const lines = files.reduce((sum, { added, deleted }) => sum + (added ?? 0) + (deleted ?? 0), 0);
  const minutes = lines / LINES_A_MINUTE + files.length * MINUTES_A_FILE + words / WORDS_A_MINUTE;
  return { files: files.length, lines, minutes: Math.max(1, Math.round(minutes)) };
}

/** The number of words of all texts in a value. */
export function wordsIn(value: unknown): number {
  if (typeof value === "string") return value.split(/\s+/).filter((word) => word !== "").length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + wordsIn(each), 0);
}
