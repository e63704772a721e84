/**
 * Copies of `.ai/`: made, listed and brought back.
 *
 * B1  A copy is never changed and never overwritten.
 * B2  What is no text, and links, are left out of a copy and left alone by a restore; both say which.
 * B3  Before `.ai/` is replaced by a copy it is copied itself, so that nothing is lost. All in one commit.
 * B4  A copy is a folder like any other: the state in it is a person's to take, and becomes a step of the run's history. A
 *     state that the copy does not change is not written, and stays held where it is.
 */
import { PawlError, toPawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Context, Proposal, Reply, Transaction } from "../../runtime/module.ts";
import { hasAnswered, strengthOf } from "../../runtime/person.ts";
import { renderReview } from "../../runtime/review/question.ts";
import { runAdvanced, stamped } from "../../runtime/run-advanced.ts";
import { AI_FOLDER, freeName, RUN, STATE_FILE } from "./files.ts";
import { SPELLS_STATES } from "./recorded.ts";
import { afterRestoring, parseState, renderState, type StateFile, toSeconds } from "./state-file.ts";

/** Where the copies are, each in a folder named by its date. */
export const BACKUPS = projectPath(".ai-backups");

/** Paths below a folder, with their texts. */
export type Tree = ReadonlyMap<string, string>;

/** Reads all files below a folder. With `leftOut`, skips files that are not text and collects their paths there. */
export async function readTree(view: View, folder: ProjectPath, leftOut?: ProjectPath[]): Promise<Tree> {
  const tree = new Map<string, string>();
  const walk = async (below: ProjectPath, prefix: string): Promise<void> => {
    for (const { name, kind } of await view.list(below)) {
      const path = projectPath(below, name);
      if (kind === "folder") await walk(path, `${prefix}${name}/`);
      else {
        const text = kind === "file" ? await readText(view, path, leftOut !== undefined) : null;
        if (text !== null) tree.set(`${prefix}${name}`, text);
        else leftOut?.push(path);
      }
    }
  };
  await walk(folder, "");
  return tree;
}

/** Null if there is no text and `may` allows that; otherwise it throws. */
async function readText(view: View, path: ProjectPath, may: boolean): Promise<string | null> {
  try {
    return await view.read(path);
  } catch (thrown) {
    if (may && toPawlError(thrown).code === "state-unreadable") return null;
    throw thrown;
  }
}

/** The changes that write a tree as a new copy, and the copy's name. */
export function planBackup(
  tree: Tree,
  taken: readonly string[],
  time: string,
): { readonly name: string; readonly changes: readonly Change[] } {
  const name = freeName(toSeconds(time).replaceAll(":", "-"), taken);
  return { name, changes: planTree(tree, projectPath(BACKUPS, name)) };
}

/** The changes that write a tree below a folder. */
export function planTree(tree: Tree, folder: ProjectPath): readonly Extract<Change, { type: "write" }>[] {
  return [...tree].map(([path, text]) => ({ type: "write", path: projectPath(folder, path), text }));
}

/** The changes that remove the files of a tree that another tree does not have. */
export function planRemoval(tree: Tree, kept: Tree, folder: ProjectPath): readonly Change[] {
  const gone = [...tree.keys()].filter((path) => !kept.has(path));
  return gone.map((path) => ({ type: "remove", path: projectPath(folder, path) }));
}

export async function listBackups(view: View): Promise<readonly string[]> {
  return (await view.list(BACKUPS)).filter(({ kind }) => kind === "folder").map(({ name }) => name);
}

interface Seen {
  readonly tree: Tree;
  /** What is not text, by path. */
  readonly leftOut: readonly ProjectPath[];
  readonly backups: readonly string[];
}

/** Copies `.ai/`. */
export const backUp: Transaction<object, Seen, undefined, Reply> = {
  run: () => RUN,
  async read(view) {
    const leftOut: ProjectPath[] = [];
    return { tree: await readTree(view, AI_FOLDER, leftOut), leftOut, backups: await listBackups(view) };
  },
  propose({ tree, leftOut, backups }, _gathered, _input, { now }) {
    if (tree.size === 0)
      return { reply: { text: "There is nothing in .ai/ to be copied.\n", data: { name: null } } };
    const { name, changes } = planBackup(tree, backups, now.time);
    const text = `${count(tree)} of .ai/ copied to ${BACKUPS}/${name}/. Bring them back with \`pawl spells restore ${name}\`.${named(" Left out (links, and files that are no text)", leftOut)}\n`;
    return { reply: { text, data: { name, files: tree.size, left_out: leftOut } }, changes };
  },
};

interface RestoreSeen extends Seen {
  readonly name: string;
  readonly copy: Tree;
  /** The run's state; null: it cannot be read. */
  readonly from: string | null;
  /** The state in the copy; the initial one if it has none. */
  readonly state: StateFile;
}

