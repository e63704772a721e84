/** The state of Spells follows from its run's record, or is held for a person; one without a record is taken as it is. */
import { describe, expect, it } from "vitest";
import { overview } from "../../src/workflows/spells/overview.ts";
import { promise } from "../rig/promise.ts";
import { HEAD, SpellsProject } from "../rig/spells-project.ts";

const CONTEXT = "# Context\n\nWhat is to be done.\n";

async function withContext(): Promise<SpellsProject> {
  const project = new SpellsProject();
  await project.cast("accio");
  project.write("context.md", CONTEXT);
  return project;
}

// biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
function edit(project: SpellsProject, name: string, change: (state: any) => void): void {
  const state = JSON.parse(project.read(name));
  change(state);
  project.write(name, JSON.stringify(state));
}

describe("The state of Spells", () => {
  it.each([
    [
      "another state",
      /after 1 steps, at .*: found ACHIEVE_TASK_EXECUTED .*; its history leads to GATHER_EDITING_CONTEXT/,
      "state.json",
      (state: { current_state: string }) => {
        state.current_state = "ACHIEVE_TASK_EXECUTED";
      },
    ],
    [
      "a step in its history that nobody took",
      /is not the one that Pawl wrote/,
      "state.json",
      ({ history }: { history: unknown[] }) => history.push({ ...(history[0] as object), trigger: "Reparo" }),
    ],
    [
      "a record that leads elsewhere",
      /its history leads to GATHER_EDITING_CONTEXT|found GATHER_EDITING with/,
      `/${HEAD}`,
      (record: { stands: { state: string } }) => {
        record.stands.state = "GATHER_EDITING";
      },
    ],
    [
      "a step in its record that the table does not have",
      /step 1 of its history \(accio\) does not lead on from GATHER_NEEDS_CONTEXT/,
      `/${HEAD}`,
      ({ steps }: { steps: { row: string }[] }) => {
        Object.assign(steps[0] ?? {}, { row: "R5a" });
      },
    ],
  ])("is held where it was edited to have %s", async (_, said, file, change) => {
    promise("gates.history");
    using project = await withContext();
    edit(project, file, change as never);
    const before = [project.read("state.json"), project.read(`/${HEAD}`)];
    for (const spell of ["accio", "lumos"] as const)
      await expect(project.cast(spell)).rejects.toMatchObject({
        code: "state-tampered",
        message: expect.stringMatching(said),
        fix: expect.stringContaining("pawl repair"),
      });
    expect([project.read("state.json"), project.read(`/${HEAD}`)]).toEqual(before);
    const [run] = await overview(project.runtime.store.view());
    expect(run?.problem).toMatchObject({ code: "state-tampered" });
  });

  it("goes on where only its layout was changed, and where it is put back", async () => {
    using project = await withContext();
    const [state, record] = [project.read("state.json"), project.read(`/${HEAD}`)];
    project.write("state.json", JSON.stringify(JSON.parse(state)).replaceAll("\n", "\r\n"));
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING_CONTEXT");
    await project.cast("accio");
    const now = project.read("state.json");
    project.write("state.json", state);
    await expect(project.cast("accio")).rejects.toMatchObject({ code: "state-tampered" });
    project.write("state.json", now);
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING");
    expect(JSON.parse(project.read(`/${HEAD}`)).steps[0]).toEqual(JSON.parse(record).steps[0]);
  });

  it("is taken as it is where it has no record, is shown as unproved, and gets a record", async () => {
    promise("gates.history-missing");
    using project = new SpellsProject();
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", CONTEXT);
    const shown = async () => (await overview(project.runtime.store.view()))[0];
    expect(await shown()).toMatchObject({ unproved: true });
    await project.cast("accio");
    expect(await shown()).toMatchObject({ state: "GATHER_EDITING", unproved: true });
    edit(project, "state.json", (state) => {
      state.current_state = "ACHIEVE_COMPLETE";
    });
    await expect(project.cast("lumos")).rejects.toMatchObject({ code: "state-tampered" });
  });

  it("begins anew where its files are gone, and is proved from there", async () => {
    using project = new SpellsProject();
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", CONTEXT);
    await project.cast("accio");
    project.remove("/.ai");
    await project.cast("accio");
    const [run] = await overview(project.runtime.store.view());
    expect(run).toMatchObject({ state: "GATHER_EDITING_CONTEXT" });
    expect(run?.unproved).toBeUndefined();
  });
});
