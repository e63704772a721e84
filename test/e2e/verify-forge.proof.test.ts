/** `pawl verify --forge`: a review on GitHub counts only if it approves exactly this work, by somebody else's login. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/verify/report.ts";
import {
  GITHUB_TOKEN,
  type GithubCommit,
  type GithubPull,
  GithubServer,
  review,
} from "../rig/github-server.ts";
import { pawlInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

let root: string;
let server: GithubServer;
let pulls: GithubPull[];

const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

function commit(message: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git("add", "-A");
  git("-c", "user.name=D", "-c", "user.email=d@x.y", "commit", "-qm", message);
  return git("rev-parse", "HEAD");
}

let first: string;
let head: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "pawl-forge-"));
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", "git@forge.example:acme/app.git");
  commit("Begin", { "pawl.yaml": "verify: {reviewers: [ada, bob]}\n" });
  git("checkout", "-qb", "work");
  first = commit("Half of the work", { "src/a.js": "a\n" });
  head = commit("The work", { "src/b.js": "b\n", "test/b.test.js": "b\n" });
  pulls = [];
  server = await GithubServer.open("acme/app", pulls);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const made = (sha: string, author: string | null = "dev", committer = author): GithubCommit => ({
  sha,
  author,
  committer,
});
const approves = (login: string, more: object = {}) =>
  review(login, "APPROVED", "", { commit_id: head, ...more });

/** Opens the pull request #7 of `work`. */
function open(change: Partial<GithubPull> = {}): void {
  pulls.push({
    number: 7,
    title: "Work",
    head: "acme:work",
    sha: head,
    commits: [made(first), made(head)],
    ...change,
  });
}

function run(args: readonly string[] = ["--forge"], environment: Readonly<Record<string, string>> = {}) {
  const forge = { GITHUB_TOKEN, GITHUB_API_URL: server.url };
  return pawlInside(root, ["verify", "main..work", ...args], { DOOR_ONLY: "", ...forge, ...environment });
}

async function verify(...args: readonly string[]): Promise<Report> {
  const { err, out } = await run(["--forge", "--json", ...args]);
  expect(err).toBe("");
  return JSON.parse(out) as Report;
}

async function refusal(): Promise<string> {
  const { approval, faults } = await verify();
  expect(approval).toBeNull();
  expect(faults.map(({ rule }) => rule)).toEqual(["review-missing"]);
  return faults[0]?.message ?? "";
}

