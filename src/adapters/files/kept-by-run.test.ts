/** Values that are kept for runs outside of the project, on the real disk. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toldLater } from "../../../test/rig/error-texts.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { type Kind, openKeptByRun } from "./kept-by-run.ts";
import { openStateFolder } from "./state-folder.ts";

const KIND: Kind = {
  folder: "policies",
  key: "policy",
  noun: "the policy",
  without: "the run goes on by the present files.",
};
let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-kept-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, "state");
const place = (run: string) => join(folder(), "policies", `${hashOf(run).slice(0, 32)}.json`);
const open = () => openKeptByRun<object>(openStateFolder(folder()), KIND);
describe("what is kept for a run", () => {
  test("is found again, replaced and forgotten, each run's own", async () => {
    const kept = open();
    expect([await kept.find("a:1"), await kept.list(), existsSync(folder())]).toEqual([null, [], false]);
    await kept.keep("a:1", { checks: 1 });
    await kept.keep("a:2", { checks: 2 });
    await kept.keep("a:1", { checks: 3 });
    expect([await open().find("a:1"), await open().find("a:2"), await open().find("a:3")]).toEqual([
      ...[{ checks: 3 }, { checks: 2 }, null],
    ]);
    expect([...(await kept.list())].sort()).toEqual(["a:1", "a:2"]);
    await kept.forget("a:1");
    await kept.forget("a:1");
    expect([await kept.find("a:1"), await kept.list()]).toEqual([null, ["a:2"]]);
  });

  test("is one file of this user's own, with its hash", async () => {
    await open().keep("a:1", { b: 1, a: [] });
    const value = { b: 1, a: [] };
    const whole = { version: 1, run: "a:1", sha256: hashOf(canonical(value)), policy: value };
    expect(readFileSync(place("a:1"), "utf8")).toBe(`${JSON.stringify(whole, null, 2)}\n`);
    expect(statSync(join(folder(), "policies")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder(), "policies"))).toHaveLength(1);
  });

  test("is listed by what ends as such a file does", async () => {
    await open().keep("a:1", {});
    writeFileSync(join(folder(), "policies", "x.json.new"), "half");
    expect(await open().list()).toEqual(["a:1"]);
  });
});

describe("a file that is damaged", () => {
  test.each<readonly [string, (text: string) => string, string]>([
    ["is cut", (text) => text.slice(0, 20), "something else"],
    ["is null", () => "null", "something else"],
    ["is a number", () => "7", "something else"],
    ["is empty", () => "", "something else"],
    ["is of another version", (text) => text.replace('"version": 1', '"version": 2'), "one of version 2"],
    ["has none", (text) => text.replace('"version": 1,', ""), "one of version undefined"],
    ["is another run's", (text) => text.replace("a:1", "a:2"), "that of another run"],
    ["is nobody's", (text) => text.replace('"a:1"', "7"), "that of another run"],
    ["was edited", (text) => text.replace('"checks": 1', '"checks": 2'), "another policy than its hash says"],
    [
      "has another hash",
      (text) => text.replace(/"sha256": "./, '"sha256": "x'),
      "another policy than its hash says",
    ],
  ])("%s: it is never taken for none", async (_, damage, found) => {
    await open().keep("a:1", { checks: 1 });
    const path = place("a:1");
    const damaged = damage(readFileSync(path, "utf8"));
    writeFileSync(path, damaged);
    const told = {
      code: "state-home-failed",
      message: `${path} is damaged: expected the policy that Pawl kept there for a run, found ${found}.`,
      fix: "Restore the file from a backup. If there is none, the run goes on by the present files.",
    };
    expect(await toldLater(open().find("a:1"))).toEqual(told);
    expect(await toldLater(open().list())).toEqual(told);
    expect(readFileSync(path, "utf8")).toBe(damaged);
  });
});

describe("a place that cannot be used", () => {
  test("is told where it cannot be read", async () => {
    mkdirSync(place("a:1"), { recursive: true });
    expect(await toldLater(open().find("a:1"))).toEqual({
      code: "state-home-failed",
      message: `${place("a:1")} cannot be read: there is a folder where a file is needed (EISDIR). It holds the policies of this project's runs.`,
      fix: "Make it readable for this user, then run the command again.",
    });
    rmSync(folder(), { recursive: true });
    mkdirSync(folder());
    writeFileSync(join(folder(), "policies"), "");
    expect([await open().find("a:1"), await open().list()]).toEqual([null, []]);
  });

  test("is reported if it cannot be written, or removed from", async () => {
    mkdirSync(folder());
    writeFileSync(join(folder(), "policies"), "");
    expect(await toldLater(open().keep("a:1", {}))).toMatchObject({
      code: "state-home-failed",
      message: expect.stringMatching(/^Pawl's state of this project, outside of it, cannot be written in /),
    });
    expect((await toldLater(open().forget("a:1"))).message).toMatch(
      /^Pawl's state of this project, outside of it, cannot be removed in .* \(ENOTDIR\)\.$/,
    );
  });
});
