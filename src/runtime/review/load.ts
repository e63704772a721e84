/**
 * Reviews of the project's runs: which runs wait for a person, what the person needs to decide, and the
 * differences themselves.
 */
import type { Caller } from "../../core/event.ts";
import type { FileDiff, GitDiff } from "../../core/ports/git.ts";
import type { Project } from "../project.ts";
import { findRun, overview } from "../reports/overview.ts";
import { runTransaction } from "../transaction/run-transaction.ts";
import { briefOf } from "./brief.ts";
import { cachedGit } from "./cached-git.ts";
import { gitOf } from "./git-of.ts";
import type { Review } from "./model.ts";
import { inTurn, type Waiting, waitingIn } from "./queue.ts";

export type { Waiting } from "./queue.ts";

/** It only reads. */
const READER: Caller = { channel: "library" };

/**
 * What a person needs to decide about the run, by any name of it; null: it waits for no verdict, or with
 * `anyState` nothing is known of its work. Throws
 * `run-missing`, `run-ambiguous`, and errors of reading the run.
 */
export async function reviewOf(
  project: Pick<Project, "runtime" | "workflows">,
  run: string,
  anyState = false,
): Promise<Review | null> {
  const { id, module } = await findRun(project, run);
  if (module.fault) throw module.fault;
  if (!module.gate?.review) return null;
  const { reply } = await runTransaction(
    project.runtime,
    await module.gate.review(),
    { id, ...(anyState && { anyState }) },
    READER,
  );
  return reply && { ...reply, brief: briefOf(reply) };
}

/** Reviews made at once: each starts processes. */
const AT_ONCE = 4;

/** Everything that waits for a person: the longest wait first, and within a day the shortest review. */
export async function waiting({
  runtime,
  workflows,
}: Pick<Project, "runtime" | "workflows">): Promise<readonly Waiting[]> {
  // Many gates are about the same work: query git once.
  const outside = { ...runtime.outside, git: cachedGit(runtime.outside.git) };
  const project = { runtime: { ...runtime, outside }, workflows };
  const runs = (await overview(project)).flatMap((workflow) => workflow.runs);
  const all = [...runs.flatMap(waitingIn)];
  const gates = all.flatMap(({ kind }, at) => (kind === "gate" ? [at] : []));
  const work = async () => {
    for (let at = gates.shift(); at !== undefined; at = gates.shift()) {
      const waiting = all[at] as Waiting;
      all[at] = { ...waiting, minutes: await minutesOf(project, waiting.run) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return inTurn(all, project.runtime.now());
}

/** Null if the review cannot be made: opening it reports why. */
async function minutesOf(
  project: Pick<Project, "runtime" | "workflows">,
  run: string,
): Promise<number | null> {
  try {
    return (await reviewOf(project, run))?.size.minutes ?? null;
  } catch {
    return null;
  }
}

export interface DifferencesWanted {
  /** One of the review's files; null: all. */
  readonly path?: string | null;
  /** Only changes since the last verdict, if there was one. */
  readonly since?: boolean;
  /** Lines around each change. */
  readonly context?: number;
  /** Maximum bytes of text, in all and per file. */
  readonly bytes: number;
  readonly bytesOfFile?: number;
}

/** The differences of the review, in the order of its files, without the project's own files. */
export async function differencesOf(
  { runtime: { outside } }: Pick<Project, "runtime">,
  { changes }: Pick<Review, "changes">,
  { path = null, since = false, ...limits }: DifferencesWanted,
): Promise<GitDiff> {
  if (changes === null) return { kind: "diff", files: [] };
  if (changes.kind === "unavailable") return changes;
  const isSince = since && changes.lastJudged !== null;
  const listed = isSince ? changes.since : changes.files;
  const wanted = listed.filter((file) => path === null || file.path === path);
  if (wanted.length === 0) return { kind: "diff", files: [] };
  const from = isSince ? (changes.lastJudged ?? changes.from) : changes.from;
  const git = await gitOf(outside, changes.repo);
  if ("reason" in git) return { kind: "unavailable", ...git };
  if (!git.diff) return { kind: "unavailable", reason: "this git port shows no differences" };
  const range = { from, to: changes.to };
  const was = wanted.find((file) => file.was !== undefined)?.was;
  const renamed = was === undefined ? {} : path === null ? { renames: true as const } : { was };
  const diff = await git.diff({ ...range, path, ...renamed, ...limits });
  if (diff.kind === "unavailable") return diff;
  const indexes = new Map(wanted.map((file, at) => [file.path, at]));
  const indexOf = (each: { readonly path: string }) => indexes.get(each.path) ?? -1;
  const shown = diff.files.filter((each) => indexOf(each) >= 0);
  const whole = new Map<string, readonly FileDiff[]>();
  // The review takes it for a new file: what it was is not in the review.
  for (const each of shown.filter(
    (each) => each.was !== undefined && each.was !== wanted[indexOf(each)]?.was,
  )) {
    const again = await git.diff({ ...range, path: each.path, ...limits });
    if (again.kind === "unavailable") return again;
    whole.set(each.path, again.files);
  }
  const files = shown
    .flatMap((each) => whole.get(each.path) ?? each)
    .sort((one, other) => indexOf(one) - indexOf(other));
  return { kind: "diff", files };
}
