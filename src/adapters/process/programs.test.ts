import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { git } from "../git/git.ts";
import { findProgram, keepProgramsFrom, leftOutOf, safePath } from "./programs.ts";
import { spawnSync } from "./start-program.ts";

let root: string;
const OWN = process.env.PATH ?? "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-programs-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A program of that name in the folder, which leaves a file where it ran. */
function plant(folder: string, name: string): string {
  mkdirSync(join(root, folder), { recursive: true });
  const path = join(root, folder, name);
  writeFileSync(path, `#!/bin/sh\necho ran >> ${join(root, "ran")}\n`, { mode: 0o755 });
  return path;
}

const whyOf = (entry: string) => leftOutOf({ PATH: entry })[0]?.why ?? null;

describe("a program is found", () => {
  it("in the first folder of the PATH that has it, and again without a look", () => {
    promise("programs.found-once");
    const path = plant("bin", "tool");
    const PATH = `${join(root, "none")}:${join(root, "bin")}:${OWN}`;
    expect(findProgram("tool", { PATH })).toEqual({ path, why: null });
    rmSync(path);
    expect(findProgram("tool", { PATH })).toEqual({ path, why: null });
  });

  it("once it is installed, although it was missing before", () => {
    const PATH = join(root, "bin");
    expect(findProgram("tool", { PATH }).path).toBeNull();
    const path = plant("bin", "tool");
    expect(findProgram("tool", { PATH }).path).toBe(path);
  });

  it("neither by a relative entry nor by an empty one", async () => {
    promise("programs.found-once");
    plant("work", "git");
    const PATH = `.:./work::work:${OWN}`;
    const answer = await git({ folder: join(root, "work"), environment: { PATH } }, ["--version"]);
    expect(answer.output).toMatch(/^git version/);
    expect(existsSync(join(root, "ran"))).toBe(false);
    expect(leftOutOf({ PATH }).map(({ entry }) => entry)).toEqual([".", "./work", "an empty entry", "work"]);
    expect(safePath({ PATH })).toBe(safePath({ PATH: OWN }));
  });

  it("nowhere in a project, also not by a link to it", async () => {
    promise("programs.found-once");
    plant("project/node_modules/.bin", "git");
    symlinkSync(join(root, "project/node_modules/.bin"), join(root, "linked"));
    mkdirSync(join(root, "one"));
    symlinkSync(join(root, "project/node_modules/.bin/git"), join(root, "one/git"));
    const before = `${join(root, "project/node_modules/.bin")}:${join(root, "linked")}:${join(root, "one")}`;
    expect(findProgram("git", { PATH: before }).path).not.toBeNull();
    keepProgramsFrom(join(root, "project"));
    const call = { folder: join(root, "project"), environment: { PATH: `${before}:${OWN}` } };
    expect((await git(call, ["--version"])).output).toMatch(/^git version/);
    expect(existsSync(join(root, "ran"))).toBe(false);
    expect(findProgram("git", { PATH: before }).why).toContain(
      `no program git on the PATH; Pawl does not start ${join(root, "one/git")}: it lies in the project`,
    );
  });

  it("by git's own children in no other folders than by Pawl", async () => {
    plant("work/bin", "git-pawned");
    const environment = { PATH: `bin:${OWN}` };
    const call = { folder: join(root, "work"), environment, accept: [1] };
    expect((await git(call, ["pawned"])).errors).toContain("is not a git command");
    expect(existsSync(join(root, "ran"))).toBe(false);
  });
});

describe("a folder does not count", () => {
  it("that others may write", () => {
    promise("programs.found-once");
    plant("bin", "tool");
    expect(whyOf(join(root, "bin"))).toBeNull();
    chmodSync(join(root, "bin"), 0o777);
    expect(whyOf(`${root}/bin/../bin`)).toBe(`other users may write ${join(root, "bin")}`);
  });

  it("of which others may write one above it, unless only owners remove things there", () => {
    plant("open/bin", "tool");
    chmodSync(join(root, "open"), 0o1777);
    expect(whyOf(join(root, "open/bin"))).toBeNull();
    chmodSync(join(root, "open"), 0o777);
    expect(whyOf(`${root}/open/./bin`)).toBe(`other users may write ${join(root, "open")}`);
  });

  it("to which a link leads by way of one that others may write", () => {
    plant("bin", "tool");
    mkdirSync(join(root, "open"));
    chmodSync(join(root, "open"), 0o777);
    symlinkSync(join(root, "bin"), join(root, "open/middle"));
    symlinkSync(join(root, "open/middle"), join(root, "first"));
    expect(whyOf(join(root, "first"))).toBe(`other users may write ${join(root, "open")}`);
  });

  it("in a loop of links, nor one that is missing", () => {
    symlinkSync("b", join(root, "a"));
    symlinkSync("a", join(root, "b"));
    expect(findProgram("tool", { PATH: `${join(root, "a")}:${join(root, "none")}` })).toEqual({
      path: null,
      why: "no program tool on the PATH",
    });
  });

  it.skipIf(process.getuid?.() !== 0)("that belongs to another user, nor a group's", () => {
    const path = plant("bin", "tool");
    chownSync(path, 4009, 4009);
    expect(findProgram("tool", { PATH: join(root, "bin") }).why).toContain(`${path} belongs to another user`);
    chownSync(join(root, "bin"), 4009, 0);
    expect(whyOf(join(root, "bin"))).toBe(`${join(root, "bin")} belongs to another user`);
    chownSync(join(root, "bin"), 0, 4009);
    chmodSync(join(root, "bin"), 0o775);
    expect(whyOf(`${root}/bin/.`)).toBe(`other users may write ${join(root, "bin")}`);
    // A dev container's `npm` and `nvm` have this user alone.
    const primary = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":")[3]);
    const groups = readFileSync("/etc/group", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
    const [, , empty] = groups.find(([, , id, members]) => members === "" && !primary.includes(id)) ?? [];
    chownSync(join(root, "bin"), 0, Number(empty));
    expect(whyOf(`${root}/./bin`)).toBeNull();
  });
});

it("a program is never started by its bare name", () => {
  promise("programs.found-once");
  expect(() => spawnSync("git", ["--version"])).toThrow('found "git"');
});
