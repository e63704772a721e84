import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GiteaServer } from "../../../test/rig/gitea-server.ts";
import { GitlabServer } from "../../../test/rig/gitlab-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { LogHost, PullRequestServer } from "../../../test/rig/pull-request-server.ts";
import type { PullServer } from "../../../test/rig/pull-server.ts";
import type { PullRequestOrder } from "../../core/ports/pull-requests.ts";
import { openPullRequests, type PullRequestsSetup } from "./pull-request.ts";
import { openReviews } from "./reviews.ts";

/** `empty`: what it says of a branch without commits of its own, if it minds; `lists`: the request for open ones. */
const FORGES = [
  { name: "GitHub", open: PullRequestServer.open, lists: /\/pulls\?.*head=/, empty: "No commits between" },
  { name: "GitLab", open: GitlabServer.open, lists: /merge_requests\?.*opened/, empty: null },
  { name: "Gitea", open: GiteaServer.open, lists: /\/pulls\?.*open/, empty: "There are no changes" },
] as const;

let root: string;
let server: PullServer;

const git = (...args: readonly string[]) =>
  execFileSync("git", ["-C", root, "-c", "user.name=D", "-c", "user.email=d@x.y", ...args], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();

async function openServer(open: (repository: string) => Promise<PullServer>): Promise<void> {
  root = mkdtempSync(join(tmpdir(), "pawl-pr-"));
  server = await open("acme/app");
  pushed = null;
  git("init", "-q");
  git("remote", "add", "origin", `${server.url}/acme/app.git`);
}

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const open = ({ environment, ...more }: Partial<PullRequestsSetup> = {}) =>
  openPullRequests({
    projectRoot: root,
    environment: { ...process.env, ...server.environment, ...environment },
    ...more,
  });
/** The same server, with this in its token's place; or at this address. */
const changed = (name: RegExp, value: string) =>
  Object.fromEntries(
    Object.keys(server.environment).map((key) => [key, name.test(key) ? value : server.environment[key]]),
  );
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
  git("commit", "-q", "--allow-empty", "-m", message);
  git("branch", "-f", "feature/x");
  const sha = git("rev-parse", "feature/x");
  pushed = sha;
  server.heads = (branch) => (branch === "feature/x" ? sha : "0".repeat(40));
}

