/**
 * Builds `dist/`: the program and the library as ES modules in shared chunks, so that a command loads only what it uses;
 * the workflows' texts; the library's types; the JSON schemas of the files that people write; the native part of the file locks; the
 * licences of what is bundled.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { JSON_SCHEMAS } from "../src/app/json-schemas.ts";
import { buildApp } from "./build-app.ts";
import { buildBoard } from "./build-board.ts";
import { buildLocks, LOCKS } from "./build-locks.ts";
import { bundle, bundleApart, bundleLibrary } from "./bundle.ts";
import { emitTypes } from "./emit-types.ts";
import { oldNode } from "./old-node.ts";

const ROOT = resolve(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** Prompts, personas, replies and templates, at the paths that `View.packaged` is asked for. */
async function copyTexts(): Promise<number> {
  const source = join(ROOT, "src/workflows");
  const names = (await readdir(source, { recursive: true })).filter((name) => /\.(md|yml)$/.test(name));
  for (const name of names) await cp(join(source, name), join(DIST, "workflows", name));
  return names.length;
}

async function writeSchemas(): Promise<void> {
  for (const [name, make] of Object.entries(JSON_SCHEMAS))
    await writeFile(join(DIST, name), `${JSON.stringify(await make(), null, 2)}\n`);
}

/** The licence of every package that has code in the bundle; a text that several share stands once. */
async function writeLicences(outputs: readonly Metafile["outputs"][string][]): Promise<number> {
  const used = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = new Set(used.map(packageFolder).filter((folder): folder is string => folder !== null));
  const all = await Promise.all([...folders, LOCKS].sort().map(licenceOf));
  const texts = [...Map.groupBy(all, ({ text }) => text)].map(
    ([text, packages]) => `${packages.map(({ name }) => name).join("\n")}\n\n${text}\n`,
  );
  await writeFile(join(DIST, "THIRD-PARTY-LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
  return all.length;
}

function packageFolder(path: string): string | null {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? null;
}

async function licenceOf(folder: string): Promise<{ readonly name: string; readonly text: string }> {
  const path = resolve(ROOT, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const file = (await readdir(path)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? await readFile(join(path, file), "utf8") : `Licence: ${license}`;
  return { name: `${name} ${version} (${license})`, text: text.trim() };
}

const begun = performance.now();
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST, { recursive: true });
const [programs, library, helpers, , texts, page, app] = await Promise.all([
  bundle(
    {
      main: "src/main.ts",
      // A program of its own, started after a commit that people are told of.
      "send-notices": "src/app/send-notices.ts",
      // A program of its own, started by a loop that a receiver is told of.
      "export-telemetry": "src/app/export-telemetry.ts",
    },
    DIST,
  ),
  bundleLibrary({ index: "src/index.ts" }, DIST),
  bundleApart(
    {
      // Started as an agent.
      "scripted-agent": "src/adapters/agents/scripted/agent.ts",
      // Started where a loop has died.
      "end-runs": "src/adapters/agents/supervisor/end-runs.ts",
      // Inside a wall whose network is the model's alone.
      forward: "src/adapters/wall/forward.ts",
      // Asked by Claude Code before each command of an agent.
      "check-command": "src/adapters/agents/permission/check-command.ts",
    },
    DIST,
  ),
  emitTypes(join(DIST, "types")),
  copyTexts(),
  buildBoard(join(DIST, "board")),
  buildApp(join(DIST, "app")),
  buildLocks(DIST),
]);
await writeSchemas();
const outputs = [programs, library, helpers, page, app].flatMap((each) => Object.values(each.outputs));
const packages = await writeLicences(outputs);
const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
if (!process.argv.includes("--quiet")) {
  process.stdout.write(
    `dist: ${outputs.length} modules, ${Math.round(bytes / 1024)} KB, ${texts} texts, ` +
      `${packages} packages bundled, in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`,
  );
}
const old = oldNode(process.env.npm_config_user_agent);
if (old !== null) process.stderr.write(`\n${old}\n`);
