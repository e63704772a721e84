/** A cold command loads no part of Node that it does not use. How long it takes, `bench/` says. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { MAIN } from "./rig/project.ts";

describe("a cold command", () => {
  it("loads no part of Node that it does not use", () => {
    const loaded = loadedBy("--version");
    expect(loaded).toContain("NativeModule fs");
    expect(
      loaded.match(/internal\/(fs\/streams|readline\/interface|http|child_process|util\/parse_args)\b.*/g),
    ).toBe(null);
  });

  it("loads none of Node's streams if it is a client's hook", () => {
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const loaded = loadedBy("guard claude-code", JSON.stringify(call));
    expect(loaded).toContain("NativeModule fs");
    expect(loaded.match(/internal\/streams\/(readable|writable)\b/g)).toBe(null);
  });

  it("loads none of Node's streams if its output goes nowhere", () => {
    const loaded = loadedBy("--version", "", ">/dev/null");
    expect(loaded).toContain("NativeModule fs");
    expect(loaded.match(/internal\/streams\/(readable|writable)\b/g)).toBe(null);
  });
});

/** The parts of Node that a command has loaded when it ends. */
function loadedBy(words: string, input = "", output = ""): string {
  const listing =
    'process.on("exit", () => console.error(process.moduleLoadList.join(String.fromCharCode(10))))';
  const script = `"$0" --import 'data:text/javascript,${listing}' "$1" ${words} 2>&1 ${output}`;
  return execFileSync("sh", ["-c", script, process.execPath, MAIN], { encoding: "utf8", input });
}
