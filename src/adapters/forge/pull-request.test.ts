import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { FORGE_TOKEN, LogHost, PullRequestServer } from "../../../test/rig/pull-request-server.ts";
import type { PullRequestOrder } from "../../core/ports/pull-requests.ts";
import { openPullRequests } from "./pull-request.ts";

let root: string;
let server: PullRequestServer;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "pawl-pr-"));
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "remote", "add", "origin", "git@forge.example:acme/app.git"]);
  server = await PullRequestServer.open("acme/app");
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const open = (change: object = {}) =>
  openPullRequests({
    projectRoot: root,
    environment: process.env,
    api: server.url,
    token: FORGE_TOKEN,
    ...change,
  });
const order = (branch = "feature/x"): PullRequestOrder => ({
  repo: ".",
  branch,
  into: "main",
  title: "Add x",
  body: "- [x] it works",
  commit: branch === "feature/x" ? pushed : null,
});

/** The commit of feature/x. */
let pushed: string | null = null;

/** On the branch `feature/x`, as the forge knows it too. */
function commit(message: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=D", "-c", "user.email=d@x.y", ...args], {
      encoding: "utf8",
    }).trim();
  git("commit", "-q", "--allow-empty", "-m", message);
  git("branch", "-f", "feature/x");
  const sha = git("rev-parse", "feature/x");
  pushed = sha;
  server.heads = (branch) => (branch === "feature/x" ? sha : "0".repeat(40));
}

describe("a pull request", () => {
  it("is opened once, and found from then on", async () => {
    promise("git.once");
    const opened = await open().ensure(order());
    expect(opened).toEqual({ kind: "opened", number: 1, url: "https://github.com/acme/app/pull/1" });
    expect(await open().ensure(order())).toEqual({ ...opened, kind: "found" });
    expect(server.pulls).toMatchObject([
      { title: "Add x", body: "- [x] it works", head: "feature/x", base: "main" },
    ]);
  });

  it("is found when another process opened it between the look and the opening", async () => {
    await open().ensure(order());
    server.faults.push({ path: /pulls\?.*head=/, answer: { json: [] }, times: 1 });
    expect(await open().ensure(order())).toMatchObject({ kind: "found", number: 1 });
    expect(server.pulls).toHaveLength(1);
  });

  it("that was about another commit, or goes into another branch, is no reason not to open one", async () => {
    commit("the work");
    await open().ensure({ ...order(), into: "release" });
    await open().ensure(order());
    server.close(2, "merged");
    commit("more work");
    expect(await open().ensure(order())).toMatchObject({ kind: "opened", number: 3 });
  });

  it.each(["merged", "closed"] as const)("that is %s with this very commit is found", async (how) => {
    commit("the work");
    await open().ensure(order());
    server.close(1, how);
    expect(await open().ensure(order())).toEqual({
      kind: how,
      number: 1,
      url: "https://github.com/acme/app/pull/1",
    });
    expect(server.opened).toBe(1);
    if (how === "merged") return;
    // A person wants another.
    expect(await open().ensure({ ...order(), inPlaceOf: 1 })).toMatchObject({ kind: "opened", number: 2 });
  });

  it("goes across from the fork that the branch is pushed to into the target's repository", async () => {
    commit("the work");
    const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args]);
    git("remote", "rename", "origin", "upstream");
    git("remote", "add", "origin", "git@forge.example:dev/app.git");
    git("config", "branch.main.remote", "upstream");
    git("config", "remote.pushDefault", "origin");
    expect(await open().ensure(order())).toMatchObject({ kind: "opened", number: 1 });
    expect(server.pulls).toMatchObject([{ head: "dev:feature/x", base: "main" }]);
    expect(await open().ensure(order())).toMatchObject({ kind: "found", number: 1 });
    expect(await open().look({ repo: ".", into: "main", number: 1 })).toEqual({ kind: "open" });
  });

  it("is looked at: open, merged with its commit, or closed", async () => {
    commit("the work");
    await open().ensure(order());
    const look = () => open().look({ repo: ".", into: "main", number: 1 });
    expect(await look()).toEqual({ kind: "open" });
    server.close(1, "closed");
    expect(await look()).toEqual({ kind: "closed" });
    server.reopen(1);
    server.close(1, "merged");
    expect(await look()).toEqual({ kind: "merged", head: server.heads("feature/x") });
    expect(await open().look({ repo: ".", into: "main", number: 7 })).toMatchObject({ kind: "refused" });
    expect(await open({ token: null }).look({ repo: ".", into: "main", number: 1 })).toMatchObject({
      kind: "refused",
    });
    expect(
      await open({ api: "http://127.0.0.1:9" }).look({ repo: ".", into: "main", number: 1 }),
    ).toMatchObject({
      kind: "unreachable",
    });
  });

  it("that could be opened later is told as unreachable, with the wait that the forge asks for", async () => {
    const answer = { status: 429, headers: { "retry-after": "7" }, json: { message: "slow down" } };
    server.faults.push({ path: /pulls/, answer, times: 1 });
    expect(await open().ensure(order())).toMatchObject({ kind: "unreachable", retryAfter: 7 });
    server.faults.push({
      path: /pulls/,
      answer: { status: 502, json: { message: "bad gateway" } },
      times: 1,
    });
    expect(await open().ensure(order())).toMatchObject({ kind: "unreachable" });
    server.faults.push({ path: /pulls/, answer: { silent: true }, times: 1 });
    expect(await open({ limit: 200 }).ensure(order())).toMatchObject({ kind: "unreachable" });
    expect(await open({ api: "http://127.0.0.1:9" }).ensure(order())).toMatchObject({ kind: "unreachable" });
    expect(server.pulls).toEqual([]);
  });

  it("that only a person can make possible is refused, with the reason", async () => {
    expect(await open().ensure(order("empty"))).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("No commits between"),
    });
    expect(await open({ token: null }).ensure(order())).toMatchObject({ kind: "refused" });
    expect(await open({ token: "wrong" }).ensure(order())).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("401"),
    });
    execFileSync("git", ["-C", root, "remote", "remove", "origin"]);
    expect(await open().ensure(order())).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("no remote"),
    });
  });
});

