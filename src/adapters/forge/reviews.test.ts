import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GiteaServer } from "../../../test/rig/gitea-server.ts";
import { GitlabServer } from "../../../test/rig/gitlab-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { PullRequestServer } from "../../../test/rig/pull-request-server.ts";
import type { PullServer } from "../../../test/rig/pull-server.ts";
import { openReviews } from "./reviews.ts";

/** `knowsMore`: the forge tells of a comment on which lines it is, and whether they have changed since. */
const FORGES = [
  { name: "GitHub", open: PullRequestServer.open, knowsMore: true, bot: "ci[bot]" },
  { name: "GitLab", open: GitlabServer.open, knowsMore: true, bot: "project_7_bot_1f" },
  { name: "Gitea", open: GiteaServer.open, knowsMore: false, bot: "gitea-actions" },
] as const;

const HUNK = "@@ -40,3 +10,4 @@\n a();\n-b();\n+b(1);\n+c();\n d();\n";
const OLD_HUNK = "@@ -1,2 +1,3 @@\n a();\n+x();\n+y();\n d();\n";

let root: string;
let server: PullServer;
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
const fetch = () =>
  openReviews({ folder: root, environment: { ...process.env, ...server.environment } }).fetch({});

describe.each(FORGES)("What was said on $name", ({ bot, knowsMore, name, open }) => {
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "pawl-reviews-"));
    server = await open("acme/app");
    git("init", "-q", "-b", "topic");
    git("remote", "add", "origin", `${server.url}/acme/app.git`);
    server.pulls.push({
      ...{ number: 1, title: "Sort", body: "", head: "topic", base: "main" },
      ...{ state: "open", merged: false, sha: "" },
    });
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  it("is each verdict, each thread at its side and lines with its hunk, and what programs say", async () => {
    promise("spells.places");
    server.reviews.push(
      { id: 1, login: "ann", state: "CHANGES_REQUESTED", body: "" },
      { id: 2, login: "bob", state: "COMMENTED", body: "" },
    );
    server.comments.push(
      {
        ...{ review: 1, path: "a.ts", line: 12, start: 11, body: "Both?", hunk: HUNK },
        answer: { login: "dev", body: "Yes." },
      },
      { review: 1, path: "a.ts", line: 41, isFormer: true, body: "Gone?", hunk: HUNK },
      { review: 2, path: "a.ts", start: 41, startsFormer: true, line: 12, body: "Swap?", hunk: HUNK },
      { review: 2, path: "b.ts", line: 2, isOutdated: true, body: "Old.", hunk: OLD_HUNK },
      {
        ...{ review: 2, path: "b.ts", line: 9, resolved: true, body: "Settled." },
        answer: { login: "dev", body: "Done." },
      },
    );
    server.said.push({ login: bot, body: "Coverage: 80 %" });
    const found = await fetch();
    if (found.kind !== "fetched") throw new Error(JSON.stringify(found));
    expect(found).toMatchObject({ threads: "known", missing: null, failure: null });
    expect(found.pull).toEqual({
      ...{ repository: "acme/app", number: 1, title: "Sort", branch: "topic" },
      url: expect.stringMatching(/^http.*\/1$/),
    });
    const shown = found.remarks.map(({ author: _, part: __, time, url, ...each }) => {
      expect([time.slice(0, 10), url.slice(0, 4)]).toEqual(["2026-01-02", "http"]);
      return each;
    });
    const file = { file: "a.ts", hunk: HUNK, resolved: false };
    const range = knowsMore ? { startLine: 11 } : {};
    expect(shown).toEqual([
      { text: "", verdict: "CHANGES_REQUESTED" },
      { ...file, ...range, line: 12, text: "Both?" },
      { ...file, ...range, line: 12, text: "Yes.", reply: true },
      { ...file, line: 41, side: "former", text: "Gone?" },
      { ...file, ...(knowsMore ? { startLine: 41, startSide: "former" } : {}), line: 12, text: "Swap?" },
      {
        ...{ file: "b.ts", hunk: OLD_HUNK, line: 2, resolved: false, text: "Old." },
        ...(knowsMore ? { outdated: true } : {}),
      },
      { file: "b.ts", line: 9, resolved: true, text: "Settled." },
      { file: "b.ts", line: 9, resolved: true, text: "Done.", reply: true },
      { text: "Coverage: 80 %", bot: true },
    ]);
  });

  it("is found behind a former name, from a fork, and on later pages", async () => {
    promise("forge.renamed");
    server.former.push("old/name");
    server.forks.push("dev/app");
    git("remote", "set-url", "origin", `${server.url}/old/name.git`);
    git("remote", "add", "mine", `${server.url}/dev/app.git`);
    Object.assign(server.pulls[0] ?? {}, { head: "dev:topic" });
    server.reviews.push({ id: 1, login: "ann", state: "CHANGES_REQUESTED", body: "" });
    for (let line = 1; line <= 120; line++)
      server.comments.push({ review: 1, path: "a.ts", line, body: `remark ${line}` });
    for (let id = 2; id <= 120; id++)
      server.reviews.push({ id, login: "bob", state: "COMMENTED", body: `review ${id}` });
    const found = await fetch();
    expect(found).toMatchObject({
      kind: "fetched",
      pull: { repository: "acme/app", former: "old/name", number: 1 },
    });
    const texts = found.kind === "fetched" ? found.remarks.map(({ text }) => text) : [];
    expect(texts).toEqual(expect.arrayContaining(["remark 120", "review 120"]));
    server.pulls.length = 0;
    expect(await fetch()).toMatchObject({ kind: "no-pull-request", branch: "topic" });
  });

  it("is looked for on the first forge that a token is for", async () => {
    promise("forge.found");
    git("remote", "rename", "origin", "mirror");
    git("remote", "add", "origin", "https://codeberg.org/acme/app");
    expect(await fetch()).toMatchObject({ kind: "fetched", pull: { number: 1 } });
  });

  it("is asked for with the forge's own token alone, and the message names its variable", async () => {
    promise("forge.found");
    const [variable = ""] = Object.keys(server.environment).filter((key) => key.endsWith("TOKEN"));
    const environment = { ...process.env, ...server.environment, [variable]: "" };
    expect(await openReviews({ folder: root, environment }).fetch({})).toMatchObject({
      kind: "not-configured",
      detail: `\`${variable}\` is not set.`,
    });
    expect(server.asked).toEqual([]);
    expect(variable).toBe(`${name.toUpperCase()}_TOKEN`);
  });
});

