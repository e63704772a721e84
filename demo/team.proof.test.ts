/** The demonstration of several machines, played for real with the built program. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { playDemo } from "../test/rig/play-demo.ts";
import { promise } from "../test/rig/promise.ts";

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "pawl-played-")));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it("the demo of several machines loses nothing if one dies, and runs nothing twice", {
  timeout: 300_000,
}, async () => {
  promise("team.demonstrated");
  const { code, err, out } = await playDemo(place, ["--team", "--fast"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/machine-[23] takes guide over, with what the remote has of it/);
  expect(out).toContain("Nothing is wrong.");
  expect(out.split("\n").filter((line) => line.length > 80 && !line.includes(place))).toEqual([]);
});
