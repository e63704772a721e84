/** What lies in a person's home, from behind a real wall. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { installInto } from "../../../test/rig/install.ts";
import { promise } from "../../../test/rig/promise.ts";
import { NO_WALL } from "../../../test/rig/wall.ts";
import { attempt } from "../../core/attempt.ts";
import { DEFAULT_SETTINGS, type SandboxSettings } from "../../core/settings.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import { openChecks } from "../checks/checks.ts";
import { keepProgramsFrom } from "../process/programs.ts";
import type { AgentHome } from "./homes.ts";
import { followsPlanted } from "./probe.ts";
import { proveWall } from "./prove.ts";
import { openWall } from "./wall.ts";

/** A person's home and a project in it. */
function openWalledHome(settings: Partial<SandboxSettings> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-home-")));
  const root = join(home, "code/project");
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode });
    chmodSync(join(home, path), mode);
  };
  mkdirSync(join(root, ".pawl"), { recursive: true });
  const environment = { HOME: home, PATH: `${home}/.tool/bin:${home}/bin:${process.env.PATH}` };
  const folder = join(root, "work");
  mkdirSync(folder);
  const wall = () =>
    openWall({
      projectRoot: root,
      stateFolder: join(home, ".local/state/pawl/projects/x"),
      environment,
      settings: { ...DEFAULT_SETTINGS.sandbox, kind: "bwrap", ...settings },
      programs: [],
      tasksFile: "tasks.yaml",
      workflows: ["flows/own.yaml"],
    }).wall;
  /** The call of a shell behind the wall, as an agent's where a home is given. */
  const enclosed = (words: readonly string[], place?: readonly AgentHome[]) => {
    const agent = place && { agent: { run: "T1.1", home: place, hosts: [] } };
    const order = { folder: { agentPath: folder }, program: "sh", args: words, environment };
    const { program = "", args = [], environment: env = {} } = wall()?.enclose({ ...order, ...agent }) ?? {};
    return { program, args, env };
  };
  /** What it prints. */
  const sh = (words: readonly string[], place?: readonly AgentHome[], meanwhile = () => {}) => {
    const { program, args, env } = enclosed(words, place);
    meanwhile();
    return spawnSync(program, [...args], { env, encoding: "utf8", cwd: folder }).stdout.trim();
  };
  const inside = (command: string, place?: readonly AgentHome[]) =>
    sh(["-c", `exec 2>&1; ${command}; true`], place);
  return {
    home,
    root,
    folder,
    write,
    wall,
    environment,
    enclosed,
    sh,
    inside,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

it.skipIf(NO_WALL)(
  "a command sees who commits and the tools on the PATH, and none of the secrets beside them",
  () => {
    using walled = openWalledHome();
    walled.write(".gitconfig", "[user]\n\tname = Person\n");
    walled.write(".config/git/credentials", "https://me:secret@example.com");
    walled.write(".config/git/ignore", "*.swp\n");
    walled.write(".tool/lib/word", "from the tool");
    walled.write(".tool/bin/tool", '#!/bin/sh\ncat "$(dirname "$0")/../lib/word"\n', 0o755);
    walled.write("bin/own", "#!/bin/sh\necho own\n", 0o755);
    walled.write(".cargo/bin/rust", "#!/bin/sh\necho rust\n", 0o755);
    walled.write(".cargo/credentials.toml", "secret");
    walled.write(".tool-versions", "nodejs 24\n");
    walled.write(".config/mise/config.toml", '[tools]\nnode = "24"\n');
    walled.write(".config/mise/age.txt", "secret");
    walled.write(".ssh/id", "secret");
    walled.write(".npmrc", "//registry/:_authToken=secret");
    walled.write("code/other/private.txt", "secret");
    const printed = walled.inside(
      "git config user.name; tool; echo; own; ~/.cargo/bin/rust; cat ~/.cargo/credentials.toml; ls -A ~ ~/code ~/.config/git; cat ~/.ssh/id ~/.npmrc; cat ~/.tool-versions ~/.config/mise/*",
    );
    expect(printed).toContain('nodejs 24\n[tools]\nnode = "24"');
    expect(printed).toContain("Person\nfrom the tool\nown\nrust\n");
    expect(printed).not.toContain("secret");
    expect(printed).toMatch(/code:\nproject\n/);
    expect(printed).toMatch(/git:\nignore\n/);
  },
);

it.skipIf(NO_WALL)("a secret that appears beside a tool's files stays hidden, too", () => {
  using walled = openWalledHome();
  walled.write(".cargo/bin/rust", "#!/bin/sh\necho rust\n", 0o755);
  const login = () => walled.write(".cargo/credentials.toml", "secret");
  const printed = walled.sh(["-c", "~/.cargo/bin/rust; cat ~/.cargo/*"], undefined, login);
  expect(printed).toBe("rust");
});

it.skipIf(NO_WALL)(
  "a person's pnpm is readable, and its store is not: pnpm makes one of its own",
  { timeout: 300_000 },
  () => {
    using walled = openWalledHome();
    const modules = installInto("pnpm", { package: "pnpm", version: "10.34.9" });
    const pnpm = join(walled.home, ".local/share/pnpm");
    cpSync(join(modules, "pnpm"), join(pnpm, ".tools/pnpm"), { recursive: true });
    const own = `#!/bin/sh\nexec ${process.execPath} ${join(pnpm, ".tools/pnpm/bin/pnpm.cjs")} "$@"\n`;
    walled.write(".local/share/pnpm/pnpm", own, 0o755);
    // As pnpm's own installer puts it on the PATH.
    walled.environment.PATH = `${pnpm}:${walled.environment.PATH}`;
    const part = (name: string) => {
      walled.write(`code/project/work/${name}/package.json`, `{"name": "${name}", "version": "1.0.0"}\n`);
      execFileSync("npm", ["pack", "--silent", `./${name}`], { cwd: walled.folder });
    };
    part("part");
    const needs = { name: "whole", dependencies: { part: "file:part-1.0.0.tgz" } };
    walled.write("code/project/work/package.json", JSON.stringify(needs));
    walled.write(".local/share/pnpm/store/v10/files/00/own", "the person's");
    const install = "pnpm install --offline --reporter=silent && cat node_modules/part/package.json";
    const store = "ls ~/.local/share/pnpm/store/v10; cat ~/.local/share/pnpm/store/v10/files/00/own";
    for (const place of [undefined, []]) {
      rmSync(join(walled.folder, "node_modules"), { recursive: true, force: true });
      const printed = walled.inside(`${install}; ${store}`, place);
      expect(printed).toContain('"name": "part"');
      expect(printed).toContain("projects");
      expect(printed).not.toContain("the person's");
    }
    expect(readdirSync(join(pnpm, "store/v10"))).toEqual(["files"]);
  },
);

it.skipIf(NO_WALL)("a link in the place of a workspace's package opens nothing outside", () => {
  promise("wall.holds");
  using walled = openWalledHome();
  const workspace = join(walled.home, ".local/state/pawl/work/p-1/@project/task");
  const other = join(walled.home, "code/other");
  for (const each of [join(workspace, "packages"), other]) mkdirSync(each, { recursive: true });
  symlinkSync(other, join(workspace, "packages/app"));
  const start = () => {
    const folder = { agentPath: join(workspace, "packages/app") };
    const order = { folder, program: "sh", args: ["-c", "touch here"], environment: walled.environment };
    const { args = [], program = "" } = walled.wall()?.enclose(order) ?? {};
    spawnSync(program, [...args], { env: walled.environment });
  };
  const refusal = attempt(() => String(start()), "refused");
  expect(readdirSync(other)).toEqual([]);
  expect(refusal).toBe("refused");
});

it.skipIf(NO_WALL)("a command has a session of its own, and so no terminal of the person's", () => {
  using walled = openWalledHome();
  // 0: a session of somebody outside.
  expect(walled.inside("cut -d' ' -f6 /proc/self/stat")).not.toBe("0");
});

it.skipIf(NO_WALL)("the kernel's keyrings of the person are out of reach, and other calls are not", () => {
  promise("wall.holds");
  using walled = openWalledHome();
  const [keyctl, getpid] = process.arch === "arm64" ? [219, 172] : [250, 39];
  const call = `perl -e 'print syscall(${keyctl}, 0, -3, 1), " ", $!, " ", syscall(${getpid}) > 0'`;
  expect(walled.inside(call)).toBe("-1 Operation not permitted 1");
});

it.skipIf(NO_WALL)("a mode that root sets on a device is not the machine's, and the devices work", () => {
  promise("wall.protected");
  using walled = openWalledHome();
  const before = statSync("/dev/null").ctimeMs;
  const printed = walled.inside(
    "chmod 666 /dev/null; echo gone > /dev/null; head -c 2 /dev/zero | od -An -tx1; head -c 3 /dev/urandom | wc -c",
  );
  expect(printed).toMatch(/00 00\n3$/);
  expect(statSync("/dev/null").ctimeMs).toBe(before);
});

it.skipIf(NO_WALL)("an agent that is a script sees what lies beside the script", () => {
  using walled = openWalledHome();
  walled.write("agents/mine.sh", 'cat "$(dirname "$0")/part"; cat "$1"');
  walled.write("agents/part", "its part");
  walled.write("private/notes", "secret");
  const words = [join(walled.home, "agents/mine.sh"), join(walled.home, "private/notes")];
  expect(walled.sh(words, [])).toBe("its part");
});

it.skipIf(NO_WALL)("a command leaves nothing in its home, an agent what its next run finds", () => {
  using walled = openWalledHome();
  walled.inside("echo x > ~/.npmrc");
  expect(walled.inside("cat ~/.npmrc")).toContain("No such file");
  const place = [{ at: join(walled.home, ".agent"), read: [], write: [], copy: [] }];
  walled.inside("mkdir -p ~/.agent; echo session > ~/.agent/s1", place);
  expect(walled.inside("cat ~/.agent/s1", place)).toBe("session");
  expect(walled.inside("cat ~/.agent/s1")).toContain("No such file");
  expect(existsSync(join(walled.home, ".agent"))).toBe(false);
});

it.skipIf(NO_WALL)(
  "an agent's settings are read-only, its credentials are the person's own, and what is copied is copied afresh",
  () => {
    using walled = openWalledHome();
    walled.write(".agent/settings.json", "{}");
    walled.write(".agent/hooks/a", "hook");
    walled.write(".agent/auth.json", "old");
    walled.write(".agent/state.json", "person");
    walled.write(".agent/sessions/private", "secret");
    const place = [
      {
        at: join(walled.home, ".agent"),
        read: ["settings.json", "hooks", "missing"],
        write: ["auth.json"],
        copy: ["state.json"],
      },
    ];
    const printed = walled.inside(
      "cd ~/.agent; echo evil > settings.json; echo evil > hooks/b; echo new > auth.json; cat state.json; echo; echo mine > state.json; cat state.json; ls sessions",
      place,
    );
    expect(printed).toMatch(
      /settings.json: Read-only file system[\s\S]*hooks\/b: Read-only[\s\S]*person\nmine\nls: cannot access/,
    );
    expect(readFileSync(join(walled.home, ".agent/auth.json"), "utf8")).toBe("new\n");
    expect(readFileSync(join(walled.home, ".agent/state.json"), "utf8")).toBe("person");
    expect(walled.inside("cat ~/.agent/state.json", place)).toBe("person");
  },
);

it.skipIf(NO_WALL)("no link that an agent leaves in its home leads what is written there elsewhere", () => {
  using walled = openWalledHome();
  walled.write("elsewhere/state.json", "kept");
  walled.write(".agent/state.json", "person");
  walled.write(".agent/settings.json", "{}");
  const place = [
    { at: join(walled.home, ".agent"), read: ["settings.json"], write: [], copy: ["state.json"] },
  ];
  walled.inside("true", place);
  const [name = ""] = execFileSync("ls", [join(walled.root, ".pawl/walls")], { encoding: "utf8" }).split(
    "\n",
  );
  const own = join(walled.root, ".pawl/walls", name, "home/.agent");
  rmSync(own, { recursive: true });
  symlinkSync(join(walled.home, "elsewhere"), own);
  expect(walled.inside("cat ~/.agent/state.json; cat ~/.agent/settings.json", place)).toBe("person{}");
  expect(readFileSync(join(walled.home, "elsewhere/state.json"), "utf8")).toBe("kept");
  expect(existsSync(join(walled.home, "elsewhere/settings.json"))).toBe(false);
});

it.skipIf(NO_WALL)(
  "what the settings name can be read and written, and nothing of Pawl's own by that",
  () => {
    using walled = openWalledHome({ read: ["~/.m2", "../shared"], write: ["~/.cache/tool", "."] });
    walled.write(".m2/jar", "jar");
    walled.write("code/shared/data", "data");
    walled.write(".cache/tool/old", "old");
    walled.write(".local/state/pawl/projects/x/key", "secret");
    walled.write("code/project/pawl.yaml", "bloom: {}");
    walled.write("code/project/.pawl/journal", "secret");
    const printed = walled.inside(
      "cat ~/.m2/jar ../../shared/data; echo; echo x > ~/.m2/new; echo x > ~/.cache/tool/new; echo x > ../made; echo x > ../pawl.yaml; cat ../.pawl/journal ~/.local/state/pawl/projects/x/key",
    );
    expect(printed).toContain("jardata\n");
    expect(printed).not.toContain("secret");
    expect(printed).toMatch(/\.m2\/new: Read-only[\s\S]*pawl.yaml: Read-only/);
    expect(existsSync(join(walled.home, ".cache/tool/new"))).toBe(true);
    expect(existsSync(join(walled.root, "made"))).toBe(true);
  },
);

it.skipIf(NO_WALL)(
  "if the project's root may be written, no protected place is, missing or not, and no repository within",
  () => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    const at = (path: string) => join(walled.root, path);
    walled.write("code/project/pawl.yaml", "bloom: {}");
    for (const folder of [".husky", "deep/nested/.git", "node_modules/dep/.git", "node_modules/pawl"])
      mkdirSync(at(folder), { recursive: true });
    const made = [
      ...[".alfred/allowed_signers", ".claude/settings.local.json", ".husky/pre-commit", "tasks.yaml"],
      ...[
        "node_modules/pawl/dist/main.js",
        ".npmrc",
        ".gitconfig",
        ".mcp.json",
        ".worktreeinclude",
        "flows/own.yaml",
        ".git/config",
      ],
      ...["deep/nested/.git/config", "node_modules/dep/.git/hooks/post-checkout"],
    ];
    const tries = made.map((path) => `mkdir -p ../${dirname(path)}; echo evil > ../${path}`);
    const printed = walled.inside([...tries, "echo x > ../pawl.yaml", "echo x > ../free"].join("; "));
    const size = (path: string) => (existsSync(at(path)) ? statSync(at(path)).size : 0);
    expect(
      made.filter((path) => size(path) > 0),
      printed,
    ).toEqual([]);
    expect(readFileSync(at("pawl.yaml"), "utf8")).toBe("bloom: {}");
    expect(existsSync(at("free"))).toBe(true);
  },
);

