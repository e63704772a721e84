import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { FORGE_TOKEN, PullRequestServer } from "../../../test/rig/pull-request-server.ts";
import { stateHome } from "../../../test/rig/state-home.ts";
import type { PullRequestOrder } from "../../core/ports/pull-requests.ts";
import { worktreePathsOf } from "../git/worktree-paths.ts";
import { workFolder } from "../process/work-folder.ts";
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
});

/** On the branch `feature/x`, as the hub and the forge know it too. */
function commit(message: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=D", "-c", "user.email=d@x.y", ...args], {
      encoding: "utf8",
    }).trim();
  git("commit", "-q", "--allow-empty", "-m", message);
  git("branch", "-f", "feature/x");
  const { hub } = worktreePathsOf({ projectRoot: root, work: workFolder(root, stateHome()) }, ".");
  mkdirSync(dirname(hub), { recursive: true });
  git("init", "-q", "--bare", hub);
  git("push", "-q", "-f", hub, "feature/x");
  const sha = git("rev-parse", "feature/x");
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

  it("is looked at: open, merged with its commit, or closed", async () => {
    commit("the work");
    await open().ensure(order());
    const look = () => open().look({ repo: ".", number: 1 });
    expect(await look()).toEqual({ kind: "open" });
    server.close(1, "closed");
    expect(await look()).toEqual({ kind: "closed" });
    server.reopen(1);
    server.close(1, "merged");
    expect(await look()).toEqual({ kind: "merged", head: server.heads("feature/x") });
    expect(await open().look({ repo: ".", number: 7 })).toMatchObject({ kind: "refused" });
    expect(await open({ token: null }).look({ repo: ".", number: 1 })).toMatchObject({ kind: "refused" });
    expect(await open({ api: "http://127.0.0.1:9" }).look({ repo: ".", number: 1 })).toMatchObject({
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
