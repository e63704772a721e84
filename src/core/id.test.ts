import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkId, isId } from "./id.ts";

describe("ids", () => {
  it.each(["TS-01", "a", "0", "A.b_c-d", "x".repeat(100), "v1.2"])("accepts %j", (id) => {
    expect(checkId(id, "task id")).toBe(id);
  });

  it.each<[unknown, string]>([
    ["", "empty"],
    ["x".repeat(101), "too long"],
    ["../x", "leaves the folder"],
    ["a/b", "a slash"],
    ["a..b", "two dots, no git ref"],
    ["a.lock", "ends in .lock, no git ref"],
    ["a.", "ends in a dot, no git ref"],
    [".a", "hidden"],
    ["-a", "looks like an option"],
    ["a b", "a blank"],
    ["a\n", "a line break"],
    ["ä", "not ASCII"],
    [7, "no text"],
  ])("refuses %j (%s), naming what it expected and what it found", (id) => {
    expect(isId(id)).toBe(false);
    expect(() => checkId(id, "task id")).toThrowError(
      expect.objectContaining({
        code: "id-invalid",
        message: expect.stringMatching(/^The task id is not valid: expected .*; found /s),
      }),
    );
  });

  it("accepts nothing that could leave a folder or break a git ref", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        if (!isId(text)) return;
        expect(text).toMatch(/^[\w.-]+$/);
        expect(text).not.toMatch(/^\.|^-|\.\.|\.$|\.lock$/);
      }),
      { numRuns: 2000 },
    );
  });
});
