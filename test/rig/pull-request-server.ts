/**
 * GitHub's API as opening and watching a pull request needs it: one open pull request per head and base, and the head's
 * commit as long as it is open.
 */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export const FORGE_TOKEN = "ghp_token";

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  state: "open" | "closed";
  merged: boolean;
  /** The head's commit, kept once it is closed. */
  sha: string;
}

/** The commit of a branch in the forge's repository, or null. */
export type Heads = (branch: string) => string | null;

export class PullRequestServer extends Loopback {
  readonly pulls: Pull[] = [];
  /** Made of the branch's name where no repository is behind the forge. */
  heads: Heads = (branch) => Buffer.from(branch).toString("hex").padEnd(40, "0").slice(0, 40);

  static async open(repository: string): Promise<PullRequestServer> {
    const server: PullRequestServer = new PullRequestServer((asked) => server.reply(asked, repository));
    return server.listen();
  }

  /** A person's doing, on the forge's page. */
  close(number: number, how: "merged" | "closed"): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "open") throw new Error(`#${number} is not open`);
    Object.assign(pull, {
      sha: this.heads(pull.head) ?? pull.sha,
      state: "closed",
      merged: how === "merged",
    });
  }

  reopen(number: number): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "closed" || pull.merged) throw new Error(`#${number} cannot be reopened`);
    pull.state = "open";
  }

  get opened(): number {
    return this.asked.filter(({ method, path }) => method === "POST" && path.endsWith("/pulls")).length;
  }

  private reply(asked: Asked, repository: string): Answer {
    if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
      return { status: 401, json: { message: "Bad credentials" } };
    const own = `/repos/${repository}/pulls`;
    if (asked.path === own)
      return asked.method === "POST" ? this.create(asked, repository) : this.list(asked, repository);
    const pull = this.pulls.find(({ number }) => asked.path === `${own}/${number}`);
    return pull ? { json: this.shown(pull, repository) } : { status: 404, json: { message: "Not Found" } };
  }

  private list({ query }: Asked, repository: string): Answer {
    const owner = repository.split("/")[0];
    const state = query.get("state") ?? "open";
    const found = this.pulls.filter(
      (pull) =>
        (state === "all" || pull.state === state) &&
        (!query.has("head") || query.get("head") === `${owner}:${pull.head}`) &&
        (!query.has("base") || query.get("base") === pull.base),
    );
    // The newest first, as GitHub does it.
    return { json: found.map((pull) => this.shown(pull, repository)).reverse() };
  }

  private create(asked: Asked, repository: string): Answer {
    const { title, body, head, base } = JSON.parse(asked.body) as Record<string, string>;
    const problem = (message: string): Answer => ({
      status: 422,
      json: { message: "Validation Failed", errors: [{ resource: "PullRequest", code: "custom", message }] },
    });
    if (!title || !head || !base) return problem("missing field");
    if (this.pulls.some((pull) => pull.state === "open" && pull.head === head && pull.base === base))
      return problem(`A pull request already exists for acme:${head}.`);
    const sha = this.heads(head);
    if (sha === null) return problem("head is invalid");
    if (head.startsWith("empty") || sha === this.heads(base))
      return problem(`No commits between ${base} and ${head}`);
    const number = this.pulls.length + 1;
    const pull: Pull = { number, title, body: body ?? "", head, base, state: "open", merged: false, sha };
    this.pulls.push(pull);
    return { status: 201, json: this.shown(pull, repository) };
  }

  private shown(pull: Pull, repository: string): object {
    const { number, title, body, state, merged } = pull;
    const sha = (state === "open" ? this.heads(pull.head) : null) ?? pull.sha;
    return {
      number,
      title,
      body,
      state,
      html_url: `https://github.com/${repository}/pull/${number}`,
      merged_at: merged ? "2026-01-01T00:00:00Z" : null,
      head: { ref: pull.head, sha },
      base: { ref: pull.base },
    };
  }
}
