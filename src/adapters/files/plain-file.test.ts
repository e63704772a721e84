/** What an agent may leave where Pawl reads: in each such place, all of it, and none stops or misleads the reader. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { projectPath } from "../../core/path.ts";
import { arrangeShell } from "../../services/guard/claude-shell.ts";
import { lastWords } from "../agents/dialects/last-words.ts";
import { takeCalls } from "../agents/outbox.ts";
import { loadUsage, runFolder } from "../agents/run-folder.ts";
import { tailOf } from "../checks/tail.ts";
import { openEventLog } from "../events/event-log.ts";
import { generationNow } from "../events/log-parts.ts";
import { discover } from "../git/discover.ts";
import { listRefs, readRef } from "../git/ref-files.ts";
import { branchHeldBy } from "../git/refs.ts";
import { tracksPawl } from "../git/tracked.ts";
import { openGitHooks } from "../git/workspace/git-hooks.ts";
import { bringIncluded } from "../git/workspace/include.ts";
import { emptyRepositories } from "../guard/empty-repositories.ts";
import { includedSecrets, noteIncluded } from "../process/included-secrets.ts";
import { openRedactor } from "../process/redact.ts";
import { openSetups } from "../setup/setup.ts";
import { openSources } from "../sources/sources.ts";
import { listLeases } from "./leases.ts";
import { readPlainText } from "./plain-file.ts";
import { openStore } from "./store.ts";
import { writeWhole } from "./write-whole.ts";

let root: string;
const ends: (() => void)[] = [];

beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), "pawl-plain-"))), "project");
  mkdirSync(root);
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(dirname(root), { recursive: true, force: true });
});

const SECRET = "others' text";

/** Each puts itself at the path. */
const PLANTS: Readonly<Record<string, (path: string) => unknown>> = {
  "a FIFO": (path) => execFileSync("mkfifo", [path]),
  "a link to another's file": (path) => {
    writeFileSync(join(root, "others"), SECRET);
    symlinkSync(join(root, "others"), path);
  },
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "a loop of links": (path) => symlinkSync(path, path),
  "a folder": (path) => mkdirSync(path),
  "a socket": (path) =>
    new Promise<void>((resolve) => {
      const server = createServer().listen(path, resolve);
      ends.push(() => server.close());
    }),
  "ten sparse gigabytes": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 10 * 1024 ** 3);
  },
  "bytes that are no UTF-8": (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00])),
};

const RUN = "a1";
const agentFile = (name: string) => `.pawl/agents/${RUN}/${name}`;
const setup = (folder: string) =>
  openSetups(root).prepare(
    { agentPath: folder },
    { run: ["true"], inputs: ["lock"], cache: ["out"] },
    "fresh",
  );

/** Where an agent may leave it, and who reads it there. What is thrown is an answer, too. */
const PLACES: Readonly<Record<string, readonly [string, () => unknown]>> = {
  "an input of setup": ["lock", () => setup(root)],
  "a folder of setup": ["out", () => setup(root)],
  "the note of setup": ["@set-up-work", () => setup(join(root, "work"))],
  "the tasks file": [
    "tasks.yaml",
    () =>
      openStore({ root, state: stateOf(root), packaged: async () => null })
        .view()
        .read(projectPath("tasks.yaml")),
  ],
  "a call in the outbox": [
    agentFile("outbox/1.json"),
    async () => {
      const calls: unknown[] = [];
      await takeCalls(runFolder(root, "agents", RUN), async (call) => void calls.push(call));
      return calls;
    },
  ],
  "what a run used": [agentFile("usage.json"), () => loadUsage(runFolder(root, "agents", RUN))],
  "what a run was called with": [agentFile("call.json"), () => lastWords(root, RUN)],
  "a run's output": [agentFile("output.jsonl"), () => lastWords(root, RUN)],
  "a check's output": ["output", () => tailOf(join(root, "output"), openRedactor({}))],
  "a lease": [".pawl/claims/T1.json", () => listLeases(root)],
  "the event log": [".pawl/events.jsonl", () => generationNow(join(root, ".pawl/events.jsonl"))],
  "the end of the event log": [
    ".pawl/events.jsonl",
    () => openEventLog(join(root, ".pawl/events.jsonl")).readBack({ before: 1_000_000, limit: 10 }),
  ],
  "a nested repository's HEAD": ["nested/.git/HEAD", () => emptyRepositories(root)],
  "a nested repository's refs": [
    "nested/.git/packed-refs",
    () => {
      writeFileSync(join(root, "nested/.git/HEAD"), "ref: refs/heads/none\n");
      return emptyRepositories(root);
    },
  ],
  "git's folder": [".git", () => [discover(root), tracksPawl(root)]],
  "git's HEAD": [".git/HEAD", () => [discover(root), String(readRef(ownGit(), "HEAD"))]],
  "the folder that checkouts share": [
    ".git/commondir",
    () => {
      writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
      return discover(root);
    },
  ],
  "git's index": [
    ".git/index",
    () => {
      execFileSync("git", ["init", "-q"], { cwd: root });
      mkdirSync(join(root, ".pawl"));
      return tracksPawl(root);
    },
  ],
  "a branch": [".git/refs/heads/main", () => String(readRef(ownGit(), "refs/heads/main"))],
  "git's packed refs": [".git/packed-refs", () => [...(listRefs(ownGit(), ["refs/heads"], 10) ?? [])]],
  "where a rebase returns to": [".git/rebase-merge/head-name", () => branchHeldBy(join(root, ".git"))],
  "the list of files to bring along": [
    ".worktreeinclude",
    async () => {
      execFileSync("git", ["init", "-q"], { cwd: root });
      writeFileSync(join(root, ".gitignore"), "*\n");
      await bringIncluded({ folder: root, environment: process.env }, { agentPath: join(root, "work") });
      return readdirSync(join(root, "work"));
    },
  ],
  "a file that was brought along": [
    "pawl/work/p/@project/task/.env",
    () => {
      const top = { agentPath: join(root, "pawl/work/p/@project/task") };
      noteIncluded(top, { from: join(root, "work"), paths: [".env"] });
      return includedSecrets(top).map(({ value }) => value);
    },
  ],
  "a hook of git's": [
    ".git/hooks/pre-commit",
    async () => {
      execFileSync("git", ["init", "-q", "--template="], { cwd: root });
      const place = { root, environment: process.env, own: "pawl", shared: "pawl", marks: [] };
      const look = await openGitHooks(place).inspect();
      return look.kind === "found" && look.hooks.map(({ guard }) => guard);
    },
  ],
  "a client's settings": [
    ".claude/settings.local.json",
    () => arrangeShell({ root, folder: root, environment: { ...process.env, XDG_STATE_HOME: root } }, true),
  ],
  "what is imported": ["plans/tasks.md", () => openSources(root, root).read("plans")],
  "what is written anew": ["small.new", () => writeWhole(join(root, "small"), "own")],
};

