import { PawlError, toPawlError } from "../../../core/error.ts";
import { projectPath } from "../../../core/path.ts";
import {
  comparePolicies,
  effectivePolicy,
  hashOfPolicy,
  type Policy,
  type PolicyChange,
  renderChange,
  whileOpen,
} from "../../../core/policy.ts";
import { placed } from "../../../core/policy-places.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { loadWorkflow, type Project } from "../../../runtime/project.ts";
import { findRun } from "../../../runtime/reports/overview.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { agrees, confirm } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

/**
 * Prints a run's policy next to the files' present one, and pins what is tighter there; a person may accept
 * the rest.
 */
export const policy: Run = async (host, call) => {
  const project = await host.projects.open();
  const name = await nameOf(project, String(call.arguments.run ?? LOOP));
  const comparison = await compared(project, name);
  const { ignored, pinned, present } = comparison;
  await pinTighter(project, name, comparison);
  if (call.options.accept !== true) return showComparison(name, comparison);
  // If this machine has no policy for the run, the run's state may name another one, so a person decides.
  const isSettled = ignored.length === 0 && (pinned !== null || name === LOOP) && comparison.foreign === null;
  if (present === null || isSettled)
    return { text: `${name} follows the project's files.\n`, data: dataOf(name, comparison) };
  const lines = ignored.map(renderChange);
  const question = !pinned
    ? [`Nothing is pinned for ${name} on this machine. Shall it follow the project's files?`]
    : [
        ...(comparison.foreign === null
          ? []
          : [`${name} continued under a policy that this machine never had.`]),
        ...(lines.length === 0
          ? ["Shall it continue here, under the project's files?"]
          : [`Accept this for ${name}? It loosens its policy:`, "", ...lines]),
      ];
  confirm(host, { message: question.join("\n"), command: `pawl config policy ${name} --accept` });
  await accept(project, host, name, { ignored, present });
  if (comparison.foreign !== null)
    await project.runtime.outside.policies?.acceptEarlier(name, comparison.foreign);
  return {
    text: `Accepted: ${name} now follows the project's files.\n`,
    data: { ...dataOf(name, comparison), accepted: true },
  };
};

/** The loop's own settings are pinned like those of a run, under this name. */
const LOOP = "bloom";

async function nameOf(project: Project, given: string): Promise<string> {
  if (given === LOOP) return LOOP;
  return (await findRun(project, given)).run;
}

export interface Compared {
  /** Null: nothing is pinned, so the present policy governs. */
  readonly pinned: Policy | null;
  /** Null: the run is over, or has not begun. */
  readonly present: Policy | null;
  /** Whether a loosened policy holds the run. */
  readonly holds: boolean;
  readonly changes: readonly PolicyChange[];
  readonly ignored: readonly PolicyChange[];
  /** The hash of the policy that the run's state names, if this machine never stored it; else null. */
  readonly foreign: string | null;
}

export async function compared({ runtime, workflows }: Project, run: string): Promise<Compared> {
  const [workflow = "", id = run] = run.split(/:(.*)/s);
  const module = await loadWorkflow(workflows, workflow);
  const view = runtime.store.view();
  const settings = await runtime.settings(view);
  if (!module.policy)
    throw new PawlError(
      "no-effect",
      `Runs of ${module.title} have no pinned policy: each follows its files.`,
      "`pawl status` shows every run.",
    );
  const found = await module.policy.present(view, settings, id);
  const present = found?.policy ?? null;
  const pinned = (present && (await runtime.outside.policies?.find(run))) ?? null;
  const changed = pinned && present ? comparePolicies(pinned, present) : [];
  const changes = found ? await placed(changed, found.sourcesOf, (file) => view.read(file)) : [];
  const foreign = present && (await foreignIn(runtime, run, { pinned, present }, found?.named));
  const holds = found?.holdsLoosened === true;
  return { pinned, present, holds, changes, ignored: changes.filter(({ loosens }) => loosens), foreign };
}

async function foreignIn(
  { outside: { policies } }: Project["runtime"],
  run: string,
  { pinned, present }: { readonly pinned: Policy | null; readonly present: Policy },
  named: string | undefined,
): Promise<string | null> {
  if (named === undefined) return null;
  const hashes = [present, ...(pinned ? [pinned, effectivePolicy(pinned, present)] : [])].map(hashOfPolicy);
  return [...hashes, ...((await policies?.earlier(run)) ?? [])].includes(named) ? null : named;
}

/** Pins what tightens the policy. It already counts; pinned, a later edit cannot revert it. */
async function pinTighter(project: Project, run: string, comparison: Compared): Promise<void> {
  const { changes, holds, ignored, pinned, present } = comparison;
  const hasTighter = changes.length > ignored.length;
  // A run that its policy holds cannot be pinned in parts: its policy is pinned as a whole when a person
  // decides.
  if (!pinned || !present || !hasTighter || (holds && ignored.length > 0)) return;
  await storePolicy(project, run, effectivePolicy(pinned, present));
}

function showComparison(name: string, comparison: Compared): Answer {
  const { changes } = comparison;
  const lines = changes.map(
    (change) => `${change.loosens ? "  ignored  " : "  counts   "}${renderChange(change)}`,
  );
  const fix =
    comparison.ignored.length > 0
      ? [`Run \`pawl config policy ${name} --accept\` to accept what is ignored.`]
      : [];
  return {
    text: `${clean([headOf(name, comparison), ...lines, ...fix].join("\n"))}\n`,
    data: dataOf(name, comparison),
  };
}

