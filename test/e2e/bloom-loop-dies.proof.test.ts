/** However the loop ends, its agents end with it: nothing of a run works on unsupervised. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attempt } from "../../src/core/attempt.ts";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { MAIN } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

const LONG = { timeout: 120_000 };

/** An agent that ignores SIGTERM, with children in sessions of their own, one of which keeps forking. */
function forking(): { project: BloomProject; words: string } {
  const words = hangs();
  const project = bloomProject({
    tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: setsid ${words} > /dev/null 2>&1 & (setsid bash -c 'trap "" TERM; while :; do ${words.replace(" ", " 0.0")} ; done' > /dev/null 2>&1 &) ; disown -a
    RUN: touch begun
    HANG:
`,
  });
  return { project, words };
}

/** Processes of the run: by their words, and by the mark that the kernel shows. */
function alive(project: BloomProject, words: string): readonly string[] {
  const all = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => {
    const [pid = "", ...args] = line.trim().split(" ");
    return args.join(" ").startsWith(words) || environmentOf(pid).includes(`PAWL_PROJECT=${project.root}\0`);
  });
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

function folderOf(pid = ""): string | null {
  return attempt(() => readlinkSync(`/proc/${pid}/cwd`), null);
}

async function begun(project: BloomProject): Promise<void> {
  await until(() => project.read("begun") !== null);
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

describe("The agents of a loop", () => {
  it("end where the loop is killed in a moment in which it can do nothing", LONG, async () => {
    promise("agents.end-with-loop");
    const { project, words } = forking();
    using _ = project;
    const child = project.start("--once");
    await begun(project);
    expect(alive(project, words).length).toBeGreaterThan(2);
    child.kill("SIGKILL");
    await until(() => alive(project, words).length === 0);
    expect(hasEnded(child)).toBe(true);
  });

  it("end where its terminal is closed, and where the task stands is kept", LONG, async () => {
    promise("agents.end-with-loop");
    const { project, words } = forking();
    using _ = project;
    const terminal = spawn("script", ["-qec", `exec '${process.execPath}' '${MAIN}' run`, "/dev/null"], {
      cwd: project.root,
      env: project.environment,
      stdio: ["pipe", "ignore", "ignore"],
    });
    await begun(project);
    const isLooping = () =>
      alive({ root: "-" } as BloomProject, `${process.execPath} ${MAIN} run`).some(
        (line) => folderOf(line.trim().split(" ")[0]) === project.root,
      );
    expect(isLooping()).toBe(true);
    terminal.kill("SIGKILL");
    await until(() => alive(project, words).length === 0);
    await until(() => !isLooping());
    expect(runOf(project).underway).toEqual([]);
    expect(project.stored().map(({ type }) => type)).toContain("agent:ended");
    expect(project.tasks()[0]?.status).toBe("in_progress");
  });

  it.each(["SIGHUP", "SIGTERM", "SIGQUIT", "SIGINT"] as const)(
    "end on %s, in good order",
    LONG,
    async (signal) => {
      promise("agents.end-with-loop");
      const { project, words } = forking();
      using _ = project;
      const child = project.start();
      await begun(project);
      child.kill(signal);
      await until(() => hasEnded(child));
      expect(child.signalCode).toBeNull();
      expect(alive(project, words)).toEqual([]);
      expect(runOf(project).underway).toEqual([]);
    },
  );

  it("leave nobody to watch once the loop has ended", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: ${shellUntil('-e "$PAWL_PROJECT/seen"')}\n`,
    });
    const child = project.start("--once");
    const watchers = () =>
      execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes("pawl-supervisor") && line.includes(`loop-${child.pid}-`));
    await until(() => watchers().length === 1);
    project.write("seen", "");
    await until(() => hasEnded(child));
    await until(() => watchers().length === 0);
    expect(child.exitCode).toBe(0);
  });
});

function runOf(project: BloomProject): { readonly underway: readonly string[] } {
  return JSON.parse(readFileSync(join(project.root, ".pawl/runs/T1.json"), "utf8"));
}
