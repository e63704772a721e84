/**
 * How a client's shell is kept from writing protected files: by the client and its version. docs/internals/guard.md has
 * the table.
 */
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { firstNames, readLinkedText } from "../../adapters/files/plain-file.ts";
import { realPathOf } from "../../adapters/files/real-path.ts";
import { clientAbove, isAtLeast } from "../../adapters/guard/client-program.ts";
import {
  drawWall,
  endWiderWalls,
  makeScript,
  NOTHING,
  type ShellOrder,
  type WallUse,
} from "../../adapters/guard/shell-wall.ts";
import { baseFolder } from "../../adapters/process/base-folder.ts";
import { probeKept } from "../../adapters/wall/probe.ts";
import type { Environment } from "../../config/config.ts";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import type { GuardedClient } from "../../guard/clients.ts";
import { type GuardContext, isLocked, type Limits } from "../../guard/decide.ts";
import type { Scope } from "../../runtime/scope.ts";
import type { Dialect, HookCall, Output } from "../../surfaces/hooks/dialect.ts";
import { arrangeShell } from "./claude-shell.ts";

export type ShellKind = GuardContext["shell"];

interface ClientShell {
  /** Matches the client's program. */
  readonly is: RegExp;
  /** The lowest tested version. */
  readonly least: readonly number[];
  readonly kind: Exclude<ShellKind, "none">;
}

