import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openClaims } from "./claims.ts";
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
  const living = openClaims(root);
  const held = await living.take("T1", "one");
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), "T2.json"), JSON.stringify({ what: "T2", worker: "dead" }));
  writeFileSync(join(folder(), "T3.json.tmp"), '{"what": "T');
  writeFileSync(join(folder(), "T1.json.tmp"), "a heartbeat");
  await openClaims(root).sweep();
  expect(readdirSync(folder()).sort()).toEqual(["T1.json", "T1.json.tmp"]);
  await held?.release();
});

it("leaves no lease behind when it is released in the middle of a heartbeat", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const claims = openClaims(root);
  for (let turn = 0; turn < 50; turn++) {
    const held = await claims.take("T1", "one");
    expect(held?.abandoned).toBe(false);
    vi.advanceTimersByTime(15_000);
    await held?.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(readdirSync(folder())).toEqual([]);
  }
});

it("lists the leases by what they are for, whatever its characters, and takes torn ones for nobody's", async () => {
  expect(await listLeases(root)).toEqual([]);
  const held = await openClaims(root).take("merge: main", "one");
  writeFileSync(join(folder(), "T2.json"), '{"what": "T2", "wor');
  writeFileSync(join(folder(), "T3.json"), '{"what": "T3"}');
  expect(await listLeases(root)).toEqual([
    { what: "T3", beat: null },
    { what: "merge: main", beat: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  await held?.release();
  expect(await listLeases(root)).toEqual([{ what: "T3", beat: null }]);
});
