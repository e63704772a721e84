import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Letter } from "../../base/ports.ts";
import { openOutbox, postLetter, takeLetters } from "./outbox.ts";

const MARKS: Letter = { verb: "step done", input: { id: "s1" } };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-outbox-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function taken(): Promise<readonly Letter[]> {
  const letters: Letter[] = [];
  await takeLetters({ folder }, async (letter) => {
    letters.push(letter);
  });
  return letters;
}

it("gives each letter once, in the order in which they were written", async () => {
  const outbox = openOutbox({ folder });
  for (const id of ["a", "b", "c"]) {
    postLetter(outbox, { verb: "note", input: { id } });
    await new Promise((done) => setTimeout(done, 2));
  }
  expect((await taken()).map(({ input }) => input.id)).toEqual(["a", "b", "c"]);
  expect(await taken()).toEqual([]);
});

it("keeps the letter that could not be done, and those after it", async () => {
  const outbox = openOutbox({ folder });
  postLetter(outbox, MARKS);
  const fails = takeLetters({ folder }, () => Promise.reject(new Error("the disk is full")));
  await expect(fails).rejects.toThrow("the disk is full");
  expect(await taken()).toEqual([MARKS]);
});

it("passes over whatever is no letter, follows no link, and removes it", async () => {
  const outbox = openOutbox({ folder });
  const outside = join(folder, "outside.json");
  writeFileSync(outside, JSON.stringify(MARKS));
  symlinkSync(outside, join(outbox, "link.json"));
  mkdirSync(join(outbox, "folder.json"));
  writeFileSync(join(outbox, "half.json"), '{"verb": "done", "inp');
  writeFileSync(join(outbox, "other.txt"), JSON.stringify(MARKS));
  writeFileSync(join(outbox, "null.json"), "null");
  writeFileSync(join(outbox, "large.json"), JSON.stringify({ ...MARKS, more: "x".repeat(70_000) }));
  expect(await taken()).toEqual([]);
  expect(readdirSync(folder)).toEqual(["outside.json"]);
});

it("has nothing where no agent has run, or where the folder is a link", async () => {
  expect(await taken()).toEqual([]);
  const other = join(folder, "other");
  mkdirSync(other);
  postLetter(other, MARKS);
  symlinkSync(other, join(folder, "outbox"));
  expect(await taken()).toEqual([]);
});