it("finds the pull request of the branch also if a server does not say into which branch it goes", async () => {
  promise("spells.places");
  const lean = createServer(({ url }, answer) => {
    const pull = { number: 7, title: "T", html_url: "https://x/7", head: { ref: "topic" } };
    const path = (url ?? "").replace(/\?.*/, "");
    const isList = /\/(?:pulls|reviews|comments)$/.test(path);
    answer.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    answer.end(JSON.stringify(isList ? (path.endsWith("pulls") ? [pull] : []) : {}));
  });
  await new Promise<void>((listening) => lean.listen(0, "127.0.0.1", listening));
  root = mkdtempSync(join(tmpdir(), "pawl-reviews-"));
  try {
    git("init", "-q", "-b", "topic");
    git("remote", "add", "origin", "https://ghe.example.com/acme/app.git");
    const { port } = lean.address() as AddressInfo;
    const own = { GITHUB_TOKEN: "t", GITHUB_API_URL: `http://127.0.0.1:${port}/api/v3` };
    const found = await openReviews({ folder: root, environment: { ...process.env, ...own } }).fetch({});
    expect(found).toMatchObject({ kind: "fetched", pull: { repository: "acme/app", number: 7 } });
  } finally {
    lean.close();
    rmSync(root, { recursive: true, force: true });
  }
});
