/** GitHub's REST and GraphQL APIs, as far as the comments on pull requests need them. */
import type { Remark, ReviewPart } from "../../core/ports/reviews.ts";
import type { RemarksPage } from "./forge-api.ts";
import type { Item } from "./github-access.ts";
import type { Rest } from "./rest.ts";

export async function remarksOn(
  rest: Rest,
  part: ReviewPart,
  repository: string,
  number: number,
  page: number,
): Promise<RemarksPage> {
  const pages = async <T>(path: string, remarksIn: (items: readonly T[]) => RemarksPage["remarks"]) => {
    const { items, more } = await rest.page<T>(`/repos/${repository}/${path}`, { page });
    return { remarks: remarksIn(items), more };
  };
  if (part === "reviews")
    return pages<Item<"pulls", "listReviews">>(`pulls/${number}/reviews`, (all) => all.flatMap(reviewRemark));
  if (part === "review-comments")
    return pages<Item<"pulls", "listReviewComments">>(`pulls/${number}/comments`, (all) =>
      all.map(codeRemark),
    );
  return pages<Item<"issues", "listComments">>(`issues/${number}/comments`, (all) => all.map(plainRemark));
}

interface GitHubRemark {
  readonly html_url: string;
  readonly body?: string | null;
  readonly user: { readonly login: string; readonly type?: string } | null;
}

const remarkBy = ({ body, html_url: url, user }: GitHubRemark) => ({
  author: user?.login ?? "ghost",
  ...(user?.type === "Bot" && { bot: true as const }),
  url,
  text: body ?? "",
});

/** A review without text only wraps its comments; a pending one is not submitted yet. */
function reviewRemark(
  review: GitHubRemark & { readonly state: string; readonly submitted_at?: string | null },
): Remark[] {
  const comment = remarkBy(review);
  if (review.state === "PENDING" || (review.state === "COMMENTED" && comment.text.trim() === "")) return [];
  return [{ part: "reviews", ...comment, time: review.submitted_at ?? "", verdict: review.state }];
}

interface CodeComment extends GitHubRemark {
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
    ...remarkBy(comment),
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

function plainRemark(comment: GitHubRemark & { readonly created_at: string }): Remark {
  return { part: "comments", ...remarkBy(comment), time: comment.created_at };
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

interface Threads {
  readonly data: {
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
  };
}

const MAX_PAGES = 50;

/** Whether each thread is resolved, by the id of its first comment. Only GraphQL has this. */
export async function resolvedThreads(
  graphql: Rest,
  repository: string,
  number: number,
): Promise<ReadonlyMap<number, boolean>> {
  const [owner, name] = repository.split("/");
  const resolved = new Map<number, boolean>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const variables: object = { owner, name, number, after };
    const { data }: Threads = await graphql.send<Threads>("POST", "/graphql", { query: QUERY, variables });
    const { pageInfo, nodes } = data.repository.pullRequest.reviewThreads;
    for (const { isResolved, comments } of nodes) {
      const id = comments.nodes[0]?.databaseId;
      if (id) resolved.set(id, isResolved);
    }
    if (!pageInfo.hasNextPage) return resolved;
    after = pageInfo.endCursor;
  }
  return resolved;
}
