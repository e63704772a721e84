/**
 * Whether an assistant may do what it is about to do. Pure: it looks at nothing outside.
 *
 * G1  Protected places come first. They hold in every state and without any run.
 * G2  Then a person's verbs, then the scope of the run: what may be written, then what git may do.
 * G3  A path counts as each place that it may lead to: as it is written, and through the links on its way.
 */
import { type GitAct, WRITES, type Writes } from "../engine/workflow.ts";
import type { Scope } from "../runtime/scope.ts";
import { type Action, ALLOWED, type Verdict } from "./action.ts";
import { matchesGlob } from "./glob.ts";
import { isWithin, MAX_PATH, placesOf, relativeTo } from "./paths.ts";
import {
  HOOKS,
  type ProjectFiles,
  packageOf,
  protectedAtHome,
  protectedBelow,
  protectedByPattern,
  protectedIn,
  SAMPLES,
} from "./protected-places.ts";
import { readShell, type ShellWrite } from "./shell-writes.ts";

/** The surroundings of a decision. All folders are absolute, without links. */
export interface Place {
  readonly root: string;
  /** The checkout that the session works in: the root's own, or a worktree. */
  readonly checkout: string;
  readonly files: ProjectFiles;
  readonly home: string;
  /** Where anybody may put what does not last. */
  readonly temporary: readonly string[];
  /** Where clients keep their plans and memory. */
  readonly clientFolders: readonly string[];
  /** Where Pawl keeps keys, policies and sessions, outside of projects. */
  readonly pawlFolders: readonly string[];
  /** The program that runs now. */
  readonly program: string;
  /** The path without links, as the system follows them; what does not exist stays as it is. */
  real(path: string): string;
}

/** What limits the session; null: nothing but the protected places. A fault: what is in force is not known. */
export type Limits = Scope | { readonly fault: string; readonly fix: string } | null;

export function decide(action: Action, limits: Limits, place: Place): Verdict {
  if (action.type === "write" && action.paths.length > MAX_PATHS)
    return refused(
      `writing ${action.paths.length} files at once`,
      `it looks at ${MAX_PATHS} at most`,
      "Write fewer at a time.",
    );
  if (action.type === "write") return write(action.paths, action.cwd, limits, place);
  if (action.type === "shell") return shell(action.command, action.cwd, limits, place);
  return ALLOWED;
}

const MAX_PATHS = 2000;

/** The widest of the open runs' scopes: what any of them allows, a session without a run of its own may do. */
export function widest(scopes: readonly Scope[]): Scope | null {
  const [first, ...others] = scopes;
  if (first === undefined) return null;
  return others.reduce((wide, scope) => {
    const wider = WRITES.indexOf(scope.writes) > WRITES.indexOf(wide.writes) ? scope : wide;
    return {
      ...wider,
      forbids: wide.forbids.filter((act) => scope.forbids.includes(act)),
      planFiles: [...new Set([...wide.planFiles, ...scope.planFiles])],
    };
  }, first);
}

function firstRefused<T>(items: readonly T[], judge: (item: T) => Verdict): Verdict {
  for (const item of items) {
    const verdict = judge(item);
    if (!verdict.allow) return verdict;
  }
  return ALLOWED;
}

function write(paths: readonly string[], cwd: string, limits: Limits, place: Place): Verdict {
  const impossible = paths.find((path) => path.includes("\0") || path.length > MAX_PATH);
  if (impossible !== undefined)
    return refused(`writing ${quoted(impossible)}`, "no file can have such a name", "");
  const found = paths.flatMap((shown) =>
    placesOf(shown, cwd, place.home, place.real).map((path) => ({ path, shown })),
  );
  const open = firstRefused(found, ({ path, shown }) => unprotected(path, shown, limits, place));
  return open.allow ? firstRefused(found, ({ path, shown }) => inScope(path, shown, limits, place)) : open;
}

function unprotected(path: string, shown: string, limits: Limits, place: Place): Verdict {
  const why = protectedAt(path, place);
  return why === null ? ALLOWED : refused(`writing ${quoted(shown)}`, why, nextOf(limits));
}

/** Why nothing may be written there, or null. */
function protectedAt(path: string, place: Place): string | null {
  if (place.pawlFolders.some((folder) => isWithin(path, folder)))
    return "Pawl keeps it, outside of the project";
  const own = packageOf(place.program, place.root);
  if (own !== null && isWithin(path, own)) return HOOKS;
  const inside = insideOf(path, place);
  if (inside !== null) return protectedIn(inside, place.files);
  return isWithin(path, place.home) ? protectedAtHome(relativeTo(path, place.home)) : null;
}

/** The path below the checkout or the root that it lies in; null: outside of both. */
function insideOf(path: string, { checkout, root }: Place): string | null {
  // The inner one of the two: a worktree lies in the project, and a project may lie in a larger checkout.
  const folders = isWithin(checkout, root) ? [checkout, root] : [root, checkout];
  const folder = folders.find((each) => isWithin(path, each));
  return folder === undefined ? null : relativeTo(path, folder);
}

