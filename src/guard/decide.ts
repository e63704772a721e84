/**
 * Decides whether an assistant may take an action. Pure: it reads nothing outside.
 *
 * G1  Protected places come first, in every state and without any run.
 * G2  Then the commands reserved for a person, then the scope of the run: what may be written, then what git
 *     may do.
 * G3  A path counts as each place to which it may lead: as written, and with its links resolved.
 */
import { type GitAct, WRITES, type Writes } from "../engine/workflow.ts";
import type { Scope } from "../runtime/scope.ts";
import { type Action, ALLOWED, type Verdict } from "./action.ts";
import { matchesGlob } from "./glob.ts";
import { isWithin, MAX_PATH, placesOf, relativeTo } from "./paths.ts";
import { personVerbOf } from "./person-verbs.ts";
import { type PlainCommand, plainCommands } from "./plain-commands.ts";
import { HOOKS, type ProjectFiles, packageOf, protectedAtHome, protectedIn } from "./protected-places.ts";
import {
  gitActOf,
  isGitWork,
  isPawlCall,
  isPawlName,
  isReading,
  isTesting,
  personVerbIn,
  READING,
  startingFolders,
  undoneBy,
} from "./short-list.ts";

/** The surroundings of a decision. All folders are absolute, without links. */
export interface GuardContext {
  readonly root: string;
  /** The checkout in which the session works: the root's own, or a worktree. */
  readonly checkout: string;
  readonly files: ProjectFiles;
  readonly home: string;
  /** Folders for temporary files, writable in every state. */
  readonly temporary: readonly string[];
  /** The folders in which clients keep plans and memory. */
  readonly clientFolders: readonly string[];
  /** Pawl's folders for keys, policies and sessions, outside of projects. */
  readonly pawlFolders: readonly string[];
  /** The path of the running program. */
  readonly program: string;
  /** `pawlFolders`, and the program's package unless that is the project: walls keep these closed. */
  readonly own: readonly string[];
  /**
   * What keeps a shell command from writing. `wall`: Pawl's wall. `closed`: Pawl's wall, but only with
   * everything closed. `own`: the client's wall. `none`: nothing.
   */
  readonly shell: "wall" | "closed" | "own" | "none";
  /**
   * The path with links resolved as the system follows them; the part that does not exist stays unchanged.
   */
  real(path: string): string;
  /** The protected place that is a hard link to the same file; null: none. */
  twin(path: string): string | null;
  /** The repository that git finds from the folder, with the folder that holds its `.git` (null: it is bare); null: none. */
  repository(folder: string): { readonly top: string | null } | null;
}

/** What limits the session; null: only the protected places. A fault: the scope is not known. */
export type Limits = Scope | { readonly fault: string; readonly fix: string } | null;

export function decide(action: Action, limits: Limits, context: GuardContext): Verdict {
  if (action.type === "write" && action.paths.length > MAX_PATHS)
    return refused(
      `writing ${action.paths.length} files at once`,
      `it looks at ${MAX_PATHS} at most`,
      "Write fewer at a time.",
    );
  if (action.type === "write") return checkToolWrite(action, limits, context);
  if (action.type === "shell") return checkShell(action.command, action.cwd, limits, context);
  return ALLOWED;
}

const MAX_PATHS = 2000;

/** The widest of the open runs' scopes. A session without a run of its own may do what any of them allows. */
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

/** A tool that writes: checks all places that its call names or mentions. */
function checkToolWrite(
  action: Extract<Action, { type: "write" }>,
  limits: Limits,
  context: GuardContext,
): Verdict {
  const { cwd, mentions = [], paths, tool = "a tool" } = action;
  const named = firstRefused(mentions.slice(0, MAX_PATHS), (text) =>
    checkMention(text, cwd, limits, context),
  );
  if (!named.allow) return named;
  const isUnknown = paths.length === 0 && limits !== null;
  if (isUnknown && ("fault" in limits || isLocked(limits.writes)))
    return refused(
      quoted(tool),
      `it does not say where it writes, and ${"fault" in limits ? limits.fault : whyNot(limits)}`,
      nextOf(limits),
    );
  return checkWrite(paths, cwd, limits, context);
}

function checkMention(text: string, cwd: string, limits: Limits, context: GuardContext): Verdict {
  const isPath = text !== "" && text.length <= MAX_PATH && !/[\0\n]/.test(text);
  if (!isPath) return ALLOWED;
  return firstRefused(placesOf(text, cwd, context.home, context.real), (path) =>
    checkProtected(path, text, limits, context),
  );
}

