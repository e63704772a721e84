/**
 * The wall around one command of a person's own assistant: `pawl-wall TOKEN 'COMMAND'`. The guard computes it
 * when the client's hook calls; a shell script starts it, so that a command waits for bubblewrap alone.
 *
 * S1  Script, arguments and filter are in Pawl's own state home, which is read-only behind every wall.
 * S2  A closed wall permits writing only temporary files, caches and the files that the run's state names; no
 *     UNIX socket can be made in it. An open one protects the protected places, and otherwise shows the
 *     machine as it is.
 * S3  A missing protected place is covered while the command runs, and left as it was when the last such command ends.
 * S4  When a session reaches a state that permits only plan files or nothing, its commands behind wider walls are
 *     killed.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import {
  type ProjectFiles,
  type ProtectedPlace,
  protectedPlaces,
  protectedPlacesAtHome,
} from "../../guard/protected-places.ts";
import { readProc } from "../agents/proc.ts";
import { firstNames, readPlainText } from "../files/plain-file.ts";
import { writeWhole } from "../files/write-whole.ts";
import { discover } from "../git/discover.ts";
import { argumentsOf, isInside, KERNEL, type Mount } from "../wall/arguments.ts";
import { WALLS } from "../wall/covers.ts";
import { ownDevices } from "../wall/devices.ts";
import { isFolder } from "../wall/homes.ts";
import { inOrder, masksIn, masksOf, searchBelow, withCaches } from "../wall/mask.ts";
import { socketFilter } from "../wall/socket-filter.ts";

/** The session that has the wall, and what its run's state lets it write. */
export interface WallUse {
  readonly session: string;
  readonly scope: string;
}

/** The scope in which nothing may be written. */
export const NOTHING = "none";

export interface ShellOrder {
  readonly use: WallUse;
  readonly kind: "closed" | "open";
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  readonly files: ProjectFiles;
  /** Existing folders that Pawl keeps outside of the project, and its own package. */
  readonly own: readonly string[];
  /** Existing places that may be written behind a closed wall. */
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
  /** Inside the client's own sandbox, where Pawl's folder for temporary files may not be writable. */
  readonly isNested: boolean;
}

export interface ShellWallPaths {
  /** Pawl's own folder in the state home, of all projects. */
  readonly base: string;
  readonly bwrap: string;
}

/** Root's capabilities behind an open wall: enough to install and unpack, none that can remove a wall. */
const CAPABILITIES = [
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "SETGID",
  "SETUID",
  "KILL",
  "NET_BIND_SERVICE",
];
/** Folders searched for nested repositories, at each command. */
const MAX_FOLDERS = 400;

export interface DrawnWall {
  readonly token: string;
  /** The shell words that run a command behind it. */
  line(command: string): string;
}

/** The program that starts a command behind a computed wall. */
export function makeScript({ base, bwrap }: ShellWallPaths): string {
  const script = join(base, "bin", "pawl-wall");
  for (const folder of [dirname(script), join(base, WALLS, "live")])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  keep(script, scriptOf(bwrap, join(base, WALLS)), 0o700);
  return script;
}

