import type { Git, GitChanges } from "../../base/ports.ts";
import type { ArtifactOf } from "./artifacts.ts";
import type { Finding } from "./evidence.ts";
import { isOwn } from "./git-evidence.ts";
import type { LoadedRun } from "./load.ts";

const ABOUT = "diff";
const MAX_NAMED = 30;

/** What the branch changed, beside what the plan said would be. */
export async function findDiff(run: LoadedRun, git: Git): Promise<readonly Finding[]> {
  return [diffFinding(plannedFiles(run), await git.changes(baseOf(run)))];
}

export function diffFinding(planned: readonly string[] | null, changes: GitChanges): Finding {
  if (changes.kind === "unavailable")
    return { about: ABOUT, verdict: "unknown", words: `The changes cannot be told: ${changes.reason}.` };
  const files = changes.files.filter(({ path }) => !isOwn(path));
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

function statOf(files: Extract<GitChanges, { kind: "changes" }>["files"]): string {
  const lines = files.map(({ added, deleted, path }) =>
    added === null || deleted === null ? `${path} (new or binary)` : `${path} (+${added} -${deleted})`,
  );
  return `${files.length} file${files.length === 1 ? "" : "s"} changed: ${named(lines)}`;
}

function named(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? `, and ${items.length - MAX_NAMED} more` : "";
  return `${items.slice(0, MAX_NAMED).join(", ")}${more}`;
}

/** Where the accepted plan's slots work; null where the task was not planned. */
function plannedFiles(run: LoadedRun): readonly string[] | null {
  const plan = acceptedBy(run, "plan_task", "generate_slots") as
    | ArtifactOf<"ExecutionPlanArtifact">
    | undefined;
  if (!plan) return null;
  const changing = plan.slots.filter(({ operation }) => operation !== "REVIEW");
  return [...new Set(changing.map(({ location }) => location))];
}

/** The branch that the task's branch was made from, as start_task found it. */
function baseOf(run: LoadedRun): string | null {
  const status = acceptedBy(run, "start_task", "git_status_checked") as
    | ArtifactOf<"GitStatusArtifact">
    | undefined;
  const branch = status?.current_branch ?? null;
  return branch === `feature/${run.id}` ? null : branch;
}

function acceptedBy(run: LoadedRun, tool: string, state: string): unknown {
  return run.state.completed_tool_outputs[tool]?.accepted.findLast((each) => each.state === state)?.artifact;
}
