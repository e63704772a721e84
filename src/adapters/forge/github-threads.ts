import type { Octokit } from "@octokit/rest";
import { split } from "./github-access.ts";

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
export async function resolvedThreads(
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
