/** Linear, by its GraphQL API. Each request is one query, so that nothing is fetched piece by piece. */
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import { failureOfStatus, HttpFailure } from "../net/failure.ts";
import type { Http } from "../net/http.ts";
import { askJson } from "../net/json.ts";
import type { Limits } from "../net/limits.ts";
import { ask, noSuchStatus, type TrackerRequest } from "./failure.ts";

export interface LinearAccess {
  readonly key: string;
  readonly http: Http;
  readonly url?: string;
  readonly limits?: Limits;
}

const ISSUE = `id identifier title description priority url
  state { name type }
  inverseRelations { nodes { type issue { identifier } } }`;

const READ = `query PawlIssue($id: String!) { issue(id: $id) { ${ISSUE} } }`;
const LIST = `query PawlIssues($filter: IssueFilter, $after: String) {
  issues(filter: $filter, first: 100, after: $after) { nodes { ${ISSUE} } pageInfo { hasNextPage endCursor } }
}`;
const STATES = `query PawlStates($id: String!) {
  issue(id: $id) { id state { name } team { states(first: 100) { nodes { id name } } } }
}`;
const MOVE = `mutation PawlMove($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`;
const COMMENTS = `query PawlComments($id: String!) { issue(id: $id) { id comments(first: 100) { nodes { body } } } }`;
const COMMENT = `mutation PawlComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`;

interface Issue {
  readonly id: string;
  readonly identifier: string;
  readonly title: string;
  readonly description: string | null;
  readonly priority: number;
  readonly url: string;
  readonly state: { readonly name: string; readonly type: string };
  readonly inverseRelations: {
    readonly nodes: readonly { readonly type: string; readonly issue: { readonly identifier: string } }[];
  };
}

const PRIORITIES = [null, "critical", "high", "medium", "low"] as const;

const API = "https://api.linear.app/graphql";

export function openLinear({ http, key, limits, url = API }: LinearAccess): Tracker {
  const asked: TrackerRequest = {
    tracker: "Linear",
    url,
    token: "LINEAR_API_KEY",
    limits,
  };
  const query = <T>(text: string, variables: Record<string, unknown>): Promise<T> =>
    answered<T>(http, url, key, { query: text, variables });
  const found = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (thrown) {
      if (/entity not found/i.test((thrown as Error).message)) return null;
      throw thrown;
    }
  };
  return {
    list: (project) =>
      ask(asked, async () => {
        const filter = {
          state: { type: { nin: ["completed", "canceled"] } },
          ...(project === null ? { assignee: { isMe: { eq: true } } } : { team: { key: { eq: project } } }),
        };
        const tasks: TrackedTask[] = [];
        let after: string | null = null;
        do {
          type Page = {
            issues: { nodes: Issue[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
          };
          const { issues }: Page = await query<Page>(LIST, { filter, after });
          tasks.push(...issues.nodes.map(toTask));
          after = issues.pageInfo.hasNextPage ? issues.pageInfo.endCursor : null;
        } while (after !== null);
        return tasks;
      }),
    read: (id) =>
      ask(asked, async () => {
        const answer = await found(() => query<{ issue: Issue }>(READ, { id }));
        return answer && toTask(answer.issue);
      }),
    setStatus: (id, name) =>
      ask(asked, async () => {
        type States = {
          issue: {
            id: string;
            state: { name: string };
            team: { states: { nodes: { id: string; name: string }[] } };
          };
        };
        const { issue } = await query<States>(STATES, { id });
        if (same(issue.state.name, name)) return;
        const { nodes } = issue.team.states;
        const state = nodes.find((each) => same(each.name, name));
        if (!state)
          throw noSuchStatus(
            "Linear",
            id,
            name,
            nodes.map((each) => each.name),
          );
        await query(MOVE, { id: issue.id, input: { stateId: state.id } });
      }),
    comment: (id, mark, text) =>
      ask(asked, async () => {
        type Comments = { issue: { id: string; comments: { nodes: { body: string }[] } } };
        const { issue } = await query<Comments>(COMMENTS, { id });
        if (issue.comments.nodes.some(({ body }) => body.includes(mark))) return;
        await query(COMMENT, { input: { issueId: issue.id, body: `${text} (${mark})` } });
      }),
  };
}

interface Answer<T> {
  readonly data?: T | null;
  readonly errors?: readonly {
    readonly message?: string;
    readonly extensions?: { readonly code?: string; readonly userPresentableMessage?: string };
  }[];
}

/** GraphQL reports errors in the body, and Linear answers with 400 or 200 for most of them. */
async function answered<T>(http: Http, url: string, key: string, body: object): Promise<T> {
  const { data, errors } = (await askJson(http, new URL(url), {
    headers: { authorization: key },
    body,
  })) as Answer<T>;
  const [error] = errors ?? [];
  if (error === undefined && data) return data;
  const { extensions, message = "no data" } = error ?? {};
  const status =
    extensions?.code === "AUTHENTICATION_ERROR" ? 401 : extensions?.code === "RATELIMITED" ? 429 : 0;
  if (status > 0) throw failureOfStatus(status, new Headers(), message);
  throw new HttpFailure({
    reason: "unexpected",
    detail: `it answered: ${(extensions?.userPresentableMessage ?? message).replace(/\s+/g, " ").slice(0, 200)}`,
  });
}

function toTask(issue: Issue): TrackedTask {
  return {
    id: issue.identifier,
    title: issue.title,
    description: issue.description ?? "",
    status: issue.state.name,
    isDone: issue.state.type === "completed" || issue.state.type === "canceled",
    priority: PRIORITIES[issue.priority] ?? null,
    dependencies: issue.inverseRelations.nodes
      .filter(({ type }) => type === "blocks")
      .map((relation) => relation.issue.identifier),
    url: issue.url,
  };
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
