import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openOutbox, type PostedCall, postCall, takeCalls } from "./outbox.ts";

const MARKS: PostedCall = { verb: "step done", input: { id: "s1" }, capability: "T1.1:ab" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-outbox-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function taken(): Promise<readonly PostedCall[]> {
  const calls: PostedCall[] = [];
  await takeCalls({ folder }, async (call) => {
    calls.push(call);
  });
  return calls;
}

it("gives each call once, in the order in which they were written", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const outbox = openOutbox({ folder });
  for (const id of ["a", "b", "c"]) {
    postCall(outbox, { ...MARKS, verb: "note", input: { id } });
    vi.advanceTimersByTime(1);
  }
  vi.useRealTimers();
  expect((await taken()).map(({ input }) => input.id)).toEqual(["a", "b", "c"]);
  expect(await taken()).toEqual([]);
});

it("keeps the call that could not be done, and those after it", async () => {
  const outbox = openOutbox({ folder });
  postCall(outbox, MARKS);
  const fails = takeCalls({ folder }, () => Promise.reject(new Error("the disk is full")));
  await expect(fails).rejects.toThrow("the disk is full");
  expect(await taken()).toEqual([MARKS]);
});

it("passes over whatever is no call, follows no link, and removes it", async () => {
  const outbox = openOutbox({ folder });
  const outside = join(folder, "outside.json");
  writeFileSync(outside, JSON.stringify(MARKS));
  symlinkSync(outside, join(outbox, "link.json"));
  mkdirSync(join(outbox, "folder.json"));
  writeFileSync(join(outbox, "half.json"), '{"verb": "done", "inp');
  writeFileSync(join(outbox, "other.txt"), JSON.stringify(MARKS));
  writeFileSync(join(outbox, "null.json"), "null");
  writeFileSync(join(outbox, "large.json"), JSON.stringify({ ...MARKS, more: "x".repeat(70_000) }));
  writeFileSync(join(outbox, "deep.json"), `{"verb":"note","input":${"[".repeat(9000)}${"]".repeat(9000)}}`);
  expect(await taken()).toEqual([]);
  expect(readdirSync(folder)).toEqual(["outside.json"]);
});

it("has nothing if no agent has run, or if the folder is a link", async () => {
  expect(await taken()).toEqual([]);
  const other = join(folder, "other");
  mkdirSync(other);
  postCall(other, MARKS);
  symlinkSync(other, join(folder, "outbox"));
  expect(await taken()).toEqual([]);
});
