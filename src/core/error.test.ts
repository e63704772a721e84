import { describe, expect, it } from "vitest";
import { PawlError, toPawlError } from "./error.ts";

const system = (code: string, path?: string) =>
  Object.assign(new Error("no"), { code, ...(path && { path }) });

describe("What is thrown", () => {
  it.each([
    ["ENOSPC", "the disk is full (ENOSPC)"],
    ["EDQUOT", "the disk quota is used up (EDQUOT)"],
    ["EROFS", "the file system is read-only (EROFS)"],
    ["EMFILE", "too many files are open (EMFILE)"],
  ])("is what the machine lacks (%s), whoever met it, and no fault of the program", (code, words) => {
    const error = toPawlError(system(code, "/home/ada/shop/.pawl/bin"));
    expect(error.code).toBe("disk-failed");
    expect(error.message).toBe(`The system failed at /home/ada/shop/.pawl/bin: ${words}.`);
    expect(error.fix).not.toContain("report");
    expect(toPawlError(system(code)).message).toBe(`The system failed: ${words}.`);
  });

  it("is a path that this user may not touch, and no fault of the program", () => {
    expect(toPawlError(system("EACCES", "/home/ada/.local")).message).toBe(
      "The system failed at /home/ada/.local: permission is missing (EACCES).",
    );
    expect(toPawlError(system("EPERM")).code).toBe("internal");
  });

  it("is unforeseen if it is anything else, and what it was if it is Pawl's own", () => {
    for (const thrown of [system("ENOENT"), new Error("odd"), "odd", null, { code: "ENOSPC" }])
      expect(toPawlError(thrown).code).toBe("internal");
    const own = new PawlError("usage", "m", "f");
    expect(toPawlError(own)).toBe(own);
  });
});
