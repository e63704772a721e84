import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { workFolder } from "../adapters/process/work-folder.ts";
import { findRoot } from "./project-root.ts";

let base: string;
let environment: Readonly<Record<string, string>>;
const at = (path: string) => join(base, path);

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-root-")));
  environment = { XDG_STATE_HOME: at("state") };
  for (const folder of [
    "yaml/src/deep",
    "alfred/.alfred",
    "spells/.ai",
    "outer/inner/.alfred",
    "repo/.git/objects",
    "repo/.git/refs",
    "repo/src/.git",
    "repo/src/deep",
    "worktree/src",
    "bare/src",
  ]) {
    mkdirSync(at(folder), { recursive: true });
  }
  for (const file of ["yaml/pawl.yaml", "outer/tasks.yaml"]) {
    writeFileSync(at(file), "");
  }
  writeFileSync(at("repo/.git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(at("worktree/.git"), "gitdir: ../repo/.git/worktrees/worktree\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const find = (cwd: string, more: { option?: string; variable?: string; create?: boolean } = {}) =>
  findRoot({
    cwd: at(cwd),
    environment: { ...environment, PAWL_PROJECT: more.variable },
    option: more.option,
    create: more.create ?? false,
  });

describe("the project's root", () => {
  it.each([
    ["yaml/src/deep", "yaml"],
    ["alfred", "alfred"],
    ["spells", "spells"],
    ["outer", "outer"],
    ["outer/inner", "outer/inner"],
  ])("is found from %s as the nearest folder with a marker", (cwd, root) => {
    expect(find(cwd)).toBe(at(root));
  });

  it("is never one whose pawl.yml would be ignored; the fix renames such files", () => {
    for (const name of ["named", "named-tasks"]) mkdirSync(at(name));
    writeFileSync(at("named/pawl.yml"), "");
    writeFileSync(at("named-tasks/tasks.yml"), "");
    const refused = (code: string, fix: string) => expect.objectContaining({ code, fix });
    const pawl = "Rename it: `mv pawl.yml pawl.yaml`.";
    expect(() => find("named")).toThrow(refused("project-missing", pawl));
    expect(() => find("named-tasks")).toThrow(
      refused("project-missing", "Rename it: `mv tasks.yml tasks.yaml`."),
    );
    writeFileSync(at("named/tasks.yaml"), "");
    expect(() => find("named")).toThrow(refused("config-invalid", pawl));
    writeFileSync(at("named/pawl.yaml"), "");
    expect(find("named")).toBe(at("named"));
  });

  it("is the project that a workspace belongs to, which holds copies of its markers", () => {
    promise("cli.project-root");
    const work = workFolder(at("outer"), environment);
    const feature = join(work, "@project/feature");
    mkdirSync(join(feature, "src"), { recursive: true });
    writeFileSync(join(feature, "tasks.yaml"), "");
    writeFileSync(join(work, "project.json"), JSON.stringify({ root: at("outer") }));
    const found = (cwd: string) => findRoot({ cwd, environment, option: undefined, create: false });
    expect(found(join(feature, "src"))).toBe(at("outer"));
    // A folder that somebody else says is one of its workspaces is none.
    writeFileSync(join(work, "project.json"), JSON.stringify({ root: at("yaml") }));
    expect(found(join(feature, "src"))).toBe(feature);
  });

  it("is the folder that --project names, else the one of $PAWL_PROJECT", () => {
    expect(find("bare", { option: "../yaml", variable: at("alfred") })).toBe(at("yaml"));
    expect(find("bare", { variable: at("alfred") })).toBe(at("alfred"));
    expect(find("yaml", { variable: "" })).toBe(at("yaml"));
  });

  it("is refused if the named folder does not exist", () => {
    expect(() => find("bare", { option: "nowhere" })).toThrow('--project names "nowhere"');
    expect(() => find("bare", { variable: at("yaml/pawl.yaml") })).toThrow("$PAWL_PROJECT names");
  });

  it("is missing if no folder has a marker, but for who may make one", () => {
    expect(() => find("bare/src")).toThrow("There is no Pawl project here");
    expect(find("bare/src", { create: true })).toBe(at("bare/src"));
    expect(find("worktree/src", { create: true })).toBe(at("worktree"));
    expect(find("yaml/src", { create: true })).toBe(at("yaml"));
  });

  it("is the repository around for who may make one, past a folder .git that is no repository", () => {
    promise("project.repository");
    expect(find("repo/src/deep", { create: true })).toBe(at("repo"));
  });
});
