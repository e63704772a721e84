/**
 * GitLab's API as its description has it (names and types compared with Gitbeaker 43.8), as far as merge requests need it: a project by its encoded path or its id, moved
 * ones that are only read, merge requests across projects, pipelines with jobs, statuses of other services, and discussions.
 */
import type { Answer, LoopbackRequest } from "./loopback.ts";
import { FORGE_TOKEN, type Pull, PullServer, paged, refOf, TIME } from "./pull-server.ts";

/** A user's id is made of the name. */
const userOf = (username: string) => ({
  id: [...username].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7),
  username,
});

const FORMER = "f".repeat(40);
const MERGED = "e".repeat(40);

export class GitlabServer extends PullServer {
  /** The project wants all threads resolved before a merge. */
  wantsResolved = false;
  /** A proxy drops the links to other pages. */
  losesLinks = false;
  /** The commit whose merge with the target the pipelines run on; null: they run on the branch. */
  mergedHead: string | null = null;
  readonly #path: string;

  static async open(path: string): Promise<GitlabServer> {
    const server: GitlabServer = new GitlabServer(path, (asked) => server.reply(asked));
    return server.listen();
  }

  private constructor(path: string, answer: (asked: LoopbackRequest) => Answer) {
    super(answer);
    this.#path = path;
  }

  get opened(): number {
    return this.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/merge_requests"))
      .length;
  }

  get environment(): Readonly<Record<string, string>> {
    return { GITLAB_HOST: this.url, GITLAB_TOKEN: FORGE_TOKEN };
  }

