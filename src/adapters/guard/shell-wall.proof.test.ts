/** What a person's own assistant tries from behind the wall around its commands, with real bubblewrap. What counts is looked at outside. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { hangs, shellUntil, until } from "../../../test/rig/until.ts";
import { NO_WALL } from "../../../test/rig/wall.ts";
import { attempt } from "../../core/attempt.ts";
import { probe } from "../wall/probe.ts";
import { drawWall, endWiderWalls, NOTHING, type ShellOrder } from "./shell-wall.ts";

const BEFORE = "guard: true\n";

/** A person's home with a project in it. */
function openWalledProject() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-shell-")));
  const root = join(home, "code/project");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Dev", "-c", "user.email=dev@example.org", ...args], {
      cwd: root,
      encoding: "utf8",
    }).trim();
  write("pawl.yaml", BEFORE);
  write("src/a.txt", "a\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  const base = join(home, ".local/state/pawl");
  const started: ChildProcess[] = [];
  const order: ShellOrder = {
    use: { session: "s", scope: NOTHING },
    kind: "closed",
    ...{ root, home, cwd: root, files: { tasksFile: "tasks.yaml", workflows: ["flows/release.yaml"] } },
    ...{ own: [base], writable: [], hasNetwork: false, isNested: false },
  };
  return {
    ...{ home, root, base, write, git },
    read: (path: string) => readFileSync(join(root, path), "utf8"),
    has: (path: string) => existsSync(join(root, path)),
    /** `before`: what the client's shell does first. */
    run(command: string, more: Partial<ShellOrder> = {}, before = "") {
      const bwrap = probe(process.env).program ?? "";
      const wall = drawWall({ base, bwrap }, { ...order, ...more });
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        LANG: "C.UTF-8",
        GIT_AUTHOR_NAME: "A",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "A",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      const { status, stderr, stdout } = spawnSync("bash", ["-c", before + wall.line(command)], {
        cwd: root,
        env,
        encoding: "utf8",
      });
      return { status, out: stdout, err: stderr };
    },
    /** The same without waiting for its end. */
    start(command: string, more: Partial<ShellOrder> = {}) {
      const wall = drawWall({ base, bwrap: probe(process.env).program ?? "" }, { ...order, ...more });
      const child = spawn("sh", ["-c", `exec ${wall.line(command)}`], { cwd: root, stdio: "ignore" });
      const ended = new Promise<string>((done) =>
        child.on("exit", (code, signal) => done(signal ?? `${code}`)),
      );
      started.push(child);
      return { child, ended };
    },
    [Symbol.dispose]: () => {
      for (const child of started) child.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

type WalledProject = ReturnType<typeof openWalledProject>;

/** By node, which every machine with Pawl has: whether a server is reached. The kernel takes the connection by itself. */
const asks = (path: string) =>
  `${process.execPath} -e 'require("net").connect(process.argv[1].replace("@", "\\0")).on("connect", () => { console.log("REACHED"); process.exit() }).on("error", (e) => { console.log(e.code); process.exit() })' ${path}`;

it.skipIf(NO_WALL).each(["closed", "open"] as const)(
  "a folder that the client left open is no way out of a wall: %s",
  (kind) => {
    using walled = openWalledProject();
    walled.write(".husky/pre-push", "own");
    const command =
      "for fd in /proc/self/fd/*; do echo evil > $fd/.husky/pre-push; done 2>/dev/null; echo ran";
    const { err, out } = walled.run(command, { kind }, "exec 200<. 37<.; ");
    expect([out, walled.read(".husky/pre-push")], err).toEqual(["ran\n", "own"]);
  },
);

it.skipIf(NO_WALL).each(["closed", "open"] as const)(
  "the project's programs, which the client's PATH has first, start no sooner than the command: %s",
  (kind) => {
    promise("programs.found-once");
    using walled = openWalledProject();
    for (const name of ["bash", "mkdir", "rm", "rmdir", "sort"]) {
      walled.write(`node_modules/.bin/${name}`, `#!/bin/sh\necho evil > "${walled.root}/pawl.yaml"\n`);
      chmodSync(join(walled.root, "node_modules/.bin", name), 0o755);
    }
    const { err, out } = walled.run("sort; echo ran", { kind }, "PATH=$PWD/node_modules/.bin:$PATH; ");
    expect([out, walled.read("pawl.yaml")], err).toEqual(["ran\n", BEFORE]);
  },
);

describe.skipIf(NO_WALL)("behind a closed wall", () => {
  it.each<readonly [string, string, (walled: WalledProject) => boolean]>([
    ["a file of the project", "echo evil > src/a.txt", ({ read }) => read("src/a.txt") !== "a\n"],
    ["a new one", "echo evil > src/new.txt", ({ has }) => has("src/new.txt")],
    [
      "by a link",
      "ln -s $PWD/src /tmp/l; echo evil > /tmp/l/a.txt",
      ({ read }) => read("src/a.txt") !== "a\n",
    ],
    [
      "by a mount of its own",
      'unshare -Urm sh -c "mount -o remount,rw,bind / ; echo evil > $PWD/src/a.txt"',
      ({ read }) => read("src/a.txt") !== "a\n",
    ],
    [
      "a commit",
      "git commit -q --no-verify --allow-empty -m early",
      ({ git }) => git("log", "--format=%s") !== "first",
    ],
    ["a hook", "echo x > .git/hooks/pre-push", ({ has }) => has(".git/hooks/pre-push")],
    ["a person's home", "echo x > ~/.bashrc", ({ home }) => existsSync(join(home, ".bashrc"))],
    [
      "what Pawl keeps",
      "echo x > ~/.local/state/pawl/x; echo x > ~/.local/state/pawl/bin/pawl-wall",
      ({ base }) => existsSync(join(base, "x")),
    ],
    [
      "the machine's temporary folder",
      `touch ${tmpdir()}/pawl-planted-here`,
      () => existsSync(join(tmpdir(), "pawl-planted-here")),
    ],
  ])("nothing writes %s", (_name, command, came) => {
    promise("guard.wall");
    using walled = openWalledProject();
    const { err } = walled.run(command);
    expect(came(walled), err).toBe(false);
    expect(err === "").toBe(command.startsWith("touch "));
  });

  it("nothing writes the caches of tools among dependencies that hold Pawl by a link, and none are made", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    walled.write("node_modules/.pnpm/pawl@1/node_modules/pawl/package.json", "{}");
    symlinkSync(".pnpm/pawl@1/node_modules/pawl", join(walled.root, "node_modules/pawl"));
    const { err } = walled.run("mkdir -p node_modules/.vite; echo x > node_modules/.vite/x");
    expect(walled.has("node_modules/.vite"), err).toBe(false);
    walled.run("echo x > node_modules/.vite/x", { kind: "open" });
    expect(walled.has("node_modules/.vite/x")).toBe(true);
  });

  it("no server of this machine is reached, by its socket, its name or its port, and pairs of sockets work", async () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const open = async (...at: readonly (string | number)[]) => {
      const server = createServer((socket) => socket.end("REACHED"));
      server.on("connection", (socket) => socket.on("error", () => {}));
      await new Promise<void>((done) => server.listen(...(at as [string]), done));
      return server;
    };
    const file = join(walled.root, "s.sock");
    const name = `\0pawl-test-${process.pid}`;
    const servers = [await open(file), await open(name), await open(0, "127.0.0.1")];
    const address = servers[2]?.address();
    const port = typeof address === "object" ? address?.port : 0;
    const spawned = async (command: string, more: Partial<ShellOrder>) => walled.run(command, more).out;
    for (const hasNetwork of [true, false]) {
      expect(await spawned(asks(file), { hasNetwork })).toMatch(/^E(?:PERM|ACCES)/);
      expect(await spawned(asks(`@pawl-test-${process.pid}`), { hasNetwork })).toMatch(/^E(?:PERM|ACCES)/);
    }
    const byPort = `${process.execPath} -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => console.log("REACHED")).on("error", (e) => console.log(e.code))'`;
    expect(await spawned(byPort, { hasNetwork: false, isNested: false })).toMatch(/E(?:PERM|ACCES)/);
    const pair = `${process.execPath} -e 'process.send ? process.send("x", () => process.exit()) : require("child_process").fork(process.argv[1] ?? "/tmp/p.js").on("message", (m) => console.log("said", m))'`;
    expect(
      await spawned(`echo 'process.send("x", () => process.exit())' > /tmp/p.js; ${pair}`, {}),
    ).toContain("said x");
    for (const server of servers) server.close();
  });

  it("reading and running go on, temporary files last, and what the state names may be written", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    walled.write("notes/old.md", "old\n");
    walled.write(".ai/task/state.json", "{}");
    expect(walled.run("cat src/a.txt; git status --short; exit 3")).toMatchObject({
      status: 3,
      out: "a\n?? .ai/\n?? notes/\n",
    });
    walled.run("echo kept > /tmp/note");
    expect(walled.run("cat $TMPDIR/note").out).toBe("kept\n");
    expect(walled.run("echo x > /tmp/y; cat /tmp/y /tmp/note", { isNested: true }).out).toBe("x\n");
    const writable = ["notes", ".ai/task"].map((path) => join(walled.root, path));
    walled.run("echo x > notes/new.md; echo x > .ai/task/plan.md; echo x > .ai/task/state.json", {
      writable,
    });
    expect([
      walled.read("notes/new.md"),
      walled.read(".ai/task/plan.md"),
      walled.read(".ai/task/state.json"),
    ]).toEqual(["x\n", "x\n", "{}"]);
  });
});

