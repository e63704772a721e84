import type { PullRequest, Remark } from "../../core/ports/reviews.ts";
import type { Github } from "./github.ts";

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

/**
 * Adds to the remarks whether their threads are resolved, which only GraphQL knows. If that fails, the marks are left
 * out: what was said matters more than whether it is settled.
 */
export async function markThreads(
  github: Github,
  pull: PullRequest,
  remarks: readonly (Remark & { readonly root?: number })[],
): Promise<{ readonly remarks: readonly Remark[]; readonly threads: "known" | "unknown" }> {
  if (!remarks.some(({ root }) => root !== undefined)) return { remarks, threads: "known" };
  try {
    const resolved = await readThreads(github, pull);
    const marked = remarks.map((remark) => {
      const mark = remark.root === undefined ? undefined : resolved.get(remark.root);
      return mark === undefined ? remark : { ...remark, resolved: mark };
    });
    return { remarks: marked, threads: "known" };
  } catch {
    return { remarks, threads: "unknown" };
  }
}

/** By the id of each thread's first comment. */
async function readThreads(github: Github, pull: PullRequest): Promise<ReadonlyMap<number, boolean>> {
  const [owner, name] = pull.repository.split("/");
  const resolved = new Map<number, boolean>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = (await github.graphql(QUERY, { owner, name, number: pull.number, after })) as Answer;
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
