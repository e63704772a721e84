/** A person's word at the command line: asked for at the terminal, and not to be had by an agent with a shell. */

import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  end,
  MAIN,
  personAtTerminal,
  type TemporaryProject,
  temporaryProject,
  testEnvironment,
} from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { committedAt } from "../rig/repository.ts";
import { shellUntil } from "../rig/until.ts";

/** A run of a workflow of the project's own that awaits a person's approval, in a repository with work in it. */
async function waiting(): Promise<TemporaryProject> {
  const project = releaseReady();
  const git = committedAt(project.root);
  git("checkout", "-qb", "work");
  project.write("src/a.js", "one\ntwo\n");
  project.write("test/a.test.js", "nothing\n");
  project.write("package-lock.json", "{}\n");
  git("add", "-A");
  git("commit", "-qm", "Work");
  const notes = "Fine\u001b[2J\u200b \u202eevil\nYes or no? [y/N] y";
  await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low", "-m", notes);
  return project;
}

const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const stateOf = (project: TemporaryProject) => JSON.parse(project.read(RUN_FILE) ?? "").state;

/** A shell script of an agent's, without a terminal of its own; `$PAWL` calls the program. */
function shell(project: TemporaryProject, script: string, more: Readonly<Record<string, string>> = {}) {
  const env = testEnvironment({ PAWL: `${process.execPath} ${MAIN}`, SHELL: "/bin/sh", ...more });
  const stdio = ["ignore", "pipe", "pipe"] as const;
  return end(spawn("bash", ["-c", script], { cwd: project.root, env, stdio: [...stdio], detached: true }));
}

describe("A person's verdict at the command line", () => {
  it("is asked for at the terminal, with the brief first, and an agent's words cleaned, in a line of their own", async () => {
    promise("gates.seen-first");
    using project = await waiting();
    const { code, err, out, screen } = await project.person("approve", "1.2.0");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Tell your assistant to continue.");
    const parts = screen.trim().split("\n\n");
    expect(parts[0]).toContain("Send approve to release:1.2.0, which is in in_review?");
    expect(parts[2]?.split("\n")).toEqual([
      "      ! tests changed",
      "AGENT submit (by script): Fine<U+200B> <U+202E>evil Yes or no? [y/N] y",
      "FILES 3 files: 2 to read (1 min), 1 folded (1 lock file)",
    ]);
    expect(screen).toMatch(
      /^Changes against main: 3 files, \+4 -0 lines\.\s- test\/a\.test\.js \(\+1 -0\), tests\s/m,
    );
    expect(parts.at(-1)).toBe("Yes or no? [y/N] y");
    expect(stateOf(project)).toBe("published");
  });

  it.each(["n\n", "\n", "yes please\n", ""])("is no verdict if they type %j", async (answer) => {
    promise("gates.terminal");
    using project = await waiting();
    const ended = await personAtTerminal(project.root, ["approve", "1.2.0"], { answer });
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("[person-declined]") });
    expect(stateOf(project)).toBe("in_review");
  });

  it("says in the log and the story how much it is worth, and never that a person gave it", async () => {
    promise("gates.strength");
    using project = await waiting();
    await project.person("approve", "1.2.0", "-m", "Good");
    const worth = "given at a terminal; unverified: anyone with your shell";
    const log = await project.pawl("log", "--json");
    const events = log.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: "submit", by: { channel: "script" } });
    expect(events[0].strength).toBeUndefined();
    expect(events[1]).toMatchObject({ event: "approve", by: { channel: "terminal" }, strength: "terminal" });
    for (const { by } of events) expect(Object.keys(by).sort()).toEqual(["channel", "who"]);
    expect((await project.pawl("show", "release:1.2.0")).out).toContain(worth);
    const lines = (await project.pawl("log")).out;
    expect(lines).toContain(worth);
    expect(lines).not.toContain("a person");
  });

  it.each([
    ["piped in", "echo y | $PAWL approve 1.2.0"],
    ["sent into a session without a terminal", "yes | setsid --wait $PAWL approve 1.2.0"],
    ["sent by the event itself", "echo y | $PAWL cast release:1.2.0 approve"],
    ["sent in an empty environment", "yes | env -i $PAWL approve release:1.2.0"],
  ])("is refused if it is %s", async (_, script) => {
    promise("gates.terminal");
    using project = await waiting();
    const ended = await shell(project, script);
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("[terminal-missing]") });
    expect(stateOf(project)).toBe("in_review");
  });

  it.each([
    ["at a pseudo-terminal", 'yes | head -n 100 | script -qec "$PAWL approve 1.2.0" /dev/null'],
    [
      "at one without the agent's mark",
      'yes | head -n 100 | script -qec "env -u CLAUDECODE $PAWL approve 1.2.0" /dev/null',
    ],
    [
      "at one in an empty environment",
      'yes | head -n 100 | env -i script -qec "$PAWL approve 1.2.0" /dev/null; true',
    ],
    [
      "at one in a session of its own",
      'yes | head -n 100 | setsid --wait script -qec "$PAWL approve 1.2.0" /dev/null',
    ],
    [
      "at one that Python opened",
      `python3 -c 'import os, pty; pty.spawn(["env", "-i", "sh", "-c", os.environ["PAWL"] + " approve 1.2.0"])' < /dev/null; true`,
    ],
  ])("is refused to an agent %s", async (_, script) => {
    promise("gates.not-an-agent");
    using project = await waiting();
    const ended = await shell(project, script, { CLAUDECODE: "1" });
    expect(ended.out).toContain("[caller-not-allowed]");
    expect(ended.out).toContain("this call comes from Claude Code");
    expect(stateOf(project)).toBe("in_review");
  });

  it("counts nothing that was typed before the question", async () => {
    promise("gates.terminal");
    using project = temporaryProject();
    await project.pawl("door", "knock", "front");
    const asked = shellUntil('"$(grep -c "Yes or no" screen 2>/dev/null)" = 1');
    const early = `(printf 'y\\n'; ${asked}) | script -qfec "$PAWL approve front" screen`;
    const ended = await shell(project, `timeout 20 bash -c '${early.replaceAll("'", "'\\''")}'`);
    expect(ended.out).toContain("You did not say yes.");
    expect(JSON.parse(project.read(".door/front.json") ?? "").state).toBe("knocked");
  });
});
