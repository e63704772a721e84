/** `pawl run` on a real terminal of 80 columns, as a person sees it. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/surfaces/cli/terminal/text-width.ts";
import { bloomProject } from "../rig/bloom-project.ts";
import { MAIN } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { HAS_TMUX, openScreen } from "../rig/tmux.ts";
import { shellUntil } from "../rig/until.ts";

const LONG = { timeout: 120_000 };
const HAS_SCRIPT = spawnSync("script", ["-V"], { stdio: "ignore" }).status === 0;

const WIDE = "漢字🚀".repeat(60);
/** The second step waits until the test has seen the screen. */
const TASKS = `git: {auto_cleanup_merged: true}
tasks:
- id: API-1
  title: "\\e[2J${WIDE}"
  repo: .
  merge_into: main
  verify: ["test -f a.txt"]
  steps:
  - id: one
    instruction: |
      RUN: echo a > a.txt; git add -A; git commit -qm a; bloom step done one
  - id: two
    instruction: |
      SAY: ${WIDE}
      SAY: \u001b[2J\u001b[31m${"x".repeat(300)}
      RUN: : '${WIDE}'; ${shellUntil('-f "$PAWL_PROJECT/.pawl/seen"')}
      RUN: bloom step done two
- id: ESC
  title: asks
  repo: .
  instructions: |
    RUN: bloom ask ESC "Which of the two databases shall the service use, the old one or the new one that the others use?" --blocking
`;

describe("On a terminal, a run", () => {
  it.skipIf(!HAS_TMUX)(
    "shows who is at work and what waits, each on one line, and ends clean",
    LONG,
    async () => {
      promise("bloom.screen");
      using project = bloomProject({ tasks: TASKS, settings: { agents: 2 } });
      using screen = openScreen(`${process.execPath} ${MAIN} run --once`, project.root, project.environment);
      const begun = await screen.seen(
        (lines) =>
          lines.some((line) => line.startsWith("> API-1 [######------] 1/2")) &&
          lines.some((line) => /^> API-1.*漢字.*…$/.test(line)),
      );
      expect(begun.filter((line) => line.startsWith("> API-1"))).toHaveLength(1);
      const waiting = await screen.seen(
        (lines) =>
          lines.some((line) => line.startsWith("? ESC")) &&
          lines.some((line) => /^> API-1 .* Bash: : /.test(line)),
      );
      expect(waiting.slice(-3)).toEqual([
        expect.stringMatching(/^> API-1 \[######------\] 1\/2 \(\d+ s\) Bash: : '[漢字🚀]+…$/u),
        expect.stringMatching(/^\? ESC waits for you: q1: Which of the two databases .*…$/),
        "0 done, 2 open, 1 waiting.",
      ]);
      for (const line of waiting.slice(-3)) expect(widthOf(line)).toBeLessThanOrEqual(79);
      project.write(".pawl/seen", "");
      const ended = await screen.seen((lines) => lines.at(-1) === "exit 3");
      expect(ended.slice(-3)).toEqual(["1 done, 1 open.", "Waiting for a person: ESC.", "exit 3"]);
      expect(ended.filter((line) => /^[>?~] /.test(line))).toEqual([]);
      expect(ended.filter((line) => line.includes(" open."))).toHaveLength(1);
      const told = ended.filter((line) => /^\d\d:\d\d /.test(line)).map((line) => line.slice(6));
      expect(told).toEqual(
        expect.arrayContaining([
          "API-1 step one (1/2): scripted, permission edits",
          "API-1 step two (2/2): scripted, resumed, permission edits",
          "API-1 passed: test -f a.txt",
          "API-1 merged bloom/API-1 into main",
          "API-1 is done",
        ]),
      );
    },
  );

  it.skipIf(!HAS_SCRIPT)("writes to it nothing but its own lines and marks", LONG, async () => {
    const bad = '- {id: BAD, title: fails, verify: ["exit 3"], instructions: "RUN: bloom done BAD"}\n';
    using project = bloomProject({ tasks: TASKS + bad, settings: { agents: 2, tries: 1 } });
    execFileSync("mkdir", ["-p", join(project.root, ".pawl")]);
    project.write(".pawl/seen", "");
    const command = `stty cols 80 rows 24; ${process.execPath} ${MAIN} run --once`;
    const { stdout } = spawnSync("script", ["-qfec", command, "/dev/null"], {
      cwd: project.root,
      env: { ...project.environment, TERM: "xterm" },
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stdout).toContain("API-1 is done");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    const rest = stdout.replace(/\u001b\[(\d+F|0J|\?7[lh]|\d+m)/g, "").replaceAll("\r\n", "\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    expect(rest.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g)).toBeNull();
    expect(rest).toContain("\nBlocked: BAD. `pawl show BAD` says why.\n");
    // Git's own words, too, have no place there.
    expect(rest).not.toMatch(/Updated \d+ path|Switched to|Already up to date|fatal|hint:/);
  });
});

it("Into a pipe, a run prints lines for people, and JSON lines only under --json", LONG, async () => {
  promise("cli.readable");
  const tasks = `tasks:
- {id: A, title: works, instructions: "RUN: bloom done A"}
- {id: BAD, title: fails, verify: ["exit 3"], instructions: "RUN: bloom done BAD"}
`;
  using project = bloomProject({ tasks, settings: { tries: 1 } });
  const plain = await project.bloom("run", "--once");
  expect(plain.code).toBe(1);
  expect(plain.out).toMatch(/^\d\d:\d\d A agent started: scripted, permission edits\n/);
  expect(plain.out).toMatch(/^\d\d:\d\d A is done$/m);
  expect(plain.out).toMatch(/\n1 done, 1 open\.\nBlocked: BAD\. `\w+ show BAD` says why\.\n$/);
  for (const mark of ["{", "}", "\u001b"]) expect(plain.out).not.toContain(mark);
  const json = await project.bloom("run", "--once", "--json");
  const lines = json.out.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).type).at(-1)).toBe("loop:ended");
});
