/** Linear, by its GraphQL API. Each request is one query, so that nothing is fetched piece by piece. */
import type { TrackedTask, Tracker } from "../../core/ports/trackers.ts";
import { failureOfStatus, HttpFailure, orNull } from "../net/failure.ts";
import type { Http } from "../net/http.ts";
import { askForJson } from "../net/json.ts";
import type { Limits } from "../net/limits.ts";
import { ask, type TrackerRequest, unknownStatusError } from "./failure.ts";

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
/** Linear refuses a query of more than 10,000 points: these cost 5,645, as each may have 50 relations. */
const PAGE = 50;
const LIST = `query PawlIssues($filter: IssueFilter, $after: String) {
  issues(filter: $filter, first: ${PAGE}, after: $after) { nodes { ${ISSUE} } pageInfo { hasNextPage endCursor } }
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
  const request: TrackerRequest = {
    tracker: "Linear",
    url,
    token: "LINEAR_API_KEY",
    limits,
  };
  const query = <T>(text: string, variables: Record<string, unknown>): Promise<T> =>
    answered<T>(http, url, key, { query: text, variables });
  return {
    list: (project) =>
      ask(request, async () => {
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
      ask(request, async () => {
        const answer = await orNull(query<{ issue: Issue }>(READ, { id }));
        return answer && toTask(answer.issue);
      }),
    setStatus: (id, name) =>
      ask(request, async () => {
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
          throw unknownStatusError(
            "Linear",
            id,
            name,
            nodes.map((each) => each.name),
          );
        await query(MOVE, { id: issue.id, input: { stateId: state.id } });
      }),
    comment: (id, mark, text) =>
      ask(request, async () => {
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

/** GraphQL reports errors in the body, and Linear answers with 400 or 200 for most of them: also for a spent limit. */
async function answered<T>(http: Http, url: string, key: string, body: object): Promise<T> {
  const reading: Http = async (...call) => {
    const { body: text, headers, status } = await http(...call);
    return new Response(text, { headers, status: status === 400 ? 200 : status });
  };
  const { headers, json } = await askForJson(reading, new URL(url), {
    headers: { authorization: key },
    body,
  });
  const { data, errors } = json as Answer<T>;
  const [error] = errors ?? [];
  if (error === undefined && data) return data;
  const { extensions, message = "no data" } = error ?? {};
  const words = extensions?.userPresentableMessage ?? message;
  if (extensions?.code === "RATELIMITED") throw failureOfStatus(429, waitIn(headers), words);
  if (extensions?.code === "AUTHENTICATION_ERROR") throw failureOfStatus(401, headers, message);
  throw new HttpFailure({
    reason: /^entity not found/i.test(message) ? "not-found" : "unexpected",
    detail: `it answered: ${words.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200)}`,
  });
}

/** Linear names the moment, in milliseconds, at which each of its limits is full again. */
function waitIn(headers: Headers): Headers {
  const spent = ["requests", "endpoint-requests", "complexity"].filter(
    (limit) => headers.get(`x-ratelimit-${limit}-remaining`) === "0",
  );
  const resets = spent.map((limit) => Number(headers.get(`x-ratelimit-${limit}-reset`)));
  const wait = Math.ceil((Math.max(...resets) - Date.now()) / 1000);
  return new Headers(wait > 0 && Number.isFinite(wait) ? { "retry-after": String(wait) } : headers);
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