const ownGit = () => ({ top: root, own: join(root, ".git"), common: join(root, ".git") });

describe.each(Object.keys(PLANTS))("%s", (plant) => {
  it.each(Object.keys(PLACES))(
    "in the place of %s neither blocks its reader nor shows what is elsewhere",
    async (place) => {
      promise("files.planted");
      const [path, read] = PLACES[place] ?? ["", () => null];
      mkdirSync(join(root, "work"), { recursive: true });
      mkdirSync(dirname(join(root, path)), { recursive: true });
      if (path.startsWith(agentFile("")))
        writeFileSync(join(root, agentFile("call.json")), '{"agent":"claude"}');
      rmSync(join(root, path), { force: true });
      await PLANTS[plant]?.(join(root, path));
      const answer = await Promise.resolve()
        .then(read)
        .catch((thrown: unknown) => String(thrown));
      expect(JSON.stringify(answer ?? null)).not.toContain(SECRET);
      if (existsSync(join(root, "others"))) expect(readFileSync(join(root, "others"), "utf8")).toBe(SECRET);
    },
  );
});

it("a folder that setup keeps is neither taken nor put back through a link", async () => {
  promise("files.planted");
  const other = mkdtempSync(join(tmpdir(), "pawl-other-"));
  ends.push(() => rmSync(other, { recursive: true, force: true }));
  mkdirSync(join(other, "node_modules"));
  writeFileSync(join(other, "node_modules/mine"), SECRET);
  const order = { run: ["true"], inputs: ["lock"], cache: ["pkg/node_modules"] };
  const setups = openSetups(root);
  for (const name of ["one", "two"]) mkdirSync(join(root, name));
  mkdirSync(join(root, "one/pkg/node_modules"), { recursive: true });
  writeFileSync(join(root, "one/pkg/node_modules/x"), "kept");
  const first = { agentPath: join(root, "one") };
  await setups.prepare(first, order, "fresh");
  await setups.done(first, order);
  symlinkSync(other, join(root, "two/pkg"));
  expect(await setups.prepare({ agentPath: join(root, "two") }, order, "fresh")).toBe("needed");
  expect(readFileSync(join(other, "node_modules/mine"), "utf8")).toBe(SECRET);
  expect(existsSync(join(other, "node_modules/x"))).toBe(false);
});

it("a file is read whole, up to what anybody writes", () => {
  writeFileSync(join(root, "a"), "text");
  expect(readPlainText(join(root, "a"))).toBe("text");
  expect(() => readPlainText(join(root, "a"), 3)).toThrow("more than 3 bytes");
});

it("a folder that becomes a link after git has listed its files gives a workspace nothing of what is elsewhere", async () => {
  promise("files.planted");
  const place = dirname(root);
  const [other, bin, work] = ["other", "bin", "work"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [other, bin, work, join(root, "conf")]) mkdirSync(folder);
  execFileSync("git", ["init", "-q"], { cwd: root });
  writeFileSync(join(root, ".gitignore"), "conf/\n");
  writeFileSync(join(root, ".worktreeinclude"), "conf/\n");
  writeFileSync(join(root, "conf/key"), "theirs");
  writeFileSync(join(other, "key"), SECRET);
  const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const swap = `mv conf away; ln -s ${other} conf`;
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\ncase "$*" in *check-ignore*) ${git} "$@"; ${swap};; *) exec ${git} "$@";; esac\n`,
    { mode: 0o755 },
  );
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  await bringIncluded({ folder: root, environment }, { agentPath: work });
  expect(readlinkSync(join(root, "conf"))).toBe(other);
  expect(existsSync(join(work, "conf/key"))).toBe(false);
});
