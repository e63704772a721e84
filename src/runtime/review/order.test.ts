import { expect, test } from "vitest";
import type { FileShape, Git } from "../../core/ports/git.ts";
import { fileMarks } from "./brief.ts";
import { listFiles, orderFiles, sizeOf } from "./order.ts";

const file = (path: string, added: number | null = 1) => ({ path, added, deleted: 0 });
const PLAN = [
  { id: "S-02", files: ["src/b.ts"] },
  { id: "S-01", files: ["src/a.ts", "test/a.test.ts"] },
];

test("what decides how the work is judged comes first, then the plan's items in its order, then what it does not name", () => {
  const files = ["src/a.ts", "src/b.ts", "test/a.test.ts", "src/c.ts", "package.json", ".github/ci.yml"];
  const found = orderFiles(
    files.map((path) => file(path)),
    { plan: PLAN, sinceLast: null },
  );
  expect(found.map(({ group, isOutside, item, path }) => [path, group, item, isOutside])).toEqual([
    [".github/ci.yml", "process", "CI", true],
    ["test/a.test.ts", "process", "tests", false],
    ["package.json", "process", "configuration", true],
    ["src/b.ts", "plan", "S-02", false],
    ["src/a.ts", "plan", "S-01", false],
    ["src/c.ts", "outside-plan", null, true],
  ]);
});

const shape = (path: string, about: Partial<FileShape> = {}): FileShape => ({
  ...{ path, isBlank: false, generated: null, bytes: { before: null, after: null } },
  ...about,
});

test("what needs no reading is folded with its reason; what decides whether the work passes never is", () => {
  const shapes = [
    shape("made.ts", { generated: "attribute" }),
    shape("table.js", { generated: "header" }),
    shape("test/made.test.js", { generated: "header", isBlank: true }),
    shape("ends.csv", { isBlank: true }),
    shape("indented.py", { isBlank: true }),
    shape("logo.png", { bytes: { before: 10, after: 20 } }),
    shape("new/name.js", { was: "old/name.js", similarity: 100, added: 0, deleted: 0 }),
    shape("new/half.js", { was: "old/half.js", similarity: 79, added: 2, deleted: 3 }),
  ];
  const paths = [...shapes.flatMap(({ path, was = path }) => [path, was]), "yarn.lock", "a.min.js"];
  const files = [...new Set(paths), ".alfred/tasks/A-1.md", ".alfred/config.yml"].map((path) => file(path));
  const found = orderFiles([...files, file("long.js", 501)], { plan: null, sinceLast: null, shapes });
  expect(found.map(({ folded, path }) => [path, folded])).toEqual(
    [
      ["test/made.test.js", null],
      [".alfred/config.yml", null],
      ["indented.py", null],
      ["new/half.js", null],
      ["yarn.lock", "lock file"],
      [".alfred/tasks/A-1.md", "Pawl's own"],
      ["a.min.js", "generated: minified"],
      ["ends.csv", "blanks and line ends only"],
      ["logo.png", "image"],
      ["long.js", "501 lines"],
      ["made.ts", "generated: .gitattributes says so"],
      ["new/name.js", "renamed only"],
      ["table.js", "generated: its first lines say so"],
    ].sort((one, other) => order(one[0]) - order(other[0])),
  );
  function order(path: string | null | undefined): number {
    return found.findIndex((each) => each.path === path);
  }
  expect(found.findIndex(({ folded }) => folded !== null)).toBe(4);
  expect(found.find(({ path }) => path === "new/half.js")).toMatchObject({
    ...{ was: "old/half.js", added: 2, deleted: 3 },
  });
  expect(found.find(({ path }) => path === "logo.png")?.image).toEqual({ before: 10, after: 20 });
  expect(sizeOf(found, 0)).toMatchObject({ files: 13, toRead: 4, minutes: 1 });
});

