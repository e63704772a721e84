/**
 * The settings that govern a run: reviewers, checks, `verify`, budget, permission. The policy is recorded
 * when the run begins. A later edit, by any author, does not loosen it.
 *
 * P1  A change that tightens a policy counts at once.
 * P2  A change that loosens it, or might, counts once a person has accepted it.
 */
import { PawlError } from "./error.ts";
import { hashOf } from "./hash.ts";
import { canonical } from "./json.ts";
import { GATE_LEVELS, type GateLevels, levelOf } from "./strength.ts";

/** Path → plain JSON: `alfred.human_review`, `task.verify`. A setting without a value has no entry. */
export type Policy = Readonly<Record<string, unknown>>;

export interface PolicyChange {
  readonly path: string;
  /** Undefined if the setting had no value. */
  readonly pinned: unknown;
  readonly present: unknown;
  readonly loosens: boolean;
  /** A place such as `pawl.yaml:12`, if it was looked up and a file has the setting. */
  readonly place?: string;
}

/** How to compare a setting, by its path or by the last part of its path that is listed here. */
const ORDERED: Readonly<Record<string, readonly unknown[]>> = {
  human_review: ["relay", "elicit", "confirm"],
  evidence: ["show", "require"],
  "alfred.size": ["light", "standard", undefined, "careful"],
  permission: ["all", "edits", "ask"],
  on_unmarked_step: ["assume", "ask", "block"],
  checkpoint: [undefined, false, true],
  push_to_remote: [true, false],
  "sandbox.kind": ["none", "auto", "bwrap"],
  "sandbox.network": ["all", "model", "none"],
};
/** The level of a gate. A gate without a requirement has no entry. */
const GATE_LEVEL = /^gates\./;
const GATE_ORDER: readonly unknown[] = [undefined, ...GATE_LEVELS];
/** A smaller amount is tighter; no amount is the loosest. */
const AMOUNTS = /(^|\.)(budget|limits)\.[a-z]+$|(^|\.)tries$|^bloom\.caps\./;
/** More entries are tighter. */
const GROWING = /(^|\.)(verify|acceptance_criteria|reviews\.[a-z_]+)$/;
const REVIEWERS = /^(alfred\.reviews\.)[a-z_]+$/;
/** Fewer entries are tighter. */
const SHRINKING = /(^|\.)environment$|^sandbox\.(hosts|read|write)$/;
/** One more entry is tighter; changing an entry is not. */
const NAMED = /(^|\.)checks\./;
/**
 * Parts of a workflow's definition. The author chose these names, so no rule for a setting applies to them.
 */
const DEFINED = /^definition\./;
/** One more gate is tighter, and so are scopes where there were none. */
const TIGHTER_IF_ADDED = /^definition\.(?:(?:gates|scopes)\.|plan_files$)/;

export function comparePolicies(pinned: Policy, present: Policy): readonly PolicyChange[] {
  const paths = [...new Set([...Object.keys(pinned), ...Object.keys(present)])].sort();
  return paths.flatMap((path) => {
    const [before, now] = [valueAt(pinned, path), valueAt(present, path)];
    if (canonical(before) === canonical(now)) return [];
    return [{ path, pinned: before, present: now, loosens: !tightens(path, before, now) }];
  });
}

/** A tool without reviewers of its own has the default ones. */
function valueAt(policy: Policy, path: string): unknown {
  const value = policy[path];
  return value === undefined && REVIEWERS.test(path) ? policy[path.replace(REVIEWERS, "$1default")] : value;
}

function tightens(path: string, before: unknown, now: unknown): boolean {
  if (DEFINED.test(path)) return TIGHTER_IF_ADDED.test(path) && before === undefined;
  const named = ORDERED[path] ?? ORDERED[path.slice(path.lastIndexOf(".") + 1)];
  const order = GATE_LEVEL.test(path) ? GATE_ORDER : named;
  if (order) return order.includes(now) && order.indexOf(now) > order.indexOf(before);
  if (AMOUNTS.test(path)) return typeof now === "number" && (typeof before !== "number" || now < before);
  if (GROWING.test(path)) return holds(now, before);
  if (SHRINKING.test(path)) return holds(before, now);
  return NAMED.test(path) && before === undefined;
}

