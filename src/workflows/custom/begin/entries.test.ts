import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { isId } from "../../../core/id.ts";
import type { OwnRun } from "../load-run.ts";
import { childId, type Entry } from "./entries.ts";

const entry = (id: string, identity = id) => ({ id, identity }) as Entry;
const parent = (id: string, created_at = "2026-01-01") =>
  ({ id, run: `whole:${id}`, file: { created_at } }) as OwnRun;

describe("The id of a begun run", () => {
  it("is the same for the same entry, and another for another entry, workflow, run and life of the run", () => {
    promise("own.begin");
    const ids = [
      childId(parent("a"), "part", entry("x")),
      childId(parent("a"), "part", entry("x", "other text")),
      childId(parent("a"), "bloom", entry("x")),
      childId(parent("b"), "part", entry("x")),
      childId(parent("a", "2026-01-02"), "part", entry("x")),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(childId(parent("a"), "part", entry("x"))).toBe(ids[0]);
  });

  it.each([
    "../../etc/passwd",
    "..",
    "",
    "-rf /",
    "x".repeat(1000),
    "Ünïcode \u202e",
    "a.lock",
    "$(touch x)",
    "a\nb",
  ])("is an id also for the entry %j", (words) => {
    promise("own.begin");
    for (const run of ["a", "a.b-c", "9".repeat(100), `${"a.".repeat(20)}b`]) {
      const id = childId(parent(run), "part", entry(words));
      // With room for a count, and for the number of a step.
      expect(isId(`${id}-99.30`), id).toBe(true);
    }
  });
});
