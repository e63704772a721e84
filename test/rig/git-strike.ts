/** A `git` on the PATH that kills its caller, where that is the loop, at a command that writes. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN } from "./project.ts";

export interface Strike {
  /** `during`: git goes on while its caller is dead. */
  readonly side: "before" | "during" | "after";
  /** Of the command's words; default: every command that writes. */
  readonly at?: string;
}

const WRITES =
  "worktree add|worktree remove|reset|checkout|clean|merge --|update-ref|push|branch --no-track|fetch";

/** The environment in which git strikes; which commands were struck is kept in the folder. */
export function strikingGit(
  folder: string,
  { side, at = WRITES }: Strike,
  caller = `${MAIN} run`,
): Record<string, string> {
  const bin = join(folder, `strike-${side}`);
  mkdirSync(bin, { recursive: true });
  const path = join(bin, "git");
  writeFileSync(path, script(side, at, join(bin, "struck"), caller));
  chmodSync(path, 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}

/** Commits differ from run to run: a command is known by its other words. */
function script(side: Strike["side"], at: string, struck: string, caller: string): string {
  return `#!/bin/sh
git=/usr/bin/git
[ -x "$git" ] || git=$(PATH=\${PATH#*:} command -v git)
case "$(tr '\\0' ' ' </proc/$PPID/cmdline)" in *"${caller}"*) ;; *) exec "$git" "$@" ;; esac
words=$(printf '%s ' "$@" | sed -E 's/[0-9a-f]{40}/COMMIT/g')
printf '%s' "$words" | grep -qE ' (${at})' || exec "$git" "$@"
grep -qxF -- "$words" '${struck}' 2>/dev/null && exec "$git" "$@"
printf '%s\n' "$words" >>'${struck}'
${side === "after" ? '"$git" "$@"\n' : ""}kill -9 "$PPID"
${side === "during" ? 'exec "$git" "$@"\n' : ""}`;
}
