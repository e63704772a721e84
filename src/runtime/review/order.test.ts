import { expect, test } from "vitest";
import type { FileShape, Git } from "../../core/ports/git.ts";
import { fileMarks } from "./brief.ts";
import { listFiles, orderFiles, sizeOf, wordsIn } from "./order.ts";

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

test("if nobody planned files, process files come first", () => {
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

test("a renamed file is one file, with what its old name was in the plan, among the checks and since the last verdict", () => {
  const shapes = [
    shape("src/new.ts", { was: "src/b.ts", added: 2, deleted: 3 }),
    shape("lib/x.js", { was: "test/x.test.js" }),
    shape("src/copy.ts", { was: "src/kept.ts", added: 9, deleted: 9 }),
  ];
  const paths = ["src/new.ts", "src/b.ts", "lib/x.js", "test/x.test.js", "src/copy.ts"];
  const found = orderFiles(
    paths.map((path) => file(path, 50)),
    { plan: PLAN, sinceLast: [file("src/b.ts")], shapes },
  );
  expect(
    found.map(({ added, deleted, group, isNew, item, path, was }) => ({
      added,
      deleted,
      group,
      isNew,
      item,
      path,
      was,
    })),
  ).toEqual([
    {
      ...{ path: "lib/x.js", was: "test/x.test.js", group: "process", item: "tests" },
      added: 0,
      deleted: 0,
      isNew: false,
    },
    {
      ...{ path: "src/new.ts", was: "src/b.ts", group: "plan", item: "S-02" },
      added: 2,
      deleted: 3,
      isNew: true,
    },
    // What it was copied from is still there.
    {
      ...{ path: "src/copy.ts", was: undefined, group: "outside-plan", item: null },
      added: 50,
      deleted: 0,
      isNew: false,
    },
  ]);
  const [own] = orderFiles([file("src/a.ts")], { plan: null, sinceLast: [file("src/a.ts")] });
  expect(own).toMatchObject({ isNew: true, isOutside: false });
  expect(own).not.toHaveProperty("image");
});

test("the kinds of what decides how the work is judged stand in the order of their danger", () => {
  const paths = ["package.json", "scripts/x.sh", "a.test.ts", ".github/ci.yml", "yarn.lock", "a.png"];
  const found = orderFiles(
    paths.map((path) => file(path)),
    { plan: [], sinceLast: null },
  );
  expect(found.map(({ group, item, path }) => [path, group, item])).toEqual([
    [".github/ci.yml", "process", "CI"],
    ["a.test.ts", "process", "tests"],
    ["scripts/x.sh", "process", "scripts"],
    ["package.json", "process", "configuration"],
    ["a.png", "folded", null],
    ["yarn.lock", "folded", "lock files"],
  ]);
});

test.each<[string, string, Partial<FileShape>, string | null]>([
  ["500 lines", "long.js", {}, null],
  ["a picture", "a.jpg", {}, "image"],
  ["a picture's name before its end", "a.png.ts", {}, null],
  ["a script made small", "a.min.css", {}, "generated: minified"],
  ["its map", "a.js.map", {}, "generated: minified"],
  ["a name like that", "a.min.jsx", {}, null],
  ["blanks, where they mean something", "Makefile", { isBlank: true }, null],
  ["blanks in a stub", "a.pyi", { isBlank: true }, null],
  ["blanks in YAML", "a.yml", { isBlank: true }, null],
  ["blanks in F#", "a.fs", { isBlank: true }, null],
  ["blanks elsewhere", "a.pyx", { isBlank: true }, "blanks and line ends only"],
  ["a file of Pawl's", ".pawl/log/a.jsonl", {}, "Pawl's own"],
  ["a folder of such a name elsewhere", "docs/.pawl/a.txt", {}, null],
  ["who may sign", ".alfred/allowed_signers", {}, null],
  ["what is named after it", ".alfred/allowed_signers.bak", {}, "Pawl's own"],
])("what needs no reading is folded: %s", (_, path, about, folded) => {
  const shapes = [shape(path, about)];
  const [found] = orderFiles([{ path, added: 300, deleted: 200 }], { plan: null, sinceLast: null, shapes });
  // What decides how the work is judged is folded for fewer reasons.
  expect(found?.folded).toBe(folded);
});

test("one line more than 500 is too long to be read", () => {
  const [long] = orderFiles([{ path: "a.js", added: 1000, deleted: 234 }], { plan: [], sinceLast: null });
  expect(long).toMatchObject({ folded: "1,234 lines", isOutside: true });
  const [own] = orderFiles([file(".pawl/x")], { plan: [], sinceLast: null });
  expect(own).toMatchObject({ folded: "Pawl's own", isOutside: false });
});

test.each([
  ["of the project", "docs/a", "../b", false],
  ["of its own folder", "a", "./b//c", false],
  ["up and down again", "docs/a", "../x/../../y", true],
  ["out and in again", "a", "../shop/a", true],
  ["of the system", "a", "/etc", true],
  ["of a drive", "a", "C:\\x", true],
  ["with a colon", "a", "ab:c", false],
  ["out, through an empty part", "a", "x//../..", true],
  ["out, through a part that stays", "a", "x/./../..", true],
  ["out, by other strokes", "docs/a", "..\\..\\x", true],
])("a link is judged by whether it leads out: %s", (_, path, link, isOut) => {
  const [found] = orderFiles([file(path)], { plan: null, sinceLast: null, shapes: [shape(path, { link })] });
  expect(found?.item === "link out of the project").toBe(isOut);
  expect(found).toMatchObject({ leads: `leads to ${link}`, group: isOut ? "process" : "other" });
});

test("a link of a picture's name has no picture", () => {
  const shapes = [shape("a.png", { link: "b.png" })];
  const [found] = orderFiles([file("a.png")], { plan: null, sinceLast: null, shapes });
  expect(found).not.toHaveProperty("image");
});

test("a submodule is at its commit, or went from one to the other", () => {
  const leads = (before: string, after: string) =>
    orderFiles([file("lib")], {
      ...{ plan: null, sinceLast: null },
      shapes: [shape("lib", { module: { before, after } })],
    })[0]?.leads;
  expect(leads("0".repeat(40), "a".repeat(40))).toBe(`submodule at ${"a".repeat(12)}`);
  expect(leads(`${"0".repeat(11)}1`, "a".repeat(40))).toContain("..");
  expect(leads(`1${"0".repeat(11)}`, "a".repeat(40))).toContain("..");
});

test("shapes are looked up for both lists, and a renamed file's old name is touched", async () => {
  const asked: (readonly string[])[] = [];
  const git = {
    shapes: async (from: string, to: string) => {
      asked.push([from, to]);
      return [shape("src/new.ts", { was: "src/b.ts", ...(from === "judged" ? { added: 1 } : { added: 7 }) })];
    },
  } as unknown as Git;
  const both = [file("src/new.ts"), file("src/b.ts")];
  const list = (sinceLast: typeof both | null, last: string | null) =>
    listFiles(both, PLAN, sinceLast, { git, from: "base", to: "now", last });
  const { files, since, untouched } = await list(both, "judged");
  expect(asked).toEqual([
    ["base", "now"],
    ["judged", "now"],
  ]);
  expect([...files, ...since].map(({ added, path }) => [path, added])).toEqual([
    ["src/new.ts", 7],
    ["src/new.ts", 1],
  ]);
  expect(untouched).toEqual(["src/a.ts", "test/a.test.ts"]);
  asked.length = 0;
  expect((await list(null, "judged")).since).toEqual([]);
  expect((await list(both, null)).since).toHaveLength(2);
  expect(asked).toEqual([
    ["base", "now"],
    ["base", "now"],
  ]);
  const { untouched: none } = await listFiles(both, null, null, { git, from: "", to: "", last: null });
  expect(none).toEqual([]);
});

test("git is asked for the lines of what decides how the work is judged alone", async () => {
  const orders: unknown[] = [];
  const weak = { leftOut: 0, isBinary: false, text: "+it.skip('x')" };
  const gitOf = (isThere: boolean) =>
    ({
      async diff(order: { readonly path: string | null }) {
        orders.push(order.path);
        return isThere
          ? { kind: "diff", files: ["a.test.ts", "b.test.ts", "c.ts"].map((path) => ({ ...weak, path })) }
          : { kind: "unavailable", reason: "" };
      },
    }) as unknown as Git;
  const weakens = async (paths: readonly string[], isThere = true) => {
    const at = { git: gitOf(isThere), from: "base", to: "now", last: null };
    const { files } = await listFiles(
      paths.map((path) => file(path)),
      null,
      null,
      at,
    );
    return files.map((each) => each.weakens);
  };
  expect(await weakens(["a.test.ts", "c.ts"])).toEqual(["it.skip('x')", undefined]);
  expect(await weakens(["a.test.ts", "b.test.ts"])).toEqual(["it.skip('x')", "it.skip('x')"]);
  expect(await weakens(["c.ts"])).toEqual([undefined]);
  expect(await weakens(["a.test.ts"], false)).toEqual([undefined]);
  expect(orders).toEqual(["a.test.ts", null, "a.test.ts"]);
});

test.each([
  ...["npm test || true", "npm test ||true", "npm test || :", "npm test || : # fine", "npm test || exit 0"],
  ...[
    "continue-on-error: true",
    "continue-on-error:  true",
    "allow_failure:true",
    "vitest --passWithNoTests",
  ],
  ...["git commit --no-verify", "set +e", "describe.only('x')", "test.todo('x')", "xit('x')", "@Disabled"],
  ...["@pytest.mark.xfail", "@unittest.skip", "t.Skip()", '"test": "true"', '"test":"echo no tests"'],
])("a line lets faults through: %s", async (line) => {
  const diff = async () => ({
    kind: "diff",
    files: [{ path: "a.test.ts", text: `+ ${line}`, leftOut: 0, isBinary: false }],
  });
  const at = { git: { diff } as unknown as Git, from: "", to: "", last: null };
  const { files } = await listFiles([file("a.test.ts")], null, null, at);
  expect(files[0]?.weakens).toBe(line);
});

test.each([
  ...["npm test || truely", "npm test || :x", "npm test || exit 01", "continue-on-error: false", "reset +e"],
  ...[
    "edit.skipped()",
    "exit('x')",
    "@Disabledness",
    "alert.Skip()",
    '"test": "vitest"',
    '"test": "true-ish"',
  ],
])("a line is like those that let faults through, and is none: %s", async (line) => {
  const diff = async () => ({
    kind: "diff",
    files: [{ path: "a.test.ts", text: `+ ${line}`, leftOut: 0, isBinary: false }],
  });
  const at = { git: { diff } as unknown as Git, from: "", to: "", last: null };
  const { files } = await listFiles([file("a.test.ts")], null, null, at);
  expect(files[0]?.weakens).toBeUndefined();
});

test("words are those of all texts in what is read", () => {
  expect(wordsIn("  one  two\nthree ")).toBe(3);
  expect(wordsIn({ a: "one two", b: ["three", { c: "four" }], d: 5, e: null, f: true })).toBe(4);
  expect(wordsIn(null)).toBe(0);
  expect(wordsIn(7)).toBe(0);
});

test("deleted lines are read, too, and folded files are not", () => {
  const files = [
    { path: "a", added: 10, deleted: 490, folded: null },
    { path: "b", added: 900, deleted: null, folded: "900 lines" },
  ];
  expect(sizeOf(files, 0)).toEqual({ files: 2, toRead: 1, lines: 1400, minutes: 10 });
});
