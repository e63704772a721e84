/**
 * What proves that a call comes from a run's own agent: a random word that only that run's processes are given. A task's
 * name in the environment proves nothing, since any process can set it.
 *
 * K1  The word is in the environment of the run's agent and nowhere on disk; its hash is kept outside of the project.
 * K2  It dies with the run: once its deferred calls were made, nothing can be proved by it.
 *
 * What escapes: a process of the same user can read another's environment. It is still another run's by the marks above it.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { isId } from "../../core/id.ts";
import type { AgentOrder } from "../../core/ports/agents.ts";
import { writeWhole } from "../files/write-whole.ts";
import type { Environment } from "./environment.ts";
import { runsOfMark } from "./mark.ts";
import { marksAround } from "./marks-around.ts";
import type { AgentsSetup } from "./setup.ts";

/** The variable's name says nothing of keys, tokens or secrets: some agents keep such variables from their commands. */
export const CAPABILITY = "PAWL_RUN_CAPABILITY";

/** Makes the run's word: `<run>:<64 hex digits>`. */
function issueCapability(stateFolder: string, run: string, task: string): string {
  const word = randomBytes(32).toString("hex");
  mkdirSync(join(stateFolder, "runs"), { recursive: true, mode: 0o700 });
  writeWhole(
    pathOf(stateFolder, run),
    `${JSON.stringify({ version: 1, run, task, sha256: hashOf(word) })}\n`,
  );
  return `${run}:${word}`;
}

/** What the environment of the order's agent gets. */
export function capabilityOf(
  { stateFolder }: Pick<AgentsSetup, "stateFolder">,
  { run, task }: Pick<AgentOrder, "run" | "task">,
): Readonly<Record<string, string>> {
  return task === undefined ? {} : { [CAPABILITY]: issueCapability(stateFolder, run, task) };
}

/** The task whose agent holds the word, or null. */
export function provenTask(stateFolder: string, capability: unknown): { run: string; task: string } | null {
  if (typeof capability !== "string") return null;
  const at = capability.indexOf(":");
  const run = capability.slice(0, at);
  if (at < 0 || !isId(run)) return null;
  // No such run, or it is over.
  return attempt(() => {
    const kept = JSON.parse(readFileSync(pathOf(stateFolder, run), "utf8"));
    const same = timingSafeEqual(
      Buffer.from(String(kept.sha256), "hex"),
      Buffer.from(hashOf(capability.slice(at + 1)), "hex"),
    );
    return same && kept.run === run && isId(kept.task) ? { run, task: kept.task } : null;
  }, null);
}

export function revokeCapability(stateFolder: string, run: string): void {
  rmSync(pathOf(stateFolder, run), { force: true });
}

/** The run of this project whose process this one is; `task`: null where it cannot prove that it is that run's agent. */
export interface RunAround {
  readonly run: string;
  readonly task: string | null;
}

export interface RunPlace {
  readonly projectRoot: string;
  readonly stateFolder: string;
  readonly environment: Environment;
}

/** Null: it is none of this project's runs'. */
export function runAround({ projectRoot, stateFolder, environment }: RunPlace): RunAround | null {
  const marked = [...new Set(runsOfMark(projectRoot, marksAround(environment).join(",")))];
  const proven = provenTask(stateFolder, environment[CAPABILITY]);
  // Another run's word in a process of this one is stolen.
  if (proven !== null && marked.every((run) => run === proven.run)) return proven;
  const run = marked[0] ?? proven?.run;
  return run === undefined ? null : { run, task: null };
}

/** Where the hash of the run's word is. */
export function capabilityFile(setup: Pick<AgentsSetup, "stateFolder">, run: string): string {
  return pathOf(setup.stateFolder, run);
}

function pathOf(stateFolder: string, run: string): string {
  return join(stateFolder, "runs", `${run}.json`);
}

function hashOf(word: string): string {
  return createHash("sha256").update(word).digest("hex");
}
