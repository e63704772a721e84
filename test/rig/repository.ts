import { execFileSync } from "node:child_process";

export type InGit = (...args: readonly string[]) => string;

/** Makes the folder a repository on `main`, with an author; answers how to call git in it. */
export function repositoryAt(folder: string): InGit {
  const git: InGit = (...args) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.email", "dev@example.com");
  git("config", "user.name", "Dev");
  return git;
}

/** The same, with one commit of everything that is there. */
export function committedAt(folder: string): InGit {
  const git = repositoryAt(folder);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "Begin");
  return git;
}
