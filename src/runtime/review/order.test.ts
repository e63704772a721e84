import { expect, test } from "vitest";
import { listFiles, orderFiles, sizeOf } from "./order.ts";

const file = (path: string, added: number | null = 1) => ({ path, added, deleted: 0 });
const PLAN = [
  { id: "S-02", files: ["src/b.ts"] },
  { id: "S-01", files: ["src/a.ts", "test/a.test.ts"] },
];

test("files outside the plan come first, then process files, then the plan's items in its order", () => {
  const files = ["src/a.ts", "src/b.ts", "test/a.test.ts", "src/c.ts", "package.json"].map((path) =>
    file(path),
  );
  const found = orderFiles(files, { plan: PLAN, sinceLast: null });
  expect(found.map(({ group, item, path }) => [path, group, item])).toEqual([
    ["package.json", "outside-plan", "configuration"],
    ["src/c.ts", "outside-plan", null],
    ["test/a.test.ts", "process", "tests"],
    ["src/b.ts", "plan", "S-02"],
    ["src/a.ts", "plan", "S-01"],
  ]);
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

test("what differs from what was judged last is marked, and listed with its own lines and what was put back", () => {
  const sinceLast = [file("b", 1), file("gone.yml", 2)];
  const { files: found, since } = listFiles([file("a"), file("b", 9)], { plan: null, sinceLast });
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
  expect(sizeOf([], 0)).toEqual({ files: 0, lines: 0, minutes: 1 });
  expect(sizeOf([file("a", 100), file("b", null)], 400)).toEqual({ files: 2, lines: 100, minutes: 5 });
});
