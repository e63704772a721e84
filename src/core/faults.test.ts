import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { promise } from "../../test/rig/promise.ts";
import { faultsOf } from "./faults.ts";
import { nearest } from "./text/nearest.ts";

const SCHEMA = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(["one", "two"]),
  size: z.int().max(9).optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  parts: z.array(z.strictObject({ part_id: z.string() })),
  tags: z.array(z.string()).max(2),
  more: z.record(z.string(), z.union([z.string(), z.null()])).optional(),
  own: z.array(z.string(), "expected a list of words").optional(),
  by: z.partialRecord(z.enum(["start_task", "plan_task"]), z.string()).optional(),
});

const INPUT = {
  name: "",
  kind: "tow",
  size: 10,
  code: "A",
  parts: [{ part_id: 1, id: "x" }, { part_id: "b" }],
  tags: ["a", "b", "c"],
  more: { a: 1 },
  own: 1,
  by: { plan_tsak: "x" },
  nmae: true,
};

const faults = () => {
  const { error } = SCHEMA.safeParse(INPUT);
  return faultsOf(SCHEMA, error?.issues ?? [], INPUT).map(({ keys, known, ...fault }) => {
    expect(keys.join(".")).toBe(fault.path);
    if (fault.expected === null) expect(known).toContain(fault.near);
    return fault;
  });
};

const EXPECTED = [
  { path: "name", expected: "a string that is not empty", found: '""' },
  { path: "kind", expected: "one of one, two", found: '"tow"', near: "two" },
  { path: "size", expected: "at most 9", found: "10" },
  { path: "code", expected: "a string of the form /^[a-z]+$/", found: '"A"' },
  { path: "parts.0.part_id", expected: "a string", found: "1" },
  { path: "parts.0.id", expected: null, found: '"x"', near: "part_id" },
  { path: "tags", expected: "at most 2 entries", found: '["a","b","c"]' },
  { path: "more.a", expected: "a string or null", found: "1" },
  { path: "own", expected: "a list of words", found: "1" },
  { path: "by.plan_tsak", expected: null, found: '"x"', near: "plan_task" },
  { path: "nmae", expected: null, found: "true", near: "name" },
];

describe("the faults of a value", () => {
  afterEach(() => void z.config(z.locales.en()));

  it("name the path, what was expected and what was found, and the key that was probably meant", () => {
    expect(faults()).toEqual(expect.arrayContaining(EXPECTED));
    expect(faults()).toHaveLength(EXPECTED.length);
  });

  it("says the same in whatever language zod speaks", () => {
    promise("mcp.strict-arguments");
    const english = faults();
    z.config(z.locales.ja());
    expect(faults()).toEqual(english);
  });
});

describe("the nearest name", () => {
  it("is one that is misspelled, or the only one that shares a word", () => {
    const known = ["task_id", "is_approved", "feedback_notes"];
    expect(nearest("taskId", known)).toBe("task_id");
    expect(nearest("approved", known)).toBe("is_approved");
    expect(nearest("feedback", known)).toBe("feedback_notes");
    expect(nearest("id", known)).toBe("task_id");
    expect(nearest("colour", known)).toBeNull();
    expect(nearest("task_id".repeat(100_000), known)).toBeNull();
  });
});