function checkWrite(paths: readonly string[], cwd: string, limits: Limits, context: GuardContext): Verdict {
  const impossible = paths.find((path) => path.includes("\0") || path.length > MAX_PATH);
  if (impossible !== undefined)
    return refused(`writing ${quoted(impossible)}`, "no file can have such a name", "");
  const found = paths.flatMap((shown) =>
    placesOf(shown, cwd, context.home, context.real).map((path) => ({ path, shown })),
  );
  const open = firstRefused(found, ({ path, shown }) => checkProtected(path, shown, limits, context));
  return open.allow
    ? firstRefused(found, ({ path, shown }) => checkScope(path, shown, limits, context))
    : open;
}

function checkProtected(path: string, shown: string, limits: Limits, context: GuardContext): Verdict {
  const why = protectedAt(path, context);
  if (why !== null) return refused(`writing ${quoted(shown)}`, why, nextOf(limits));
  const twin = context.twin(path);
  return twin === null
    ? ALLOWED
    : refused(
        `writing ${quoted(shown)}`,
        `it is the same file as ${quoted(twin)}, which no assistant may write`,
        nextOf(limits),
      );
}

/** Why this path must not be written; null: it is not protected. */
function protectedAt(path: string, context: GuardContext): string | null {
  if (context.pawlFolders.some((folder) => isWithin(path, folder)))
    return "Pawl keeps it, outside of the project";
  const packageFolder = packageOf(context.program, context.root);
  if (packageFolder !== null && isWithin(path, packageFolder)) return HOOKS;
  const inside = insideOf(path, context);
  if (inside !== null) return protectedIn(inside, context.files);
  return isWithin(path, context.home) ? protectedAtHome(relativeTo(path, context.home)) : null;
}

/** The path relative to the checkout or the root that contains it; null: outside of both. */
function insideOf(path: string, { checkout, root }: GuardContext): string | null {
  // The inner one first: a worktree is inside the project, and a project may be inside a larger checkout.
  const folders = isWithin(checkout, root) ? [checkout, root] : [root, checkout];
  const folder = folders.find((each) => isWithin(path, each));
  return folder === undefined ? null : relativeTo(path, folder);
}

function checkScope(path: string, shown: string, limits: Limits, context: GuardContext): Verdict {
  if (limits === null) return ALLOWED;
  const isOutside = insideOf(path, context) === null;
  if (isOutside && [...context.temporary, ...context.clientFolders].some((folder) => isWithin(path, folder)))
    return ALLOWED;
  if ("fault" in limits) return refused(`writing ${quoted(shown)}`, limits.fault, limits.fix);
  const { planFiles, writes } = limits;
  if (writes === "all") return ALLOWED;
  if (writes === "worktree" && isWithin(path, context.checkout)) return ALLOWED;
  if (writes === "plan" && !isOutside) {
    const inside = insideOf(path, context) ?? "";
    if (planFiles.some((glob) => matchesGlob(inside, glob))) return ALLOWED;
  }
  return refused(`writing ${quoted(shown)}`, whyNot(limits), limits.next);
}

function whyNot({ planFiles, run, state, writes }: Scope): string {
  return `${run} is in ${quoted(state)}, where ${MAY[writes](planFiles)}`;
}

const MAY: Readonly<Record<Writes, (planFiles: readonly string[]) => string>> = {
  none: () => "no file may be written",
  plan: (planFiles) => `only plan files may be written (${planFiles.join(", ")})`,
  worktree: () => "only files of its own checkout may be written",
  all: () => "every file may be written",
};

/**
 * A shell line's effects cannot be read from its text. A plain line is known; any other runs behind a wall,
 * or not at all if nothing keeps it from writing.
 */
