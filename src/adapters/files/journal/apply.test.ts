/** What a record's steps make of the files, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import { EDITORS } from "../../../../test/crash/shapes.ts";
import type { Call } from "../../../../test/crash/sim-disk.ts";
import { Machine } from "../../../../test/crash/sim-machine.ts";
import { EVENTS } from "../../../core/event.ts";
import { hashOf } from "../../../core/hash.ts";
import type { Editor } from "../../../core/ports/store.ts";
import type { Editors } from "../editors.ts";
import { fileOnDisk } from "../read-at.ts";
import { applySteps, outcomeOf } from "./apply.ts";
import type { Append, Put, Step } from "./steps.ts";

const hash = (text: string | null) => (text === null ? null : hashOf(text));
const put = (before: string | null, text: string, more: Partial<Put> = {}): Put => ({
  ...{ type: "put", path: "a", before: hash(before), after: hashOf(text), text },
  ...more,
});
const drop = (before: string): Step => ({ type: "drop", path: "a", before: hash(before) });
const append = (offset: number, text: string): Append => ({
  ...{ type: "append", path: "a", id: text.trim(), offset, text },
});
const edits = (before: string, text: string, ...lines: string[]) =>
  put(before, text, { redo: { editor: "lines", edits: lines } });

interface ApplyCase {
  readonly there?: string;
  readonly fresh?: boolean;
  readonly torn?: boolean;
  /** A temporary file that somebody died over. */
  readonly stale?: string;
  /** What a person saves once Pawl has written beside the file. */
  readonly saved?: string;
  readonly editors?: Readonly<Record<string, Editor>>;
}

const loaded = (editors: Readonly<Record<string, Editor>>): Editors => ({
  get: (name) => editors[name],
  load: async () => {},
});

const TEMPORARY = ".a.pawl-tmp";

/** Applies steps about the file `a`. */
function apply(
  steps: readonly Step[],
  { there, stale, saved, editors = EDITORS, ...how }: ApplyCase = {},
  machine = new Machine(),
) {
  const kept: string[] = [];
  const files = {
    ...(there === undefined ? {} : { a: there }),
    ...(stale === undefined ? {} : { [TEMPORARY]: stale }),
  };
  const fate = ({ name, path }: Call) => {
    if (name === "close" && path === TEMPORARY && saved !== undefined) machine.save("a", saved, "by-rename");
    return undefined;
  };
  const at = diskWith(files, fate, machine);
  const resolution = applySteps(
    {
      disk: at.disk,
      editors: loaded(editors),
      onKept: (one) => kept.push(one.kept),
      fresh: false,
      torn: false,
      ...how,
    },
    steps,
  );
  expect(at.open).toEqual(new Set());
  const called = (name: string, path: string) => at.called(name).filter((each) => each === path).length;
  return { called, kept, file: at.file, machine, resolution, tree: at.tree() };
}

describe("what the journal explains is replaced", () => {
  const DONE: readonly (readonly [string, readonly Step[], string | undefined, string | undefined])[] = [
    ["a file that is made", [put(null, "new\n")], undefined, "new\n"],
    ["a file that is replaced", [put("old\n", "new\n")], "old\n", "new\n"],
    ["a file that is removed", [drop("old\n")], "old\n", undefined],
    ["a file that is gone already", [drop("old\n")], undefined, undefined],
    ["lines", [append(5, "one\n"), append(9, "two\n")], "zero\n", "zero\none\ntwo\n"],
    ["a file with a line behind it", [put("old\n", "new\n"), append(4, "one\n")], "old\n", "new\none\n"],
    [
      "one after the other",
      [put("old\n", "new\n"), put("new\n", "newer\n"), drop("newer\n"), put(null, "newest\n")],
      "new\n",
      "newest\n",
    ],
  ];
  for (const fresh of [true, false])
    test.each(DONE)(`%s (${fresh ? "fresh" : "in a replay"})`, (_, steps, there, expected) => {
      const { resolution, tree } = apply(steps, { fresh, ...(there === undefined ? {} : { there }) });
      expect(resolution).toEqual([]);
      expect(tree).toEqual(expected === undefined ? {} : { a: expected });
    });

  test("a new file gets the permissions of its step, and an old one keeps its own", () => {
    const made = apply([put(null, "new\n", { mode: 0o755 })]);
    expect(made.file("a").mode).toBe(0o755);
    const again = apply([put("new\n", "newer\n", { mode: 0o600 })], {}, made.machine);
    expect(again.file("a").mode).toBe(0o755);
  });

  test("after a power cut, a part of what was written is replaced too", () => {
    const steps = [put("old\n", "a long text\n")];
    expect(apply(steps, { there: "a lo", torn: true }).tree).toEqual({ a: "a long text\n" });
    expect(apply(steps, { there: "a lo", torn: false }).resolution).not.toEqual([]);
  });

  test("every path is seen to", () => {
    const steps: readonly Step[] = [put(null, "new\n"), { ...put(null, "other\n"), path: "b" }];
    expect(apply(steps).tree).toEqual({ a: "new\n", b: "other\n" });
  });
});

