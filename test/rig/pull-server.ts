/** What the servers of all forges have: pull requests, the commits of branches, checks, and what reviewers say. */
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";

export const FORGE_TOKEN = "forge_token";

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** `owner:branch` from a fork. */
  readonly head: string;
  readonly base: string;
  state: "open" | "closed";
  merged: boolean;
  /** The head's commit, kept once it is closed. */
  sha: string;
}

/** A check of the forge's own CI, or of `app`. */
export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly sha: string;
  /** Null: it is under way. */
  readonly conclusion: "success" | "failure" | "timed_out" | null;
  readonly app?: string;
  readonly summary?: string;
}

export interface GivenReview {
  readonly id: number;
  readonly login: string;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  readonly body: string;
  /** May not write in the repository. */
  readonly isStranger?: true;
}

export interface GivenComment {
  readonly review: number;
  readonly path: string;
  /** Null: its lines have changed since. */
  readonly line: number | null;
  readonly body: string;
  readonly resolved?: true;
  /** The first line of several. */
  readonly start?: number;
  /** `start` is a line of the former file, though the last one is not. */
  readonly startsFormer?: true;
  /** The line is one of the former file. */
  readonly isFormer?: true;
  readonly isOutdated?: true;
  /** The part of the diff that it is about. */
  readonly hunk?: string;
  /** What `login` answers to it. */
  readonly answer?: { readonly login: string; readonly body: string };
}

/** The commit of a branch in the forge's repository, or null. */
export type Heads = (branch: string) => string | null;

export abstract class PullServer extends Loopback {
  readonly pulls: Pull[] = [];
  readonly checks: CheckRun[] = [];
  readonly reviews: GivenReview[] = [];
  readonly comments: GivenComment[] = [];
  /** On the pull request as a whole. */
  readonly said: { readonly login: string; readonly body: string }[] = [];
  /** Of its own CI, by the check's id, where the forge itself answers with them. */
  readonly logs = new Map<string, string>();
  /** Null: the forge is still finding out. */
  mergeable: boolean | null = true;
  readonly forks: string[] = [];
  /** What the repository was called before. */
  readonly former: string[] = [];
  /** Made of the branch's name where no repository is behind the forge. */
  heads: Heads = (branch) => Buffer.from(branch).toString("hex").padEnd(40, "0").slice(0, 40);

  protected constructor(answer: (asked: LoopbackRequest) => Answer) {
    super(answer);
  }

  abstract get opened(): number;
  /** For the program: which server there is, and its token. */
  abstract get environment(): Readonly<Record<string, string>>;

  /** A person's doing, on the forge's page. */
  close(number: number, how: "merged" | "closed"): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "open") throw new Error(`#${number} is not open`);
    Object.assign(pull, { sha: this.headOf(pull), state: "closed", merged: how === "merged" });
  }

  reopen(number: number): void {
    const pull = this.pulls.find((each) => each.number === number);
    if (pull?.state !== "closed" || pull.merged) throw new Error(`#${number} cannot be reopened`);
    pull.state = "open";
  }

  protected add(head: string, base: string, title: string, body: string): Pull {
    const sha = this.heads(refOf(head)) ?? "";
    const number = this.pulls.length + 1;
    const pull: Pull = { number, title, body, head, base, state: "open", merged: false, sha };
    this.pulls.push(pull);
    return pull;
  }

  protected headOf(pull: Pull): string {
    return (pull.state === "open" ? this.heads(refOf(pull.head)) : null) ?? pull.sha;
  }

  protected openOne(head: string, base: string): Pull | undefined {
    return this.pulls.find((pull) => pull.state === "open" && pull.head === head && pull.base === base);
  }
}

export const TIME = "2026-01-02T03:04:05Z";

export function refOf(head: string): string {
  return head.slice(head.indexOf(":") + 1);
}

/** A page as a forge gives it: the next one's address is in a header, and leads astray. */
export function paged<T>(
  all: readonly T[],
  { size, page }: { readonly size: number; readonly page: number },
  shown: (items: readonly T[]) => unknown = (items) => items,
): Answer {
  const isMore = all.length > page * size;
  return {
    json: shown(all.slice((page - 1) * size, page * size)),
    ...(isMore ? { headers: { link: `<https://elsewhere.example/?page=${page + 1}>; rel="next"` } } : {}),
  };
}
