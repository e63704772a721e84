/** The order in which changed files matter to a reviewer, what needs no reading, and how long the rest takes. */

import type { ChangedFile, FileShape, Git } from "../../core/ports/git.ts";
import { type ProcessFileKind, processFiles } from "../../core/process-files.ts";
import { compareText } from "../../core/text/natural-order.ts";
import type { ReviewFile, ReviewSize } from "./model.ts";

/** An item of the plan, with the files that it names. */
export interface PlanItem {
  readonly id: string;
  readonly files: readonly string[];
}

export interface Ordering {
  /** Null: there is no plan of files. */
  readonly plan: readonly PlanItem[] | null;
  /** The files that differ from what was judged last; null: there was no verdict. */
  readonly sinceLast: readonly ChangedFile[] | null;
  readonly shapes?: readonly FileShape[];
}

const GROUPS: readonly ReviewFile["group"][] = ["process", "plan", "outside-plan", "other", "folded"];
const KINDS: readonly ProcessFileKind[] = ["CI", "tests", "scripts", "configuration", "lock files"];

/** What decides how the work is judged first, then by item of the plan, then outside it, then what is folded. */
export function orderFiles(
  files: readonly ChangedFile[],
  { plan, shapes = [], sinceLast }: Ordering,
): readonly ReviewFile[] {
  const shapeOf = new Map(shapes.map((shape) => [shape.path, shape]));
  const paths = new Set(files.map(({ path }) => path));
  const moved = new Set(
    shapes.flatMap(({ path, was }) => (was !== undefined && paths.has(path) && paths.has(was) ? [was] : [])),
  );
  const kinds = new Map(processFiles([...paths]).map(({ kind, path }) => [path, kind]));
  const items = new Map((plan ?? []).flatMap(({ files: named, id }) => named.map((path) => [path, id])));
  const newer = sinceLast && new Set(sinceLast.map(({ path }) => path));
  const order = new Map((plan ?? []).map(({ id }, at) => [id, at]));
  const placed = files
    .filter(({ path }) => !moved.has(path))
    .map((file): ReviewFile => {
      const { path } = file;
      const shape = shapeOf.get(path);
      const was = shape?.was !== undefined && moved.has(shape.was) ? shape.was : undefined;
      const { added, deleted } = was === undefined ? file : { ...file, ...counted(shape) };
      const item = items.get(path) ?? items.get(was ?? "") ?? null;
      const kind = leadsOut(path, shape) ? LINK : (kinds.get(path) ?? kinds.get(was ?? "") ?? null);
      const folded = whyFolded({ path, added, deleted }, was === undefined ? undefined : shape, shape, kind);
      const isOutside = plan !== null && item === null && folded !== OWN;
      const group = folded !== null ? "folded" : kind !== null ? "process" : placeOf(plan, item);
      return {
        ...{ path, ...(was !== undefined && { was }), added, deleted, group, isOutside, folded },
        item: group === "plan" ? item : kind,
        ...(isImage(path) && shape?.link === undefined && shape && { image: shape.bytes }),
        ...leadsOf(shape),
        isNew: newer === null ? null : newer.has(path) || newer.has(was ?? path),
      };
    });
  const rank = ({ group, item }: ReviewFile) =>
    GROUPS.indexOf(group) * 1e6 +
    (group === "plan" ? (order.get(item ?? "") ?? 0) : KINDS.indexOf(item as ProcessFileKind) + 1);
  return placed.sort((one, other) => rank(one) - rank(other) || compareText(one.path, other.path));
}

function placeOf(plan: Ordering["plan"], item: string | null): ReviewFile["group"] {
  return plan === null ? "other" : item === null ? "outside-plan" : "plan";
}

/**
 * The kind of a symbolic link that leads out of the project: a program that runs the work may read or write there.
 */
const LINK = "link out of the project";

function leadsOut(path: string, { link }: Partial<FileShape> = {}): boolean {
  if (link === undefined) return false;
  let depth = path.split("/").length - 1;
  for (const part of link.split(/[/\\]/)) {
    depth += part === ".." ? -1 : part === "" || part === "." ? 0 : 1;
    if (depth < 0) return true;
  }
  return /^(?:[/\\]|[a-z]:)/i.test(link);
}

function leadsOf({ link, module }: Partial<FileShape> = {}): Pick<ReviewFile, "leads"> {
  if (link !== undefined) return { leads: `leads to ${link}` };
  if (module === undefined) return {};
  const [before, after] = [module.before.slice(0, 12), module.after.slice(0, 12)];
  return { leads: /^0+$/.test(before) ? `submodule at ${after}` : `submodule ${before}..${after}` };
}

function counted({ added = 0, deleted = 0 }: Partial<FileShape> = {}) {
  return { added, deleted };
}

const OWN = "Pawl's own";
const MAX_LINES = 500;
const IMAGES = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i;
/** Blanks at the start of a line mean something there. */
const INDENTED = /(?:\.(?:pyi?|ya?ml|mk|coffee|sass|pug|haml|slim|nim|fsx?|hs)|makefile)$/i;

