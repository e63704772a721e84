/** How files are written beside their targets and opened for writing, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import type { Call, Fate } from "../../../../test/crash/sim-disk.ts";
import type { Machine } from "../../../../test/crash/sim-machine.ts";
import { resultOrError } from "../../../../test/rig/error-texts.ts";
import { hashOf } from "../../../core/hash.ts";
import { type Disk, withOpen, writeAll } from "../disk.ts";
import { ensureFolders, openInside, removeTemporary, temporaryOf, writeTemporary } from "./temporary.ts";

interface DiskCase {
  readonly files?: Readonly<Record<string, string>>;
  readonly fate?: (call: Call, machine: Machine) => Fate;
}

const scene = ({ files = {}, fate = () => undefined }: DiskCase = {}) => diskWith(files, fate);

/** As if the folder became a link once something has been called. */
function withLink(disk: Disk, folder: string, after: (calls: readonly string[]) => boolean): Disk {
  const calls: string[] = [];
  return {
    ...disk,
    open: (path, how, mode) => {
      calls.push(`open ${path}`);
      return disk.open(path, how, mode);
    },
    lstat: (path) => {
      const stat = disk.lstat(path);
      return path === folder && stat && after(calls) ? { ...stat, kind: "link" } : stat;
    },
  };
}

const bytes = (text: string) => Buffer.from(text);
const codeOf = (work: () => unknown) =>
  (resultOrError(work) as { readonly code?: string } | undefined)?.code ?? null;

describe("the name of a temporary file", () => {
  test("is the file's, in its folder", () => {
    expect(temporaryOf("a/b.md")).toBe("a/.b.md.pawl-tmp");
    expect(temporaryOf("b.md")).toBe(".b.md.pawl-tmp");
  });

  test("is short if the file's is long, in bytes", () => {
    const longest = "x".repeat(200);
    expect(temporaryOf(longest)).toBe(`.${longest}.pawl-tmp`);
    expect(temporaryOf(`${longest}x`)).toBe(`.${hashOf(`${longest}x`)}.pawl-tmp`);
    const wide = "ä".repeat(101);
    expect(temporaryOf(`a/${wide}`)).toBe(`a/.${hashOf(wide)}.pawl-tmp`);
  });
});

describe("writing beside a file", () => {
  test("makes the folders that are missing, and leaves the file as it is", () => {
    const { disk, open, tree } = scene({ files: { a: "old" } });
    writeTemporary(disk, "a", bytes("new"), undefined);
    writeTemporary(disk, "b/c/d", bytes("deep"), undefined);
    expect(tree()).toEqual({ a: "old", ".a.pawl-tmp": "new", "b/c/.d.pawl-tmp": "deep" });
    expect(open).toEqual(new Set());
  });

  test("gives it the permissions of the file that is there, else those that are wanted, and no more", () => {
    const { disk, file } = scene({ files: { a: "old" } });
    file("a").mode = 0o4750;
    writeTemporary(disk, "a", bytes("new"), 0o600);
    writeTemporary(disk, "b", bytes("new"), 0o600);
    writeTemporary(disk, "c", bytes("new"), undefined);
    const modes = [".a.pawl-tmp", ".b.pawl-tmp", ".c.pawl-tmp"].map((path) => file(path).mode);
    expect(modes).toEqual([0o750, 0o600, 0o644]);
  });

  test("sets them once more only if the umask took some away", () => {
    const kept = scene({ files: { a: "old" } });
    writeTemporary(kept.disk, "a", bytes("new"), undefined);
    writeTemporary(kept.disk, "b", bytes("new"), undefined);
    expect(kept.called("chmod")).toEqual([]);
    const { disk, called, file } = scene();
    const umask: Disk = { ...disk, open: (path, how, mode = 0o644) => disk.open(path, how, mode & 0o700) };
    writeTemporary(umask, "a", bytes("new"), 0o755);
    expect([called("chmod"), file(".a.pawl-tmp").mode]).toEqual([[".a.pawl-tmp"], 0o755]);
    writeTemporary(umask, "b", bytes("new"), undefined);
    expect(file(".b.pawl-tmp").mode).toBe(0o600);
  });

  test("replaces what somebody left there", () => {
    const { disk, open, tree } = scene({ files: { ".a.pawl-tmp": "a longer text of somebody who died" } });
    writeTemporary(disk, "a", bytes("new"), undefined);
    expect([tree(), open]).toEqual([{ ".a.pawl-tmp": "new" }, new Set()]);
  });

  test("moves a folder aside that is there, and removes a link, not what it leads to", () => {
    const folder = scene({ files: { ".a.pawl-tmp/x": "", ".a.pawl-tmp-1": "" } });
    writeTemporary(folder.disk, "a", bytes("new"), undefined);
    const aside = { ".a.pawl-tmp-1": "", ".a.pawl-tmp-2/x": "" };
    expect(folder.tree()).toEqual({ ".a.pawl-tmp": "new", ...aside });
    removeTemporary(folder.disk, "a");
    expect(folder.tree()).toEqual(aside);
    const again = scene({ files: { ".a.pawl-tmp/x": "" } });
    removeTemporary(again.disk, "a");
    expect(again.tree()).toEqual({ ".a.pawl-tmp-1/x": "" });
    const link = scene({ files: { ".a.pawl-tmp": "old" } });
    const linked = withLink(link.disk, ".a.pawl-tmp", () => true);
    writeTemporary(linked, "a", bytes("new"), undefined);
    expect(link.tree()).toEqual({ ".a.pawl-tmp": "new" });
  });

  test.each(["ENOSPC", "EIO"] as const)("leaves nothing if the disk refuses: %s", (code) => {
    const { disk, open, tree } = scene({
      files: { a: "old" },
      fate: ({ name, path }) => (name === "write" && path === ".a.pawl-tmp" ? code : undefined),
    });
    expect(codeOf(() => writeTemporary(disk, "a", bytes("new"), undefined))).toBe(code);
    expect([tree(), open]).toEqual([{ a: "old" }, new Set()]);
  });

  test("reports why it was refused, also if not even the rest can be removed", () => {
    const { disk } = scene({
      fate: ({ name }) => (name === "write" ? "ENOSPC" : name === "unlink" ? "EIO" : undefined),
    });
    expect(codeOf(() => writeTemporary(disk, "a", bytes("new"), undefined))).toBe("ENOSPC");
  });

  test("reports if the file cannot be closed, and if it cannot be made", () => {
    const closing = scene({
      fate: ({ name, path }) => (name === "close" && path !== "" ? "EIO" : undefined),
    });
    expect(codeOf(() => writeTemporary(closing.disk, "a", bytes("new"), undefined))).toBe("EIO");
    const making = scene({ fate: ({ name }) => (name === "open" ? "ENOSPC" : undefined) });
    expect(codeOf(() => writeTemporary(making.disk, "a", bytes("new"), undefined))).toBe("ENOSPC");
    expect(making.tree()).toEqual({});
  });
});

