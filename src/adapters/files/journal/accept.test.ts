/** A foreign journal that was set aside, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import { EDITORS } from "../../../../test/crash/shapes.ts";
import { resultOrError, toldLater } from "../../../../test/rig/error-texts.ts";
import { lateEditors } from "../editors.ts";
import { openForeign } from "./accept.ts";
import { FIRST, renderRecord } from "./record.ts";
import type { Step } from "./steps.ts";

describe("a foreign journal that a person may accept", () => {
  const KEPT = ".pawl/kept/2026-01-01-1/foreign-journal";
  const KEY = Buffer.alloc(32, 1);
  const bytes = (...commits: readonly (readonly Step[])[]) =>
    commits
      .map((steps) => renderRecord(KEY, { epoch: 1, sequence: 0, mac: FIRST }, steps).bytes.toString())
      .join("");
  const put = (path: string, text: string, before: string | null = null): Step => ({
    ...{ type: "put", path, before, after: "0".repeat(64), text },
  });
  const editors = () => lateEditors(async () => EDITORS);
  const foreign = (journal: string) => {
    const at = diskWith({ [KEPT]: journal });
    return { ...at, open: () => openForeign({ disk: at.disk, editors: editors() }, KEPT) };
  };

  test("says what it would write, and what each file would be", async () => {
    const { open } = foreign(
      bytes([put("a", "one\n"), { type: "drop", path: "b", before: null }], [put("a", "two\n")]),
    );
    const { outcome, paths } = await open();
    expect(paths).toEqual(["a", "b"]);
    expect([
      outcome("a", null),
      outcome("a", "mine\n"),
      outcome("b", "mine\n"),
      outcome("c", "mine\n"),
      outcome("c", null),
    ]).toEqual(["two\n", "two\n", null, "mine\n", null]);
  });

  test("makes its edits anew on the text that is there", async () => {
    const edit: Step = { ...put("a", "one\ntwo\n"), redo: { editor: "lines", edits: ["two"] } } as Step;
    const { outcome } = await foreign(bytes([edit])).open();
    expect(outcome("a", "mine\n")).toBe("mine\ntwo\n");
  });

  test("is no longer listed once it is accepted", async () => {
    const { open, tree } = foreign(bytes([put("a", "one\n")]));
    (await open()).setAccepted();
    expect(Object.keys(tree())).toEqual([KEPT.replace("foreign-journal", "accepted-journal")]);
  });

  const refusal = (why: string) => ({
    code: "journal-refused",
    message: `${KEPT} cannot be accepted: ${why}. Nothing was changed.`,
    fix: `Open ${KEPT} in an editor and copy what you want by hand, or remove it.`,
  });
  const NEVER =
    "one of its commits does something that Pawl never does, such as write outside the project or into git's folder";

  test.each<readonly [string, string, string]>([
    ["is empty", "", NEVER],
    ["writes outside", bytes([put("a", "x")], [put("../a", "x")]), NEVER],
    [
      "writes a file where it needs a folder",
      bytes([put("a/b", "x")], [put("a", "x")]),
      "it writes a/b, and also a file in place of that path's folder",
    ],
  ])("is refused if it %s", async (_, journal, why) => {
    expect(await toldLater(foreign(journal).open())).toEqual(refusal(why));
  });

  test("is refused if it is gone, or would write what is no text", async () => {
    const { disk } = diskWith({});
    expect(await toldLater(openForeign({ disk, editors: editors() }, KEPT))).toEqual(refusal(NEVER));
    const binary: Step = { type: "put", path: "a", before: null, after: "0".repeat(64), base64: "/w==" };
    const { outcome } = await foreign(bytes([binary])).open();
    expect(resultOrError(() => outcome("a", null))).toEqual(refusal("what it would write to a is not text"));
  });
});