  private reply(asked: LoopbackRequest): Answer {
    if (asked.headers.authorization !== `Bearer ${FORGE_TOKEN}`)
      return { status: 401, json: { message: "401 Unauthorized" } };
    const [api, version, projects, project = "", ...rest] = asked.segments;
    if (api !== "api" || version !== "v4" || projects !== "projects") return notFound("404 Not Found");
    if (this.former.includes(project)) {
      if (asked.method !== "GET")
        return { status: 405, json: { message: "Non GET methods are not allowed for moved projects" } };
      const location = `${this.url}/api/v4/projects/1/${rest.join("/")}?${asked.query}`.replace("/?", "?");
      return { status: 302, headers: { location } };
    }
    const paths = [this.#path, ...this.forks];
    const id = /^\d+$/.test(project) ? Number(project) : paths.indexOf(project) + 1;
    const path = paths[id - 1];
    if (path === undefined) return notFound("404 Project Not Found");
    if (rest.length === 0) return { json: { id, path_with_namespace: path } };
    return this.inProject(asked, id, rest);
  }

  private inProject(asked: LoopbackRequest, id: number, [kind, ...rest]: readonly string[]): Answer {
    if (kind === "merge_requests" && rest.length === 0)
      return asked.method === "POST" ? this.create(asked, id) : this.list(asked);
    const [name = "", ...part] = rest;
    if (kind === "merge_requests") {
      const pull = this.pulls.find(({ number }) => String(number) === name);
      if (!pull) return notFound("404 Not found");
      return this.about(asked, pull, part.join("/"));
    }
    if (kind === "pipelines" && part[0] === "jobs") return this.page(this.jobs(Number(name)), asked);
    if (kind === "jobs" && part[0] === "trace") {
      const text = this.logs.get(name);
      return text === undefined ? notFound("404 Not Found") : { text };
    }
    if (kind === "repository" && name === "commits" && part[1] === "statuses")
      return this.statuses(asked, part[0] ?? "");
    if (kind === "repository" && name === "commits" && part[0] === MERGED)
      return { json: { id: MERGED, parent_ids: ["b".repeat(40), this.mergedHead] } };
    if (kind === "members") {
      const isKnown = this.reviews.some(
        ({ isStranger, login }) => !isStranger && String(userOf(login).id) === part[0],
      );
      return isKnown ? { json: { id: Number(part[0]), access_level: 30 } } : notFound("404 Not found");
    }
    return notFound("404 Not Found");
  }

  private list(asked: LoopbackRequest): Answer {
    const { query } = asked;
    const state = query.get("state") ?? "all";
    const found = this.pulls.filter(
      (pull) =>
        (state === "all" || this.stateOf(pull) === state) &&
        (query.get("source_branch") ?? refOf(pull.head)) === refOf(pull.head) &&
        (query.get("target_branch") ?? pull.base) === pull.base,
    );
    return this.page(found.map((pull) => this.shown(pull)).reverse(), asked);
  }

  private create(asked: LoopbackRequest, source: number): Answer {
    const { description, source_branch, target_branch, target_project_id, title } = JSON.parse(asked.body);
    if (!source_branch || !target_branch || !title)
      return {
        status: 400,
        json: { error: "source_branch is missing, target_branch is missing, title is missing" },
      };
    if ((target_project_id ?? source) !== 1) return notFound("404 Project Not Found");
    const fork = this.forks[source - 2];
    const head = fork === undefined ? source_branch : `${fork.split("/")[0]}:${source_branch}`;
    const there = this.openOne(head, target_branch);
    if (there) {
      const message = `Another open merge request already exists for this source branch: !${there.number}`;
      return { status: 409, json: { message: [message] } };
    }
    if (this.heads(source_branch) === null)
      return { status: 400, json: { message: { source_branch: ["does not exist"] } } };
    return { status: 201, json: this.shown(this.add(head, target_branch, title, description ?? "")) };
  }

  private about(asked: LoopbackRequest, pull: Pull, part: string): Answer {
    if (part === "") return { json: { ...this.shown(pull), ...this.judged(pull) } };
    if (part === "reviewers") return this.page(this.reviewers(), asked);
    if (part === "discussions") return this.page(this.discussions(pull), asked);
    if (part === "versions")
      return {
        json: [
          { id: 12, head_commit_sha: this.headOf(pull) },
          { id: 11, head_commit_sha: FORMER },
        ],
      };
    if (part.startsWith("versions/")) {
      const isFormer = part === "versions/11";
      const found = this.comments.filter(({ hunk, isOutdated = false }) => hunk && isOutdated === isFormer);
      const diffs = found.map(({ hunk, path }) => ({ old_path: path, new_path: path, diff: hunk }));
      return { json: { id: Number(part.slice(9)), diffs } };
    }
    return notFound("404 Not Found");
  }

  /** GitLab names the next page in a header of its own, too. */
  private page(all: readonly object[], { query }: LoopbackRequest): Answer {
    const size = Math.min(Number(query.get("per_page") ?? 20), 100);
    const page = Number(query.get("page") ?? 1);
    const { headers, json } = paged(all, { size, page });
    const next = all.length > page * size ? String(page + 1) : "";
    return { json, headers: { ...(!this.losesLinks && headers), "x-next-page": next } };
  }

  private stateOf({ merged, state }: Pull): "opened" | "merged" | "closed" {
    return merged ? "merged" : state === "open" ? "opened" : "closed";
  }

  private shown(pull: Pull): object {
    const { base, body, head, number, title } = pull;
    const owner = head.includes(":") ? head.slice(0, head.indexOf(":")) : "";
    return {
      iid: number,
      title,
      description: body,
      state: this.stateOf(pull),
      web_url: `${this.url}/${this.#path}/-/merge_requests/${number}`,
      source_branch: refOf(head),
      target_branch: base,
      source_project_id: 2 + this.forks.findIndex((fork) => owner !== "" && fork.startsWith(`${owner}/`)),
      target_project_id: 1,
      sha: this.headOf(pull),
      has_conflicts: this.mergeable === false,
      detailed_merge_status: this.mergeable === null ? "checking" : this.mergeable ? "mergeable" : "conflict",
      blocking_discussions_resolved: !(this.wantsResolved && this.comments.some(({ resolved }) => !resolved)),
    };
  }

  /** Of a single one alone. */
  private judged(pull: Pull): object {
    const sha = this.headOf(pull);
    const jobs = this.checks.filter((each) => each.sha === sha && each.app === undefined);
    if (jobs.length === 0) return { head_pipeline: null };
    const isRunning = jobs.some(({ conclusion }) => conclusion === null);
    const isRed = jobs.some(({ conclusion }) => conclusion !== "success");
    const status = isRunning ? "running" : isRed ? "failed" : "success";
    const id = this.pipelineOf(sha);
    const web_url = `${this.url}/${this.#path}/-/pipelines/${id}`;
    const on =
      this.mergedHead === null
        ? { sha, ref: refOf(pull.head) }
        : { sha: MERGED, ref: `refs/merge-requests/${pull.number}/merge` };
    return { head_pipeline: { id, project_id: 1, ...on, status, web_url } };
  }

  /** Each commit has one. */
  private pipelineOf(sha: string): number {
    return this.checks.findIndex((each) => each.sha === sha) + 900;
  }

  private jobs(pipeline: number): readonly object[] {
    return this.checks
      .filter(({ app, sha }) => app === undefined && this.pipelineOf(sha) === pipeline)
      .map(({ conclusion, id, name, summary }) => ({
        id,
        name,
        stage: "test",
        status: conclusion === null ? "running" : conclusion === "success" ? "success" : "failed",
        allow_failure: false,
        failure_reason: summary ?? "script_failure",
        web_url: `${this.url}/${this.#path}/-/jobs/${id}`,
      }));
  }

  /** With its own jobs, as GitLab lists them. */
  private statuses(asked: LoopbackRequest, sha: string): Answer {
    const found = this.checks
      .filter((each) => each.sha === sha)
      .map(({ app, conclusion, id, name, summary }) => ({
        id,
        name,
        status: conclusion === null ? "running" : conclusion === "success" ? "success" : "failed",
        allow_failure: false,
        description: summary ?? null,
        target_url:
          app === undefined ? `${this.url}/${this.#path}/-/jobs/${id}` : `https://${app}.example/${id}`,
      }));
    return this.page(found, asked);
  }

  private reviewers(): readonly object[] {
    const states = {
      APPROVED: "approved",
      CHANGES_REQUESTED: "requested_changes",
      COMMENTED: "reviewed",
      DISMISSED: "unapproved",
    };
    const last = new Map(
      this.reviews.filter(({ state }) => state !== "COMMENTED").map(({ login, state }) => [login, state]),
    );
    return [...last].map(([login, state]) => ({
      user: userOf(login),
      state: states[state],
      created_at: TIME,
    }));
  }

  /** Of each review: what it says, its threads, and what GitLab itself notes. */
  private discussions(pull: Pull): readonly object[] {
    const noted = {
      APPROVED: "approved this merge request",
      CHANGES_REQUESTED: "requested changes",
      COMMENTED: "",
      DISMISSED: "unapproved this merge request",
    };
    let next = 0;
    const note = (login: string, more: object) => ({
      id: ++next,
      author: userOf(login),
      created_at: TIME,
      system: false,
      resolvable: false,
      ...more,
    });
    const single = (login: string, more: object) => ({
      id: `d${next}`,
      individual_note: true,
      notes: [note(login, more)],
    });
    return [
      ...this.reviews.flatMap(({ body, id, login, state }) => [
        ...(body === "" ? [] : [single(login, { body })]),
        ...this.comments
          .filter(({ review }) => review === id)
          .map((given) => {
            const { answer, body: text, resolved = false } = given;
            const thread = { resolvable: true, resolved, position: this.positionOf(given, pull) };
            return {
              id: `d${next}`,
              individual_note: false,
              notes: [
                note(login, { body: text, ...thread }),
                ...(answer ? [note(answer.login, { body: answer.body, ...thread })] : []),
              ],
            };
          }),
        ...(noted[state] === "" ? [] : [single(login, { body: noted[state], system: true })]),
      ]),
      ...this.said.map(({ body, login }) => single(login, { body })),
    ];
  }

  private positionOf(given: PullServer["comments"][number], pull: Pull): object {
    const { isFormer, isOutdated, line, path, start, startsFormer } = given;
    const lineOf = (number: number | null, isOld = isFormer) =>
      isOld || number === null
        ? { new_line: null, old_line: number ?? 1 }
        : { new_line: number, old_line: null };
    const range =
      start === undefined
        ? {}
        : { line_range: { start: lineOf(start, isFormer ?? startsFormer), end: lineOf(line) } };
    return {
      position_type: "text",
      new_path: path,
      old_path: path,
      head_sha: isOutdated ? FORMER : this.headOf(pull),
      ...lineOf(line),
      ...range,
    };
  }
}

function notFound(message: string): Answer {
  return { status: 404, json: { message } };
}
