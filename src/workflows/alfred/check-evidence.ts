import type { CheckOutcome, Checks } from "../../base/ports.ts";
import type { CheckRun, Evidence, Finding } from "./evidence.ts";

/** The configured checks, really run, side by side. `round` tells this time from every other. */
export async function runChecks(
  checks: Readonly<Record<string, string>>,
  round: string,
  port: Checks,
): Promise<readonly Finding[]> {
  const named = Object.entries(checks);
  return Promise.all(
    named.map(([name, command], index) => runCheck({ name, command, key: `${round}-${index}` }, port)),
  );
}

/** Findings that were still running, as they are now; the others as they were. */
export async function lookAgain(
  evidence: Evidence,
  checks: Readonly<Record<string, string>>,
  port: Checks,
): Promise<Evidence> {
  return Promise.all(
    evidence.map((finding) =>
      finding.verdict === "running" && finding.check ? runAgain(finding.check, checks, port) : finding,
    ),
  );
}

/** A run's key names a folder, whoever wrote the file that it stands in. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;

async function runAgain(
  run: CheckRun,
  checks: Readonly<Record<string, string>>,
  port: Checks,
): Promise<Finding> {
  const command = Object.hasOwn(checks, run.name) ? checks[run.name] : undefined;
  const isKey = KEY.test(run.key) && !run.key.includes("..");
  if (command !== undefined && isKey) return runCheck({ name: run.name, command, key: run.key }, port);
  const words = isKey
    ? "No check of this name is configured: how it ended is not known."
    : "The key of its run is none that Pawl gave: how it ended is not known.";
  return { about: `check ${run.name}`, verdict: "differs", words };
}

interface Check {
  readonly name: string;
  readonly command: string;
  readonly key: string;
}

async function runCheck({ command, key, name }: Check, port: Checks): Promise<Finding> {
  const outcome = await port.run(key, command);
  const isOver = outcome.kind === "ended";
  return {
    about: `check ${name}`,
    ...judge(command, outcome),
    check: {
      name,
      key,
      exit_code: isOver ? outcome.exitCode : null,
      duration_ms: isOver ? outcome.milliseconds : null,
      tail: outcome.tail,
    },
  };
}

function judge(command: string, outcome: CheckOutcome): Pick<Finding, "verdict" | "words"> {
  const time = `${(outcome.milliseconds / 1000).toFixed(1)} s`;
  if (outcome.kind === "running")
    return { verdict: "running", words: `\`${command}\` is running, for ${time} so far.` };
  if (outcome.exitCode === 0)
    return { verdict: "agrees", words: `\`${command}\` ended with exit code 0 after ${time}.` };
  if (outcome.exitCode === null)
    return { verdict: "differs", words: `\`${command}\` was ended after ${time}, without an exit code.` };
  return {
    verdict: "differs",
    words: `\`${command}\` failed with exit code ${outcome.exitCode} after ${time}.`,
  };
}

/** For the answer's message, while something runs. */
export function runningNote(evidence: Evidence, tool: string): string {
  const running = evidence.filter(({ verdict }) => verdict === "running");
  if (running.length === 0) return "";
  const names = running.map(({ check }) => check?.name ?? "").join(", ");
  return ` checks running: ${names}. Call ${tool} again to see the outcome.`;
}
