/** GitHub's API as opening a pull request needs it: one open pull request per head and base. */
import { type Answer, type Asked, Loopback } from "./loopback.ts";

export const FORGE_TOKEN = "ghp_token";

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  state: "open" | "closed";
}

export class PullRequestServer extends Loopback {
  readonly pulls: Pull[] = [];

  static async open(repository: string): Promise<PullRequestServer> {
    const server: PullRequestServer = new PullRequestServer((asked) => server.reply(asked, repository));
    return server.listen();
  }

  private reply(asked: Asked, repository: string): Answer {
    if (!/^(token|bearer) ghp_token$/i.test(asked.headers.authorization ?? ""))
      return { status: 401, json: { message: "Bad credentials" } };
    if (asked.path !== `/repos/${repository}/pulls`) return { status: 404, json: { message: "Not Found" } };
    return asked.method === "POST" ? this.create(asked, repository) : this.list(asked, repository);
  }

  private list({ query }: Asked, repository: string): Answer {
    const owner = repository.split("/")[0];
    const found = this.pulls.filter(
      (pull) =>
        pull.state === (query.get("state") ?? "open") &&
        (!query.has("head") || query.get("head") === `${owner}:${pull.head}`) &&
        (!query.has("base") || query.get("base") === pull.base),
    );
    return { json: found.map((pull) => shown(pull, repository)) };
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
    if (head.startsWith("empty")) return problem(`No commits between ${base} and ${head}`);
    const pull: Pull = { number: this.pulls.length + 1, title, body: body ?? "", head, base, state: "open" };
    this.pulls.push(pull);
    return { status: 201, json: shown(pull, repository) };
  }
}

function shown(pull: Pull, repository: string): object {
  const html_url = `https://github.com/${repository}/pull/${pull.number}`;
  return { ...pull, html_url, head: { ref: pull.head }, base: { ref: pull.base } };
}
