/** What a cloned, checked-out or merged `.pawl/journal` can do: nothing. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FIRST, type Head, renderRecord } from "../../src/adapters/files/journal/record.ts";
import type { Step } from "../../src/adapters/files/journal/steps.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { projectPath } from "../../src/core/path.ts";
import { connect } from "../rig/client.ts";
import { asPlainUser } from "../rig/plain-user.ts";
import {
  end,
  MAIN,
  pawlInside,
  personAtTerminal,
  type TemporaryProject,
  temporaryProject,
  testEnvironment,
} from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";

let project: TemporaryProject;
let outside: string;
beforeEach(() => {
  project = temporaryProject();
  outside = mkdtempSync(join(tmpdir(), "pawl-outside-"));
  execFileSync("git", ["init", "-q"], { cwd: project.root });
});
afterEach(() => {
  project[Symbol.dispose]();
  rmSync(outside, { recursive: true, force: true });
});

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** A journal whose every checksum is right, made with another key. */
function journalOf(...records: readonly (readonly object[])[]): string {
  let head: Head = { epoch: 1, sequence: 0, mac: FIRST };
  return records
    .map((steps) => {
      const record = renderRecord(Buffer.alloc(32, 1), head, steps as readonly Step[]);
      head = record.head;
      return record.bytes.toString();
    })
    .join("");
}

function put(path: string, text: string, more: object = {}): object {
  return { type: "put", path, before: null, after: hash(text), text, ...more };
}

function plant(): void {
  const up = `../${outside.split("/").at(-1)}`;
  project.write(".pawl/precious", "theirs\n");
  project.write("notes.md", "theirs\n");
  project.write(
    ".pawl/journal",
    journalOf([
      put(".git/hooks/post-checkout", "#!/bin/sh\necho owned\n", { mode: 0o755 }),
      put(`${up}/written`, "owned\n"),
      put("planted.md", "owned\n"),
      put("tool", "owned\n", { mode: 0o4755 }),
      { type: "append", path: `${up}/appended`, id: "x", offset: 0, text: "owned\n" },
      { type: "drop", path: "notes.md", before: hash("theirs\n") },
    ]),
  );
}

function foreignEvents(): unknown[] {
  const lines = (project.read(".pawl/events.jsonl") ?? "").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "journal:foreign");
}

function expectUntouched(): void {
  expect(existsSync(join(project.root, ".git/hooks/post-checkout"))).toBe(false);
  expect(readdirSync(outside)).toEqual([]);
  expect(project.read("planted.md")).toBeNull();
  expect(project.read("tool")).toBeNull();
  expect(project.read("notes.md")).toBe("theirs\n");
}

describe("a planted journal", () => {
  test("is not applied by a command that only reads, which leaves it there and says so", async () => {
    promise("commit.foreign-journal");
    plant();
    const { code, err } = await project.pawl("status");
    expectUntouched();
    expect(code).toBe(0);
    expect(err).toMatch(
      /warning: \.pawl\/journal holds 1 commit that this project did not make.*`pawl repair`/,
    );
    expect(project.read(".pawl/journal")).toContain("owned");
  });

  test("is not applied by serving MCP, which works as ever", async () => {
    promise("commit.foreign-journal");
    plant();
    await using client = await connect(project);
    const { isError } = await client.call("knock", { id: "front" });
    expect(isError).toBe(false);
    expectUntouched();
  });

  test("is set aside by the first commit, told of once, and never replayed", async () => {
    promise("commit.foreign-journal");
    plant();
    const first = await project.pawl("door", "knock", "front");
    expect(first.code).toBe(0);
    expect(first.err).toContain("warning: .pawl/journal held 1 commit that this project did not make");
    expectUntouched();
    const { kept } = foreignEvents()[0] as { kept: string };
    expect(foreignEvents()).toMatchObject([{ commits: 1, reason: "another-key" }]);
    expect(project.read(kept)).toContain("owned");

    const second = await project.pawl("door", "knock", "back");
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(foreignEvents()).toHaveLength(1);
    expectUntouched();
  });

  test("is shown by `pawl repair`, with what it would write", async () => {
    promise("commit.foreign-journal");
    plant();
    const { code, out } = await project.pawl("repair");
    expect(code).toBe(0);
    expect(out).toMatch(/foreign-journal holds 1 commit that this project did not make/);
    expect(out).toContain(
      "  1 commit of these cannot be taken: forged, or built on commits that are not in this file.",
    );
    project.write(".pawl/journal", journalOf([put("planted.md", "owned\n")]));
    const again = await project.pawl("repair");
    expect(again.out).toMatch(/holds 1 commit that[\s\S]*It would write:\n {4}planted\.md\n/);
    expectUntouched();
  });
});

