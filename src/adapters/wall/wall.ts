/**
 * The wall around programs that Pawl starts: agents, `verify`, setup, checks. `arguments.ts` lists what it
 * permits.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import type { SandboxSettings } from "../../core/settings.ts";
import { type ProtectedPlace, protectedPlaces } from "../../guard/protected-places.ts";
import { ownProgram } from "../agents/own-program.ts";
import { openOwnFolder } from "../files/own-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import { writeWhole } from "../files/write-whole.ts";
import { discover, realOr } from "../git/discover.ts";
import { type Environment, gitSettings } from "../process/environment.ts";
import { findProgram } from "../process/programs.ts";
import { beside, GIT_CONFIG, gitReads, isWorkspace, topOf } from "../process/work-folder.ts";
import { bwrapArguments, type Hidden, isInside, KERNEL, type Layout, type Mount } from "./arguments.ts";
import { startIfPlanned } from "./check-mounts.ts";
import { joinWalls, makeCovers, WALLS } from "./covers.ts";
import { ownDevices } from "./devices.ts";
import { type Egress, openEgress, SOCKET } from "./egress.ts";
import {
  type AgentHome,
  hiddenPaths,
  homeOf,
  namedPath,
  programReads,
  secretFiles,
  usualReads,
  withoutLeftOut,
} from "./homes.ts";
import { keepKeyFilter } from "./key-filter.ts";
import { DEPENDENCIES, inOrder, masksIn, searchBelow, withCaches } from "./mask.ts";
import { probe } from "./probe.ts";
import { servedPorts } from "./served-ports.ts";
import { clearWay, openStore } from "./store.ts";

export interface Wall {
  /** Throws `wall-failed`. */
  enclose(order: WallOrder): Enclosed;
}

interface WallOrder {
  /** The folder that it may write; a folder in a workspace stands for the whole workspace. */
  readonly folder: AgentFolder;
  /** The program may not write the folder. */
  readonly readOnly?: true;
  /** Protects only existing places: the cover of a missing one would be visible in the folder meanwhile. */
  readonly existing?: true;
  /** The working folder in it; absent: the folder itself. */
  readonly cwd?: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** For an agent: its run commits on its task's branch, and has a home. */
  readonly agent?: {
    readonly run: string;
    readonly home: readonly AgentHome[];
    /** The hosts of its model, if the network is `model`. */
    readonly hosts: readonly string[];
  };
  /**
   * Pawl's own files below `.pawl` that it may see, and those that it may write. Missing ones are left out.
   */
  readonly sees?: readonly string[];
  readonly writes?: readonly string[];
  /** A visible file that is kept outside of the project. */
  readonly proof?: string | undefined;
}

export interface HomeFolder {
  /** Where programs inside see it. */
  readonly at: string;
  /** Where it really is. What is below may be links. */
  readonly by: string;
}

export interface Enclosed {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Finds the private home folder that holds the path. Absent: there is no private home. */
  readonly homeFor?: (path: string) => HomeFolder | null;
  /** Call it when the program has ended. Absent: there is nothing to release. */
  readonly release?: (() => void) | undefined;
}

export interface WallSetup {
  readonly projectRoot: string;
  /** Pawl's folder outside the project. */
  readonly stateFolder: string;
  /** Pawl's own environment, which names the homes. */
  readonly environment: Environment;
  readonly settings: SandboxSettings;
  /** Programs that are called inside, such as Pawl's own. */
  readonly programs: readonly string[];
  /** Relative to the project's root. They stay read-only even if the root itself may be written. */
  readonly tasksFile: string;
  readonly workflows: readonly string[];
}

/** The wall, or why there is none. Throws `wall-missing` if the settings demand one that cannot be built. */
export type Opened =
  | { readonly wall: Wall; readonly why: null }
  | { readonly wall: null; readonly why: string };

