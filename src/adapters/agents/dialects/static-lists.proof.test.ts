/** What each client is given to allow, as that client would match it: a listed command and no more. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { allowedCommands } from "../../../workflows/bloom/allowed.ts";
import { claude } from "./claude.ts";
import type { Call } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

const LISTED = [
  "git status",
  "git diff --cached --stat",
  "git log --oneline -5",
  "git add -A",
  "git add src/new.ts README.md",
  "git commit -m 'Limit the rate: 5 a second; see #7'",
  'git commit -m "Limit the rate > 5, and say why"',
  'git commit -m "Limit the rate" -m "It was too high."',
  'git commit -am "Line one\nline two"',
  "bloom step done T1.s1",
  "bloom done T1",
  'bloom note T1 "It works now"',
];

const MORE = [
  "git diff --output=/home/ada/.bashrc",
  "git diff --outp=x",
  "git log --output=x",
  "git diff --ext-diff",
  "git diff --no-index /etc/passwd /dev/null",
  "git diff /etc/passwd /etc/group",
  "git diff > /home/ada/.bashrc",
  "git status > x",
  "git diff; rm -r src",
  "git diff | sh",
  "git log -1 && rm -r src",
  "git log $(rm x)",
  "git add `rm x`",
  "git add a > b",
  "git add -f .env",
  "git add a -f .env",
  "git add --pathspec-from-file=/home/ada/list",
  "git add a --pathspec-from-file=/home/ada/list",
  "git add {a,-f,.env}",
  'git add a "-f" .env',
  "git add a '-f' .env",
  "git -c core.pager=x diff",
  "git -C / status",
  "git commit -F /home/ada/.ssh/id_ed25519",
  "git commit -m x -F /home/ada/.ssh/id_ed25519",
  'git commit -m "x" -F "/home/ada/.ssh/id_ed25519"',
  "git commit -m 'x' -F '/home/ada/.ssh/id_ed25519'",
  "git commit -m 'x' --template='y'",
  'git commit -m "x" -F y -m "z"',
  'git commit -m "x" -m "y" -F "z"',
  'git commit -m "x" > "y"',
  'git commit -m "x\\" -F "y"',
  'git commit -m "$(cat /home/ada/.ssh/id_ed25519)"',
  'git commit -m "`rm x`"',
  'git commit -m "a" -F x\'" -m "\'b',
  'git commit -m "x" --exec="y"',
  "git push",
  "git config alias.x '!rm y'",
  "bloom approve T1",
  "bloom done T1 > /home/ada/.bashrc",
  'bloom note T1 "$(cat /home/ada/.ssh/id_ed25519)"',
  "bloomx done T1",
];

const call = (more: Partial<Call> = {}): Call => ({
  session: { type: "new" },
  permission: "edits",
  allow: allowedCommands("bloom"),
  model: undefined,
  writable: [],
  asRoot: false,
  walled: false,
  limits: {},
  runFolder: "/run",
  folder: "/work",
  knows: () => true,
  ...more,
});

function allBut(decide: (command: string) => boolean, among = LISTED): void {
  it.each(among)("runs %j", (command) => {
    promise("permission.listed");
    return expect(decide(command)).toBe(true);
  });
  it.each(MORE)("does not run %j", (command) => {
    promise("permission.listed");
    return expect(decide(command)).toBe(false);
  });
}

describe("OpenCode, by its rules", () => {
  const rules = Object.entries(
    JSON.parse(opencode.environment(call()).OPENCODE_PERMISSION ?? "").bash as Record<string, string>,
  );
  /** As its sources do: the last rule that matches the whole command; a blank and a star at the end may be missing. */
  const matches = (command: string, pattern: string) => {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*/g, ".*")
      .replace(/\?/g, ".");
    const open = escaped.endsWith(" .*") ? `${escaped.slice(0, -3)}( .*)?` : escaped;
    return new RegExp(`^${open}$`, "s").test(command.replaceAll("\\", "/"));
  };
  /** Its parser divides commands; a redirection belongs to its command. */
  const decide = (command: string) => {
    const parts = /["']/.test(command)
      ? [command]
      : command.split(/;|\||&&|\$\(|`/).map((part) => part.trim());
    const answers = parts.map((part) => rules.findLast(([pattern]) => matches(part, pattern))?.[1] ?? "deny");
    return answers.every((answer) => answer === "allow");
  };
  allBut(decide);
  it("begins with a rule for everything", () => expect(rules[0]).toEqual(["*", "deny"]));
});

describe("Gemini, by its rules", () => {
  const text = gemini.files?.(call())["rules.toml"] ?? "";
  const { rule: rules } = parse(text) as unknown as {
    readonly rule: readonly {
      readonly toolName: string;
      readonly commandRegex: string;
      readonly decision: string;
    }[];
  };
  const decide = (command: string) => {
    const json = JSON.stringify({ command, description: "Looks harmless" });
    return rules.some(({ commandRegex }) => new RegExp(`"command":"${commandRegex}`).test(json));
  };
  allBut(decide);

  it("is given them in a file, and its older list never", () => {
    promise("permission.listed");
    expect(gemini.arguments(call())).toEqual(expect.arrayContaining(["--policy", "/run/rules.toml"]));
    for (const each of [call(), call({ knows: () => false })])
      expect(gemini.arguments(each).join(" ")).not.toContain("--allowed-tools");
    expect(gemini.arguments(call({ knows: () => false }))).not.toContain("--policy");
    expect(gemini.files?.(call({ knows: () => false }))).toEqual({});
    expect(gemini.files?.(call({ permission: "ask" }))).toEqual({});
  });

  it("takes each of them for safe: short, and no repetition within a repetition", () => {
    for (const { commandRegex, decision, toolName } of rules) {
      expect([toolName, decision]).toEqual(["run_shell_command", "allow"]);
      expect(commandRegex.length).toBeLessThan(2000);
      expect(commandRegex).not.toMatch(/\([^)]*[*+?{].*\)[*+?{]/);
    }
  });
});

describe("Claude Code, by its hook", () => {
  let root: string;
  let folder: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "pawl-hook-"));
    folder = join(root, "it's here");
    mkdirSync(join(folder, "src"), { recursive: true });
    symlinkSync("..", join(folder, "out"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function asked(command: string, cwd = folder): { decision: string | null; reason: string } {
    const args = claude.arguments(call({ folder }));
    const settings = JSON.parse(args[args.indexOf("--settings") + 1] ?? "");
    const [{ matcher, hooks }] = settings.hooks.PreToolUse;
    expect(matcher).toBe("Bash");
    const input = JSON.stringify({ tool_name: "Bash", tool_input: { command }, cwd });
    const { status, stdout } = spawnSync("bash", ["-c", hooks[0].command], { input, encoding: "utf8" });
    expect(status).toBe(0);
    if (stdout === "") return { decision: null, reason: "" };
    const told = JSON.parse(stdout).hookSpecificOutput;
    expect(told.hookEventName).toBe("PreToolUse");
    return { decision: told.permissionDecision, reason: told.permissionDecisionReason };
  }

  it("has no list that knows first words only", () => {
    expect(claude.arguments(call()).join(" ")).not.toContain("allowedTools");
    expect(claude.arguments(call({ permission: "ask" }))).not.toContain("--settings");
  });

  it("allows what is listed, also one after the other", { timeout: 120_000 }, () => {
    promise("permission.listed");
    for (const command of [
      ...LISTED.filter((each) => !each.includes("\n")),
      "git add -A && git commit -m 'Do it && more'",
      "git diff --stat HEAD~1 -- src",
    ])
      expect([command, asked(command).decision]).toEqual([command, "allow"]);
  });

  it("refuses what begins so and is more, with what to do instead", { timeout: 120_000 }, () => {
    promise("permission.listed");
    for (const command of MORE.filter(
      (each) => /^git (diff|log|add|commit|status)\b|^bloom done/.test(each) && !each.includes("&&"),
    )) {
      const { decision, reason } = asked(command);
      expect([command, decision]).toEqual([command, "deny"]);
      expect(reason).toContain("git commit -m 'What, and why'");
    }
    expect(asked("git add ../x").decision).toBe("deny");
    expect(asked("git add ../x", join(folder, "src")).decision).toBe("allow");
    expect(asked("git add out/x").decision).toBe("deny");
    expect(asked("npm test && git diff --output=x").decision).toBe("deny");
  });

  it("says nothing of anything else, which nobody allows then", () => {
    for (const command of ["npm test", "git push", "npm test && git add -A", "bloom approve T1"])
      expect([command, asked(command).decision]).toEqual([command, null]);
  });
});
