/**
 * Comments on a pull request of Gitea or Forgejo. A thread's answers are in the review of its first comment.
 */
import type { Remark } from "../../core/ports/reviews.ts";
import type { RequestSetup } from "./forge-api.ts";
import {
  type GiteaComment,
  type GiteaLineComment,
  type GiteaReview,
  listed,
  openGitea,
  repositoryOf,
} from "./gitea-pulls.ts";
import type { PullHead, RemarksApi, RemarksPage } from "./remarks-api.ts";

const VERDICTS: Readonly<Record<string, string>> = {
  APPROVED: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
};

export function openGiteaRemarks(setup: RequestSetup): RemarksApi {
  const rest = openGitea(setup);
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
      return { remarks: items.map((each) => ({ part: "comments", ...saidBy(each) })), more };
    },
  };
  return {
    repository: (path) => repositoryOf(rest, path),
    async pulls(target, from, branch) {
      return (await listed(rest, { branch, from, target }, "open")).map(pullHead);
    },
    async pull(path, number) {
      return pullHead(await rest.get<Head>(`/repos/${path}/pulls/${number}`));
    },
    remarks: (part, path, number, page) => readers[part](path, number, page),
  };
}

interface Head extends PullHead {
  readonly html_url: string;
}

function pullHead({ html_url: url, number, title }: Omit<Head, "url">): PullHead {
  return { number, title, url };
}

/** A review without text only wraps its comments; a pending one is not submitted yet. */
function reviewRemark({ dismissed, state, submitted_at, ...review }: GiteaReview): readonly Remark[] {
  const verdict = VERDICTS[state];
  if (verdict === undefined || (state === "COMMENT" && review.body.trim() === "")) return [];
  const said = saidBy({ ...review, created_at: submitted_at });
  return [{ part: "reviews", ...said, verdict: dismissed ? "DISMISSED" : verdict }];
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
      ...saidBy(comment),
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

function saidBy({ body, created_at, html_url, user }: GiteaComment) {
  const author = user?.login ?? "Ghost";
  const bot = PROGRAMS.test(author) && { bot: true as const };
  return { author, ...bot, url: html_url, text: body, time: created_at };
}
