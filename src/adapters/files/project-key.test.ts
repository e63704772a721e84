import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Call, STATE_HOME, simDisk, simState } from "../../../test/crash/sim-disk.ts";
import { Machine } from "../../../test/crash/sim-machine.ts";
import { resultOrError } from "../../../test/rig/error-texts.ts";
import { promise } from "../../../test/rig/promise.ts";
import { PawlError } from "../../core/error.ts";
import type { Disk } from "./disk.ts";
import { inStateHome, openProjectKey } from "./project-key.ts";
import { openStateFolder } from "./state-folder.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-key-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, "a", "b");
const open = () => openProjectKey(openStateFolder(folder()));

describe("a project's key", () => {
  test("is made when it is first needed, and is the same ever after", () => {
    expect(open().key()).toBeNull();
    expect(existsSync(folder())).toBe(false);
    const key = open().makeKey();
    expect(key).toHaveLength(32);
    expect(open().key()).toEqual(key);
    expect(open().makeKey()).toEqual(key);
  });

  test("that is damaged is an error, and stays as it is", () => {
    promise("commit.key");
    open().makeKey();
    for (const damage of ["", "short", "x".repeat(33)]) {
      writeFileSync(join(folder(), "key"), damage);
      expect(() => open().makeKey()).toThrowError(
        expect.objectContaining({
          code: "state-home-failed",
          message: expect.stringContaining("is damaged"),
        }),
      );
      expect(readFileSync(join(folder(), "key"), "utf8")).toBe(damage);
    }
  });

  test("is not read through a link", () => {
    open().makeKey();
    rmSync(join(folder(), "key"));
    const elsewhere = join(home, "elsewhere");
    writeFileSync(elsewhere, "x".repeat(32));
    symlinkSync(elsewhere, join(folder(), "key"));
    expect(() => open().key()).toThrowError(expect.objectContaining({ code: "state-home-failed" }));
  });

  test("is whole or absent, wherever its maker dies, the power is cut or the disk refuses", () => {
    promise("commit.key");
    for (const fate of ["die", "die-halfway", "ENOSPC", "EIO"] as const) {
      for (let at = 1; ; at++) {
        const machine = new Machine();
        let calls = 0;
        const disk = simDisk(machine, ({ index }) => {
          calls = index;
          return index === at ? fate : undefined;
        });
        let made: Uint8Array | null = null;
        try {
          made = openProjectKey(simState(disk)).makeKey();
        } catch {}
        const seen = openProjectKey(simState(simDisk(machine))).key();
        if (made !== null) expect(seen).toEqual(made);
        machine.cutPower(() => false);
        const kept = openProjectKey(simState(simDisk(machine)));
        if (made !== null) expect(kept.key()).toEqual(made);
        expect(kept.makeKey()).toHaveLength(32);
        const others = [...machine.tree().keys()].filter((path) => path !== "~state/key");
        // Who died between the two names of the key leaves both.
        expect(others.length).toBeLessThanOrEqual(fate.startsWith("die") ? 1 : 0);
        if (calls < at) break;
      }
    }
  });
});

