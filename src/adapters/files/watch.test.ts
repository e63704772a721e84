import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../../test/rig/until.ts";
import { openWatch } from "./watch.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-watch-"));
  mkdirSync(join(root, ".alfred"));
  mkdirSync(join(root, ".pawl"));
  writeFileSync(join(root, ".pawl/events.jsonl"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each(["tasks.yaml", "pawl.yaml", ".alfred/config.yml", ".pawl/events.jsonl"])(
  "tells of a save of %s, be it in place or by a new file",
  async (path) => {
    const watch = openWatch(root, "tasks.yaml");
    let heard = 0;
    const watching = watch.onChange(() => {
      heard += 1;
    });
    try {
      writeFileSync(join(root, path), "one\n");
      await until(() => heard > 0);
      const before = heard;
      writeFileSync(join(root, `${path}.new`), "two\n");
      renameSync(join(root, `${path}.new`), join(root, path));
      await until(() => heard > before);
      expect(heard).toBeGreaterThan(1);
    } finally {
      watching.close();
    }
  },
);