export function drawWall({ base, bwrap }: ShellWallPaths, order: ShellOrder): DrawnWall {
  const folder = join(base, WALLS);
  mkdirSync(join(folder, "tmp"), { recursive: true, mode: 0o700 });
  const mounts = mountsOf(order, base, folder);
  const isClosed = order.kind === "closed";
  const filter = isClosed ? socketFilter(order.hasNetwork ? "unix" : "all") : null;
  const words = [
    ...["--die-with-parent", "--unshare-pid", "--cap-drop", "ALL"],
    ...(isClosed ? ["--unshare-user-try", "--unshare-ipc"] : CAPABILITIES.flatMap(capability)),
    ...[isClosed ? "--ro-bind" : "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...[...ownDevices(folder), ...mounts].flatMap(argumentsOf),
    ...(isClosed ? ["--setenv", "TMPDIR", "/tmp"] : []),
    ...(filter ? ["--seccomp", "8"] : []),
  ];
  const drawn = `${words.join("\0")}\0`;
  const use = JSON.stringify(order.use);
  const token = hashOf(`${drawn}${order.hasNetwork}${use}`).slice(0, 10);
  keep(join(folder, `${token}${USE}`), use);
  keep(join(folder, token), drawn);
  const covers = mounts.flatMap((mount) => (mount.type === "cover" ? [mount] : []));
  keep(join(folder, `${token}.covers`), covers.map(({ at }) => `${at}\n`).join(""));
  keep(join(folder, `${token}.filter`), filter ?? new Uint8Array());
  const script = makeScript({ base, bwrap });
  const program = /^[\w/.-]+$/.test(script) ? script : shellWord(script);
  return { token, line: (command) => `${program} ${token} ${shellWord(command)}` };
}

const USE = ".use";
const MARK = "PAWL_WALL_TOKEN";
const MAX_WALLS = 10_000;

/** Kills the processes behind this session's wider walls, and removes those walls. */
export function endWiderWalls(base: string, { scope, session }: WallUse): void {
  const folder = join(base, WALLS);
  const tokens = attempt(() => firstNames(folder, MAX_WALLS), [])
    .filter((name) => name.endsWith(USE))
    .filter((name) => {
      const use = attempt(() => JSON.parse(readPlainText(join(folder, name))) as WallUse, null);
      return use?.session === session && use.scope !== scope && use.scope !== NOTHING;
    })
    .map((name) => name.slice(0, -USE.length));
  if (tokens.length === 0) return;
  for (const token of tokens)
    for (const name of [token, `${token}${USE}`]) attempt(() => rmSync(join(folder, name)), undefined);
  const marks = tokens.map((token) => `${MARK}=${token}\0`);
  for (const pid of attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name))) {
    const environment = readProc(`/proc/${pid}/environ`);
    if (marks.some((mark) => environment.includes(mark)))
      attempt(() => process.kill(Number(pid), "SIGKILL"), undefined);
  }
}

const capability = (name: string) => (process.getuid?.() === 0 ? ["--cap-add", `CAP_${name}`] : []);

function mountsOf(order: ShellOrder, base: string, folder: string): readonly Mount[] {
  const { cwd, home, isNested, kind, own, root, writable } = order;
  const read = (at: string): Mount => ({ type: "read", at });
  const kernel = KERNEL.filter((at) => existsSync(at)).map(read);
  const ownReads = [...new Set(own)].filter((at) => existsSync(at)).map(read);
  const inside = protectedMounts(order);
  if (kind === "open") return [...kernel, ...inside, ...ownReads];
  const from = join(folder, "tmp");
  const temporary = ["/tmp", "/var/tmp"]
    .filter(isFolder)
    .map((at): Mount => (isNested ? { type: "empty", at } : { type: "write", at, from }));
  const isHidden = (path: string) => temporary.some(({ at }) => isInside(path, at));
  const shown = [...new Set([home, root, cwd, base])]
    .filter((at) => isHidden(at) && existsSync(at))
    .map(read);
  const open = [...new Set(writable.map((at) => attempt(() => realpathSync(at), "")))].filter(
    (at) => at !== "",
  );
  return [
    ...kernel,
    ...temporary,
    ...shown,
    ...open.map((at): Mount => ({ type: "write", at })),
    ...inside,
    ...ownReads,
  ];
}

/** A closed wall needs only those inside writable places; naming all existing ones costs nothing. */
function protectedMounts({ files, home, kind, root, cwd }: ShellOrder): readonly Mount[] {
  const git = discover(cwd) ?? discover(root);
  const below = searchBelow(root, [".pawl", "node_modules"], MAX_FOLDERS);
  const gitDirs = [...new Set([git?.own, git?.common])].filter((at) => at !== undefined);
  const mounts = [
    ...masksIn(root, [...protectedPlaces(files), ...below.places]).flatMap((mount) =>
      coveredAsFolder(mount, root, files),
    ),
    ...protectedPlacesAtHome().flatMap((place) => existingMounts(home, place)),
    ...below.gits.flatMap((path) =>
      GIT_STARTS.flatMap((name) => existingMounts(root, { ...name, path: `${path}/${name.path}` })),
    ),
    ...gitDirs.flatMap((at) =>
      GIT_STARTS.flatMap((name) => [{ type: "write", at } as const, ...existingMounts(at, name)]),
    ),
  ];
  const needed = kind === "closed" ? mounts.filter(({ type }) => type === "read") : mounts;
  // A line break would split the entry in the list of covers.
  const ordered = inOrder(needed.filter(({ at }) => !at.includes("\n")));
  return kind === "closed" ? ordered : withCaches(ordered);
}

