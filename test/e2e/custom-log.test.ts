import { spawn } from "node:child_process";
import { appendFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
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
    expect(lines[0]).toMatch(/^2026-03-01$/);
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
