/** A box that nobody ticked exactly keeps work open, and the reply names it. */
import { expect, it } from "vitest";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { SpellsProject } from "../rig/spells-project.ts";

it("Spells does not complete a plan with an odd box, and names it", async () => {
  promise("text.boxes");
  using project = new SpellsProject();
  project.state("ACHIEVE_TASK_DRAFTING");
  project.write("plan.md", "# Plan\n\n- [x] a\n- [~] b is under way\n");
  const { state, text } = await project.cast("accio");
  expect(state).not.toBe("ACHIEVE_COMPLETE");
  expect(text).toContain("`[~] b is under way`");
  project.write("plan.md", "# Plan\n\n- [x] a\n- [x] b is under way\n");
  project.state("ACHIEVE_TASK_DRAFTING");
  expect(await project.cast("accio")).toMatchObject({
    state: "ACHIEVE_COMPLETE",
    text: expect.not.stringContaining("neither"),
  });
});

it("an own workflow's list with an odd box is open, and the reply names it", async () => {
  promise("text.boxes");
  using project = releaseReady("1.2.0");
  project.write("releases/1.2.0.md", "# Notes\n\n- [x] a\n- [] b\n");
  const { code, err, out } = await project.pawl("cast", "release:1.2.0", "submit");
  expect(code).toBe(1);
  expect(out + err).toContain("`[] b`");
});