test("a link that leads out of the project comes first, wherever it lies, and a submodule says from where to where", () => {
  const shapes = [
    shape("docs/in", { link: "../a/b" }),
    shape("docs/out.png", { link: "../../x" }),
    shape("src/a.ts", { link: "/etc/passwd" }),
    shape(".pawl/out", { link: "./../..", generated: "attribute" }),
    shape("lib", { module: { before: "1".repeat(40), after: "2".repeat(40) } }),
    shape("new", { module: { before: "0".repeat(40), after: "2".repeat(40) } }),
  ];
  const LINK = "link out of the project";
  const files = [...shapes, { path: ".github/ci.yml" }].map(({ path }) => file(path));
  const found = orderFiles(files, { plan: PLAN, sinceLast: null, shapes });
  expect(found.map((each) => [each.path, each.group, fileMarks(each)])).toEqual([
    [".pawl/out", "process", [LINK, "outside the plan", "leads to ./../.."]],
    ["docs/out.png", "process", [LINK, "outside the plan", "leads to ../../x"]],
    ["src/a.ts", "process", [LINK, "leads to /etc/passwd"]],
    [".github/ci.yml", "process", ["CI", "outside the plan"]],
    ["docs/in", "outside-plan", ["leads to ../a/b"]],
    ["lib", "outside-plan", [`submodule ${"1".repeat(12)}..${"2".repeat(12)}`]],
    ["new", "outside-plan", [`submodule at ${"2".repeat(12)}`]],
  ]);
});

test("the line by which a check lets faults through is named", async () => {
  const text = "--- a/x\n+++ b/x\n-npm test\n+      - run: npm test || true\n";
  const one = { leftOut: 0, isBinary: false };
  const files = [
    { ...one, path: ".github/ci.yml", text },
    { ...one, path: "test/a.test.ts", text: "+++ b/it.skip\n+it('holds', () => {});\n" },
  ];
  const git = { diff: async () => ({ kind: "diff", files }) } as unknown as Git;
  const changed = [file(".github/ci.yml"), file("test/a.test.ts"), file("src/a.ts")];
  const at = { git, from: "base", to: "now", last: null };
  const { files: found, untouched } = await listFiles(changed, PLAN, null, at);
  expect(found.map(({ path, weakens }) => [path, weakens])).toEqual([
    [".github/ci.yml", "- run: npm test || true"],
    ["test/a.test.ts", undefined],
    ["src/a.ts", undefined],
  ]);
  expect(untouched).toEqual(["src/b.ts"]);
});

test("where nobody planned files, process files come first", () => {
  const found = orderFiles([file("src/a.ts"), file(".github/workflows/ci.yml")], {
    plan: null,
    sinceLast: null,
  });
  expect(found.map(({ group, path }) => [path, group])).toEqual([
    [".github/workflows/ci.yml", "process"],
    ["src/a.ts", "other"],
  ]);
});

test("what differs from what was judged last is marked, and listed with its own lines and what was put back", async () => {
  const sinceLast = [file("b", 1), file("gone.yml", 2)];
  const git = { in: undefined } as unknown as Git;
  const at = { git, from: "base", to: "now", last: "judged" };
  const { files: found, since } = await listFiles([file("a"), file("b", 9)], null, sinceLast, at);
  expect(since.map(({ added, path }) => [path, added])).toEqual([
    ["b", 1],
    ["gone.yml", 2],
  ]);
  expect(found.map(({ isNew, path }) => [path, isNew])).toEqual([
    ["a", false],
    ["b", true],
  ]);
});

test("reading takes a minute at least, and longer for more lines, files and words", () => {
  expect(sizeOf([], 0)).toEqual({ files: 0, toRead: 0, lines: 0, minutes: 1 });
  expect(sizeOf([file("a", 100), file("b", null)], 400)).toEqual({
    files: 2,
    toRead: 2,
    lines: 100,
    minutes: 5,
  });
});
