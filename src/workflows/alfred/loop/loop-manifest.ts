/** The manifest of the loop's work, made only from what was proved, not from an agent's claims. */
import type { Outside } from "../../../core/ports/outside.ts";
import type { Context } from "../../../runtime/module.ts";
import { named, statOf } from "../evidence/diff-evidence.ts";
import type { Finding } from "../evidence/evidence.ts";
import { type LoadedRun, slotsOf } from "../state/load.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import { checkDone, type Proved, prove } from "./loop-evidence.ts";
import type { LoopSide } from "./loop-side.ts";
import { exportedTask } from "./plan-export.ts";

export interface LoopManifest {
  readonly artifact: ArtifactOf<"ImplementationManifestArtifact">;
  readonly finding: Finding;
}

const SHORT = 12;

/** Throws the errors of `checkDone` and `prove`. */
export async function makeManifest(
  run: LoadedRun,
  side: LoopSide,
  outside: Outside,
  context: Context,
): Promise<LoopManifest> {
  const proved = await prove(run, checkDone(run, side), outside);
  return {
    artifact: {
      summary: summaryOf(run, proved),
      completed_subtasks: slotsOf(run.state).map(({ slot_id }) => slot_id),
      testing_notes: testingNotes(proved),
    },
    finding: findingOf(run, proved, context),
  };
}

function summaryOf({ id }: LoadedRun, { branch, changed, commit, path, task, work }: Proved): string {
  const how = work.merged ? `merged from '${work.branch}' into '${branch}'` : `on '${branch}'`;
  const steps = task.steps.map((step) => `${step.id}${step.completed_at ? ` (${step.completed_at})` : ""}`);
  const commits = changed.commits.map(({ hash, title }) => `${hash.slice(0, SHORT)} ${title}`);
  return [
    `Done by the loop as the task ${id} of ${path}, ${how}; ${commit} is checked out.`,
    `Steps that are done: ${named(steps)}.`,
    `Commits since ${changed.base}: ${commits.length === 0 ? "none" : named(commits)}.`,
    `Since ${changed.base}, ${statOf(changed.files)}.`,
  ].join("\n");
}

function testingNotes({ commit, passed, record }: Proved): string {
  const isOfCommit = (each: (typeof passed)[number]) => passed.includes(each);
  const earlier = record.evidence.filter((each) => !isOfCommit(each));
  const lines = passed.map(({ command, exit, log }) => `- \`${command}\`: exit code ${exit}; ${log}`);
  const before = earlier.map(
    (each) =>
      `- \`${each.command}\`${each.step === null ? "" : ` after ${each.step}`}${each.commit === null ? "" : ` on ${each.commit.slice(0, SHORT)}`}: exit code ${each.exit ?? "none"}; ${each.log}`,
  );
  return [
    `Run by the loop itself on ${commit}:`,
    ...lines,
    ...(before.length === 0 ? [] : ["On the way there:", ...before.slice(-MAX_EARLIER)]),
    "Nothing else is known to be tested.",
  ].join("\n");
}

const MAX_EARLIER = 30;

function findingOf(run: LoadedRun, proved: Proved, context: Context): Finding {
  const { branch, commit, passed, task, uncommitted } = proved;
  const words = `The loop has ${task.steps.length} of ${task.steps.length} steps done, and ${passed.length} command${passed.length === 1 ? "" : "s"} passed on ${commit.slice(0, SHORT)}, which is checked out on '${branch}'.`;
  const edited = exportedTask(run, context).steps.filter(
    ({ id, instruction }) =>
      task.steps.find((step) => step.id === id)?.instruction.trim() !== instruction.trim(),
  );
  const odd = [
    ...(edited.length > 0
      ? [`what these steps ask for is not what the plan says: ${edited.map(({ id }) => id).join(", ")}`]
      : []),
    ...(uncommitted.length > 0
      ? [`beside the commit there are uncommitted files: ${named(uncommitted)}`]
      : []),
  ];
  return {
    about: "loop",
    verdict: odd.length === 0 ? "agrees" : "differs",
    words: odd.length === 0 ? words : `${words} But ${odd.join("; ")}.`,
    loop: {
      commit,
      commands: passed.map(({ command, exit, log }) => ({ command, exit_code: exit, log })),
    },
  };
}