/** Restores a copy of `.ai/`: the named one, else the latest. */
export const restore: Transaction<{ readonly name?: string | undefined }, RestoreSeen, undefined, Reply> = {
  states: SPELLS_STATES,
  run: () => RUN,
  async read(view, { name: wanted }) {
    const backups = await listBackups(view);
    const name = wanted ?? backups.at(-1) ?? "";
    if (!backups.includes(name)) throw noSuchBackup(wanted, backups);
    const copy = await readTree(view, projectPath(BACKUPS, name));
    const leftOut: ProjectPath[] = [];
    const tree = await readTree(view, AI_FOLDER, leftOut);
    const state = parseState(copy.get(STATE) ?? null, (what) => unusable(name, what));
    return { name, copy, backups, tree, leftOut, state, from: standingIn(tree) };
  },
  propose(seen, _gathered, _input, context) {
    const { copy, leftOut, name, tree } = seen;
    const present = tree.get(STATE);
    if (copy.get(STATE) === present || leftOut.includes(STATE_FILE))
      return broughtBack(seen, withState(copy, present), context);
    const message = questionOf(seen);
    if (!hasAnswered(context, message))
      return { reply: { text: "", data: {} }, ask: { message, command: `pawl spells restore ${name}` } };
    const state = renderState(afterRestoring(seen.state, seen.from ?? "unreadable", context.now.time));
    return broughtBack(seen, withState(copy, copy.has(STATE) ? state : undefined), context);
  },
};

/** Below `.ai/`. */
const STATE = STATE_FILE.slice(AI_FOLDER.length + 1);

/** The state in the tree; null: it cannot be read. */
export function standingIn(tree: Tree): string | null {
  try {
    return parseState(tree.get(STATE) ?? null).current_state;
  } catch {
    return null;
  }
}

function withState(tree: Tree, state: string | undefined): Tree {
  return state === undefined ? tree : new Map([...tree, [STATE, state]]);
}

function questionOf({ from, name, state }: RestoreSeen): string {
  const now = from === null ? "where it stands now cannot be read" : `it stands at ${from} now`;
  return renderReview({
    question: `Bring .ai/ back from ${BACKUPS}/${name}/?`,
    facts: [
      `The work stands at ${state.current_state} then; ${now}.`,
      "What is there now is copied first. The copy's state counts from then on, and is recorded as taken by you.",
    ],
    whole: `${BACKUPS}/${name}/`,
  });
}

/** `.ai/` becomes this tree, except for what is not text in it. */
function broughtBack(seen: RestoreSeen, to: Tree, context: Context): Proposal<Reply> {
  const { backups, copy, from, leftOut, name, state, tree } = seen;
  const present = planBackup(tree, backups, context.now.time);
  const before = tree.size === 0 ? "" : ` What was there before is in ${BACKUPS}/${present.name}/.`;
  const what = `.ai/ brought back from ${BACKUPS}/${name}/`;
  const stays = to.get(STATE) === tree.get(STATE);
  const step = { event: "restore", row: "restore", from: from ?? "unreadable" };
  const move = { run: RUN, machine: "spells", ...step, to: stays ? step.from : state.current_state };
  const words = { summary: what, ...(stays ? {} : { strength: strengthOf(context) }) };
  const isWritten = (path: ProjectPath) => !leftOut.includes(path) && !(stays && path === STATE_FILE);
  return {
    reply: {
      text: `${count(copy)} of ${what}.${before}${named(" Left as it is", leftOut)}\n`,
      data: { name, files: copy.size, before: tree.size === 0 ? null : present.name },
    },
    changes: [
      ...present.changes,
      ...planRemoval(tree, to, AI_FOLDER),
      ...planTree(to, AI_FOLDER).filter(({ path }) => isWritten(path)),
    ],
    events: stamped([runAdvanced(move, words, context)], context),
  };
}

function unusable(name: string, what: string): PawlError {
  return new PawlError(
    "state-unreadable",
    `${BACKUPS}/${name}/${STATE} cannot be used: ${what}. Nothing was changed.`,
    "Bring another copy back with `pawl spells restore NAME`, or correct that file.",
  );
}

function named(what: string, paths: readonly ProjectPath[]): string {
  return paths.length === 0 ? "" : `${what}: ${[...paths].sort().join(", ")}.`;
}

function count(tree: Tree): string {
  return tree.size === 1 ? "1 file" : `${tree.size} files`;
}

function noSuchBackup(wanted: string | undefined, backups: readonly string[]): PawlError {
  const found = backups.length === 0 ? "none" : backups.join(", ");
  return new PawlError(
    "usage",
    wanted === undefined
      ? `There is no copy of .ai/ to bring back: ${BACKUPS}/ has none.`
      : `There is no copy of .ai/ called ${JSON.stringify(wanted)}: found ${found}.`,
    backups.length === 0 ? "Make one with `pawl spells backup`." : `Name one of ${found}.`,
  );
}
