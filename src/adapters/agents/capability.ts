/**
 * Proves that a call comes from a run's own agent: only that run's processes get a random word. A task's name
 * in the environment proves nothing, since any process can set it.
 *
 * K1  The word is in the environment of the run's agent and nowhere on disk. Its hash is kept outside the
 *     project.
 * K2  The word expires with the run: once the run's deferred calls are made, it proves nothing.
 *
 * What escapes: a process of the same user can read another's environment. Its own run tags still show that
 * it belongs to another run.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { isId } from "../../core/id.ts";
import type { AgentOrder } from "../../core/ports/agents.ts";
import { writeWhole } from "../files/write-whole.ts";
import { ownAncestors } from "./ancestry.ts";
import type { Environment } from "./environment.ts";
import { MARK, markOfCgroup, runsOfMark } from "./mark.ts";
import { readProc } from "./proc.ts";
import type { AgentsSetup } from "./setup.ts";

/**
 * The variable's name mentions no key, token or secret: some agents hide such variables from their commands.
 */
export const CAPABILITY = "PAWL_RUN_CAPABILITY";

/** Makes the run's word: `<run>:<64 hex digits>`. */
function issueCapability(stateFolder: string, run: string, task: string): string {
  const word = randomBytes(32).toString("hex");
  mkdirSync(join(stateFolder, "runs"), { recursive: true, mode: 0o700 });
  writeWhole(
    capabilityFile(stateFolder, run),
    `${JSON.stringify({ version: 1, run, task, sha256: hashOf(word) })}\n`,
  );
  return `${run}:${word}`;
}

/** The variables that the capability adds to the environment of the order's agent. */
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
  // Fails if there is no such run, or it has ended.
  return attempt(() => {
    const kept = JSON.parse(readFileSync(capabilityFile(stateFolder, run), "utf8"));
    const same = timingSafeEqual(
      Buffer.from(String(kept.sha256), "hex"),
      Buffer.from(hashOf(capability.slice(at + 1)), "hex"),
    );
    return same && kept.run === run && isId(kept.task) ? { run, task: kept.task } : null;
  }, null);
}

export function revokeCapability(stateFolder: string, run: string): void {
  rmSync(capabilityFile(stateFolder, run), { force: true });
}

/**
 * The run of this project to which this process belongs. `task` is null if the process cannot prove that it
 * is the run's agent.
 */
export interface CallingRun {
  readonly run: string;
  readonly task: string | null;
}

export interface CallerContext {
  readonly projectRoot: string;
  readonly stateFolder: string;
  readonly environment: Environment;
}

/** Null: it belongs to no run of this project. */
export function callingRun({ projectRoot, stateFolder, environment }: CallerContext): CallingRun | null {
  const marked = [...new Set(runsOfMark(projectRoot, inheritedMarks(environment).join(",")))];
  const proven = provenTask(stateFolder, environment[CAPABILITY]);
  // Otherwise a process of another run has stolen the word.
  if (proven !== null && marked.every((run) => run === proven.run)) return proven;
  const run = marked[0] ?? proven?.run;
  return run === undefined ? null : { run, task: null };
}

/** The file that holds the hash of the run's word. */
export function capabilityFile(stateFolder: string, run: string): string {
  return join(stateFolder, "runs", `${run}.json`);
}

/**
 * The runs to which this process belongs, nearest first, each once: by the tags in its own `environment`, in
 * those of its ancestors, and of its cgroup. Clearing one's own environment does not help: the parent still has
 * the tag.
 *
 * What escapes without a cgroup: a process that has cleared its environment *and* lost its parents.
 */
export function inheritedMarks(environment: Environment): readonly string[] {
  const values = [environment[MARK] ?? "", markOfCgroup(readProc("/proc/self/cgroup"))];
  for (const { pid, variable } of ownAncestors())
    values.push(variable(MARK), markOfCgroup(readProc(`/proc/${pid}/cgroup`)));
  return [...new Set(values.flatMap((value) => value.split(",")))].filter(Boolean);
}
