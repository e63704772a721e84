/** Git as a person of the test's own, whatever this machine's configuration says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const USER = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, env: USER, encoding: "utf8", stdio: "pipe" }).trim();
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Returns the commit. */
export function commit(folder: string, path: string, text: string, message = `change ${path}`): string {
  write(folder, path, text);
  git(folder, "add", "--", path);
  git(folder, "commit", "-qm", message);
  return git(folder, "rev-parse", "HEAD");
}
