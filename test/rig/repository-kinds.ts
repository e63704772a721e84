/**
 * Repositories as people have them, each a row: a task's whole git life in one, with the wall or without. The agent is a
 * shell script, run as an agent is.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openWorktrees } from "../../src/adapters/git/workspace/worktrees.ts";
import { workspaceEnvironment } from "../../src/adapters/process/work-folder.ts";
import { openWall } from "../../src/adapters/wall/wall.ts";
import type { Delivery, MergeOrder } from "../../src/core/ports/worktrees.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";

/** A person's world: a home, a project, and what the life of a task in it left. */
export class World {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-kind-")));
  readonly home = join(this.base, "home");
  root = join(this.base, "project");
  filters: readonly string[] = [];
  how: Delivery = "merge";
  remote = false;
  said = "";
  folder = "";

  readonly walled: boolean;

  constructor(walled: boolean) {
    this.walled = walled;
    mkdirSync(this.home);
    this.write(
      "home/.gitconfig",
      '[user]\n\tname = Dev\n\temail = dev@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n[commit]\n\tgpgSign = false\n',
    );
    mkdirSync(this.root);
  }

  get environment(): Readonly<Record<string, string>> {
    const { PATH = "" } = process.env;
    return {
      PATH,
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, ".local/state"),
      GIT_CONFIG_NOSYSTEM: "1",
    };
  }

  write(path: string, text: string, mode = 0o644): void {
    const file = join(this.base, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    chmodSync(file, mode);
  }

  read(path: string): string {
    return readFileSync(join(this.base, path), "utf8");
  }

  /** Of the person's shell, in a folder of the world. */
  sh(script: string, folder = "project"): string {
    const options = {
      cwd: join(this.base, folder),
      env: this.environment,
      encoding: "utf8",
      stdio: "pipe",
    } as const;
    return execFileSync("bash", ["-euc", script], options).trim();
  }

  toy(): void {
    this.sh("git init -q; seq 8 > a.txt; echo hi > README.md; git add -A; git commit -qm 'feat: begin'");
  }

  /** T1's workspace, from the branch as it is. */
  async begins(): Promise<void> {
    const worktrees = openWorktrees(this.root, this.environment, { wall: this.wall });
    await worktrees.ensure({ repo: ".", branch: "bloom/T1", base: "main" });
  }

  /** The person signs with a key of ssh. */
  signs(): void {
    this.sh('ssh-keygen -q -t ed25519 -N "" -f ~/key; echo "dev@example.org $(cat ~/key.pub)" > ~/signers');
    this.sh(
      "git config --global gpg.format ssh; git config --global user.signingkey ~/key; git config --global commit.gpgsign true; git config --global gpg.ssh.allowedSignersFile ~/signers",
    );
  }

  bare(): void {
    this.remote = true;
    this.sh(
      "git init -q --bare ../origin.git; git remote add origin ../origin.git; git push -qu origin main",
    );
  }

  get wall() {
    if (!this.walled) return undefined;
    return openWall({
      projectRoot: this.root,
      stateFolder: join(this.home, ".local/state/pawl/projects/x"),
      environment: this.environment,
      settings: { ...DEFAULT_SETTINGS.sandbox, kind: "bwrap", network: "none" },
      programs: [],
      tasksFile: "tasks.yaml",
      workflows: [],
    }).wall as NonNullable<ReturnType<typeof openWall>["wall"]>;
  }

  /** As an agent's program runs. */
  agent(script: string): { readonly code: number | null; readonly out: string } {
    const environment = {
      ...this.environment,
      ...workspaceEnvironment({ agentPath: this.folder }),
      PWD: this.folder,
    };
    const called = { program: "bash", args: ["-euc", `exec 2>&1; ${script}`], environment };
    const agent = { run: "T1.1", home: [], hosts: [] };
    const {
      program,
      args,
      environment: env,
    } = this.wall?.enclose({ ...called, folder: { agentPath: this.folder }, agent }) ?? called;
    const { status, stdout } = spawnSync(program, [...args], {
      cwd: this.folder,
      env,
      encoding: "utf8",
      timeout: 60_000,
    });
    return { code: status, out: stdout };
  }

  /** A task's life in the project, up to its merge into main. Returns how the merge ended. */
  async life(script: string, more: Partial<MergeOrder> = {}): Promise<string> {
    const worktrees = openWorktrees(this.root, this.environment, {
      wall: this.wall,
      filters: async () => this.filters,
    });
    const branch = "bloom/T1";
    const into = more.into ?? "main";
    const worktree = await worktrees.ensure({ repo: ".", branch, base: into, fetch: this.remote });
    this.folder = worktree.folder.agentPath;
    const worked = this.agent(script);
    this.said = worked.out;
    expect(worked).toMatchObject({ code: 0 });
    const state = await worktrees.state(worktree, into);
    expect(state).toMatchObject({ uncommitted: [], unfinished: null, branch });
    const order: MergeOrder = {
      ...{ repo: ".", branch, into, message: "Merge T1: One", how: this.how, remote: this.remote },
      ...more,
    };
    if (this.remote) expect(await worktrees.push(".", branch)).toMatchObject({ kind: "pushed" });
    const prepared = await worktrees.prepareMerge(order);
    if (prepared.kind !== "prepared") return prepared.kind;
    const published = await worktrees.publishMerge(order, prepared);
    return published.kind;
  }

  [Symbol.dispose](): void {
    execFileSync("chmod", ["-R", "u+w", this.base]);
    rmSync(this.base, { recursive: true, force: true });
  }
}