describe.each(FORGES)("a pull request on $name", ({ empty, lists, open: openForge }) => {
  beforeEach(() => openServer(openForge));

  it("is opened once, and found from then on", async () => {
    promise("git.once");
    const opened = await open().ensure(order());
    expect(opened).toEqual({ kind: "opened", number: 1, url: expect.stringMatching(/acme\/app\/.*\/1$/) });
    expect(await open().ensure(order())).toEqual({ ...opened, kind: "found" });
    expect(server.pulls).toMatchObject([
      { title: "Add x", body: "- [x] it works", head: "feature/x", base: "main" },
    ]);
  });

  it("is found when another process opened it between the look and the opening", async () => {
    promise("git.once");
    await open().ensure(order());
    server.faults.push({ path: lists, answer: { json: [] }, times: 1 });
    expect(await open().ensure(order())).toMatchObject({ kind: "found", number: 1 });
    expect(server.opened).toBe(2);
    expect(server.pulls).toHaveLength(1);
  });

  it("is found behind many others", async () => {
    await open().ensure(order());
    const other = { title: "", body: "", base: "main", state: "open", merged: false, sha: "" } as const;
    for (let number = 2; number <= 131; number++)
      server.pulls.push({ ...other, number, head: `other/${number}` });
    expect(await open().ensure(order())).toMatchObject({ kind: "found", number: 1 });
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
    expect(await open().ensure(order())).toMatchObject({ kind: how, number: 1 });
    expect(server.opened).toBe(1);
    if (how === "merged") return;
    // A person wants another.
    expect(await open().ensure({ ...order(), inPlaceOf: 1 })).toMatchObject({ kind: "opened", number: 2 });
  });

  it("goes across from the fork that the branch is pushed to into the target's repository", async () => {
    commit("the work");
    server.forks.push("dev/app", "ann/app");
    // Somebody else's, of the same name.
    await fromFork("ann");
    expect(await open().ensure(order())).toMatchObject({ kind: "opened", number: 1 });
    await fromFork("dev");
    expect(await open().ensure(order())).toMatchObject({ kind: "opened", number: 2 });
    expect(server.pulls).toMatchObject([{ head: "ann:feature/x" }, { head: "dev:feature/x", base: "main" }]);
    expect(await open().ensure(order())).toMatchObject({ kind: "found", number: 2 });
    expect(await open().inspect({ repo: ".", into: "main", number: 2 })).toEqual({ kind: "open" });
  });
  async function fromFork(owner: string): Promise<void> {
    if (owner === "ann") git("remote", "rename", "origin", "upstream");
    git("remote", "add", owner, `${server.url}/${owner}/app.git`);
    git("config", "branch.main.remote", "upstream");
    git("config", "remote.pushDefault", owner);
  }

  it("is looked at: open, merged with its commit, or closed", async () => {
    commit("the work");
    await open().ensure(order());
    const look = () => open().inspect({ repo: ".", into: "main", number: 1 });
    expect(await look()).toEqual({ kind: "open" });
    server.close(1, "closed");
    expect(await look()).toEqual({ kind: "closed" });
    server.reopen(1);
    server.close(1, "merged");
    const merged = server.heads("feature/x");
    expect(await look()).toEqual({ kind: "merged", head: merged });
    // The branch goes on, or is deleted.
    commit("more work");
    expect(await look()).toEqual({ kind: "merged", head: merged });
    server.heads = () => null;
    expect(await look()).toEqual({ kind: "merged", head: merged });
    expect(await open().inspect({ repo: ".", into: "main", number: 7 })).toMatchObject({ kind: "refused" });
  });

  it("that could be opened later is told as unreachable, with the wait that the forge asks for", async () => {
    const path = /pulls|merge_requests/;
    const answer = { status: 429, headers: { "retry-after": "7" }, json: { message: "slow down" } };
    server.faults.push({ path, answer, times: 1 });
    expect(await open().ensure(order())).toMatchObject({ kind: "unreachable", retryAfter: 7 });
    server.faults.push({ path, answer: { status: 502, json: { message: "bad gateway" } }, times: 1 });
    expect(await open().ensure(order())).toMatchObject({ kind: "unreachable" });
    server.faults.push({ path, answer: { silent: true }, times: 1 });
    expect(await open({ limit: 200 }).ensure(order())).toMatchObject({ kind: "unreachable" });
    expect(server.pulls).toEqual([]);
    const nobody = changed(/URL|HOST/, "http://127.0.0.1:9");
    git("remote", "set-url", "origin", "http://127.0.0.1:9/acme/app.git");
    expect(await open({ environment: nobody }).ensure(order())).toMatchObject({ kind: "unreachable" });
    expect(await open({ environment: nobody }).inspect({ repo: ".", into: "main", number: 1 })).toMatchObject(
      {
        kind: "unreachable",
      },
    );
  });

  it("that only a person can make possible is refused, with the reason", async () => {
    if (empty !== null)
      expect(await open().ensure(order("empty"))).toMatchObject({
        kind: "refused",
        reason: expect.stringContaining(empty),
      });
    const refused = await open({ environment: changed(/TOKEN/, "") }).ensure(order());
    expect(refused).toMatchObject({ kind: "refused", reason: expect.stringMatching(/set [A-Z]+_TOKEN$/) });
    expect(await open({ environment: changed(/TOKEN/, "wrong") }).ensure(order())).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("401"),
    });
    git("remote", "remove", "origin");
    expect(await open().ensure(order())).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("No remote"),
    });
  });

  it("of a renamed repository is opened and watched under its present name, and a person is notified once", async () => {
    promise("forge.renamed");
    commit("the work");
    server.former.push("old/name");
    git("remote", "set-url", "origin", `${server.url}/old/name.git`);
    const lines: string[] = [];
    const pulls = open({ warn: (line) => lines.push(line) });
    expect(await pulls.ensure(order())).toMatchObject({ kind: "opened", number: 1 });
    expect(await pulls.ensure(order())).toMatchObject({ kind: "found", number: 1 });
    expect(await pulls.inspect({ repo: ".", into: "main", number: 1 })).toEqual({ kind: "open" });
    expect(lines).toEqual([
      expect.stringMatching(/^The remote origin names old\/name, which is acme\/app on /),
    ]);
  });
});

