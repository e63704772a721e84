/** Trees of tasks in many layouts, and edits of two people who do not touch the same thing. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { readYaml } from "../../core/yaml.ts";
import { mergeTasks } from "./merge.ts";

interface Item {
  id: string;
  kind: "task" | "step";
  /** `{id: …}` */
  flow: boolean;
  remark: string;
  keys: [string, string][];
  steps: Item[];
  subtasks: Item[];
}

type Shape = Pick<Item, "flow" | "remark"> & {
  readonly keys: readonly string[];
  readonly steps: readonly Shape[];
  readonly subtasks: readonly Shape[];
};

const KEYS = ["status", "agent", "mine", "notes"];
const VALUES = ["in_progress", "done # why", '"in_progress"', "'done'"];

const { task } = fc.letrec<{ task: Shape; step: Shape }>((tie) => {
  const own = {
    flow: fc.boolean(),
    remark: fc.constantFrom("", "# about it\n", "\n"),
    keys: fc.subarray(KEYS),
  };
  const none = fc.constant<readonly Shape[]>([]);
  const noKeys = fc.constant<readonly string[]>([]);
  const few = (of: "task" | "step") => fc.array(tie(of), { minLength: 1, maxLength: 3 });
  return {
    step: fc.record({ ...own, keys: noKeys, steps: none, subtasks: none }),
    task: fc.record({
      ...own,
      steps: fc.oneof(none, few("step")),
      subtasks: fc.oneof(none, none, few("task")),
    }),
  };
});

let count = 0;
function made(shape: Shape, kind: Item["kind"] = "task", isFlow = false): Item {
  count += 1;
  const id = `${kind}-${count}`;
  const flow = shape.flow && isFlow;
  return {
    ...{ id, kind, flow, remark: flow ? "" : shape.remark },
    keys: [[kind === "task" ? "title" : "instruction", `text ${count}`], ...shape.keys.map(valued)],
    steps: shape.steps.map((each) => made(each, "step", true)),
    subtasks: shape.subtasks.map((each) => made(each, "task", false)),
  };
}

function valued(key: string, at: number): [string, string] {
  return [key, key === "status" ? "todo" : `${key} ${at}`];
}

function rendered(items: readonly Item[], column: number): string {
  const pad = " ".repeat(column);
  const lines = items.map((item) => {
    const { flow, id, keys, remark, steps, subtasks } = item;
    const lead = remark.startsWith("#") ? pad + remark : remark;
    const plain = keys.map(([key, value]) => `${key}: ${flow ? value.replace(/ #.*/, "") : value}`);
    if (flow) return `${lead}${pad}- {${[`id: ${id}`, ...plain].join(", ")}}\n`;
    const lists = Object.entries({ steps, subtasks }).filter(([, inner]) => inner.length > 0);
    const inner = lists.map(([key, list]) => `${pad}  ${key}:\n${rendered(list, column + 4)}`);
    return `${lead}${pad}- id: ${id}\n${plain.map((line) => `${pad}  ${line}\n`).join("")}${inner.join("")}`;
  });
  return lines.join("");
}

const fileOf = (items: readonly Item[]) => `# ours\ntasks:\n${rendered(items, 2)}`;

interface Placed {
  readonly item: Item;
  readonly list: Item[];
}

function placed(list: Item[]): readonly Placed[] {
  return list.flatMap((item) => [{ item, list }, ...placed(item.steps), ...placed(item.subtasks)]);
}

const edits = fc.array(
  fc.record({
    side: fc.constantFrom(0, 1),
    at: fc.nat(),
    value: fc.constantFrom(...VALUES),
    key: fc.constantFrom("status", "own"),
    kind: fc.constantFrom("set", "set", "remove", "insert"),
  }),
  { minLength: 2, maxLength: 12 },
);

/** Does the edit on each of the trees, unless another edit is about the same; so every one of them survives. */
function edit(
  trees: readonly Item[][],
  how: { at: number; kind: string; key: string; value: string },
  used: Set<string>,
) {
  const all = placed(trees[0] as Item[]);
  const { item } = all[how.at % all.length] as Placed;
  const found = trees.map((tree) => placed(tree).find((each) => each.item.id === item.id));
  const inside = placed([item]).map((each) => each.item.id);
  if (found.some((each) => each === undefined)) return;
  const name = how.kind === "set" ? `${item.id} ${how.key}` : item.id;
  if (used.has(name) || used.has(item.id)) return;
  const isTouched = inside.some((id) => [...used].some((each) => each === id || each.startsWith(`${id} `)));
  if (how.kind === "remove" && (isTouched || found.some((each) => (each as Placed).list.length < 2))) return;
  for (const id of how.kind === "remove" ? inside : [name]) used.add(id);
  count += 1;
  for (const { item: own, list } of found as Placed[]) {
    if (how.kind === "remove") list.splice(list.indexOf(own), 1);
    else if (how.kind === "insert") list.splice(list.indexOf(own) + 1, 0, added(own));
    else own.keys = [...own.keys.filter(([key]) => key !== how.key), [how.key, how.value]];
  }
}

function added({ flow, kind }: Item): Item {
  const text: [string, string] = [kind === "task" ? "title" : "instruction", "new"];
  return { id: `${kind}-${count}`, kind, flow, remark: "", keys: [text], steps: [], subtasks: [] };
}

/** Lists by ids: where two added something at one place, either may be first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

const dataIn = (text: string) => sorted(readYaml(text).data);

it("A merge has all edits of both, as long as they are about different things", () => {
  let merges = 0;
  fc.assert(
    fc.property(fc.array(task, { minLength: 2, maxLength: 4 }), edits, (shapes, wanted) => {
      const base = shapes
        .map((shape) => made(shape, "task", true))
        .map((each) => ({ ...each, flow: each.flow && isFlat(each) }));
      const [mine, theirs, both] = [0, 1, 2].map(() => structuredClone(base)) as [Item[], Item[], Item[]];
      const used = new Set<string>();
      for (const how of wanted) edit([how.side === 0 ? mine : theirs, both], how, used);
      const [from, one, other] = [base, mine, theirs].map(fileOf) as [string, string, string];
      const result = mergeTasks({ base: from, mine: one, theirs: other });
      if (one !== from && other !== from) merges += 1;
      expect(result).toMatchObject({ ok: true });
      expect(dataIn(result.ok ? result.text : "")).toEqual(dataIn(fileOf(both)));
    }),
    { numRuns: 200 },
  );
  expect(merges).toBeGreaterThan(50);
});

function isFlat({ steps, subtasks }: Item): boolean {
  return steps.length + subtasks.length === 0;
}
