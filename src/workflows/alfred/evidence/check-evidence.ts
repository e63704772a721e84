import { PawlError } from "../../../core/error.ts";
import type { CheckOutcome, Checks } from "../../../core/ports/checks.ts";
import type { CheckRun, Evidence, Finding } from "./evidence.ts";

/** Where checks run: on a tree; null: in the project's folder. */
export interface Where {
  readonly tree: string | null;
  /** A failed check older than this runs again. */
  readonly retry?: boolean;
}

/** Runs a check to its end, or only looks up its known outcome (null: none). */
export type AskCheck = (key: string, command: string, where: Where) => Promise<CheckOutcome | null>;

/** Neither starts a check nor waits for one: returns its known outcome. */
export function storedOutcomes({ recorded }: Checks): AskCheck {
  return async (key, command, { tree }) => (await recorded?.(key, command, { tree })) ?? null;
}

/** Runs the configured checks in parallel. `round` makes the keys of this round's runs unique. */
export async function runChecks(
  checks: Readonly<Record<string, string>>,
  round: string,
  where: Where,
  port: Checks,
): Promise<readonly Finding[]> {
  const named = Object.entries(checks);
  const run: AskCheck = (key, command, on) => port.run(key, command, on);
  const findings = await Promise.all(
    named.map(([name, command], index) => runCheck({ name, command, key: `${round}-${index}` }, where, run)),
  );
  return findings.filter((each) => each !== null);
}

/**
 * Updates the findings of checks that were still running or could not start, and reruns failed ones if
 * `place.retry` is set; other findings stay.
 */
export async function refreshChecks(
  evidence: Evidence,
  checks: Readonly<Record<string, string>>,
  where: Where,
  ask: AskCheck,
): Promise<Evidence> {
  return Promise.all(
    evidence.map(async (finding) => {
      const { check, unstarted, verdict } = finding;
      const run = check ?? unstarted;
      const again = verdict === "running" || unstarted?.waits || (where.retry && verdict === "differs");
      const updated = again && run ? await runAgain(run, checks, where, ask) : null;
      return updated ?? finding;
    }),
  );
}

/**
 * The key of a check's run becomes a folder's name, so it is validated even though Pawl's own file contains
 * it.
 */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;

async function runAgain(
  run: Pick<CheckRun, "name" | "key">,
  checks: Readonly<Record<string, string>>,
  where: Where,
  ask: AskCheck,
): Promise<Finding | null> {
  const command = Object.hasOwn(checks, run.name) ? checks[run.name] : undefined;
  const isKey = KEY.test(run.key) && !run.key.includes("..");
  if (command !== undefined && isKey) return runCheck({ name: run.name, command, key: run.key }, where, ask);
  const words = isKey
    ? "No check of this name is configured: how it ended is not known."
    : "Pawl did not create the key of its run: how it ended is not known.";
  return { about: `check ${run.name}`, verdict: "differs", words };
}

interface Check {
  readonly name: string;
  readonly command: string;
  readonly key: string;
}

async function runCheck(check: Check, where: Where, ask: AskCheck): Promise<Finding | null> {
  try {
    const outcome = await ask(check.key, check.command, where);
    return outcome && checkFinding(check, outcome);
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || where.tree === null) throw thrown;
    const { command, key, name } = check;
    const waits = thrown.code === "project-untrusted";
    // Shown until the next verdict, and true after `pawl trust`, too.
    const why = waits
      ? "when it was handed in, nobody on this machine had agreed to it. It runs at the next verdict, once a person has run `pawl trust`."
      : thrown.message;
    const words = `\`${command}\` was not run: ${why}`;
    const unstarted = { name, key, waits };
    return { about: `check ${name}`, verdict: "differs", words, unstarted };
  }
}

function checkFinding({ command, key, name }: Check, outcome: CheckOutcome): Finding {
  const isOver = outcome.kind === "ended";
  const judged = judge(command, outcome);
  return {
    about: `check ${name}`,
    verdict: judged.verdict,
    words: judged.words,
    check: {
      name,
      key,
      exit_code: isOver ? outcome.exitCode : null,
      duration_ms: isOver ? outcome.milliseconds : null,
      tail: outcome.tail,
      ...(isOver && outcome.empty ? { empty: true } : {}),
    },
  };
}

function judge(command: string, outcome: CheckOutcome): Pick<Finding, "verdict" | "words"> {
  const time = `${(outcome.milliseconds / 1000).toFixed(1)} s`;
  if (outcome.kind === "running")
    return { verdict: "running", words: `\`${command}\` is running, for ${time} so far.` };
  if (outcome.exitCode === 0)
    return {
      verdict: "agrees",
      words: `\`${command}\` ended with exit code 0 after ${time}${outcome.empty ? ", and ran no test" : ""}.`,
    };
  if (outcome.exitCode === null)
    return { verdict: "differs", words: `\`${command}\` was ended after ${time}, without an exit code.` };
  return {
    verdict: "differs",
    words: `\`${command}\` failed with exit code ${outcome.exitCode} after ${time}.`,
  };
}

/** A note for the answer's message while checks are running; empty: none is. */
export function runningNote(evidence: Evidence, tool: string): string {
  const running = evidence.filter(({ verdict }) => verdict === "running");
  if (running.length === 0) return "";
  const names = running.map(({ check }) => check?.name ?? "").join(", ");
  return ` checks running: ${names}. Call ${tool} again to see the outcome.`;
}
