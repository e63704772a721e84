import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { looking } from "../../../test/rig/looking.ts";
import { promise } from "../../../test/rig/promise.ts";
import type { Worktree } from "../../core/ports/worktrees.ts";
import { commits } from "./changes.ts";
import { diff } from "./diff.ts";
import { openRepositories } from "./repositories.ts";
import { loadState } from "./status.ts";
import { snapshot } from "./tree.ts";
import { openWorktrees } from "./workspace/worktrees.ts";

let root: string;
let home: string;
let evil: string;
let ran: string;

const OWN = () => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  GITHUB_TOKEN: "ghp_of_the_person",
  SSH_AUTH_SOCK: "/tmp/agent.sock",
});

const PLACE = () => ({ folder: root, environment: OWN() });
const run = (...args: string[]) =>
  execFileSync("git", args, { cwd: root, env: OWN(), stdio: "pipe", encoding: "utf8" }).trim();
const write = (name: string, text: string) => writeFileSync(join(root, name), text);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-home-"));
  root = join(home, "project");
  mkdirSync(root);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  ran = join(home, "ran");
  evil = join(home, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\nenv >> ${ran}\ncat 2>/dev/null\nexit 0\n`);
  chmodSync(evil, 0o755);
  run("init", "-q", "-b", "main");
  write("a.txt", "1\n");
  write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
  write(".gitignore", ".pawl/\n");
  run("add", "-A");
  run("commit", "-qm", "one");
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** The empty tree. */
const NOTHING = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const shows = (path: string, text: string) =>
  expect.objectContaining({ path, text: expect.stringContaining(text), isBinary: false });

/** Every way in which Pawl asks git for something; what is refused by name is an answer too. */
async function everything(): Promise<readonly string[]> {
  const codes: string[] = [];
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (thrown) {
      codes.push((thrown as { code?: string }).code ?? String(thrown));
    }
  };
  const worktrees = looking(openWorktrees(root, OWN()));
  const repositories = openRepositories(root, OWN());
  const order = { repo: ".", branch: "task", into: "main", message: "Merge task" } as const;
  await attempt(async () => {
    const found = await loadState(PLACE());
    if (found.kind === "unavailable") codes.push(found.reason);
  });
  await attempt(() => snapshot(PLACE(), { base: "main", own: [".pawl"] }));
  const head = run("rev-parse", "HEAD");
  await attempt(() => commits(PLACE(), "main", head));
  await attempt(async () => {
    const found = await diff(PLACE(), { from: NOTHING, to: head, path: null, bytes: 10_000 });
    expect(found).toMatchObject({ kind: "diff", files: expect.arrayContaining([shows("a.txt", "+1\n")]) });
  });
  let worktree: Worktree | undefined;
  await attempt(async () => {
    worktree = await worktrees.ensure({ repo: ".", branch: "task" });
  });
  if (worktree) {
    const at = worktree;
    writeFileSync(join(at.folder.agentPath, "a.txt"), "2\n");
    // What the agent itself runs may run what it likes.
    execFileSync(
      "git",
      ["-c", "filter.evil.clean=cat", "-c", "filter.evil.process=", "-c", "filter.evil.required=false"]
        .concat([
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "commit.gpgSign=false",
        ])
        .concat(["commit", "--allow-empty", "-qam", "two"]),
      { cwd: at.folder.agentPath, env: OWN(), stdio: "pipe" },
    );
    rmSync(ran, { force: true });
    writeFileSync(join(at.folder.agentPath, "a.txt"), "3\n");
    await attempt(() => worktrees.state(at, "main"));
    execFileSync(
      "git",
      ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "checkout", "-q", "a.txt"],
      { cwd: at.folder.agentPath, env: OWN(), stdio: "pipe" },
    );
    rmSync(ran, { force: true });
    await attempt(() => worktrees.bringIn(at, { into: "main" }));
  }
  await attempt(async () => (await worktrees.watchCheckout("."))());
  await attempt(async () => {
    const prepared = await worktrees.prepareMerge(order);
    if (prepared.kind === "prepared") await worktrees.publishMerge(order, prepared);
  });
  await attempt(() => worktrees.push(".", "task"));
  await attempt(() => worktrees.leave(".", "task"));
  await attempt(() => worktrees.reached({ repo: ".", branch: "task", into: "main", fetch: true }));
  await attempt(() => repositories.sync("."));
  await attempt(() => repositories.inspect("."));
  await attempt(() => worktrees.remove({ repo: ".", branch: "task" }, { into: "main", branch: true }));
  return codes;
}

const nothingRan = () => expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("");

function addRemote(): void {
  execFileSync("git", ["init", "-q", "--bare", join(home, "remote.git")], { env: OWN() });
  run("remote", "add", "origin", join(home, "remote.git"));
}

describe("Pawl's own git runs nothing that the repository's configuration names", () => {
  /** A program that says under which setting it ran. */
  const programOf = (key: string) => {
    const path = join(home, `${key}.sh`);
    writeFileSync(path, `#!/bin/sh\necho ${key} >> ${ran}\ncat 2>/dev/null\nexit 0\n`);
    chmodSync(path, 0o755);
    return path;
  };

  it("settings that name a program", async () => {
    promise("git.runs-nothing");
    addRemote();
    for (const sign of ["tag.gpgSign", "push.gpgSign", "merge.verifySignatures"]) run("config", sign, "true");
    for (const key of [
      "core.fsmonitor",
      "core.sshCommand",
      "core.askPass",
      "core.editor",
      "sequence.editor",
      "core.pager",
      "core.alternateRefsCommand",
      "credential.helper",
      "diff.external",
      "diff.evil.command",
      "diff.evil.textconv",
      "merge.evil.driver",
      "uploadpack.packObjectsHook",
      "gpg.program",
    ])
      run("config", key, programOf(key));
    write("b.txt", "edited\n");
    rmSync(ran, { force: true });
    expect(await everything()).toEqual([]);
    nothingRan();
  });

  it("a signing program: a commit that only it could sign is not made, which is found before an agent begins", async () => {
    promise("git.runs-nothing");
    for (const key of ["gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"])
      run("config", key, programOf(key));
    for (const format of ["openpgp", "ssh"]) {
      run("config", "gpg.format", format);
      run("config", "commit.gpgSign", "true");
      expect(await everything()).toEqual(["signing-failed"]);
      nothingRan();
    }
  });

  it("a merge driver, if both sides changed a file", async () => {
    promise("git.runs-nothing");
    run("config", "merge.evil.driver", programOf("merge.evil.driver"));
    const worktrees = looking(openWorktrees(root, OWN()));
    const { folder } = await worktrees.ensure({ repo: ".", branch: "task" });
    writeFileSync(join(folder.agentPath, "a.txt"), "theirs\n");
    execFileSync("git", ["commit", "-qam", "theirs"], { cwd: folder.agentPath, env: OWN() });
    write("a.txt", "ours\n");
    run("commit", "-qam", "ours");
    const order = { repo: ".", branch: "task", into: "main", message: "Merge" } as const;
    expect(await worktrees.prepareMerge(order)).toEqual({ kind: "conflicts", files: ["a.txt"] });
    nothingRan();
  });

  it.each(["clean", "smudge", "process"])("a filter's %s", async (part) => {
    promise("git.runs-nothing");
    run("config", `filter.evil.${part}`, programOf(part));
    write("b.txt", "edited\n");
    rmSync(ran, { force: true });
    expect(await everything()).toContain("git-filter-untrusted");
    nothingRan();
  });

  it.each([
    ...["remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs", "core.gitProxy"],
    ...["lfs.extension.evil.clean", "lfs.customtransfer.evil.path", "lfs.standaloneTransferAgent"],
  ])("%s, which no option overrides: it is refused by name", async (key) => {
    addRemote();
    run("config", key, programOf(key));
    expect(await everything()).toContain("git-config-untrusted");
    nothingRan();
  });

  it.each([["include.path"], ["includeIf.onbranch:main.path"]])("a setting that %s brings", async (key) => {
    writeFileSync(join(home, "included"), "");
    run("config", key, join(home, "included"));
    await everything();
    // Nothing of the repository's own configuration has changed since.
    writeFileSync(
      join(home, "included"),
      `[merge "evil"]\n\tdriver = ${evil}\n[filter "evil"]\n\tclean = ${evil}\n`,
    );
    write("a.txt", "new\n");
    await everything();
    nothingRan();
  });

  it("a setting that came after the last read", async () => {
    promise("git.runs-nothing");
    await everything();
    run("config", "filter.evil.clean", evil);
    write("a.txt", "new\n");
    rmSync(ran, { force: true });
    await everything();
    nothingRan();
  });

  it("the repository's hooks", async () => {
    promise("git.runs-nothing");
    mkdirSync(join(root, ".git/hooks"), { recursive: true });
    const names = [
      "reference-transaction",
      "post-index-change",
      "post-checkout",
      "post-merge",
      "post-rewrite",
    ];
    for (const name of [
      ...names,
      "pre-merge-commit",
      "prepare-commit-msg",
      "commit-msg",
      "post-commit",
      "pre-auto-gc",
    ]) {
      writeFileSync(join(root, ".git/hooks", name), `#!/bin/sh\necho ${name} >> ${ran}\n`);
      chmodSync(join(root, ".git/hooks", name), 0o755);
    }
    expect(await everything()).toEqual([]);
    nothingRan();
  });

  it("the configuration of a repository inside it", async () => {
    promise("git.runs-nothing");
    const inner = join(root, "inner");
    execFileSync("git", ["init", "-q", inner], { env: OWN() });
    writeFileSync(join(inner, "x"), "1\n");
    execFileSync("git", ["add", "-A"], { cwd: inner, env: OWN() });
    execFileSync("git", ["commit", "-qm", "x"], { cwd: inner, env: OWN() });
    run("add", "inner");
    run("commit", "-qm", "inner");
    execFileSync("git", ["config", "core.fsmonitor", evil], { cwd: inner, env: OWN() });
    writeFileSync(join(inner, "x"), "2\n");
    run("config", "diff.ignoreSubmodules", "none");
    rmSync(ran, { force: true });
    await everything();
    nothingRan();
  });

  it("an address of a protocol that starts a program", async () => {
    run("remote", "add", "origin", `ext::${evil}`);
    run("config", "protocol.ext.allow", "always");
    await everything();
    nothingRan();
  });

  it("a filter whose name holds an equals sign, so that no option could override it", async () => {
    write(".gitattributes", "* filter=a=b\n");
    run("config", "filter.a=b.clean", evil);
    write("a.txt", "new\n");
    rmSync(ran, { force: true });
    expect(await everything()).toContain("git-config-untrusted");
    nothingRan();
  });
});

