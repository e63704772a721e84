import type { GitState } from "../../core/ports/git.ts";
import { type GitCall, git } from "./git.ts";
import { unavailable } from "./reason.ts";

const STATUS = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"];

/** Git's view of the folder: its branch, its head and uncommitted files, or why git failed. Never throws. */
export async function loadState(gitCall: GitCall): Promise<GitState> {
  const call: GitCall = { ...gitCall, accept: [128], limit: 30_000 };
  try {
    const answer = await git(call, STATUS);
    if (answer.code === 0) return parseStatus(answer.output);
    if (answer.errors.includes("not a git repository")) return { kind: "not-a-repository" };
    return { kind: "unavailable", reason: firstLine(answer.errors) };
  } catch (thrown) {
    return { kind: "unavailable", reason: firstLine(unavailable(thrown).reason) };
  }
}

/** The status of one of the person's repositories, or why git failed. */
export async function statusOf(call: GitCall): Promise<Status> {
  return parseStatus((await git(call, STATUS)).output);
}

export type Status = Extract<GitState, { readonly kind: "repository" }>;

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(text: string): Status {
  let branch = "";
  let head: string | null = null;
  const uncommitted: string[] = [];
  const fields = text.split("\0");
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? "";
    if (field.startsWith("# branch.head ")) branch = field.slice(14) === "(detached)" ? "" : field.slice(14);
    else if (field.startsWith("# branch.oid "))
      head = field.slice(13) === "(initial)" ? null : field.slice(13);
    else if (/^[12u?] /.test(field)) {
      uncommitted.push(pathOf(field));
      // A renamed entry is followed by its old path.
      if (field.startsWith("2 ")) at += 1;
    }
  }
  return { kind: "repository", branch, head, uncommitted };
}

/** The number of blank-separated words before the path, by the kind of entry. */
const WORDS_BEFORE: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1 };

function pathOf(entry: string): string {
  return entry
    .split(" ")
    .slice(WORDS_BEFORE[entry[0] ?? ""] ?? 1)
    .join(" ");
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
