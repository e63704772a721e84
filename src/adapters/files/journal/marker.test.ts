/** What is read of the applied marker, whatever stands there. */
import { expect, test } from "vitest";
import { STATE_HOME, simDisk, simState } from "../../../../test/crash/sim-disk.ts";
import { Machine } from "../../../../test/crash/sim-machine.ts";
import { hashOf } from "../../../core/hash.ts";
import { openProjectKey } from "../project-key.ts";
import { type Applied, emptyStart, readMarker, writeMarker } from "./marker.ts";
import { FIRST } from "./record.ts";

const MAC = "0123456789abcdef".repeat(4);
const APPLIED: Applied = { epoch: 1_700_000_000_000, length: 12, sequence: 3, mac: MAC };

function places() {
  const machine = new Machine();
  const disk = simDisk(machine);
  const state = simState(disk);
  state.make();
  const stored = () => machine.tree().get(`${STATE_HOME}/applied`);
  return { disk, machine, stored, projectKey: openProjectKey(state) };
}

/** A marker's file with this line, and the seal that belongs to it. */
const sealed = (line: string) => `${line} ${hashOf(line).slice(0, 16)}\n`;
const LINE = `pawl-applied 2 boot-1 1 2 3 ${MAC}`;
/** All but the last of its 256 bytes. */
const padded = sealed(LINE).trimEnd().padEnd(255);

test("What was written is read, and is current until the machine starts again", () => {
  const { disk, machine, projectKey } = places();
  writeMarker(disk, projectKey, APPLIED);
  expect(readMarker(disk, projectKey)).toEqual({ ...APPLIED, isCurrent: true });
  machine.boot++;
  expect(readMarker(disk, projectKey)).toEqual({ ...APPLIED, isCurrent: false });
  expect([...machine.tree().keys()]).toEqual([`${STATE_HOME}/applied`]);
});

test("A marker has one width and one line, whatever it says", () => {
  const { disk, stored, projectKey } = places();
  for (const applied of [APPLIED, { ...APPLIED, epoch: 1, length: 999_999_999_999_999 }]) {
    writeMarker(disk, projectKey, applied);
    const text = stored() ?? "";
    expect(text).toHaveLength(256);
    expect(text.indexOf("\n")).toBe(255);
  }
});

test("Where the machine does not say when it started, no marker is current", () => {
  const { disk, projectKey } = places();
  const silent = { ...disk, bootId: () => null };
  writeMarker(silent, projectKey, APPLIED);
  expect(readMarker(silent, projectKey)).toEqual({ ...APPLIED, isCurrent: false });
});

test("A line with its seal is a marker, whatever stands behind its width", () => {
  const { disk, projectKey } = places();
  for (const text of [sealed(LINE), `${padded}\nx`]) {
    projectKey.write("applied", text);
    expect(readMarker(disk, projectKey)).toEqual({
      epoch: 1,
      length: 2,
      sequence: 3,
      mac: MAC,
      isCurrent: true,
    });
  }
});

test.each<readonly [string, string]>([
  ["nothing", ""],
  ["zeros, as after a power cut", "\0".repeat(256)],
  ["another seal", `${LINE} ${"0".repeat(16)}\n`],
  ["no seal", `${LINE}\n`],
  ["half of it", sealed(LINE).slice(0, 60)],
  ["something before it", `x${sealed(LINE)}`],
  ["something behind it", `${sealed(LINE)}x`],
  ["something in its last byte", `${padded}x`],
  ["another format", sealed(LINE.replace("applied 2", "applied 3"))],
  ["no start of the machine", sealed(LINE.replace("boot-1 ", ""))],
  ["a number of sixteen digits", sealed(LINE.replace(" 1 2 3 ", " 1111111111111111 2 3 "))],
  ["a negative number", sealed(LINE.replace(" 1 2 3 ", " 1 -2 3 "))],
  ["a hash with a letter too many", sealed(`${LINE}0`)],
  ["a hash with a letter too few", sealed(LINE.slice(0, -1))],
  ["a hash in capitals", sealed(LINE.toUpperCase().replace("PAWL-APPLIED", "pawl-applied"))],
])("There is no marker if there is %s", (_, text) => {
  const { disk, projectKey } = places();
  projectKey.write("applied", text);
  expect(readMarker(disk, projectKey)).toBeNull();
});

test("Without a file there is no marker", () => {
  const { disk, projectKey } = places();
  expect(readMarker(disk, projectKey)).toBeNull();
});

test("An empty journal begins behind every epoch that was used, and not before the present time", () => {
  const { disk, machine } = places();
  const { clock } = machine;
  const empty = { length: 0, sequence: 3, mac: FIRST };
  const begun = (epoch: number) => {
    machine.clock = clock;
    return emptyStart(disk, { ...APPLIED, epoch, isCurrent: false });
  };
  expect(emptyStart(disk, null)).toEqual({ ...empty, epoch: clock, sequence: 0 });
  expect(begun(clock + 4_000)).toEqual({ ...empty, epoch: clock + 4_001 });
  expect(begun(clock - 1_000)).toEqual({ ...empty, epoch: clock });
});
