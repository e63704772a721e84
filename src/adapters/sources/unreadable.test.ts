/** A file of a person's that may not be read: looked at by one whom modes hold back. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { asPlainUser } from "../../../test/rig/plain-user.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openSources } from "./sources.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-sources-"));
  mkdirSync(join(root, "backlog/tasks"), { recursive: true });
  writeFileSync(join(root, "tasks.csv"), "Title\na\n");
});
afterEach(() => {
  chmodSync(join(root, "backlog/tasks"), 0o700);
  rmSync(root, { recursive: true, force: true });
});

it("is read in each encoding that a spreadsheet marks, and refused in another with what to do", async () => {
  promise("import.bounded");
  const text = "Title\nCafé\n";
  const little = Buffer.from(`\uFEFF${text}`, "utf16le");
  const read = async (bytes: Buffer) => {
    writeFileSync(join(root, "t.csv"), bytes);
    return (await openSources(root, root).read("t.csv")).map((file) => file.text);
  };
  expect(await read(little)).toEqual([text]);
  expect(await read(Buffer.from(little).swap16())).toEqual([text]);
  await expect(read(Buffer.from(text, "latin1"))).rejects.toThrow(
    expect.objectContaining({ fix: expect.stringContaining("Save it as UTF-8") }),
  );
  for (const bytes of ["PK\u0003\u0004\xff", "\xd0\xcf\x11\xe0", "PK\u0003\u0004[Content_Types].xml"]) {
    writeFileSync(join(root, "plan.xlsx"), Buffer.from(bytes, "latin1"));
    await expect(openSources(root, root).read("plan.xlsx")).rejects.toMatchObject({
      ...{ message: expect.stringContaining("found a spreadsheet"), fix: expect.stringContaining("as CSV") },
    });
  }
});

it("is refused by its name and why, in Pawl's words, a folder too", () => {
  promise("import.bounded");
  const told = (given: string) => {
    const script = `import { openSources } from ${JSON.stringify(join(import.meta.dirname, "sources.ts"))};
      openSources(process.argv[1], process.argv[1]).read(${JSON.stringify(given)}).then(
        (files) => console.log(String(files.length)), (why) => console.log(why.code, why.message, why.fix));`;
    const [program, words] = asPlainUser(process.execPath, "--input-type=module", "-e", script, root);
    return spawnSync(program, words, { encoding: "utf8" }).stdout.trim();
  };
  expect(told("tasks.csv")).toBe("1");
  chmodSync(join(root, "tasks.csv"), 0o000);
  chmodSync(join(root, "backlog/tasks"), 0o000);
  expect(told("tasks.csv")).toBe(
    "import-invalid tasks.csv cannot be imported: it may not be read (EACCES). Make it readable for you, then run the command again.",
  );
  expect(told("backlog")).toMatch(
    /^import-invalid backlog\/tasks cannot be imported: it may not be read \(EACCES\)/,
  );
});
