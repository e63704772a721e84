/** A folder that an agent has filled: as much of it is read as is asked for, and it is gone without this process's help. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openOutbox, takeCalls } from "../agents/outbox.ts";
import { probe } from "../wall/probe.ts";
import { firstEntries } from "./plain-file.ts";
import { removeTree } from "./remove-tree.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-full-"));
});
afterEach(() => removeTree(root));

function fill(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `n${n}`), "");
}

it("is read as far as is asked for", () => {
  fill(join(root, "some"), 20);
  expect(firstEntries(join(root, "some"), 7)).toHaveLength(7);
  expect(firstEntries(join(root, "some"), 21)).toHaveLength(20);
  expect(() => firstEntries(join(root, "none"), 1)).toThrow("ENOENT");
});

it("is removed whole, and no link in it is followed", async () => {
  const kept = join(root, "kept");
  fill(kept, 1);
  fill(join(root, "-full/deep"), 10);
  symlinkSync(kept, join(root, "-full/link"));
  await removeTree(join(root, "-full"));
  expect(readdirSync(root)).toEqual(["kept"]);
  expect(readdirSync(kept)).toEqual(["n0"]);
  await removeTree(join(root, "-full"));
});

it("is removed, too, if an agent has closed its folders, and files with other names keep their modes", async () => {
  const [full, kept] = [join(root, "full"), join(root, "kept")];
  mkdirSync(join(full, "locked/deep"), { recursive: true });
  writeFileSync(kept, "", { mode: 0o400 });
  linkSync(kept, join(full, "locked/deep/file"));
  const close = `chmod 0 "$1/locked/deep" "$1/locked" "$1"`;
  execFileSync("sh", ["-c", close, "sh", full]);
  // Root may read and write any folder: another user removes it.
  const user = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
  execFileSync("chown", ["-R", String(user), root]);
  const program = `
    if (process.getuid() === 0) { process.setgroups([]); process.setuid(${user}); }
    const { removeTree } = await import(${JSON.stringify(new URL("./remove-tree.ts", import.meta.url).href)});
    await removeTree(${JSON.stringify(full)});`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  expect(readdirSync(root), stderr).toEqual(["kept"]);
  expect(statSync(kept).mode & 0o777).toBe(0o400);
});

it("goes without another process if it is missing, a file, a link or empty", async () => {
  const [file, link, empty] = ["file", "link", "empty"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, "");
  symlinkSync(root, link);
  mkdirSync(empty);
  await removeTree(file, link, empty, join(root, "none/at/all"));
  expect(readdirSync(root)).toEqual([]);
});

it("of an agent's calls is taken as far as it goes, and removed", { timeout: 60_000 }, async () => {
  promise("files.planted");
  const outbox = openOutbox({ folder: root });
  fill(outbox, 10_001);
  const calls: unknown[] = [];
  await takeCalls({ folder: root }, async (call) => void calls.push(call));
  expect(calls).toEqual([]);
  expect(existsSync(outbox)).toBe(false);
});

const { program: bwrap } = probe(process.env);

it.skipIf(bwrap === null).each([
  ["NixOS has its programs", "/run/current-system/sw/bin"],
  ["no program stands", "/run/none"],
])("is removed, too, if %s", (_, place) => {
  fill(join(root, "full/deep"), 10);
  const program = `const { removeTree } = await import(process.argv[1]); await removeTree(process.argv[2]);`;
  const words = ["--input-type=module", "-e", program, join(import.meta.dirname, "remove-tree.ts")];
  const places = ["--tmpfs", "/run", "--ro-bind", "/usr/bin", place, "--tmpfs", "/usr/bin"];
  const node = [process.execPath, ...words, join(root, "full")];
  const ran = spawnSync(bwrap ?? "", ["--dev-bind", "/", "/", ...places, "--", ...node], {
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  expect(existsSync(join(root, "full"))).toBe(false);
});
