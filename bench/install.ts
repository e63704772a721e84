/**
 * What Pawl costs a project: the package, what `npm install` of it makes, and how long that takes with an empty cache and no
 * network. Not measured: the download.
 */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const TIMES = 5;
const KIB = 1024;
const base = mkdtempSync(join(tmpdir(), "pawl-install-"));

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, stdio: "ignore" });
}

/** Files by their length, as it is given for the registry's packages. */
function sizeOf(folder: string): { files: number; bytes: number } {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(folder, name)),
  );
  const files = found.filter((each) => each.isFile());
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

function installOnce(packed: string, time: number): { took: number; folder: string } {
  const project = join(base, `project-${time}`);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  const begun = performance.now();
  npm(project, "install", "--offline", `--cache=${join(base, `cache-${time}`)}`, packed);
  return { took: performance.now() - begun, folder: join(project, "node_modules") };
}

try {
  npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", base);
  const packed = join(base, readdirSync(base).find((name) => name.endsWith(".tgz")) ?? "");
  const runs = Array.from({ length: TIMES }, (_, time) => installOnce(packed, time));
  const { bytes, files } = sizeOf(runs[0]?.folder ?? "");
  const [fastest = 0] = runs.map(({ took }) => took).sort((a, b) => a - b);
  const mb = (size: number) => `${(size / KIB / KIB).toFixed(1)} MB`;
  process.stdout.write(
    `package ${mb(statSync(packed).size)}, installed ${mb(bytes)} in ${files} files, ${(fastest / 1000).toFixed(1)} s (the fastest of ${TIMES})\n`,
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}
