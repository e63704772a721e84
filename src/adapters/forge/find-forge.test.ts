import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, Loopback, type LoopbackRequest } from "../../../test/rig/loopback.ts";
import { promise } from "../../../test/rig/promise.ts";
import { findForges } from "./find-forge.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-forge-"));
  execFileSync("git", ["init", "-q", "-b", "work", root]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const remote = (name: string, url: string) =>
  execFileSync("git", ["-C", root, "remote", "add", name, url], { stdio: "pipe" });
const find = (more: Readonly<Record<string, string>> = {}) =>
  findForges(root, { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...more });

/** Answers as the public part of a forge's API does. */
class PublicServer extends Loopback {
  static open(answers: Readonly<Record<string, Answer>>): Promise<PublicServer> {
    const server = new PublicServer(
      ({ path }: LoopbackRequest) => answers[path] ?? { status: 404, json: {} },
    );
    return server.listen();
  }
}

test("each remote is on its own forge, with the token that is for it and no other", async () => {
  promise("forge.found");
  remote("mirror", "https://github.com/acme/app");
  remote("origin", "git@gitlab.com:acme/team/app.git");
  remote("codeberg", "https://codeberg.org/acme/app");
  remote("else", "https://git.acme.example/acme/app");
  const found = await find({ GITHUB_TOKEN: "hub", GITLAB_TOKEN: "lab", GITEA_TOKEN: "tea" });
  expect(found).toMatchObject({ branch: "work", pushedAs: null });
  const remotes = "remotes" in found ? found.remotes : [];
  expect(remotes.map(({ name, path, server }) => [name, path, server.api, server.token])).toEqual([
    ["origin", "acme/team/app", "https://gitlab.com/api/v4", "lab"],
    ["codeberg", "acme/app", "https://codeberg.org/api/v1", undefined],
    ["mirror", "acme/app", "https://api.github.com", "hub"],
  ]);
});

test.each([
  ["GITLAB_HOST", { "/api/v4/version": { status: 401, json: { message: "401 Unauthorized" } } }],
  ["FORGEJO_URL", { "/api/forgejo/v1/version": { json: { version: "12.0.0+gitea-1.22.0" } } }],
  ["GITEA_INSTANCE_URL", { "/api/v1/version": { json: { version: "1.24.0" } } }],
  ["GITHUB_API_URL", { "/api/v3/meta": { status: 401, headers: { "x-github-request-id": "1" }, json: {} } }],
] as const)(
  "an unknown server is asked once what it is, without a token: set %s",
  async (variable, answers) => {
    promise("forge.found");
    await using server = await PublicServer.open(answers);
    remote("origin", `${server.url}/acme/app.git`);
    const tokens = { GITHUB_TOKEN: "t", GITLAB_TOKEN: "t", GITEA_TOKEN: "t", FORGEJO_TOKEN: "t" };
    const found = await find(tokens);
    expect(found).toMatchObject({ help: expect.stringContaining(`Set \`${variable}=${server.url}`) });
    const asked = server.asked.length;
    expect(await find(tokens)).toEqual(found);
    expect(server.asked).toHaveLength(asked);
    for (const { headers } of server.asked) expect(headers.authorization).toBeUndefined();
    const named = await find({ ...tokens, [variable]: server.url });
    expect(named).toMatchObject({ remotes: [{ path: "acme/app", server: { token: "t" } }] });
  },
);

test("a server that is no forge, or a page to sign in, is none", async () => {
  promise("forge.found");
  const page = { status: 200, text: "<html>Sign in</html>" };
  await using server = await PublicServer.open({ "/api/v4/version": page, "/api/v1/version": page });
  remote("origin", `${server.url}/acme/app.git`);
  expect(await find()).toMatchObject({
    detail: "No remote of the repository is on GitHub, GitLab, Gitea or Forgejo.",
    help: expect.stringContaining("`GITLAB_HOST`, `FORGEJO_URL`, `GITEA_INSTANCE_URL`, `GITHUB_API_URL`"),
  });
});

test("an address that cannot be used is said, unless the remotes are elsewhere", async () => {
  promise("forge.found");
  const environment = { GITEA_INSTANCE_URL: "http://git.acme.example", GITEA_TOKEN: "t" };
  remote("origin", "http://git.acme.example/acme/app");
  expect(await find(environment)).toEqual({
    detail: expect.stringContaining("`GITEA_INSTANCE_URL` cannot be used"),
    help: "Correct `GITEA_INSTANCE_URL`, or unset it.",
  });
  remote("hub", "https://github.com/acme/app");
  expect(await find(environment)).toMatchObject({ remotes: [{ name: "hub" }] });
  rmSync(join(root, ".git"), { recursive: true });
  expect(await find()).toMatchObject({ help: "Check that `git status` works in the project." });
});

test("with a GitHub server of one's own, remotes on other forges stay theirs", async () => {
  promise("forge.found");
  remote("origin", "git@git.acme.example:acme/app");
  remote("lab", "https://gitlab.com/acme/app");
  const found = await find({ GITHUB_API_URL: "https://git.acme.example/api/v3" });
  expect(found).toMatchObject({ remotes: [{ server: { name: "GitHub" } }, { server: { name: "GitLab" } }] });
});
