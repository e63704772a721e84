import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { normalPath, pathFault, projectPath } from "./path.ts";

describe("paths inside the project", () => {
  it("joins segments", () => {
    expect(projectPath(".alfred", "tasks", "TS-01.md")).toBe(".alfred/tasks/TS-01.md");
    expect(projectPath(".ai/task", "plan.md")).toBe(".ai/task/plan.md");
  });

  it.each([
    ["", "it is empty"],
    ["/etc/passwd", "it is absolute"],
    ["C:/x", "it is absolute"],
    ["../x", 'it has the segment ".."'],
    ["a/../b", 'it has the segment ".."'],
    ["./a", 'it has the segment "."'],
    ["a//b", "it has an empty segment"],
    ["a/", "it has an empty segment"],
    ["a\\b", "it has a backslash"],
    ["a\0b", "it has control characters"],
    [`${"ä".repeat(128)}`, "a segment is longer than 255 bytes"],
    [".git/hooks/post-checkout", "it leads into git's own folder"],
    ["sub/.GiT", "it leads into git's own folder"],
    [".g\u200cit/config", "it leads into git's own folder"],
    ["\ufeff.git/config", "it leads into git's own folder"],
    [".gi\u00adt/config", "it leads into git's own folder"],
    ["sub/GIT~1/config", "it leads into git's own folder"],
    [".git. ./config", "it leads into git's own folder"],
    [".git::$INDEX_ALLOCATION/config", "it leads into git's own folder"],
  ])("refuses %j and says why", (path, why) => {
    promise("commit.paths");
    expect(pathFault(path)).toBe(why);
    expect(() => projectPath(path)).toThrowError(
      expect.objectContaining({ code: "path-outside-project", message: expect.stringContaining(why) }),
    );
  });

  it.each([
    ["./src/../src/b.js", "src/b.js"],
    ["src/./a/../../b.js", "b.js"],
    ["src/b.js", "src/b.js"],
    ["src/..", "src/.."],
    ["src/../../b.js", "src/../../b.js"],
    ["../b.js", "../b.js"],
    ["/src/../b.js", "/src/../b.js"],
    ["a//b", "a//b"],
    ["", ""],
  ])("makes %j normal: %j", (path, normal) => {
    expect(normalPath(path)).toBe(normal);
  });

  it("makes a path normal as the system would resolve it, or leaves it to be refused", () => {
    const segment = fc.constantFrom("..", ".", "a", "b", "c.js");
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const normal = normalPath(segments.join("/"));
        if (pathFault(normal) === null)
          expect(normal).toBe(posix.normalize(segments.join("/")).replace(/\/$/, ""));
        else expect(posix.normalize(`root/${segments.join("/")}`)).not.toMatch(/^root\/./);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([".gitignore", ".gitattributes", ".github/x", "git", "a.git", ".git2", "git~2"])(
    "accepts %j, which is not git's own folder",
    (path) => expect(pathFault(path)).toBeNull(),
  );

  it("accepts nothing that resolves outside", () => {
    promise("commit.links-refused");
    const segment = fc.oneof(fc.constantFrom("..", ".", "", "a", "~", "C:"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), (segments) => {
        const path = segments.join("/");
        if (pathFault(path) !== null) return;
        expect(posix.resolve("/project", path)).toBe(`/project/${path}`);
      }),
      { numRuns: 2000 },
    );
  });
});
