import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { GITHUB_API, lookAtCheckout, parseRemote } from "./github-remote.ts";

const APP = { owner: "acme", repository: "app" };

test.each([
  "https://github.com/acme/app.git",
  "https://github.com/acme/app/",
  "https://ann:secret@github.com/acme/app",
  "git@github.com:acme/app.git",
  "ssh://git@github.com/acme/app.git",
  "ssh://git@ssh.github.com:443/acme/app.git",
  "git://github.com/acme/app.git",
])("%s is a remote on GitHub", (url) => {
  expect(parseRemote(url, GITHUB_API)).toEqual(APP);
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
  expect(parseRemote(url, GITHUB_API)).toBeNull();
});

test("on a server of one's own the last two path segments of any remote count", () => {
  const api = "https://forge.example/api/v3";
  for (const url of ["https://forge.example/git/acme/app.git", "git@mirror.example:deep/acme/app"])
    expect(parseRemote(url, api)).toEqual(APP);
});

describe("a checkout", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
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
    return lookAtCheckout(folder, environment, GITHUB_API);
  }

  test("has a remote that is fetched from a mirror as it is written", async () => {
    const { remotes } = await checkout(
      ["remote", "add", "origin", "https://github.com/acme/app"],
      ["config", "url./srv/mirror.insteadOf", "https://github.com/acme/app"],
    );
    expect(remotes).toEqual([{ name: "origin", ...APP }]);
  });

  test("has its remotes as git rewrites them", async () => {
    promise("spells.remotes");
    const { remotes } = await checkout(
      ["remote", "add", "mine", "https://github.com/ann/app"],
      ["remote", "add", "origin", "gh:acme/app.git"],
      ["remote", "add", "else", "https://gitlab.com/acme/app"],
    );
    expect(remotes).toEqual([
      { name: "origin", ...APP },
      { name: "mine", owner: "ann", repository: "app" },
    ]);
  });

  test("has its remotes as the person's ssh knows them", async () => {
    promise("spells.remotes");
    for (const url of ["git@github.com-work:acme/app.git", "ssh://github.com-work/acme/app"])
      expect((await checkout(["remote", "add", "origin", url])).remotes, url).toEqual([
        { name: "origin", ...APP },
      ]);
    for (const url of [
      "git@unknown-work:acme/app.git",
      "-oProxyCommand=x:acme/app",
      "./github.com-work/acme/app",
    ])
      expect((await checkout(["config", "remote.origin.url", url])).remotes, url).toEqual([]);
  });

  test("that is pushed under another name says so, but not where it only began at the main branch", async () => {
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
    expect(found.remotes.map(({ owner }) => owner)).toEqual(["acme", "ann"]);
  });
});
