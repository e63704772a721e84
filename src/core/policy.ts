/**
 * What governs a run: who reviews, which checks, `verify`, budget, permission. It is written down when the run begins, and
 * an edit in the meantime, by whoever has a shell, does not loosen it.
 *
 * P1  What tightens a policy counts at once.
 * P2  An edit that loosens it, or might, counts once a person has accepted it.
 */
import { PawlError } from "./error.ts";
import { hashOf } from "./hash.ts";
import { GATE_LEVELS, type GateLevels, levelOf } from "./strength.ts";
import { canonical } from "./trust.ts";

/** Path → plain JSON: `alfred.human_review`, `task.verify`. What is not set is not there. */
export type Policy = Readonly<Record<string, unknown>>;

export interface PolicyChange {
  readonly path: string;
  /** Undefined: it was not there. */
  readonly pinned: unknown;
  readonly present: unknown;
  readonly loosens: boolean;
  /** `pawl.yaml:12`, where it was looked up and stands in a file. */
  readonly place?: string;
}

/** How a setting is compared, by its path or the last part of it that is known here. */
const ORDERED: Readonly<Record<string, readonly unknown[]>> = {
  human_review: ["relay", "elicit", "confirm"],
  evidence: ["show", "require"],
  permission: ["all", "edits", "ask"],
  on_unmarked_step: ["assume", "ask", "block"],
  checkpoint: [undefined, false, true],
  push_to_remote: [true, false],
  "sandbox.kind": ["none", "auto", "bwrap"],
  "sandbox.network": ["all", "none"],
};
/** The level of a gate, which is not there where it asks nothing. */
const GATE_LEVEL = /^gates\./;
const GATE_ORDER: readonly unknown[] = [undefined, ...GATE_LEVELS];
/** A smaller one is tighter; none is the loosest. */
const AMOUNTS = /(^|\.)(budget|limits)\.[a-z]+$|(^|\.)tries$/;
/** More of them is tighter. */
const GROWING = /(^|\.)(verify|reviews\.[a-z_]+)$/;
/** Fewer of them is tighter. */
const SHRINKING = /(^|\.)environment$|^sandbox\.(read|write)$/;
/** One more is tighter; to change one is not. */
const NAMED = /(^|\.)checks\./;
/** What a workflow's definition says: its names are the author's own, so that no rule for a setting may read them. */
const DEFINED = /^definition\./;
const GATE = /^definition\.gates\./;

export function comparePolicies(pinned: Policy, present: Policy): readonly PolicyChange[] {
  const paths = [...new Set([...Object.keys(pinned), ...Object.keys(present)])].sort();
  return paths.flatMap((path) => {
    const [before, now] = [pinned[path], present[path]];
    if (canonical(before) === canonical(now)) return [];
    return [{ path, pinned: before, present: now, loosens: !tightens(path, before, now) }];
  });
}

function tightens(path: string, before: unknown, now: unknown): boolean {
  if (DEFINED.test(path)) return GATE.test(path) && before === undefined;
  const named = ORDERED[path] ?? ORDERED[path.slice(path.lastIndexOf(".") + 1)];
  const order = GATE_LEVEL.test(path) ? GATE_ORDER : named;
  if (order) return order.includes(now) && order.indexOf(now) > order.indexOf(before);
  if (AMOUNTS.test(path)) return typeof now === "number" && (typeof before !== "number" || now < before);
  if (GROWING.test(path)) return holds(now, before);
  if (SHRINKING.test(path)) return holds(before, now);
  return NAMED.test(path) && before === undefined;
}

function holds(outer: unknown, inner: unknown): boolean {
  const items = Array.isArray(outer) ? outer : [];
  return Array.isArray(inner) ? inner.every((each) => items.includes(each)) : inner === undefined;
}

/** What governs: the pinned policy, with what the present one tightens. */
export function governing(pinned: Policy, present: Policy): Policy {
  const tighter = comparePolicies(pinned, present).filter(({ loosens }) => !loosens);
  const result: Record<string, unknown> = { ...pinned };
  for (const { path, present: now } of tighter) {
    if (now === undefined) delete result[path];
    else result[path] = now;
  }
  return result;
}

/** What is ignored until a person accepts it. */
export function ignoredIn(pinned: Policy, present: Policy): readonly PolicyChange[] {
  return comparePolicies(pinned, present).filter(({ loosens }) => loosens);
}

/** `alfred.human_review: "confirm" → "relay" (pawl.yaml:12)` */
export function renderChange({ path, pinned, place, present }: PolicyChange): string {
  const shown = (value: unknown) => (value === undefined ? "none" : canonical(value));
  return `${path}: ${shown(pinned)} → ${shown(present)}${place ? ` (${place})` : ""}`;
}

/** The sha-256 of the policy, in hexadecimal. */
export function hashOfPolicy(policy: Policy): Promise<string> {
  return hashOf(canonical(policy));
}

/** A map's entries as settings below a path, and what a policy has below one. */
export function pathsBelow(
  prefix: string,
  map: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [`${prefix}.${name}`, value]));
}

export function valuesBelow(prefix: string, policy: Policy): Readonly<Record<string, unknown>> {
  const own = Object.entries(policy).filter(([path]) => path.startsWith(`${prefix}.`));
  return Object.fromEntries(own.map(([path, value]) => [path.slice(prefix.length + 1), value]));
}

/**
 * Throws `policy-unknown` where the run's state names a policy that is not kept on this machine and is not the present one
 * either. `whose`: the run in words; `what`: whose earlier text is to be restored, and to when.
 */
export function checkKnown(
  { run, what, whose }: { readonly run: string; readonly whose: string; readonly what: string },
  named: string | undefined,
  present: string,
): void {
  if (named === undefined || named === present) return;
  throw new PawlError(
    "policy-unknown",
    `${whose} goes by a policy that this machine does not have (${named.slice(0, 12)}), and the project's present one is another (${present.slice(0, 12)}). Nothing was changed.`,
    `Restore ${what}, or have a person run \`pawl policy ${run} --accept\` in a terminal.`,
  );
}

/** Without what is not set. */
export function policyFrom(entries: Readonly<Record<string, unknown>>): Policy {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

/** What the gates of these names ask, as part of a policy. One that asks nothing is not there. */
export function gatePolicy(levels: GateLevels, gates: readonly string[]): Policy {
  const asked = gates.map((gate) => [`gates.${gate}`, levelOf(levels, gate)] as const);
  return Object.fromEntries(asked.filter(([, level]) => level !== "any"));
}
