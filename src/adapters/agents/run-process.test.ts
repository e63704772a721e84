import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hangs, shellUntil, until } from "../../../test/rig/until.ts";
import { childEnvironment } from "./environment.ts";
import { splitLines } from "./line-splitter.ts";
import { MARK, markOf } from "./mark.ts";
import { openOutput } from "./output-file.ts";
import { findTree } from "./process-tree.ts";
import { type ProcessOrder, runProcess } from "./run-process.ts";

let folder: string;
let count = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-run-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

function run(script: string, change: Partial<ProcessOrder> = {}) {
  count += 1;
  const mark = markOf(folder, `run-${count}`);
  const lines: string[] = [];
  const running = runProcess({
    program: "/bin/bash",
    // Its input is a socket: without this, bash would run what the tester has for remote shells.
    args: ["--norc", "-c", script],
    folder: { agentPath: folder },
    environment: childEnvironment(process.env, { mark, folder: { agentPath: folder }, names: [], added: {} }),
    mark,
    input: "",
    outputFolder: join(folder, "out"),
    limits: {},
    onLine: (line) => lines.push(line),
    ...change,
  });
  return { running, lines, mark };
}

describe("running a process", () => {
  it("gives the input on standard input, reads whole lines, and keeps the output", async () => {
    const { running, lines } = run("cat; echo warned >&2; exit 3", { input: "häßlich\nsecond" });
    expect(await running.ended).toMatchObject({
      code: 3,
      signal: null,
      ending: "itself",
      errors: "warned\n",
    });
    expect(lines).toEqual(["häßlich", "second"]);
    expect(readFileSync(join(folder, "out/output.jsonl"), "utf8")).toBe("häßlich\nsecond");
  });

  it("takes a program that never reads a large input for no failure", async () => {
    const { running } = run("exit 0", { input: "x".repeat(5_000_000) });
    expect(await running.ended).toMatchObject({ code: 0, ending: "itself" });
  });

  it("hears megabytes of output to the last byte", async () => {
    const { running, lines } = run("head -c 3000000 /dev/zero | tr '\\0' 'a'; echo; echo end");
    await running.ended;
    expect(lines.map((line) => line.length)).toEqual([3_000_000, 3]);
  });

  it("says why a program could not be started", async () => {
    const { running } = run("", { program: join(folder, "no-such-program") });
    expect(await running.ended).toMatchObject({
      ending: "not-started",
      why: expect.stringContaining("ENOENT"),
    });
    const astray = run("true", { folder: { agentPath: join(folder, "gone") } });
    expect(await astray.running.ended).toMatchObject({ why: expect.stringContaining("gone is gone") });
    const absurd = run("true", { args: ["a\0b"] });
    expect(await absurd.running.ended).toMatchObject({
      ending: "not-started",
      why: expect.stringContaining("null bytes"),
    });
  });

  it("works in the folder, as $PWD says too, with the mark and without unnamed secrets", async () => {
    const { running, lines, mark } = run(`pwd; echo "$PWD"; echo "$${MARK}"; echo "[$SECRET_TOKEN]"`, {});
    await running.ended;
    expect(lines).toEqual([folder, folder, expect.stringMatching(new RegExp(`${mark}$`)), "[]"]);
  });

  it("ends what the program left behind, and says so", async () => {
    const { running, mark } = run(`setsid ${hangs()} & (${hangs()} &); exit 0`);
    expect(await running.ended).toMatchObject({
      code: 0,
      ending: "itself",
      leftovers: { ended: 2, alive: 0 },
    });
    expect(findTree({ mark })).toEqual([]);
  });

  it("stops the whole tree when asked, and says who ended it", async () => {
    const { running, mark, lines } = run(
      `trap '' TERM; setsid ${hangs()} & echo up; while :; do ${hangs()}; done`,
      {
        endTimes: { grace: 200, within: 9000 },
      },
    );
    await until(() => lines.includes("up"));
    expect(await running.stop("a person asked")).toMatchObject({
      ending: "stopped",
      why: "a person asked",
      signal: "SIGKILL",
      leftovers: { alive: 0 },
    });
    expect(findTree({ mark })).toEqual([]);
  });

  it("reports the same end to a caller that stops it again, or too late", async () => {
    const { running } = run("exit 4");
    const end = await running.ended;
    expect(end).toMatchObject({ code: 4, ending: "itself" });
    expect(await running.stop("late")).toBe(end);
  });

  it("ends a silent program after the limit of inactivity, not one that keeps talking", async () => {
    const silent = run(`echo once; ${hangs()}`, { limits: { inactivity: 300 } });
    expect(await silent.running.ended).toMatchObject({ ending: "inactive" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const talking = run(`for i in 1 2 3 4; do ${shellUntil("-e go$i")}; echo $i; done`, {
      limits: { inactivity: 3000 },
    });
    for (const word of ["1", "2", "3", "4"]) {
      writeFileSync(join(folder, `go${word}`), "");
      await until(() => talking.lines.at(-1) === word);
      vi.advanceTimersByTime(2000);
    }
    vi.useRealTimers();
    expect(await talking.running.ended).toMatchObject({ ending: "itself", code: 0 });
  });

  it("takes a limit of months for none", async () => {
    const { running } = run("true", { limits: { inactivity: 1e11, total: Number.POSITIVE_INFINITY } });
    expect(await running.ended).toMatchObject({ ending: "itself", code: 0 });
  });

  it("ends a talking program after the total limit", async () => {
    const { running } = run("while :; do echo x; sleep 0.05; done", { limits: { total: 300 } });
    expect(await running.ended).toMatchObject({ ending: "timed-out" });
  });

  it.each([
    ["is a signal that ends programs", 137, { code: null, signal: "SIGKILL" }],
    ["is an HTTP status that an agent ends with", 401 % 256, { code: 145, signal: null }],
    ["is the same for a bad request", 400 % 256, { code: 144, signal: null }],
  ])("behind a wall, a code above 128 %s", async (_, code, expected) => {
    const { running } = run(`exit ${code}`, { signalByCode: true });
    expect(await running.ended).toMatchObject({ ...expected, ending: "itself" });
  });

  it("tells a signal that it did not send as what it is", async () => {
    const { running } = run("kill -SEGV $$");
    expect(await running.ended).toMatchObject({ code: null, signal: "SIGSEGV", ending: "itself" });
  });
});

describe("lines", () => {
  it("come out the same however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, "")),
          { maxLength: 8 },
        ),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 }),
        (lines, sizes) => {
          const heard: string[] = [];
          const splitter = splitLines((line) => heard.push(line));
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            splitter.push(bytes.subarray(at, at + size));
            at += size;
          }
          splitter.end();
          expect(heard).toEqual(lines);
        },
      ),
    );
  });

  it("of 60 MB are heard", () => {
    let length = 0;
    const splitter = splitLines((line) => {
      length = line.length;
    });
    const part = Buffer.alloc(10 << 20, "x");
    for (let count = 0; count < 6; count++) splitter.push(part);
    splitter.end();
    expect(length).toBe(60 << 20);
  });

  it("longer than the bound are let go, and those after them are heard", () => {
    const heard: string[] = [];
    const lost: number[] = [];
    const splitter = splitLines(
      (line) => heard.push(line),
      (size) => lost.push(size),
      10,
    );
    for (const text of ["12345", "67890", "ABC", "\nshort\n", "x".repeat(11), "\nend"])
      splitter.push(Buffer.from(text));
    splitter.end();
    expect({ heard, lost }).toEqual({ heard: ["short", "end"], lost: [13, 11] });
  });
});