export function openWall(setup: WallSetup): Opened {
  const { kind } = setup.settings;
  if (kind === "none") return { wall: null, why: "`sandbox: none` in pawl.yaml" };
  const probed = probe(setup.environment);
  if (probed.program === null) {
    if (kind === "auto") return { wall: null, why: probed.why };
    throw new PawlError(
      "wall-missing",
      `\`sandbox: bwrap\` in pawl.yaml requires a wall, but none can be built here: ${probed.why}. Nothing was started.`,
      "Install bubblewrap (`apt-get install bubblewrap`) and allow user namespaces (docs/security.md says how on Ubuntu), or set `sandbox: auto`, which continues without a wall and warns of it.",
    );
  }
  const { program } = probed;
  const root = realOr(setup.projectRoot);
  return {
    why: null,
    wall: {
      enclose: (order) => enclose({ ...setup, projectRoot: root }, program, order),
    },
  };
}

/** The same for callers that warn if a wanted wall cannot be built. Throws `wall-missing`. */
export function wallFor(setup: WallSetup): { readonly wall?: Wall; readonly noWall?: string } {
  const { wall, why } = openWall(setup);
  if (wall !== null) return { wall };
  return setup.settings.kind === "auto" ? { noWall: why } : {};
}

const GIT_SETTINGS = [
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
] as const;

function enclose(setup: WallSetup, program: string, order: WallOrder): Enclosed {
  const { projectRoot: root } = setup;
  openOwnFolder(root, ".pawl");
  // An agent may have put a link in the place of a folder in its workspace, but not of the workspace.
  const top: AgentFolder = { agentPath: realOr(topOf(order.folder).agentPath) };
  const folder = top.agentPath;
  const store = order.agent === undefined ? null : openStore(root, folder);
  const home = order.agent?.home ?? [];
  const hidden = hiddenBy(setup, store, home);
  const way = wayOut(setup, order.agent?.hosts ?? [], servedPorts(order.environment));
  const named = (paths: readonly string[]) => namedPaths(setup, paths);
  const programs = programReads(
    order.environment,
    [order.program, ...scriptsOf(order, root), ...setup.programs, ...(way?.words ?? [])],
    hidden.map(({ at }) => at),
  );
  const reads = [
    ...withoutLeftOut([...usualReads(setup.environment), ...programs], setup.environment),
    ...home.flatMap(({ at, read }) => read.map((name) => join(at, name))),
    ...gitReads(top),
    ...named(setup.settings.read),
  ];
  const writes = [
    ...home.flatMap(({ at, write }) => write.map((name) => join(at, name))),
    ...named(setup.settings.write),
  ];
  if (store !== null) for (const place of home) copyAfresh(place, hidden);
  const isHidden = (path: string) => hidden.some(({ at }) => isInside(path, at));
  const layout: Layout = {
    root,
    folder,
    isApart: isWorkspace(top),
    readOnly: order.readOnly === true,
    cwd: workingFolder(order.cwd ?? order.folder.agentPath, folder),
    hidden,
    read: inPlace(reads, isHidden).filter((path) => hidden.some(({ at }) => covers(at, path, root))),
    write: inPlace(writes, isHidden),
    closed: secretFiles(setup.environment).filter((path) => isHidden(path)),
    own: ownMounts(order),
    guarded: [],
    last: [
      ...gitOf(folder),
      ...stateMounts(setup, order, top, isHidden),
      ...(way ? [{ type: "read", from: way.folder, at: WAY_OUT } as const] : []),
    ],
    kernel: KERNEL.filter((path) => existsSync(path)),
    ...{ devices: ownDevices(wallsOf(setup)), network: setup.settings.network === "all" ? "all" : "none" },
  };
  clearWays(layout);
  makeMountPoints(layout);
  const guarded = guardedMounts(setup, layout, order.existing === true, order.agent !== undefined);
  const started = [...(way?.words ?? []), order.program, ...order.args];
  const args = argumentsWith(setup, { ...layout, guarded }, started);
  const homeFor = (path: string) => {
    const { at, by } = placeOf(realOr(path), hidden) ?? { at: "", by: null };
    return by === null ? null : { at, by };
  };
  const called = withoutKeys(setup, program, args);
  return { ...called, environment: inside(order.environment), release: way?.release, homeFor };
}

/** In the project, an agent may have put a link: it opens nothing outside. */
function namedPaths({ environment, projectRoot: root }: WallSetup, paths: readonly string[]) {
  const leadsOut = (path: string) => isInside(path, root) && !isInside(realOr(path), root);
  return paths.map((path) => namedPath(path, root, environment)).filter((path) => !leadsOut(path));
}

