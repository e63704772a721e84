/** What is said of the costs: the page shows what was measured, and a regression is one. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { peersOf } from "../bench/peers.ts";
import { isRegression, verdictOf } from "../bench/regression.ts";
import { type Curves, renderPicture, withTables } from "../bench/render-curves.ts";
import { ROOT } from "./rig/docs.ts";
import { MAIN } from "./rig/project.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("the costs", () => {
  it("are shown as they were measured", () => {
    const curves = JSON.parse(read("bench/curves.json")) as Curves;
    expect(withTables(read("docs/performance.md"), curves)).toBe(read("docs/performance.md"));
    expect(renderPicture(curves)).toBe(read("docs/performance.svg"));
    expect(read("docs/performance.md").match(/\| 10,000 \|/g)).toHaveLength(2);
  });

  it("are worse where a ratio is more than a quarter above the last commit's, or is none", () => {
    expect(isRegression(2, 2.5)).toBe(false);
    expect(isRegression(2, 2.51)).toBe(true);
    expect(isRegression(2, Number.NaN)).toBe(true);
    expect(isRegression(undefined, 9)).toBe(false);
    expect(verdictOf(2, 2.6)).toBe("   2.60 ×   was 2.00 × (+30 %)   SLOWER");
    expect(verdictOf(2, 1)).toBe("   1.00 ×   was 2.00 × (-50 %)");
    expect(verdictOf(undefined, 1)).toBe("   1.00 ×   new");
  });

  it("can be measured beside other servers, which are named by the commands that start them", () => {
    const given = [
      "5",
      "--peer",
      "one=/bin/one serve --quiet",
      "--peer",
      "two=two",
      "--call",
      'one=add:{"a": "b:c"}',
    ];
    expect(peersOf(given)).toEqual({
      positionals: ["5"],
      peers: [
        {
          name: "one",
          program: "/bin/one",
          args: ["serve", "--quiet"],
          call: { tool: "add", given: { a: "b:c" } },
        },
        { name: "two", program: "two", args: [], call: null },
      ],
    });
    expect(() => peersOf(["--peer", "one"])).toThrow("NAME=");
    expect(() => peersOf(["--call", "one=add"])).toThrow("no --peer");
  });

  it("of a start contain no part of Node that the command does not use", () => {
    const loaded = loadedBy("--version");
    expect(loaded).toContain("NativeModule fs");
    expect(
      loaded.match(/internal\/(fs\/streams|readline\/interface|http|child_process|util\/parse_args)\b.*/g),
    ).toBe(null);
  });

  it("of a client's hook contain none of Node's streams", () => {
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const loaded = loadedBy("guard claude-code", JSON.stringify(call));
    expect(loaded).toContain("NativeModule fs");
    expect(loaded.match(/internal\/streams\/(readable|writable)\b/g)).toBe(null);
  });

  it("of a command whose output goes nowhere contain none of Node's streams", () => {
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
