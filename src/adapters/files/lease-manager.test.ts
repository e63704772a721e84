import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { until } from "../../../test/rig/until.ts";
import { openLeaseManager } from "./lease-manager.ts";
import { listLeases } from "./leases.ts";

let root: string;
const folder = () => join(root, ".pawl/claims");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-claims-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

it("sweeps what dead owners left, torn and half-written leases included, and nothing of the living", async () => {
  const living = openLeaseManager(root);
  const held = await living.take("T1", "one");
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), "T2.json"), JSON.stringify({ what: "T2", worker: "dead" }));
  writeFileSync(join(folder(), "T3.json.7.new"), '{"what": "T');
  writeFileSync(join(folder(), "T1.json.7.new"), "a heartbeat");
  await openLeaseManager(root).sweep();
  expect(readdirSync(folder()).sort()).toEqual(["T1.json", "T1.json.7.new"]);
  await held?.release();
});

it("leaves no lease behind when it is released in the middle of a heartbeat", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const leaseManager = openLeaseManager(root);
  for (let turn = 0; turn < 50; turn++) {
    const held = await leaseManager.take("T1", "one");
    expect(held?.abandoned).toBe(false);
    vi.advanceTimersByTime(15_000);
    await held?.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(readdirSync(folder())).toEqual([]);
  }
});

it("lists the leases by what they are for, whatever its characters, and takes torn ones for nobody's", async () => {
  expect(await listLeases(root)).toEqual([]);
  const held = await openLeaseManager(root).take("merge: main", "one");
  writeFileSync(join(folder(), "T2.json"), '{"what": "T2", "wor');
  writeFileSync(join(folder(), "T3.json"), '{"what": "T3"}');
  expect(await listLeases(root)).toEqual([
    { what: "T3", beat: null },
    { what: "merge: main", beat: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  await held?.release();
  expect(await listLeases(root)).toEqual([{ what: "T3", beat: null }]);
});

it("is one's alone, whoever else asks, until it is given back", async () => {
  const [one, other] = [openLeaseManager(root), openLeaseManager(root)];
  const held = await one.take("T1", "one");
  expect(held).toMatchObject({ what: "T1", abandoned: false });
  expect([await one.take("T1", "one"), await other.take("T1", "other")]).toEqual([null, null]);
  const beside = await other.take("T2", "other");
  expect(beside).not.toBeNull();
  await held?.release();
  await held?.release();
  const again = await other.take("T1", "other");
  expect(again).not.toBeNull();
  for (const each of [again, beside]) await each?.release();
  expect(readdirSync(folder())).toEqual([]);
});

it("says who has it, since when and in which process, in a file of its own", async () => {
  const held = await openLeaseManager(root).take("merge: main/ä", "one");
  expect(readdirSync(folder())).toEqual(["merge%3A%20main%2F%C3A4.json"]);
  const [name = ""] = readdirSync(folder());
  expect(JSON.parse(readFileSync(join(folder(), name), "utf8"))).toEqual({
    ...{ what: "merge: main/ä", worker: "one", pid: process.pid, host: expect.any(String) },
    ...{ since: expect.stringMatching(/^\d{4}-.*Z$/), beat: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  const lock = readFileSync(join(root, `.pawl/locks/claim-${name.replace(/\.json$/, ".lock")}`), "utf8");
  expect(JSON.parse(lock)).toMatchObject({ what: "merge: main/ä by one" });
  await held?.release();
});

it("was abandoned if its file is there and nobody holds it", async () => {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), "T1.json"), "{}");
  const held = await openLeaseManager(root).take("T1", "one");
  expect(held?.abandoned).toBe(true);
  await held?.release();
});

it("beats while it holds something, and no longer", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const leaseManager = openLeaseManager(root);
  const [first, second] = [await leaseManager.take("T1", "one"), await leaseManager.take("T2", "one")];
  const beatOf = (name: string) => JSON.parse(readFileSync(join(folder(), `${name}.json`), "utf8")).beat;
  const beaten = (name: string) => {
    const before = beatOf(name);
    return until(() => {
      vi.advanceTimersByTime(15_000);
      return beatOf(name) > before;
    });
  };
  expect([await beaten("T1"), await beaten("T2")]).toEqual([true, true]);
  await first?.release();
  expect(await beaten("T2")).toBe(true);
  await second?.release();
  vi.advanceTimersByTime(60_000);
  expect(readdirSync(folder())).toEqual([]);
  const again = await leaseManager.take("T1", "one");
  expect(await beaten("T1")).toBe(true);
  await again?.release();
});

it("is given back at once if its file cannot be written", async () => {
  const leaseManager = openLeaseManager(root);
  mkdirSync(join(folder(), `T1.json.${process.pid}.new/x`), { recursive: true });
  await expect(leaseManager.take("T1", "one")).rejects.toThrow();
  rmSync(join(folder(), `T1.json.${process.pid}.new`), { recursive: true });
  const held = await leaseManager.take("T1", "one");
  expect(held).not.toBeNull();
  await held?.release();
});

it("cannot be listed if its folder is none, or a lease cannot be read", async () => {
  mkdirSync(join(folder(), "T1.json"), { recursive: true });
  await expect(listLeases(root)).rejects.toMatchObject({
    code: "disk-failed",
    message: expect.stringMatching(/^Reading the lease .*T1\.json failed/),
  });
  rmSync(join(root, ".pawl"), { recursive: true });
  mkdirSync(join(root, ".pawl"));
  writeFileSync(folder(), "");
  expect(await listLeases(root)).toEqual([]);
});
