/** A disk that is full between the instant that commits and the writing of the files. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Answered } from "../rig/client.ts";
import { type Ended, end, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { unshare } from "../rig/unshare.ts";

const PROGRAM = resolve(import.meta.dirname, "../rig/small-disk.ts");

interface FullDiskReport {
  readonly seen: Readonly<Record<"status" | "again" | "repair" | "log" | "refused", Ended>> & {
    readonly knocks: readonly Ended[];
    readonly file: string;
  };
  readonly after: Readonly<Record<"next" | "log", Ended>> & { readonly back: string; readonly side: string };
  readonly calls: readonly Answered[];
  readonly looked: Answered;
}

const PENDING =
  /2 committed changes are in the journal but not in the files yet: the disk is full \(ENOSPC\)\. .*Free at least 16 KB/;

describe.skipIf(unshare === undefined)("on a disk that has no room for the files of a commit", () => {
  let found: FullDiskReport;
  beforeAll(async () => {
    const root = mkdtempSync(join(tmpdir(), "pawl-full-"));
    const words = [unshare ?? "", process.execPath, PROGRAM, root];
    const { code, out, err } = await end(spawn("unshare", words, { env: testEnvironment() }));
    rmSync(root, { recursive: true, force: true });
    expect(`${code} ${err}`).toBe("0 ");
    found = JSON.parse(out) as FullDiskReport;
  }, 120_000);

  it("a move without room for its record changes nothing, and with room for that counts, and says what waits for how much", () => {
    const { knocks, file } = found.seen;
    const last = knocks.at(-1);
    expect(knocks.length).toBeGreaterThan(1);
    for (const { code, err } of knocks.slice(0, -1)) {
      expect(code).toBe(1);
      expect(err).toContain("[disk-failed]");
    }
    expect(last).toMatchObject({ code: 0, err: expect.stringMatching(PENDING) });
    expect(last?.out).toContain("Somebody knocks at back.");
    expect(file).toBe("front.json\n");
  });

  it("status shows it, with the warning, and whoever moves next is at the new state", () => {
    promise("commit.disk-refuses");
    const { again, status } = found.seen;
    expect(status).toMatchObject({ code: 0, err: expect.stringMatching(PENDING) });
    const { pending, runs } = JSON.parse(status.out);
    expect(pending).toMatchObject({ changes: 2, bytes: 16_384 });
    expect(runs).toContainEqual(expect.objectContaining({ run: "door:back", state: "knocked" }));
    expect(`${again.out}${again.err}`).toContain("The door back is knocked.");
  });

  it("the log has its event already, once and last", () => {
    promise("commit.disk-refuses");
    const { log } = found.seen;
    expect(log).toMatchObject({ code: 0, err: expect.stringMatching(PENDING) });
    const moves = log.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(moves.map(({ run }) => run)).toEqual(["door:front", "door:back"]);
  });

  it("another move is refused until there is room, with how much is missing", () => {
    const { refused, repair } = found.seen;
    expect(repair).toMatchObject({ code: 0, err: expect.stringMatching(PENDING) });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /Nothing new was committed: 2 earlier ones are committed .*the disk is full \(ENOSPC\)\. \[disk-failed\]\nfix: +Free at least 16 KB/,
    );
  });

  it("the next move once there is room finishes both, and nothing is lost", () => {
    const { back, log, next, side } = found.after;
    expect(next).toMatchObject({ code: 0, err: "" });
    expect([back, side]).toEqual(['{"state":"knocked"}\n', '{"state":"knocked"}\n']);
    for (const id of ["front", "back", "side"])
      expect(log.out.match(new RegExp(`knocks at ${id}`, "g"))).toHaveLength(1);
  });

  it("a tool's answer says it too, in both of its parts", () => {
    promise("commit.disk-refuses");
    const { calls, looked } = found;
    expect(calls.at(-1)?.text).toMatch(PENDING);
    expect(calls.at(-1)?.data.warning).toMatch(PENDING);
    expect(looked.text).toContain("The door cellar is knocked.");
  });
});
