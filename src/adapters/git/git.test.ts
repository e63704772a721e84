import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commit, git as plainGit, USER } from "../../../test/rig/git-user.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { fetch } from "./fetch.ts";
import { git, plainEnvironment, runProgram } from "./git.ts";
import { remoteOf } from "./refs.ts";

let scratch: string;
let folder: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "pawl-git-"));
  folder = join(scratch, "own");
  plainGit(scratch, "init", "-q", "-b", "main", folder);
  commit(folder, "a.txt", "one\n");
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** A server that takes what comes, and never answers. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).resume();
  });
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address?.port}/x.git`;
  return {
    url,
    isAsked: () => sockets.size > 0,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Processes that name it. */
function processesWith(words: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(words);
    } catch {
      return false;
    }
  });
}

it.each([
  ["sub/.gitattributes", ""],
  [".git/info/exclude", ""],
  [".git/info/exclude", ", from a folder below"],
])("does not wait long for a FIFO that git waits for, and names it: %s%s", async (path, below) => {
  promise("files.planted");
  mkdirSync(join(folder, "sub"));
  rmSync(join(folder, path), { force: true });
  execFileSync("mkfifo", [join(folder, path)]);
  writeFileSync(join(folder, "sub/a.txt"), "a\n");
  const adding = git({ folder: join(folder, below && "sub"), environment: USER, limit: 20_000 }, [
    "add",
    "-A",
  ]);
  await expect(adding).rejects.toMatchObject({
    code: "git-failed",
    message: expect.stringContaining(`waits for ${folder}/${path}, which is no regular file`),
  });
});

describe("A call to a remote that never answers", () => {
  it.each(["ls-remote", "push"])("%s ends at its limit, with all that git started for it", async (verb) => {
    promise("machines.silent-remote");
    using server = await silentServer();
    const call = { folder, environment: USER, remote: { name: server.url }, accept: [124], limit: 300 };
    const args = verb === "push" ? [verb, server.url, "HEAD:refs/heads/main"] : [verb, server.url];
    const answer = await git(call, args);
    expect(answer.errors).toContain("longer than 0.3 s");
    await until(() => processesWith(server.url).length === 0);
  });

  it("ends when it is to stop", async () => {
    promise("machines.silent-remote");
    using server = await silentServer();
    const stop = new AbortController();
    const call = { folder, environment: USER, remote: { name: server.url }, accept: [124] };
    const asked = git({ ...call, stop: stop.signal }, ["ls-remote", server.url]);
    await until(server.isAsked);
    stop.abort();
    expect((await asked).code).toBe(124);
    await until(() => processesWith(server.url).length === 0);
  });
});

it.skipIf(!existsSync("/dev/full"))(
  "What cannot be kept of git's output fails its call, not Pawl: the disk may be full",
  async () => {
    promise("git.any-repository");
    const full = openSync("/dev/full", "w");
    const call = { folder, environment: USER, onOutput: (chunk: Buffer) => writeSync(full, chunk) > 0 };
    await expect(git(call, ["log"])).rejects.toMatchObject({
      code: "disk-failed",
      message: expect.stringContaining("the disk is full (ENOSPC)"),
    });
    closeSync(full);
  },
);

it("A fetch that another one overtook is made again", async () => {
  promise("machines.fetches-at-once");
  const remote = join(scratch, "remote.git");
  plainGit(scratch, "clone", "-q", "--bare", folder, remote);
  const [bin, seen] = [join(scratch, "bin"), join(scratch, "seen")];
  const real = plainGit(scratch, "--exec-path");
  plainGit(scratch, "init", "-q", bin);
  // What git says where another process moved the ref between its look and its lock.
  const says = "error: cannot lock ref 'refs/remotes/origin/main': is at 1 but expected 2";
  const script = `#!/bin/sh\ncase "$*" in *" fetch "*) test -e ${seen} || { touch ${seen}; echo "${says}" >&2; exit 1; };; esac\nexec ${real}/git "$@"\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  const environment = { ...USER, PATH: `${bin}:${process.env.PATH}` };
  const call = { folder, environment, remote: { name: remote }, accept: [1, 128] };
  const answer = await fetch(call, [remote, "+refs/heads/main:refs/remotes/origin/main"]);
  expect({ code: answer.code, seen: existsSync(seen) }).toEqual({ code: 0, seen: true });
});

it.skipIf(process.getuid?.() !== 0)(
  "A repository of another user is refused in git's own words",
  async () => {
    promise("git.any-repository");
    plainGit(folder, "remote", "add", "origin", "../remote.git");
    const call = { folder, environment: USER };
    expect(await remoteOf(call, "main")).toBe("origin");
    for (const path of [folder, join(folder, ".git")]) chownSync(path, 65_534, 65_534);
    writeFileSync(join(folder, ".git/config"), '[core]\n[remote "origin"]\n\turl = ../remote.git\n');
    await expect(remoteOf(call, "main")).rejects.toThrow("dubious ownership");
  },
);

it("an answer that fits in no string is an error", { timeout: 60_000 }, async () => {
  const call = { folder, environment: USER };
  const printed = await runProgram(call, "head", ["-c", String(2 ** 30), "/dev/zero"], {
    ...plainEnvironment(USER),
  });
  expect([printed.code, printed.errors]).toEqual([124, expect.stringContaining("it printed more than")]);
});
