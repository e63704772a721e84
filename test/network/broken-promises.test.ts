import { expect, it } from "vitest";
import { timesFound } from "../rig/broken-copy.ts";
import { BROKEN_PROMISES } from "./broken-promises.ts";

it("What is broken for the proof over a network is in one place of the code, which is there", () => {
  const edits = BROKEN_PROMISES.flatMap(({ edits }) => edits);
  expect(edits.filter((edit) => timesFound(edit) !== 1)).toEqual([]);
  expect(edits.length).toBeGreaterThanOrEqual(2);
});
