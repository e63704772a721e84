import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { AREAS } from "./areas.ts";
import * as collected from "./collect.ts";

it("has all that the tests of the areas take from Vitest: the whole proof runs rarely", () => {
  const tests = Object.values(AREAS).flatMap((area) => area.tests.flatMap((each) => globSync(each)));
  expect(tests.length).toBeGreaterThan(50);
  const taken = [...tests, "test/rig/promise.ts"].flatMap((path) => {
    const [, names = ""] = /^import \{ ([^}]+) \} from "vitest";$/m.exec(readFileSync(path, "utf8")) ?? [];
    return names.split(", ").filter((name) => name !== "" && !name.startsWith("type "));
  });
  expect([...new Set(taken)].filter((name) => !(name in collected))).toEqual([]);
});
