import type { ChangedFile, PinnedBase, Snapshot } from "../../../core/ports/git.ts";
import { acceptedIn, changingSlots, type LoadedRun, slotsOf } from "../state/load.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { Finding } from "./evidence.ts";

const ABOUT = "diff";
const MAX_NAMED = 30;

/** Compares what the work changed with the plan. `changed`: without the project's own files. */
export function findDiff(run: LoadedRun, work: Snapshot, changed: readonly ChangedFile[]): Finding {
  if (work.kind === "not-a-repository") return unknown("the project's folder is not a git repository");
  if (work.kind === "unavailable")
    return { about: ABOUT, verdict: "differs", words: `The changes are unknown: ${work.reason}` };
  if (work.base === null) return unknown("there is no base branch (main, master) to compare with");
  const planned = changingSlots(run.state).map(({ location }) => location);
  return diffFinding(slotsOf(run.state).length === 0 ? null : new Set(planned), work.base.branch, changed);
}

function unknown(reason: string): Finding {
  return { about: ABOUT, verdict: "unknown", words: `The changes are unknown: ${reason}.` };
}

function diffFinding(
  planned: ReadonlySet<string> | null,
  base: string,
  files: readonly ChangedFile[],
): Finding {
  if (files.length === 0)
    return { about: ABOUT, verdict: "differs", words: `Nothing differs from ${base}: no file was changed.` };
  const touched = new Set(files.map(({ path }) => path));
  const left = [...(planned ?? [])].filter((path) => !touched.has(path));
  const extra = planned === null ? [] : [...touched].filter((path) => !planned.has(path));
  const stat = `Against ${base}: ${statOf(files)}.`;
  const words = [
    ...(left.length > 0 ? [`The plan names files that were not changed: ${named(left)}.`] : []),
    ...(extra.length > 0 ? [`Changed without being in the plan: ${named(extra)}.`] : []),
  ];
  return {
    about: ABOUT,
    verdict: left.length > 0 || extra.length > 0 ? "differs" : "agrees",
    words: [stat, ...words].join(" "),
  };
}

export function statOf(files: readonly ChangedFile[]): string {
  const lines = files.map(({ added, deleted, path }) =>
    added === null || deleted === null ? `${path} (new or binary)` : `${path} (+${added} -${deleted})`,
  );
  return `${files.length} file${files.length === 1 ? "" : "s"} changed: ${named(lines)}`;
}

export function named(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? `, and ${items.length - MAX_NAMED} more` : "";
  return `${items.slice(0, MAX_NAMED).join(", ")}${more}`;
}

/**
 * The pinned commit that the work started from; the branch's name if none could be pinned. While start_task
 * runs it is the branch too, because commits before the task has its own branch are not part of its work.
 */
export function baseOf({ id, state }: Pick<LoadedRun, "id" | "state">): PinnedBase | string | null {
  const isStarting = state.active_tool_state?.tool_name === "start_task";
  if (state.base) return isStarting ? state.base.branch : state.base;
  const status = acceptedIn(state, "start_task", "git_status_checked")?.artifact as
    | ArtifactOf<"GitStatusArtifact">
    | undefined;
  const branch = status?.current_branch ?? null;
  return branch === `feature/${id}` ? null : branch;
}
