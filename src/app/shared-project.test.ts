/** What of a project is the database's. */
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { projectPath } from "../core/path.ts";
import { bloomsRoutes } from "./shared-project.ts";

const routes = bloomsRoutes("backlog/tasks.yaml");

describe("Bloom's work in a database", () => {
  it.each([
    "backlog/tasks.yaml",
    ".pawl/accounts.json",
    ".pawl/runs/T-1.json",
    ".pawl/done/T-1.json",
    ".pawl/lives/0123.json",
    ".pawl/questions/Q-1.json",
    ".pawl/inbox/M-1.json",
    ".pawl/log/bloom/T-1.jsonl",
    ".alfred/records/bloom/T-1/0001.json",
    ".alfred/gates/bloom/T-1/0001.json",
  ])("has %s", (path) => {
    promise("machines.places");
    expect(routes.isShared(path)).toBe(true);
    const isAlone = path === "backlog/tasks.yaml" || path === ".pawl/accounts.json";
    expect(routes.leadsToShared(path.slice(0, path.lastIndexOf("/")))).toBe(!isAlone);
  });

  it.each([
    "tasks.yaml",
    "pawl.yaml",
    ".pawl/runs/release/1.json",
    ".pawl/log/alfred/T-1.jsonl",
    ".alfred/records/alfred/T-1/0001.json",
    ".alfred/tasks/T-1.md",
    ".pawl/plans/one.json",
    ".pawl/events.jsonl",
    ".ai/task/state.json",
  ])("has not %s", (path) => {
    promise("machines.places");
    expect(routes.isShared(path)).toBe(false);
  });

  it("has the locks of its runs, and nobody else's", () => {
    const runs = ["bloom:tasks", "bloom:T-1", "bloom", "alfred:T-1", "release:bloom:1"];
    expect(runs.map((run) => routes.isSharedRun(run))).toEqual([true, true, false, false, false]);
  });

  it("lets the file of a proposal go after it was taken, and nothing else of this checkout", () => {
    const remove = (path: string) => ({ type: "remove", path: projectPath(path) }) as const;
    expect(routes.mayFollow(remove(".pawl/plans/one.json"))).toBe(true);
    expect(routes.mayFollow(remove("pawl.yaml"))).toBe(false);
    expect(routes.mayFollow({ type: "write", path: projectPath(".pawl/plans/one.json"), text: "" })).toBe(
      false,
    );
  });
});