/** The mounts of places that programs behind other walls may move meanwhile are checked before anything starts. */
function argumentsWith(
  { environment }: WallSetup,
  layout: Layout,
  started: readonly string[],
): readonly string[] {
  const { guarded, root } = layout;
  const args = bwrapArguments(layout);
  const own = new Set(guarded.map(({ at }) => at));
  const mayFollow = (path: string) => !isInside(path, root) && !own.has(path);
  const checked = guarded.length > 0 ? startIfPlanned(args, mayFollow, environment) : [];
  return [...args, "--", ...checked, ...started];
}

function wallsOf({ stateFolder }: WallSetup): string {
  return join(dirname(dirname(stateFolder)), WALLS);
}

/** A shell passes the filter on, as a descriptor. */
function withoutKeys(setup: WallSetup, program: string, args: readonly string[]) {
  const filter = join(wallsOf(setup), "keys.filter");
  const { path: sh } = findProgram("sh", setup.environment);
  if (sh === null || !keepKeyFilter(filter)) return { program, args };
  return { program: sh, args: ["-c", 'exec "$@" 3<"$0"', filter, program, "--seccomp", "3", ...args] };
}

function workingFolder(named: string, folder: string): string {
  const real = realOr(named);
  if (isInside(real, folder)) return real;
  throw new PawlError(
    "path-outside-project",
    `${named} leads out of ${folder}: expected a folder in it, found a link to ${real}.`,
    `Put the folder back: \`git checkout -- .\` in ${folder}.`,
  );
}

/** The protected places inside writable ones, and each repository there. */
function guardedMounts(
  setup: WallSetup,
  layout: Layout,
  existing: boolean,
  isAgent: boolean,
): readonly Mount[] {
  const { stateFolder, tasksFile, workflows } = setup;
  const { folder, hidden, readOnly, root, write } = layout;
  const isOwn = (at: string) => isInside(at, join(root, ".pawl"));
  const open = [...(readOnly ? [] : [folder]), ...write].filter((at) => !isOwn(at));
  const isOpen = (at: string) => !isOwn(at) && open.some((each) => isInside(at, each));
  if (!open.some((at) => isInside(at, root) || isInside(root, at))) return [];
  const walls = wallsOf(setup);
  joinWalls(walls);
  const below = searchBelow(root, [".pawl"]);
  const gits = knownGits(stateFolder, root, below.gits).flatMap((path) => [
    path,
    ...gitFoldersOf(root, path),
  ]);
  const places = [
    ...protectedPlaces({ tasksFile, workflows }),
    ...below.places,
    ...gits.map((path) => ({ path, isFolder: true })),
  ].filter(({ path }) => isOpen(join(root, path)));
  if (isAgent) checkLinks(root, places);
  const mounts = inOrder(
    masksIn(root, places)
      // What a link leads to is mounted only where it may be written: a mount would show it where it is hidden.
      .filter(({ at }) => isOpen(at))
      .filter(({ at, type }) => type !== "write" || !hidden.some((each) => covers(each.at, at, root)))
      .filter(({ type }) => !(existing && type === "cover")),
  );
  makeCovers(walls, mounts);
  return withCaches(mounts);
}

const MAX_GITS = 2000;

/** Each `.git` below the root, also one found before: an agent can make more folders than are searched. */
function knownGits(stateFolder: string, root: string, now: readonly string[]): readonly string[] {
  const list = join(stateFolder, "gits");
  const before = attempt(() => readPlainText(list).split("\0"), []);
  const gits = [...new Set([".git", ...now, ...before])];
  const existing = gits.filter((path) => path === ".git" || existsSync(join(root, path)));
  if (existing.length > MAX_GITS)
    throw new PawlError(
      "wall-failed",
      `${root} has ${existing.length} repositories below it: expected ${MAX_GITS} at most, since each is protected by itself; the last is ${existing.at(-1)}.`,
      "Remove those that an agent has made, or give the task a workspace: `repo: .`.",
    );
  if (existing.join("\0") === before.join("\0")) return existing;
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  writeWhole(list, existing.join("\0"), 0o600);
  return existing;
}

