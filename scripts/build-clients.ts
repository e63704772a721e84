/**
 * Writes the packages for clients (`clients/`, and the lists of plugins at the repository's root) from what the workflows declare:
 * `npm run build:clients`. A test holds them up to date.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Files, renderClients } from "./clients/render.ts";

const ROOT = resolve(import.meta.dirname, "..");

export function writeFiles(root: string, files: Files): void {
  rmSync(join(root, "clients"), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

if (import.meta.main) writeFiles(ROOT, await renderClients());
