/** The spells at a terminal, as a person sees them. */
import { spawn, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { end, MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const environment = { DOOR_ONLY: "" };
const hasScript = spawnSync("script", ["-V"], { stdio: "ignore" }).status === 0;

describe("A spell's reply", () => {
  it("introduces the workflow at each look, and its data have the header as it is written", async () => {
    promise("spells.replies");
    using project = temporaryProject({ environment });
    for (const spell of ["lumos", "accio", "lumos", "lumos"]) {
      const { out } = await project.pawl(spell);
      expect(out.startsWith("AI Engineer Workflow helps you"), out).toBe(spell === "lumos");
    }
    const { reply } = JSON.parse((await project.pawl("lumos", "--json")).out);
    expect(reply).toMatch(/^> \*\*AI Engineer Workflow\*\* helps you/);
  });

  it.skipIf(!hasScript)("is broken at a terminal's width, and whole in a pipe", async () => {
    using project = temporaryProject({ environment });
    const wide = (text: string) => text.split(/\r?\n/).filter((line) => line.length > 60);
    const piped = await project.pawl("lumos");
    expect(wide(piped.out)).not.toEqual([]);
    const command = `stty cols 60; '${process.execPath}' '${MAIN}' lumos`;
    const seen = await end(
      spawn("script", ["-qec", command, "/dev/null"], {
        cwd: project.root,
        env: testEnvironment({ ...environment, NO_COLOR: "1" }),
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    expect(wide(seen.out)).toEqual([]);
    expect(seen.out.replaceAll("•", "-").split(/\s+/)).toEqual(piped.out.split(/\s+/));
  });
});
