import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Setups } from "../../core/ports/setup.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import type { SetupSettings } from "../../core/settings.ts";
import { openSetups } from "./setup.ts";

let root: string;
const NPM = { run: ["npm ci"], cache: ["node_modules"] };

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-setup-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function checkout(name: string, lock = "one"): AgentFolder {
  const folder = join(root, "pawl/work/project/@project", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), lock);
  return { agentPath: folder };
}

function install(folder: string): void {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/tool.js"), "tool\n");
  symlinkSync("../tool.js", join(folder, "node_modules/.bin/tool"));
}

async function keep(setups: Setups, folder: AgentFolder, setup: SetupSettings): Promise<void> {
  await setups.prepare(folder, setup, "fresh");
  await setups.done(folder, setup);
}

describe("the setup of a folder", () => {
  it("is needed once, and again when a lock file or a command changes", async () => {
    const setups = openSetups(root);
    const folder = checkout("a");
    expect(await setups.prepare(folder, NPM, "fresh")).toBe("needed");
    install(folder.agentPath);
    await setups.done(folder, NPM);
    expect(await openSetups(root).prepare(folder, NPM, "fresh")).toBe("ready");
    expect(await setups.prepare(folder, { ...NPM, run: ["npm ci --omit dev"] }, "fresh")).toBe("needed");
    writeFileSync(join(folder.agentPath, "package-lock.json"), "two");
    expect(await setups.prepare(folder, NPM, "fresh")).toBe("needed");
  });

  it("is needed again if what it made is gone", async () => {
    const setups = openSetups(root);
    const folder = checkout("a");
    install(folder.agentPath);
    await setups.done(folder, NPM);
    rmSync(join(folder.agentPath, "node_modules"), { recursive: true });
    expect(await setups.prepare(folder, NPM, "fresh")).toBe("needed");
  });

  it("follows the files that it is told of, and no others", async () => {
    const setups = openSetups(root);
    const folder = checkout("a");
    const setup = { run: ["make deps"], inputs: ["deps.txt"] };
    await setups.done(folder, setup);
    writeFileSync(join(folder.agentPath, "package-lock.json"), "two");
    expect(await setups.prepare(folder, setup, "fresh")).toBe("ready");
    writeFileSync(join(folder.agentPath, "deps.txt"), "a");
    expect(await setups.prepare(folder, setup, "fresh")).toBe("needed");
  });

  it("is copied for a folder with the same inputs, links as they are, and not shared", async () => {
    const setups = openSetups(root);
    const [first, second] = [checkout("a"), checkout("b")];
    install(first.agentPath);
    await keep(setups, first, NPM);
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
    expect(readFileSync(join(second.agentPath, "node_modules/.bin/tool"), "utf8")).toBe("tool\n");
    writeFileSync(join(second.agentPath, "node_modules/tool.js"), "changed by an agent\n");
    const third = checkout("c");
    expect(await setups.prepare(third, NPM, "fresh")).toBe("restored");
    expect(readFileSync(join(third.agentPath, "node_modules/tool.js"), "utf8")).toBe("tool\n");
  });

  it("is copied from every package of a workspace, or not at all", async () => {
    const setups = openSetups(root);
    const [first, second] = [checkout("a"), checkout("b")];
    for (const at of ["", "packages/b", "packages/b/node_modules/deep"]) install(join(first.agentPath, at));
    await keep(setups, first, NPM);
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
    expect(existsSync(join(second.agentPath, "packages/b/node_modules/tool.js"))).toBe(true);
    rmSync(join(second.agentPath, "packages/b/node_modules"), { recursive: true });
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
    const globs = { ...NPM, cache: ["packages/*/node_modules"] };
    await keep(setups, first, globs);
    const third = checkout("c");
    expect(await setups.prepare(third, globs, "fresh")).toBe("restored");
    expect(existsSync(join(third.agentPath, "packages/b/node_modules/tool.js"))).toBe(true);
    expect(existsSync(join(third.agentPath, "node_modules"))).toBe(false);
  });

  it("is copied whole if the project is one package of a repository, as its lock file above says", async () => {
    const setups = openSetups(root);
    const tops = [checkout("a"), checkout("b"), checkout("c", "other lock")];
    const packages = tops.map((top) => ({ agentPath: join(top.agentPath, "packages/own") }));
    for (const each of packages) mkdirSync(each.agentPath, { recursive: true });
    const [first, second, third] = packages as [AgentFolder, AgentFolder, AgentFolder];
    for (const at of ["", "packages/own", "packages/other"])
      install(join((tops[0] as AgentFolder).agentPath, at));
    await keep(setups, first, NPM);
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
    expect(readFileSync(join((tops[1] as AgentFolder).agentPath, "node_modules/tool.js"), "utf8")).toBe(
      "tool\n",
    );
    expect(existsSync(join((tops[1] as AgentFolder).agentPath, "packages/other/node_modules"))).toBe(true);
    expect(await setups.prepare(third, NPM, "fresh")).toBe("needed");
    const globs = { inputs: ["own.lock"], run: ["make"], cache: ["made/*"] };
    mkdirSync(join(first.agentPath, "made/one"), { recursive: true });
    await keep(setups, first, globs);
    expect(await setups.prepare(second, globs, "fresh")).toBe("restored");
    expect(existsSync(join(second.agentPath, "made/one"))).toBe(true);
    writeFileSync(join(second.agentPath, "own.lock"), "new");
    expect(await setups.prepare(second, globs, "fresh")).toBe("needed");
  });

  it("brings husky's hooks along, without which git would run none", async () => {
    const setups = openSetups(root);
    const [first, second] = [checkout("a"), checkout("b")];
    install(first.agentPath);
    mkdirSync(join(first.agentPath, ".husky/_"), { recursive: true });
    writeFileSync(join(first.agentPath, ".husky/_/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    await keep(setups, first, NPM);
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
    expect(statSync(join(second.agentPath, ".husky/_/pre-commit")).mode & 0o111).toBe(0o111);
    rmSync(join(second.agentPath, ".husky/_"), { recursive: true });
    expect(await setups.prepare(second, NPM, "fresh")).toBe("restored");
  });

  it.each([".venv", ".tox/py311"])(
    "is never copied with a virtual environment, which names its folder (%s)",
    async (at) => {
      const setups = openSetups(root);
      const first = checkout("a");
      install(first.agentPath);
      mkdirSync(join(first.agentPath, at), { recursive: true });
      writeFileSync(join(first.agentPath, at, "pyvenv.cfg"), "home = /usr/bin\n");
      const setup = { run: ["make"], cache: ["node_modules", ".venv", ".tox"] };
      await keep(setups, first, setup);
      expect(await setups.prepare(first, setup, "fresh")).toBe("ready");
      expect(await setups.prepare(checkout("b"), setup, "fresh")).toBe("needed");
    },
  );

  it("follows no link that a commit holds, to where it is copied or from where", async () => {
    const setups = openSetups(root);
    const [first, second] = [checkout("a"), checkout("b")];
    install(join(first.agentPath, "packages/b"));
    await keep(setups, first, NPM);
    const outside = join(root, "outside/b");
    install(outside);
    symlinkSync(join(root, "outside"), join(second.agentPath, "packages"));
    expect(await setups.prepare(second, NPM, "fresh")).toBe("needed");
    expect(readFileSync(join(outside, "node_modules/tool.js"), "utf8")).toBe("tool\n");
    const third = checkout("c", "other lock");
    symlinkSync(join(root, "outside"), join(third.agentPath, "packages"));
    await keep(setups, third, NPM);
    const fourth = checkout("d", "other lock");
    expect(await setups.prepare(fourth, NPM, "fresh")).toBe("needed");
  });

  it("serves no other folder if somebody had worked in the first", async () => {
    const setups = openSetups(root);
    const first = checkout("a");
    await setups.prepare(first, NPM, "worked");
    install(first.agentPath);
    await setups.done(first, NPM);
    expect(await setups.prepare(checkout("b"), NPM, "fresh")).toBe("needed");
  });

  it("keeps the states that were used last, and no half copy", async () => {
    const setups = openSetups(root);
    for (let n = 0; n < 7; n++) {
      const folder = checkout(`n${n}`, `lock ${n}`);
      install(folder.agentPath);
      await keep(setups, folder, NPM);
    }
    const missing = { run: ["true"], cache: ["never-made"] };
    await keep(setups, checkout("x"), missing);
    expect(readdirSync(join(root, ".pawl/setup"))).toHaveLength(5);
    expect(existsSync(join(root, ".pawl/setup"))).toBe(true);
  });
});
