import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { allowedCommands } from "../../../workflows/bloom/allowed.ts";
import { policyAnswer } from "./acp-policy.ts";
import { staticLists } from "./static-lists.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-policy-"));
  folder = join(root, "work");
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(root, "secret"), "x");
  symlinkSync("..", join(folder, "out"));
  symlinkSync("../nowhere", join(folder, "dangling"));
  symlinkSync("src", join(folder, "in"));
  symlinkSync("round", join(folder, "about"));
  symlinkSync("about", join(folder, "round"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const policy = () => ({ permission: "edits" as const, allow: allowedCommands("bloom"), folder });
const runs = (command: string) =>
  policyAnswer(policy(), { toolCallId: "1", kind: "execute", rawInput: { command } });
const edits = (path: string) =>
  policyAnswer(policy(), { toolCallId: "1", kind: "edit", locations: [{ path }] });

it("allows what verifies the task as a whole, and with nothing more", () => {
  promise("agents.may-verify");
  const verify = ["npm test", "make check | tee out"];
  const allow = allowedCommands("bloom", { verify, acceptance_criteria: [], steps: [] });
  const asked = (command: string) =>
    policyAnswer({ ...policy(), allow }, { toolCallId: "1", kind: "execute", rawInput: { command } });
  expect([...verify, 'npm test && git commit -m "x"'].map(asked)).toEqual(["allow", "allow", "allow"]);
  for (const command of ["npm test -- --script-shell=./x", "npm tests", "npm test; rm x", "make check"])
    expect([command, asked(command)]).not.toEqual([command, "allow"]);
  expect(staticLists(allow).exact).toContain("npm test");
  expect(staticLists(allow).exact).not.toContain("make check | tee out");
  expect(staticLists(allow).verbs).toEqual(staticLists(allowedCommands("bloom")).verbs);
});

it.each([
  "git log --output=/home/ada/.bashrc",
  "git log --outp=x",
  "git diff --output=x",
  "git diff --no-index /etc/passwd /dev/null",
  "git diff /etc/passwd /etc/group",
  "git diff --ext-diff",
  "git log --textconv",
  "git commit -F /home/ada/.ssh/id_ed25519",
  "git commit --file=x",
  "git commit -qF x",
  "git commit --template=x",
  "git commit -t x",
  "git commit -m x --no-verify",
  "git commit -C HEAD",
  "git add --pathspec-from-file=/etc/passwd",
  "git add ../secret",
  "git add out/secret",
  "git -c core.pager=x log",
  "git --git-dir=/x log",
  "git -C / log",
  "git log --exec-path=/x",
  "git log -O/x",
  'git log "--output=x"',
  "git log '--out'put=x",
  "git log; rm x",
  'git commit -m "$(cat x)"',
  'git commit -m "unended',
  "git push",
  "git",
  "bloom approve T1",
])("refuses %s", (command) => {
  promise("agents.listed-commands", "permission.listed");
  expect(runs(command)).toBe("refuse");
});

it.each([
  "git status",
  "git status --porcelain=v2 -sb",
  "git add -A",
  "git add src/new.ts",
  "git commit -am 'Do it; and (more)'",
  'git commit -qm "Do it, at /any/place"',
  "git commit --message=done --amend --no-edit",
  "git diff --stat main..HEAD -- src",
  "git diff -U3 --cached",
  "git log --oneline -5",
  "git log -n 5 --format=%H in",
  "bloom step done T1.s1",
])("allows %s", (command) => {
  promise("agents.listed-commands");
  expect(runs(command)).toBe("allow");
});

it.each([
  "../secret",
  "out/secret",
  "out/new/file",
  "dangling",
  "dangling/file",
  "about/file",
  `src/${"x".repeat(300)}`,
  ".git/config",
  "src/.GIT/hooks/x",
  "/etc/passwd",
])("refuses an edit of %s", (path) => {
  promise("agents.listed-commands");
  expect(edits(path)).toBe("refuse");
});

it.each(["src/a", "new/folder/file", "in/file", ".gitignore"])("allows an edit of %s", (path) => {
  expect(edits(path)).toBe("allow");
});
