/** Pawl's own files, written without the store: on the real disk, and in a folder in which anybody may have put links. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resultOrError } from "../../../test/rig/error-texts.ts";
import { openOwnFolder, ownPath, writeOwnFile } from "./own-folder.ts";
import { realPathOf } from "./real-path.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-own-"));
  mkdirSync(join(root, "out"));
  mkdirSync(join(root, "project"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const project = () => join(root, "project");
const at = (path: string) => join(project(), path);
const link = (path: string, to: string) => symlinkSync(to, at(path));

const inTheWay = (path: string, what: string) => ({
  code: "path-outside-project",
  message: `${path} is ${what}: expected the file or folder that Pawl makes there. Pawl follows no links to its own files, because they can lead out of the project.`,
  fix: `Remove ${path}; Pawl creates it again.`,
});

describe("the place of an own file", () => {
  test("is below the project, whether it is there or not", () => {
    expect(ownPath(project(), ".pawl/a/b")).toBe(at(".pawl/a/b"));
    mkdirSync(at(".pawl"));
    writeFileSync(at(".pawl/a"), "");
    expect(ownPath(project(), ".pawl/a")).toBe(at(".pawl/a"));
    expect(ownPath(project(), ".pawl")).toBe(at(".pawl"));
  });

  test("is refused if the way to it, or it itself, is a link, or a file is on the way", () => {
    link(".pawl", join(root, "out"));
    expect(resultOrError(() => ownPath(project(), ".pawl/a"))).toEqual(inTheWay(".pawl", "a symbolic link"));
    expect(resultOrError(() => ownPath(project(), ".pawl"))).toEqual(inTheWay(".pawl", "a symbolic link"));
    mkdirSync(at("own"));
    link("own/a", "nowhere");
    expect(resultOrError(() => ownPath(project(), "own/a/b"))).toEqual(inTheWay("own/a", "a symbolic link"));
    writeFileSync(at("own/file"), "");
    expect(resultOrError(() => ownPath(project(), "own/file/b"))).toEqual(
      inTheWay("own/file", "not a folder"),
    );
  });
});

describe("an own folder", () => {
  test("is made with the folders on its way, for whom it is for", () => {
    expect(openOwnFolder(project(), ".pawl/a/b", 0o700)).toBe(at(".pawl/a/b"));
    expect(statSync(at(".pawl/a/b")).mode & 0o777).toBe(0o700);
    chmodSync(at(".pawl/a/b"), 0o755);
    expect(openOwnFolder(project(), ".pawl/a/b", 0o700)).toBe(at(".pawl/a/b"));
    expect(statSync(at(".pawl/a/b")).mode & 0o777).toBe(0o755);
    openOwnFolder(project(), ".pawl/c");
    expect(lstatSync(at(".pawl/c")).isDirectory()).toBe(true);
  });

  test("is refused if a file or a link is in its place", () => {
    writeFileSync(at(".pawl"), "");
    expect(resultOrError(() => openOwnFolder(project(), ".pawl"))).toEqual(inTheWay(".pawl", "not a folder"));
    link("own", join(root, "out"));
    expect(resultOrError(() => openOwnFolder(project(), "own"))).toEqual(inTheWay("own", "a symbolic link"));
    expect(readdirSync(join(root, "out"))).toEqual([]);
  });
});

describe("an own file", () => {
  test("is put in place whole, with these permissions, and nothing is left beside it", () => {
    writeOwnFile(project(), ".pawl/a/file", "one", 0o600);
    writeOwnFile(project(), ".pawl/a/file", "2", 0o640);
    expect([readFileSync(at(".pawl/a/file"), "utf8"), statSync(at(".pawl/a/file")).mode & 0o777]).toEqual([
      "2",
      0o640,
    ]);
    expect(readdirSync(at(".pawl/a"))).toEqual(["file"]);
    const long = "é".repeat(500_000);
    writeOwnFile(project(), "long", long, 0o600);
    expect(readFileSync(at("long"), "utf8")).toBe(long);
  });

  test("takes the place of what was there, and of what a dead one left", () => {
    writeFileSync(join(root, "out/other"), "theirs");
    link("file", join(root, "out/other"));
    writeFileSync(at(`file.${process.pid}.new`), "half of it");
    writeOwnFile(project(), "file", "mine", 0o600);
    expect([readFileSync(at("file"), "utf8"), lstatSync(at("file")).isFile()]).toEqual(["mine", true]);
    expect([readFileSync(join(root, "out/other"), "utf8"), readdirSync(project())]).toEqual([
      "theirs",
      ["file"],
    ]);
  });

  test("is not written through a link on its way", () => {
    link("own", join(root, "out"));
    expect(resultOrError(() => writeOwnFile(project(), "own/file", "x", 0o600))).toEqual(
      inTheWay("own", "a symbolic link"),
    );
    expect(readdirSync(join(root, "out"))).toEqual([]);
  });
});

describe("a path without links", () => {
  const real = () => realPathOf(root);

  test("is where the system would go, also if nothing is yet", () => {
    link("a", "../out");
    link("b", "a/../x/./y");
    link("c", join(root, "out"));
    link("nowhere", "gone/deep");
    expect(realPathOf(at("a/new"))).toBe(`${real()}/out/new`);
    expect(realPathOf(at("b"))).toBe(`${real()}/x/y`);
    expect(realPathOf(at("c/./d/../e"))).toBe(`${real()}/out/e`);
    expect(realPathOf(at("nowhere/file"))).toBe(`${real()}/project/gone/deep/file`);
    expect(realPathOf(`${at("x")}//y/`)).toBe(`${real()}/project/x/y`);
    expect([realPathOf("/"), realPathOf("/.."), realPathOf("/../..")]).toEqual(["/", "/", "/"]);
  });

  test("is the link itself if links lead in a circle", () => {
    link("round", "round");
    link("one", "other");
    link("other", "one");
    expect(realPathOf(at("round"))).toBe(`${real()}/project/round`);
    expect(realPathOf(at("one"))).toMatch(/\/project\/(one|other)$/);
  });

  test("follows forty links, as the system does", () => {
    writeFileSync(at("0"), "");
    for (let number = 1; number <= 41; number++) link(String(number), String(number - 1));
    expect(realPathOf(at("40"))).toBe(`${real()}/project/0`);
    expect(realPathOf(at("41"))).toBe(`${real()}/project/1`);
  });
});