describe("a journal that was set aside", () => {
  /** As a moved project leaves it: an edit, a new file and one that goes. */
  async function setAside(...records: readonly (readonly object[])[]): Promise<string> {
    project.write("notes.md", "one\ntwo\n");
    project.write("gone.md", "gone\n");
    project.write(".pawl/journal", journalOf(...records));
    const { out } = await project.pawl("repair", "--json");
    return JSON.parse(out).journal.foreign[0].kept;
  }
  const GOOD = [
    [put("notes.md", "one\ntwo\nthree\n", { before: hash("one\ntwo\n") }), put("new/a.md", "a\n")],
    [{ type: "drop", path: "gone.md", before: hash("gone\n") }],
  ] as const;

  test("is accepted by a person at a terminal, who sees which files it changes, and how", async () => {
    promise("commit.accept");
    const kept = await setAside(...GOOD);
    const { code, screen } = await project.person("repair", "--accept", kept);
    const shown = screen.replaceAll("\r", "");
    expect(shown).toContain(`Accept ${kept}?`);
    expect(shown).toContain("  notes.md  (8 bytes, then 14 bytes)\n    + three\n");
    expect(shown).toContain("  new/a.md  (new, 2 bytes)\n    + a\n");
    expect(shown).toContain("  gone.md  (removed, 5 bytes)\n    - gone\n");
    expect(code).toBe(0);
    expect([project.read("notes.md"), project.read("new/a.md"), project.read("gone.md")]).toEqual([
      "one\ntwo\nthree\n",
      "a\n",
      null,
    ]);
    expect(project.read(".pawl/events.jsonl")).toMatch(
      /"journal:accepted".*"paths":\["notes.md","new\/a.md","gone.md"\].*"channel":"terminal"/,
    );
    expect((await project.pawl("repair")).out).toContain("No damage found");
    expect((await project.person("repair", "--accept", kept)).err).toContain("[usage]");
  });

  test("is accepted by nobody else: no agent, no script, no person who says no", async () => {
    promise("commit.accept");
    const kept = await setAside(...GOOD);
    const args = ["repair", "--accept", kept];
    expect((await project.pawl(...args)).err).toContain("[terminal-missing]");
    const agents = await personAtTerminal(project.root, args, { environment: { CLAUDECODE: "1" } });
    expect(agents.err).toContain("[caller-not-allowed]");
    const declined = await personAtTerminal(project.root, args, { answer: "n\n" });
    expect(declined.err).toContain("[person-declined]");
    expect([project.read("notes.md"), project.read("new/a.md")]).toEqual(["one\ntwo\n", null]);
  });

  test.each([
    ["a path outside the project", "../elsewhere.md"],
    ["git's folder", ".git/hooks/pre-commit"],
    ["the store's own files", ".pawl/journal"],
  ])("is accepted by nobody if it names %s, not even its other files", async (_, path) => {
    promise("commit.accept");
    const kept = await setAside(...GOOD, [put(path, "owned\n")]);
    const { code, err } = await project.person("repair", "--accept", kept);
    expect(`${code} ${err}`).toMatch(/^1 .*\[journal-refused\]/s);
    expect([project.read("notes.md"), project.read("new/a.md")]).toEqual(["one\ntwo\n", null]);
  });

  test("writes nothing through a link that stands on its way", async () => {
    promise("commit.accept");
    const kept = await setAside(...GOOD);
    symlinkSync(outside, join(project.root, "new"));
    const { code, err } = await project.person("repair", "--accept", kept);
    expect(`${code} ${err}`).toMatch(/^1 .*new is a symbolic link.*\[path-outside-project\]/s);
    expect(readdirSync(outside)).toEqual([]);
    expect(project.read("notes.md")).toBe("one\ntwo\n");
  });

  test("that names no file is reported with those that exist", async () => {
    const kept = await setAside(...GOOD);
    const { err } = await project.person("repair", "--accept", ".pawl/kept/x/foreign-journal");
    expect(err).toContain(`expected ${kept}`);
  });
});

