import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { end } from "./project.ts";

/** Plays the demo as `npm run demo` does, with a home and temporary files below the folder. */
export function playDemo(folder: string, words: readonly string[], PATH = process.env.PATH) {
  const program = resolve(import.meta.dirname, "../../demo/run.ts");
  const env = { PATH, HOME: join(folder, "home"), TMPDIR: folder };
  return end(spawn(process.execPath, [program, ...words], { env, stdio: ["ignore", "pipe", "pipe"] }));
}
