/**
 * Files that changed while a run was in a state that does not permit it: an assistant's move is refused, a
 * person sees them at the gate. Pawl never undoes them.
 */
import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import { fewOf } from "../../core/text/few.ts";
import { isPersonHere } from "./person.ts";
import type { Context, Proposal } from "./transaction.ts";

export interface OutOfScopeEdits {
  /** `workflow:id` */
  readonly run: string;
  /** The state in which they changed, in the form of `pawl status`. */
  readonly state: string;
  /** Paths from the project's root, sorted. */
  readonly files: readonly string[];
  /** The present tree; null: not known. */
  readonly tree: string | null;
  /** Why it is unknown which files changed; absent: it is known. */
  readonly unknown?: string;
}

export interface ScopeWatch {
  /** The out-of-scope edits since the run came to its state; null: none, or everything may be written. */
  find(run: string): Promise<OutOfScopeEdits | null>;
  /**
   * Called after a move of the run: files that change from now on count. `accepted`: the edits to which a
   * person agreed. `view`: the one through which the move read the settings; absent: they are read again.
   */
  note(run: string, accepted: OutOfScopeEdits | null, view?: View): Promise<void>;
}

type Asking = Pick<Context, "caller" | "answered">;

export interface ProposalWithEdits<R> {
  readonly proposal: Proposal<R>;
  /** The edits that a person was shown when they decided. */
  readonly accepted: OutOfScopeEdits | null;
}

/**
 * Proposes with the out-of-scope edits: a person sees them before the question, and answers both. Throws
 * `tree-strayed` if another caller would move the run.
 */
export async function proposeWithOutOfScopeEdits<R>(
  find: () => Promise<OutOfScopeEdits | null>,
  asking: Asking,
  propose: (asking: Asking) => Promise<Proposal<R>>,
): Promise<ProposalWithEdits<R>> {
  const { answered, caller } = asking;
  if (answered === undefined) {
    const proposal = await propose(asking);
    if (!proposal.ask && !proposal.changes?.length) return { proposal, accepted: null };
    const edits = await find();
    if (edits === null || isPersonHere({ caller }) || proposal.ask)
      return { proposal: edits === null ? proposal : withWords(proposal, edits), accepted: null };
    throw outOfScopeError(edits);
  }
  const edits = await find();
  // A library program's own question does not show the edits, so they are not accepted.
  if (edits === null || answered === "vouched") return { proposal: await propose(asking), accepted: null };
  const isShown = answered.to.edits === wordsOf(edits);
  const proposal = await propose({ caller, ...(isShown ? { answered } : {}) });
  const isYes = isShown && !proposal.ask && proposal.verdict?.approve !== false;
  return { proposal: withWords(proposal, edits), accepted: isYes ? edits : null };
}

function withWords<R>(proposal: Proposal<R>, edits: OutOfScopeEdits): Proposal<R> {
  const { ask } = proposal;
  return ask ? { ...proposal, ask: { ...ask, edits: wordsOf(edits) } } : proposal;
}

/** The question about them. */
function wordsOf(edits: OutOfScopeEdits): string {
  return `${found(edits)} Your yes accepts them.\n\n`;
}

const MAX_SHOWN = 20;

/** The changed files, in one sentence. */
export function found({ files, run, state, unknown }: OutOfScopeEdits): string {
  const what = unknown ?? `these files changed: ${fewOf(files, MAX_SHOWN)}.`;
  return `While ${run} is at "${state}", where they may not be written, ${what}`;
}

const OR_KEEP =
  "If they are meant to stay, tell the person: they accept them with `pawl repair` in a terminal.";

/** What an assistant must do about such edits. */
export const UNDO = `Undo these edits. ${OR_KEEP}`;

function outOfScopeError(edits: OutOfScopeEdits): PawlError {
  const undo = edits.unknown === undefined ? "Undo these edits" : "Mend what git says, if you caused it";
  return new PawlError(
    "tree-strayed",
    `${found(edits)} Nothing was changed by this call.`,
    `${undo}, then call again. ${OR_KEEP}`,
  );
}
