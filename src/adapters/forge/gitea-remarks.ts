/**
 * Comments on a pull request of Gitea or Forgejo. A thread's answers are in the review of its first comment.
 */
import type { Remark } from "../../core/ports/reviews.ts";
import type { ForgeApi, RemarksPage } from "./forge-api.ts";
import type { Rest } from "./rest.ts";

export interface GiteaReview extends Omit<GiteaComment, "created_at"> {
  readonly state: string;
  /** By a person whose approval counts by the rules of the target's branch. */
  readonly official: boolean;
  readonly dismissed: boolean;
  readonly comments_count: number;
  readonly submitted_at: string;
}

export interface GiteaComment {
  readonly id: number;
  readonly body: string;
  /** Null: a team's review is requested. */
  readonly user: { readonly login: string } | null;
  readonly created_at: string;
  readonly html_url: string;
}

export interface GiteaLineComment extends GiteaComment {
  readonly path: string;
  /** A line of the new file; 0: the comment is about the old one. */
  readonly position: number;
  /** A line of the old file; 0: the comment is about the new one. */
  readonly original_position: number;
  readonly resolver: { readonly login: string } | null;
  readonly diff_hunk: string;
}

const VERDICTS: Readonly<Record<string, string>> = {
  APPROVED: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
};

export function openRemarks(rest: Rest): ForgeApi["remarks"] {
  const reviewsOn = (path: string, number: number, page: number) =>
    rest.page<GiteaReview>(`/repos/${path}/pulls/${number}/reviews`, { page });
  const readers = {
    async reviews(path: string, number: number, page: number): Promise<RemarksPage> {
      const { items, more } = await reviewsOn(path, number, page);
      return { remarks: items.flatMap(reviewRemark), more };
    },
    async "review-comments"(path: string, number: number, page: number): Promise<RemarksPage> {
      const { items, more } = await reviewsOn(path, number, page);
      const remarks: Remark[] = [];
      for (const { comments_count, id, state } of items)
        if (comments_count > 0 && VERDICTS[state])
          remarks.push(...threadsIn(await rest.get(`/repos/${path}/pulls/${number}/reviews/${id}/comments`)));
      return { remarks, more };
    },
    async comments(path: string, number: number, page: number): Promise<RemarksPage> {
      const comments = `/repos/${path}/issues/${number}/comments`;
      const { items, more } = await rest.page<GiteaComment>(comments, { page });
      return { remarks: items.map((each) => ({ part: "comments", ...remarkBy(each) })), more };
    },
  };
  return (part, path, number, page) => readers[part](path, number, page);
}

/** A review without text only wraps its comments; a pending one is not submitted yet. */
function reviewRemark({ dismissed, state, submitted_at, ...review }: GiteaReview): readonly Remark[] {
  const verdict = VERDICTS[state];
  if (verdict === undefined || (state === "COMMENT" && review.body.trim() === "")) return [];
  const comment = remarkBy({ ...review, created_at: submitted_at });
  return [{ part: "reviews", ...comment, verdict: dismissed ? "DISMISSED" : verdict }];
}

function threadsIn(comments: readonly GiteaLineComment[]): readonly Remark[] {
  const first = new Map<string, GiteaLineComment>();
  return comments.map((comment) => {
    const { diff_hunk, original_position, path, position } = comment;
    const key = [path, position, original_position].join("\0");
    const root = first.get(key) ?? comment;
    first.set(key, root);
    const line = position || original_position;
    return {
      part: "review-comments",
      ...remarkBy(comment),
      file: path,
      ...(line ? { line } : {}),
      ...(!position && original_position && { side: "former" as const }),
      ...(diff_hunk ? { hunk: diff_hunk } : {}),
      ...(root === comment ? {} : { reply: true as const }),
      resolved: Boolean(root.resolver),
    };
  });
}

const PROGRAMS = /\[bot\]$|^(?:gitea|forgejo)-actions$/;

function remarkBy({ body, created_at, html_url, user }: GiteaComment) {
  const author = user?.login ?? "Ghost";
  const bot = PROGRAMS.test(author) && { bot: true as const };
  return { author, ...bot, url: html_url, text: body, time: created_at };
}
