/** A GitHub action of this repository: its script is run as it stands, with a `npx` that calls the program of this checkout. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { end, MAIN } from "./project.ts";

interface ActionCall {
  /** Where the `npx` lies, and `calls`: what it was called with, a line each. */
  readonly bin: string;
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What `npx` does before it calls the program. */
  readonly first?: string;
}

/** `path`: from the repository's root. */
export function openAction(path: string) {
  const { inputs, runs } = parse(readFileSync(resolve(import.meta.dirname, "../..", path), "utf8"));
  const [step] = runs.steps;
  return {
    inputs,
    /** As the runner calls it. */
    run({ bin, cwd, environment, first = ":" }: ActionCall) {
      mkdirSync(bin, { recursive: true });
      const npx = `#!/bin/sh\necho "$@" "in $PWD" >> ${JSON.stringify(join(bin, "calls"))}\n${first}\nshift 2\nexec ${process.execPath} ${MAIN} "$@"\n`;
      writeFileSync(join(bin, "npx"), npx);
      chmodSync(join(bin, "npx"), 0o755);
      const env = { ...environment, PATH: `${bin}:${process.env.PATH}` };
      return end(spawn("bash", ["-c", step.run], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
    },
    expectInputsByEnvironmentAlone() {
      expect(runs.using).toBe("composite");
      expect(step.run).not.toContain("${{");
      expect(
        Object.values(step.env as object).every((value) => /^\$\{\{ inputs\.[a-z]+ \}\}$/.test(value)),
      ).toBe(true);
    },
  };
}
