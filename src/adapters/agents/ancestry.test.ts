import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { type CallingAgent, callingAgent } from "./ancestry.ts";

const MODULE = resolve(import.meta.dirname, "ancestry.ts");
/** These tests may themselves be run by an agent: what is above them is not looked at. */
const LOOK = `${process.execPath} --no-warnings -e 'import("${MODULE}").then(({ callingAgent }) => console.log(JSON.stringify(callingAgent(process.env, { until: ${process.pid} }))))'`;

/** What a look says at the end of a shell script, run with this environment. */
function look(script: string, environment: Readonly<Record<string, string>> = {}): CallingAgent | null {
  const { PATH = "" } = process.env;
  const ended = spawnSync("bash", ["-c", script], {
    env: { PATH, LOOK, ...environment },
    // From a socket bash takes itself for a remote shell, and reads the user's files.
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  expect(ended.stderr).toBe("");
  return JSON.parse(ended.stdout.slice(ended.stdout.indexOf("{")).trim() || "null");
}

const MARKS = [
  ["PAWL_RUN_MARK", "an agent of Pawl's loop"],
  ["BLOOM_TASK", "an agent of Pawl's loop"],
  ["CLAUDECODE", "Claude Code"],
  ["CODEX_THREAD_ID", "Codex"],
  ["GEMINI_CLI", "Gemini CLI"],
  ["OPENCODE", "OpenCode"],
  ["CURSOR_AGENT", "Cursor"],
  ["COPILOT_AGENT", "Copilot in VS Code"],
  ["AI_AGENT", "an agent"],
] as const;

describe("The agent around a process", () => {
  it("is none for a person's own shell, with settings of agents and the marks of editors in it", () => {
    const environment = { CODEX_HOME: "/h", CURSOR_TRACE_ID: "x", CLAUDE_CODE_SSE_PORT: "1", CLAUDECODE: "" };
    expect(look('bash -c "$LOOK"', environment)).toBeNull();
  });

  it.each(MARKS)("is told by %s in its own environment", (variable, agent) => {
    expect(callingAgent({ [variable]: "1" })).toEqual({ agent, pid: process.pid, by: variable });
  });

  it("is told by an ancestor's environment if its own was cleared", () => {
    promise("gates.not-an-agent");
    const found = { agent: "Claude Code", by: "CLAUDECODE" };
    const mark = { CLAUDECODE: "1" };
    expect(look('env -u CLAUDECODE bash -c "$LOOK"; true', mark)).toMatchObject(found);
    expect(look('env -i setsid --wait bash -c "$LOOK"; true', mark)).toMatchObject(found);
    expect(look('script -qc "env -i $LOOK" /dev/null; true', mark)).toMatchObject(found);
    const pty =
      'python3 -c \'import os, pty; pty.spawn(["env", "-i", "bash", "-c", os.environ["LOOK"]])\'; true';
    expect(look(pty, mark)).toMatchObject(found);
  });

  it("is recognised by an ancestor's program if a shell replaced itself without the mark", () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-ancestry-"));
    try {
      const agent = join(folder, "codex");
      symlinkSync("/bin/bash", agent);
      expect(look(`${agent} -c 'env -i bash -c "$LOOK"; true'`)).toMatchObject({
        agent: "Codex",
        by: "codex",
      });
      const script = join(folder, "claude");
      writeFileSync(
        script,
        `require("node:child_process").spawnSync("bash", ["-c", process.env.LOOK], { stdio: "inherit" })`,
      );
      chmodSync(script, 0o755);
      expect(look(`${process.execPath} ${script}; true`)).toMatchObject({
        agent: "Claude Code",
        by: "claude",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is not recognised by an argument that happens to be an agent's name", () => {
    expect(look('bash -c "$LOOK" claude; true')).toBeNull();
  });
});
