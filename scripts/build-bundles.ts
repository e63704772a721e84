/**
 * Makes what a person installs in one step, with the program in it and no registry asked, from what `npm run build` and
 * `npm run build:clients` left: `bundles/marketplace/`, a list of plugins for Claude Code and Codex with the extension for Gemini CLI,
 * and `bundles/pawl-VERSION.mcpb`. `npm run build:bundles`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { renderZip } from "./zip.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PLUGINS = ["claude-code", "codex", "gemini", "agent-plugin", "opencode"];
/** What the program needs of the package, and its licences. */
const PROGRAM = ["package.json", "LICENSE", "dist"];

export interface Bundles {
  readonly marketplace: string;
  readonly mcpb: string;
}

export function buildBundles(folder: string): Bundles {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = unpack(folder);
  const marketplace = join(folder, "marketplace");
  for (const list of [".claude-plugin", ".agents"])
    cpSync(join(packed, list), join(marketplace, list), { recursive: true });
  for (const plugin of PLUGINS) {
    const place = join(marketplace, "clients", plugin);
    cpSync(join(packed, "clients", plugin), place, { recursive: true });
    copyProgram(packed, place);
  }
  const bundle = join(folder, "mcpb");
  cpSync(join(packed, "clients/mcpb"), bundle, { recursive: true });
  copyProgram(packed, bundle);
  const { name, version } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  const mcpb = join(folder, `${name}-${version}.mcpb`);
  writeFileSync(mcpb, renderZip(filesIn(bundle)));
  for (const used of [packed, bundle]) rmSync(used, { recursive: true, force: true });
  return { marketplace, mcpb };
}

/** The package as npm packs it: nothing else may be in a bundle. */
function unpack(folder: string): string {
  const pack = ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8" }));
  execFileSync("tar", ["xzf", filename], { cwd: folder });
  rmSync(join(folder, filename));
  return join(folder, "package");
}

function copyProgram(packed: string, place: string): void {
  for (const part of PROGRAM)
    cpSync(join(packed, part), join(place, "program", part), {
      recursive: true,
      // Only a program that is imported has types.
      filter: (path) => relative(packed, path) !== join("dist", "types"),
    });
}

function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map(({ name, parentPath }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

if (import.meta.main) {
  const made = buildBundles(resolve(process.argv[2] ?? join(ROOT, "bundles")));
  process.stdout.write(`${made.marketplace}\n${made.mcpb}\n`);
}