function headOf(name: string, { holds, ignored, pinned, present }: Compared): string {
  if (present === null) return `${name} has no policy: it is over or has not begun.`;
  if (pinned === null) return `Nothing is pinned for ${name}: it follows the project's files.`;
  const held = holds && ignored.length > 0 ? ", and is held until a person accepts what was loosened" : "";
  return `${name} follows the policy that was pinned when it started${held}.`;
}

function dataOf(run: string, { changes, pinned, present, ignored }: Compared) {
  return { run, pinned, present, changes, ignored };
}

const KEPT = projectPath(".pawl/policy.json");

/** Commits the event first, so that nothing is accepted without a trace. */
async function accept(
  project: Project,
  host: Host,
  run: string,
  { ignored, present }: { readonly ignored: readonly PolicyChange[]; readonly present: Policy },
): Promise<void> {
  const plan: Transaction<null, null, undefined, Reply> = {
    run: () => "pawl:policy",
    read: async () => null,
    propose: (_, __, ___, { now, caller }) => ({
      reply: { text: "", data: {} },
      changes: [{ type: "write", path: KEPT, text: `${JSON.stringify({ run, time: now.time, ignored })}\n` }],
      events: [{ id: now.id, time: now.time, type: "policy:accepted", run, accepted: ignored, by: caller }],
    }),
  };
  await runTransaction(project.runtime, plan, null, host.person.caller());
  await storePolicy(project, run, present);
}

/** Stores the policy under the run's lock, like everything stored for the run. */
async function storePolicy(
  { runtime: { outside, store } }: Project,
  run: string,
  policy: Policy,
): Promise<void> {
  await using _lock = await store.hold(run);
  await outside.policies?.keep(run, policy);
}

export interface Loosened extends Pick<Compared, "holds" | "ignored"> {
  readonly run: string;
  /** For the loop's own settings: the tasks whose open runs keep the pinned policy. */
  readonly open?: readonly string[];
}

export type Ignored = readonly Loosened[];

export function renderLoosened({ holds, ignored, open, run }: Loosened): string {
  const what = holds
    ? `${run} is held: its workflow was loosened`
    : `${run}: an edit that loosens its policy is ignored${whileOpen(open)}`;
  return `${what}: ${ignored.map(renderChange).join("; ")}. \`pawl config policy ${run} --accept\` lets it count.`;
}

/** The ignored changes of the run; null: nothing was loosened. Throws `state-home-failed`. */
export async function loosenedIn(project: Project, run: string): Promise<Loosened | null> {
  const { holds, ignored } = await compared(project, run).catch(hideProjectErrors);
  if (ignored.length === 0) return null;
  return { run, holds, ignored, ...(run === LOOP ? { open: await tasksOpen(project) } : {}) };
}

/** The ignored changes of every open run, for `pawl status`. Throws `state-home-failed`. */
export async function ignoredEdits(project: Project): Promise<Ignored> {
  const runs = (await project.runtime.outside.policies?.list()) ?? [];
  const all = await Promise.all(runs.map((run) => loosenedIn(project, run)));
  return all.filter((each) => each !== null);
}

/**
 * Hides errors in the project's files, because `pawl status` reports them with the runs. Rethrows those of
 * the stored policies, which are reported only here.
 */
function hideProjectErrors(thrown: unknown): Pick<Compared, "holds" | "ignored"> {
  if (toPawlError(thrown).code === "state-home-failed") throw thrown;
  return { holds: false, ignored: [] };
}

/** Accepts the policy of the present files, because a person's own verb implies that. */
export async function renew(project: Project, run: string): Promise<void> {
  for (const name of [run, LOOP]) {
    const { pinned, present } = await compared(project, name);
    if (pinned !== null && present !== null) await storePolicy(project, name, present);
  }
}

/**
 * When the loop starts, a person at a terminal may accept loosened settings; these count from now on.
 * Otherwise the policy accepted before stays in force, and the loop reports what it ignores. If no run is
 * under way, the present settings are pinned without a question, because no agent could have loosened them
 * for itself.
 */
export async function beginLoop(project: Project, host: Host): Promise<void> {
  const { pinLoop } = await import("../../../workflows/bloom/govern.ts");
  const open = await pinLoop(project.runtime);
  if (open.length === 0 || !(host.terminal.isScreen && host.person.agent() === null)) return;
  const { ignored, present } = await compared(project, LOOP);
  if (present === null) return;
  const lines = ignored.map(renderChange);
  const question = `An edit of pawl.yaml loosened the policy${whileOpen(open)}. Accept it?`;
  const message = [question, "", ...lines].join("\n");
  if (!agrees(host, { message, command: "pawl config policy --accept" })) return;
  await accept(project, host, LOOP, { ignored, present });
}

async function tasksOpen({ runtime }: Project): Promise<readonly string[]> {
  const { tasksThatPin } = await import("../../../workflows/bloom/govern.ts");
  const view = runtime.store.view();
  return tasksThatPin(view, await runtime.settings(view), runtime.outside.policies);
}
