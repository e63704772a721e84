/**
 * Whether each mount of a wall is where it belongs. `mask.ts` looks first, but bubblewrap resolves every path anew, and
 * a program behind another wall may replace a folder by a link in between. So what starts first inside compares the
 * kernel's list of mounts with the planned ones, and ends if there is any other.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PawlError } from "../../core/error.ts";
import { realOr } from "../git/discover.ts";
import type { Environment } from "../process/environment.ts";
import { findProgram } from "../process/programs.ts";
import { isInside } from "./arguments.ts";

/**
 * The words that start a program behind the wall of these arguments, if no mount landed elsewhere. `mayFollow`: whether
 * links on a path are a person's own. Throws `wall-failed`.
 */
export function startIfPlanned(
  args: readonly string[],
  mayFollow: (path: string) => boolean,
  environment: Environment,
): readonly string[] {
  const [sh, awk] = ["sh", "awk"].map((name) => findProgram(name, environment).path);
  if (!sh || !awk)
    throw new PawlError(
      "wall-failed",
      "The wall cannot be checked from inside: expected the programs sh and awk on the PATH.",
      "Add their folder to the PATH, such as /usr/bin.",
    );
  const lines = plannedLines(args, mayFollow);
  const parts = Array.from({ length: Math.ceil(lines.length / MAX_LINES) }, (_, part) =>
    lines.slice(part * MAX_LINES, (part + 1) * MAX_LINES).map((line) => `${line}\n`),
  );
  return [sh, "-c", START, sh, awk, COMPARE, ...parts.flatMap((part) => ["-", part.join("")]), "--"];
}

/** A program's argument has 128 KiB at most. */
const MAX_LINES = 200;

/** Arguments `AWK COMPARE - LINES - LINES … -- PROGRAM …`. */
const START = `
awk=$1 compare=$2 planned=
shift 2
while [ "$1" = - ]; do planned="$planned$2"; shift 2; done
shift
printf %s "$planned" | LC_ALL=C "$awk" "$compare" - /proc/self/mountinfo >&2 || exit 126
unset awk compare planned
exec "$@"
`;

/**
 * A mount of the machine's file systems must be a planned one, and each planned cover be there. Other file systems show
 * nothing of these: the wall made them, or the machine, meanwhile. Where the program has a terminal, bubblewrap mounts
 * that as the console.
 */
const COMPARE = `
NR == FNR && $1 == "+" { covers[$2] = $3; next }
NR == FNR { planned[$0]; devices[$1]; next }
{
  for (i = 7; i < NF && $i != "-"; i++);
  kind = $(i + 1)
  from = kind ~ /^cgroup/ ? "/" : $4
  if ($5 == "/dev/console" || ($3 " " from " " $5) in planned) next
  if ($3 in devices) fail(from " was mounted at " $5)
  if (kind == "tmpfs") made[$5]
}
END {
  if (failed) exit 126
  for (at in covers) if (!(at in made) && !(covers[at] in made)) fail("nothing covers " at)
}
function fail(how) {
  print "pawl: another program moved folders of the project while this wall was built, so nothing was started: " how
  failed = 1
  exit 126
}
`;

interface HostMount {
  /** `8:1` */
  readonly device: string;
  /** What of its file system is mounted. */
  readonly from: string;
  readonly at: string;
}

/** The lines `DEVICE FROM AT` of mounts of the machine's, and `+ AT OR` of covers. */
function plannedLines(args: readonly string[], mayFollow: (path: string) => boolean): readonly string[] {
  const host = hostMounts();
  const bound = (from: string, at: string) => boundLines(host, mayFollow(from) ? realOr(from) : from, at);
  const lines = host.map((mount) => lineOf(mount, mount.at));
  for (const [index, word] of args.entries()) {
    const [one = "", other = ""] = args.slice(index + 1, index + 3);
    if (/^--(?:ro-|dev-)?bind$/.test(word)) {
      lines.push(...bound(one, other));
      if (mayFollow(other)) lines.push(...bound(one, realOr(other)));
    }
    if (word === "--tmpfs") lines.push(`+ ${encoded(one)} ${encoded(realOr(one))}`);
    if (word === "--dev")
      for (const name of DEVICES) lines.push(...bound(`${one}/${name}`, `${one}/${name}`));
  }
  return [...new Set(lines)];
}

/** Its `--dev` takes these from the machine. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** A path without links, in each mount that may hold it, with what is mounted below it. */
function boundLines(host: readonly HostMount[], path: string, at: string): readonly string[] {
  return host.flatMap((mount) => {
    if (isInside(path, mount.at))
      return [lineOf({ ...mount, from: join(mount.from, relative(mount.at, path)) }, at)];
    return isInside(mount.at, path) ? [lineOf(mount, join(at, relative(path, mount.at)))] : [];
  });
}

function lineOf({ device, from }: HostMount, at: string): string {
  return `${device} ${encoded(from)} ${encoded(at)}`;
}

/** `36 35 98:0 /part /mnt/place rw,noatime - ext4 …`. The path of a cgroup depends on who looks. */
function hostMounts(): readonly HostMount[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [, , device = "", from = "", at = ""] = line.split(" ");
    const isCgroup = / - cgroup2? /.test(line);
    return { device, from: isCgroup ? "/" : decoded(from), at: decoded(at) };
  });
}

/** As the kernel does: a space is `\040`. */
function encoded(path: string): string {
  return path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function decoded(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}
