import { expect, it } from "vitest";
import { timesFound } from "../rig/broken-copy.ts";
import { BROKEN_LAWS } from "./broken-laws.ts";

it("Each law of the commit is broken in one place of the code, which is there", () => {
  const elsewhere = BROKEN_LAWS.filter(
    (law) => timesFound({ ...law, file: `src/adapters/files/${law.file}` }) !== 1,
  );
  expect(elsewhere.map(({ name }) => name)).toEqual([]);
  expect(BROKEN_LAWS.length).toBeGreaterThan(30);
});
