/**
 * Linear's GraphQL API on loopback: a part of its schema (compared with the one of its SDK 88.3), run by the reference
 * implementation, so that a query that the schema does not allow is refused as it would be there; so is one that costs
 * too much, and any while a limit is spent (https://linear.app/developers/rate-limiting).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  buildSchema,
  type DefinitionNode,
  GraphQLError,
  graphql,
  Kind,
  parse,
  type SelectionNode,
} from "graphql";

const SCHEMA = buildSchema(`
  input StringComparator { eq: String nin: [String!] }
  input BooleanComparator { eq: Boolean }
  input WorkflowStateFilter { type: StringComparator }
  input TeamFilter { key: StringComparator }
  input NullableUserFilter { isMe: BooleanComparator }
  input IssueFilter { state: WorkflowStateFilter team: TeamFilter assignee: NullableUserFilter }
  input IssueUpdateInput { stateId: String }
  input CommentCreateInput { issueId: String body: String }
  type WorkflowState { id: ID! name: String! type: String! }
  type WorkflowStateConnection { nodes: [WorkflowState!]! }
  type Team { id: ID! key: String! states(first: Int): WorkflowStateConnection! }
  type IssueRelation { type: String! issue: Issue! }
  type IssueRelationConnection { nodes: [IssueRelation!]! }
  type Comment { id: ID! body: String! }
  type CommentConnection { nodes: [Comment!]! }
  type Issue {
    id: ID! identifier: String! title: String! description: String priority: Float! url: String!
    state: WorkflowState! team: Team!
    inverseRelations(first: Int): IssueRelationConnection!
    comments(first: Int): CommentConnection!
  }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
  type IssuePayload { success: Boolean! }
  type CommentPayload { success: Boolean! }
  type Query {
    issue(id: String!): Issue!
    issues(filter: IssueFilter, first: Int, after: String): IssueConnection!
  }
  type Mutation {
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    commentCreate(input: CommentCreateInput!): CommentPayload!
  }
`);

const STATES = [
  { id: "s1", name: "Todo", type: "unstarted" },
  { id: "s2", name: "In Progress", type: "started" },
  { id: "s3", name: "Done", type: "completed" },
] as const;

export interface LinearIssue {
  readonly identifier: string;
  title: string;
  description: string | null;
  state: (typeof STATES)[number]["name"];
  priority: number;
  readonly blockedBy: readonly string[];
  readonly comments: string[];
}

export class LinearServer {
  readonly issues = new Map<string, LinearIssue>();
  pageSize = 100;
  /** The headers that name the spent limit. */
  spent: Readonly<Record<string, string>> | null = null;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<LinearServer> {
    const server = new LinearServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/graphql`;
  }

  get environment(): Record<string, string> {
    return { LINEAR_API_KEY: "right", LINEAR_API_URL: this.url };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  add(identifier: string, more: Partial<LinearIssue> = {}): LinearIssue {
    const issue: LinearIssue = {
      identifier,
      title: `Issue ${identifier}`,
      description: null,
      state: "Todo",
      priority: 0,
      blockedBy: [],
      comments: [],
      ...more,
    };
    this.issues.set(identifier, issue);
    return issue;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const send = (code: number, body: unknown, headers = {}) => {
      response.writeHead(code, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== "right")
      return send(401, {
        errors: [
          {
            message: "Authentication required, not authenticated",
            extensions: {
              type: "authentication error",
              code: "AUTHENTICATION_ERROR",
              statusCode: 401,
              userError: true,
            },
          },
        ],
      });
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const cost = Math.ceil(costOf(parse(query).definitions));
    if (cost > MAX_POINTS) return send(400, { errors: [tooComplex(cost)] });
    if (this.spent) return send(400, { errors: [RATE_LIMITED] }, this.spent);
    const result = await graphql({
      schema: SCHEMA,
      source: query,
      variableValues: variables,
      rootValue: this.#root(),
    });
    send(result.data === null || result.data === undefined ? 400 : 200, result);
  }

  #find(id: string): LinearIssue {
    const found = this.issues.get(id.replace(/^uuid-/, ""));
    if (found) return found;
    throw new GraphQLError("Entity not found: Issue", {
      extensions: { ...REFUSED, userPresentableMessage: "Could not find referenced Issue." },
    });
  }

  #root() {
    const view = (issue: LinearIssue): unknown => ({
      id: `uuid-${issue.identifier}`,
      identifier: issue.identifier,
      title: issue.title,
      description: issue.description,
      priority: issue.priority,
      url: `https://linear.app/x/issue/${issue.identifier}`,
      state: STATES.find(({ name }) => name === issue.state),
      team: { id: "t", key: issue.identifier.split("-")[0], states: { nodes: STATES } },
      inverseRelations: () => ({
        nodes: issue.blockedBy.map((id) => ({ type: "blocks", issue: { identifier: id } })),
      }),
      comments: { nodes: issue.comments.map((body, index) => ({ id: String(index), body })) },
    });
    return {
      issue: ({ id }: { id: string }) => view(this.#find(id)),
      issues: ({ after, filter }: { after?: string | null; filter?: { team?: { key: { eq: string } } } }) => {
        const found = [...this.issues.values()].filter(
          ({ identifier, state }) =>
            state !== "Done" && (!filter?.team || identifier.startsWith(`${filter.team.key.eq}-`)),
        );
        const start = Number(after ?? 0);
        const end = start + this.pageSize;
        return {
          nodes: found.slice(start, end).map(view),
          pageInfo: { hasNextPage: end < found.length, endCursor: String(end) },
        };
      },
      issueUpdate: ({ id, input }: { id: string; input: { stateId: string } }) => {
        const state = STATES.find((each) => each.id === input.stateId);
        if (!state) throw new GraphQLError("Entity not found: WorkflowState");
        this.#find(id).state = state.name;
        return { success: true };
      },
      commentCreate: ({ input }: { input: { issueId: string; body: string } }) => {
        this.#find(input.issueId).comments.push(input.body);
        return { success: true };
      },
    };
  }
}

const MAX_POINTS = 10_000;

/** A property is 0.1 points, an object 1, and a connection multiplies what is in it by its page's size. */
function costOf(nodes: readonly (SelectionNode | DefinitionNode)[]): number {
  let cost = 0;
  for (const node of nodes) {
    const inner = "selectionSet" in node ? costOf(node.selectionSet?.selections ?? []) : 0;
    if (node.kind !== Kind.FIELD) cost += inner;
    else if (inner === 0) cost += 0.1;
    else if (node.selectionSet?.selections.some((each) => "name" in each && each.name?.value === "nodes")) {
      const first = node.arguments?.find(({ name }) => name.value === "first")?.value;
      cost += inner * (first?.kind === Kind.INT ? Number(first.value) : 50);
    } else cost += 1 + inner;
  }
  return cost;
}

const REFUSED = { type: "invalid input", code: "INPUT_ERROR", statusCode: 400, userError: true };

function tooComplex(cost: number) {
  const userPresentableMessage = `The query is too complex. Complexity: ${cost}. Maximum allowed complexity: ${MAX_POINTS}.`;
  return { message: "Query too complex", extensions: { ...REFUSED, userPresentableMessage } };
}

const RATE_LIMITED = {
  message: "Rate limit exceeded",
  extensions: {
    type: "ratelimited",
    code: "RATELIMITED",
    statusCode: 429,
    userError: true,
    userPresentableMessage: "Rate limit exceeded. Only 5000 requests are allowed per 1 hour.",
  },
};