it("a filter that no file asks for stops nothing", async () => {
  write(".gitattributes", "");
  run("commit", "-qam", "no filter");
  run("config", "filter.evil.clean", evil);
  expect(await everything()).toEqual([]);
  nothingRan();
});

it("a filter that the person trusts runs by the person's own commands, whatever the repository says", async () => {
  promise("git.filters");
  writeFileSync(
    join(home, ".gitconfig"),
    `[filter "evil"]\n\tclean = touch ${home}/mine; cat\n\tsmudge = cat\n`,
    { flag: "a" },
  );
  run("config", "filter.evil.clean", evil);
  // Of the same length, so that git has to read it.
  write("a.txt", "2\n");
  rmSync(ran, { force: true });
  const worktrees = openWorktrees(root, OWN(), { filters: async () => ["evil"] });
  await (await worktrees.watchCheckout("."))();
  nothingRan();
  expect(existsSync(join(home, "mine"))).toBe(true);
});

it("a configuration that leads git to another folder is refused by name", async () => {
  run("config", "core.worktree", home);
  const found = await loadState(PLACE());
  expect(found).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("core.worktree") });
});

it("a remote on this machine gets no credentials: its hooks are another's", async () => {
  addRemote();
  const hook = join(home, "remote.git/hooks/pre-receive");
  writeFileSync(hook, `#!/bin/sh\nenv >> ${ran}\n`);
  chmodSync(hook, 0o755);
  const worktrees = openWorktrees(root, OWN());
  await worktrees.ensure({ repo: ".", branch: "task" });
  expect(await worktrees.push(".", "task")).toMatchObject({ kind: "pushed" });
  const seen = readFileSync(ran, "utf8");
  expect(seen).not.toContain("ghp_of_the_person");
  expect(seen).not.toContain("SSH_AUTH_SOCK");
});

it("a push runs the hooks of the repository's own folder, not those of a folder that its configuration names", async () => {
  addRemote();
  const put = (folder: string, word: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "pre-push"), `#!/bin/sh\necho ${word} >> ${ran}\n`);
    chmodSync(join(folder, "pre-push"), 0o755);
  };
  const worktrees = looking(openWorktrees(root, OWN()));
  const { folder } = await worktrees.ensure({ repo: ".", branch: "task" });
  put(join(root, ".git/hooks"), "own");
  expect(await worktrees.push(".", "task")).toMatchObject({ kind: "pushed" });
  expect(readFileSync(ran, "utf8")).toBe("own\n");
  put(join(home, "absolute"), "named");
  run("config", "core.hooksPath", join(home, "absolute"));
  execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "more"], { cwd: folder.agentPath, env: OWN() });
  expect(await worktrees.push(".", "task")).toMatchObject({ kind: "pushed" });
  expect(readFileSync(ran, "utf8")).toBe("own\n");
});
