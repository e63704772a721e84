import type { ChangedFile, Git, GitChanges } from "../../base/ports.ts";
import type { ArtifactOf } from "./artifacts.ts";
import type { Finding } from "./evidence.ts";
import { isOwn } from "./git-evidence.ts";
import { acceptedIn, type LoadedRun } from "./load.ts";

const ABOUT = "diff";
const MAX_NAMED = 30;

/** What the branch changed, beside what the plan said would be. */
export async function findDiff(run: LoadedRun, git: Git, tasksFile: string): Promise<readonly Finding[]> {
  return [diffFinding(plannedFiles(run), await git.changes(baseOf(run)), tasksFile)];
}

function diffFinding(planned: readonly string[] | null, changes: GitChanges, tasksFile: string): Finding {
  if (changes.kind === "unavailable")
    return { about: ABOUT, verdict: "unknown", words: `The changes cannot be told: ${changes.reason}.` };
  const files = changes.files.filter(({ path }) => !isOwn(path) && path !== tasksFile);
  if (files.length === 0)
    return {
      about: ABOUT,
      verdict: "differs",
      words: `Nothing differs from ${changes.base}: no file was changed.`,
    };
  const touched = new Set(files.map(({ path }) => path));
  const left = (planned ?? []).filter((path) => !touched.has(path));
  const extra = planned === null ? [] : [...touched].filter((path) => !planned.includes(path));
  const stat = `Against ${changes.base}: ${statOf(files)}.`;
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

/** Where the accepted plan's slots work; null where the task was not planned. */
function plannedFiles({ state }: LoadedRun): readonly string[] | null {
  const plan = acceptedIn(state, "plan_task", "generate_slots")?.artifact as
    | ArtifactOf<"ExecutionPlanArtifact">
    | undefined;
  if (!plan) return null;
  const changing = plan.slots.filter(({ operation }) => operation !== "REVIEW");
  return [...new Set(changing.map(({ location }) => location))];
}

/** The branch that the task's branch was made from, as start_task found it. */
export function baseOf({ id, state }: LoadedRun): string | null {
  const status = acceptedIn(state, "start_task", "git_status_checked")?.artifact as
    | ArtifactOf<"GitStatusArtifact">
    | undefined;
  const branch = status?.current_branch ?? null;
  return branch === `feature/${id}` ? null : branch;
}