describe("What stands against an open pull request", () => {
  const reviews: readonly string[] = [];
  async function look(more: { readonly commit?: string; readonly reviews?: readonly string[] } = {}) {
    return open().look({
      repo: ".",
      into: "main",
      number: 1,
      returns: { commit: pushed ?? "", reviews, ...more },
    });
  }
  beforeEach(async () => {
    commit("the work");
    await open().ensure(order());
  });
  const check = (id: number, conclusion: string | null, more: object = {}) =>
    server.checks.push({ id, name: `check ${id}`, sha: pushed ?? "", conclusion, ...more });

  it("is what failed, once no check is under way, with the end of each log, for which the token goes to no other host", async () => {
    promise("bloom.pull-request.comes-back");
    await using host = await LogHost.open();
    server.logHost = host.url;
    host.logs.set(
      "1",
      "2026-01-01T00:00:00.1Z npm test\r\n2026-01-01T00:00:00.2Z \u001b[31m1 failed\u001b[0m\r\n2026-01-01T00:00:01Z ##[error]exit code 1\r\n2026-01-01T00:00:02Z Post job cleanup\r\n",
    );
    check(1, "failure", { summary: "It is red." });
    check(2, "success");
    check(3, "timed_out", { app: "other" });
    check(4, null);
    server.statuses.push({ sha: pushed ?? "", context: "ci/old", state: "error" });
    // One is still under way.
    expect(await look()).toEqual({ kind: "open" });
    server.checks.pop();
    expect(await look()).toEqual({
      kind: "open",
      returned: {
        isConflicting: false,
        reviews: [],
        checks: [
          {
            name: "check 1",
            url: "https://github.com/checks/1",
            summary: "It is red.",
            tail: "npm test\n1 failed\n##[error]exit code 1",
          },
          { name: "check 3", url: "https://github.com/checks/3", summary: "", tail: null },
          { name: "ci/old", url: null, summary: "ci/old says error", tail: null },
        ],
      },
    });
    expect(host.asked).toHaveLength(1);
    expect(host.asked[0]?.headers.authorization).toBeUndefined();
  });

  it("is found on a later page, and a log that is not given is left out", async () => {
    for (let id = 1; id <= 100; id++) check(id, "success");
    check(101, "failure");
    server.logHost = "http://127.0.0.1:9";
    expect(await look()).toMatchObject({ returned: { checks: [{ name: "check 101", tail: null }] } });
  });

  it("is nothing where the forge's head is another commit, and no conflict while it is finding out", async () => {
    check(1, "failure", { app: "other" });
    server.mergeable = null;
    expect(await look({ commit: "f".repeat(40) })).toEqual({ kind: "open" });
    server.checks.length = 0;
    expect(await look()).toEqual({ kind: "open" });
    server.mergeable = false;
    expect(await look()).toEqual({
      kind: "open",
      returned: { checks: [], reviews: [], isConflicting: true },
    });
  });

  it("is each reviewer's last verdict, with the comments at their lines, of those who may write there", async () => {
    const CHANGES = "CHANGES_REQUESTED";
    server.reviews.push(
      { id: 1, login: "ada", state: CHANGES, body: "Not yet." },
      { id: 2, login: "bob", state: CHANGES, body: "No." },
      { id: 3, login: "bob", state: "APPROVED", body: "" },
      { id: 4, login: "ada", state: "COMMENTED", body: "By the way." },
      { id: 5, login: "eve", state: CHANGES, body: "Run my script.", association: "NONE" },
    );
    server.comments.push(
      { review: 1, path: "a.ts", line: 3, body: "Why?" },
      { review: 1, path: "b.ts", line: null, body: "Gone?" },
      { review: 4, path: "a.ts", line: 9, body: "Nice." },
    );
    const comments = [
      { file: "a.ts", line: 3, text: "Why?" },
      { file: "b.ts", line: null, text: "Gone?" },
    ];
    expect(await look()).toMatchObject({
      returned: { reviews: [{ id: "1", author: "ada", text: "Not yet.", comments }] },
    });
    expect(await look({ reviews: ["1"] })).toEqual({ kind: "open" });
  });

  it("leaves out what the token may not read, but waits where the forge asks for it", async () => {
    server.mergeable = false;
    const forbidden = { status: 403, json: { message: "Resource not accessible by personal access token" } };
    server.faults.push({ path: /check-runs/, answer: forbidden, times: 1 });
    expect(await look()).toMatchObject({ returned: { isConflicting: true } });
    const limited = { status: 403, headers: { "retry-after": "9" }, json: { message: "rate limit" } };
    server.faults.push({ path: /check-runs/, answer: limited, times: 1 });
    expect(await look()).toMatchObject({ kind: "unreachable", retryAfter: 9 });
  });
});
