import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { openCache } from "./cache.ts";

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-cache-"));
  folder = join(base, "project");
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const written = () => until(() => existsSync(join(folder, "cache/tasks.json")));

describe("the cache", () => {
  it("gives back what was worked out of exactly this text, in another process's place too", async () => {
    promise("commit.cache");
    openCache({ folder }, "1").put("tasks", "text", () => ({ cacheEntries: [1, null, "é"] }));
    await written();
    const other = openCache({ folder }, "1");
    expect(await other.get("tasks", "text")).toEqual({ cacheEntries: [1, null, "é"] });
    expect(await other.get("tasks", "another text")).toBeNull();
    expect(await other.get("settings", "text")).toBeNull();
    expect(await openCache({ folder }, "2").get("tasks", "text")).toBeNull();
    expect(readdirSync(join(folder, "cache"))).toEqual(["tasks.json"]);
  });

  it("works only the last of several in a row", async () => {
    const cache = openCache({ folder }, "1");
    cache.put("tasks", "one", () => expect.unreachable());
    cache.put("tasks", "two", () => 2);
    await written();
    expect(await cache.get("tasks", "two")).toBe(2);
  });

  it("is written at once, though another kind of it must wait", async () => {
    const cache = openCache({ folder }, "1");
    const slow = () => {
      for (const end = performance.now() + 40; performance.now() < end; );
      return 1;
    };
    cache.put("tasks", "text", slow);
    await written();
    cache.put("tasks", "another text", slow);
    cache.put("settings", "text", () => 2);
    await new Promise(setImmediate);
    expect(readdirSync(join(folder, "cache")).sort()).toEqual(["settings.json", "tasks.json"]);
    expect(await cache.get("tasks", "another text")).toBeNull();
  });

  it("is written by a process that ends, though its time has not come", async () => {
    promise("commit.cache");
    const module = join(import.meta.dirname, "cache.ts");
    const program = `
      import { openCache } from ${JSON.stringify(module)};
      const slow = (answer) => () => { const end = performance.now() + 40; while (performance.now() < end); return answer; };
      const cache = openCache({ folder: ${JSON.stringify(folder)} }, "1");
      cache.put("tasks", "one", slow(1));
      setImmediate(() => setImmediate(() => cache.put("tasks", "two", slow(2))));`;
    execFileSync(process.execPath, ["--input-type=module", "-e", program]);
    expect(await openCache({ folder }, "1").get("tasks", "two")).toBe(2);
  });

  it("takes a file that was cut short for none", async () => {
    promise("commit.cache");
    openCache({ folder }, "1").put("tasks", "text", () => "worked");
    await written();
    truncateSync(join(folder, "cache/tasks.json"), 20);
    expect(await openCache({ folder }, "1").get("tasks", "text")).toBeNull();
  });

  it("keeps nothing if the project has no place outside of itself yet", async () => {
    rmSync(folder, { recursive: true });
    let worked = false;
    openCache({ folder }, "1").put("tasks", "text", () => {
      worked = true;
      return "worked";
    });
    await until(() => worked);
    expect(existsSync(folder)).toBe(false);
  });
});