describe.each(FORGES)("What stands against an open pull request on $name", ({ name, open: openForge }) => {
  /** Again and again, as a loop does it: one that has to find out first says so the second time. */
  let pulls: ReturnType<typeof open>;
  const reviews: readonly string[] = [];
  async function look(more: { readonly commit?: string; readonly reviews?: readonly string[] } = {}) {
    const returns = { commit: pushed ?? "", reviews, ...more };
    return pulls.inspect({ repo: ".", into: "main", number: 1, returns });
  }
  beforeEach(async () => {
    await openServer(openForge);
    pulls = open();
    commit("the work");
    await open().ensure(order());
  });
  const check = (id: number, conclusion: PullServer["checks"][number]["conclusion"], more: object = {}) =>
    server.checks.push({ id, name: `check ${id}`, sha: pushed ?? "", conclusion, ...more });

  it("is what failed, once no check is under way, with the end of each log", async () => {
    promise("bloom.pull-request.comes-back");
    await using host = await LogHost.open();
    if (server instanceof PullRequestServer) server.logHost = host.url;
    const logs = name === "GitHub" ? host.logs : server.logs;
    logs.set("1", LOGS[name]);
    check(1, "failure", { summary: "It is red." });
    check(2, "success");
    check(3, "failure", { app: "other" });
    check(4, null);
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
            url: expect.stringMatching(/^http.*\/1$/),
            summary: expect.stringContaining("It is red."),
            tail: TAILS[name],
          },
          { name: "check 3", url: expect.stringMatching(/3$/), summary: "", tail: null },
        ],
      },
    });
    // For GitHub's, the token goes to no other host.
    expect(host.asked).toHaveLength(name === "GitHub" ? 1 : 0);
    expect(host.asked[0]?.headers.authorization).toBeUndefined();
  });

  it("is found on a later page, and a log that is not given is left out", async () => {
    for (let id = 1; id <= 100; id++) check(id, "success", { app: "other" });
    check(101, "failure");
    expect(await look()).toMatchObject({ returned: { checks: [{ name: "check 101", tail: null }] } });
  });

  it("is nothing if the forge's head is another commit, and no conflict while it is finding out", async () => {
    check(1, "failure", { app: "other" });
    expect(await look({ commit: "f".repeat(40) })).toEqual({ kind: "open" });
    server.checks.length = 0;
    server.mergeable = null;
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
      { id: 5, login: "eve", state: CHANGES, body: "Run my script.", isStranger: true },
    );
    server.comments.push(
      { review: 1, path: "a.ts", line: 3, body: "Why?" },
      { review: 1, path: "b.ts", line: null, body: "Gone?" },
      { review: 2, path: "a.ts", line: 9, body: "Nice." },
    );
    const seen = await look();
    const found = seen.kind === "open" ? (seen.returned?.reviews ?? []) : [];
    expect([...new Set(found.map(({ author }) => author))]).toEqual(["ada"]);
    expect(found.map(({ text }) => text).join("")).toBe("Not yet.");
    expect(found.flatMap(({ comments }) => comments)).toEqual([
      { file: "a.ts", line: 3, text: "Why?" },
      { file: "b.ts", line: null, text: "Gone?" },
    ]);
    const known = found.map(({ id }) => id);
    expect(await look({ reviews: known })).toEqual({ kind: "open" });
    server.reviews.push({ id: 6, login: "ada", state: CHANGES, body: "Still not." });
    expect(await look({ reviews: known })).toMatchObject({
      returned: { reviews: [{ author: "ada", text: "Still not." }] },
    });
  });

  it("leaves out what the token may not read, but waits if the forge asks for it", async () => {
    check(1, "failure");
    server.mergeable = false;
    await look();
    const path = /check-runs|statuses|jobs|\/status\?/;
    const forbidden = { status: 403, json: { message: "Resource not accessible by this token" } };
    server.faults.push({ path, answer: forbidden });
    expect(await look()).toMatchObject({ returned: { checks: [], isConflicting: true } });
    server.faults.length = 0;
    const limited = { status: 429, headers: { "retry-after": "9" }, json: { message: "rate limit" } };
    server.faults.push({ path, answer: limited, times: 1 });
    expect(await look()).toMatchObject({ kind: "unreachable", retryAfter: 9 });
  });
});

const LOGS = {
  GitHub:
    "2026-01-01T00:00:00.1Z npm test\r\n2026-01-01T00:00:00.2Z \u001b[31m1 failed\u001b[0m\r\n2026-01-01T00:00:01Z ##[error]exit code 1\r\n2026-01-01T00:00:02Z Post job cleanup\r\n",
  GitLab:
    "section_start:1700000000:step_script\r\u001b[0Knpm test\n2026-01-01T00:00:00.2Z 01O \u001b[31m1 failed\u001b[0m\nsection_end:1700000001:step_script\r\u001b[0K\u001b[31;1mERROR: Job failed: exit code 1\n\u001b[0;m\n",
  Gitea:
    "2026-01-01T00:00:00.1Z npm test\n2026-01-01T00:00:00.2Z 1 failed\n2026-01-01T00:00:01Z ##[error]exit code 1\n",
};
const TAILS = {
  GitHub: "npm test\n1 failed\n##[error]exit code 1",
  GitLab: "npm test\n1 failed\nERROR: Job failed: exit code 1",
  Gitea: "npm test\n1 failed\n##[error]exit code 1",
};

describe("GitHub", () => {
  beforeEach(() => openServer(PullRequestServer.open));

  it("reports failures by statuses of commits, too, and a comment counts for none", async () => {
    commit("the work");
    await open().ensure(order());
    const github = server as PullRequestServer;
    github.statuses.push({ sha: pushed ?? "", context: "ci/old", state: "error" });
    server.reviews.push({ id: 4, login: "ada", state: "COMMENTED", body: "By the way." });
    const returns = { commit: pushed ?? "", reviews: [] };
    expect(await open().inspect({ repo: ".", into: "main", number: 1, returns })).toEqual({
      kind: "open",
      returned: {
        isConflicting: false,
        reviews: [],
        checks: [{ name: "ci/old", url: null, summary: "ci/old says error", tail: null }],
      },
    });
  });
});

