import type { PullRequest, Remark, ReviewPart } from "../../core/ports/reviews.ts";
import type { Environment } from "../process/environment.ts";
import { hasNext, openOctokit, split } from "./github-access.ts";

/** GitHub's REST and GraphQL APIs, as far as the comments on pull requests need them. All methods reject with octokit's errors. */
export interface Github {
  /** The open pull requests of a repository from `owner:branch`. */
  pulls(repository: string, head: string): Promise<readonly PullHead[]>;
  pull(repository: string, number: number): Promise<PullHead>;
  remarks(part: ReviewPart, repository: string, number: number, page: number): Promise<RemarksPage>;
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export type PullHead = Pick<PullRequest, "number" | "title" | "url">;

export interface RemarksPage {
  /** `id` is the REST id of a review comment. */
  readonly remarks: readonly (Remark & { readonly id?: number; readonly root?: number })[];
  readonly more: boolean;
}

const A_PAGE = 100;

/** Opens a client of the API at this address. */
export async function openGithub(api: string, token: string, environment: Environment): Promise<Github> {
  const octokit = await openOctokit(api, token, environment);
  const readers = {
    reviews: async (at: Place) => {
      const { data, headers } = await octokit.rest.pulls.listReviews({ ...at });
      return { remarks: data.flatMap(reviewRemark), more: hasNext(headers.link) };
    },
    "review-comments": async (at: Place) => {
      const { data, headers } = await octokit.rest.pulls.listReviewComments({ ...at });
      return { remarks: data.map(codeRemark), more: hasNext(headers.link) };
    },
    comments: async ({ pull_number, ...at }: Place) => {
      const order = { ...at, issue_number: pull_number };
      const { data, headers } = await octokit.rest.issues.listComments(order);
      return { remarks: data.map(plainRemark), more: hasNext(headers.link) };
    },
  };
  return {
    async pulls(repository, head) {
      const order = { ...split(repository), head, state: "open", per_page: 5 } as const;
      return (await octokit.rest.pulls.list(order)).data.map(pullHead);
    },
    async pull(repository, number) {
      const order = { ...split(repository), pull_number: number };
      return pullHead((await octokit.rest.pulls.get(order)).data);
    },
    remarks: (part, repository, number, page) =>
      readers[part]({ ...split(repository), pull_number: number, per_page: A_PAGE, page }),
    graphql: (query, variables) => octokit.graphql(query, { ...variables }),
  };
}

interface Place {
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
  readonly user: { readonly login: string } | null;
}

const author = ({ user }: Said) => user?.login ?? "ghost";

/** A review without text only wraps its comments; a pending one is not submitted yet. */
function reviewRemark(
  review: Said & { readonly state: string; readonly submitted_at?: string | null },
): Remark[] {
  const text = review.body ?? "";
  if (review.state === "PENDING" || (review.state === "COMMENTED" && text.trim() === "")) return [];
  const time = review.submitted_at ?? "";
  return [
    { part: "reviews", author: author(review), url: review.html_url, text, time, verdict: review.state },
  ];
}

interface CodeComment extends Said {
  readonly id: number;
  readonly path: string;
  readonly created_at: string;
  readonly line?: number | null;
  readonly original_line?: number | null;
  readonly in_reply_to_id?: number;
}

function codeRemark(comment: CodeComment): RemarksPage["remarks"][number] {
  const line = comment.line ?? comment.original_line;
  const outdated = !comment.line && Boolean(comment.original_line);
  return {
    part: "review-comments",
    author: author(comment),
    url: comment.html_url,
    text: comment.body ?? "",
    time: comment.created_at,
    file: comment.path,
    ...(line ? { line } : {}),
    ...(comment.in_reply_to_id === undefined ? {} : { reply: true as const }),
    ...(outdated ? { outdated: true as const } : {}),
    id: comment.id,
    root: comment.in_reply_to_id ?? comment.id,
  };
}

function plainRemark(comment: Said & { readonly created_at: string }): Remark {
  return {
    part: "comments",
    author: author(comment),
    url: comment.html_url,
    text: comment.body ?? "",
    time: comment.created_at,
  };
}
