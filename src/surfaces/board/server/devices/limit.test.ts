import { expect, it } from "vitest";
import { promise } from "../../../../../test/rig/promise.ts";
import { openLimit } from "./limit.ts";

it("takes so many of each, so many of all, and again when time has passed", () => {
  promise("board.device-door");
  let time = 0;
  const limit = openLimit({ each: 2, all: 3, window: 10 }, () => time);
  expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
  expect([limit.take("b"), limit.take("b"), limit.take("c")]).toEqual([true, false, false]);
  time = 10;
  expect([limit.take("a"), limit.take("c")]).toEqual([true, true]);
});
