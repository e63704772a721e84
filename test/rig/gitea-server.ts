/**
 * Gitea's API 1 as its sources have it (routers/api/v1, services/convert), as far as pull requests need it: no filter by branch, at most 20 on a page as its
 * administrator set it, a head that goes on with its branch after the merge, `mergeable` that is false while it is finding out, and Actions as statuses.
 */
import type { Answer, LoopbackRequest } from "./loopback.ts";
import { FORGE_TOKEN, type Pull, PullServer, paged, refOf, TIME } from "./pull-server.ts";

export class GiteaServer extends PullServer {
  /** The token's person administers the repository. */
  isAdministrator = true;
  readonly #path: string;

  static async open(path: string): Promise<GiteaServer> {
    const server: GiteaServer = new GiteaServer(path, (asked) => server.reply(asked));
    return server.listen();
  }

  private constructor(path: string, answer: (asked: LoopbackRequest) => Answer) {
    super(answer);
    this.#path = path;
  }

  get opened(): number {
    return this.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls")).length;
  }

  get environment(): Readonly<Record<string, string>> {
    return { GITEA_INSTANCE_URL: this.url, GITEA_TOKEN: FORGE_TOKEN };
  }

  private reply(asked: LoopbackRequest): Answer {
    if (!/^(token|bearer) forge_token$/i.test(asked.headers.authorization ?? ""))
      return { status: 401, json: { message: "user does not exist [uid: 0, name: ]" } };
    const [api, version, repos, owner = "", name = "", ...rest] = asked.segments;
    if (api !== "api" || version !== "v1" || repos !== "repos") return NOT_FOUND;
    const path = `${owner}/${name}`;
    if (this.former.includes(path)) {
      const location = `${this.url}/api/v1/repos/${[this.#path, ...rest].join("/")}?${asked.query}`;
      return { status: 307, headers: { location } };
    }
    const id = [this.#path, ...this.forks].indexOf(path) + 1;
    if (id === 0) return NOT_FOUND;
    if (rest.length === 0) return { json: { id, full_name: path } };
    return this.inRepository(asked, rest);
  }

  private inRepository(asked: LoopbackRequest, [kind, name = "", ...rest]: readonly string[]): Answer {
    const part = rest.join("/");
    if (kind === "pulls" && name === "")
      return asked.method === "POST" ? this.create(asked) : this.list(asked);
    if (kind === "pulls") {
      const pull = this.pulls.find(({ number }) => String(number) === name);
      return pull ? this.about(asked, pull, part) : NOT_FOUND;
    }
    if (kind === "commits" && part === "status") {
      const found = this.checks.filter(({ sha }) => sha === name).map((each) => this.status(each));
      return paged(found, pageOf(asked), (statuses) => ({ state: "", total_count: found.length, statuses }));
    }
    if (kind === "issues" && part === "comments")
      return {
        json: this.said.map(({ body, login }, at) => ({
          ...{ id: at, body, user: { login }, created_at: TIME },
          html_url: `${this.url}/${this.#path}/pulls/1#issuecomment-${at}`,
        })),
      };
    if (kind === "actions") return this.actions(asked, [name, ...rest]);
    if (kind === "collaborators" && part === "permission") {
      if (!this.isAdministrator)
        return { status: 403, json: { message: "Only admins can query all permissions" } };
      const isStranger = this.reviews.some((each) => each.login === name && each.isStranger);
      return { json: { permission: isStranger ? "read" : "write" } };
    }
    return NOT_FOUND;
  }

  private list(asked: LoopbackRequest): Answer {
    const state = asked.query.get("state") ?? "open";
    const found = this.pulls.filter((pull) => state === "all" || pull.state === state);
    return paged(found.map((pull) => this.shown(pull)).reverse(), pageOf(asked));
  }

  private create(asked: LoopbackRequest): Answer {
    const { base, body, head, title } = JSON.parse(asked.body) as Record<string, string>;
    if (!base || !head || !title) return { status: 422, json: { message: "[Title]: Required" } };
    const [from, branch = from] = head.split(":");
    const fork = head.includes(":")
      ? this.forks.find((each) => each === from || each.split("/")[0] === from)
      : null;
    if (fork === undefined) return NOT_FOUND;
    const own = fork === null ? head : `${fork.split("/")[0]}:${branch}`;
    const sha = this.heads(refOf(own));
    if (sha === null) return NOT_FOUND;
    if (refOf(own).startsWith("empty"))
      return {
        status: 422,
        json: { message: "Invalid PullRequest: There are no changes between the head and the base" },
      };
    const there = this.openOne(own, base);
    if (there)
      return {
        status: 409,
        json: { message: `pull request already exists for these targets [issue_id: ${there.number}]` },
      };
    return { status: 201, json: this.shown(this.add(own, base, title, body ?? "")) };
  }

  private shown(pull: Pull): object {
    const { base, body, head, merged, number, state, title } = pull;
    const owner = head.includes(":") ? head.slice(0, head.indexOf(":")) : "";
    const fork = this.forks.findIndex((each) => owner !== "" && each.startsWith(`${owner}/`));
    const branch = refOf(head);
    const present = this.heads(branch);
    return {
      number,
      title,
      body,
      state,
      merged,
      mergeable: this.mergeable === true && state === "open",
      draft: false,
      html_url: `${this.url}/${this.#path}/pulls/${number}`,
      head: {
        label: branch,
        ref: present === null ? `refs/pull/${number}/head` : branch,
        sha: present ?? pull.sha,
        repo_id: fork + 2,
      },
      base: { label: base, ref: base, sha: this.heads(base) ?? "", repo_id: 1 },
    };
  }

  private about(asked: LoopbackRequest, pull: Pull, part: string): Answer {
    if (part === "") return { json: this.shown(pull) };
    if (part === "commits") return paged([{ sha: this.headOf(pull) }], pageOf(asked));
    if (part === "reviews") {
      const all = this.reviews.map((each) => this.review(each, pull));
      // Counted, but not linked.
      return { ...paged(all, pageOf(asked)), headers: { "x-total-count": String(all.length) } };
    }
    const id = /^reviews\/(\d+)\/comments$/.exec(part)?.[1];
    if (id === undefined) return NOT_FOUND;
    return { json: this.comments.filter(({ review }) => String(review) === id).flatMap(shownComment) };
  }

  private review({ body, id, login, state }: PullServer["reviews"][number], pull: Pull): object {
    const states = {
      APPROVED: "APPROVED",
      CHANGES_REQUESTED: "REQUEST_CHANGES",
      COMMENTED: "COMMENT",
      DISMISSED: "REQUEST_CHANGES",
    };
    return {
      id,
      user: { login },
      state: states[state],
      dismissed: state === "DISMISSED",
      official: false,
      body,
      commit_id: this.headOf(pull),
      submitted_at: TIME,
      comments_count: this.comments.filter(({ review }) => review === id).length,
      html_url: `${this.url}/${this.#path}/pulls/${pull.number}#issuecomment-${id}`,
    };
  }

  private status({ app, conclusion, id, name, summary }: PullServer["checks"][number]): object {
    const states = { success: "success", failure: "failure", timed_out: "error" };
    return {
      id,
      context: name,
      status: conclusion === null ? "pending" : states[conclusion],
      description: summary ?? "",
      // An address on the server itself is written without its host.
      target_url:
        app === undefined ? `/${this.#path}/actions/runs/7/jobs/${id}` : `https://${app}.example/${id}`,
    };
  }

  private actions({ query }: LoopbackRequest, [kind, id = "", part]: readonly string[]): Answer {
    const run = `${this.url}/${this.#path}/actions/runs/7`;
    if (kind === "runs" && id === "") {
      const isHere = this.checks.some(({ sha }) => sha === query.get("head_sha"));
      return { json: { total_count: 1, workflow_runs: isHere ? [{ id: 70, html_url: run }] : [] } };
    }
    if (kind === "runs" && id === "70" && part === "jobs") {
      const jobs = this.checks.map((each) => ({ id: each.id + 700, html_url: `${run}/jobs/${each.id}` }));
      return { json: { total_count: jobs.length, jobs } };
    }
    const text = kind === "jobs" && part === "logs" ? this.logs.get(String(Number(id) - 700)) : undefined;
    return text === undefined ? NOT_FOUND : { text };
  }
}

const NOT_FOUND: Answer = {
  status: 404,
  json: { errors: null, message: "The target couldn't be found.", url: "https://gitea.example/api/swagger" },
};

/** The answers to a thread are comments at the same line, in the same review; the first one has who resolved it. */
function shownComment(given: PullServer["comments"][number], at: number): readonly object[] {
  const { answer, body, hunk = "", isFormer, line, path, resolved } = given;
  const about = {
    path,
    position: isFormer ? 0 : (line ?? 0),
    original_position: isFormer || line === null ? (line ?? 1) : 0,
    diff_hunk: hunk,
    created_at: TIME,
    html_url: `https://gitea.example/acme/app/pulls/1#issuecomment-${at}`,
  };
  const resolver = resolved ? { login: "ann" } : null;
  return [
    { id: at, body, user: { login: "ann" }, resolver, ...about },
    ...(answer
      ? [{ id: at + 1000, body: answer.body, user: { login: answer.login }, resolver: null, ...about }]
      : []),
  ];
}

function pageOf({ query }: LoopbackRequest) {
  return { size: Math.min(Number(query.get("limit") ?? 20), 20), page: Number(query.get("page") ?? 1) };
}