describe("the output on disk", () => {
  it("stays within twice its bound and keeps the last part", () => {
    const path = join(folder, "log");
    const file = openOutput(path, 1000);
    for (let at = 0; at < 100; at++)
      file.write(Buffer.from(`${String(at).padStart(3, "0")} ${"x".repeat(95)}\n`));
    file.close();
    expect(statSync(path).size + statSync(`${path}.old`).size).toBeLessThanOrEqual(2000);
    expect(readFileSync(path, "utf8")).toContain("099 ");
  });

  it("does not fail a run if it cannot be written", async () => {
    const file = openOutput(join(folder, "no/such/folder/log"));
    file.write(Buffer.from("x"));
    expect(file.fault()).toContain("ENOENT");
  });
});

describe("the environment of a child", () => {
  const order = {
    mark: "m.1",
    folder: { agentPath: "/w" },
    names: ["ANTHROPIC_API_KEY", "MY_*"],
    added: { BLOOM: "1" },
  };

  it("has what programs need, what is named, and nothing else", () => {
    const own = {
      PATH: "/bin",
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "k",
      MY_X: "x",
      AWS_SECRET: "s",
      NPM_TOKEN: "t",
    };
    expect(childEnvironment(own, order)).toEqual({
      PATH: "/bin",
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "k",
      MY_X: "x",
      BLOOM: "1",
      PWD: "/w",
      [MARK]: "m.1",
    });
  });

  it("passes a proxy, but not one with a password", () => {
    const own = { https_proxy: "http://proxy:8080", HTTP_PROXY: "http://me:secret@proxy:8080" };
    expect(childEnvironment(own, order)).toMatchObject({ https_proxy: "http://proxy:8080" });
    expect(childEnvironment(own, order)).not.toHaveProperty("HTTP_PROXY");
  });
});