describe("a genuine journal", () => {
  /** What is committed and not settled, as after a crash. */
  async function pending(in_: TemporaryProject): Promise<string> {
    const store = openStore({ root: in_.root, state: stateOf(in_.root) });
    const path = projectPath("planned.md");
    await store.commit(store.view(), [{ type: "write", path, text: "planned\n" }]);
    return in_.read(".pawl/journal") ?? "";
  }

  test("of another checkout, copied byte for byte, is not applied", async () => {
    promise("commit.foreign-journal");
    const other = temporaryProject();
    try {
      project.write(".pawl/journal", await pending(other));
      const { code, err } = await project.pawl("door", "knock", "front");
      expect(code).toBe(0);
      expect(err).toContain("did not make");
      expect(project.read("planned.md")).toBeNull();
      expect(foreignEvents()).toMatchObject([{ reason: "another-key" }]);
    } finally {
      other[Symbol.dispose]();
    }
  });

  test("of the same project, brought back after it was settled, is not applied", async () => {
    promise("commit.chain");
    const journal = await pending(project);
    expect((await project.pawl("door", "knock", "front")).code).toBe(0);
    project.write("planned.md", "mine\n");
    project.write(".pawl/journal", journal);
    const { code, err } = await project.pawl("status");
    expect(code).toBe(0);
    expect(err).toContain("did not make");
    expect(project.read("planned.md")).toBe("mine\n");
    expect(foreignEvents()).toMatchObject([{ reason: "earlier" }]);
  });

  test("that others appended to counts as far as it is this project's own", async () => {
    promise("commit.chain");
    await pending(project);
    rmSync(join(project.root, "planned.md"));
    stateOf(project.root).disk.unlink("applied");
    appendFileSync(join(project.root, ".pawl/journal"), journalOf([put("planted.md", "owned\n")]));
    const { code, err } = await project.pawl("status");
    expect(code).toBe(0);
    expect(err).toContain("did not make");
    expect(project.read("planned.md")).toBe("planned\n");
    expect(project.read("planted.md")).toBeNull();
    expect(foreignEvents()).toMatchObject([{ commits: 1 }]);
  });

  test("of a project that was moved is set aside, and shown by `pawl repair`", async () => {
    promise("commit.foreign-journal");
    await pending(project);
    rmSync(join(project.root, "planned.md"));
    const moved = `${project.root}-moved`;
    renameSync(project.root, moved);
    try {
      const status = await pawlInside(moved, ["status"]);
      expect(status).toMatchObject({ code: 0, err: expect.stringContaining("did not make") });
      const repair = await pawlInside(moved, ["repair"]);
      expect(repair.out).toMatch(/It would write:\n {4}planned\.md\n/);
      expect(existsSync(join(moved, "planned.md"))).toBe(false);
    } finally {
      renameSync(moved, project.root);
    }
  });
});

describe("a repository that tracks files of .pawl/", () => {
  test.each([
    [".pawl/runs/x.json", "2"],
    [".pawl/runs/x.json", "4"],
    [".PAWL/runs/x.json", "2"],
  ])(
    "(%s, index version %s) is read with a warning, and nothing is committed in it",
    async (path, version) => {
      promise("commit.untracked");
      const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root });
      project.write(path, "{}");
      // Version 4 writes of the next name only what differs from this one.
      project.write(".parcelrc", "");
      mkdirSync(join(project.root, ".pawl"), { recursive: true });
      git("add", "-f", path, ".parcelrc");
      git("update-index", "--index-version", version);
      const status = await project.pawl("status");
      expect(status.code).toBe(0);
      if (version === "2") expect(status.err).toContain("warning: the repository tracks files of .pawl/");
      const knock = await project.pawl("door", "knock", "front");
      expect(knock).toMatchObject({ code: 1, err: expect.stringContaining(`${path} in`) });
      expect(knock.err).toMatch(/\[pawl-tracked\]\nfix: .*git rm -r --cached/);
      git("rm", "-rq", "--cached", path);
      expect((await project.pawl("door", "knock", "front")).code).toBe(0);
    },
  );
});

describe("a state home", () => {
  test("that cannot be written stops a commit before anything is written, and says what to do", async () => {
    promise("commit.key");
    project.write("a-file", "");
    const XDG_STATE_HOME = join(project.root, "a-file");
    const ended = await pawlInside(project.root, ["door", "knock", "front"], { XDG_STATE_HOME });
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/a-file\/pawl\/projects.*\[state-home-failed\]\nfix: .*XDG_STATE_HOME/);
    expect(project.read(".pawl/journal")).toBeNull();
    expect((await pawlInside(project.root, ["status"], { XDG_STATE_HOME })).code).toBe(0);
  });

  test.skipIf(process.platform === "win32")(
    "in which this user may not write stops a commit and the keeping of trust, and nothing that only reads",
    async () => {
      promise("commit.key");
      const XDG_STATE_HOME = join(outside, "state");
      mkdirSync(XDG_STATE_HOME, { mode: 0o555 });
      const pawl = (...words: readonly string[]) => {
        const env = testEnvironment({ XDG_STATE_HOME });
        return end(spawn(...asPlainUser(process.execPath, MAIN, ...words), { cwd: project.root, env }));
      };
      const failed =
        /state\/pawl\/projects.*permission is missing.*\[state-home-failed\]\nfix: .*XDG_STATE_HOME/;
      expect(await pawl("door", "knock", "front")).toMatchObject({
        code: 1,
        err: expect.stringMatching(failed),
      });
      expect(project.read(".pawl/journal")).toBeNull();
      expect(await pawl("status")).toMatchObject({ code: 0, err: "" });
      project.write("pawl.yaml", "alfred:\n  checks:\n    quality: run-it\n");
      const trusting = await pawl("trust", "--yes");
      expect(trusting).toMatchObject({ code: 1, err: expect.stringMatching(failed) });
      expect(readdirSync(XDG_STATE_HOME)).toEqual([]);
      chmodSync(XDG_STATE_HOME, 0o755);
      expect((await pawl("door", "knock", "front")).code).toBe(0);
    },
  );

  test("holds a key that only this user can read", async () => {
    promise("commit.key");
    await project.pawl("door", "knock", "front");
    const { folder } = stateOf(project.root);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "key")).size).toBe(32);
    expect(readdirSync(folder).sort()).toEqual(["applied", "key"]);
  });
});
