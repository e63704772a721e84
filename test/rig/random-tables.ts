/** Small tables at random: some with anything in their rows, some with exactly one row for everything. */
import fc from "fast-check";
import type { Box, Fact, FactValue, Rule, Setting, Workflow } from "../../src/engine/workflow.ts";

const STATES = ["s1", "s2", "s3", "s4"];
const EVENTS = ["go", "back"];
const FACTS: Readonly<Record<string, Fact>> = {
  seen: { description: "", values: ["no", "yes"] },
  size: { description: "", values: ["s", "m", "l"] },
  stage: { description: "", values: [null, "ai", "human"], initial: null },
  tries: { description: "", values: [0, 1, 2], initial: 0 },
};

const states = fc.constantFrom(...STATES);
const someStates = fc.subarray(STATES.slice(0, 3), { minLength: 1 });
const someValues = (name: string) => fc.subarray([...(FACTS[name] as Fact).values], { minLength: 1 });

const box: fc.Arbitrary<Box> = fc.record(
  {
    seen: someValues("seen"),
    size: someValues("size"),
    stage: someValues("stage"),
    tries: someValues("tries"),
  },
  { requiredKeys: [] },
);

const settings: fc.Arbitrary<Readonly<Record<string, Setting>>> = fc.record(
  {
    stage: fc.constantFrom<Setting>(null, "ai", "human", { of: { s1: "ai", s2: "human", s3: null } }),
    tries: fc.constantFrom<Setting>(0, 2, { add: 1 }, { add: -1 }),
  },
  { requiredKeys: [] },
);

const to = fc.oneof(
  states,
  fc.constant("same"),
  fc.tuple(states, states, states).map(([s1, s2, s3]) => ({ s1, s2, s3 })),
);

const row = fc.record(
  {
    from: someStates,
    on: fc.constantFrom(...EVENTS),
    when: fc.array(box, { minLength: 1, maxLength: 2 }),
    to,
    set: settings,
  },
  { requiredKeys: ["from", "on", "to"] },
);

/** Rows as they come: gaps, overlaps, traps and dead rows are the rule. */
export const anyTable: fc.Arbitrary<Workflow> = fc
  .tuple(fc.array(row, { maxLength: 10 }), fc.boolean())
  .map(([rows, manyStarts]) =>
    tableOf(
      rows.map((each, index) => ({ ...each, id: `r${index}`, ...OUTCOME })),
      manyStarts,
    ),
  );

const OUTCOME = { outcome: "moved", reply: "r" } as const;

/**
 * Tables with exactly one row for everything, built so: for each state and event the worlds are divided by a tree of
 * facts, and the leaves are dealt out to up to three rows.
 */
export const completeTable: fc.Arbitrary<Workflow> = fc
  .tuple(
    fc.array(fc.tuple(divided(), fc.array(fc.tuple(to, settings), { minLength: 3, maxLength: 3 })), {
      minLength: 6,
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .map(([pairs, manyStarts]) => {
    const rules = pairs.flatMap(([leaves, targets], index) => {
      const from = STATES[index % 3] as string;
      const on = EVENTS[Math.floor(index / 3)] as string;
      return targets.flatMap(([to, set], deal): Rule[] => {
        const when = leaves.filter((_, leaf) => leaf % 3 === deal);
        return when.length === 0
          ? []
          : [
              {
                id: `${from}.${on}.${deal}`,
                from: [from],
                on,
                when,
                to: targetFor(to, from),
                set: settingsFor(set, from),
                ...OUTCOME,
              },
            ];
      });
    });
    return tableOf(rules, manyStarts);
  });

/** The map for one source state only, as `check` wants it. */
function targetFor(to: Rule["to"], from: string): Rule["to"] {
  return typeof to === "string" ? to : { [from]: to[from] as string };
}

function settingsFor(
  set: Readonly<Record<string, Setting>>,
  from: string,
): Readonly<Record<string, Setting>> {
  const own = Object.entries(set).map(([name, setting]) =>
    typeof setting === "object" && setting !== null && "of" in setting
      ? [name, { of: { [from]: setting.of[from] as FactValue } }]
      : [name, setting],
  );
  return Object.fromEntries(own);
}

/** Boxes that do not overlap and leave nothing out. */
function divided(): fc.Arbitrary<readonly Box[]> {
  const names = Object.keys(FACTS);
  const divide = (box: Box, left: readonly string[], choices: readonly number[]): readonly Box[] => {
    const [choice = 0, ...rest] = choices;
    const name = left[choice % (left.length + 1)];
    if (name === undefined) return [box];
    const { values } = FACTS[name] as Fact;
    const cut = 1 + (choice % (values.length - 1 || 1));
    const others = left.filter((each) => each !== name);
    return [values.slice(0, cut), values.slice(cut)]
      .filter((part) => part.length > 0)
      .flatMap((part) => divide({ ...box, [name]: part }, others, rest));
  };
  return fc
    .array(fc.nat(20), { maxLength: 3 })
    .map((choices) => divide({}, names, [...choices, names.length]));
}

function tableOf(rules: readonly Rule[], manyStarts: boolean): Workflow {
  return {
    name: "random",
    title: "A table at random",
    states: {
      s1: { description: "" },
      s2: { description: "" },
      s3: { description: "" },
      s4: { description: "", final: true },
    },
    initial: "s1",
    events: { go: { description: "" }, back: { description: "" } },
    facts: FACTS,
    ...(manyStarts ? { starts: [{ stage: "ai" }, { stage: "human", tries: 1 }] } : {}),
    rules,
    goals: ["s4"],
  };
}
