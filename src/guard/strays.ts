/**
 * Compares the working tree with what it was when a run came to where nothing, or only its plan files, may be written.
 *
 * G1  The tree is made from the files alone, so neither git's index nor its configuration can hide an edit.
 * G2  What it was is kept outside the project, until the run is where the work is done.
 * G3  Where git may commit, nothing is compared: a stash or another branch changes files lawfully.
 * G4  A note of another state than the run's present one is of no use: whoever moved the run did not come to write it. What is
 *     there then is taken for how it was.
 * G5  An edit of the settings does not end the comparison: a tree that was noted is compared.
 */
import type { PawlEvent } from "../core/event.ts";
import type { Git } from "../core/ports/git.ts";
import type { TreeNote, TreeNotes } from "../core/ports/tree-notes.ts";
import type { Scope } from "../runtime/scope.ts";
import type { StrayEdits, Strays } from "../runtime/strays.ts";
import { matchesGlob } from "./glob.ts";

export interface StraysPlace {
  readonly git: Pick<Git, "between" | "snapshot">;
  readonly notes: TreeNotes;
  /** Of a run whose work is done in the project's own checkout; null: of none, or it is over. */
  scopeOf(run: string): Promise<Scope | null>;
  isOn(): Promise<boolean>;
  /** Appends the event to the log. */
  tell(event: Omit<Extract<PawlEvent, { type: "guard:strayed" }>, "id" | "time">): Promise<void>;
}

/** Pawl's own files, which a run's moves write. */
const OWN = [".pawl", ".alfred"];

export function openStrays(place: StraysPlace): Strays {
  const { notes, scopeOf } = place;
  return {
    async look(run) {
      const note = await notes.find(run);
      const scope = note && (await scopeOf(run));
      if (!note || !scope || !isLimited(scope)) return null;
      if (note.state !== scope.state) {
        await notes.forget(run);
        await this.note(run, null);
        return null;
      }
      const edits = await editsSince(place, note, scope);
      if (edits) await tellOnce(place, note, edits);
      return edits;
    },
    async note(run, accepted) {
      const scope = await scopeOf(run);
      const known = await notes.find(run);
      if (scope === null || !isLimited(scope)) {
        if (known) await notes.forget(run);
        return;
      }
      if (!known && !(await place.isOn())) return;
      const kept = known && !accepted ? await keptTree(place, known, scope) : null;
      const tree = accepted?.tree ?? kept ?? (await treeNow(place));
      const { planFiles, state, writes } = scope;
      const told = kept === null ? [] : (known?.told ?? []);
      if (tree !== null) await notes.keep(run, { state, tree, writes, planFiles, told });
    },
  };
}

/** The tree that stays the measure; null: the present one becomes it. Nobody's move alone makes stray edits lawful. */
async function keptTree(place: StraysPlace, known: TreeNote, scope: Scope): Promise<string | null> {
  if (known.writes === scope.writes) return known.tree;
  const { planFiles = [], writes } = known;
  const before = { ...scope, planFiles, writes: writes as Scope["writes"] };
  return (await editsSince(place, known, before)) === null ? null : known.tree;
}

async function treeNow({ git }: StraysPlace): Promise<string | null> {
  const now = await git.snapshot({ base: null, own: OWN });
  return now.kind === "tree" ? now.tree : null;
}

/** Where git may commit, files come and go with it: a stash, another branch. */
function isLimited({ forbids, writes }: Scope): boolean {
  return (writes === "none" || writes === "plan") && forbids.includes("commit");
}

async function editsSince(
  { git }: StraysPlace,
  note: TreeNote,
  { planFiles, run, state, writes }: Scope,
): Promise<StrayEdits | null> {
  const now = await git.snapshot({ base: null, own: OWN });
  if (now.kind !== "tree") {
    const why = now.kind === "unavailable" ? now.reason : "there is no git repository.";
    return { run, state, files: [], tree: null, unknown: `the files cannot be compared any more: ${why}` };
  }
  if (now.tree === note.tree) return null;
  const changed = await git.between(note.tree, now.tree);
  if (changed === null)
    return {
      run,
      state,
      files: [],
      tree: now.tree,
      unknown: "files changed, and Pawl no longer knows what they were.",
    };
  const allowed = writes === "plan" ? planFiles : [];
  const files = changed.filter((path) => !allowed.some((glob) => matchesGlob(path, glob))).sort();
  return files.length === 0 ? null : { run, state, files, tree: now.tree };
}

/** Each file is told once, however often it is looked for. */
async function tellOnce({ notes, tell }: StraysPlace, note: TreeNote, { files, run, state }: StrayEdits) {
  const fresh = files.filter((file) => !note.told.includes(file));
  if (fresh.length === 0) return;
  await tell({ type: "guard:strayed", run, state, paths: fresh });
  await notes.keep(run, { ...note, told: [...note.told, ...fresh] });
}
