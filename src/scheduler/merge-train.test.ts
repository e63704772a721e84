import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import {
  admit,
  announce,
  baseFor,
  emptyTrain,
  enter,
  leave,
  mergeTurn,
  next,
  prepare,
  TARGET,
  type Train,
  VOID,
} from "./merge-train.ts";

const at = (task: string, since: string) => ({ task, since });
const trainOf = (...tasks: readonly string[]): Train =>
  tasks.reduce((train, task) => admit(enter(train, at(task, "1"))), emptyTrain(4));
/** Each is prepared on the one ahead, and has announced its commit. */
const prepared = (...tasks: readonly string[]): Train =>
  tasks.reduce(
    (train, task) =>
      announce(prepare(train, task, baseFor(train, task) as string), task, `commit of ${task}`),
    trainOf(...tasks),
  );

describe("the merge train", () => {
  it("admits the task that waits longest, whichever entered first, up to its limit", () => {
    promise("bloom.merge-train");
    let train = enter(enter(emptyTrain(1), at("late", "12:01")), at("early", "12:00"));
    expect(next(train)).toBe("early");
    train = admit(train);
    expect(next(train)).toBeNull();
    expect(next(leave(train, "early", null))).toBe("late");
  });

  it("has each merge wait for the commit of the one ahead, and prepares on it", () => {
    let train = trainOf("a", "b");
    expect([baseFor(train, "a"), baseFor(train, "b")]).toEqual([TARGET, null]);
    train = announce(prepare(train, "a", TARGET), "a", "A");
    expect(baseFor(train, "b")).toBe("A");
  });

  it("lets those behind stand if the first published what they were prepared on", () => {
    const train = leave(prepared("a", "b", "c"), "a", "commit of a");
    expect([mergeTurn(train, "b"), mergeTurn(train, "c")]).toEqual(["first", "behind"]);
  });

  it("makes those behind void if one leaves without a merge, and those ahead stand", () => {
    const train = leave(prepared("a", "b", "c", "d"), "b", null);
    expect(["a", "c", "d"].map((task) => mergeTurn(train, task))).toEqual(["first", "void", "void"]);
    expect(baseFor(train, "c")).toBe("commit of a");
  });

  it("makes those behind void if another commit was published or announced than they were prepared on", () => {
    expect(mergeTurn(leave(prepared("a", "b"), "a", "another"), "b")).toBe("void");
    expect(mergeTurn(announce(prepared("a", "b"), "a", "another"), "b")).toBe("void");
    expect(mergeTurn(prepare(prepared("a", "b"), "a", TARGET), "b")).toBe("void");
  });

  it("takes no announcement of what was made void meanwhile", () => {
    const train = announce(leave(prepared("a", "b", "c"), "a", null), "b", "too late");
    expect(baseFor(train, "c")).toBeNull();
  });

  it("publishes in order, each on what the target is at, whoever comes, fails or leaves meanwhile", () => {
    promise("bloom.merge-train");
    const moves = fc.array(
      fc.record({
        id: fc.nat(5),
        does: fc.constantFrom("enter", "prepare", "publish", "drop"),
        since: fc.nat(9),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(moves, (all) => {
        let train = emptyTrain(3);
        let target = "c0";
        let commits = 0;
        const bases = new Map<string, string>();
        const inside = new Set<string>();
        for (const { id, does, since } of all) {
          const task = `T${id}`;
          if (does === "enter") {
            inside.add(task);
            train = enter(train, at(task, String(since)));
          } else if (does === "drop") {
            inside.delete(task);
            train = leave(train, task, null);
          } else if (does === "prepare" && train.merges.some((each) => each.task === task)) {
            const base = baseFor(train, task);
            if (base !== null) {
              const commit = `c${++commits}`;
              bases.set(commit, base === TARGET ? target : base);
              train = announce(prepare(train, task, base), task, commit);
            }
          } else if (does === "publish" && mergeTurn(train, task) === "first") {
            const commit = train.merges[0]?.commit ?? null;
            if (commit === null) continue;
            expect(bases.get(commit)).toBe(target);
            target = commit;
            inside.delete(task);
            train = leave(train, task, commit);
          }
          while (next(train) !== null) train = admit(train);
          const tasks = [...train.merges, ...train.waiting].map((each) => each.task);
          expect([...tasks].sort()).toEqual([...inside].sort());
          expect(new Set(train.merges.map(({ slot }) => slot)).size).toBe(train.merges.length);
          expect(train.merges.length === 3 || train.waiting.length === 0).toBe(true);
          // What is not void stands on what is ahead of it.
          train.merges.forEach(({ base }, n) => {
            if (n > 0 && base !== VOID) expect(base).toBe(train.merges[n - 1]?.commit);
          });
        }
      }),
    );
  });
});