function inScope(path: string, shown: string, limits: Limits, place: Place): Verdict {
  if (limits === null) return ALLOWED;
  const isOutside = insideOf(path, place) === null;
  if (isOutside && [...place.temporary, ...place.clientFolders].some((folder) => isWithin(path, folder)))
    return ALLOWED;
  if ("fault" in limits) return refused(`writing ${quoted(shown)}`, limits.fault, limits.fix);
  const { planFiles, run, state, writes } = limits;
  if (writes === "all") return ALLOWED;
  if (writes === "worktree" && isWithin(path, place.checkout)) return ALLOWED;
  if (writes === "plan" && !isOutside) {
    const inside = insideOf(path, place) ?? "";
    if (planFiles.some((glob) => matchesGlob(inside, glob))) return ALLOWED;
  }
  return refused(
    `writing ${quoted(shown)}`,
    `${run} is in ${quoted(state)}, where ${MAY[writes](planFiles)}`,
    limits.next,
  );
}

const MAY: Readonly<Record<Writes, (planFiles: readonly string[]) => string>> = {
  none: () => "no file may be written",
  plan: (planFiles) => `only plan files may be written (${planFiles.join(", ")})`,
  worktree: () => "only files of its own checkout may be written",
  all: () => "every file may be written",
};

function shell(command: string, cwd: string, limits: Limits, place: Place): Verdict {
  const { acts, isCut, verbs, writes } = readShell(command, {
    cwd,
    home: place.home,
    isProgram: (path) => placesOf(path, cwd, place.home, place.real).includes(place.program),
  });
  if (isCut) return refused("this command", "it does more than the guard can look at", "Split it.");
  const written = firstRefused(writes, (one) => protectedWrite(one, limits, place));
  if (!written.allow) return written;
  const [verb] = verbs;
  if (verb !== undefined)
    return refused(`\`pawl ${verb}\``, "it is a person's word: no assistant may give it", nextOf(limits));
  const inside = firstRefused(writes, ({ cwd: from, path }) => scopedWrite(path, from, limits, place));
  if (!inside.allow) return inside;
  return limits === null || "fault" in limits ? ALLOWED : firstRefused(acts, (act) => gitAct(act, limits));
}

/** A shell's command may also reach a protected place by a pattern, or by removing a folder around it. */
function protectedWrite(one: ShellWrite, limits: Limits, place: Place): Verdict {
  const { cwd, isDeep, isPattern, path } = one;
  if (path.includes("\0")) return ALLOWED;
  return firstRefused(placesOf(path, cwd, place.home, place.real), (found) => {
    const why =
      protectedAt(found, place) ??
      (isPattern ? reachedBy(found, isDeep, place) : null) ??
      (isDeep ? below(found, place) : null);
    return why === null ? ALLOWED : refused(`writing ${quoted(path)}`, why, nextOf(limits));
  });
}

function reachedBy(pattern: string, isDeep: boolean, place: Place): string | null {
  const inside = insideOf(pattern, place);
  const [start = ""] = pattern.split("/**/");
  if (isDeep && inside === null && start !== pattern) return below(start, place);
  const own = packageOf(place.program, place.root);
  const ours = own !== null && isWithin(own, place.root) ? [relativeTo(own, place.root)] : [];
  const others = isDeep ? [...SAMPLES, ...ours] : ours;
  const found = inside === null ? null : protectedByPattern(inside, place.files, others);
  return found === null ? null : `it reaches ${found}, which no assistant may write`;
}

function below(folder: string, { files, pawlFolders, program, root }: Place): string | null {
  if (isWithin(root, folder)) return "it holds the project";
  if (isWithin(program, folder)) return "it holds Pawl's own program, which is the guard";
  if (pawlFolders.some((own) => isWithin(own, folder))) return "it holds what Pawl keeps";
  const found = isWithin(folder, root) ? protectedBelow(relativeTo(folder, root), files) : null;
  return found === null ? null : `it holds ${found}, which no assistant may write`;
}

function scopedWrite(path: string, cwd: string, limits: Limits, place: Place): Verdict {
  return firstRefused(placesOf(path, cwd, place.home, place.real), (found) =>
    // Devices, pipes and other processes' descriptors are no files.
    isWithin(found, "/dev") || isWithin(found, "/proc") ? ALLOWED : inScope(found, path, limits, place),
  );
}

function gitAct(act: GitAct, scope: Scope): Verdict {
  if (!scope.forbids.includes(act)) return ALLOWED;
  const words = act === "push" ? "pushing or opening a pull request" : "committing";
  return refused(
    words,
    `${scope.run} is in ${quoted(scope.state)}, where that is not allowed yet`,
    scope.next,
  );
}

function nextOf(limits: Limits): string {
  if (limits === null) return "";
  return "fault" in limits ? limits.fix : limits.next;
}

function refused(what: string, why: string, next: string): Verdict {
  return { allow: false, reason: `Pawl refuses ${what}: ${why}.${next === "" ? "" : ` ${next}`}` };
}

/** As JSON, and short: a path may be anything. */
function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

const SHOWN = 200;
