/** Where clients keep installed packages of `clients/`: for `pawl doctor`, which only reads. */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "jsonc-parser";
import { readLinkedText } from "../adapters/files/plain-file.ts";
import type { Environment } from "../config/config.ts";
import { attempt } from "../core/attempt.ts";
import type { ClientPackage } from "../surfaces/cli/line/command.ts";

export function clientPackages(environment: Environment): readonly ClientPackage[] {
  const home = environment.HOME || homedir();
  const claude = environment.CLAUDE_CONFIG_DIR || join(home, ".claude");
  const codex = environment.CODEX_HOME || join(home, ".codex");
  const openCode = join(environment.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  return [
    ...inClaude(join(claude, "plugins/installed_plugins.json")),
    ...inCodex(join(codex, "plugins/cache")),
    ...["opencode.json", "opencode.jsonc"].flatMap((file) => inOpenCode(openCode, file)),
    ...inGemini(join(home, ".gemini/extensions/pawl/gemini-extension.json")),
  ];
}

/**
 * One or several entries for each `NAME@MARKETPLACE`: a plugin may be installed for a person and for a
 * project.
 */
function inClaude(file: string): readonly ClientPackage[] {
  const { plugins } = objectIn(file);
  return Object.entries(asObject(plugins)).flatMap(([name, installed]) =>
    name.startsWith("pawl@")
      ? [installed].flat().map((each) => ({ client: "claude-code" as const, name, version: versionOf(each) }))
      : [],
  );
}

/** A folder for each marketplace, plugin and version. */
function inCodex(cache: string): readonly ClientPackage[] {
  return namesIn(cache).flatMap((marketplace) =>
    namesIn(join(cache, marketplace, "pawl")).map((version) => ({
      client: "codex" as const,
      name: `pawl@${marketplace}`,
      version,
    })),
  );
}

/** OpenCode loads a plugin's folder in place; its configuration names the folder, alone or with options. */
function inOpenCode(folder: string, file: string): readonly ClientPackage[] {
  const { plugin } = objectIn(join(folder, file));
  return [plugin].flat().flatMap((each) => {
    const [named] = [each].flat();
    if (typeof named !== "string" || !/^(?:file:|[./])/.test(named)) return [];
    const place = resolve(
      folder,
      attempt(() => fileURLToPath(named), named),
    );
    const found = objectIn(join(place, "package.json"));
    return found.name === "pawl" ? [{ client: "opencode", name: place, version: versionOf(found) }] : [];
  });
}

function inGemini(file: string): readonly ClientPackage[] {
  const found = objectIn(file);
  return found.name === "pawl" ? [{ client: "gemini", name: "pawl", version: versionOf(found) }] : [];
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []);
}

function objectIn(file: string): Readonly<Record<string, unknown>> {
  return attempt(() => asObject(parse(readLinkedText(file))), {});
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function versionOf(found: unknown): string {
  const { version } = asObject(found);
  return typeof version === "string" ? version : "of no version";
}
