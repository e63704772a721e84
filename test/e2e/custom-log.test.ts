import { spawn } from "node:child_process";
import { appendFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { until } from "../rig/until.ts";

const EVENTS = ".pawl/events.jsonl";
let count = 0;
const advanced = (run: string, summary: string) =>
  `${JSON.stringify({ type: "run:advanced", id: `e${count++}`, time: "2026-03-01T12:00:00.000Z", run, machine: "door", event: "knock", row: "K1", from: "a", to: "b", summary, by: { channel: "terminal" } })}\n`;

describe("pawl log", () => {
  it("shows every event on one line, or those of one run, or JSON", async () => {
    using project = temporaryProject();
    expect(await project.pawl("log")).toEqual({ code: 0, out: "Nothing has happened yet.\n", err: "" });
    expect(await project.pawl("log", "--json")).toEqual({ code: 0, out: "", err: "" });
    const failed = {
      type: "check:failed",
      id: "c",
      time: "2026-03-01T12:00:01.000Z",
      taskId: "T-1",
      command: "npm test",
      exit: 1,
      duration: 1240,
      commit: null,
      log: "x",
    };
    project.write(
      EVENTS,
      `${advanced("door:front", `knock\u001b[31m: ${"long ".repeat(40)}`)}${JSON.stringify(failed)}\n${advanced("door:back", "knock: a → b")}{"torn`,
    );
    const { out, code } = await project.pawl("log");
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    // The day as it is where the reader is.
    expect(lines[0]).toBe(new Date("2026-03-01T12:00:00.000Z").toLocaleDateString("sv"));
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d {2}door:front {2}knock: (long ){39}long$/);
    expect(lines[2]).toMatch(/ {2}bloom:T-1 {2}failed \(1\): npm test$/);
    expect(out).not.toContain("\u001b");
    expect((await project.pawl("log", "back")).out.trimEnd().split("\n")).toHaveLength(2);
    const json = await project.pawl("log", "door:front", "--json");
    expect(
      json.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).run),
    ).toEqual(["door:front"]);
  });

  it("shows the events of a time, of a type, or only the last: of all or of one run", async () => {
    promise("log.filter");
    using project = temporaryProject();
    const at = (minute: number) => `2026-03-01T12:${String(minute % 60).padStart(2, "0")}:00.000Z`;
    const note = (n: number, run: string) =>
      `${JSON.stringify({ type: n % 2 ? "letter:posted" : "letter:read", id: `n${n}`, time: at(n), run, summary: `n${n}` })}\n`;
    project.write(
      EVENTS,
      Array.from({ length: 60 }, (_, n) => note(n, n % 3 ? "door:front" : "door:back")).join(""),
    );
    const ids = async (...args: readonly string[]) =>
      (await project.pawl("log", "--json", ...args)).out
        .trimEnd()
        .split("\n")
        .flatMap((line) => (line ? [JSON.parse(line).id] : []));
    const between = ["--since", at(10), "--until", at(13)];
    expect(await ids(...between)).toEqual(["n10", "n11", "n12", "n13"]);
    expect(await ids("-n", "2")).toEqual(["n58", "n59"]);
    expect(await ids("--type", "letter:posted", "-n", "2", "--until", at(20))).toEqual(["n17", "n19"]);
    expect(await ids("front", ...between, "-n", "2", "--type", "letter")).toEqual(["n11", "n13"]);
    expect(await ids("back", "--since", at(55))).toEqual(["n57"]);
    expect(await ids("--type", "lette")).toEqual([]);
    expect((await project.pawl("log", "--type", "nothing")).out).toBe("No such event is in the log.\n");
    expect(await project.pawl("log", "-n", "0")).toMatchObject({
      code: 2,
      err: expect.stringContaining("[usage]"),
    });
  });

  it("shows the last events, then follows", async () => {
    promise("log.filter");
    using project = temporaryProject();
    const path = join(project.root, EVENTS);
    project.write(EVENTS, advanced("door:front", "first") + advanced("door:front", "second"));
    const child = spawn(process.execPath, [MAIN, "log", "--follow", "-n", "1"], {
      cwd: project.root,
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    await until(() => out.includes("second"));
    appendFileSync(path, advanced("door:front", "third"));
    await until(() => out.includes("third"));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(out.match(/first|second|third/g)).toEqual(["second", "third"]);
  });

  it("follows what happens, over a rotation, until it is told to end", async () => {
    using project = temporaryProject();
    project.write(EVENTS, advanced("door:front", "first"));
    const child = spawn(process.execPath, [MAIN, "log", "--follow"], {
      cwd: project.root,
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    const heard = (word: string) => until(() => out.includes(word));
    await heard("first");
    const path = join(project.root, EVENTS);
    const second = advanced("door:front", "second");
    appendFileSync(path, second);
    await heard("second");
    renameSync(path, `${path}.1`);
    project.write(EVENTS, advanced("door:front", "third"));
    await heard("third");
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(out.match(/first|second|third/g)).toEqual(["first", "second", "third"]);
  });
});
