/** What is appended to a file, and appended again in a replay: on the real disk. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../disk.ts";
import { nodeDisk } from "../node-disk.ts";
import { applyAppends, withAppends } from "./appends.ts";
import type { Append } from "./steps.ts";

const LOG = "log";
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-appends-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Lines in a row behind so many bytes; each is its own id. */
function lines(offset: number, ...texts: readonly string[]): readonly Append[] {
  let at = offset;
  return texts.map((text) => {
    const append: Append = { type: "append", path: LOG, id: text.trim(), offset: at, text };
    at += Buffer.byteLength(text);
    return append;
  });
}
const write = (text: string) => writeFileSync(join(root, LOG), text);
const there = () => (existsSync(join(root, LOG)) ? readFileSync(join(root, LOG), "utf8") : null);

interface How {
  readonly fresh?: boolean;
  readonly torn?: boolean;
  readonly disk?: Disk;
}
const apply = (
  appends: readonly Append[],
  { fresh = false, torn = false, disk = nodeDisk(root) }: How = {},
) => applyAppends({ disk, fresh, torn }, LOG, appends);

const TWO = lines(5, "aaa1\n", "bbb2\n");
const APART = [...lines(5, "aaa1\n"), ...lines(20, "bbb2\n")];

/** The file, what is appended, the outcome, and the outcome after a power cut. */
type Replay = readonly [string, string, readonly Append[], string, string];
const REPLAYS: readonly Replay[] = [
  ["all is missing", "zero\n", TWO, "zero\naaa1\nbbb2\n", "zero\naaa1\nbbb2\n"],
  ["all is there", "zero\naaa1\nbbb2\n", TWO, "zero\naaa1\nbbb2\n", "zero\naaa1\nbbb2\n"],
  [
    "all is there, and more behind it",
    "zero\naaa1\nbbb2\nmore\n",
    TWO,
    "zero\naaa1\nbbb2\nmore\n",
    "zero\naaa1\nbbb2\nmore\n",
  ],
  ["a line is missing", "zero\naaa1\n", TWO, "zero\naaa1\nbbb2\n", "zero\naaa1\nbbb2\n"],
  ["half of a line is there", "zero\naaa1\nbb", TWO, "zero\naaa1\nbbb2\n", "zero\naaa1\nbbb2\n"],
  ["the file begins with them", "", lines(0, "aaa1\n"), "aaa1\n", "aaa1\n"],
  [
    "somebody else's line is in their place",
    "zero\nmine\n",
    TWO,
    "zero\nmine\naaa1\nbbb2\n",
    "zero\nmine\naaa1\nbbb2\n",
  ],
  [
    "somebody else's longer line is in their place",
    "zero\nmine, mine\n",
    TWO,
    "zero\nmine, mine\naaa1\nbbb2\n",
    "zero\nmine, mine\naaa1\nbbb2\n",
  ],
  ["they are elsewhere in the file", "aaa1\nbbb2\n", TWO, "aaa1\nbbb2\n", "aaa1\nbbb2\n"],
  [
    "one of them is elsewhere",
    "bbb2\nzero\nmine\n",
    TWO,
    "bbb2\nzero\nmine\naaa1\n",
    "bbb2\nzero\nmine\naaa1\n",
  ],
  ["the file is shorter than it was", "z\n", TWO, "z\naaa1\nbbb2\n", "z\naaa1\nbbb2\n"],
  ["the file is shorter, and its last line is not whole", "z", TWO, "z\naaa1\nbbb2\n", "z\naaa1\nbbb2\n"],
  [
    "a line that nobody ended is in their place",
    "zero\nmine",
    TWO,
    "zero\nmine\naaa1\nbbb2\n",
    "zero\nmine\naaa1\nbbb2\n",
  ],
  ["the file was emptied", "", TWO, "aaa1\nbbb2\n", "aaa1\nbbb2\n"],
  [
    "half of a line is there, behind somebody else's",
    "zero\naaa1\nmine\nmine\nbb",
    APART,
    "zero\naaa1\nmine\nmine\nbbb2\n",
    "zero\naaa1\nmine\nmine\nbbb2\n",
  ],
  ["there is a gap between them", "zero\n", APART, "zero\naaa1\nbbb2\n", "zero\naaa1\nbbb2\n"],
  [
    "more is there than a torn line",
    "zero\naaa1\nbb\n\nmine\n",
    TWO,
    "zero\naaa1\nbb\n\nmine\nbbb2\n",
    "zero\naaa1\nbb\n\nmine\nbbb2\n",
  ],
  [
    "zeros are in their place",
    "zero\naaa1\n\0\0\0\0\0",
    TWO,
    "zero\naaa1\n\0\0\0\0\0\nbbb2\n",
    "zero\naaa1\nbbb2\n",
  ],
  [
    "zeros are in their place, and lines behind them",
    "zero\n\0\0\0\0\0bbb2\nmore\n",
    TWO,
    "zero\n\0\0\0\0\0bbb2\nmore\naaa1\n",
    "zero\naaa1\nbbb2\nmore\n",
  ],
];