function checkShell(command: string, cwd: string, limits: Limits, context: GuardContext): Verdict {
  const words = plainCommands(command);
  const plainVerdict = words === null ? ALLOWED : checkPlainLine(words, limits);
  if (!plainVerdict.allow) return plainVerdict;
  const plain = words !== null && startsFromHere(words, cwd, context) ? words : null;
  if (plain?.every(isPawlCall) || plain?.every(isReading)) return ALLOWED;
  const reserved = plain?.every((each) => isReading(each) || isGitWork(each))
    ? ALLOWED
    : checkReservedWords(command, limits);
  if (!reserved.allow) return reserved;
  const isLimited = limits !== null && ("fault" in limits || isLocked(limits.writes));
  if (!isLimited)
    return context.shell === "wall"
      ? { allow: true, wall: "open" }
      : checkNamedPaths(command, cwd, limits, context);
  if (plain?.every((each) => isReading(each) || isPawlCall(each) || isRestoring(each, cwd, limits, context)))
    return ALLOWED;
  const mayCommit = !("fault" in limits) && !limits.forbids.includes("commit");
  if (mayCommit && plain?.every((each) => isReading(each) || isGitWork(each))) return ALLOWED;
  // The project's own tests must write; the files are compared afterwards.
  if (plain?.every((each) => isReading(each) || isTesting(each)))
    return context.shell === "wall"
      ? { allow: true, wall: "open" }
      : checkNamedPaths(command, cwd, limits, context);
  if (context.shell === "wall" || context.shell === "closed") return { allow: true, wall: "closed" };
  // The client's own wall blocks git commits, too, so the client has none in states that allow commits.
  if (context.shell === "own" && !mayCommit) return ALLOWED;
  const { fix, why } =
    "fault" in limits ? { fix: limits.fix, why: limits.fault } : { fix: limits.next, why: whyNot(limits) };
  return refused(
    "this command",
    `${why}, and here nothing keeps a shell's command from it`,
    `Read with plain commands (${READING} and the like, without redirections), and write with your file tools where that is allowed. ${fix}`,
  );
}

/**
 * Whether what git, npx and tests start is decided in the project, where the settings for it are protected. In a folder
 * for temporary files an assistant may have written a repository of its own.
 */
function startsFromHere(commands: readonly PlainCommand[], cwd: string, context: GuardContext): boolean {
  const folders = startingFolders(commands, cwd, (path, folder) =>
    placesOf(path, folder, context.home, context.real),
  );
  if (folders === null) return false;
  const isHere = (path: string) => insideOf(path, context) !== null;
  const isOwn = (folder: string) => {
    const repository = context.repository(folder);
    return repository === null || (repository.top !== null && isHere(context.real(repository.top)));
  };
  return [...folders.git, ...folders.others].every(isHere) && folders.git.every(isOwn);
}

/** The verdict on a plain line, by its words. */
function checkPlainLine(commands: readonly PlainCommand[], limits: Limits): Verdict {
  const verb = commands.map(personVerbIn).find((each) => each !== null);
  if (verb) return refusePersonVerb(verb, limits);
  if (limits === null || "fault" in limits) return ALLOWED;
  return firstRefused(commands, (each) => {
    const act = gitActOf(each);
    return act === null ? ALLOWED : checkGitAct(act, limits);
  });
}

/** Even a line with unknown effects must not contain a command reserved for a person. */
function checkReservedWords(command: string, limits: Limits): Verdict {
  const words = wordsIn(command);
  const verb = words.flatMap((word, at) =>
    isPawlName(word) ? (personVerbOf(words.slice(at + 1, at + 1 + MAX_VERB_WORDS)) ?? []) : [],
  )[0];
  return verb === undefined ? ALLOWED : refusePersonVerb(verb, limits);
}

const MAX_VERB_WORDS = 8;

function refusePersonVerb(verb: string, limits: Limits): Verdict {
  return refused(`\`pawl ${verb}\``, "it is a person's word: no assistant may give it", nextOf(limits));
}

/** The words between the shell's special characters. */
function wordsIn(command: string): readonly string[] {
  const words = command
    .slice(0, MAX_COMMAND)
    .replace(/\$\{?\w+\}?/g, ".")
    .split(/[\s'"`$(){}<>;&|=,\\]+/);
  return words.filter((word) => word !== "").slice(0, MAX_PATHS);
}

/** Files changed out of scope may be restored. */
function isRestoring(command: PlainCommand, cwd: string, limits: Limits, context: GuardContext): boolean {
  const paths = undoneBy(command);
  return paths !== null && paths.length > 0 && checkWrite(paths, cwd, limits, context).allow;
}

/** Without a wall, a command that names a protected place is refused, unless it is known to only read. */
function checkNamedPaths(command: string, cwd: string, limits: Limits, context: GuardContext): Verdict {
  if (plainCommands(command)?.every((each) => isReading(each) || isGitWork(each) || isPawlCall(each)))
    return ALLOWED;
  // The folder to which a name is relative is unknown, so leading `./` and `../` are also dropped.
  const names = wordsIn(command).flatMap((word) => [word, word.replace(/^(?:\.{1,2}\/)+/, "")]);
  return firstRefused([...new Set(names)], (name) => checkMention(name, cwd, limits, context));
}

const MAX_COMMAND = 100_000;

export function isLocked(writes: Writes): boolean {
  return writes === "none" || writes === "plan";
}

function checkGitAct(act: GitAct, scope: Scope): Verdict {
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

/** As JSON, and cut, because a path may contain anything. */
function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

const SHOWN = 200;
