import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOutput } from "../src/adapters/agents/output-file.ts";
import { keepSpent, openRunFolder } from "../src/adapters/agents/run-folder.ts";
import { openChecks } from "../src/adapters/checks/checks.ts";
import { openEventLog } from "../src/adapters/events/event-log.ts";
import { openLeaseManager } from "../src/adapters/files/lease-manager.ts";
import { openOwnFolder, ownPath, writeOwnFile } from "../src/adapters/files/own-folder.ts";
import { openStore } from "../src/adapters/files/store.ts";
import { openWatch } from "../src/adapters/files/watch.ts";
import { openLoopOutside } from "../src/app/loop-ports.ts";
import { projectPath } from "../src/core/path.ts";
import type { AgentUsage } from "../src/core/ports/agents.ts";
import { DEFAULT_SETTINGS } from "../src/core/settings.ts";
import { promise } from "./rig/promise.ts";
import { stateHome, stateOf } from "./rig/state-home.ts";

let base: string;
let root: string;
let outside: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-links-"));
  root = join(base, "project");
  outside = join(base, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "theirs\n");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function link(path: string, target = outside): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

const untouched = () => {
  expect(readdirSync(outside)).toEqual(["file"]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs\n");
};

const commit = () => {
  const store = openStore({ root, state: stateOf(root) });
  return store.commit(store.view(), [{ type: "write", path: projectPath("a.md"), text: "a\n" }]);
};
const loop = () =>
  openLoopOutside({
    ...{ root, environment: stateHome(), settings: DEFAULT_SETTINGS, launch: ["node"] },
    eventLog: async () => openEventLog(join(root, ".pawl/events.jsonl")),
  });

/** Every writer of Pawl's own files, at the places where a link could lead it astray. */
const WRITERS: readonly [string, () => unknown][] = [
  [".pawl", commit],
  [".pawl/locks", commit],
  [".pawl", loop],
  [".pawl/bin", loop],
  [".pawl", () => openRunFolder(root, "agents", "T1.1")],
  [".pawl/agents", () => openRunFolder(root, "agents", "T1.1")],
  [".pawl/agents/T1.1", () => openRunFolder(root, "agents", "T1.1")],
  [".pawl/commands", () => openRunFolder(root, "commands", "T1.1")],
  [".pawl/checks", () => openChecks({ root, environment: {} }).run("key", "true")],
  [".pawl/claims", () => openLeaseManager(root).take("T1", "me")],
  [".pawl/claims", () => openLeaseManager(root).sweep()],
  [".pawl", () => openWatch(root, "tasks.yaml").onChange(() => {})],
];

describe("a link in the place of Pawl's own", () => {
  test.each(WRITERS.map(([path, work], index) => [path, index, work] as const))(
    "%s is refused by its name (writer %i), and nothing is written behind it",
    async (path, _, work) => {
      promise("commit.own-files");
      link(path);
      await expect(Promise.resolve().then(work)).rejects.toMatchObject({
        code: "path-outside-project",
        message: expect.stringContaining(`${path} is a symbolic link`),
        fix: expect.stringMatching(/^(Remove|Replace)/),
      });
      untouched();
    },
  );

  test("as an agent's output or the loop's program is not written through", () => {
    promise("commit.own-files");
    link(".pawl/agents/T1.1/output.jsonl", join(outside, "file"));
    const output = openOutput(join(root, ".pawl/agents/T1.1/output.jsonl"));
    output.write(Buffer.from("mine"));
    output.close();
    expect(output.fault()).toContain("ELOOP");
    link(".pawl/bin/pawl", join(outside, "file"));
    loop().close?.();
    expect(lstatSync(join(root, ".pawl/bin/pawl")).isFile()).toBe(true);
    link(".pawl/agents/sessions");
    keepSpent(root, "claude", "one", {} as AgentUsage);
    untouched();
  });

  test("of the journal, and of what is kept, stops the commit", async () => {
    promise("commit.own-files");
    await commit();
    rmSync(join(root, ".pawl/journal"));
    link(".pawl/journal", join(outside, "file"));
    await expect(commit()).rejects.toMatchObject({ code: "path-outside-project" });
    untouched();
  });
});

describe("a folder of Pawl's own", () => {
  test("is made if it is missing, and a file in its place is refused", () => {
    expect(openOwnFolder(root, ".pawl/a/b")).toBe(join(root, ".pawl/a/b"));
    expect(existsSync(join(root, ".pawl/a/b"))).toBe(true);
    writeOwnFile(root, ".pawl/a/file", "x", 0o700);
    expect(lstatSync(join(root, ".pawl/a/file")).mode & 0o777).toBe(0o700);
    expect(() => openOwnFolder(root, ".pawl/a/file")).toThrow(".pawl/a/file is not a folder");
    expect(() => ownPath(root, ".pawl/a/file/b")).toThrow(".pawl/a/file is not a folder");
  });
});