it.skipIf(NO_WALL)("if a deeper folder has a protected place, that one is protected too", () => {
  promise("wall.protected");
  using walled = openWalledHome({ write: ["."] });
  const own = [
    ...["lib/.husky/pre-push", "pkg/a/.claude/settings.json", "pkg/a/.npmrc", "pkg/a/.mcp.json"],
    ...["pkg/a/node_modules/pawl/dist/main.js"],
  ];
  for (const path of own) walled.write(`code/project/${path}`, "own");
  const tries = [...own, "lib/.husky/commit-msg", "pkg/a/.claude/settings.local.json", "pkg/a/src/free"];
  const printed = walled.inside(
    `cd ..; mv pkg/a pkg/b; mv lib l; mkdir -p pkg/a/src pkg/a/.claude lib/.husky; ${tries.map((path) => `echo evil > ${path}`).join("; ")}`,
  );
  const evil = tries.filter((path) =>
    attempt(() => readFileSync(join(walled.root, path), "utf8"), "").includes("evil"),
  );
  expect(evil, printed).toEqual(["pkg/a/src/free"]);
});

/** A process with a wall around a shell, whose script waits for a line; then it ends. */
function walledProcess(home: string, root: string, script: string) {
  const setup = {
    projectRoot: root,
    stateFolder: join(home, ".local/state/pawl/projects/x"),
    environment: { HOME: home, PATH: process.env.PATH },
    settings: { ...DEFAULT_SETTINGS.sandbox, kind: "bwrap", write: ["."] },
    programs: [],
    tasksFile: "tasks.yaml",
    workflows: [],
  };
  const order = {
    folder: { agentPath: join(root, "work") },
    program: "sh",
    args: ["-c", `echo up; read word; ${script}`],
    environment: setup.environment,
  };
  const program = `
    import { spawnSync } from "node:child_process";
    const { openWall } = await import(${JSON.stringify(new URL("./wall.ts", import.meta.url).href)});
    const { wall } = openWall(${JSON.stringify(setup)});
    const { program, args, environment } = wall.enclose(${JSON.stringify(order)});
    spawnSync(program, args, { env: environment, stdio: "inherit" });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const up = once(child.stdout, "data");
  return {
    up,
    kill: () => child.kill("SIGKILL"),
    async goOn() {
      const over = once(child, "exit");
      child.stdin.end("go\n");
      await over;
    },
  };
}

it.skipIf(NO_WALL)("what covers a missing place goes with the last process that has a wall", async () => {
  promise("wall.protected");
  using walled = openWalledHome();
  const at = join(walled.root, ".claude");
  const first = walledProcess(walled.home, walled.root, "true");
  await first.up;
  const tries = "mkdir -p ../.claude; echo evil > ../.claude/settings.json; echo done > ../done";
  const second = walledProcess(walled.home, walled.root, tries);
  await second.up;
  expect(existsSync(at)).toBe(true);
  await first.goOn();
  expect(existsSync(at)).toBe(true);
  await second.goOn();
  expect([existsSync(join(walled.root, "done")), existsSync(at)]).toEqual([true, false]);

  const killed = walledProcess(walled.home, walled.root, "true");
  await killed.up;
  killed.kill();
  expect(existsSync(at)).toBe(true);
  const next = walledProcess(walled.home, walled.root, "true");
  await next.up;
  await next.goOn();
  expect(readdirSync(walled.root).filter((name) => ![".pawl", "done", "work"].includes(name))).toEqual([]);
});

it.skipIf(NO_WALL)("what covers a missing place is made behind no link that an agent has planted", () => {
  promise("wall.protected");
  using walled = openWalledHome({ write: ["."] });
  const outside = join(walled.home, "outside");
  mkdirSync(outside);
  symlinkSync(`/oldroot${outside}`, join(walled.root, ".claude"));
  symlinkSync(outside, join(walled.root, ".codex"));
  expect(walled.inside("echo evil > ../.codex/hooks.json; echo ran")).toContain("ran");
  expect(readdirSync(outside)).toEqual([]);
});

const RENAMES = {
  "a client's settings": ["mv .claude aside; mkdir .claude", ".claude/settings.json"],
  "a workflow of the project's own": ["mv flows aside; mkdir flows", "flows/own.yaml"],
  "a missing file": ["mv .gemini aside; mkdir -p .gemini/config", ".gemini/config/hooks.json"],
  "a repository within": ["mv lib aside; mkdir -p lib/.git", "lib/.git/config"],
  "a repository below it": ["mv lib aside; mkdir -p lib/deep/.git", "lib/deep/.git/config"],
} as const;

it.skipIf(NO_WALL).each(Object.entries(RENAMES))(
  "no other folder takes the place of the one with a protected place: %s",
  (_, [rename, place]) => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    for (const path of [".claude/settings.json", "flows/own.yaml", ".gemini/own"])
      walled.write(`code/project/${path}`, "own");
    for (const path of ["lib", "lib/deep"]) execFileSync("git", ["init", "-q", join(walled.root, path)]);
    const text = () => attempt(() => readFileSync(join(walled.root, place), "utf8"), "");
    const before = text();
    const printed = walled.inside(
      `cd ..; ${rename}; echo evil > ${place}; echo new > lib/work; cat lib/work`,
    );
    expect(text()).toBe(before);
    expect(printed).toContain("new");
  },
);

it.skipIf(NO_WALL).each([true, false])(
  "dependencies without Pawl can be installed, the first time and anew: %s",
  (isFirst) => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    if (!isFirst) walled.write("code/project/node_modules/other/cli.js", "own");
    const printed = walled.inside(
      "cd ..; rm -rf node_modules && mkdir -p node_modules/.bin node_modules/other && ln -s ../other/cli.js node_modules/.bin/cli; ls node_modules/.bin",
    );
    expect(printed).toBe("cli");
  },
);

it.skipIf(NO_WALL).each(["npm", "pnpm"])(
  "the Pawl among a project's dependencies is not replaced, nor its folder or link: as %s installs it",
  (manager) => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    const real = manager === "npm" ? "node_modules/pawl" : "node_modules/.pnpm/pawl@1/node_modules/pawl";
    walled.write(`code/project/${real}/dist/main.js`, "own");
    mkdirSync(join(walled.root, "node_modules/.bin"));
    if (manager === "pnpm")
      symlinkSync(".pnpm/pawl@1/node_modules/pawl", join(walled.root, "node_modules/pawl"));
    symlinkSync("../pawl/dist/main.js", join(walled.root, "node_modules/.bin/pawl"));
    const tries = [
      "mv node_modules aside; mkdir -p node_modules/pawl/dist",
      "rm -rf node_modules/pawl; mkdir -p node_modules/pawl/dist",
      "rm -f node_modules/.bin/pawl; echo evil > node_modules/.bin/pawl",
      "mv node_modules/.bin aside-bin; mkdir node_modules/.bin; echo evil > node_modules/.bin/pawl",
      "echo evil > node_modules/.bin/sh",
    ];
    for (const each of tries) {
      walled.inside(`cd ..; ${each}; echo evil > node_modules/pawl/dist/main.js`);
      const started = attempt(() => readFileSync(join(walled.root, "node_modules/.bin/pawl"), "utf8"), "");
      expect([each, started]).toEqual([each, "own"]);
      expect(existsSync(join(walled.root, "node_modules/.bin/sh"))).toBe(false);
    }
    // A test runner keeps its results there.
    expect(walled.inside("cd ..; mkdir -p node_modules/.vite/vitest && echo kept")).toBe("kept");
  },
);

it.skipIf(NO_WALL)("no Pawl is planted if clients would start one that is not installed yet", () => {
  promise("wall.protected");
  using walled = openWalledHome({ write: ["."] });
  walled.write("code/project/.mcp.json", '{"args": ["--no", "--package=pawl", "--", "pawl", "mcp"]}');
  const printed = walled.inside("cd ..; mkdir -p node_modules/pawl && echo evil > node_modules/pawl/main.js");
  expect(printed).toContain("Read-only");
  expect(existsSync(join(walled.root, "node_modules/pawl"))).toBe(false);
});

it.skipIf(NO_WALL)("a git folder to which a .git points is protected if it is in the project", () => {
  promise("wall.protected");
  using walled = openWalledHome({ write: ["."] });
  const apart = join(walled.root, ".bare");
  execFileSync("git", ["init", "-q", "--separate-git-dir", apart, walled.root]);
  const before = readFileSync(join(apart, "config"), "utf8");
  const printed = walled.inside(
    "cd ..; echo evil >> .bare/config; echo evil > .bare/hooks/pre-push; echo ran",
  );
  expect(readFileSync(join(apart, "config"), "utf8")).toBe(before);
  expect(existsSync(join(apart, "hooks/pre-push"))).toBe(false);
  expect(printed).toContain("ran");
});

it.skipIf(NO_WALL)(
  "a repository stays protected among more folders and names than are searched",
  () => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    execFileSync("git", ["init", "-q", join(walled.root, "a/lib")]);
    const config = join(walled.root, "a/lib/.git/config");
    const before = readFileSync(config, "utf8");
    walled.inside("true");
    const many = 'for (let n = 0; n < 21000; n++) fs.mkdirSync("../d" + n)';
    walled.inside(`${process.execPath} -e '${many}'`);
    expect(existsSync(join(walled.root, "d20999"))).toBe(true);
    walled.inside("echo evil >> ../a/lib/.git/config");
    expect(readFileSync(config, "utf8")).toBe(before);
  },
  180_000,
);

it.skipIf(NO_WALL)(
  "a link to a protected place cannot be replaced: its folder is closed, or an agent refused",
  () => {
    promise("wall.protected");
    using walled = openWalledHome({ write: ["."] });
    walled.write("dotfiles/settings.json", "own");
    mkdirSync(join(walled.root, "shared"));
    symlinkSync("shared", join(walled.root, ".husky"));
    mkdirSync(join(walled.root, ".claude"));
    const link = join(walled.root, ".claude/settings.json");
    symlinkSync(join(walled.home, "dotfiles/settings.json"), link);
    walled.inside("cd ../.claude; rm settings.json; echo evil > settings.json");
    expect(readFileSync(link, "utf8")).toBe("own");

    expect(() => walled.inside("true", [])).toThrow(expect.objectContaining({ code: "wall-failed" }));
    expect(walled.inside("echo ran")).toBe("ran");
  },
);

it.skipIf(NO_WALL)("a link in a protected place shows nothing of what is hidden", () => {
  promise("wall.protected");
  using walled = openWalledHome({ write: ["."] });
  walled.write(".ssh/id", "secret");
  const linked = ["a/.claude/settings.json", "b/.claude/agents", "c/.husky", ".cursor/mcp.json"];
  for (const path of linked) {
    mkdirSync(dirname(join(walled.root, path)), { recursive: true });
    const target = path.endsWith(".json") ? ".ssh/id" : ".ssh";
    symlinkSync(join(walled.home, target), join(walled.root, path));
  }
  expect(walled.inside("cat ~/.ssh/* ../a/.claude/settings.json ../b/.claude/agents/id; echo ran")).toMatch(
    /^(?!.*secret).*ran$/s,
  );
});

it.skipIf(NO_WALL)(
  "nothing starts behind a wall whose mounts another program has led elsewhere meanwhile",
  () => {
    promise("wall.holds");
    using walled = openWalledHome({ write: ["."] });
    walled.write(".cargo/.husky/pre-push", "");
    const begin = (folder: string, isSwapped: boolean) => {
      const path = join(walled.root, folder);
      mkdirSync(join(path, ".husky"), { recursive: true });
      const swap = () => {
        renameSync(path, `${path}.old`);
        symlinkSync("../../.cargo", path);
      };
      return walled.sh(
        ["-c", "echo evil > ~/.cargo/tool; echo ran"],
        undefined,
        isSwapped ? swap : undefined,
      );
    };
    for (const folder of ["a folder", "a\\folder"]) expect(begin(folder, false)).toBe("ran");
    expect(begin("swapped", true)).toBe("");
    expect(readdirSync(join(walled.home, ".cargo"))).toEqual([".husky"]);
  },
);

it.skipIf(NO_WALL)("nothing starts where a cover landed elsewhere", () => {
  promise("wall.holds");
  using walled = openWalledHome({ write: ["."] });
  const { folder, root } = walled;
  const { program, args } = walled.enclosed(["-c", "echo ran"]);
  const cover = args.findIndex((word, at) => word.startsWith(`${root}/.`) && args[at - 1] === "--tmpfs");
  const elsewhere = args.with(cover, folder).with(cover + 2, folder);
  const printed = (words: readonly string[]) => spawnSync(program, words, { encoding: "utf8" });
  expect(printed(args).stdout).toBe("ran\n");
  expect(printed(elsewhere)).toMatchObject({ stdout: "", stderr: expect.stringContaining("nothing covers") });
});

it.skipIf(NO_WALL || process.getuid?.() !== 0)("what the machine mounts meanwhile stops no start", () => {
  promise("wall.holds");
  using walled = openWalledHome({ write: ["."] });
  const at = join(walled.home, "disk");
  mkdirSync(at);
  try {
    const mount = () => spawnSync("mount", ["-t", "tmpfs", "none", at]);
    expect(walled.sh(["-c", "echo ran"], undefined, mount)).toBe("ran");
  } finally {
    spawnSync("umount", [at]);
  }
});

it.skipIf(NO_WALL)("a program at a terminal starts behind a wall in the project", () => {
  promise("wall.holds");
  using walled = openWalledHome({ write: ["."] });
  const { program, args } = walled.enclosed(["-c", "test -t 1 && echo ran"]);
  const words = [program, ...args].map(shellWord).join(" ");
  const { stdout } = spawnSync("script", ["-qec", words, "/dev/null"], { encoding: "utf8", input: "" });
  expect(stdout.trim()).toBe("ran");
});

it.skipIf(NO_WALL)("a link in a place of the project that the settings name opens nothing outside", () => {
  promise("wall.holds");
  using walled = openWalledHome({ read: ["a"], write: ["b"] });
  walled.write(".ssh/id", "secret");
  symlinkSync(join(walled.home, ".ssh"), join(walled.root, "a"));
  mkdirSync(join(walled.root, "b"));
  const printed = walled.inside("cat ~/.ssh/id ../a/id; echo made > ../b/file; echo ran");
  expect(printed).toMatch(/^(?!.*secret).*ran$/s);
  expect(readFileSync(join(walled.root, "b/file"), "utf8")).toBe("made\n");
});

it.skipIf(NO_WALL)(
  "is tried from inside by no program of the project's, and waits for no pipe there",
  async () => {
    promise("programs.found-once");
    using walled = openWalledHome();
    const planted = join(walled.root, "node_modules/.bin");
    for (const name of ["sh", "true"])
      walled.write(`code/project/node_modules/.bin/${name}`, "#!/bin/sh\necho wrote settings\n", 0o755);
    execFileSync("mkfifo", [join(walled.root, "pawl.yaml")]);
    keepProgramsFrom(walled.root);
    const settings = { ...DEFAULT_SETTINGS.sandbox, network: "none" } as const;
    const proved = await proveWall({
      ...{
        projectRoot: walled.root,
        stateFolder: join(walled.home, ".local/state/pawl/projects/x"),
        settings,
      },
      ...{ programs: [], tasksFile: "tasks.yaml", workflows: [] },
      environment: { ...walled.environment, PATH: `${planted}:${walled.environment.PATH}` },
    });
    expect(proved).toMatchObject({ kind: "bwrap" });
    expect(proved.kind === "bwrap" && proved.tried.filter(({ held }) => !held)).toEqual([]);
  },
);

it.skipIf(NO_WALL)("a bubblewrap that follows a planted link is known by trying it", () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-planted-")));
  const fake = (name: string, script: string) => {
    writeFileSync(join(scratch, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return join(scratch, name);
  };
  const tried = (program: string) => {
    const place = mkdtempSync(join(scratch, "try-"));
    return followsPlanted(program, place);
  };
  // The last but two of its words is where it should make the file.
  const last =
    'while [ $# -gt 3 ]; do shift; done; at=$1; touch "$(dirname "$at" | xargs readlink | sed s,^/oldroot,,)/made"';
  expect([tried(fake("open", last)), tried(fake("closed", "exit 1"))]).toEqual([true, false]);
  rmSync(scratch, { recursive: true, force: true });
});

it.skipIf(NO_WALL)(
  "a check runs behind it, says so if it fails, and what acts on the world runs without it",
  async () => {
    using walled = openWalledHome();
    walled.write("code/project/pawl.yaml", "bloom: {}");
    const wall = walled.wall() ?? undefined;
    const checks = openChecks({ root: walled.root, environment: walled.environment, wall });
    const outside = join(walled.home, "made");
    const passed = await checks.run("one", "echo x > inside.txt && pwd");
    expect(passed).toMatchObject({ kind: "ended", exitCode: 0, tail: walled.root });
    expect(existsSync(join(walled.root, "inside.txt"))).toBe(true);
    const closed = await checks.run("two", `ls .pawl/checks || echo x >> pawl.yaml || exit 3`);
    expect(closed).toMatchObject({ kind: "ended", exitCode: 3 });
    expect(closed.tail).toMatch(/No such file[\s\S]*Read-only[\s\S]*behind the wall/);
    expect(await checks.run("three", `echo x > ${outside}`)).toMatchObject({ exitCode: 0 });
    expect(existsSync(outside)).toBe(false);
    expect(await checks.run("four", `echo x > ${outside}`, { acts: true })).toMatchObject({ exitCode: 0 });
    expect(existsSync(outside)).toBe(true);
  },
);
