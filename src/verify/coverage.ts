/**
 * Decides whether people approved every commit of a range.
 *
 * C1  A commit whose work is the tree of a run's approving record at its last gate is covered, with its
 *     history back to the record's base: the person saw every difference between the two. No other part of
 *     the base's history may lie between.
 * C2  A merge equal to git's automatic merge of its parents is covered if its parents are.
 * C3  A commit that changes only Pawl's bookkeeping is covered if its parent is.
 * C4  A record covers only while it is its run's latest verdict.
 */

import { isBookkeeping } from "../core/gate-record.ts";
import type { RangeCommit, RangeHistory } from "../core/ports/history.ts";
import { judgingFiles } from "../core/process-files.ts";
import type { Settings } from "../core/settings.ts";
import { fewOf } from "../core/text/few.ts";
import type { FoundRecord, FoundRun } from "./records.ts";
import type { Fault } from "./report.ts";

export interface Covered {
  readonly faults: readonly Fault[];
  /** Path of a record → the commit that it covers. */
  readonly covers: ReadonlyMap<string, string>;
}

export async function coverRange(
  history: RangeHistory,
  runs: readonly FoundRun[],
  settings: Settings,
): Promise<Covered> {
  const walk = new Walk(history, runs, settings);
  await walk.cover(history.head);
  walk.findUnused();
  return { faults: walk.faults, covers: walk.covers };
}

class Walk {
  readonly faults: Fault[] = [];
  readonly covers = new Map<string, string>();
  readonly #byId: ReadonlyMap<string, RangeCommit>;
  readonly #seen = new Set<string>();
  readonly #history: RangeHistory;
  readonly #runs: readonly FoundRun[];
  readonly #settings: Settings;

  constructor(history: RangeHistory, runs: readonly FoundRun[], settings: Settings) {
    this.#history = history;
    this.#runs = runs;
    this.#settings = settings;
    this.#byId = new Map(history.commits.map((commit) => [commit.id, commit]));
  }

  /** Covers the commit and its history. The base's history needs no approval. */
  async cover(head: string): Promise<void> {
    const left = [head];
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const commit = this.#byId.get(id);
      if (!commit || this.#seen.has(id)) continue;
      this.#seen.add(id);
      left.push(...(await this.#coverOne(commit)));
    }
  }

  /** The commits that must be covered for this one to be. */
  async #coverOne(commit: RangeCommit): Promise<readonly string[]> {
    const { parents } = commit;
    if (parents.length > 1 && (await this.#history.merged(parents)) === commit.tree) return parents;
    const approval = this.#approvalOf(commit);
    if (approval !== null) return this.#byRecord(commit, approval);
    const [parent] = parents;
    if (parents.length === 1 && parent !== undefined && (await this.#workOf(parent)) === commit.work)
      return parents;
    this.faults.push(this.#uncovered(commit));
    return [];
  }

  /**
   * The record that approves exactly this work and is its run's latest, or the latest before one that already
   * covers a commit.
   */
  #approvalOf({ work }: RangeCommit): FoundRecord | null {
    for (const { records } of this.#runs) {
      const used = records.findIndex(({ path }) => this.covers.has(path));
      const open = used < 0 ? records.slice(-1) : records.slice(0, used);
      const found = open.findLast(
        ({ isFinal, isNew, isSound, record }) =>
          isFinal && isNew && isSound && record.verdict === "approve" && record.tree === work,
      );
      if (found) return found;
    }
    return null;
  }

  async #byRecord(commit: RangeCommit, { path, record }: FoundRecord): Promise<readonly string[]> {
    const { base_commit: base } = record;
    this.covers.set(path, commit.id);
    const moved = await this.#movedBase(commit, base);
    if (moved !== null) {
      this.faults.push({
        rule: "base-moved",
        path,
        commit: commit.id,
        message: `${path} approves the work of ${short(commit)} against ${base.slice(0, 12)}, ${moved}.`,
      });
      return [];
    }
    const changed = await this.#history.changed(base, commit.id);
    const work = changed.filter((each) => !isBookkeeping(each));
    const unnamed = judgingFiles(work, this.#settings.workflows).filter(
      (each) => !record.process_files.includes(each),
    );
    for (const each of unnamed)
      this.faults.push({
        rule: "process-files",
        path: each,
        commit: commit.id,
        message: `${each} decides how work is judged and was changed, but ${path}, which covers ${short(commit)}, does not name it.`,
      });
    return [base];
  }

  /** Why the record's base is not the commit's future merge base; null: it is. */
  async #movedBase({ id }: RangeCommit, base: string): Promise<string | null> {
    // Otherwise the commit would cover itself, and the commits below it would be skipped.
    if (base === id) return "which is the same commit";
    const { boundary } = this.#historyOf(id, base);
    const isInside = this.#byId.has(base);
    if (isInside && !this.#historyOf(id, null).inside.has(base)) return "which is not in its history";
    if (!isInside && !boundary.has(base)) return "at which it does not begin";
    for (const each of boundary)
      if (each !== base && !(await this.#history.isAncestor(each, base)))
        return `but it holds ${each.slice(0, 12)} of the base too, which was not there when it was approved`;
    return null;
  }

  /**
   * The commits of the range from there back to `until`, and the commits of the base's history directly below
   * them.
   */
  #historyOf(from: string, until: string | null) {
    const inside = new Set<string>();
    const boundary = new Set<string>();
    const left = [from];
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (id === until && this.#byId.has(id)) continue;
      const commit = this.#byId.get(id);
      if (!commit) boundary.add(id);
      else if (!inside.has(id)) {
        inside.add(id);
        left.push(...commit.parents);
      }
    }
    return { inside, boundary };
  }

  async #workOf(id: string): Promise<string> {
    return this.#byId.get(id)?.work ?? this.#history.workOf(id);
  }

  #uncovered(commit: RangeCommit): Fault {
    const files = commit.changes.map(({ path }) => path);
    const what = files.length === 0 ? "" : `; it changes ${fewOf(files, 8)}`;
    return {
      rule: "commit-uncovered",
      commit: commit.id,
      message: `No approved gate covers the commit ${short(commit)}${what}.`,
    };
  }

  /** Finds approvals at a run's last gate whose work is not in the range, because other work replaced it. */
  findUnused(): void {
    const works = new Set([...this.#byId.values()].map(({ work }) => work));
    for (const { records } of this.#runs) {
      const last = records.at(-1);
      const isApproval = last?.isFinal && last.isNew && last.record.verdict === "approve";
      if (!last || !isApproval || this.covers.has(last.path) || works.has(last.record.tree)) continue;
      this.faults.push({
        rule: "approval-unused",
        path: last.path,
        message: `${last.path} approves the tree ${last.record.tree.slice(0, 12)}, which no commit of the range has.`,
      });
    }
  }
}

function short({ id, title }: RangeCommit): string {
  return `${id.slice(0, 12)} (${title})`;
}
