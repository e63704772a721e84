/** What is synced when the journal is emptied, and how whole lines are logged, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import type { Call, Fate } from "../../../../test/crash/sim-disk.ts";
import type { Machine } from "../../../../test/crash/sim-machine.ts";
import { appendLog } from "../store.ts";
import { fsyncAll } from "./fsync-all.ts";

function scene(
  files: Readonly<Record<string, string>>,
  fate: (call: Call, machine: Machine) => Fate = () => undefined,
) {
  const at = diskWith(files, fate);
  const isSync = ({ name }: Call) => name === "fsync" || name === "fsyncFolder";
  return { ...at, synced: () => at.calls.filter(isSync).map(({ path }) => path) };
}

describe("syncing all", () => {
  test("syncs each file, then the folders on the way, the deepest first", () => {
    const { disk, synced } = scene({ "a/b/c": "", "a/d": "", e: "", "a/other": "" });
    fsyncAll(disk, new Set(["e", "a/d", "a/b/c"]));
    expect(synced()).toEqual(["e", "a/d", "a/b/c", "a/b", "a", ""]);
  });

  test("passes over what is gone, but not over the folder that it was in", () => {
    const { disk, synced } = scene({ "a/x": "" });
    fsyncAll(disk, new Set(["a/gone", "b/gone"]));
    expect(synced()).toEqual(["a", "b", ""]);
    fsyncAll(disk, new Set());
    expect(synced()).toHaveLength(4);
  });

  test("passes over a file that goes at that moment", () => {
    const { disk, synced } = scene({ a: "" });
    const going = {
      ...disk,
      open() {
        throw Object.assign(new Error("gone"), { code: "ENOENT" });
      },
    };
    fsyncAll(going, new Set(["a"]));
    expect(synced()).toEqual([""]);
  });

  test("fails if a folder cannot be synced", () => {
    const { disk } = scene({ "a/b": "" }, ({ name, path }) =>
      name === "fsyncFolder" && path === "a" ? "EIO" : undefined,
    );
    expect(() => fsyncAll(disk, new Set(["a/b"]))).toThrow("EIO");
  });

  test("writes a file anew whose sync failed: the next one would succeed, and the text be lost", () => {
    const { disk, machine, synced, tree } = scene({ "d/a": "text" }, ({ name, path }) =>
      name === "fsync" && path === "d/a" ? "EIO-lost" : undefined,
    );
    const file = machine.find("d/a");
    if (file?.kind === "file") file.mode = 0o600;
    fsyncAll(disk, new Set(["d/a"]));
    expect([tree(), synced()]).toEqual([{ "d/a": "text" }, ["d/a", "d/.a.pawl-tmp", "d", ""]]);
    expect(machine.find("d/a")).toMatchObject({ mode: 0o600 });
  });

  test("leaves a text that a person saves meanwhile, and fails", () => {
    const { disk, tree } = scene({ a: "text" }, ({ name, path }, machine) => {
      if (name === "fsync" && path === ".a.pawl-tmp") machine.save("a", "mine", "by-rename");
      return name === "fsync" && path === "a" ? "EIO" : undefined;
    });
    expect(() => fsyncAll(disk, new Set(["a"]))).toThrow("EIO");
    expect(tree().a).toBe("mine");
  });

  test("has nothing to write anew if the file went after its sync failed", () => {
    const { disk, synced, tree } = scene({ a: "text" }, ({ name, path }, machine) => {
      if (name !== "fsync" || path !== "a") return undefined;
      machine.setEntry(machine.folder(""), "a", null);
      return "EIO";
    });
    fsyncAll(disk, new Set(["a"]));
    expect([tree(), synced()]).toEqual([{}, ["a", ""]]);
  });
});

describe("a line of a log", () => {
  test("is whole, in one write, whatever it ends with", () => {
    const { calls, disk, tree } = scene({ "a/old": "zero\n" });
    appendLog(disk, "a/old", "one");
    appendLog(disk, "a/old", "two\n");
    appendLog(disk, "b/c/new", "three");
    expect(tree()).toEqual({ "a/old": "zero\none\ntwo\n", "b/c/new": "three\n" });
    expect(calls.filter(({ name }) => name === "write")).toHaveLength(3);
  });

  test("that a full disk cuts short is taken out again", () => {
    const { calls, disk, tree } = scene({ a: "zero\n" }, ({ name }) =>
      name === "write" ? "ENOSPC" : undefined,
    );
    appendLog(disk, "a", "a longer line");
    expect(tree()).toEqual({ a: "zero\n" });
    expect(calls.filter(({ name }) => name === "truncate")).toHaveLength(1);
    const whole = scene({ a: "zero\n" });
    appendLog(whole.disk, "a", "one");
    expect(whole.calls.filter(({ name }) => name === "truncate")).toEqual([]);
  });

  test("is left if another one has written behind it", () => {
    const { disk, tree } = scene({ a: "zero\n" });
    const short: typeof disk = {
      ...disk,
      write(fd, bytes, offset) {
        const written = disk.write(fd, bytes.subarray(0, 2), offset);
        disk.write(fd, Buffer.from("theirs\n"), offset);
        return written;
      },
    };
    appendLog(short, "a", "one");
    expect(tree()).toEqual({ a: "zero\nontheirs\n" });
  });

  test("is not written through a link", () => {
    const { disk, tree } = scene({ "a/b": "zero\n" });
    const linked: typeof disk = {
      ...disk,
      lstat: (path) => {
        const stat = disk.lstat(path);
        return path === "a" && stat ? { ...stat, kind: "link" } : stat;
      },
    };
    expect(() => appendLog(linked, "a/b", "one")).toThrow("a is a symbolic link");
    expect(tree()).toEqual({ "a/b": "zero\n" });
  });
});