const WORK = "echo work > work.txt; git add -A; git commit -qm work";
const LARGE =
  "git lfs install --skip-repo >/dev/null; git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null; head -c 9000 /dev/zero > big.bin; git add -A; git commit -qm lfs";

export interface Kind {
  readonly is: string;
  readonly run: (world: World) => Promise<void>;
}

/** The task is done, and the person's main has its file. */
async function worked(world: World, script = WORK, more: Partial<MergeOrder> = {}): Promise<void> {
  expect(await world.life(script, more)).toBe("published");
  expect(world.sh("git status --porcelain")).toBe("");
  expect(world.sh("git fsck --connectivity-only 2>&1 | grep -v '^dangling\\|^notice' || true")).toBe("");
}

export const KINDS: readonly Kind[] = [
  {
    is: "a plain repository",
    async run(world) {
      world.toy();
      await worked(world);
      expect(world.read("project/work.txt")).toBe("work\n");
      expect(world.sh("git for-each-ref --format='%(refname)'")).toBe("refs/heads/main");
    },
  },
  {
    is: "a package of a monorepo",
    async run(world) {
      world.toy();
      world.sh(
        "mkdir -p packages/api; echo {} > packages/api/package.json; git add -A; git commit -qm package",
      );
      world.root = join(world.base, "project/packages/api");
      await worked(world, `pwd; test -f package.json; ${WORK}`);
      expect(world.said).toContain("/packages/api");
      expect(world.read("project/packages/api/work.txt")).toBe("work\n");
    },
  },
  {
    is: "a separate git folder",
    async run(world) {
      world.sh(
        "git init -q --separate-git-dir ../elsewhere.git; echo a > a.txt; git add -A; git commit -qm begin",
      );
      await worked(world);
    },
  },
  {
    is: "a linked worktree as the project",
    async run(world) {
      world.toy();
      world.sh("git worktree add -q -b side ../side");
      world.root = join(world.base, "side");
      expect(await world.life(WORK, { into: "side" })).toBe("published");
      expect(world.read("side/work.txt")).toBe("work\n");
    },
  },
  {
    is: "a worktree of a bare repository as the project",
    async run(world) {
      world.toy();
      world.sh("git clone -q --bare . ../bare.git; git -C ../bare.git worktree add -q ../checkout main");
      world.root = join(world.base, "checkout");
      expect(await world.life(WORK)).toBe("published");
      expect(world.read("checkout/work.txt")).toBe("work\n");
    },
  },
  {
    is: "a submodule as the project",
    async run(world) {
      world.toy();
      world.sh(
        "git init -q ../outer; cd ../outer; git submodule --quiet add ../project inner; git commit -qm outer",
      );
      world.root = join(world.base, "outer/inner");
      world.sh("git switch -q main 2>/dev/null || git switch -qc main", "outer/inner");
      expect(await world.life(WORK)).toBe("published");
      expect(world.read("outer/inner/work.txt")).toBe("work\n");
    },
  },
  {
    is: "a shallow clone",
    async run(world) {
      world.toy();
      world.sh(
        "for n in 1 2 3; do echo $n > n; git add n; git commit -qm $n; done; git clone -q --depth 1 file://$PWD ../shallow",
      );
      world.root = join(world.base, "shallow");
      expect(await world.life(WORK)).toBe("published");
      expect(world.sh("git rev-parse --is-shallow-repository", "shallow")).toBe("true");
    },
  },
  {
    is: "a partial clone",
    async run(world) {
      world.toy();
      world.sh(
        "git config uploadpack.allowFilter true; git rm -q --cached README.md; git commit -qm less; git clone -q --filter=blob:none file://$PWD ../partial",
      );
      world.root = join(world.base, "partial");
      expect(await world.life(WORK)).toBe("published");
    },
  },
  {
    is: "a sparse checkout",
    async run(world) {
      world.toy();
      world.sh(
        "mkdir -p one two/in; echo 1 > one/f; echo 2 > two/f; echo 3 > two/in/f; git add -A; git commit -qm more; git switch -qc other; echo 4 > two/f; git commit -qam other; git switch -q main; git sparse-checkout set one",
      );
      await worked(
        world,
        `test -f one/f; test ! -e two; echo more >> one/f; ${WORK}; git merge -q other -m merge`,
      );
      expect(world.sh("git show main:two/f main:two/in/f main:one/f")).toBe("4\n3\n1\nmore");
    },
  },
  {
    is: "a sparse checkout, in which the agent forgets a file that it removed",
    async run(world) {
      world.toy();
      world.sh(
        "mkdir -p a/b a/c; echo 1 > a/b/f; echo 1 > a/c/f; git add -A; git commit -qm more; git sparse-checkout set a/b",
      );
      await expect(world.life(`echo 2 > a.txt; git commit -qam work; rm a/b/f`)).rejects.toMatchObject({
        actual: { uncommitted: ["a/b/f"] },
      });
    },
  },
  {
    is: "a partial clone with a sparse checkout of single paths",
    async run(world) {
      world.toy();
      world.sh(
        "git config uploadpack.allowFilter true; mkdir one; echo 1 > one/f; git add -A; git commit -qm one; git clone -q --filter=blob:none --no-checkout file://$PWD ../partial; cd ../partial; git sparse-checkout set --no-cone /one/; git checkout -q main",
      );
      world.root = join(world.base, "partial");
      expect(
        await world.life(`test ! -e a.txt; echo work > one/work; git add one; git commit -qm work`),
      ).toBe("published");
    },
  },
  {
    is: "submodules",
    async run(world) {
      world.toy();
      world.sh(
        "git init -q ../lib; echo lib > ../lib/lib.txt; git -C ../lib add -A; git -C ../lib commit -qm lib; git submodule --quiet add ../lib vendor/lib; git commit -qm sub",
      );
      await worked(world, `cat vendor/lib/lib.txt; git submodule status; ${WORK}`);
      expect(world.said).toContain("lib\n");
    },
  },
  {
    is: "submodules of submodules",
    async run(world) {
      world.toy();
      world.sh(
        "for n in deep lib; do git init -q ../$n; echo $n > ../$n/$n.txt; git -C ../$n add -A; git -C ../$n commit -qm $n; done; git -C ../lib submodule --quiet add ../deep inner/deep; git -C ../lib commit -qm deep; git submodule --quiet add ../lib vendor/lib; git commit -qm sub; git submodule --quiet update --init --recursive",
      );
      await worked(world, `cat vendor/lib/inner/deep/deep.txt; ${WORK}`);
      expect(world.said).toContain("deep\n");
    },
  },
  {
    is: "a submodule that a task moves on",
    async run(world) {
      world.toy();
      world.bare();
      world.sh(
        "git init -q --bare ../lib.git; git clone -q ../lib.git ../lib 2>/dev/null; cd ../lib; git switch -qc main; echo lib > lib.txt; git add -A; git commit -qm lib; git push -qu origin main; git -C ../lib.git symbolic-ref HEAD refs/heads/main",
      );
      world.sh("git submodule --quiet add ../lib.git vendor/lib; git commit -qm sub; git push -q");
      const moves =
        "cd vendor/lib; git switch -qc work; echo more >> lib.txt; git commit -qam more; cd ../..; git add vendor/lib; git commit -qm moved";
      expect(await world.life(moves)).toBe("published");
      expect(world.sh("git for-each-ref --format='%(refname)'", "lib.git")).toBe(
        "refs/heads/bloom/T1\nrefs/heads/main",
      );
      expect(world.sh("git rev-parse bloom/T1", "lib.git")).toBe(world.sh("git rev-parse main:vendor/lib"));
    },
  },
  {
    is: "large files (Git LFS)",
    async run(world) {
      world.toy();
      world.filters = ["lfs"];
      world.sh(LARGE);
      await worked(
        world,
        "test $(stat -c %s big.bin) = 9000; head -c 5000 /dev/urandom > new.bin; git add -A; git commit -qm two; git cat-file -p HEAD:new.bin",
      );
      expect(world.said).toContain("git-lfs");
      expect(readFileSync(join(world.root, "new.bin"))).toHaveLength(5000);
    },
  },
  {
    is: "large files that others pushed since, and one that nobody has",
    async run(world) {
      world.toy();
      world.bare();
      world.filters = ["lfs"];
      world.sh(LARGE);
      world.sh(
        "git push -q; git config --global lfs.skipDownloadErrors true; git clone -q ../origin.git ../other",
      );
      world.write(
        "other/lost.bin",
        `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 5\n`,
      );
      world.sh(
        "git config lfs.allowIncompletePush true; head -c 7000 /dev/zero > big.bin; git add -A; git commit -qm newer; git push -q",
        "other",
      );
      await worked(world, `test $(stat -c %s big.bin) = 7000; grep -q oid lost.bin; ${WORK}`);
    },
  },
  {
    is: "large files and settings of the agent",
    async run(world) {
      world.toy();
      world.filters = ["lfs"];
      let asked = 0;
      await using server = createServer((socket) => {
        asked += 1;
        socket.destroy();
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const { port } = server.address() as AddressInfo;
      world.write("project/.lfsconfig", `[lfs]\n\turl = http://127.0.0.1:${port}/none\n`);
      world.sh(LARGE);
      const pointer = `printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 5\\n' 7 > none.bin`;
      await worked(world, `${pointer}; git add -A; git commit -qm pointer`);
      expect(world.read("project/none.bin")).toContain("oid sha256:0");
      const edits = "sed -i s/none/other/ .lfsconfig; git commit -qam settings";
      expect(await world.life(edits)).toBe("refused");
      // Without a wall, the workspace's own git asks: with the agent's rights.
      if (world.walled) expect(asked).toBe(0);
    },
  },
  {
    is: "large files of which the person has the pointers alone",
    async run(world) {
      world.toy();
      world.bare();
      world.filters = ["lfs"];
      world.sh(LARGE);
      world.sh("git push -q; GIT_LFS_SKIP_SMUDGE=1 git clone -q ../origin.git ../pointers");
      world.root = join(world.base, "pointers");
      expect(await world.life(`grep -q oid big.bin; ${WORK}`)).toBe("published");
      expect(world.read("pointers/work.txt")).toBe("work\n");
    },
  },
  {
    is: "line ends that git converts (autocrlf)",
    async run(world) {
      world.sh("git config --global core.autocrlf true");
      world.sh(
        "git init -q; printf 'one\\r\\ntwo\\r\\nthree\\r\\n' > a.txt; git add -A; git commit -qm begin",
      );
      await worked(
        world,
        "grep -c $'\\r' a.txt; printf 'one\\r\\nTWO\\r\\nthree\\r\\n' > a.txt; git commit -qam two; git show --stat HEAD | tail -1",
      );
      expect(world.said).toContain("1 file changed, 1 insertion(+), 1 deletion(-)");
      expect(world.said).toMatch(/^3\n/);
    },
  },
  {
    is: "attributes: a list that is merged by union",
    async run(world) {
      world.toy();
      world.sh("echo 'LOG merge=union' > .gitattributes; echo begin > LOG; git add -A; git commit -qm log");
      const script = "echo mine >> LOG; git commit -qam mine";
      await world.begins();
      world.sh("echo theirs >> LOG; git commit -qam theirs");
      await worked(world, script);
      expect(world.read("project/LOG").split("\n").sort()).toEqual(["", "begin", "mine", "theirs"]);
    },
  },
  {
    is: "hooks in git's own folder",
    async run(world) {
      world.toy();
      world.write(
        "project/.git/hooks/commit-msg",
        "#!/bin/sh\ngrep -q '^feat: ' \"$1\" || { echo REFUSED; exit 1; }\n",
        0o755,
      );
      await worked(world, "echo w > w; git add w; git commit -m bad && exit 9; git commit -qm 'feat: good'");
      expect(world.said).toContain("REFUSED");
    },
  },
  {
    is: "hooks of a tool that keeps them in the checkout (husky)",
    async run(world) {
      world.toy();
      world.write(
        "project/.husky/_/commit-msg",
        "#!/bin/sh\ngrep -q '^feat: ' \"$1\" || { echo REFUSED; exit 1; }\n",
        0o755,
      );
      world.sh("git config core.hooksPath .husky/_; git add -A; git commit -qm 'feat: hooks'");
      await worked(world, "echo w > w; git add w; git commit -m bad && exit 9; git commit -qm 'feat: good'");
      expect(world.said).toContain("REFUSED");
    },
  },
  {
    is: "hooks of the person's own, for every repository",
    async run(world) {
      world.toy();
      world.write(
        "home/hooks/pre-commit",
        "#!/bin/sh\ngit diff --cached | grep -q SECRET && { echo FOUND; exit 1; }; exit 0\n",
        0o755,
      );
      world.sh("git config --global core.hooksPath ~/hooks");
      await worked(
        world,
        `echo SECRET > s; git add s; git commit -m no && exit 9; git rm -qf --cached s; rm s; ${WORK}`,
      );
      expect(world.said).toContain("FOUND");
    },
  },
  {
    is: "an identity by includeIf",
    async run(world) {
      world.write("home/work.inc", "[user]\n\temail = dev@company.example\n");
      world.sh(`git config --global includeIf.gitdir:${world.base}/project/.path ~/work.inc`);
      world.toy();
      await worked(world);
      expect(world.sh("git log -3 --format=%ae")).toBe(Array(3).fill("dev@company.example").join("\n"));
    },
  },
  {
    is: "signed commits (ssh)",
    async run(world) {
      world.toy();
      world.signs();
      await worked(world);
      expect(world.sh("git log -1 --format='%G? %s'; git log -1 --format='%G? %s' HEAD^2")).toBe(
        "G Merge T1: One\nG work",
      );
      world.sh("git verify-commit HEAD");
    },
  },
  {
    is: "a linear history of signed commits",
    async run(world) {
      world.toy();
      world.how = "rebase";
      world.signs();
      await world.begins();
      world.sh("echo theirs > theirs; git add -A; git commit -qm theirs");
      await worked(world, "for n in 1 2; do echo $n > $n; git add -A; git commit -qm $n; done");
      expect(world.sh("git log --format='%G? %s' -3")).toBe("G 2\nG 1\nG theirs");
      expect(world.sh("git rev-list --merges HEAD")).toBe("");
    },
  },
  {
    is: "one commit for each task (squash)",
    async run(world) {
      world.toy();
      world.how = "squash";
      const message = "{type}: One (T1)\n\n{commits}";
      await worked(world, 'for n in 1 2; do echo $n > $n; git add -A; git commit -qm "feat: part $n"; done', {
        message,
      });
      expect(world.sh("git log -1 --format=%B")).toBe("feat: One (T1)\n\nfeat: part 1\n\nfeat: part 2");
      expect(world.sh("git rev-list --count HEAD")).toBe("2");
    },
  },
  {
    is: "settings of the person's own by which merges and rebases refuse, or do something else",
    async run(world) {
      world.toy();
      world.how = "squash";
      const settings =
        "rerere.enabled rerere.autoUpdate rebase.rebaseMerges rebase.updateRefs rebase.autoSquash";
      world.sh(
        `for key in ${settings}; do git config --global $key true; done; git config --global merge.ff only`,
      );
      await world.begins();
      world.sh("echo theirs > theirs; git add -A; git commit -qm theirs; git config --global merge.ff only");
      const worktrees = openWorktrees(world.root, world.environment, { wall: world.wall });
      const worktree = await worktrees.ensure({ repo: ".", branch: "bloom/T1", base: "main" });
      world.folder = worktree.folder.agentPath;
      expect(world.agent("echo 1 > 1; git add -A; git commit -qm 1")).toMatchObject({ code: 0 });
      expect(await worktrees.bringIn(worktree, { into: "main" })).toEqual({ kind: "clean" });
      world.sh("git config --global merge.ff false");
      await worked(world, "test -f theirs; echo 2 > 2; git add -A; git commit -qm 2");
      world.sh("git reset -q --hard HEAD~1");
      world.how = "rebase";
      await worked(world, "echo 3 > 3; git add -A; git commit -qm 3");
      expect(world.sh("git log --format=%s main")).toBe("3\n2\n1\ntheirs\nfeat: begin");
    },
  },
  {
    is: "bare repositories refused by the person (safe.bareRepository)",
    async run(world) {
      world.toy();
      world.bare();
      world.sh("git config --global safe.bareRepository explicit");
      await worked(world);
    },
  },
  {
    is: "a fork that is behind its upstream",
    async run(world) {
      world.toy();
      world.remote = true;
      world.sh(
        "git init -q --bare ../upstream.git; git remote add upstream ../upstream.git; git push -qu upstream main; git clone -q --bare ../upstream.git ../fork.git; git remote add origin ../fork.git; git fetch -q --all; git config remote.pushDefault origin",
      );
      world.sh(
        "git clone -q ../upstream.git ../other; cd ../other; echo up > up.txt; git add -A; git commit -qm newer; git push -q",
      );
      await worked(world, `test -f up.txt; ${WORK}`);
      expect(world.sh("git --git-dir ../fork.git log -1 --format=%s bloom/T1")).toBe("work");
      expect(world.sh("git --git-dir ../upstream.git log -1 --format=%s main")).toBe("Merge T1: One");
    },
  },
  {
    is: "a remote of another name, by an alias",
    async run(world) {
      world.toy();
      world.remote = true;
      world.sh(
        `git init -q --bare ../store.git; git config --global url.${world.base}/store.git.insteadOf work:store; git remote add company work:store; git push -qu company main`,
      );
      await worked(world);
      expect(world.sh("git --git-dir ../store.git log -1 --format=%s main")).toBe("Merge T1: One");
    },
  },
  {
    is: "objects of another repository (clone --shared)",
    async run(world) {
      world.toy();
      world.sh("git clone -q --shared . ../shared");
      world.root = join(world.base, "shared");
      expect(await world.life(WORK)).toBe("published");
    },
  },
  {
    is: "a worktree that a killed git left half made",
    async run(world) {
      world.toy();
      world.sh("git worktree add -q -b mine ../mine; printf '%040d\\n' 0 > .git/worktrees/mine/HEAD");
      expect(await world.life(WORK)).toBe("published");
      expect(world.read("project/work.txt")).toBe("work\n");
    },
  },
  {
    is: "objects by their longer hash (sha256)",
    async run(world) {
      world.sh("git init -q --object-format=sha256; echo a > a.txt; git add -A; git commit -qm begin");
      await worked(world);
    },
  },
  {
    is: "a thousand packed branches",
    async run(world) {
      world.toy();
      world.sh(
        'for n in $(seq 1000); do echo "create refs/heads/old/$n HEAD"; done | git update-ref --stdin; git pack-refs --all',
      );
      await worked(world);
    },
  },
  {
    is: "names that are no words: blanks, quotes, line breaks, letters of other scripts",
    async run(world) {
      world.toy();
      await worked(
        world,
        "for n in 'a b' '\"q\"' \"$(printf 'l\\nb')\" ünï 名 -dash; do echo x > \"./$n\"; done; git add -A; git commit -qm names",
      );
      expect(existsSync(join(world.root, "l\nb"))).toBe(true);
    },
  },
  {
    is: "links and programs",
    async run(world) {
      world.toy();
      world.sh(
        "ln -s a.txt link; ln -s /etc/passwd out; printf '#!/bin/sh\\n' > run; chmod +x run; git add -A; git commit -qm kinds",
      );
      await worked(world, `test -x run; test "$(readlink out)" = /etc/passwd; ${WORK}`);
    },
  },
  {
    is: "a person's checkout on no branch",
    async run(world) {
      world.toy();
      world.sh("git switch -q --detach");
      expect(await world.life(WORK)).toBe("published");
      expect(world.sh("git log -1 --format=%s main")).toBe("Merge T1: One");
    },
  },
  {
    is: "what only the person's lists ignore",
    async run(world) {
      world.toy();
      world.write("home/.config/git/ignore", "*.swp\n");
      world.write("project/.git/info/exclude", "notes/\n");
      await worked(world, `echo x > a.swp; mkdir notes; echo x > notes/n; ${WORK}; git status --porcelain`);
      expect(world.sh("git ls-tree --name-only main")).not.toMatch(/swp|notes/);
    },
  },
  {
    is: "ignored files to bring along (.worktreeinclude)",
    async run(world) {
      world.toy();
      world.write("project/.env", "TOKEN=1\n", 0o600);
      world.write("project/config/local.json", "{}\n");
      world.write("project/other.log", "no\n");
      world.sh(
        "printf '.env\\nlocal.json\\n*.log\\n' > .gitignore; printf '.env\\nlocal.json\\nREADME.md\\n' > .worktreeinclude; git add -A; git commit -qm include",
      );
      await worked(world, `cat .env config/local.json; test ! -e other.log; ${WORK}`);
      expect(world.said).toContain("TOKEN=1\n{}\n");
      expect(world.sh("git ls-tree -r --name-only main")).not.toContain(".env");
    },
  },
  {
    is: "work as git allows it: amend, rebase with a conflict, cherry-pick, stash",
    async run(world) {
      world.toy();
      const script = `
seq 8 | sed s/3/three/ > a.txt; git commit -qam one; git commit -q --amend -m One
git switch -qc side HEAD~1; seq 8 | sed s/3/drei/ > a.txt; git commit -qam side; git switch -q bloom/T1
git cherry-pick side >/dev/null 2>&1 && exit 9; seq 8 | sed s/3/both/ > a.txt; git add a.txt; git -c core.editor=true cherry-pick --continue >/dev/null
echo draft >> README.md; git stash -q; git stash pop -q; git checkout -q README.md
git switch -q side; git rebase bloom/T1 >/dev/null 2>&1 && exit 9; git checkout -q --theirs a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue >/dev/null
git switch -q bloom/T1; git merge -q --ff-only side; git branch -qd side; git gc -q; git fsck --connectivity-only 2>/dev/null`;
      await worked(world, script);
      expect(world.read("project/a.txt")).toContain("drei");
    },
  },
  {
    is: "a filter of the person's own",
    async run(world) {
      world.toy();
      world.filters = ["upper"];
      world.sh(
        "git config --global filter.upper.clean 'tr a-z A-Z'; git config --global filter.upper.smudge 'tr A-Z a-z'; echo '*.up filter=upper' > .gitattributes; echo text > t.up; git add -A; git commit -qm filter",
      );
      await worked(world, "cat t.up; echo more >> t.up; git commit -qam more; git cat-file -p HEAD:t.up");
      expect(world.said).toBe("text\nTEXT\nMORE\n");
    },
  },
  {
    is: "an edit of the person's in the way",
    async run(world) {
      world.toy();
      world.sh("echo mine > work.txt");
      expect(await world.life(WORK)).toBe("in-the-way");
      expect(world.read("project/work.txt")).toBe("mine\n");
      expect(world.sh("git log -1 --format=%s main")).toBe("feat: begin");
    },
  },
  {
    is: "tools that look upward",
    async run(world) {
      world.toy();
      world.write("project/node_modules/dep/index.js", "module.exports = 'the person\\'s'\n");
      world.write("project/.gitignore", "node_modules\n");
      world.sh("git add -A; git commit -qm ignore");
      await worked(world, `${WORK}; node -e 'require("dep")' 2>&1 | grep -c "Cannot find module"; true`);
      expect(world.said.trim()).toBe("1");
    },
  },
  {
    is: "a nested repository that git ignores",
    async run(world) {
      world.toy();
      world.sh(
        "git init -q vendor/tool; echo t > vendor/tool/t; git -C vendor/tool add -A; git -C vendor/tool commit -qm t; echo vendor > .gitignore; git add -A; git commit -qm ignore",
      );
      await worked(world, `test ! -e vendor; ${WORK}`);
    },
  },
];
