import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { Context } from "../../../runtime/module.ts";
import { RECORDS } from "./adopt.ts";

it("is refused while a worker of this checkout is at work on the task, with what to do", () => {
  promise("team.taken-over-by-a-person");
  const adopt = RECORDS.adopt();
  const task = { id: "T1" };
  const seen = { task, own: null, branches: [], hasKept: false, lives: [] };
  const of = (atWork: readonly string[]) => () =>
    adopt.propose(seen, new Set(atWork), { id: "T1" }, {} as Context);
  expect(of(["T1"])).toThrow(
    expect.objectContaining({ code: "invalid-action", fix: expect.stringContaining("pawl adopt bloom:T1") }),
  );
  expect(of(["T2"])).toThrow(expect.objectContaining({ code: "no-effect" }));
});
