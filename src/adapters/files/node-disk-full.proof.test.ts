/** A folder of Pawl's own into which somebody put more than Pawl ever writes. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeDisk } from "./node-disk.ts";
import { removeTree } from "./remove-tree.ts";

it("is refused by its name", { timeout: 120_000 }, async () => {
  const root = mkdtempSync(join(tmpdir(), "pawl-full-"));
  for (let n = 0; n <= 100_000; n++) writeFileSync(join(root, `n${n}`), "");
  expect(() => nodeDisk(root).list("")).toThrow(/has more than 100000 entries/);
  await removeTree(root);
});
