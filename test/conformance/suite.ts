/** The protocol's own conformance suite, run against an address. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { end } from "../rig/project.ts";

export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

export interface Scenario {
  readonly name: string;
  readonly checks: readonly Check[];
}

const PATIENCE = 240_000;

/** Runs the suite's server scenarios; `program` is its file. Throws where it ran none. */
export async function runSuite(
  program: string,
  url: string,
  options: readonly string[],
): Promise<readonly Scenario[]> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-conformance-"));
  try {
    const child = spawn(process.execPath, [program, "server", "--url", url, "-o", folder, ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: PATIENCE,
    });
    const { code, out, err } = await end(child);
    const scenarios = readdirSync(folder).map((name) => ({
      name: name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[-\d]+Z$/, ""),
      checks: JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[],
    }));
    if (scenarios.length < 10 || code === null) throw new Error(`The suite did not run: ${err || out}`);
    return scenarios;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
