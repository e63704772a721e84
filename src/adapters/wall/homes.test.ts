import { expect, it } from "vitest";
import { hiddenPlaces } from "./homes.ts";

it("homes are hidden wherever they lie, and places for temporary files, but never the whole file system", () => {
  const named = { HOME: "/usr/share", XDG_CACHE_HOME: "/usr/bin", XDG_DATA_HOME: "relative" };
  expect(hiddenPlaces(named)).toEqual(expect.arrayContaining(["/usr/share", "/usr/bin"]));
  expect(hiddenPlaces(named)).not.toContain("relative");
  expect(hiddenPlaces({ HOME: "/" })).not.toContain("/");
  expect(hiddenPlaces({ HOME: "/usr/share/../none" })).not.toContain("/usr/none");
});
