/** What is read of the applied marker, whatever stands there. */
import { expect, test } from "vitest";
import type { Disk } from "./disk.ts";
import { hashOf } from "./hash.ts";
import { type Applied, beginning, readMarker, writeMarker } from "./marker.ts";
import { FIRST } from "./record.ts";
import type { Vault } from "./vault.ts";

const MAC = "0123456789abcdef".repeat(4);
const APPLIED: Applied = { epoch: 1_700_000_000_000, length: 12, sequence: 3, mac: MAC };

function places(boot: string | null = "boot-1") {
  const files = new Map<string, string>();
  const asked: [string, number][] = [];
  let started = boot;
  const disk = { bootId: () => started, now: () => new Date(5_000) } as Partial<Disk> as Disk;
  const vault = {
    read(name: string, width: number) {
      asked.push([name, width]);
      return files.get(name)?.slice(0, width) ?? null;
    },
    write: (name: string, text: string) => void files.set(name, text),
  } as Partial<Vault> as Vault;
  const start = (next: string | null) => {
    started = next;
  };
  return { asked, disk, files, start, vault };
}

/** A marker's file with this line, and the seal that belongs to it. */
const sealed = (line: string) => `${line} ${hashOf(line).slice(0, 16)}\n`;
const LINE = `pawl-applied 2 boot-1 1 2 3 ${MAC}`;

test("What was written is read, and is current until the machine starts again", () => {
  const { asked, disk, files, start, vault } = places();
  writeMarker(disk, vault, APPLIED);
  expect(readMarker(disk, vault)).toEqual({ ...APPLIED, isCurrent: true });
  start("boot-2");
  expect(readMarker(disk, vault)).toEqual({ ...APPLIED, isCurrent: false });
  expect([...files.keys()]).toEqual(["applied"]);
  expect(asked[0]).toEqual(["applied", 256]);
});

test("A marker has one width and one line, whatever it says", () => {
  const { disk, files, vault } = places();
  for (const applied of [APPLIED, { ...APPLIED, epoch: 1, length: 999_999_999_999_999 }]) {
    writeMarker(disk, vault, applied);
    const text = files.get("applied") ?? "";
    expect(text).toHaveLength(256);
    expect(text.indexOf("\n")).toBe(255);
  }
});

test("Where the machine does not say when it started, no marker is current", () => {
  const { disk, vault } = places(null);
  writeMarker(disk, vault, APPLIED);
  expect(readMarker(disk, vault)).toEqual({ ...APPLIED, isCurrent: false });
});

test("A line with its seal is a marker", () => {
  const { disk, files, vault } = places();
  files.set("applied", sealed(LINE));
  expect(readMarker(disk, vault)).toEqual({ epoch: 1, length: 2, sequence: 3, mac: MAC, isCurrent: true });
});

test.each<readonly [string, string]>([
  ["nothing", ""],
  ["zeros, as after a power cut", "\0".repeat(256)],
  ["another seal", `${LINE} ${"0".repeat(16)}\n`],
  ["no seal", `${LINE}\n`],
  ["half of it", sealed(LINE).slice(0, 60)],
  ["something before it", `x${sealed(LINE)}`],
  ["something behind it", `${sealed(LINE)}x`],
  ["another format", sealed(LINE.replace("applied 2", "applied 3"))],
  ["no start of the machine", sealed(LINE.replace("boot-1 ", ""))],
  ["a number of sixteen digits", sealed(LINE.replace(" 1 2 3 ", " 1111111111111111 2 3 "))],
  ["a negative number", sealed(LINE.replace(" 1 2 3 ", " 1 -2 3 "))],
  ["a hash with a letter too many", sealed(`${LINE}0`)],
  ["a hash with a letter too few", sealed(LINE.slice(0, -1))],
  ["a hash in capitals", sealed(LINE.toUpperCase().replace("PAWL-APPLIED", "pawl-applied"))],
])("There is no marker where there is %s", (_, text) => {
  const { disk, files, vault } = places();
  files.set("applied", text);
  expect(readMarker(disk, vault)).toBeNull();
});

test("Without a file there is no marker", () => {
  const { disk, vault } = places();
  expect(readMarker(disk, vault)).toBeNull();
});

test("An empty journal begins behind every epoch that was used, and not before the present time", () => {
  const { disk } = places();
  const marker = { ...APPLIED, isCurrent: false };
  expect(beginning(disk, null)).toEqual({ epoch: 5_000, length: 0, sequence: 0, mac: FIRST });
  expect(beginning(disk, { ...marker, epoch: 9_000 })).toEqual({
    ...{ epoch: 9_001, length: 0, sequence: 3, mac: FIRST },
  });
  expect(beginning(disk, { ...marker, epoch: 4_000 })).toEqual({
    ...{ epoch: 5_000, length: 0, sequence: 3, mac: FIRST },
  });
});
