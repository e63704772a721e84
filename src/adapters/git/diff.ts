/**
 * The differences between two objects, as text. Write access to the repository is not enough to hide or fake
 * one.
 *
 * D1  Git runs over a private git folder and an empty working folder: no attributes and no configuration of
 *     the repository decide what counts as binary, and no program shows a file in another form.
 * D2  Paths come from the NUL-separated list, never from a diff's headings.
 * D3  Memory holds only the output that is kept, however large the difference.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import type { DiffOrder, FileDiff, GitDiff } from "../../core/ports/git.ts";
import { parseRaw } from "./changes.ts";
import { fromRoot, prefixOf } from "./discover.ts";
import { type GitCall, git } from "./git.ts";
import { unavailable } from "./reason.ts";
import { RENAMES } from "./shapes.ts";
import { checkedId, withScratch } from "./tree.ts";

/** Bytes of output after which git is killed. */
const MAX_READ = 64 * 1024 * 1024;
const GIT_TIMEOUT = 60_000;

/** Overrides the person's own settings of a diff's form. */
const FORM = [
  "core.attributesFile=/dev/null",
  "diff.suppressBlankEmpty=false",
  "diff.noprefix=false",
].flatMap((setting) => ["-c", setting]);
const PLAIN = ["--no-color", "--submodule=short"];

/** Never throws. */
export async function diff(gitCall: GitCall, order: DiffOrder): Promise<GitDiff> {
  const nothing = mkdtempSync(join(tmpdir(), "pawl-diff-"));
  try {
    return await withScratch(gitCall, realpathSync(nothing), async ({ call }) => {
      const prefix = prefixOf(gitCall.folder);
      const objects = [checkedId(order.from), checkedId(order.to)];
      const within = posix.join(prefix, order.path ?? "");
      const named = order.path === null ? [] : [pathspecOf(within)];
      const pairing = order.renames ? RENAMES : ["--no-renames"];
      const limited = { ...call, limit: GIT_TIMEOUT };
      const texts = openSections(order.bytes, order.bytesOfFile ?? order.bytes);
      const shown = { ...limited, onOutput: (chunk: Buffer) => texts.add(chunk) };
      const form = [
        `--unified=${order.context ?? 3}`,
        "--src-prefix=a/",
        "--dst-prefix=b/",
        ...PLAIN,
        ...pairing,
      ];
      const [before, after] = [`${prefix}${order.was}`, within];
      if (order.was !== undefined && order.path !== null && !`${before}${after}`.includes(UNKNOWN)) {
        const pair = [`${objects[0]}:${before}`, `${objects[1]}:${after}`, "--"];
        await git(shown, [...FORM, "diff", ...form, ...pair]);
        const [{ leftOut, text } = { text: "", leftOut: 0 }] = texts.end();
        const file = { path: order.path, was: order.was, text, isBinary: BINARY.test(text), leftOut };
        return { kind: "diff", files: [file] };
      }
      const listed = await git(limited, [
        ...FORM,
        ...["diff-tree", "-r", "-z", "--raw", ...pairing, ...objects, "--", ...named],
      ]);
      await git(shown, [...FORM, "diff-tree", "-r", "-p", ...form, ...objects, "--", ...named]);
      return { kind: "diff", files: filesOf(listed.output, texts.end(), prefix) };
    });
  } catch (thrown) {
    return unavailable(thrown);
  } finally {
    rmSync(nothing, { recursive: true, force: true });
  }
}

/** In place of bytes that are no text. */
const UNKNOWN = "\uFFFD";

/** Matches the path alone; of a name that is no text, also names that differ there only. */
function pathspecOf(path: string): string {
  if (!path.includes(UNKNOWN)) return `:(literal)${path}`;
  return `:(glob)${path.replace(/[\\*?[]/g, "\\$&").replaceAll(UNKNOWN, "*")}`;
}

interface Section {
  readonly text: string;
  readonly leftOut: number | null;
}

/** One diff per listed file, in git's order; two where a file became another kind of file. */
function filesOf(listed: string, sections: readonly Section[], prefix: string): readonly FileDiff[] {
  let next = 0;
  return parseRaw(listed).map(({ path, status, was }) => {
    const count = status === "T" ? 2 : 1;
    const fileSections = sections.slice(next, next + count);
    next += count;
    const text = fileSections.map((section) => section.text).join("");
    return {
      ...{ path: fromRoot(prefix, path), ...(was !== null && { was: fromRoot(prefix, was) }), text },
      ...{ isBinary: BINARY.test(text), leftOut: leftOutOf(fileSections, count) },
    };
  });
}

/** Content lines carry a mark in front, so no line of a text file can match. */
const BINARY = /^Binary files /m;

function leftOutOf(sections: readonly Section[], count: number): number | null {
  if (sections.length < count) return null;
  return sections.reduce<number | null>(
    (sum, { leftOut }) => (sum === null || leftOut === null ? null : sum + leftOut),
    0,
  );
}

const HEADING = Buffer.from("\ndiff --git ");

interface Sections {
  /** Takes more of git's output. Returns false if no more is needed. */
  add(chunk: Buffer): boolean;
  end(): readonly Section[];
}

/**
 * Splits git's output at the headings of the files. A content line carries a mark in front, so none looks
 * like a heading.
 */
function openSections(most: number, mostOfFile: number): Sections {
  const done: Section[] = [];
  let [room, read, kept, left] = [most, 0, 0, 0];
  let parts: Buffer[] = [];
  // A chunk may end within a heading.
  let rest: Buffer = Buffer.alloc(0);

  const keep = (part: Buffer) => {
    const shown = part.subarray(0, Math.max(0, Math.min(room, mostOfFile - kept)));
    if (shown.length > 0) parts.push(Buffer.from(shown));
    kept += shown.length;
    room -= shown.length;
    left += part.length - shown.length;
  };
  const close = (isEnded = true) => {
    const bytes = Buffer.concat(parts);
    const isWhole = left === 0 && isEnded;
    const shown = isWhole ? bytes : bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
    left += bytes.length - shown.length;
    done.push({ text: shown.toString("utf8"), leftOut: isEnded ? left : null });
    [parts, kept, left] = [[], 0, 0];
  };
  return {
    add(chunk) {
      read += chunk.length;
      let data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let at = data.indexOf(HEADING); at >= 0; at = data.indexOf(HEADING)) {
        keep(data.subarray(0, at + 1));
        close();
        data = data.subarray(at + 1);
      }
      const safe = Math.max(0, data.length - HEADING.length);
      keep(data.subarray(0, safe));
      rest = Buffer.from(data.subarray(safe));
      return read < MAX_READ;
    },
    end() {
      keep(rest);
      if (kept + left > 0) close(read < MAX_READ);
      return done;
    },
  };
}
