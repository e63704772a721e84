/**
 * Whether the points of the last rejection were addressed: computed from files and artifact, never from an
 * agent's claim.
 */
import { canonical } from "../../core/json.ts";
import type { ChangedFile } from "../../core/ports/git.ts";
import type { AnsweredPoint, Point } from "./points.ts";

export interface Facts {
  /** The files that differ from the rejected work; null: not known. */
  readonly changed: readonly ChangedFile[] | null;
  /** The rejected artifact, and the present one; null: not known. */
  readonly before: unknown;
  readonly now: unknown;
}

export function answered(points: readonly Point[], facts: Facts): readonly AnsweredPoint[] {
  return points.map((point) => ({ ...point, since: sinceOf(point, facts) }));
}

function sinceOf({ at }: Point, { before, changed, now }: Facts): AnsweredPoint["since"] {
  if (at === undefined) return "unknown";
  if ("file" in at)
    return changed === null ? "unknown" : changed.some(({ path }) => path === at.file) ? "changed" : "same";
  if (before === null || now === null) return "unknown";
  const [was, is] = [fieldIn(before, at.field), fieldIn(now, at.field)];
  if (was === undefined && is === undefined) return "unknown";
  return isSame(was, is) ? "same" : "changed";
}

/** A field by its path: `risk_analysis`, `slots.0.spec`; undefined: there is none. */
export function fieldIn(value: unknown, field: string): unknown {
  let found = value;
  for (const key of field.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one ?? null) === canonical(other ?? null);
}