/** The folders to which a `.git` points, where they are in the project too. */
function gitFoldersOf(root: string, path: string): readonly string[] {
  const repository = discover(join(root, dirname(path)));
  return [repository?.own, repository?.common]
    .map((at) => (at === undefined ? "" : relative(root, realOr(at))))
    .filter((at) => at !== "" && !at.startsWith(".."));
}

/** Refuses links in the root: a mount goes where a link leads, so an agent could replace the link itself. */
function checkLinks(root: string, places: readonly ProtectedPlace[]): void {
  const names = places.map(({ path }) => path.split("/")[0] ?? "");
  const linked = names.filter((name) => name !== DEPENDENCIES);
  const link = linked.find((name) =>
    lstatSync(join(root, name), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
  if (link === undefined) return;
  throw new PawlError(
    "wall-failed",
    `${join(root, link)} is a symbolic link: expected a real file or folder, since an agent that may write ${root} could replace the link.`,
    `Replace the link by what it points to, or give the task a workspace: \`repo: .\`.`,
  );
}

/** The proxy's folder inside: temporary places are empty there. */
const WAY_OUT = "/tmp/.pawl-out";

const opened = new Map<string, { readonly egress: Egress; users: number }>();

/**
 * The proxy for these hosts and the task's own ports, and the words that start a program beside it. Null: the
 * whole network, or none.
 */
function wayOut(
  { environment, settings: { hosts: named, network } }: WallSetup,
  hosts: readonly string[],
  taskPorts: readonly number[],
) {
  if (network === "all") return null;
  const servers = taskPorts.map((port) => `127.0.0.1:${port}`);
  const allowed = [...new Set([...(network === "model" ? [...hosts, ...named] : []), ...servers])].sort();
  if (allowed.length === 0) return null;
  const key = allowed.join(" ");
  const entry = opened.get(key) ?? { egress: openEgress(allowed, environment), users: 0 };
  opened.set(key, entry);
  entry.users += 1;
  const { egress } = entry;
  const forward = ownProgram("../wall/forward.ts", "forward.js");
  const ports = allowed.flatMap((host) => /^(?:127\.0\.0\.1|localhost):(\d+)$/.exec(host)?.[1] ?? []);
  const words = [process.execPath, forward, `${WAY_OUT}/${SOCKET}`, [...new Set(ports)].join(",")];
  /** The hosts stay the same, a task's ports do not. */
  const close = () => {
    entry.users -= 1;
    if (entry.users > 0 || opened.get(key) !== entry) return;
    opened.delete(key);
    egress.close();
  };
  return { folder: egress.folder, words, release: taskPorts.length === 0 ? undefined : close };
}

/** An interpreter's script counts as a program too: `node ~/agents/mine.js`. */
function scriptsOf({ agent, args }: WallOrder, root: string): readonly string[] {
  const isScript = (word: string) =>
    isAbsolute(word) &&
    !isInside(word, root) &&
    lstatSync(word, { throwIfNoEntry: false })?.isFile() === true;
  return agent === undefined ? [] : args.filter(isScript).slice(0, 1);
}

/** An agent's home is replaced by a private one; other hidden places stay empty. */
function hiddenBy(setup: WallSetup, store: string | null, home: readonly AgentHome[]): readonly Hidden[] {
  const places = hiddenPaths(setup.environment);
  if (store === null) return places.map((at) => ({ at, by: null }));
  const personsHome = homeOf(setup.environment);
  // On a read-only mount, only existing paths can be mounted on.
  const canBe = (at: string) => existsSync(at) || places.some((place) => isInside(at, place));
  const personal = [
    personsHome,
    ...home.map(({ at }) => realOr(at)).filter((at) => !isInside(at, personsHome) && canBe(at)),
  ];
  const privates = [...new Set(personal)].map((at, index) => {
    const by = join(store, `home${index === 0 ? "" : `-${index}`}`);
    mkdirSync(by, { recursive: true, mode: 0o700 });
    return { at, by };
  });
  const others = places.filter((at) => !personal.includes(at)).map((at) => ({ at, by: null }));
  return [...others, ...privates.filter(({ at }) => at !== "/")];
}

/**
 * Whether a hidden place hides the path. The project's content is visible, unless the place is in the
 * project.
 */
function covers(at: string, path: string, root: string): boolean {
  return isInside(path, at) && !(isInside(root, at) && isInside(path, root));
}

/** Resolves links, except in a hidden place, where no link works inside. */
function inPlace(paths: readonly string[], isHidden: (path: string) => boolean): readonly string[] {
  const there = paths.filter((path) => existsSync(path));
  const places = there.flatMap((path) => [...(isHidden(path) ? [path] : []), realOr(path)]);
  return [...new Set(places)];
}

/** The innermost hidden place that holds the path. */
function placeOf(path: string, hidden: readonly Hidden[]): Hidden | undefined {
  return hidden
    .filter(({ at }) => isInside(path, at))
    .toSorted((one, other) => other.at.length - one.at.length)[0];
}

function copyAfresh({ at, copy }: AgentHome, hidden: readonly Hidden[]): void {
  for (const name of copy) {
    const path = join(at, name);
    const place = placeOf(path, hidden);
    if (!place?.by || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const to = clearWay(place.by, ...relative(place.at, path).split("/"));
    rmSync(to, { recursive: true, force: true });
    copyFileSync(path, to);
  }
}

/** An agent may have put links into its home where something is to be mounted. */
function clearWays({ closed, folder, hidden, read, root, write }: Layout): void {
  for (const path of [...read, ...write, ...closed, root, folder]) {
    const place = placeOf(path, hidden);
    if (place?.by && path !== place.at) clearWay(place.by, ...relative(place.at, path).split("/"));
  }
}

/** A private home inside a read-only mount needs its folder first: it cannot be made inside. */
function makeMountPoints({ hidden, read }: Layout): void {
  for (const { at, by } of hidden)
    if (by !== null && read.some((path) => at !== path && isInside(at, path)))
      mkdirSync(at, { recursive: true, mode: 0o700 });
}

function ownMounts({ folder, sees = [], writes = [] }: WallOrder): readonly Mount[] {
  const there = (paths: readonly string[]) =>
    paths.filter((path) => existsSync(path) && !path.startsWith(`${beside(folder, "")}`));
  return [
    ...there(sees).map((at) => ({ type: "read", at }) as const),
    ...there(writes).map((at) => ({ type: "write", at }) as const),
  ];
}

/** Makes a checkout's `.git` file read-only: only this file points to git's folder. */
function gitOf(folder: string): readonly Mount[] {
  const link = join(folder, ".git");
  return lstatSync(link, { throwIfNoEntry: false })?.isFile() ? [{ type: "read", at: link }] : [];
}

/** Hides Pawl's files outside the project, wherever they are. */
function stateMounts(
  { stateFolder }: WallSetup,
  { proof, readOnly, writes = [] }: WallOrder,
  top: AgentFolder,
  isHidden: (path: string) => boolean,
): readonly Mount[] {
  const folder = top.agentPath;
  const state = realOr(dirname(dirname(stateFolder)));
  if (!existsSync(state) && !isHidden(state)) return [];
  const there = (type: "read" | "write", paths: readonly string[]): readonly Mount[] =>
    paths.filter((path) => existsSync(path)).map((at) => ({ type, at }));
  return [
    { type: "empty", at: state },
    ...there("read", proof ? [proof] : []),
    ...(isWorkspace(top)
      ? [
          ...there("read", [join(dirname(folder), HUB), beside(top, GIT_CONFIG)]),
          ...there(readOnly ? "read" : "write", [folder]),
          ...there(
            "write",
            writes.filter((path) => isInside(path, state)),
          ),
        ]
      : []),
    { type: "seal", at: state },
  ];
}

/** Beside a repository's workspaces: the hub, whose objects they borrow. */
const HUB = "@hub.git";

/**
 * Points temporary files to an existing place, and removes addresses of the session's sockets, which do not
 * exist inside.
 */
function inside(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { TMPDIR, XDG_RUNTIME_DIR: _, ...rest } = environment;
  return {
    ...rest,
    ...(TMPDIR === undefined ? {} : { TMPDIR: "/tmp" }),
    ...gitSettings(GIT_SETTINGS, environment),
  };
}
