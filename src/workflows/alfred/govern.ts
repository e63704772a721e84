/**
 * The policy of a task: pinned when its first tool begins, and governing until the task is done. What the configuration
 * says later counts where it tightens; where it loosens it is a finding, shown at every gate, until a person accepts it.
 */
import { PawlError } from "../../core/error.ts";
import {
  governing,
  hashOfPolicy,
  ignoredIn,
  type Policy,
  type PolicyChange,
  policyFrom,
  renderChange,
} from "../../core/policy.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { AlfredSettings, Settings } from "../../core/settings.ts";
import type { Context } from "../../runtime/module.ts";
import type { Evidence, Finding } from "./evidence.ts";
import type { LoadedTask } from "./load.ts";
import type { ToolPlan } from "./response.ts";

export function policyOf({ alfred, environment }: Settings): Policy {
  const named = (prefix: string, map: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [`${prefix}.${name}`, value]));
  return policyFrom({
    "alfred.human_review": alfred.human_review,
    "alfred.evidence": alfred.evidence,
    ...named("alfred.reviews", alfred.reviews),
    ...named("alfred.checks", alfred.checks),
    ...(environment.length > 0 ? { environment } : {}),
  });
}

/** The settings with the policy in their place. */
function settingsBy(policy: Policy, settings: Settings): Settings {
  const under = (prefix: string) =>
    Object.fromEntries(
      Object.entries(policy).flatMap(([path, value]) =>
        path.startsWith(prefix) ? [[path.slice(prefix.length), value]] : [],
      ),
    );
  const alfred = {
    ...settings.alfred,
    human_review: policy["alfred.human_review"],
    evidence: policy["alfred.evidence"],
    reviews: under("alfred.reviews."),
    checks: under("alfred.checks."),
  } as AlfredSettings;
  return { ...settings, alfred, environment: (policy.environment ?? []) as readonly string[] };
}

export interface Governed {
  readonly context: Context;
  readonly ignored: readonly PolicyChange[];
  /** Of the policy, for the state. */
  readonly hash: string;
}

/**
 * What governs the task now; pins it where nothing is pinned yet. Throws `policy-unknown` where the state names a policy
 * that is not kept on this machine and is not the present one either.
 */
export async function govern(
  { id, state }: Pick<LoadedTask, "id" | "state">,
  outside: Outside,
  context: Context,
): Promise<Governed> {
  const { policies } = outside;
  const present = policyOf(context.settings);
  const run = `alfred:${id}`;
  const isNew = state.active_tool_state === null && Object.keys(state.completed_tool_outputs).length === 0;
  const pinned = isNew ? null : ((await policies?.find(run)) ?? null);
  const policy = pinned === null ? present : governing(pinned, present);
  const hash = await hashOfPolicy(policy);
  if (pinned === null) checkKnown(id, state.active_tool_state?.policy, hash);
  if (pinned === null || (await hashOfPolicy(pinned)) !== hash) await policies?.keep(run, policy);
  const ignored = pinned === null ? [] : ignoredIn(pinned, present);
  return { context: { ...context, settings: settingsBy(policy, context.settings) }, ignored, hash };
}

function checkKnown(id: string, named: string | undefined, present: string): void {
  if (named === undefined || named === present) return;
  throw new PawlError(
    "policy-unknown",
    `The task '${id}' goes by a policy that this machine does not have (${named.slice(0, 12)}), and the project's present one is another (${present.slice(0, 12)}). Nothing was changed.`,
    `Restore the configuration as it was when the task began, or have a person run \`pawl policy alfred:${id} --accept\` in a terminal.`,
  );
}

/** What the assistant and the person see of an edit that does not count. */
export function policyFinding(id: string, ignored: readonly PolicyChange[]): readonly Finding[] {
  if (ignored.length === 0) return [];
  return [
    {
      about: POLICY,
      verdict: "differs",
      words: `The configuration was loosened since the task began, which does not count: ${ignored.map(renderChange).join("; ")}. A person sees it with \`pawl policy alfred:${id}\`, and may accept it there.`,
    },
  ];
}

const POLICY = "policy";

export interface Held<G> {
  readonly inner: G;
  readonly governed: Governed;
}

/** The plan, with the pinned policy in place of the present configuration once it looks outside and decides. */
export function governed<Input, Seen, G extends object | null>(
  plan: ToolPlan<Input, Seen, G>,
  taskIn: (seen: Seen) => Pick<LoadedTask, "id" | "state"> | null,
): ToolPlan<Input, Seen, Held<G>> {
  return {
    ...plan,
    async gather(seen, input, outside, context) {
      const task = taskIn(seen);
      const found = task
        ? await govern(task, outside, context)
        : { context, ignored: [], hash: await hashOfPolicy(policyOf(context.settings)) };
      const inner = (await plan.gather?.(seen, input, outside, found.context)) as G;
      return { inner: task ? told(inner, task.id, found.ignored) : inner, governed: found };
    },
    prepare(seen, { inner, governed: { context, hash, ignored } }, input) {
      const answer = plan.prepare(seen, inner, input, { ...context, policy: hash });
      const task = taskIn(seen);
      if (!task || ignored.length === 0 || !answer.changes?.length) return answer;
      const { id, time } = context.moment;
      const event = {
        id: `${id}-policy`,
        time,
        type: "policy:changed",
        run: `alfred:${task.id}`,
        ignored,
      } as const;
      return { ...answer, events: [...(answer.events ?? []), event] };
    },
  };
}

/** Beside what else was found, in place of an earlier look's. */
function told<G extends object | null>(inner: G, id: string, ignored: readonly PolicyChange[]): G {
  if (inner === null || !("evidence" in inner)) return inner;
  const evidence = inner.evidence as Evidence;
  const others = evidence.filter(({ about }) => about !== POLICY);
  return { ...inner, evidence: [...others, ...policyFinding(id, ignored)] };
}
