/** The published JSON schemas, read by a program of their own, against the files that the repository shows. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { JSON_SCHEMAS } from "./json-schemas.ts";

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const block = (page: string, has: string) =>
  [...text(page).matchAll(/^```yaml\n(.*?)^```$/gms)]
    .map(([, yaml = ""]) => yaml)
    .find((yaml) => yaml.includes(has)) ?? "";

async function accepts(name: keyof typeof JSON_SCHEMAS, yaml: string): Promise<boolean> {
  const schema = z.fromJSONSchema((await JSON_SCHEMAS[name]()) as Parameters<typeof z.fromJSONSchema>[0]);
  return schema.safeParse(parse(yaml)).success;
}

const RELEASE = text("examples/release-project/release.yaml");
const TASKS = block("docs/bloom.md", "tasks:");

describe("the schema of pawl.yaml", () => {
  it("takes what the pages show, and no other key", async () => {
    for (const page of ["docs/configuration.md", "docs/agents.md"])
      expect(await accepts("pawl.schema.json", block(page, ":"))).toBe(true);
    expect(await accepts("pawl.schema.json", text("examples/release-project/pawl.yaml"))).toBe(true);
    expect(await accepts("pawl.schema.json", "bloom: {agent: 1}")).toBe(false);
    expect(await accepts("pawl.schema.json", "blom: {}")).toBe(false);
  });
});

describe("the schema of a workflow of one's own", () => {
  it("takes the example and the page's, with their short forms", async () => {
    expect(await accepts("workflow.schema.json", RELEASE)).toBe(true);
    expect(await accepts("workflow.schema.json", block("docs/own-workflows.md", "title:"))).toBe(true);
  });

  it.each([
    ["    outcome: blocked", "    outcom: blocked"],
    ["    awaits: human", "    awaits: people"],
    ["    from: drafting", "    from: {a: 1}"],
    ["    verdict: approve", "    verdict: yes"],
    ["  submit: Hand the release in for review", "  submit: {}"],
  ])("refuses %s as %s", async (from, to) => {
    const yaml = RELEASE.replace(
      "approve: { description: Let the release go out, verdict: approve }",
      "approve:\n    description: Let it go out\n    verdict: approve",
    );
    expect(await accepts("workflow.schema.json", yaml)).toBe(true);
    expect(yaml).toContain(from);
    expect(await accepts("workflow.schema.json", yaml.replace(from, to))).toBe(false);
  });
});

describe("the schema of tasks.yaml", () => {
  it("takes the page's, keys of one's own and subtasks of subtasks", async () => {
    expect(TASKS).toContain("steps:");
    expect(await accepts("tasks.schema.json", TASKS)).toBe(true);
    const deep =
      "tasks: [{id: a, title: A, mine: 1, subtasks: [{id: b, title: B, subtasks: [{id: c, title: C}]}]}]";
    expect(await accepts("tasks.schema.json", deep)).toBe(true);
  });

  it("refuses a status that there is not, however deep", async () => {
    expect(
      await accepts(
        "tasks.schema.json",
        TASKS.replace("    title: Document it", "    title: X\n    status: dun"),
      ),
    ).toBe(false);
    expect(await accepts("tasks.schema.json", "tasks: [{id: a, title: A, subtasks: [{id: b}]}]")).toBe(false);
  });
});
