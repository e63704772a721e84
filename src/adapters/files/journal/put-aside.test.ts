/** When and how a long event log is put aside, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import { EVENTS } from "../../../core/event.ts";
import { asideName } from "../../../core/log-parts.ts";
import { putAsideIfLong } from "./put-aside.ts";

const LOG = "one\ntwo\n";
const part = (number: number) => `.pawl/${asideName(number)}`;

describe("an event log", () => {
  const aside = (files: Readonly<Record<string, string>>, limit = 4) => {
    const at = diskWith(files);
    putAsideIfLong(at.disk, limit);
    return at;
  };

  test("is put aside if it is longer than it may be, under the next number", () => {
    expect(aside({ [EVENTS]: LOG }).tree()).toEqual({ [part(1)]: LOG });
    expect(aside({ [EVENTS]: LOG, [part(1)]: "a\n", [part(9)]: "b\n", [part(10)]: "c\n" }).tree()).toEqual({
      ...{ [part(1)]: "a\n", [part(9)]: "b\n", [part(10)]: "c\n", [part(11)]: LOG },
    });
  });

  test("stays if it is short, just as long as it may be, not there, or in the middle of a line", () => {
    for (const files of [{ [EVENTS]: LOG }, {}, { [EVENTS]: "" }] as const)
      expect(aside(files, LOG.length).tree()).toEqual(files);
    expect(aside({ [EVENTS]: `${LOG}thr` }).tree()).toEqual({ [EVENTS]: `${LOG}thr` });
  });

  test("has its new name on the disk before the old one goes", () => {
    const { done } = aside({ [EVENTS]: LOG });
    const changes = done().filter((call) => /^(link|unlink|fsyncFolder) /.test(call));
    expect(changes).toEqual([`link ${part(1)}`, "fsyncFolder .pawl", `unlink ${EVENTS}`]);
  });

  test("takes the place of its own copy, which a crash left, and that is gone first", () => {
    const at = aside({ [EVENTS]: LOG, [part(3)]: "one\n" });
    expect(at.tree()).toEqual({ [part(3)]: LOG });
    const changes = at.done().filter((call) => /^(link|unlink|fsyncFolder) /.test(call));
    expect(changes).toEqual([
      ...[
        `unlink ${part(3)}`,
        "fsyncFolder .pawl",
        `link ${part(3)}`,
        "fsyncFolder .pawl",
        `unlink ${EVENTS}`,
      ],
    ]);
  });

  test("is no copy of a part that begins otherwise, and folders are no parts", () => {
    expect(aside({ [EVENTS]: LOG, [part(3)]: "one more\n" }).tree()).toEqual({
      [part(3)]: "one more\n",
      [part(4)]: LOG,
    });
    expect(aside({ [EVENTS]: LOG, [`${part(3)}/x`]: "" }).tree()).toEqual({
      [part(1)]: LOG,
      [`${part(3)}/x`]: "",
    });
    const long = `${"x".repeat(70_000)}\n`;
    expect(aside({ [EVENTS]: long, [part(1)]: `${"x".repeat(80_000)}\n` }).tree()).toHaveProperty([part(2)]);
  });
});
