import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { begin, enter, leave, type MergeQueue, NO_MERGES, next } from "./merge-queue.ts";

const at = (task: string, since: string, target = "main") => ({ task, target, since });

describe("the merge queue", () => {
  it("gives the turn to the task that waits longest, whichever entered first", () => {
    const queue = enter(enter(NO_MERGES, at("late", "12:01")), at("early", "12:00"));
    expect(next(queue, "main")).toBe("early");
    const merging = begin(queue, "main", "early");
    expect(next(merging, "main")).toBeNull();
    expect(next(leave(merging, "early"), "main")).toBe("late");
  });

  it("keeps targets apart", () => {
    const queue = begin(enter(enter(NO_MERGES, at("a", "1")), at("b", "2", "other")), "main", "a");
    expect(next(queue, "other")).toBe("b");
  });

  it("serves everybody once, one at a time, in any order of coming and going", () => {
    const tasks = fc.array(
      fc.record({ id: fc.nat(6), does: fc.constantFrom("enter", "leave"), since: fc.nat(9) }),
    );
    fc.assert(
      fc.property(tasks, (moves) => {
        let queue: MergeQueue = NO_MERGES;
        const inside = new Set<string>();
        const turn = () => {
          const task = next(queue, "main");
          if (task !== null) queue = begin(queue, "main", task);
        };
        for (const { id, does, since } of moves) {
          const task = `T${id}`;
          if (does === "enter") inside.add(task);
          else inside.delete(task);
          queue = does === "enter" ? enter(queue, at(task, String(since))) : leave(queue, task);
          turn();
          const [merging] = queue.merging.values();
          // Nobody is lost, nobody is there twice, and the turn never rests while somebody waits.
          const all = [...queue.merging.values(), ...queue.waiting.map((each) => each.task)];
          expect([...all].sort()).toEqual([...inside].sort());
          expect(merging === undefined).toBe(inside.size === 0);
        }
      }),
    );
  });
});
