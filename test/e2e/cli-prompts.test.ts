import { expect, test } from "vitest";
import { DEFINITIONS } from "../../src/workflows/alfred/tools/definitions.ts";
import { REPLY_NAMES } from "../../src/workflows/spells/reply-names.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const environment = { DOOR_ONLY: "" };

test("`pawl workflow prompts --all` prints what every workflow says in every state, and writes nothing", async () => {
  promise("alfred.prompts.one-action");
  using project = temporaryProject({ environment, marked: false });
  const { code, out, err } = await project.pawl("prompts", "--all");
  expect([code, err]).toEqual([0, ""]);
  const names = [...out.matchAll(/^===== (.+) =====$/gm)].map(([, name]) => name ?? "");
  for (const { name } of DEFINITIONS)
    expect(names.some((each) => each.startsWith(`alfred ${name}: `))).toBe(true);
  expect(names.filter((name) => name.startsWith("spells ")).length).toBeGreaterThanOrEqual(
    REPLY_NAMES.length - 3,
  );
  expect(names.filter((name) => name.startsWith("bloom ")).length).toBeGreaterThan(10);
  expect(out).not.toMatch(/\{\{|\{%|\[object Object\]/);
  expect(project.read(".pawl/.gitignore")).toBeNull();
});

test("`pawl workflow prompts` lists one workflow's, with the project's own in the place of the packaged ones", async () => {
  using project = temporaryProject({ environment });
  project.write(".alfred/templates/prompts/start_task/initialized.md", "Own words for {{ task.title }}.\n");
  const listed = await project.pawl("prompts", "alfred");
  expect(listed.out).toContain("alfred start_task: initialized, GitStatusArtifact\n");
  const lines = listed.out.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("alfred "))).toEqual([]);
  expect((await project.pawl("prompts", "alfred", "--all")).out).toContain("Own words for Limit the rate.");
  const { prompts } = JSON.parse((await project.pawl("prompts", "alfred", "--json")).out);
  expect(prompts[0]).toEqual({
    workflow: "alfred",
    name: "create_spec: dispatched, EngineeringSpecArtifact",
    machine: "create_spec",
    state: "dispatched",
  });
});