/** Each changes pawl.yaml in a shell without a wall. */
const SPELLINGS: readonly string[] = [
  "echo evil > pawl.yaml",
  "(cd src; echo evil > ../pawl.yaml)",
  "(cd src && printf evil | tee ../pawl.yaml)",
  "for f in pawl.yaml; do echo evil > $f; done",
  "export F=pawl.yaml; echo evil > $F",
  'read F <<< pawl.yaml; echo evil > "$F"',
  "set -- pawl.yaml; echo evil > $1",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell expands it
  'a=(pawl.yaml); echo evil > "${a[0]}"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell expands it
  "F=xpawl.yaml; echo evil > ${F#x}",
  "echo evil > $(echo pawl.yaml)",
  "f() { echo evil > $1; }; f pawl.yaml",
  "echo pawl.yaml | xargs -I{} cp src/a.txt {}",
  "ls *.yaml | xargs rm",
  "printf 'pawl.yaml\\0' | xargs -0 sed -i s/guard/evil/",
  "env -S'bash -c \"echo evil > pawl.yaml\"'",
  "source <(echo 'echo evil > pawl.yaml')",
  ". /dev/stdin <<< 'echo evil > pawl.yaml'",
  "git checkout evil pawl.yaml",
  "git checkout evil -- .",
  "git restore -s evil .",
  "git apply other/evil.patch",
  "patch -s -p1 < other/evil.patch",
  "cp -r other/. .",
  "tar cf - -C other pawl.yaml | tar xf -",
  "git log -1 --format=evil --output=pawl.yaml",
  "git -c alias.x='!echo evil > pawl.yaml' x",
  'awk \'BEGIN{print "evil" > "pawl.yaml"}\'',
  "sed -n 'w pawl.yaml' src/a.txt",
  "sort -o pawl.yaml src/a.txt",
  "find src/a.txt -fprintf pawl.yaml evil",
  "ln -s pawl.yaml l; echo evil > l",
  "ln -s . d; echo evil > d/pawl.yaml",
  "ln pawl.yaml h; echo evil > h",
  "echo evil | tee pawl.yam{l,l2}",
  "mv pawl.yaml x; echo evil > pawl.yaml",
  "rm -rf *.yaml",
  "chmod 777 pawl.yaml; echo evil >> pawl.yaml",
  "truncate -s 0 pawl.yaml",
  "dd if=src/a.txt of=pawl.yaml",
  "git reset -q --hard evil",
  "mount --bind src/a.txt pawl.yaml; umount pawl.yaml; echo evil > pawl.yaml",
  `unshare -Urm sh -c 'mount -o remount,rw,bind pawl.yaml; umount -l pawl.yaml; echo evil > pawl.yaml'`,
  `${process.execPath} -e 'require("fs").writeFileSync("pawl.yaml", "evil")'`,
];

