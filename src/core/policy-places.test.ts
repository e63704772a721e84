import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { type PolicySources, placed, settingSources } from "./policy-places.ts";

const FILES: Readonly<Record<string, string>> = {
  "pawl.yaml": "# mine\nalfred:\n  human_review: relay\n  checks:\n    unit.fast: 'true'\nsetup:\n  .: {}\n",
  ".alfred/config.yml": "human_review: confirm\nevidence: show\n",
  "tasks.yaml": `tasks:
  - id: A
    verify: []
    steps:
      - id: S1
        verify: ["a"]
    subtasks:
      - id: A.b
        budget: { usd: 5 }
      - id: A
        title: another
`,
  "broken.yaml": "a: [\n",
};

const inTasks =
  (id: string): PolicySources =>
  (path) => [{ file: "tasks.yaml", path: `tasks.${id}.${path}`, nested: "subtasks" }];

async function placeOf(path: string, sources: PolicySources = settingSources) {
  const change = { path, pinned: 1, present: 2, loosens: true };
  const [found] = await placed([change], sources, async (file) => FILES[file] ?? null);
  return found?.place;
}

describe("the place of a change", () => {
  it.each([
    ["the upper file", "alfred.human_review", "pawl.yaml:3"],
    ["the file that has it", "alfred.evidence", ".alfred/config.yml:2"],
    ["a name with a dot", "alfred.checks.unit.fast", "pawl.yaml:5"],
    ["a name that is a dot", "setup..", "pawl.yaml:7"],
    ["what held a value that is gone", "alfred.checks.test", "pawl.yaml:4"],
  ])("is that of %s", async (_, path, place) => {
    promise("policy.placed");
    expect(await placeOf(path)).toBe(place);
  });

  it.each([
    ["A", "verify", "tasks.yaml:3"],
    ["A", "steps.S1.verify", "tasks.yaml:6"],
    ["A.b", "budget.usd", "tasks.yaml:9"],
    ["A", "merge_into", "tasks.yaml:2"],
  ])("is found in a list by the id %s, also of a nested entry", async (id, path, place) => {
    promise("policy.placed");
    expect(await placeOf(path, inTasks(id))).toBe(place);
  });

  it("is not there if no file has anything of it, and a file that cannot be read is no error", async () => {
    promise("policy.placed");
    expect(await placeOf("bloom.tries")).toBeUndefined();
    expect(await placeOf("x", () => [{ file: "none.yaml", path: "x" }])).toBeUndefined();
    expect(await placeOf("x", () => [{ file: "broken.yaml", path: "x" }])).toBeUndefined();
  });
});
