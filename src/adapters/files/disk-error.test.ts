/** How a failed call to the disk is told. */
import { describe, expect, test } from "vitest";
import { fixOf, meaningOf } from "../../core/errno.ts";
import { PawlError } from "../../core/error.ts";
import { guarded, toDiskError } from "./disk-error.ts";

const failure = (code: unknown, path?: string) =>
  Object.assign(new Error("as Node throws it"), { code }, path === undefined ? {} : { path });

describe("a failure of the disk", () => {
  test("is told in words, with its place and what can be done", () => {
    const thrown = failure("ENOSPC", "/home/ines/shop/.pawl/journal");
    const told = toDiskError(thrown, "Committing");
    expect(told).toBeInstanceOf(PawlError);
    expect(told).toMatchObject({
      code: "disk-failed",
      message: "Committing failed at /home/ines/shop/.pawl/journal: the disk is full (ENOSPC).",
      fix: "Free some space on the disk, then run the command again.",
      cause: thrown,
    });
    expect(toDiskError(failure("EIO"), "Committing")).toMatchObject({
      message: "Committing failed: the disk reported an input/output error (EIO).",
    });
  });

  test("that has no words of its own is shown by its code", () => {
    expect([meaningOf("ESTALE"), fixOf("ESTALE")]).toEqual([
      "the system refused it",
      "Look the code up, then run the command again.",
    ]);
    expect(toDiskError(failure("E2BIG"), "Reading")).toMatchObject({
      message: "Reading failed: the system refused it (E2BIG).",
    });
  });
});

test.each([
  ["an error of Pawl's own", new PawlError("internal", "It failed.", "Report it.")],
  ["an error without a code", new Error("no")],
  ["a code of another kind", failure("ERR_INVALID_ARG_TYPE")],
  ["a code that only ends as one", failure("xEIO")],
  ["a code that only begins as one", failure("EIO?")],
  ["a code that is a number", failure(5)],
  ["what is no error", { code: "EIO" }],
])("Anything else is left as it is: %s", async (_, thrown) => {
  expect(toDiskError(thrown, "Reading")).toBe(thrown);
  await expect(guarded("Reading", () => Promise.reject(thrown))).rejects.toBe(thrown);
});

test("Guarded work has its result, or fails in words", async () => {
  expect(await guarded("Reading", async () => 7)).toBe(7);
  await expect(guarded("Reading", () => Promise.reject(failure("EROFS")))).rejects.toMatchObject({
    message: "Reading failed: the file system is read-only (EROFS).",
  });
});
