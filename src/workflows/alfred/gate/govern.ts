/**
 * The policy of a task: pinned when its first tool begins, and in force until the task is done. A later
 * configuration counts where it is tighter. Where it is looser, every gate shows that as a finding until a
 * person accepts it.
 */
import { attempt } from "../../../core/attempt.ts";
import {
  checkPolicyKnown,
  comparePolicies,
  effectivePolicy,
  gatePolicy,
  hashOfPolicy,
  ignoredIn,
  type Policy,
  type PolicyChange,
  pathsBelow,
  policyFrom,
  renderChange,
  valuesBelow,
} from "../../../core/policy.ts";
import { placed, settingSources } from "../../../core/policy-places.ts";
import type { View } from "../../../core/ports/store.ts";
import {
  type AlfredSettings,
  DEFAULT_SETTINGS,
  type Reviewer,
  type Settings,
  SIZED_REVIEWS,
} from "../../../core/settings.ts";
import { isSignedLevel, levelOf } from "../../../core/strength.ts";
import type { PresentPolicy } from "../../../runtime/module.ts";
import type { Governed, RunContext } from "../../../runtime/transaction/run-event.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { LoadedTask } from "../state/load.ts";
import { taskPath } from "../state/paths.ts";
import { loadHere } from "../state/resolve-run.ts";
import { NEXT_TOOL, RUN_TOOLS, type RunTool } from "../state/status.ts";
import { parseTask, type Task } from "../state/task-file.ts";

/** The name of a tool's gate under `gates` of pawl.yaml. */
export function gateName(tool: RunTool): string {
  return `alfred.${tool}`;
}

/** The reviewers of the tool's artifacts. */
export function reviewersOf(
  reviews: Readonly<Record<string, readonly Reviewer[]>>,
  tool: string,
): readonly Reviewer[] {
  return reviews[tool] ?? reviews.default ?? ["ai", "human"];
}

/**
 * The settings for a task with its `## Size`. A task's file is whatever its author wrote, an agent perhaps: it
 * may always ask for more review. It gets less than `reviews` says only where a verdict may be relayed anyway;
 * and where gates are signed, the project's settings alone count, as `pawl verify` reads them.
 */
export function sizedSettings(settings: Settings, { size }: Pick<Task, "size">): Settings {
  const { alfred, gates } = settings;
  if (size === null || size === alfred.size) return settings;
  if (RUN_TOOLS.some((tool) => isSignedLevel(levelOf(gates, gateName(tool))))) return settings;
  const sized = { ...settings, alfred: { ...alfred, size, reviews: SIZED_REVIEWS[size] } };
  const isOpen = alfred.human_review === "relay" || alfred.reviews === DEFAULT_SETTINGS.alfred.reviews;
  const isLess = comparePolicies(policyOf(settings), policyOf(sized)).some(({ loosens }) => loosens);
  return isOpen || !isLess ? sized : settings;
}

export function policyOf({ alfred, environment, gates }: Settings): Policy {
  return policyFrom({
    "alfred.human_review": alfred.human_review,
    "alfred.evidence": alfred.evidence,
    "alfred.size": alfred.size ?? undefined,
    ...pathsBelow("alfred.reviews", alfred.reviews),
    ...pathsBelow("alfred.checks", alfred.checks),
    ...(environment.length > 0 ? { environment } : {}),
    ...gatePolicy(gates, RUN_TOOLS.map(gateName)),
  });
}

/**
 * The configuration's policy; null if the task is over. A task whose state is unreadable counts as not over.
 */
export async function policyIn(view: View, settings: Settings, id: string): Promise<PresentPolicy | null> {
  const state = await loadHere(view, id).catch(() => null);
  const active = state?.active_tool_state ?? null;
  if (state !== null && active === null && NEXT_TOOL[state.task_status] === null) return null;
  const path = taskPath(id);
  const text = await view.read(path);
  const task = attempt<Pick<Task, "size">, Pick<Task, "size">>(() => parseTask(text ?? "", path), {
    size: null,
  });
  return {
    policy: policyOf(sizedSettings(settings, task)),
    sourcesOf: settingSources,
    named: active?.policy,
  };
}

/** The settings under the policy. */
function settingsBy(policy: Policy, settings: Settings): Settings {
  const alfred = {
    ...settings.alfred,
    human_review: policy["alfred.human_review"],
    evidence: policy["alfred.evidence"],
    size: policy["alfred.size"] ?? null,
    reviews: valuesBelow("alfred.reviews", policy),
    checks: valuesBelow("alfred.checks", policy),
  } as AlfredSettings;
  return { ...settings, alfred, environment: (policy.environment ?? []) as readonly string[] };
}

/**
 * The policy that governs the task now, with the pin to write if it is not pinned yet. Throws
 * `policy-unknown` if the state names a policy that this machine never stored and that is not the present
 * one.
 */
export async function govern(
  { id, state, task }: Pick<LoadedTask, "id" | "state" | "task">,
  { outside: { policies }, settings: configured, view }: RunContext<unknown>,
): Promise<Governed> {
  const settings = sizedSettings(configured, task);
  const present = policyOf(settings);
  const run = `alfred:${id}`;
  const isNew = state.active_tool_state === null && Object.keys(state.completed_tool_outputs).length === 0;
  const pinned = isNew ? null : ((await policies?.find(run)) ?? null);
  const policy = pinned === null ? present : effectivePolicy(pinned, present);
  const hash = hashOfPolicy(policy);
  const named = { run, whose: `The task '${id}'`, what: "the configuration as it was when the task began" };
  const kept = pinned === null ? [] : [hashOfPolicy(pinned), ...((await policies?.earlier(run)) ?? [])];
  checkPolicyKnown(named, state.active_tool_state?.policy, [hash, ...kept]);
  const isKept = pinned !== null && hashOfPolicy(pinned) === hash;
  const pin = { run, policy, ...(isNew ? {} : { instead: pinned }) };
  const loosened = pinned === null ? [] : ignoredIn(pinned, present);
  const ignored = await placed(loosened, settingSources, (file) => view.read(file));
  return { settings: settingsBy(policy, settings), policy: hash, ignored, ...(isKept ? {} : { pin }) };
}

/** Adds a finding about an edit of the policy that does not count, in place of any earlier one. */
export function withPolicyFinding(
  evidence: Evidence,
  id: string,
  ignored: readonly PolicyChange[] = [],
): Evidence {
  const others = evidence.filter(({ about }) => about !== POLICY);
  if (ignored.length === 0) return others;
  const words = `The configuration was loosened since the task began, which is ignored: ${ignored.map(renderChange).join("; ")}. A person sees it with \`pawl config policy alfred:${id}\`, and may accept it there.`;
  return [...others, { about: POLICY, verdict: "differs", words }];
}

const POLICY = "policy";
