/**
 * A `git` on the PATH, and an `sh` and a `bwrap` for the scripts of workspaces, that kill their caller, where that is the loop,
 * at a command that writes.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN } from "./project.ts";

export interface Strike {
  /** `during`: git goes on while its caller is dead. */
  readonly side: "before" | "during" | "after";
  /** Of the command's words; default: every command that writes. */
  readonly at?: string;
}

const WRITES =
  "index-pack|unpack-objects|pack-objects|commit-tree|read-tree|reset|checkout|merge --|update-ref|push|branch --no-track|fetch";

/** The environment in which they strike; which commands were struck is kept in the folder. */
export function strikingGit(
  folder: string,
  { side, at = WRITES }: Strike,
  caller = `${MAIN} run`,
): Record<string, string> {
  const bin = join(folder, `strike-${side}`);
  mkdirSync(bin, { recursive: true });
  for (const program of ["git", "sh", "bwrap"]) {
    const { stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" });
    const text = script(stdout.trim(), { side, at }, join(bin, "struck"), caller);
    if (stdout !== "") writeFileSync(join(bin, program), text, { mode: 0o755 });
  }
  return { PATH: `${bin}:${process.env.PATH}` };
}

/** Commits differ from run to run: a command is known by its other words, and by its folder. */
function script(real: string, { at, side }: Required<Strike>, struck: string, caller: string): string {
  return `#!/bin/sh
real='${real}'
case "$(tr '\\0' ' ' </proc/$PPID/cmdline)" in *"${caller}"*) ;; *) exec "$real" "$@" ;; esac
words=$(printf '%s ' "$PWD" "$@" | tr '\\n' ' ' | sed -E 's/[0-9a-f]{40}/COMMIT/g')
printf '%s' "$words" | grep -qE ' (git )?(${at})' || exec "$real" "$@"
grep -qxF -- "$words" '${struck}' 2>/dev/null && exec "$real" "$@"
printf '%s\n' "$words" >>'${struck}'
${side === "after" ? '"$real" "$@"\n' : ""}kill -9 "$PPID"
${side === "during" ? 'exec "$real" "$@"\n' : ""}`;
}
