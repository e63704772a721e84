/** The bundle for desktop programs, judged by the program of those who publish the format. */
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundles } from "../../scripts/build-bundles.ts";

/** Throws where `mcpb` refuses the manifest by its published schema, or unpacks something else than is in the bundle. */
export function judgeBundle(mcpb: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pawl-bundle-"));
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [mcpb, ...args], { encoding: "utf8", stdio: "pipe" });
  try {
    const bundle = buildBundles(join(folder, "bundles")).mcpb;
    const unpacked = join(folder, "unpacked");
    run("unpack", bundle, unpacked);
    const manifest = join(unpacked, "manifest.json");
    assert.match(run("validate", manifest), /validation passes/);
    const { manifest_version: format, server } = JSON.parse(readFileSync(manifest, "utf8"));
    const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
    assert.ok(files.includes(server.entry_point), server.entry_point);
    return `its schema accepts the manifest ${format}, and it unpacks the bundle (${files.length} entries)`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
