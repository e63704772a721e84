/** The action for a headless run. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openAction } from "./rig/action.ts";
import { type BloomProject, bloomProject, checkpointTask } from "./rig/bloom-project.ts";
import { promise } from "./rig/promise.ts";

const ACTION = openAction("run/action.yml");
const TASKS = `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  instructions: |
    RUN: echo done > done.txt; git add -A; git commit -qm done; bloom done T1
`;

/** As the runner calls it, with these inputs. */
async function act(project: BloomProject, inputs: Readonly<Record<string, string>> = {}) {
  const bin = join(project.root, "..", "bin");
  mkdirSync(bin, { recursive: true });
  const outputs = join(bin, "outputs");
  writeFileSync(outputs, "");
  const environment = {
    ...project.environment,
    PAWL_VERSION: "1.2.3",
    PAWL_TRUST: "true",
    PAWL_LOG: join(bin, "run.jsonl"),
    GITHUB_EVENT_NAME: "schedule",
    GITHUB_OUTPUT: outputs,
    ...inputs,
  };
  const ended = await ACTION.run({ bin, cwd: project.root, environment });
  const read = (name: string) => readFileSync(join(bin, name), "utf8");
  return { ...ended, outputs: read("outputs"), read };
}

describe("run/action.yml", () => {
  it("gives its script what others wrote by the environment alone", () => {
    ACTION.expectInputsByEnvironmentAlone();
  });

  it("works through the tasks of a checkout, and leaves the events", { timeout: 120_000 }, async () => {
    promise("run.action");
    using project = bloomProject({ tasks: TASKS });
    const ran = await act(project);
    expect([ran.code, ran.outputs], ran.out + ran.err).toEqual([0, "waiting=false\n"]);
    expect(project.git("show", "main:done.txt")).toBe("done");
    expect(ran.read("run.jsonl")).toContain('"type":"task:completed"');
    const calls = ran.read("calls");
    expect(calls).toContain(`--yes pawl@1.2.3 run --once --json --project ${project.root}`);
    expect(calls).not.toContain(`in ${project.root}\n`);
  });

  it("does not fail if something waits for a person, and says so", { timeout: 120_000 }, async () => {
    promise("run.action");
    using project = bloomProject({ tasks: checkpointTask("one") });
    const ran = await act(project);
    expect([ran.code, ran.outputs], ran.out + ran.err).toEqual([0, "waiting=true\n"]);
    expect(ran.out).toContain("::warning::Something waits for a person");
  });

  it.each([
    ["a version that is not exact", { PAWL_VERSION: "latest" }],
    ["a pull request's files", { GITHUB_EVENT_NAME: "pull_request_target" }],
    ["files that nobody agreed to", { PAWL_TRUST: "false" }],
  ])("refuses %s, and starts nothing", async (_, inputs) => {
    promise("run.action");
    using project = bloomProject({ tasks: TASKS });
    const ran = await act(project, inputs);
    expect([ran.code, ran.out]).toEqual([2, expect.stringContaining("::error::")]);
    expect(() => ran.read("calls")).toThrow("ENOENT");
  });
});
