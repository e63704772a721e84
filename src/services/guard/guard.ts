/**
 * `pawl guard CLIENT`: what a client's hook calls before each tool. It is called hundreds of times in a
 * session, so it loads only what the call needs: no command line, no schemas, and the project itself only
 * after a change.
 */

import { existsSync, lstatSync, readSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { firstNames, readLinkedText } from "../../adapters/files/plain-file.ts";
import { realPathOf } from "../../adapters/files/real-path.ts";
import { discover } from "../../adapters/git/discover.ts";
import { noteCall } from "../../adapters/guard/calls.ts";
import { openSessions } from "../../adapters/guard/sessions.ts";
import { baseFolder } from "../../adapters/process/base-folder.ts";
import { ownerOf } from "../../adapters/process/work-folder.ts";
import { type Environment, readEnvironment } from "../../config/config.ts";
import { findRoot } from "../../config/project-root.ts";
import { stateFolder, TREES } from "../../config/state-home.ts";
import { attempt } from "../../core/attempt.ts";
import { PawlError, toPawlError } from "../../core/error.ts";
import { isObject } from "../../core/json.ts";
import { type Action, ALLOWED, type Verdict } from "../../guard/action.ts";
import { CANARY_SESSION, type GuardedClient, isGuardedClient } from "../../guard/clients.ts";
import { decide, type GuardContext, type Limits, widest } from "../../guard/decide.ts";
import { isWithin, MAX_PATH, placesOf } from "../../guard/paths.ts";
import { callOf } from "../../guard/pawl-calls.ts";
import { plainCommands } from "../../guard/plain-commands.ts";
import { packageOf, protectedPlaces } from "../../guard/protected-places.ts";
import type { Scope } from "../../runtime/scope.ts";
import { found as foundIn, UNDO } from "../../runtime/transaction/out-of-scope-edits.ts";
import { DIALECTS } from "../../surfaces/hooks/clients.ts";
import { type Dialect, type HookCall, json, type Output } from "../../surfaces/hooks/dialect.ts";
import { OWN_SERVER } from "../../surfaces/hooks/tool-action.ts";
import { writeWhole } from "../../surfaces/write-whole.ts";
import type { WithProject } from "../with-project.ts";
import { arranged, shellFor, walled } from "./guard-shell.ts";
import { keptScopes, type ProjectScopes } from "./kept-scopes.ts";
import { openTreeNotes } from "./tree-notes.ts";

export { isGuardedClient };

export interface GuardStart {
  readonly client: GuardedClient;
  /** The event, if the hook's command names it. */
  readonly event?: string | undefined;
  /** The program's own folder. */
  readonly home: string;
  readonly program: string;
  readonly withProject: WithProject;
  readonly read?: () => string;
  readonly environment?: Environment;
  readonly cwd?: string;
  /** The client's version; null: it is not known. Absent: it is searched for. */
  readonly version?: string | null;
}

/** Answers the hook that called the process, and returns the exit code. */
export async function answerHook(start: GuardStart): Promise<number> {
  const { exit, stderr, stdout } = await guard(start);
  // Written without the process's own streams, which take Node as long to load as the rest of an answer.
  writeWhole(2, stderr);
  writeWhole(1, stdout);
  return exit;
}

/** Never throws: an error becomes the client's own form of a refusal. */
export async function guard(start: GuardStart): Promise<Output> {
  const { client, event } = start;
  const dialect = DIALECTS[client];
  const input = attempt(() => JSON.parse((start.read ?? readInput)()), null);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return unread(dialect, client);
  let call: HookCall;
  try {
    call = dialect.read(input, event);
  } catch {
    return unread(dialect, client);
  }
  try {
    return await answer(start, client, dialect, call);
  } catch (thrown) {
    const { message } = toPawlError(thrown);
    const isWriting = call.actions.some(({ type }) => type === "write" || type === "shell");
    if (call.event !== "before-tool" || !isWriting) return dialect.allow(call);
    return dialect.deny(`Pawl's guard failed, so it refuses every call that may write: ${message} ${STATUS}`);
  }
}

const STATUS = "Tell the person to run `pawl status`, which shows the fault.";

function unread(dialect: Dialect, client: string): Output {
  const reason = `Pawl's guard could not read this call: expected a JSON object from ${client} on standard input. Tell the person to check the hook that calls \`pawl guard ${client}\`.`;
  return { ...dialect.deny(reason), stderr: `${reason}\n`, exit: 2 };
}

async function answer(start: GuardStart, client: string, dialect: Dialect, call: HookCall): Promise<Output> {
  if (call.event === "session" || call.event === "other") return dialect.allow(call);
  const environment = start.environment ?? readEnvironment();
  const named = call.cwd !== null && call.cwd.length <= MAX_PATH ? call.cwd : null;
  const cwd = named ?? start.cwd ?? process.cwd();
  const surroundings = { start, client, call, environment, cwd };
  if (call.event === "stop") return stop(surroundings, dialect);
  if (call.event === "shell") return shellProgram(surroundings, dialect);
  if (call.event === "after-tool") return afterTool(surroundings, dialect);
  let behind: Output | null = null;
  for (const root of projectRootsOf(surroundings)) {
    if (call.session !== CANARY_SESSION) noteCall(stateFolder(root, environment), client, Date.now());
    const { answer: walled, verdict } = await judge(surroundings, root, dialect);
    if (!verdict.allow) return dialect.deny(verdict.reason);
    behind ??= walled;
  }
  return behind ?? dialect.allow(call);
}

/**
 * The program that puts commands behind walls, if the client can use one as its shell. A client asks only at
 * its start, when the folder may not have a task yet.
 */
async function shellProgram(surroundings: Surroundings, dialect: Dialect): Promise<Output> {
  const shell = shellFor(aboutOf(surroundings));
  return shell === null
    ? dialect.allow(surroundings.call)
    : json({ shell, usual: surroundings.environment.SHELL || "/bin/sh" });
}

/**
 * A command may have changed files that no wall protected: the edits are recorded in the log, and stop the
 * next move.
 */
async function afterTool(surroundings: Surroundings, dialect: Dialect): Promise<Output> {
  const { call, client, environment, start } = surroundings;
  if (call.actions.some(({ type }) => type === "call")) await arrangeNext(surroundings);
  if (!call.actions.some(({ type }) => type === "shell")) return dialect.allow(call);
  for (const root of projectRootsOf(surroundings)) {
    const session = openSessions(stateFolder(root, environment)).find(client, call.session);
    // A failure here repeats at the next write, and stops it.
    if (session)
      await scopesIn(start, root, environment)
        .outOfScopeEdits(session.run)
        .catch(() => null);
  }
  return dialect.allow(call);
}

/** After a move of the run: sets the shell for the new state, and ends what still runs by an earlier one. */
async function arrangeNext(surroundings: Surroundings): Promise<void> {
  const { call, client, environment, start } = surroundings;
  if (environment.PAWL_RUN_MARK) return;
  for (const root of projectRootsOf(surroundings)) {
    const run = openSessions(stateFolder(root, environment)).find(client, call.session)?.run ?? null;
    const scopes =
      run &&
      (await scopesIn(start, root, environment)
        .project(run)
        .catch(() => null));
    if (!scopes) continue;
    // A failure here repeats before the next command, and stops it.
    await arranged(aboutOf(surroundings), root, limitsOf(scopes, run)).catch(() => null);
  }
}

function scopesIn(start: GuardStart, root: string, environment: Environment) {
  const place = { root, home: start.home, environment };
  return keptScopes({ ...place, open: (work) => start.withProject(place, work) });
}

function aboutOf({ call, environment, start }: Surroundings) {
  const { client, version } = start;
  return { client, call, environment, ...(version === undefined ? {} : { version }) };
}

interface Surroundings {
  readonly start: GuardStart;
  readonly client: string;
  readonly call: HookCall;
  readonly environment: Environment;
  readonly cwd: string;
}

const MAX_TARGETS = 1000;

/** The projects that the call is in, or writes to. A session may have left its project's folder. */
function projectRootsOf({ call, cwd, environment, start }: Surroundings): ReadonlySet<string> {
  const home = environment.HOME || homedir();
  const targets = call.actions.flatMap((action) =>
    action.type === "write"
      ? action.paths
          .filter((path) => path.length <= MAX_PATH)
          .slice(0, MAX_TARGETS)
          .flatMap((path) => placesOf(path, cwd, home, realPathOf).map(dirname))
      : [],
  );
  const named = [
    environment.CLAUDE_PROJECT_DIR,
    environment.GEMINI_PROJECT_DIR,
    environment.CURSOR_PROJECT_DIR,
  ];
  const folders = [cwd, start.cwd ?? process.cwd(), ...call.folders, ...named, ...targets];
  return new Set(
    [...new Set(folders)].flatMap((folder) => (folder ? projectRootOf(folder, environment) : [])),
  );
}

function projectRootOf(folder: string, environment: Environment): readonly string[] {
  return attempt(() => {
    const wanted = {
      cwd: folder,
      environment,
      option: undefined,
      create: false,
    };
    return [realPathOf(findRoot(wanted))];
  }, []);
}

interface Judged {
  readonly verdict: Verdict;
  /** The answer with which the command runs behind a wall. */
  readonly answer: Output | null;
}

async function judge(surroundings: Surroundings, root: string, dialect: Dialect): Promise<Judged> {
  const { call, client, cwd, environment, start } = surroundings;
  const kept = scopesIn(start, root, environment);
  const calls = call.actions.flatMap((action) => callsIn(action, surroundings, root));
  if (calls.length > 0) await noteRun(surroundings, root, kept, calls);
  const risky = call.actions.filter(({ type }) => type === "write" || type === "shell");
  if (risky.length === 0) return { verdict: ALLOWED, answer: null };
  const isLoops = Boolean(environment.PAWL_RUN_MARK || environment.BLOOM_TASK);
  const own = openSessions(stateFolder(root, environment)).find(client, call.session)?.run ?? null;
  const found = await kept.project(own).catch((thrown: unknown) => faultOf(thrown));
  // An agent of Pawl's own loop has its wall and its permission.
  const limits = isLoops ? null : await withUndoing(limitsOf(found, own), root, environment, own);
  const hasShell = !isLoops && risky.some(({ type }) => type === "shell");
  const about = aboutOf(surroundings);
  const shells = hasShell ? await arranged(about, root, limits) : ({ kind: "none", wait: 0 } as const);
  const context = guardContext(start, environment, root, cwd, "fault" in found ? null : found, shells.kind);
  let answer: Output | null = null;
  for (const action of risky) {
    const verdict = decide(action, limits, context);
    if (!verdict.allow) return { verdict, answer: null };
    if (verdict.wall === undefined) continue;
    answer = walled(about, { dialect, kind: verdict.wall, limits, context });
    const without = answer === null ? decide(action, limits, { ...context, shell: "none" }) : ALLOWED;
    if (!without.allow) return { verdict: without, answer: null };
  }
  if (shells.wait > 0) await new Promise((done) => setTimeout(done, shells.wait));
  return { verdict: ALLOWED, answer };
}

function faultOf(thrown: unknown) {
  const { fix, message } = thrown instanceof PawlError ? thrown : toPawlError(thrown);
  return {
    fault: `the project cannot be read, so nothing may be written (${message})`,
    fix: `${fix} ${STATUS}`,
  };
}

/** The session's limits: its own run's, or otherwise the widest of the open runs'. */
function limitsOf(
  found: ProjectScopes | { readonly fault: string; readonly fix: string },
  own: string | null,
): Limits {
  if ("fault" in found) return found;
  return found.scopes.find(({ run }) => run === own) ?? widest(found.scopes);
}

/**
 * Permits writing out-of-scope files in order to undo the edits; the next comparison checks whether they are
 * undone.
 */
async function withUndoing(
  limits: Limits,
  root: string,
  environment: Environment,
  own: string | null,
): Promise<Limits> {
  if (own === null || limits === null || "fault" in limits || limits.run !== own) return limits;
  if (limits.writes !== "none" && limits.writes !== "plan") return limits;
  if (!existsSync(join(stateFolder(root, environment), TREES))) return limits;
  const named =
    (
      await openTreeNotes(root, environment)
        .find(own)
        .catch(() => null)
    )?.reported ?? [];
  return named.length === 0
    ? limits
    : { ...limits, writes: "plan", planFiles: [...limits.planFiles, ...named] };
}

type CallAction = Extract<Action, { type: "call" }>;

/**
 * The tools that an action calls: one of an MCP server, or those of `pawl call` in a plain command. A session
 * may switch to any run by a call over MCP, too, and no run permits more than the widest.
 */
function callsIn(action: Action, surroundings: Surroundings, root: string): readonly CallAction[] {
  if (action.type === "call") return [action];
  if (action.type !== "shell" || !/\bcall\b/.test(action.command)) return [];
  const isHere = projectRootOf(resolve(action.cwd), surroundings.environment).includes(root);
  return (isHere ? (plainCommands(action.command) ?? []) : []).flatMap((command) => {
    const call = callOf(command);
    const input = call && argumentsOf(call.given, action.cwd);
    return call && input ? [{ type: "call" as const, server: "pawl", tool: call.tool, input }] : [];
  });
}

/** Maximum bytes of a file with a call's arguments. */
const MAX_ARGUMENTS = 1024 * 1024;

/** The arguments of `pawl call`; null: they are unknown before it runs. */
function argumentsOf(given: string, cwd: string): Readonly<Record<string, unknown>> | null {
  return attempt(() => {
    const file = given.startsWith("@") ? resolve(cwd, given.slice(1)) : null;
    const text = file === null ? given : readLinkedText(file, MAX_ARGUMENTS);
    const input: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isObject(input) ? { ...input } : null;
  }, null);
}

async function noteRun(
  { call, client, environment }: Surroundings,
  root: string,
  known: ReturnType<typeof keptScopes>,
  calls: readonly CallAction[],
): Promise<void> {
  if (call.session === "" || call.isSubagent) return;
  for (const { input, server, tool } of calls) {
    if (!OWN_SERVER.test(server)) continue;
    // After a failure, the next call finds the run.
    const run = await known.runOf(tool, input).catch(() => null);
    if (run === null) continue;
    const sessions = openSessions(stateFolder(root, environment));
    if (sessions.find(client, call.session)?.run === run) continue;
    sessions.keep({ client, session: call.session, run, since: new Date().toISOString(), stops: {} });
  }
}

const MAX_STOPS = 2;

/** Keeps an assistant with an unfinished step from stopping, at most twice in a state. */
async function stop(surroundings: Surroundings, dialect: Dialect): Promise<Output> {
  const { call, client, environment, start } = surroundings;
  if (call.isSubagent || call.continued >= MAX_STOPS) return dialect.allow(call);
  for (const root of projectRootsOf(surroundings)) {
    const sessions = openSessions(stateFolder(root, environment));
    const session = sessions.find(client, call.session);
    if (session === null) continue;
    const project = scopesIn(start, root, environment);
    const scopes = await project.project(session.run).catch(() => null);
    const scope = scopes?.scopes.find(({ run }) => run === session.run);
    if (!scope || (session.stops[scope.state] ?? 0) >= MAX_STOPS) continue;
    const edits = await project.outOfScopeEdits(session.run).catch(() => null);
    const reason = edits ? `${foundIn(edits)} ${UNDO}` : unfinished(scope);
    const refused = reason === null ? null : dialect.continueWith(reason);
    if (!refused) continue;
    const stops = { ...session.stops, [scope.state]: (session.stops[scope.state] ?? 0) + 1 };
    sessions.keep({ ...session, stops });
    return refused;
  }
  return dialect.allow(call);
}

function unfinished({ awaits, next, run, state }: Scope): string | null {
  if (awaits !== "assistant") return null;
  return `${run} waits for you in ${JSON.stringify(state)}. ${next} If you cannot go on, tell the person why, and stop.`;
}

const TASKS_FILE = "tasks.yaml";

function guardContext(
  { program }: GuardStart,
  environment: Environment,
  root: string,
  cwd: string,
  scopes: ProjectScopes | null,
  shell: GuardContext["shell"],
): GuardContext {
  const files = { tasksFile: scopes?.tasksFile ?? TASKS_FILE, workflows: scopes?.workflows ?? [] };
  const pawlFolders = [baseFolder(environment, "XDG_STATE_HOME"), baseFolder(environment, "XDG_CONFIG_HOME")];
  const ownPackage = packageOf(realPathOf(program), root);
  const home = realPathOf(environment.HOME || homedir());
  const checkout = attempt(() => discover(cwd)?.top, null);
  const at = (...names: readonly string[]) => realPathOf(join(home, ...names));
  return {
    root,
    checkout:
      checkout && (isWithin(realPathOf(cwd), root) || ownerOf(cwd, environment) === root)
        ? realPathOf(checkout)
        : root,
    files,
    home,
    temporary: [...new Set([tmpdir(), "/tmp", "/var/tmp"].map(realPathOf))],
    clientFolders: CLIENT_FOLDERS.map((folder) => at(folder)),
    pawlFolders: pawlFolders.map(realPathOf),
    program: realPathOf(program),
    own: [...pawlFolders, ...(ownPackage === null ? [] : [ownPackage])].map(realPathOf),
    shell,
    real: realPathOf,
    twin: (path) => twinOf(path, root, files),
    repository: (folder) => attempt(() => discover(folder), { top: null }),
  };
}

const MAX_FILES = 2000;

/** The protected file of which the path is a hard link; checked only if the file has several names. */
function twinOf(path: string, root: string, files: GuardContext["files"]): string | null {
  const stats = attempt(() => statSync(path), null);
  if (!stats?.isFile() || stats.nlink < 2) return null;
  const open = [...protectedPlaces(files).map((place) => place.path), ".git/config", ".git/hooks"];
  for (let count = 0; open.length > 0 && count < MAX_FILES; count++) {
    const name = open.shift() ?? "";
    const other = lstatSync(join(root, name), { throwIfNoEntry: false });
    if (other?.isFile() && other.ino === stats.ino && other.dev === stats.dev) return name;
    if (other?.isDirectory())
      open.push(
        ...attempt(() => firstNames(join(root, name), MAX_FILES), []).map((each) => `${name}/${each}`),
      );
  }
  return null;
}

/** Folders in which clients keep plans, memory and notes of their own. */
const CLIENT_FOLDERS = [
  ".claude/plans",
  ".claude/projects",
  ".claude/todos",
  ".claude/tasks",
  ".codex/memories",
  ".gemini/tmp",
  ".gemini/antigravity",
  ".gemini/antigravity-cli",
  ".copilot/session-state",
  ".cursor/plans",
  ".local/share/opencode",
];

const CHUNK = 64 * 1024;
const MAX_INPUT = 64 * 1024 * 1024;

/** The whole of stdin. Node's stream would cost as much as everything else. */
function readInput(): string {
  const chunks: Buffer[] = [];
  for (let total = 0; total < MAX_INPUT; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSome(chunk);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Waits for data if the pipe is non-blocking: its other end may have set it so. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk, 0, CHUNK, null);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