describe("what is right already is left as it is", () => {
  test("in a replay nothing is written for it", () => {
    const { called, tree } = apply([put("old\n", "new\n")], { there: "new\n" });
    expect(tree).toEqual({ a: "new\n" });
    expect([called("open", TEMPORARY), called("rename", "a")]).toEqual([0, 0]);
  });

  test("a fresh commit has just looked: it looks once more, right before it replaces the file", () => {
    const steps = [put("old\n", "new\n")];
    expect(apply(steps, { there: "old\n", fresh: true }).called("open", "a")).toBe(1);
    expect(apply(steps, { there: "old\n", fresh: false }).called("open", "a")).toBe(2);
  });

  test("a file that somebody made as it is to be meanwhile is not replaced, and nothing is left beside it", () => {
    for (const fresh of [true, false]) {
      const { called, resolution, tree } = apply([put("old\n", "new\n")], {
        ...{ there: "old\n", saved: "new\n", fresh },
      });
      expect([resolution, tree, called("rename", "a")]).toEqual([[], { a: "new\n" }, 0]);
    }
  });

  test("what somebody left beside it when they died is removed", () => {
    const stale = "half of it";
    expect(apply([put("old\n", "new\n")], { there: "new\n", stale }).tree).toEqual({ a: "new\n" });
    expect(apply([put("old\n", "new\n")], { there: "old\n", stale }).tree).toEqual({ a: "new\n" });
    expect(apply([drop("old\n")], { there: "old\n", stale }).tree).toEqual({});
    expect(apply([put("old\n", "new\n")], { there: "old\n", stale, fresh: true }).tree).toEqual({
      a: "new\n",
    });
  });
});