describe("a replay of appends", () => {
  it.each<Replay>(REPLAYS)("leaves each line once if %s", (_, before, appends, after, afterCut) => {
    for (const [torn, outcome] of [
      [false, after],
      [true, afterCut],
    ] as const) {
      write(before);
      apply(appends, { torn });
      expect(there()).toBe(outcome);
      apply(appends, { torn });
      expect(there()).toBe(outcome);
      expect(Buffer.from(withAppends(Buffer.from(before), appends, torn)).toString()).toBe(outcome);
    }
  });

  it("leaves each line once if the file is gone", () => {
    apply(TWO);
    expect(there()).toBe("aaa1\nbbb2\n");
  });

  it("makes the file and its folder", () => {
    apply([{ ...(lines(0, "aaa1\n")[0] as Append), path: "made/log" }]);
    expect(there()).toBe("aaa1\n");
    applyAppends({ disk: nodeDisk(root), fresh: true, torn: false }, "made/log", lines(0, "aaa1\n"));
    expect(readFileSync(join(root, "made/log"), "utf8")).toBe("aaa1\n");
  });

  it("adds a text without an end of line as it is", () => {
    write("zero");
    apply(lines(2, "aaa1"));
    expect(there()).toBe("zeroaaa1");
  });
});

describe("an append right after its commit", () => {
  /** Counts what is read of the file. */
  function reading(): { readonly disk: Disk; reads: number } {
    const disk = nodeDisk(root);
    const found = {
      reads: 0,
      disk: {
        ...disk,
        read(...args: Parameters<Disk["read"]>) {
          found.reads += 1;
          return disk.read(...args);
        },
      },
    };
    return found;
  }

  it("does not read the file: a log is long", () => {
    const found = reading();
    apply(lines(0, "aaa1\n", "bbb2\n"), { fresh: true, disk: found.disk });
    expect([there(), found.reads]).toEqual(["aaa1\nbbb2\n", 0]);
    apply(lines(10, "ccc3\n"), { fresh: true, disk: found.disk });
    expect([there(), found.reads]).toEqual(["aaa1\nbbb2\nccc3\n", 0]);
  });

  it("looks at the file if it has another size than at the commit", () => {
    write("zero\naaa1\n");
    apply(TWO, { fresh: true });
    expect(there()).toBe("zero\naaa1\nbbb2\n");
  });

  it("is made again if somebody replaced the file meanwhile", () => {
    write("zero\n");
    const disk = nodeDisk(root);
    let isReplaced = false;
    const replacing: Disk = {
      ...disk,
      write(...args) {
        const count = disk.write(...args);
        if (!isReplaced) {
          rmSync(join(root, LOG));
          write("zero\nmine\n");
        }
        isReplaced = true;
        return count;
      },
    };
    apply(TWO, { fresh: true, disk: replacing });
    expect(there()).toBe("zero\nmine\naaa1\nbbb2\n");
  });

  it("is made again if somebody removed the file meanwhile", () => {
    const disk = nodeDisk(root);
    let isRemoved = false;
    const removing: Disk = {
      ...disk,
      write(...args) {
        const count = disk.write(...args);
        if (!isRemoved) rmSync(join(root, LOG));
        isRemoved = true;
        return count;
      },
    };
    apply(lines(0, "aaa1\n"), { fresh: true, disk: removing });
    expect(there()).toBe("aaa1\n");
  });
});