function holds(outer: unknown, inner: unknown): boolean {
  const items = new Set(Array.isArray(outer) ? outer.map(canonical) : []);
  return Array.isArray(inner) ? inner.every((each) => items.has(canonical(each))) : inner === undefined;
}

/** The effective policy: the pinned one, plus the tighter settings of the present one. */
export function effectivePolicy(pinned: Policy, present: Policy): Policy {
  const tighter = comparePolicies(pinned, present).filter(({ loosens }) => !loosens);
  const result: Record<string, unknown> = { ...pinned };
  for (const { path, present: now } of tighter) {
    if (now === undefined) delete result[path];
    else result[path] = now;
  }
  return result;
}

/** The changes that are ignored until a person accepts them. */
export function ignoredIn(pinned: Policy, present: Policy): readonly PolicyChange[] {
  return comparePolicies(pinned, present).filter(({ loosens }) => loosens);
}

/** `alfred.human_review: "confirm" → "relay" (pawl.yaml:12)` */
export function renderChange({ path, pinned, place, present }: PolicyChange): string {
  const shown = (value: unknown) => (value === undefined ? "none" : canonical(value));
  return `${path}: ${shown(pinned)} → ${shown(present)}${place ? ` (${place})` : ""}`;
}

const MAX_NAMED = 5;

/** Names the tasks because of which the loop's own policy is pinned. */
export function whileOpen(tasks: readonly string[] = []): string {
  if (tasks.length === 0) return "";
  const more = tasks.length - MAX_NAMED;
  const named = [...tasks.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])];
  return ` while ${named.join(", ")} ${tasks.length === 1 ? "is" : "are"} open`;
}

/** The sha-256 of the policy, in hexadecimal. */
export function hashOfPolicy(policy: Policy): string {
  return hashOf(canonical(policy));
}

/** A map's entries as settings below a path. */
export function pathsBelow(
  prefix: string,
  map: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [`${prefix}.${name}`, value]));
}

export function valuesBelow(prefix: string, policy: Policy): Readonly<Record<string, unknown>> {
  const below = Object.entries(policy).filter(([path]) => path.startsWith(`${prefix}.`));
  return Object.fromEntries(below.map(([path, value]) => [path.slice(prefix.length + 1), value]));
}

/**
 * Throws `policy-unknown` if the run's state names a policy that is none of these: the one that governs it
 * now, and those that this machine kept for it. Then the run continued elsewhere, under another policy.
 * `whose`: the run in words; `what`: what to restore, and to which time.
 */
export function checkPolicyKnown(
  { run, what, whose }: { readonly run: string; readonly whose: string; readonly what: string },
  named: string | undefined,
  [present = "", ...kept]: readonly string[],
): void {
  if (named === undefined || named === present || kept.includes(named)) return;
  throw new PawlError(
    "policy-unknown",
    `${whose} continued under a policy that this machine does not have (${named.slice(0, 12)}); here another one would govern it (${present.slice(0, 12)}). Nothing was changed.`,
    `Restore ${what}, or have a person run \`pawl config policy ${run} --accept\` in a terminal.`,
  );
}

/** Makes a policy, leaving out settings without a value. */
export function policyFrom(entries: Readonly<Record<string, unknown>>): Policy {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

/** The levels of these gates, as part of a policy. A gate without a requirement has no entry. */
export function gatePolicy(levels: GateLevels, gates: readonly string[]): Policy {
  const gateLevels = gates.map((gate) => [`gates.${gate}`, levelOf(levels, gate)] as const);
  return Object.fromEntries(gateLevels.filter(([, level]) => level !== "any"));
}
