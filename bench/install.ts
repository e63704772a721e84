/**
 * What Pawl takes of a disk: `node bench/install.ts`, after `npm run build`.
 *
 * Measured: the package, what `npm install` makes of it without a network, and `node_modules` of this checkout.
 * Not measured: the download, and the time.
 */
import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { emptyFolder, show } from "./measure.ts";

const ROOT = resolve(import.meta.dirname, "..");
const MB = 1024 * 1024;

const mb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`;

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, stdio: "ignore" });
}

/** The lengths of its files, as the registry gives them for a package. */
function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(folder, name)),
  );
  const files = entries.filter((entry) => entry.isFile());
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

const base = emptyFolder("install");
npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", base);
const packed = join(base, readdirSync(base)[0] ?? "");
show("packed", mb(statSync(packed).size));
writeFileSync(join(base, "package.json"), '{ "private": true }\n');
npm(base, "install", "--offline", `--cache=${join(base, "cache")}`, packed);
const installed = sizeOf(join(base, "node_modules"));
show("installed", `${mb(installed.bytes)}, ${installed.files} files`, "25 MB");
const used = execFileSync("du", ["-sk", join(ROOT, "node_modules")], { encoding: "utf8" });
show("node_modules of the checkout", mb(Number.parseInt(used, 10) * 1024));