describe("pawl verify --forge", () => {
  it("passes a head that a listed login approves, and says how little that proves", async () => {
    promise("verify.forge");
    open({ reviews: [approves("Ada")] });
    expect(await verify()).toMatchObject({
      faults: [],
      approval: {
        pull: "acme/app#7",
        login: "Ada",
        time: "2026-01-02T03:04:05Z",
        covers: head,
        process_files: ["test/b.test.js"],
      },
    });
    const { code, out } = await run();
    expect([code, out]).toEqual([0, expect.stringContaining("acme/app#7  review  approve  Ada")]);
    expect(out).toContain("weaker than a signature");
    expect(out).toContain("test/b.test.js");
    expect((await run(["--forge", "--format", "junit"])).out).toContain("acme/app#7 reviewed by Ada");
  });

  it.each<readonly [string, string, () => Partial<GithubPull>]>([
    ["of nobody", "has no review of ada, bob", () => ({ reviews: [] })],
    ["of a login that the base does not list", "eve is not listed", () => ({ reviews: [approves("eve")] })],
    [
      "of an older commit",
      "ada approved another commit",
      () => ({ reviews: [approves("ada", { commit_id: first })] }),
    ],
    [
      "of whom opened it",
      "ada opened the pull request",
      () => ({ author: "Ada", reviews: [approves("ada")] }),
    ],
    [
      "of the author of a commit",
      "ada made the commit",
      () => ({ commits: [made(first, "Ada", "dev"), made(head)], reviews: [approves("ada")] }),
    ],
    [
      "of who committed what another wrote",
      "ada made the commit",
      () => ({ commits: [made(first, null, "ada"), made(head)], reviews: [approves("ada")] }),
    ],
    [
      "that was dismissed",
      "ada had the review dismissed",
      () => ({ reviews: [review("ada", "DISMISSED", "", { commit_id: head })] }),
    ],
    [
      "that the same login took back, wherever the list has it",
      "ada asked for changes",
      () => ({
        reviews: [
          review("ada", "CHANGES_REQUESTED", "", { commit_id: head, submitted_at: "2026-01-03T00:00:00Z" }),
          approves("ada"),
        ],
      }),
    ],
    [
      "that is not submitted",
      "has no review of ada, bob",
      () => ({ reviews: [{ ...review("ada", "PENDING", ""), submitted_at: undefined }] }),
    ],
    [
      "of somebody who is gone",
      "has no review of ada, bob",
      () => ({ reviews: [{ ...approves("ada"), user: null }] }),
    ],
    [
      "that remarks something without approving",
      "has no review of ada, bob",
      () => ({ reviews: [review("ada", "COMMENTED", "fine", { commit_id: head })] }),
    ],
  ])("counts no review %s", async (_, why, pull) => {
    promise("verify.forge");
    open(pull());
    expect(await refusal()).toContain(why);
  });

  it.each(["base_ref_changed", "base_ref_force_pushed", "automatic_base_change_succeeded", "reopened"])(
    "counts no review from before %s, which was about another difference",
    async (event) => {
      promise("verify.forge");
      const moved = { event, created_at: "2026-01-02T04:00:00Z" };
      const events = [
        { event: "closed", created_at: "2026-01-09T00:00:00Z" },
        moved,
        { event: "base_ref_changed", created_at: "2026-01-01T00:00:00Z" },
      ];
      open({ events, reviews: [approves("ada")] });
      expect(await refusal()).toContain("before the pull request's base changed");
      pulls.length = 0;
      open({ events, reviews: [approves("ada", { submitted_at: "2026-01-02T04:00:01Z" })] });
      expect((await verify()).faults).toEqual([]);
    },
  );

  it("counts no review of a pull request that does not show the whole range", async () => {
    promise("verify.forge");
    open({ commits: [made(head)], reviews: [approves("ada")] });
    expect(await refusal()).toContain(`does not list the commit ${first.slice(0, 12)}`);
    const more = Array.from({ length: 300 }, (_, index) => made(String(index).padStart(40, "0")));
    pulls.length = 0;
    open({ commits: [...more, made(first), made(head)], reviews: [approves("ada")] });
    expect((await verify("--pull", "7")).faults[0]?.message).toContain("only the first 250 commits");
  });

  it("finds the approving login among several, and a remark after an approval changes nothing", async () => {
    promise("verify.forge");
    const reviews = [
      approves("eve"),
      review("bob", "CHANGES_REQUESTED", "no", { commit_id: head }),
      approves("ada"),
      review("ada", "COMMENTED", "nice", { commit_id: head, submitted_at: "2026-01-04T00:00:00Z" }),
    ];
    open({ reviews });
    expect((await verify()).approval).toMatchObject({ login: "ada" });
  });

  it("reads all pages: the review that takes an approval back may be on the last", async () => {
    promise("verify.forge");
    const many = Array.from({ length: 230 }, () => review("eve", "COMMENTED", "x"));
    open({ reviews: [...many, approves("ada")] });
    expect((await verify()).faults).toEqual([]);
    pulls.length = 0;
    const back = review("ada", "CHANGES_REQUESTED", "", {
      commit_id: head,
      submitted_at: "2026-01-03T00:00:00Z",
    });
    open({ reviews: [approves("ada"), ...many, back] });
    expect(await refusal()).toContain("ada asked for changes");
  });

  it("finds a pull request from a fork by its number only, and says so", async () => {
    promise("verify.forge");
    open({ fromFork: true, reviews: [approves("ada")] });
    expect(await refusal()).toContain("--pull NUMBER");
    expect((await verify("--pull", "7")).faults).toEqual([]);
  });

  it("counts no pull request with another head, be it named", async () => {
    promise("verify.forge");
    open({ sha: first, reviews: [approves("ada")] });
    expect(await refusal()).toContain("no pull request");
    expect((await verify("--pull", "7")).faults[0]?.message).toContain(`has the head ${first.slice(0, 12)}`);
  });

  it("takes the reviewers from the base, never from the range", async () => {
    promise("verify.forge");
    head = commit("More reviewers", { "pawl.yaml": "verify: {reviewers: [eve]}\n" });
    open({
      commits: [made(first), made(git("rev-parse", "HEAD~1")), made(head)],
      reviews: [approves("eve")],
    });
    expect(await refusal()).toContain("eve is not listed");
  });

  it("wants reviewers of the base, and asks GitHub nothing without them", async () => {
    promise("verify.forge");
    git("checkout", "-q", "main");
    commit("None", { "pawl.yaml": "verify: {reviewers: []}\n" });
    open({ reviews: [approves("ada")] });
    expect((await verify()).faults.map(({ rule }) => rule)).toEqual(["gates-unsigned"]);
    expect(server.asked).toEqual([]);
  });

  it("does not let a review stand for a signature that the base wants", async () => {
    promise("verify.forge");
    git("checkout", "-q", "main");
    const both = "verify: {reviewers: [ada]}\ngates: {release: signed}\n";
    commit("Signed", { "pawl.yaml": `project_id: "${"0".repeat(32)}"\n${both}` });
    open({ reviews: [approves("ada")] });
    const { faults } = await verify();
    expect(new Set(faults.map(({ rule }) => rule))).toEqual(new Set(["commit-uncovered", "review-too-weak"]));
    expect(server.asked).toEqual([]);
  });

  it("counts nothing on the forge unless it is asked to", async () => {
    promise("verify.forge");
    open({ reviews: [approves("ada")] });
    const { code, out } = await run([]);
    expect([code, out]).toEqual([1, expect.stringContaining("FAULT commit-uncovered")]);
    expect(server.asked).toEqual([]);
  });

  it.each<readonly [string, string, string, Readonly<Record<string, string>>, () => void]>([
    ["no token", "forge-unconfigured", "GITHUB_TOKEN", { GITHUB_TOKEN: "" }, () => undefined],
    ["a wrong token", "forge-failed", "valid GITHUB_TOKEN", { GITHUB_TOKEN: "wrong" }, () => undefined],
    [
      "an address without TLS",
      "forge-unconfigured",
      "GITHUB_API_URL",
      { GITHUB_API_URL: "http://forge.example" },
      () => undefined,
    ],
    ["no remote", "forge-unconfigured", "remote", {}, () => git("remote", "remove", "origin")],
    [
      "a repository that the token may not see",
      "forge-failed",
      "pull-requests: read",
      {},
      () => git("remote", "set-url", "origin", "git@forge.example:acme/other.git"),
    ],
    [
      "a token without the right",
      "forge-failed",
      "pull-requests: read",
      {},
      () => {
        const json = { message: "Resource not accessible by integration" };
        server.faults.push({ path: /reviews/, answer: { status: 403, json } });
      },
    ],
    [
      "too many requests",
      "forge-failed",
      "Try again in 60 seconds",
      {},
      () => {
        const headers = { "retry-after": "60", "x-ratelimit-remaining": "0" };
        const answer = { status: 403, headers, json: { message: "API rate limit exceeded" } };
        server.faults.push({ path: /reviews.*page=2/, answer });
      },
    ],
    [
      "an unreachable server",
      "forge-failed",
      "network",
      { GITHUB_API_URL: "http://127.0.0.1:9" },
      () => undefined,
    ],
  ])("fails as such with %s, and never passes", async (_, code, fix, environment, prepare) => {
    promise("verify.forge");
    open({ reviews: [...Array.from({ length: 150 }, () => approves("ada"))] });
    prepare();
    const ended = await run(["--forge"], environment);
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toContain(`[${code}]`);
    expect(ended.err).toContain(fix);
    expect(ended.err).not.toContain(GITHUB_TOKEN);
  });

  it.each([
    ["--pull", "7"],
    ["--forge", "--pull", "x"],
    ["--forge", "--pull", "0"],
  ])("takes no %s %s", async (...args) => {
    promise("verify.forge");
    expect(await run(args.filter(Boolean))).toMatchObject({ code: 2 });
  });
});
