/** A `git` on the PATH that writes down each call of Pawl's own, those of its scripts in workspaces included. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Tasks that are pushed, verified, merged and cleaned up; `first`: what each one's agent does before its work. */
export function pushedTasks(count: number, first = ""): string {
  const task = (n: number) => `- id: T${n}
  title: Task ${n}
  repo: .
  merge_into: main
  verify: ["test -f ${n}.txt"]
  instructions: |
    RUN: ${first}echo ${n} > ${n}.txt; git add -A; git commit -qm ${n}
    RUN: bloom done T${n}
`;
  const tasks = Array.from({ length: count }, (_, n) => task(n)).join("");
  return `git: {push_to_remote: true, auto_cleanup_merged: true}\ntasks:\n${tasks}`;
}

export interface CountedGit {
  /** The environment in which it counts. */
  readonly environment: Readonly<Record<string, string>>;
  /** What is written at: a wall must let it be written. */
  readonly log: string;
  /** The calls so far: the folder and the words of each. */
  calls(): readonly string[];
}

export function countingGit(folder: string): CountedGit {
  const bin = join(folder, "counting");
  const log = join(folder, "git.log");
  const { stdout } = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" });
  mkdirSync(bin, { recursive: true });
  writeFileSync(log, "");
  // Agents and checks have git, too; only Pawl's own calls have this variable.
  const script = `#!/bin/sh
[ -z "$GIT_GRAFT_FILE" ] || printf '%s\\n' "$PWD $(printf '%s ' "$@" | tr '\\n' ' ')" >>'${log}'
exec '${stdout.trim()}' "$@"
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  return {
    environment: { PATH: `${bin}:${process.env.PATH}` },
    log,
    calls: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((call) => call.replaceAll(/ -c \S+/g, "").replace(/^\S*\//, "")),
  };
}
