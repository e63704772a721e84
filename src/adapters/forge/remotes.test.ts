import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseAddress, readCheckout } from "./remotes.ts";
import { type ForgeKind, pathOn, serverOf } from "./servers.ts";

/** The repository that an address names on a forge, by the environment's variables. */
function pathIn(url: string, kind: ForgeKind, environment: Readonly<Record<string, string>> = {}) {
  const server = serverOf(kind, environment);
  if ("detail" in server) throw new Error(server.detail);
  const address = parseAddress(url);
  return address && pathOn(server, address);
}

test.each([
  "https://github.com/acme/app.git",
  "https://github.com/acme/app/",
  "https://ann:secret@github.com/acme/app",
  "git@github.com:acme/app.git",
  "ssh://git@github.com/acme/app.git",
  "ssh://git@ssh.github.com:443/acme/app.git",
  "git://github.com/acme/app.git",
])("%s is a remote on GitHub", (url) => {
  expect(pathIn(url, "github")).toBe("acme/app");
});

test.each([
  "https://gitlab.com/acme/app.git",
  "https://github.com.evil.example/acme/app",
  "git@notgithub.com:acme/app.git",
  "/srv/git/app.git",
  "../app",
  "https://github.com/acme",
  "https://github.com/acme/..",
])("%s is none", (url) => {
  expect(pathIn(url, "github")).toBeNull();
});

test("on a GitHub server of one's own the last two path segments of any remote count", () => {
  const own = { GITHUB_API_URL: "https://forge.example/api/v3" };
  for (const url of ["https://forge.example/git/acme/app.git", "git@mirror.example:deep/acme/app"])
    expect(pathIn(url, "github", own)).toBe("acme/app");
});

test("other forges are found by their own hosts, or by the address that their variable names", () => {
  promise("forge.found");
  const found: readonly (readonly [string, ForgeKind, Readonly<Record<string, string>>, string | null])[] = [
    ["https://gitlab.com/acme/team/app.git", "gitlab", {}, "acme/team/app"],
    ["git@gitlab.com:acme/app.git", "gitlab", {}, "acme/app"],
    ["ssh://git@altssh.gitlab.com:443/acme/app", "gitlab", {}, "acme/app"],
    ["https://gitlab.com/app", "gitlab", {}, null],
    ["https://gitlab.com/acme/../app", "gitlab", {}, null],
    ["https://codeberg.org/acme/app.git", "forgejo", {}, "acme/app"],
    ["https://codeberg.org/acme/app.git", "gitea", {}, null],
    ["https://gitea.com/acme/app", "gitea", {}, "acme/app"],
    ["https://git.acme.example:8443/acme/app", "gitlab", { GITLAB_HOST: "git.acme.example" }, "acme/app"],
    ["https://gitlab.com/acme/app", "gitlab", { GITLAB_HOST: "git.acme.example" }, null],
    [
      "https://acme.example/gitlab/acme/app",
      "gitlab",
      { GITLAB_HOST: "https://acme.example/gitlab/" },
      "acme/app",
    ],
    ["git@acme.example:acme/app", "gitlab", { GITLAB_HOST: "https://acme.example/gitlab" }, "acme/app"],
    [
      "git@git.acme.example:acme/app",
      "gitea",
      { GITEA_INSTANCE_URL: "https://git.acme.example" },
      "acme/app",
    ],
    ["git@evil-git.acme.example:acme/app", "forgejo", { FORGEJO_URL: "https://git.acme.example" }, null],
  ];
  for (const [url, kind, environment, path] of found) expect(pathIn(url, kind, environment), url).toBe(path);
});

test("an address that would carry a token without protection is refused", () => {
  promise("forge.found");
  expect(serverOf("gitlab", { GITLAB_HOST: "http://git.acme.example" })).toEqual({
    detail: "`GITLAB_HOST` cannot be used: it must begin with https://, since credentials are sent to it.",
    help: "Correct `GITLAB_HOST`, or unset it.",
  });
});

describe("a checkout", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** A remote, by the repository on GitHub that its first address there names. */
  const onGithub = ({ remotes }: Awaited<ReturnType<typeof readCheckout>>) =>
    remotes.flatMap(({ addresses, name }) => {
      const server = serverOf("github", {});
      const paths = "detail" in server ? [] : addresses.map((each) => pathOn(server, each));
      const path = paths.find((each) => each !== null);
      return path ? [`${name}: ${path}`] : [];
    });

  /** A repository on the branch wt-1, and a home whose git rewrites `gh:`. */
  function checkout(...commands: readonly (readonly string[])[]) {
    const folder = mkdtempSync(join(tmpdir(), "pawl-remote-"));
    folders.push(folder);
    const environment = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...words: readonly string[]) =>
      execFileSync("git", words, { cwd: folder, env: environment, stdio: "pipe" });
    mkdirSync(join(folder, ".ssh"));
    writeFileSync(join(folder, ".ssh/config"), "Host github.com-work\n  HostName github.com\n  User git\n");
    git("config", "--global", "url.git@github.com:.insteadOf", "gh:");
    git("init", "-q", "-b", "wt-1");
    for (const words of commands) git(...words);
    return readCheckout(folder, environment);
  }

  test("has a remote that is fetched from a mirror as it is written", async () => {
    const found = await checkout(
      ["remote", "add", "origin", "https://github.com/acme/app"],
      ["config", "url./srv/mirror.insteadOf", "https://github.com/acme/app"],
    );
    expect(onGithub(found)).toEqual(["origin: acme/app"]);
  });

  test("has its remotes as git rewrites them", async () => {
    promise("spells.remotes");
    const found = await checkout(
      ["remote", "add", "mine", "https://github.com/ann/app"],
      ["remote", "add", "origin", "gh:acme/app.git"],
      ["remote", "add", "else", "https://gitlab.com/acme/app"],
    );
    expect(onGithub(found)).toEqual(["origin: acme/app", "mine: ann/app"]);
  });

  test("has its remotes as the person's ssh knows them", async () => {
    promise("spells.remotes");
    for (const url of ["git@github.com-work:acme/app.git", "ssh://github.com-work/acme/app"])
      expect(onGithub(await checkout(["remote", "add", "origin", url])), url).toEqual(["origin: acme/app"]);
    for (const url of [
      "git@unknown-work:acme/app.git",
      "-oProxyCommand=x:acme/app",
      "./github.com-work/acme/app",
    ])
      expect(onGithub(await checkout(["config", "remote.origin.url", url])), url).toEqual([]);
  });

  test("that is pushed under another name says so, but not if it only began at the main branch", async () => {
    promise("spells.remotes");
    const tracking = (name: string) =>
      checkout(
        ["remote", "add", "origin", "git@github.com:acme/app"],
        ["config", "branch.wt-1.remote", "origin"],
        ["config", "branch.wt-1.merge", `refs/heads/${name}`],
      );
    expect(await tracking("feature")).toMatchObject({ branch: "wt-1", pushedAs: "feature" });
    expect(await tracking("wt-1")).toMatchObject({ pushedAs: null });
    expect(await tracking("main")).toMatchObject({ pushedAs: null });
  });

  test("of a fork that has no remote finds the fork", async () => {
    promise("spells.remotes");
    const found = await checkout(
      ["remote", "add", "origin", "git@github.com:acme/app"],
      ["config", "branch.wt-1.remote", "https://github.com/ann/app.git"],
      ["config", "branch.wt-1.merge", "refs/heads/patch-1"],
    );
    expect(found.pushedAs).toBe("patch-1");
    expect(onGithub(found)).toEqual(["origin: acme/app", ": ann/app"]);
  });
});
