import { expect, it } from "vitest";
import { hiddenPaths } from "./homes.ts";

it("homes are hidden wherever they lie, and places for temporary files, but never the whole file system", () => {
  const named = { HOME: "/usr/share", XDG_CACHE_HOME: "/usr/bin", XDG_DATA_HOME: "relative" };
  expect(hiddenPaths(named)).toEqual(expect.arrayContaining(["/usr/share", "/usr/bin"]));
  expect(hiddenPaths(named)).not.toContain("relative");
  expect(hiddenPaths({ HOME: "/" })).not.toContain("/");
  expect(hiddenPaths({ HOME: "/usr/share/../none" })).not.toContain("/usr/none");
});
