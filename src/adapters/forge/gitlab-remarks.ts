/**
 * Comments on a merge request of GitLab. A note has no hunk: it is cut from the diffs of the version that it
 * is about.
 */
import type { Remark } from "../../core/ports/reviews.ts";
import { withinLimits } from "../net/limits.ts";
import type { ForgeApi, RemarksPage } from "./forge-api.ts";
import type { Rest } from "./rest.ts";

export interface Discussion {
  readonly id: string;
  readonly notes: readonly Note[];
}

export interface Note {
  readonly id: number;
  readonly body: string;
  readonly author: { readonly id: number; readonly username: string };
  readonly created_at: string;
  readonly system: boolean;
  readonly resolvable: boolean;
  readonly resolved?: boolean;
  readonly position?: DiffLine | null;
}

export interface DiffLine {
  readonly new_path: string;
  readonly old_path: string;
  /** Null: the new file lacks the line. */
  readonly new_line?: number | null;
  readonly old_line?: number | null;
  readonly head_sha: string;
  /** Absent: one line. */
  readonly line_range?: {
    readonly start: { readonly new_line?: number | null; readonly old_line?: number | null };
  } | null;
}

export interface Reviewer {
  readonly user: { readonly id: number; readonly username: string };
  readonly state: string;
  readonly created_at: string;
}

export interface MergeRequest {
  readonly iid: number;
  readonly title: string;
  readonly web_url: string;
  readonly state: "opened" | "closed" | "merged" | "locked";
  readonly sha: string;
  readonly source_project_id: number;
  readonly has_conflicts?: boolean;
  readonly detailed_merge_status?: string;
  /** False only if all threads must be resolved. */
  readonly blocking_discussions_resolved?: boolean;
  readonly head_pipeline?: Pipeline | null;
}

export interface Pipeline {
  readonly id: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly web_url: string;
}

const VERDICTS: Readonly<Record<string, string>> = {
  approved: "APPROVED",
  requested_changes: "CHANGES_REQUESTED",
};

/** `mergeRequest`: reads one by its path. */
export function openRemarks(
  rest: Rest,
  mergeRequest: (path: string) => Promise<MergeRequest>,
): ForgeApi["remarks"] {
  const at = (path: string, number: number) =>
    `/projects/${encodeURIComponent(path)}/merge_requests/${number}`;
  const discussionsOn = async (path: string, number: number, page: number) => {
    const request = await mergeRequest(at(path, number));
    const discussions = await rest.page<Discussion>(`${at(path, number)}/discussions`, { page });
    return { ...discussions, request };
  };
  const readers = {
    async reviews(path: string, number: number, page: number): Promise<RemarksPage> {
      const { web_url: url } = await mergeRequest(at(path, number));
      const { items, more } = await rest.page<Reviewer>(`${at(path, number)}/reviewers`, { page });
      const remarks = items.flatMap(({ created_at: time, state, user }): readonly Remark[] => {
        const verdict = VERDICTS[state];
        if (verdict === undefined) return [];
        return [{ part: "reviews", ...authorOf(user), url, text: "", time, verdict }];
      });
      return { remarks, more };
    },
    async "review-comments"(path: string, number: number, page: number): Promise<RemarksPage> {
      const { items, more, request } = await discussionsOn(path, number, page);
      const hunkOf = openHunks(rest, at(path, number));
      const remarks: Remark[] = [];
      for (const { notes } of items)
        if (notes[0]?.position) {
          const { position } = notes[0];
          const lines = { ...linesOf(position, request), ...(await hunkOf(position)) };
          remarks.push(...threadOf(notes, request).map((each) => ({ ...each, ...lines })));
        }
      return { remarks, more };
    },
    async comments(path: string, number: number, page: number): Promise<RemarksPage> {
      const { items, more, request } = await discussionsOn(path, number, page);
      const threads = items.filter(({ notes: [first] }) => first && !first.position);
      return { remarks: threads.flatMap(({ notes }) => threadOf(notes, request)), more };
    },
  };
  return (part, path, number, page) => readers[part](path, number, page);
}

const PROGRAMS = /^(?:project|group)_\d+_bot|^service_account_|^gitlab-?duo/i;

function authorOf({ username: author }: { readonly username: string }) {
  return { author, ...(PROGRAMS.test(author) && { bot: true as const }) };
}

function threadOf(notes: readonly Note[], { web_url }: MergeRequest): readonly Remark[] {
  const [first] = notes;
  return notes
    .filter(({ system }) => !system)
    .map((note) => ({
      part: first?.position ? ("review-comments" as const) : ("comments" as const),
      ...authorOf(note.author),
      url: `${web_url}#note_${note.id}`,
      text: note.body,
      time: note.created_at,
      ...(note === first ? {} : { reply: true as const }),
      ...(first?.resolvable ? { resolved: first.resolved === true } : {}),
    }));
}

/** GitLab moves a position to the newest commit as long as the lines exist. */
function linesOf(
  { head_sha, line_range, new_line, new_path, old_line, old_path }: DiffLine,
  { sha }: MergeRequest,
) {
  const isFormer = !new_line;
  const line = new_line || old_line;
  const { new_line: firstNew, old_line: firstOld } = line_range?.start ?? {};
  const [side, other] = isFormer ? [firstOld, firstNew] : [firstNew, firstOld];
  return {
    file: isFormer ? old_path : new_path,
    ...(line ? { line } : {}),
    ...(line && side && side < line ? { startLine: side } : {}),
    ...(line && !side && other
      ? { startLine: other, startSide: isFormer ? ("present" as const) : ("former" as const) }
      : {}),
    ...(line && isFormer ? { side: "former" as const } : {}),
    ...(head_sha === sha ? {} : { outdated: true as const }),
  };
}

interface Version {
  readonly id: number;
  readonly head_commit_sha: string;
}

interface FileDiff {
  readonly old_path: string;
  readonly new_path: string;
  readonly diff: string;
}

const OF_DIFFS = { bytes: 5_000_000, milliseconds: 15_000 };

/** Finds a comment's hunk. A failure leaves only the hunk out. */
function openHunks(rest: Rest, request: string) {
  let versions: Promise<readonly Version[]> | undefined;
  const diffs = new Map<string, Promise<readonly FileDiff[]>>();
  const diffsAt = async (commit: string) => {
    versions ??= rest.all<Version>(`${request}/versions`);
    const version = (await versions).find(({ head_commit_sha }) => head_commit_sha === commit);
    if (!version) return [];
    const read = rest.get<{ readonly diffs: readonly FileDiff[] }>(`${request}/versions/${version.id}`);
    return (await read).diffs;
  };
  return async ({
    head_sha,
    new_line,
    new_path,
    old_line,
    old_path,
  }: DiffLine): Promise<{ readonly hunk?: string }> => {
    const reading = diffs.get(head_sha) ?? withinLimits(OF_DIFFS, () => diffsAt(head_sha)).catch(() => []);
    diffs.set(head_sha, reading);
    const file = (await reading).find((each) => each.new_path === new_path && each.old_path === old_path);
    const hunk = file?.diff.split(/^(?=@@ )/m).find((each) => {
      const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(each);
      const [from, count] = new_line ? [header?.[3], header?.[4]] : [header?.[1], header?.[2]];
      const line = new_line || old_line || 0;
      return line >= Number(from) && line < Number(from) + Number(count ?? 1);
    });
    return hunk === undefined ? {} : { hunk };
  };
}