/** The parts of a git folder through which git starts programs. */
const GIT_STARTS: readonly ProtectedPlace[] = [
  { path: "hooks", isFolder: true },
  { path: "config", isFolder: false },
];

/**
 * Covers a missing place by an empty folder, which git never sees. Leaves out the files that Pawl itself reads: it
 * would take the folder for an unreadable file, and new content there counts only after a person's consent.
 */
function coveredAsFolder(mount: Mount, root: string, files: ProjectFiles): readonly Mount[] {
  if (mount.type !== "cover") return [mount];
  const read = ["pawl.yaml", "tasks.yaml", files.tasksFile, ...files.workflows].map((name) =>
    join(root, name),
  );
  return read.some((path) => isInside(path, mount.at)) ? [] : [{ ...mount, isFolder: true }];
}

function existingMounts(home: string, place: ProtectedPlace): readonly Mount[] {
  return masksOf(home, place).filter(({ type }) => type !== "cover");
}

/** Rewrites only a different file: another command may be starting. */
function keep(path: string, content: string | Uint8Array, mode = 0o600): void {
  const wanted = Buffer.from(content);
  const present = attempt(() => (lstatSync(path).isFile() ? readFileSync(path) : null), null);
  if (present && wanted.equals(present)) return;
  writeWhole(path, wanted, mode);
}

function scriptOf(bwrap: string, folder: string): string {
  return `#!/bin/sh
# Made by Pawl. pawl-wall TOKEN COMMAND: runs the command behind the wall that Pawl's guard drew for it.
walls=${shellWord(folder)}
# As a client's shell: -c COMMAND, where the guard's plugin names the wall, if any.
case $1 in -*)
  [ -n "$PAWL_WALL" ] || exec "\${PAWL_SHELL:-/bin/sh}" "$@"
  for last; do :; done
  set -- "$PAWL_WALL" "$last" ;;
esac
case $1 in '' | *[!0-9a-f]*) echo 'pawl-wall: expected the token of a wall, and a command' >&2; exit 127 ;; esac
[ -f "$walls/$1" ] && [ $# = 2 ] || { echo "pawl-wall: there is no wall $1 any more: call the tool again" >&2; exit 127; }
export ${MARK}="$1"
# The client's PATH is for the command alone: it may begin in the project.
path=\${PATH-/usr/bin:/bin}
PATH=${shellWord(`${dirname(bwrap)}:/usr/bin:/bin`)}
# What the client left open, such as a folder, would lead out of the wall.
shut='for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done; PATH=$1; exec "$BASH" -c "$0"'
[ -s "$walls/$1.filter" ] && exec ${shellWord(bwrap)} --args 9 -- bash -c "$shut" "$2" "$path" 9<"$walls/$1" 8<"$walls/$1.filter"
: >"$walls/live/$$" || exit 126
while IFS= read -r at <&6; do
  [ -L "$at" ] && { echo "pawl-wall: a link stands at $at, so nothing was started" >&2; exit 126; }
  [ -e "$at" ] || { mkdir "$at" 2>/dev/null && echo "$at" >>"$walls/made"; } || [ -d "$at" ] || exit 126
done 6<"$walls/$1.covers"
${shellWord(bwrap)} --args 9 -- bash -c "$shut" "$2" "$path" 9<"$walls/$1" 8<"$walls/$1.filter" 6<&-
code=$?
rm -f "$walls/live/$$"
# Where a folder goes, the kernel takes away what is mounted on it behind other walls.
alone() {
  for other in "$walls"/live/*; do
    kill -0 "\${other##*/}" 2>/dev/null && return 1
    rm -f "$other"
  done
}
[ -s "$walls/made" ] || exit $code
sort -ru "$walls/made" | while IFS= read -r at; do
  alone && { rmdir "$at" || { [ ! -s "$at" ] && [ -f "$at" ] && [ ! -L "$at" ] && rm -f "$at"; }; } 2>/dev/null
done
alone && rm -f "$walls/made"
exit $code
`;
}
