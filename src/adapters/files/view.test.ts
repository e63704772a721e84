/** What is read through a view, and whether it still holds, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../test/crash/disk-with.ts";
import { projectPath } from "../../core/path.ts";
import type { Disk } from "./disk.ts";
import type { FileOnDisk } from "./read-at.ts";
import { openView, plainReader, stillHolds } from "./view.ts";

const path = projectPath;

function viewOf(files: Readonly<Record<string, string>>, change: (disk: Disk) => Disk = (disk) => disk) {
  const at = diskWith(files);
  const disk = change(at.disk);
  const save = (to: string, text: string) => at.machine.save(to, text, "by-rename");
  let readied = 0;
  const works: unknown[] = [];
  const { reads, view } = openView({
    packaged: async (text) => (text === "there.md" ? "packaged" : null),
    ready: async () => {
      readied++;
      return plainReader(disk);
    },
    guarded: (work) => {
      works.push(work);
      return work();
    },
  });
  const called = (name: string, of: string) => at.called(name).filter((each) => each === of).length;
  const holds = (looked?: Map<string, FileOnDisk | null>) => stillHolds(plainReader(disk), reads, looked);
  return { called, disk, file: at.file, holds, reads, readied: () => readied, save, view, works };
}

describe("a file", () => {
  test("is read once, and stays as it was first read", async () => {
    const { called, holds, readied, save, view } = viewOf({ "a/b": "one", "a/c": "two" });
    expect(await view.read(path("a/b"))).toBe("one");
    save("a/b", "changed");
    expect(await view.read(path("a/b"))).toBe("one");
    expect(called("open", "a/b")).toBe(1);
    await view.read(path("a/c"));
    // Its folder was looked at a moment ago.
    expect([called("lstat", "a"), readied()]).toEqual([1, 1]);
    expect(holds()).toBe(false);
  });

  test("that is not there stays so", async () => {
    const { called, holds, save, view } = viewOf({});
    expect([await view.read(path("a")), holds()]).toEqual([null, true]);
    save("a", "made");
    expect([await view.read(path("a")), called("lstat", "a"), holds()]).toEqual([null, 2, false]);
  });

  test("still holds while its bytes are the same, whoever wrote them", async () => {
    const { disk, holds, save, view } = viewOf({ a: "one", b: "" });
    await view.read(path("a"));
    await view.read(path("b"));
    save("a", "one");
    expect(holds()).toBe(true);
    for (const other of ["two", "ones", "on", ""]) {
      save("a", other);
      expect(holds()).toBe(false);
    }
    save("a", "one");
    disk.unlink("b");
    expect(holds()).toBe(false);
  });

  test("is handed on as it was found when it was checked", async () => {
    const { holds, view } = viewOf({ a: "one" });
    await view.read(path("a"));
    await view.read(path("b"));
    const looked = new Map<string, FileOnDisk | null>();
    expect(holds(looked)).toBe(true);
    expect(Buffer.from(looked.get("a")?.bytes ?? []).toString()).toBe("one");
    expect([looked.size, looked.get("b")]).toEqual([2, null]);
  });

  test("that is no text is refused, and counts as read", async () => {
    const { file, holds, save, view } = viewOf({ a: "" });
    file("a").bytes = Buffer.of(0xff);
    await expect(view.read(path("a"))).rejects.toMatchObject({ code: "state-unreadable" });
    expect(holds()).toBe(true);
    save("a", "one");
    expect(holds()).toBe(false);
  });
});

describe("a folder", () => {
  const FILES = { "a/c": "", "a/a": "", "a/b/x": "", "a/.c.pawl-tmp": "" };

  test("is listed by name, without what is being written", async () => {
    const { view } = viewOf(FILES);
    expect(await view.list(path("a"))).toEqual([
      { name: "a", kind: "file" },
      { name: "b", kind: "folder" },
      { name: "c", kind: "file" },
    ]);
    expect(await view.list(path("x"))).toEqual([]);
  });

  test("is sorted however the disk lists it, and a link is neither a file nor a folder", async () => {
    const names = ["b", "a", "d", "c", "a.b", "B"];
    const { view } = viewOf({ "x/y": "" }, (disk) => ({
      ...disk,
      list: () =>
        names.map((name) => ({ name, kind: name === "c" ? "link" : name === "d" ? "other" : "file" })),
    }));
    expect(await view.list(path("x"))).toEqual([
      { name: "B", kind: "file" },
      { name: "a", kind: "file" },
      { name: "a.b", kind: "file" },
      { name: "b", kind: "file" },
      { name: "c", kind: "other" },
      { name: "d", kind: "other" },
    ]);
  });

  test("holds as it was first listed", async () => {
    const { disk, holds, save, view } = viewOf(FILES);
    await view.list(path("a"));
    save("a/.new.pawl-tmp", "half");
    save("a/c", "other bytes");
    expect(holds()).toBe(true);
    save("a/d", "");
    expect(holds()).toBe(false);
    expect(await view.list(path("a"))).toHaveLength(4);
    expect(holds()).toBe(false);
    disk.unlink("a/d");
    expect(holds()).toBe(true);
    disk.unlink("a/a");
    disk.mkdir("a/a");
    expect(holds()).toBe(false);
  });
});

describe("whether what was read is current", () => {
  test("counts only the files that are asked for, as they are with all that is committed", async () => {
    const { readied, save, view } = viewOf({ a: "one", b: "two" });
    for (const each of ["a", "b", "c"]) await view.read(path(each));
    expect(await view.isCurrent([path("a"), path("b"), path("c")])).toBe(true);
    save("b", "changed");
    expect(await view.isCurrent([path("a")])).toBe(true);
    expect(await view.isCurrent([path("a"), path("b")])).toBe(false);
    save("c", "made");
    expect(await view.isCurrent([path("c")])).toBe(false);
    expect(await view.isCurrent([path("never-read")])).toBe(true);
    expect(await view.isCurrent([])).toBe(true);
    // Each time anew: somebody may have committed since.
    expect(readied()).toBe(7);
  });

  test("notices a removed file", async () => {
    const { disk, view } = viewOf({ a: "one" });
    await view.read(path("a"));
    disk.unlink("a");
    expect(await view.isCurrent([path("a")])).toBe(false);
  });
});

test("What touches the disk is guarded; packaged texts are not on it", async () => {
  const { reads, view, works } = viewOf({ a: "one" });
  expect([await view.packaged("there.md"), await view.packaged("x.md"), works.length]).toEqual([
    "packaged",
    null,
    0,
  ]);
  await view.read(path("a"));
  await view.list(path("x"));
  await view.isCurrent([]);
  expect(works).toHaveLength(3);
  expect([[...reads.files.keys()], [...reads.folders.keys()]]).toEqual([["a"], ["x"]]);
});

test("A folder that is not there has no files, and one whose place a file takes is refused", () => {
  const { disk } = viewOf({ a: "one" });
  const { list, read } = plainReader(disk);
  expect([list("x"), read("x")]).toEqual([[], null]);
  expect(() => list("a")).toThrow("a cannot be used: expected a folder, found a file.");
});