/** The tested clients. docs/internals/guard.md has the same table. */
export const CLIENT_SHELLS = {
  "claude-code": {
    is: /^claude(?:\.exe)?$|\/@anthropic-ai\/claude-code\//,
    ...{ least: [2, 1, 332], kind: "own" },
  },
  codex: { is: /^codex$|\/@openai\/codex/, least: [0, 171], kind: "closed" },
  copilot: { is: /^copilot(?:-[\w-]+)?$|\/@github\/copilot/, least: [1, 0, 102], kind: "closed" },
  gemini: { is: /^gemini$|\/@google\/gemini-cli\//, least: [0, 61], kind: "closed" },
  opencode: { is: /^opencode$|\/opencode-ai\//, least: [1, 18], kind: "wall" },
} as const satisfies Partial<Record<GuardedClient, ClientShell>>;

export interface ShellSurroundings {
  readonly client: GuardedClient;
  readonly call: HookCall;
  readonly environment: Environment;
  /** The client's version; absent: it is searched for among the ancestors. */
  readonly version?: string | null;
}

const wallsOf = (environment: Environment) => join(baseFolder(environment, "XDG_STATE_HOME"), "walls");

function shellOf(surroundings: ShellSurroundings): ShellKind {
  const { call, client, environment } = surroundings;
  const shells: Partial<Record<GuardedClient, ClientShell>> = CLIENT_SHELLS;
  const tried = shells[client];
  if (tried === undefined) return "none";
  const { version, words } = clientOf(surroundings, tried.is);
  if (version === null || !isAtLeast(version, tried.least)) return "none";
  const isRoot = process.getuid?.() === 0;
  if (tried.kind === "own" && !isRoot) return hasOwnWall(environment) ? "own" : "none";
  if (probeKept(environment, wallsOf(environment)).program === null) return "none";
  if (tried.kind !== "closed") return "wall";
  if (client !== "codex") return "closed";
  // As root, no second sandbox starts inside Codex's own; and a command that its rules forbid would run under
  // another name.
  const isBare = words.some((word) => /^--yolo$|bypass-approvals-and-sandbox|danger-full-access/.test(word));
  return hasForbidden(environment, call.cwd) || (isRoot && !isBare) ? "none" : "closed";
}

function clientOf(
  { client, environment, version }: ShellSurroundings,
  is: RegExp,
): { readonly version: string | null; readonly words: readonly string[] } {
  if (version !== undefined) return { version, words: [] };
  const named = namedVersion(client, environment);
  if (named !== null) return { version: named, words: [] };
  return clientAbove(is, wallsOf(environment)) ?? { version: null, words: [] };
}

/**
 * The same, after setting Claude Code's sandbox by the session's state. `wait`: milliseconds until the
 * setting counts, which a command must wait.
 */
export async function arranged(
  surroundings: ShellSurroundings,
  root: string,
  limits: Limits,
): Promise<{ readonly kind: ShellKind; readonly wait: number }> {
  const kind = shellOf(surroundings);
  const { client, environment } = surroundings;
  if (isNarrow(limits)) endWiderWalls(baseFolder(environment, "XDG_STATE_HOME"), useOf(surroundings, limits));
  if (client !== "claude-code") return { kind, wait: 0 };
  const isClosed = kind === "own" && limits !== null && ("fault" in limits || isClosedTo(limits));
  const folder = environment.CLAUDE_PROJECT_DIR || root;
  const wait = await arrangeShell({ root, folder, environment }, isClosed);
  const isOwn = wait !== null && isClosed;
  return { kind: kind === "own" && !isOwn ? "none" : kind, wait: wait ?? 0 };
}

/** Whether no more than plan files may be written. */
function isNarrow(limits: Limits): boolean {
  return limits !== null && !("fault" in limits) && isLocked(limits.writes);
}

function useOf({ call, client }: ShellSurroundings, limits: Limits): WallUse {
  const session = hashOf(`${client}\0${call.session}`);
  if (limits === null) return { session, scope: "everything" };
  if ("fault" in limits || limits.writes === "none") return { session, scope: NOTHING };
  return {
    session,
    scope: JSON.stringify([limits.writes, limits.writes === "plan" ? limits.planFiles : []]),
  };
}

/**
 * Only without commits: git cannot commit in the sandbox, and the state that it leaves in a writable folder
 * is unusable.
 */
function isClosedTo({ forbids, writes }: Scope): boolean {
  return isLocked(writes) && forbids.includes("commit");
}

/** The program that OpenCode's plugin sets as its shell; null: no wall can be built. */
export function shellFor(surroundings: ShellSurroundings): string | null {
  if (shellOf(surroundings) !== "wall") return null;
  const { environment } = surroundings;
  const { program } = probeKept(environment, wallsOf(environment));
  return program && makeScript({ base: baseFolder(environment, "XDG_STATE_HOME"), bwrap: program });
}

/** Claude Code's sandbox needs these programs, and does not start without one. */
function hasOwnWall(environment: Environment): boolean {
  if (process.platform === "darwin") return true;
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const isThere = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
  return isThere("socat") && probeKept(environment, wallsOf(environment)).program !== null;
}

/** The version that Claude Code passes to its hooks: `claude-code_2-1-332_harness`. */
function namedVersion(client: GuardedClient, { AI_AGENT = "" }: Environment): string | null {
  const [, version] = /^claude-code_(\d+-\d+-\d+)(?:_|$)/.exec(AI_AGENT) ?? [];
  return client === "claude-code" && version ? version.replaceAll("-", ".") : null;
}

const MAX_RULES = 1000;

/** Whether rules of Codex, the person's or the project's, refuse a command outright. */
function hasForbidden(environment: Environment, cwd: string | null): boolean {
  const home = environment.CODEX_HOME || join(environment.HOME ?? "/", ".codex");
  const folders = [
    join(home, "rules"),
    ...(cwd === null ? [] : [join(cwd, ".codex/rules")]),
    "/etc/codex/rules",
  ];
  return folders.some((folder) =>
    attempt(() => firstNames(folder, MAX_RULES), []).some((name) =>
      /forbidden/.test(attempt(() => readLinkedText(join(folder, name)), "forbidden")),
    ),
  );
}

/**
 * The client's answer with which the command runs behind a wall; null: it takes none, so the command must not
 * run.
 */
export function walled(
  surroundings: ShellSurroundings,
  {
    dialect,
    kind,
    limits,
    context,
  }: { dialect: Dialect; kind: "closed" | "open"; limits: Limits; context: GuardContext },
): Output | null {
  const { call, client, environment } = surroundings;
  const shell = call.actions.find((action) => action.type === "shell");
  const { program } = probeKept(environment, wallsOf(environment));
  if (!dialect.replaceCommand || program === null || shell?.type !== "shell" || !shell.isWhole) return null;
  const order: ShellOrder = {
    use: useOf(surroundings, limits),
    kind,
    root: context.root,
    cwd: shell.cwd,
    home: context.home,
    files: context.files,
    own: context.own,
    writable: kind === "open" ? [] : writableIn(limits, context, environment),
    // An answer that lets the command run may keep the client from asking the person: so it gets no network.
    isNested: client === "codex",
    hasNetwork: shellOf(surroundings) === "wall",
  };
  const base = baseFolder(environment, "XDG_STATE_HOME");
  // Claude Code continues in the folder in which a command ended.
  const keepsFolder = client === "claude-code";
  const command = keepsFolder ? `trap 'pwd -P >&7' EXIT\n${shell.command}` : shell.command;
  const drawn = drawWall({ base, bwrap: program }, order);
  // OpenCode's shell is the wall's own program, which asks the plugin for its wall.
  if (client === "opencode") return dialect.replaceCommand(call.input, drawn.token);
  const line = drawn.line(command);
  return dialect.replaceCommand(call.input, keepsFolder ? returning(line) : line);
}

/** Descriptor 7 returns the folder in which the command ended, apart from its output. */
function returning(line: string): string {
  return `{ w=$(${line} 7>&1 1>&8 8>&-); } 8>&1; r=$?; [ -n "$w" ] && cd "$w"; (exit $r)`;
}

const CACHES = [".cache", ".npm/_cacache", ".npm/_logs"];

function writableIn(limits: Limits, context: GuardContext, environment: Environment): readonly string[] {
  const caches = [...CACHES.map((name) => join(context.home, name)), environment.XDG_CACHE_HOME ?? ""];
  const plan =
    limits === null || "fault" in limits || limits.writes !== "plan"
      ? []
      : limits.planFiles.map((glob) => join(context.root, glob.replace(/(?:^|\/)[^/]*[*?[].*$/, "")));
  const inside = plan.filter((path) => path !== context.root && realPathOf(path) === path);
  return [...caches, ...context.clientFolders, ...inside].filter((path) => isAbsolute(path));
}
