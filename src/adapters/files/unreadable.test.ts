/** What may not be looked at is never taken for what is not there: looked at by one whom modes hold back. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { asPlainUser } from "../../../test/rig/plain-user.ts";
import { promise } from "../../../test/rig/promise.ts";

let root: string;
const closed = () => join(root, ".pawl/claims");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-unreadable-"));
  mkdirSync(closed(), { recursive: true });
  writeFileSync(join(closed(), "T1.json"), '{"what": "T1"}');
  chmodSync(closed(), 0o000);
});

afterEach(() => {
  chmodSync(closed(), 0o700);
  rmSync(root, { recursive: true, force: true });
});

/** What `module`'s function says of the project, or the code and words of its error. */
function outputOf(module: string, call: string): string {
  const script = `import * as it from ${JSON.stringify(join(import.meta.dirname, module))};
    it.${call}.then((found) => console.log(JSON.stringify(found)), (why) => console.log(why.code, why.message));`;
  const node = [process.execPath, "--input-type=module", "-e", script, root];
  const [program, words] = asPlainUser(...node);
  return spawnSync(program, words, { encoding: "utf8" }).stdout.trim();
}

it("leases in a folder that is closed are an error, not none", () => {
  promise("files.unreadable");
  expect(outputOf("leases.ts", "listLeases(process.argv[1])")).toMatch(/^(?!\[)[a-z-]+ .*claims.*EACCES/s);
  rmSync(closed(), { recursive: true });
  expect(outputOf("leases.ts", "listLeases(process.argv[1])")).toBe("[]");
  mkdirSync(closed());
});

it("a lease that is closed is an error, not nobody's", () => {
  chmodSync(closed(), 0o755);
  chmodSync(join(closed(), "T1.json"), 0o000);
  expect(outputOf("leases.ts", "listLeases(process.argv[1])")).toMatch(/^(?!\[)[a-z-]+ .*T1\.json.*EACCES/s);
});

it("a file in a folder that is closed is not said to be missing; one that can be nowhere is", () => {
  promise("files.unreadable");
  const call = (path: string) =>
    outputOf("missing.ts", `missing(process.argv[1], [${JSON.stringify(path)}])`);
  expect(call(".pawl/claims/T1.json")).toMatch(/^(?!\[)[a-z-]+ .*EACCES/s);
  symlinkSync("round", join(root, "round"));
  for (const path of ["none.ts", "round/a.ts", `${"x".repeat(300)}.ts`])
    expect(call(path)).toBe(JSON.stringify([path]));
});
