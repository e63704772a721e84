/** What a table promises to all that extend it: states that no run reaches without another state, or without an event. */
import { pathTo, type Reach, reachOf } from "./reach.ts";
import type { Violation } from "./violation.ts";
import type { Box, FactValue, Rule, Workflow } from "./workflow.ts";

export interface TablePromise {
  /** No run reaches these states … */
  readonly no: readonly string[];
  /** … in a walk without this state, or without this event … */
  readonly without: { readonly state: string } | { readonly event: string };
  /** … where the inputs that stay the same during a run have these values. */
  readonly when?: Readonly<Record<string, FactValue>>;
  /** `nothing leaves the workspace that is not committed` */
  readonly says: string;
}

/** `fixed`: the inputs that cannot change during a run; each of their combinations is explored separately. */
export function checkPromises(
  table: Workflow,
  promises: readonly TablePromise[],
  fixed: readonly string[],
): readonly Violation[] {
  const settings = combinations(table, fixed);
  return promises.flatMap((promise) => {
    for (const setting of settings) {
      if (Object.entries(promise.when ?? {}).some(([name, value]) => setting[name] !== value)) continue;
      const broken = brokenIn(narrowed(table, setting, promise.without), promise);
      if (broken !== null) return [{ ...broken, facts: setting }];
    }
    return [];
  });
}

function brokenIn(table: Workflow, { no, says }: TablePromise): Violation | null {
  const reach: Reach = reachOf(table);
  const at = reach.configurations.findIndex(({ configuration }) => no.includes(configuration.state));
  const state = reach.configurations[at]?.configuration.state;
  if (state === undefined) return null;
  const path = pathTo(reach, at).map(({ id }) => id);
  return {
    kind: "promise-broken",
    message: `Its table promises that ${says}; here a run reaches ${state} all the same.`,
    state,
    rules: path.slice(-1),
    path,
  };
}

function combinations(
  table: Workflow,
  names: readonly string[],
): readonly Readonly<Record<string, FactValue>>[] {
  return names.reduce<Record<string, FactValue>[]>(
    (all, name) =>
      all.flatMap((each) => (table.facts[name]?.values ?? []).map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}

function narrowed(
  table: Workflow,
  setting: Readonly<Record<string, FactValue>>,
  without: TablePromise["without"],
): Workflow {
  const rules = table.rules
    .filter((rule) => !("event" in without && rule.on === without.event))
    .map((rule): Rule => {
      const from = "state" in without ? rule.from.filter((state) => state !== without.state) : rule.from;
      return { ...rule, from, ...(rule.when && { when: rule.when.filter((box) => admits(box, setting)) }) };
    });
  return { ...table, rules };
}

function admits(box: Box, setting: Readonly<Record<string, FactValue>>): boolean {
  return Object.entries(setting).every(([name, value]) => box[name]?.includes(value) ?? true);
}
