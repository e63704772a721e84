import { expect, test } from "vitest";
import { GITHUB_API, parseRemote } from "./github-remote.ts";

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
