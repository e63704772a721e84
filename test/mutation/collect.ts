/** Stands for `vitest` where the tests run in the mutation runner's own process: it collects them, and no more. */
import { mock } from "node:test";
import { format } from "node:util";

export { expect } from "vitest";

/** Vitest's own timers ask for a worker of Vitest. */
export const vi = {
  useFakeTimers: (): void => {
    // A test that a mutant kept from ending has left them.
    mock.timers.reset();
    mock.timers.enable({ apis: ["setInterval"] });
  },
  advanceTimersByTime: (milliseconds: number): void => mock.timers.tick(milliseconds),
  useRealTimers: (): void => mock.timers.reset(),
};

/** No test runs under Vitest, so none can say what it promises. */
export const TestRunner = { getCurrentTest: (): undefined => undefined };

export interface CollectedTest {
  readonly id: string;
  readonly file: string;
  run(): Promise<void>;
}

type Body = (...values: readonly unknown[]) => unknown;

interface Group {
  readonly name: string;
  readonly before: readonly Body[];
  readonly after: readonly Body[];
}

let file = "";
let group = { name: "", before: [] as Body[], after: [] as Body[] };
let collected: CollectedTest[] = [];
const ids = new Map<string, number>();

/** The tests of a file, which `load` imports. */
export async function collect(name: string, load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  [file, group, collected] = [name, { name: "", before: [], after: [] }, []];
  ids.clear();
  await load();
  return collected;
}

function add(name: string, body: Body): void {
  const groups: Group[] = [...outer, group];
  const title = [...groups.map((each) => each.name), name].filter(Boolean).join(" > ");
  const count = (ids.get(title) ?? 0) + 1;
  ids.set(title, count);
  const run = async () => {
    try {
      for (const { before } of groups) for (const hook of before) await hook();
      await body();
    } finally {
      for (const { after } of groups.toReversed()) for (const hook of after) await hook();
    }
  };
  collected.push({ id: `${file}#${title}${count > 1 ? ` (${count})` : ""}`, file, run });
}

const outer: (typeof group)[] = [];

function within(name: string, body: Body): void {
  outer.push(group);
  group = { name, before: [], after: [] };
  try {
    body();
  } finally {
    group = outer.pop() ?? group;
  }
}

type Declared = (name: string, ...rest: readonly unknown[]) => void;

/** `test(name, body)`, `test(name, options, body)`, `test.each(rows)(name, body)`, `test.skipIf(…)(…)`. */
function declaring(declare: (name: string, body: Body) => void) {
  const one: Declared = (name, ...rest) =>
    declare(name, rest.find((each) => typeof each === "function") as Body);
  const none: Declared = () => {};
  return Object.assign(one, {
    each:
      (rows: readonly unknown[]): Declared =>
      (name, ...rest) => {
        const body = rest.find((each) => typeof each === "function") as Body;
        for (const row of rows) {
          const values = Array.isArray(row) ? row : [row];
          declare(format(name, ...values), () => body(...values));
        }
      },
    skip: none,
    skipIf: (skipped: unknown) => (skipped ? none : one),
    runIf: (runs: unknown) => (runs ? one : none),
  });
}

export const test = declaring(add);
/** @alias */
export const it = test;
export const describe = declaring(within);
export const beforeEach = (hook: Body): number => group.before.push(hook);
/** Before the first test that runs: a mutant may run some of them. */
export function beforeAll(hook: Body): void {
  let done: unknown;
  group.before.push(async () => {
    done ??= hook();
    await done;
  });
}
export const afterEach = (hook: Body): number => group.after.push(hook);
export const afterAll = (hook: Body): void => void process.once("exit", () => void hook());
