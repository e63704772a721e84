import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { openPullRequests } from "../forge/pull-request.ts";
import { openReviews } from "../forge/reviews.ts";
import { openLinear } from "../trackers/linear.ts";
import { openReferences } from "../trackers/references.ts";
import { openHttp } from "./http.ts";

/** A server that answers with JSON that never ends: by drops, or as fast as it is taken. */
type Manner = "dripping" | "gushing";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(manner: Manner): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"key": "');
    if (manner === "dripping") drip(response);
    else gush(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 10);
  response.on("close", () => clearInterval(timer));
}

function gush(response: ServerResponse): void {
  const chunk = "x".repeat(64_000);
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", pour);
  pour();
}

/** A repository's folder. */
function projectWith(remote: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pawl-limits-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", remote);
  return folder;
}

/** Small, so that the test need not wait; a request of its own may take far longer. */
const CUT = {
  dripping: { limits: { bytes: 10_000_000, milliseconds: 300 }, reason: "timed-out" },
  gushing: { limits: { bytes: 1_000_000, milliseconds: 60_000 }, reason: "too-large" },
} as const;
const ONE_REQUEST = 120_000;
const ANN = { ATLASSIAN_EMAIL: "ann@example.com", ATLASSIAN_API_TOKEN: "t" };

describe.each(["dripping", "gushing"] as const)("a %s server", (manner) => {
  const { limits, reason } = CUT[manner];

  it("is cut off by the clients of Jira and of Confluence, and the failure says why", async () => {
    promise("fetch.limits");
    const url = await serve(manner);
    const access = { JIRA_BASE_URL: url, CONFLUENCE_BASE_URL: url, ...ANN };
    const references = openReferences(access, limits);
    for (const reference of [
      { kind: "issue", site: "acme.atlassian.net", key: "A-1" },
      { kind: "page", site: "acme.atlassian.net", page: "7" },
    ] as const)
      expect(await references.fetch(reference)).toMatchObject({ kind: "failed", failure: { reason } });
  });

  it("is cut off by the client of GitHub", async () => {
    promise("fetch.limits");
    const folder = projectWith("https://forge.example/acme/app.git");
    const reviews = openReviews({
      folder,
      environment: { ...process.env, GITHUB_TOKEN: "t", GITHUB_API_URL: await serve(manner) },
      limits,
    });
    expect(await reviews.fetch({})).toMatchObject({ kind: "failed", failure: { reason } });
  });

  it("is cut off by the client that opens pull requests, whatever it asks for", async () => {
    promise("fetch.limits");
    const folder = projectWith("https://forge.example/acme/app.git");
    const pulls = openPullRequests({
      projectRoot: folder,
      environment: { ...process.env, GITHUB_TOKEN: "t", GITHUB_API_URL: await serve(manner) },
      limit: ONE_REQUEST,
      limits,
    });
    const kind = reason === "too-large" ? "refused" : "unreachable";
    const cut = { kind, reason: expect.stringContaining("cut off") };
    const repo = "." as Repo;
    expect(await pulls.inspect({ repo, into: "main", number: 1 })).toEqual(cut);
    const order = { repo, branch: "work", into: "main", title: "T", body: "B", commit: null };
    expect(await pulls.ensure(order)).toEqual(cut);
  });

  it("is cut off by the client of Linear", async () => {
    promise("fetch.limits");
    const linear = openLinear({ key: "k", http: openHttp({}), url: await serve(manner), limits });
    await expect(linear.read("A-1")).rejects.toMatchObject({
      code: "tracker-failed",
      message: expect.stringContaining("cut off"),
    });
  });
});