describe("what is kept outside of the project", () => {
  /** A key on a simulated disk; `other`: what its disk does otherwise. */
  function keyOn(other: (disk: Disk) => Partial<Disk> = () => ({})) {
    const machine = new Machine();
    const calls: Call[] = [];
    const disk = simDisk(machine, (call) => {
      calls.push(call);
      return undefined;
    });
    const place = simState(disk);
    const own = { ...place, disk: { ...place.disk, ...other(place.disk) } };
    const called = (name: string) => calls.filter((call) => call.name === name).map(({ path }) => path);
    const names = () => [...machine.tree().keys()].map((path) => path.slice(STATE_HOME.length + 1));
    return { called, machine, names, place: own, projectKey: openProjectKey(own) };
  }
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  const failed = (verb: string, words: string) => ({
    code: "state-home-failed",
    message: `Pawl's state of this project, outside of it, cannot ${verb} in ~state: ${words}.`,
    fix: "Make that folder readable and writable for this user, or set XDG_STATE_HOME to one that is, then run the command again.",
  });
  test("is read by its first bytes, and written in place", () => {
    const { machine, projectKey, place } = keyOn();
    place.make();
    expect(projectKey.read("applied", 4)).toBeNull();
    projectKey.write("applied", "first text");
    projectKey.write("applied", "2nd");
    expect([projectKey.read("applied", 4), projectKey.read("applied", 100)]).toEqual(["2nds", "2ndst text"]);
    expect(machine.find(`${STATE_HOME}/applied`)).toMatchObject({ mode: 0o600 });
  });

  test.each<
    readonly [string, (projectKey: ReturnType<typeof openProjectKey>) => unknown, keyof Disk, string]
  >([
    ["be read", (projectKey) => projectKey.read("applied", 4), "lstat", "EACCES"],
    ["be read", (projectKey) => projectKey.key(), "lstat", "EACCES"],
    ["be written", (projectKey) => projectKey.write("applied", "x"), "open", "EROFS"],
    ["be made", (projectKey) => projectKey.makeKey(), "open", "EROFS"],
  ])("that cannot %s is told with its folder", (verb, act, call, code) => {
    const { projectKey } = keyOn(() => ({ [call]: failing(code) }));
    const words =
      code === "EACCES" ? "permission is missing (EACCES)" : "the file system is read-only (EROFS)";
    expect(resultOrError(() => act(projectKey))).toEqual(failed(verb, words));
  });

  test("has other errors as they are", () => {
    const { place } = keyOn();
    const own = new PawlError("usage", "No.", "Yes.");
    const plain = new Error("no code");
    for (const thrown of [own, plain])
      expect(() =>
        inStateHome(place, "be read", () => {
          throw thrown;
        }),
      ).toThrow(thrown);
    expect(inStateHome(place, "be read", () => 7)).toBe(7);
  });

  test("has a key that is synced under another name before it has its own, for this user alone", () => {
    const { called, machine, names, projectKey } = keyOn();
    const key = projectKey.makeKey();
    expect([key.length, names()]).toEqual([32, ["key"]]);
    expect(machine.find(`${STATE_HOME}/key`)).toMatchObject({ mode: 0o600 });
    expect(called("fsync")).toEqual([expect.stringMatching(/^~state\/key\..*\.new$/)]);
    expect(called("link")).toEqual([`${STATE_HOME}/key`]);
    expect(called("fsyncFolder").at(-1)).toBe(STATE_HOME);
    const before = called("open").length;
    expect(projectKey.makeKey()).toBe(key);
    expect(called("open")).toHaveLength(before);
  });

  test.each([
    ["", "none"],
    ["x", "1"],
    ["x".repeat(31), "31"],
    ["x".repeat(33), "more"],
    ["x".repeat(99), "more"],
  ])("has no key of other bytes than 32: %j", (text, found) => {
    const { machine, projectKey } = keyOn();
    machine.save(`${STATE_HOME}/key`, text, "in-place");
    expect(resultOrError(() => projectKey.makeKey())).toEqual({
      code: "state-home-failed",
      message: `~state/key is damaged: expected the project's key of 32 bytes, found ${found}.`,
      fix: "Restore the file from a backup. If there is none, remove it: commits that were not applied yet are then set aside, and `pawl repair` shows them.",
    });
  });

  test("has the key of whoever was faster, and what dead ones left is swept", () => {
    const machine = new Machine();
    machine.save(`${STATE_HOME}/key.0001.new`, "half", "in-place");
    machine.save(`${STATE_HOME}/key.mine`, "", "in-place");
    machine.save(`${STATE_HOME}/other.key.new`, "", "in-place");
    const place = simState(simDisk(machine));
    for (const code of ["EEXIST", "ENOENT"]) {
      const own = {
        ...place.disk,
        link() {
          if (place.disk.lstat("key") === null) machine.save(`${STATE_HOME}/key`, "k".repeat(32), "in-place");
          throw Object.assign(new Error(code), { code });
        },
      };
      expect(Buffer.from(openProjectKey({ ...place, disk: own }).makeKey()).toString()).toBe("k".repeat(32));
    }
    const names = [...machine.tree().keys()].map((path) => path.slice(STATE_HOME.length + 1));
    expect(names).toEqual(["key", "key.mine", "other.key.new"]);
  });

  test("leaves nothing if the key cannot be written, linked or swept", () => {
    const FREE = "Free some space on the disk, then run the command again.";
    const writing = keyOn(() => ({ write: failing("ENOSPC") }));
    expect(resultOrError(() => writing.projectKey.makeKey())).toEqual({
      ...failed("be made", "the disk is full (ENOSPC)"),
      fix: FREE,
    });
    expect(writing.names()).toEqual([]);
    const stuck = keyOn(() => ({ write: failing("ENOSPC"), unlink: failing("EIO") }));
    expect(resultOrError(() => stuck.projectKey.makeKey())).toEqual({
      ...failed("be made", "the disk is full (ENOSPC)"),
      fix: FREE,
    });
    const linking = keyOn(() => ({ link: failing("EPERM") }));
    expect(resultOrError(() => linking.projectKey.makeKey())).toMatchObject({
      message: expect.stringContaining("(EPERM)"),
    });
    const sweeping = keyOn(() => ({ unlink: failing("EIO") }));
    expect(resultOrError(() => sweeping.projectKey.makeKey())).toMatchObject({
      message: expect.stringContaining("(EIO)"),
    });
    const swept = keyOn(() => ({ unlink: failing("ENOENT") }));
    expect(swept.projectKey.makeKey()).toHaveLength(32);
  });

  test("is told where somebody removes the key at once", () => {
    const { projectKey } = keyOn(() => ({ link: () => {} }));
    expect(resultOrError(() => projectKey.makeKey())).toEqual({
      code: "state-home-failed",
      message: "Pawl made the project's key in ~state, but it is gone: another process removes it.",
      fix: "Make sure that nothing removes files there, then run the command again.",
    });
  });
});