function whyFolded(
  { added, deleted, path }: ChangedFile,
  renamed: FileShape | undefined,
  shape: FileShape | undefined,
  kind: ProcessFileKind | typeof LINK | null,
): string | null {
  if (kind === LINK) return null;
  if (/^\.(?:alfred|pawl|ai)\//.test(path) && !/^\.alfred\/(?:config\.ya?ml|allowed_signers)$/.test(path))
    return OWN;
  if (isImage(path)) return "image";
  if (kind === "lock files") return "lock file";
  if (shape?.generated === "attribute") return "generated: .gitattributes says so";
  // What decides whether the work passes is always read.
  if (kind !== null) return null;
  if (renamed?.similarity === 100) return "renamed only";
  if (shape?.isBlank === true && !INDENTED.test(path)) return "blanks and line ends only";
  if (shape?.generated === "header") return "generated: its first lines say so";
  if (/\.min\.(?:js|css)$|\.(?:js|css)\.map$/i.test(path)) return "generated: minified";
  const lines = (added ?? 0) + (deleted ?? 0);
  return lines > MAX_LINES ? `${lines.toLocaleString("en-US")} lines` : null;
}

/** A vector image is text, and may be long. */
function isImage(path: string): boolean {
  return IMAGES.test(path);
}

/** Both lists of a review: compared with its base, and with what was judged last. */
export async function listFiles(
  files: readonly ChangedFile[],
  plan: Ordering["plan"],
  sinceLast: Ordering["sinceLast"],
  at: {
    readonly git: Git;
    readonly from: string;
    readonly to: string;
    /** What was judged last. */
    readonly last: string | null;
  },
) {
  const { from, git, last, to } = at;
  const shapes = (await git.shapes?.(from, to)) ?? [];
  const later = last !== null && sinceLast !== null ? ((await git.shapes?.(last, to)) ?? []) : [];
  const ordered = orderFiles(files, { plan, sinceLast, shapes });
  const since = sinceLast === null ? [] : orderFiles(sinceLast, { plan, sinceLast, shapes: later });
  const weak = await weakened(ordered, at);
  const touched = new Set(files.map(({ path }) => path));
  const mark = (file: ReviewFile): ReviewFile => {
    const weakens = weak.get(file.path);
    return weakens === undefined ? file : { ...file, weakens };
  };
  return {
    files: ordered.map(mark),
    since: since.map(mark),
    untouched: (plan ?? []).flatMap(({ files: named }) => named).filter((path) => !touched.has(path)),
  };
}

const MAX_BYTES = 400_000;
/** A line of a check, or of what runs it, by which a fault is let through. */
const WEAK =
  /\|\|\s*(?:true\b|:(?:\s|$)|exit 0\b)|continue-on-error:\s*true|allow_failure:\s*true|--passWithNoTests|--no-verify|\bset \+e\b|\b(?:it|test|describe|suite)\.(?:skip|only|todo)\b|\bx(?:it|describe|test)\(|@(?:Disabled|Ignore)\b|@pytest\.mark\.(?:skip|xfail)|@unittest\.skip|\bt\.Skip\(|"test":\s*"(?:true|exit 0|echo\b[^"]*)"/;

/** The first added line of each process file that weakens it. */
async function weakened(
  files: readonly ReviewFile[],
  { from, git, to }: { readonly git: Git; readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, string>> {
  const judging = files.filter(({ group }) => group === "process");
  if (judging.length === 0 || !git.diff) return new Map();
  const wanted = new Set(judging.map(({ path }) => path));
  const [only] = judging;
  const path = judging.length === 1 ? (only?.path ?? null) : null;
  const diff = await git.diff({ from, to, path, bytes: MAX_BYTES * 10, bytesOfFile: MAX_BYTES });
  if (diff.kind === "unavailable") return new Map();
  return new Map(
    diff.files
      .filter((file) => wanted.has(file.path))
      .flatMap((file) => {
        const line = file.text.split("\n").find((each) => /^\+(?!\+\+ )/.test(each) && WEAK.test(each));
        return line === undefined ? [] : [[file.path, line.slice(1).trim().slice(0, 200)] as const];
      }),
  );
}

const LINES_A_MINUTE = 50;
const MINUTES_A_FILE = 0.25;
const WORDS_A_MINUTE = 200;

/** `words`: the artifact's number of words. The result is at least a minute. */
export function sizeOf(
  files: readonly (ChangedFile & Partial<Pick<ReviewFile, "folded">>)[],
  words: number,
): ReviewSize {
  const linesIn = (group: typeof files) =>
    group.reduce((sum, { added, deleted }) => sum + (added ?? 0) + (deleted ?? 0), 0);
  const read = files.filter(({ folded }) => (folded ?? null) === null);
  const minutes = linesIn(read) / LINES_A_MINUTE + read.length * MINUTES_A_FILE + words / WORDS_A_MINUTE;
  return {
    files: files.length,
    toRead: read.length,
    lines: linesIn(files),
    minutes: Math.max(1, Math.round(minutes)),
  };
}

/** The number of words of all texts in a value. */
export function wordsIn(value: unknown): number {
  if (typeof value === "string") return value.split(/\s+/).filter((word) => word !== "").length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + wordsIn(each), 0);
}