describe("a person's text in the way", () => {
  const KEPT = ".pawl/kept/2026-01-01-1/a";
  const known = [
    { type: "known", path: "a", hash: hashOf("mine\n") },
    expect.objectContaining({ type: "append", path: EVENTS }),
  ];

  test.each<readonly [string, readonly Step[], string | undefined]>([
    ["of a file that is replaced", [put("old\n", "new\n")], "new\n"],
    ["of a file that is made", [put(null, "new\n")], "new\n"],
    ["of a file that is removed", [drop("old\n")], undefined],
    ["of a file that is written and appended to", [put("old\n", "new\n"), append(4, "one\n")], "new\none\n"],
  ])("is kept aside before it is replaced: %s", (_, steps, expected) => {
    for (const fresh of [true, false]) {
      const first = apply(steps, { there: "mine\n", fresh });
      expect(first.tree).toEqual({ a: "mine\n", [KEPT]: "mine\n" });
      expect([first.resolution, first.kept]).toEqual([known, [KEPT]]);
      const then = apply([...steps, ...first.resolution], {}, first.machine);
      expect([then.resolution, then.tree.a, then.tree[KEPT]]).toEqual([[], expected, "mine\n"]);
    }
  });

  test("is kept aside also if it was saved a moment ago", () => {
    const { called, resolution, tree } = apply([put("old\n", "new\n")], {
      ...{ there: "old\n", saved: "mine\n", fresh: true },
    });
    expect([resolution, tree, called("rename", "a")]).toEqual([known, { a: "mine\n", [KEPT]: "mine\n" }, 0]);
  });

  test("in a replay nothing is written beside it", () => {
    expect(apply([put("old\n", "new\n")], { there: "mine\n" }).called("open", TEMPORARY)).toBe(0);
  });

  test("gets the edits, which are journalled first", () => {
    const steps = [edits("one\n", "one\ntwo\n", "two"), edits("one\ntwo\n", "one\ntwo\nthree\n", "three")];
    const first = apply(steps, { there: "mine\n" });
    const redone = "mine\ntwo\nthree\n";
    expect(first.resolution).toEqual([put("mine\n", redone, { redone: true })]);
    expect([first.tree, first.kept]).toEqual([{ a: "mine\n" }, []]);
    const then = apply([...steps, ...first.resolution], {}, first.machine);
    expect([then.resolution, then.tree]).toEqual([[], { a: redone }]);
  });

  test.each<readonly [string, readonly Step[], Readonly<Record<string, Editor>>]>([
    ["there is no such editor", [edits("one\n", "one\ntwo\n", "two")], {}],
    [
      "its editor cannot do it",
      [edits("one\n", "one\ntwo\n", "two")],
      {
        lines: () => {
          throw new Error("no");
        },
      },
    ],
    ["not all of it are edits", [put("zero\n", "one\n"), edits("one\n", "one\ntwo\n", "two")], EDITORS],
  ])("is kept aside if %s", (_, steps, editors) => {
    expect(apply(steps, { there: "mine\n", editors }).resolution).toEqual(known);
  });

  test("that is no text is kept aside, and no editor sees it", () => {
    const machine = new Machine();
    machine.save("a", "", "in-place");
    const file = machine.find("a");
    if (file?.kind !== "file") throw new Error("There is no file.");
    file.bytes = Buffer.of(0xff, 0xfe);
    const seen: string[] = [];
    const lines = (text: string) => {
      seen.push(text);
      return text;
    };
    const { resolution } = apply([edits("one\n", "one\ntwo\n", "two")], { editors: { lines } }, machine);
    expect([resolution.map(({ type }) => type), seen]).toEqual([["known", "append"], []]);
  });

  test("that was accepted before a line was appended to it stays", () => {
    const steps = [put("old\n", "new\n"), append(20, "one\n")];
    for (const fresh of [true, false]) {
      const { resolution, tree } = apply(steps, { there: "nineteen letters it\n", fresh });
      expect([resolution, tree]).toEqual([[], { a: "nineteen letters it\none\n" }]);
    }
    expect(apply(steps, { there: "old\n" }).tree).toEqual({ a: "new\none\n" });
    expect(apply(steps).tree).toEqual({ a: "new\none\n" });
  });
});

describe("how a file will be once its steps are applied", () => {
  const text = (steps: readonly Step[], there: string | null, torn = false) => {
    const found = there === null ? null : fileOnDisk(Buffer.from(there), 0o644);
    const bytes = outcomeOf({ editors: loaded(EDITORS), torn }, steps, found);
    return bytes === null ? null : Buffer.from(bytes).toString();
  };

  test.each<readonly [string, readonly Step[], string | null, string | null]>([
    ["made", [put(null, "new\n")], null, "new\n"],
    ["replaced", [put("old\n", "new\n")], "old\n", "new\n"],
    ["right already", [put("old\n", "new\n")], "new\n", "new\n"],
    ["removed", [drop("old\n")], "old\n", null],
    ["gone already", [drop("old\n")], null, null],
    ["a line longer", [append(5, "one\n")], "zero\n", "zero\none\n"],
    ["a line long", [append(0, "one\n")], null, "one\n"],
    ["written with a line behind it", [put("old\n", "new\n"), append(4, "one\n")], "old\n", "new\none\n"],
    ["without a person's text", [put("old\n", "new\n")], "mine\n", "new\n"],
    ["with a person's text and the edits", [edits("one\n", "one\ntwo\n", "two")], "mine\n", "mine\ntwo\n"],
    [
      "with a text that was accepted, and the line",
      [put("old\n", "new\n"), append(20, "one\n")],
      "nineteen letters it\n",
      "nineteen letters it\none\n",
    ],
  ])("%s", (_, steps, there, expected) => {
    expect(text(steps, there)).toBe(expected);
  });

  test("whole, after a power cut, if a part was there", () => {
    const steps = [edits("one\n", "one\ntwo\n", "two")];
    expect(text(steps, "one\ntw", true)).toBe("one\ntwo\n");
    expect(text(steps, "one\ntw", false)).toBe("one\ntwtwo\n");
  });
});