describe("removing what is left beside a file", () => {
  test("removes it, or nothing", () => {
    const { disk, tree } = scene({ files: { "a/.b.pawl-tmp": "half", "a/b": "whole" } });
    removeTemporary(disk, "a/b");
    removeTemporary(disk, "a/b");
    removeTemporary(disk, "x/y");
    expect(tree()).toEqual({ "a/b": "whole" });
  });

  test("reports if it cannot, and removes nothing through a link", () => {
    const refusing = scene({
      files: { ".a.pawl-tmp": "half" },
      fate: ({ name }) => (name === "unlink" ? "EIO" : undefined),
    });
    expect(codeOf(() => removeTemporary(refusing.disk, "a"))).toBe("EIO");
    const linked = scene({ files: { "a/.b.pawl-tmp": "half" } });
    expect(
      codeOf(() =>
        removeTemporary(
          withLink(linked.disk, "a", () => true),
          "a/b",
        ),
      ),
    ).toBe("path-outside-project");
    expect(linked.tree()).toEqual({ "a/.b.pawl-tmp": "half" });
  });
});

test("Folders are made from the top, and those that are there are left", () => {
  const { called, disk } = scene({ files: { "a/x": "" } });
  ensureFolders(disk, "a/b/c/d");
  expect(called("mkdir")).toEqual(["a/b", "a/b/c"]);
  ensureFolders(disk, "a/b/c/e");
  ensureFolders(disk, "e");
  expect(called("mkdir")).toHaveLength(2);
});

describe("opening a file for writing", () => {
  const write = (disk: Disk, path: string, how: "append" | "new" | "update") =>
    withOpen(disk, openInside(disk, path, how), (fd) => writeAll(disk, fd, bytes("+"), 0));

  test("opens what is there, or makes it, with these permissions", () => {
    const { disk, file, tree } = scene({ files: { a: "one", b: "two" } });
    write(disk, "a", "append");
    write(disk, "b", "update");
    write(disk, "c", "new");
    disk.close(openInside(disk, "d", "update", 0o600));
    expect(tree()).toEqual({ a: "one+", b: "+wo", c: "+", d: "" });
    expect(file("d").mode).toBe(0o600);
    expect(codeOf(() => openInside(disk, "a", "new"))).toBe("EEXIST");
  });

  test.each(["append", "new", "update"] as const)(
    "is refused if a folder on its way is a link: %s",
    (how) => {
      const { called, disk } = scene({ files: { "a/b": "one" } });
      expect(
        codeOf(() =>
          openInside(
            withLink(disk, "a", () => true),
            "a/c",
            how,
          ),
        ),
      ).toBe("path-outside-project");
      expect(called("open")).toEqual([]);
    },
  );

  test.each(["append", "new", "update"] as const)(
    "is refused if one becomes a link at that moment, and what it made is removed: %s",
    (how) => {
      const { disk, open, tree } = scene({ files: { "a/b": "one" } });
      const linked = withLink(disk, "a", (calls) => calls.includes("open a/c"));
      expect(codeOf(() => openInside(linked, "a/c", how))).toBe("path-outside-project");
      expect([tree(), open]).toEqual([{ "a/b": "one" }, new Set()]);
    },
  );

  test("a file that was there is left, whatever becomes of its folder", () => {
    const { disk, open, tree } = scene({ files: { "a/b": "one" } });
    const linked = withLink(disk, "a", (calls) => calls.includes("open a/b"));
    expect(codeOf(() => openInside(linked, "a/b", "append"))).toBe("path-outside-project");
    expect([tree(), open]).toEqual([{ "a/b": "one" }, new Set()]);
  });

  test("a folder in its place is refused", () => {
    const { disk } = scene({ files: { "a/b": "one" } });
    expect(codeOf(() => openInside(disk, "a", "update"))).toBe("state-unreadable");
  });
});
