/** GitHub's REST and GraphQL APIs, as far as the comments on pull requests need them. */
import type { Octokit } from "@octokit/rest";
import type { Remark } from "../../core/ports/reviews.ts";
import type { RequestSetup } from "./forge-api.ts";
import { openOctokit, presentRepository, split } from "./github-access.ts";
import { hasNext } from "./pages.ts";
import type { PullHead, RemarksApi, RemarksPage } from "./remarks-api.ts";

const A_PAGE = 100;

export async function openGithubRemarks({ environment, server }: RequestSetup): Promise<RemarksApi> {
  const octokit = await openOctokit(server.api, server.token, environment);
  const readers = {
    reviews: async (at: PullPageQuery) => {
      const { data, headers } = await octokit.rest.pulls.listReviews({ ...at });
      return { remarks: data.flatMap(reviewRemark), more: hasNext(headers.link) };
    },
    "review-comments": async (at: PullPageQuery) => {
      const { data, headers } = await octokit.rest.pulls.listReviewComments({ ...at });
      return { remarks: data.map(codeRemark), more: hasNext(headers.link) };
    },
    comments: async ({ pull_number, ...at }: PullPageQuery) => {
      const order = { ...at, issue_number: pull_number };
      const { data, headers } = await octokit.rest.issues.listComments(order);
      return { remarks: data.map(plainRemark), more: hasNext(headers.link) };
    },
  };
  return {
    repository: (path) => presentRepository(octokit, path),
    async pulls(target, from, branch) {
      const head = `${split(from.path).owner}:${branch}`;
      const order = { ...split(target.path), head, state: "open", per_page: 5 } as const;
      return (await octokit.rest.pulls.list(order)).data.map(pullHead);
    },
    async pull(repository, number) {
      const order = { ...split(repository), pull_number: number };
      return pullHead((await octokit.rest.pulls.get(order)).data);
    },
    remarks: (part, repository, number, page) =>
      readers[part]({ ...split(repository), pull_number: number, per_page: A_PAGE, page }),
    resolved: (repository, number) => resolvedThreads(octokit, repository, number),
  };
}

interface PullPageQuery {
  readonly owner: string;
  readonly repo: string;
  readonly pull_number: number;
  readonly per_page: number;
  readonly page: number;
}

function pullHead({
  number,
  title,
  html_url,
}: {
  number: number;
  title: string;
  html_url: string;
}): PullHead {
  return { number, title, url: html_url };
}

interface Said {
  readonly html_url: string;
  readonly body?: string | null;
  readonly user: { readonly login: string; readonly type?: string } | null;
}

const saidBy = ({ body, html_url: url, user }: Said) => ({
  author: user?.login ?? "ghost",
  ...(user?.type === "Bot" && { bot: true as const }),
  url,
  text: body ?? "",
});

/** A review without text only wraps its comments; a pending one is not submitted yet. */
function reviewRemark(
  review: Said & { readonly state: string; readonly submitted_at?: string | null },
): Remark[] {
  const said = saidBy(review);
  if (review.state === "PENDING" || (review.state === "COMMENTED" && said.text.trim() === "")) return [];
  return [{ part: "reviews", ...said, time: review.submitted_at ?? "", verdict: review.state }];
}

interface CodeComment extends Said {
  readonly id: number;
  readonly path: string;
  readonly created_at: string;
  readonly line?: number | null;
  readonly original_line?: number | null;
  readonly start_line?: number | null;
  readonly original_start_line?: number | null;
  readonly side?: string | null;
  readonly start_side?: string | null;
  readonly subject_type?: string;
  readonly diff_hunk?: string;
  readonly in_reply_to_id?: number;
}

function codeRemark(comment: CodeComment): RemarksPage["remarks"][number] {
  const outdated = !comment.line && Boolean(comment.original_line);
  const isOfFile = comment.subject_type === "file";
  const line = isOfFile ? null : outdated ? comment.original_line : comment.line;
  const startLine = outdated ? comment.original_start_line : comment.start_line;
  return {
    part: "review-comments",
    ...saidBy(comment),
    time: comment.created_at,
    file: comment.path,
    ...(line ? { line } : {}),
    ...(line && startLine ? { startLine } : {}),
    ...(line && comment.side === "LEFT" ? { side: "former" as const } : {}),
    ...(startLine && comment.start_side && comment.start_side !== (comment.side ?? "RIGHT")
      ? { startSide: comment.start_side === "LEFT" ? ("former" as const) : ("present" as const) }
      : {}),
    ...(comment.diff_hunk ? { hunk: comment.diff_hunk } : {}),
    ...(comment.in_reply_to_id === undefined ? {} : { reply: true as const }),
    ...(outdated ? { outdated: true as const } : {}),
    root: comment.in_reply_to_id ?? comment.id,
  };
}

function plainRemark(comment: Said & { readonly created_at: string }): Remark {
  return { part: "comments", ...saidBy(comment), time: comment.created_at };
}

const QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { isResolved comments(first: 1) { nodes { databaseId } } }
      }
    }
  }
}`;

interface Answer {
  readonly repository: {
    readonly pullRequest: {
      readonly reviewThreads: {
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
        readonly nodes: readonly {
          readonly isResolved: boolean;
          readonly comments: { readonly nodes: readonly { readonly databaseId: number | null }[] };
        }[];
      };
    };
  };
}

const MAX_PAGES = 50;

/** Whether each thread is resolved, by the id of its first comment. Only GraphQL has this. */
async function resolvedThreads(
  octokit: Pick<Octokit, "graphql">,
  repository: string,
  number: number,
): Promise<ReadonlyMap<number, boolean>> {
  const { owner, repo: name } = split(repository);
  const resolved = new Map<number, boolean>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: Answer = await octokit.graphql(QUERY, { owner, name, number, after });
    const { pageInfo, nodes } = answer.repository.pullRequest.reviewThreads;
    for (const { isResolved, comments } of nodes) {
      const id = comments.nodes[0]?.databaseId;
      if (id) resolved.set(id, isResolved);
    }
    if (!pageInfo.hasNextPage) return resolved;
    after = pageInfo.endCursor;
  }
  return resolved;
}
