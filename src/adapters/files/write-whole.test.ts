import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "pawl-write-whole-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("A small file that two processes write at once", () => {
  it("is whole, whichever of them was last, and neither of them fails", async () => {
    const path = join(folder, "note.json");
    const program = `
      import { writeWhole } from ${JSON.stringify(join(import.meta.dirname, "write-whole.ts"))};
      const [path, letter] = process.argv.slice(1);
      for (let n = 0; n < 400; n += 1) writeWhole(path, letter.repeat(20_000));`;
    const write = (letter: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, path, letter]);
    await Promise.all([write("a"), write("b")]);
    expect(readFileSync(path, "utf8")).toMatch(/^(?:a{20000}|b{20000})$/);
    expect(readdirSync(folder)).toEqual(["note.json"]);
  });
});
