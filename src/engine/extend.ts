/**
 * A table laid over another one. Its rows cut their combinations out of the base's rules, so that each
 * combination keeps exactly one rule; what the base says elsewhere stays.
 */
import { nearest } from "../core/text/nearest.ts";
import { intersect, subtract } from "./guard.ts";
import type { TablePromise } from "./promises.ts";
import type { Box, Rule, Workflow } from "./workflow.ts";

/** A table that files of a team's may extend. */
export interface Extensible {
  readonly table: Workflow;
  /** The table with more states, in each of which an agent of the file works, without rules for events that a state does not expect. */
  with(states: Workflow["states"]): Workflow;
  /** Those rules: such an event changes nothing. */
  notNow(rules: readonly Rule[], events: readonly string[], states: Workflow["states"]): readonly Rule[];
  /** The names of its own replies. */
  readonly replies: readonly string[];
  /** Those among them that a row of the file may use. */
  readonly sharedReplies: readonly string[];
  /** The variable of its own that a row of the file may set. */
  readonly sets: readonly string[];
  /** The states where only its own rows start what is done there. */
  readonly starts: ReadonlySet<string>;
  /** The state in which its own agent works, whom a row sends back there. */
  readonly works: string;
  /** What a person says. */
  readonly persons: readonly string[];
  /** Events that the workflow itself counts, or that wait for something outside: no loop over one of them is without an end. */
  readonly bounded: ReadonlySet<string>;
  readonly promises: readonly TablePromise[];
  /** The inputs that cannot change during a run. */
  readonly fixed: readonly string[];
}

/** Its names stand for nothing else in the base. */
export interface Extension extends Pick<Workflow, "events" | "facts"> {
  readonly rows: readonly OwnRow[];
}

export type OwnRow =
  | Rule
  /** `as`: decides like the base's rules on that event which the extension has cut. */
  | (Case & { readonly id: string; readonly as: string })
  /** `of`: sets more variables where the base's rule of that id applies. */
  | (Pick<Rule, "set"> & { readonly id: string; readonly of: "base" });

/** Where a rule applies. */
interface Case {
  readonly from: Rule["from"];
  readonly on: string;
  readonly when?: readonly Box[];
}

export interface ExtensionFault {
  readonly row: string;
  readonly message: string;
}

export interface Extended {
  readonly table: Workflow;
  readonly faults: readonly ExtensionFault[];
}

/** The boxes of a base's rule that an own row takes, in one state. */
interface Cut {
  readonly rule: Rule;
  readonly boxes: readonly Box[];
}

export function extend(base: Workflow, extension: Extension): Extended {
  const faults: ExtensionFault[] = [];
  const facts = { ...base.facts, ...extension.facts };
  const cuts: Cut[] = [];
  let rules = base.rules;
  for (const row of extension.rows) {
    if (!("of" in row)) continue;
    const of = rules.find(({ id }) => id === row.id);
    const strange = Object.keys(row.set ?? {}).filter((name) => !Object.hasOwn(extension.facts, name));
    for (const name of strange)
      faults.push({ row: row.id, message: `rule ${row.id}: ${name} is no variable of this file.` });
    if (of && strange.length === 0)
      rules = rules.map((rule) => (rule === of ? { ...of, set: { ...of.set, ...row.set } } : rule));
  }
  const added: Rule[] = [];
  for (const row of extension.rows) {
    if ("of" in row || "as" in row) continue;
    rules = rules.flatMap((rule) => cutOut(facts, rule, row, cuts));
    added.push(row);
  }
  for (const row of extension.rows) {
    if (!("as" in row)) continue;
    const like = cuts.filter(({ rule }) => rule.on === row.as);
    if (like.length === 0) faults.push({ row: row.id, message: `rule ${row.id}: ${notTaken(base, row.as)}` });
    rules = rules.flatMap((rule) => cutOut(facts, rule, row, []));
    added.push(...like.flatMap((cut, at) => decidesLike(facts, row, cut, like.length > 1 ? at : null)));
  }
  const table: Workflow = {
    ...base,
    events: { ...base.events, ...extension.events },
    facts,
    rules: [...rules, ...added],
  };
  return { table, faults };
}

function notTaken({ events, name }: Workflow, event: string): string {
  if (Object.hasOwn(events, event))
    return `\`as: ${event}\` decides as ${name} did before a row of this file took that event: no row takes it.`;
  const near = nearest(event, Object.keys(events));
  return `\`as: ${event}\`: expected an event of ${name}${near ? `, such as ${near}` : ""}.`;
}

/** The rule without the row's combinations, in the row's states; what was taken is added to `cuts`. */
function cutOut(facts: Workflow["facts"], rule: Rule, row: Case, cuts: Cut[]): readonly Rule[] {
  const states = rule.from.filter((state) => row.from.includes(state));
  if (rule.on !== row.on || states.length === 0) return [rule];
  const boxes = rule.when ?? [{}];
  const wanted = row.when ?? [{}];
  const taken = boxesIn(facts, boxes, wanted);
  if (taken.length === 0) return [rule];
  cuts.push({ rule, boxes: taken });
  const left = wanted.reduce<readonly Box[]>(
    (rest, each) => rest.flatMap((box) => subtract(facts, box, each)),
    boxes,
  );
  const others = rule.from.filter((state) => !states.includes(state));
  return [
    ...(others.length > 0 ? [{ ...rule, from: others }] : []),
    ...(left.length > 0
      ? [
          {
            ...rule,
            ...(others.length > 0 && { id: `${rule.id}.${states.join("+")}` }),
            from: states,
            when: left,
          },
        ]
      : []),
  ];
}

function decidesLike(
  facts: Workflow["facts"],
  row: Case & { readonly id: string },
  { boxes, rule }: Cut,
  at: number | null,
): readonly Rule[] {
  const when = boxesIn(facts, boxes, row.when ?? [{}]);
  if (when.length === 0) return [];
  const isAlways = when.some((box) => Object.keys(box).length === 0);
  const { when: _, ...rest } = rule;
  const id = at === null ? row.id : `${row.id}.${rule.id}`;
  return [{ ...rest, id, from: row.from, on: row.on, ...(isAlways ? {} : { when }) }];
}

function boxesIn(facts: Workflow["facts"], some: readonly Box[], others: readonly Box[]): readonly Box[] {
  return some.flatMap((box) =>
    others.map((other) => intersect(facts, box, other)).filter((each) => each !== null),
  );
}