describe.skipIf(NO_WALL)("behind an open wall", () => {
  const open = { kind: "open", hasNetwork: true } as const;

  it.each(SPELLINGS)("no spelling changes a protected place: %s", (command) => {
    promise("guard.wall");
    using walled = openWalledProject();
    walled.write("other/pawl.yaml", "evil\n");
    walled.write(
      "other/evil.patch",
      "--- a/pawl.yaml\n+++ b/pawl.yaml\n@@ -1 +1 @@\n-guard: true\n+evil: true\n",
    );
    walled.git("checkout", "-q", "-b", "evil");
    walled.write("pawl.yaml", "evil\n");
    walled.git("commit", "-qam", "evil");
    walled.git("checkout", "-q", "main");
    walled.run(command, open);
    expect(walled.read("pawl.yaml")).toBe(BEFORE);
  });

  it("a command that ends takes no cover away from another that runs", async () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const evil = "mkdir -p .husky .claude; echo evil > .husky/pre-commit; echo evil > .claude/settings.json";
    const long = walled.start(`touch src/begun; ${shellUntil("-e src/go")}; ${evil}; touch src/tried`, open);
    await until(() => walled.has("src/begun"));
    for (const command of ["true", "true"]) expect(walled.run(command, open).status).toBe(0);
    walled.write("src/go", "");
    await until(() => walled.has("src/tried"));
    const written = [".husky/pre-commit", ".claude/settings.json"].map((path) =>
      attempt(() => walled.read(path), null),
    );
    expect(written).toEqual([null, null]);
    expect(await long.ended).toBe("0");
    expect(readdirSync(walled.root).sort()).toEqual([".git", "pawl.yaml", "src"]);
  });

  it("a command ends when its session comes to where nothing may be written, and no other session's does", async () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const writes = (name: string) => `while :; do echo x >> src/${name}; sleep 0.02; done`;
    const use = (session: string, scope: string) => ({ ...open, use: { session, scope } });
    const own = walled.start(writes("own"), use("s", "everything"));
    const others = walled.start(writes("others"), use("t", "everything"));
    const reading = walled.start(hangs(), { use: { session: "s", scope: NOTHING } });
    const size = (name: string) => (walled.has(`src/${name}`) ? walled.read(`src/${name}`).length : 0);
    await until(() => size("own") > 0 && size("others") > 0);
    endWiderWalls(walled.base, { session: "s", scope: NOTHING });
    await own.ended;
    const [written, before] = [size("own"), size("others")];
    await until(() => size("others") > before + 10);
    expect(size("own")).toBe(written);
    expect(walled.run("true", use("s", "everything")).status).toBe(0);
    expect([others, reading].map(({ child }) => child.exitCode ?? child.signalCode)).toEqual([null, null]);
    for (const each of [others, reading]) {
      each.child.kill();
      await each.ended;
    }
  });

  it("what is missing of them cannot be made, and nothing is left of what covers it", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const before = readdirSync(walled.root).sort();
    const made = [
      ".alfred/allowed_signers",
      ".claude/settings.local.json",
      ".husky/pre-commit",
      ".npmrc",
      "opencode.json",
    ];
    const { err, out } = walled.run(
      `${made.map((path) => `mkdir -p ${dirname(path)}; echo evil > ${path}`).join("; ")}; git status --short`,
      open,
    );
    expect(
      made.filter((path) => walled.has(path)),
      err,
    ).toEqual([]);
    expect(readdirSync(walled.root).sort()).toEqual(before);
    expect(out).toBe("");
  });

  it("no link leads what covers a missing place out of the project", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const outside = join(walled.home, "outside");
    mkdirSync(outside);
    symlinkSync(`/oldroot${outside}`, join(walled.root, ".claude"));
    symlinkSync(outside, join(walled.root, ".codex"));
    walled.run("true", open);
    expect(readdirSync(outside)).toEqual([]);
    walled.run("echo evil > .codex/hooks.json", open);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("work goes on: files, git, background processes of its own, and the person's home", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    const { err, out } = walled.run(
      "echo b > src/b.txt; git add -A; git stash -q; git stash pop -q; sleep 0 & wait; echo ok; exec 3>&1; printf x > ~/own",
      open,
    );
    expect({ err, out }).toEqual({ err: "", out: "ok\n" });
    expect([walled.read("src/b.txt"), walled.git("status", "--short")]).toEqual(["b\n", "A  src/b.txt"]);
    walled.run("git config core.hooksPath /tmp; echo x > .git/hooks/pre-push; git commit -q -m work", open);
    expect(walled.has(".git/hooks/pre-push")).toBe(false);
    expect(walled.read(".git/config")).not.toContain("hooksPath");
    expect(walled.git("log", "-1", "--format=%s")).toBe("work");
  });

  it.each([
    ["mv .claude aside; mkdir .claude", ".claude/settings.json"],
    ["mv flows aside; mkdir flows", "flows/release.yaml"],
    ["mv .git aside; cp -r aside .git", ".git/config"],
    ["mv a aside; cp -r aside a", "a/b/.git/config"],
    ["cd ~; mv .claude aside; mkdir .claude", "../../.claude/settings.json"],
  ])("no other folder takes the place of the one with a protected place: %s", (rename, place) => {
    promise("guard.wall");
    using walled = openWalledProject();
    walled.git("init", "-q", "a/b");
    for (const path of [".claude/settings.json", "flows/release.yaml", "../../.claude/settings.json"])
      walled.write(path, "own");
    const before = walled.read(place);
    walled.run(`(${rename}); echo evil >> ${place}`, open);
    expect(walled.read(place)).toBe(before);
  });

  it("the hooks and settings of a repository within are closed, too", () => {
    promise("guard.wall");
    using walled = openWalledProject();
    walled.git("init", "-q", "a/b/c");
    walled.run("echo evil > a/b/c/.git/hooks/pre-push; git -C a/b/c config core.fsmonitor ./evil", open);
    expect(walled.has("a/b/c/.git/hooks/pre-push")).toBe(false);
    expect(walled.read("a/b/c/.git/config")).not.toContain("fsmonitor");
  });
});
