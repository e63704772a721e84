/**
 * Finds out-of-scope edits: compares the working tree with its state when the run entered a state in which
 * nothing, or only its plan files, may be written.
 *
 * G1  The tree is made from the files alone, so neither git's index nor its configuration can hide an edit.
 * G2  The former tree is stored outside the project, until the run allows writing.
 * G3  Where git may commit, nothing is compared, because a stash or another branch changes files lawfully.
 * G4  A note of another state than the run's present one is discarded: the process that moved the run died
 *     before it wrote the new note. The present files then become the reference.
 * G5  If the comparison is impossible, it holds the run with the reason. It never counts as passed.
 * G6  An edit of the settings does not end the comparison: a tree that was noted is compared.
 */
import type { PawlEvent } from "../core/event.ts";
import type { Git } from "../core/ports/git.ts";
import type { TreeNote, TreeNotes } from "../core/ports/tree-notes.ts";
import type { Scope } from "../runtime/scope.ts";
import type { OutOfScopeEdits, ScopeWatch } from "../runtime/transaction/out-of-scope-edits.ts";
import { matchesGlob } from "./glob.ts";

export interface ScopeWatchPorts {
  readonly git: Pick<Git, "between" | "snapshot">;
  readonly notes: TreeNotes;
  /**
   * The scope of a run whose work is done in the project's own checkout; null: no such run, or it is over.
   */
  scopeOf(run: string): Promise<Scope | null>;
  isOn(): Promise<boolean>;
  /** The content of repositories without a commit, by folder, because no tree contains them. */
  nested(): Readonly<Record<string, string>>;
  /** Appends the event to the log. */
  append(event: Omit<Extract<PawlEvent, { type: "guard:strayed" }>, "id" | "time">): Promise<void>;
}

/** Files that Pawl itself writes while a run moves. */
const OWN = [".pawl", ".alfred", ".claude/settings.local.json"];

export function openScopeWatch(ports: ScopeWatchPorts): ScopeWatch {
  const { notes, scopeOf } = ports;
  return {
    async find(run) {
      const note = await notes.find(run);
      const scope = note && (await scopeOf(run));
      if (!note || !scope || !isLimited(scope)) return null;
      if (note.state !== scope.state) {
        await notes.forget(run);
        await this.note(run, null);
        return null;
      }
      const edits = await editsSince(ports, note, scope);
      if (edits) await reportOnce(ports, note, edits);
      return edits;
    },
    async note(run, accepted) {
      const scope = await scopeOf(run);
      const note = await notes.find(run);
      if (scope === null || !isLimited(scope)) {
        if (note) await notes.forget(run);
        return;
      }
      if (!note && !(await ports.isOn())) return;
      const isKept = note !== null && !accepted && (await isMeasure(ports, note, scope));
      const { planFiles, state, writes } = scope;
      const about = { state, writes, planFiles };
      if (isKept) return notes.keep(run, { ...note, ...about });
      const now = await filesNow(ports);
      if (now.kind === "none") return;
      const { nested, tree } = now;
      const why = now.why === undefined ? {} : { why: now.why };
      await notes.keep(run, { ...about, tree: accepted?.tree ?? tree, nested, reported: [], ...why });
    },
  };
}

type FilesNow =
  | { readonly kind: "none" }
  | {
      readonly kind: "some";
      readonly tree: string | null;
      readonly why?: string;
      readonly nested: Readonly<Record<string, string>>;
    };

/** `none`: there is no git repository, so no comparison is possible. */
async function filesNow(ports: ScopeWatchPorts): Promise<FilesNow> {
  const nested = ports.nested();
  const now = await ports.git.snapshot({ base: null, own: [...OWN, ...Object.keys(nested)] });
  if (now.kind === "tree") return { kind: "some", tree: now.tree, nested };
  if (now.kind === "not-a-repository") return { kind: "none" };
  return { kind: "some", tree: null, why: now.reason, nested };
}

/**
 * Whether the noted tree stays the reference. A mere move of the run must not make out-of-scope edits lawful.
 */
async function isMeasure(ports: ScopeWatchPorts, note: TreeNote, scope: Scope): Promise<boolean> {
  if (note.writes === scope.writes) return true;
  const { planFiles = [], writes } = note;
  const before = { ...scope, planFiles, writes: writes as Scope["writes"] };
  return (await editsSince(ports, note, before)) !== null;
}

/** Whether files are compared. If git may commit, they change with git: a stash, another branch. */
function isLimited({ forbids, writes }: Scope): boolean {
  return (writes === "none" || writes === "plan") && forbids.includes("commit");
}

async function editsSince(
  ports: ScopeWatchPorts,
  note: TreeNote,
  { planFiles, run, state, writes }: Scope,
): Promise<OutOfScopeEdits | null> {
  const now = await filesNow(ports);
  const tree = now.kind === "some" ? now.tree : null;
  const unknown = (why: string): OutOfScopeEdits => ({ run, state, files: [], tree, unknown: why });
  if (now.kind === "none")
    return unknown("the files cannot be compared any more: there is no git repository.");
  if (now.tree === null)
    return unknown(`nobody can say which files changed, because git cannot read them: ${now.why}`);
  if (note.tree === null)
    return unknown(
      `nobody can say which files changed, because git could not read them when it began: ${note.why}`,
    );
  const before = note.nested ?? {};
  const inside = Object.keys({ ...before, ...now.nested }).filter(
    (folder) => before[folder] !== now.nested[folder],
  );
  const changed = now.tree === note.tree ? [] : await ports.git.between(note.tree, now.tree);
  if (changed === null) return unknown("files changed, and Pawl no longer knows what they were.");
  const allowed = writes === "plan" ? planFiles : [];
  const files = [...changed.map(({ path }) => path), ...inside.map((folder) => `${folder}/`)]
    .filter((path) => !allowed.some((glob) => matchesGlob(path, glob)))
    .sort();
  return files.length === 0 ? null : { run, state, files, tree: now.tree };
}

/** Reports each file once, in any number of checks. */
async function reportOnce(
  { notes, append: report }: ScopeWatchPorts,
  note: TreeNote,
  { files, run, state }: OutOfScopeEdits,
) {
  const fresh = files.filter((file) => !note.reported.includes(file));
  if (fresh.length === 0) return;
  await report({ type: "guard:strayed", run, state, paths: fresh });
  await notes.keep(run, { ...note, reported: [...note.reported, ...fresh] });
}