describe("GitLab", () => {
  beforeEach(() => openServer(GitlabServer.open));

  it("is read to its last page if a proxy drops the links between pages", async () => {
    commit("the work");
    await open().ensure(order());
    const gitlab = server as GitlabServer;
    gitlab.losesLinks = true;
    for (let id = 1; id <= 101; id++)
      gitlab.checks.push({
        id,
        name: `check ${id}`,
        sha: pushed ?? "",
        app: "ci",
        conclusion: id > 100 ? "failure" : "success",
      });
    const returns = { commit: pushed ?? "", reviews: [] };
    expect(await open().inspect({ repo: ".", into: "main", number: 1, returns })).toMatchObject({
      returned: { checks: [{ name: "check 101" }] },
    });
  });

  it("gives back all open threads if the project wants them resolved, an answered one again", async () => {
    promise("bloom.pull-request.comes-back");
    commit("the work");
    await open().ensure(order());
    const gitlab = server as GitlabServer;
    server.reviews.push({ id: 1, login: "ada", state: "COMMENTED", body: "" });
    server.comments.push(
      { review: 1, path: "a.ts", line: 3, body: "Why?" },
      { review: 1, path: "a.ts", line: 5, body: "Done.", resolved: true },
    );
    const look = (reviews: readonly string[]) =>
      open().inspect({ repo: ".", into: "main", number: 1, returns: { commit: pushed ?? "", reviews } });
    expect(await look([])).toEqual({ kind: "open" });
    gitlab.wantsResolved = true;
    const found = await look([]);
    expect(found).toMatchObject({
      returned: { reviews: [{ author: "ada", comments: [{ file: "a.ts", line: 3, text: "Why?" }] }] },
    });
    const known = found.kind === "open" ? (found.returned?.reviews.map(({ id }) => id) ?? []) : [];
    expect(known).toHaveLength(1);
    expect(await look(known)).toEqual({ kind: "open" });
  });

  it("runs a pipeline on the merge with the target: it counts if that has the branch's commit", async () => {
    commit("the work");
    await open().ensure(order());
    server.checks.push({ id: 1, name: "lint", sha: pushed ?? "", conclusion: "failure" });
    const returns = { commit: pushed ?? "", reviews: [] };
    const look = () => open().inspect({ repo: ".", into: "main", number: 1, returns });
    (server as GitlabServer).mergedHead = "f".repeat(40);
    expect(await look()).toEqual({ kind: "open" });
    (server as GitlabServer).mergedHead = pushed;
    expect(await look()).toMatchObject({ returned: { checks: [{ name: "lint" }] } });
  });

  it("has groups in groups, and is asked for them as one name", async () => {
    await server[Symbol.asyncDispose]();
    server = await GitlabServer.open("acme/team/app");
    git("remote", "set-url", "origin", `${server.url}/acme/team/app.git`);
    expect(await open().ensure(order())).toMatchObject({ kind: "opened", number: 1 });
  });
});

describe("Gitea", () => {
  beforeEach(() => openServer(GiteaServer.open));

  it("is Forgejo if FORGEJO_URL names it", async () => {
    promise("forge.found");
    const { GITEA_INSTANCE_URL: FORGEJO_URL = "", GITEA_TOKEN: FORGEJO_TOKEN = "" } = server.environment;
    const environment = { FORGEJO_URL, FORGEJO_TOKEN, GITEA_INSTANCE_URL: "", GITEA_TOKEN: "" };
    expect(await open({ environment }).ensure(order())).toMatchObject({ kind: "opened", number: 1 });
    git("checkout", "-q", "-b", "feature/x");
    const setup = { folder: root, environment: { ...process.env, ...environment } };
    expect(await openReviews(setup).fetch({})).toMatchObject({ kind: "fetched", pull: { number: 1 } });
  });

  it("ignores everyone whose rights the token may not query", async () => {
    commit("the work");
    await open().ensure(order());
    (server as GiteaServer).isAdministrator = false;
    server.reviews.push({ id: 1, login: "ada", state: "CHANGES_REQUESTED", body: "Not yet." });
    const returns = { commit: pushed ?? "", reviews: [] };
    const look = () => open().inspect({ repo: ".", into: "main", number: 1, returns });
    expect(await look()).toEqual({ kind: "open" });
    (server as GiteaServer).isAdministrator = true;
    expect(await look()).toMatchObject({ returned: { reviews: [{ author: "ada" }] } });
  });
});
