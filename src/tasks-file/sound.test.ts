import { describe, expect, it } from "vitest";
import type { Parts } from "./parts.ts";
import { readTasks } from "./read.ts";

const FILE = `tasks:
- id: A
  title: a
- id: B
  title: b
  repo: .
  branch: feature
  steps:
  - {id: b1, instruction: do}
  subtasks:
  - {id: C, title: c, depends_on: [A]}
`;

function read(text: string, known: Parts | null) {
  const result = readTasks(text, known);
  return result.ok ? result.parts : result.problems.map(({ message }) => message).join("\n");
}

const known = read(FILE, null) as Parts;

describe("A file of which an earlier version is known to be sound", () => {
  it.each([
    ["an id", "- id: A", "- id: B", "is used twice"],
    ["a step's id", "id: b1", "id: A", "is used twice"],
    ["a subtask's id", "id: C,", "id: B,", "is used twice"],
    ["a dependency", "depends_on: [A]", "depends_on: [X]", "depends on X"],
    ["a new dependency", "  title: a\n", "  title: a\n  depends_on: [B]\n", "No order of work"],
    ["a circle", "  title: a\n", "  title: a\n  depends_on: [C]\n", "No order of work"],
    ["a phase", "  title: a\n", "  title: a\n  phase: 2\n", ""],
    ["a later phase than what waits for it", "title: b\n", "title: b\n  phase: 1\n", ""],
    ["a repository", "  repo: .\n", "", "has branch but no repo"],
    ["a path outside", "repo: .", "repo: ../x", "cannot be used"],
    ["a branch", "branch: feature", "branch: -x", "is no branch name"],
    ["a base branch", "branch: feature", "branch: feature\n  base_branch: -x", "is no branch name"],
    ["a target", "branch: feature", "branch: feature\n  merge_into: feature", "its own branch"],
    [
      "a branch beside a branch",
      "  title: a\n",
      "  title: a\n  repo: .\n  branch: feature/x\n",
      "cannot exist beside",
    ],
    ["a pull request", "branch: feature", "branch: feature\n  open_pr: true", "nothing is pushed"],
    ["nothing that matters", "title: a", "title: another\n  status: done\n  agent: codex", ""],
  ])("is read as if nothing were known of it: %s", (_, before, after, problem) => {
    const text = FILE.replace(before, after);
    expect(text).not.toBe(FILE);
    const found = read(text, known);
    expect(found).toEqual(read(text, null));
    if (problem === "") expect(found).toHaveProperty("entries");
    else expect(found).toContain(problem);
  });

  it.each([
    [
      "a checkpoint",
      "git: {push_to_remote: true}\ntasks:\n- id: A\n  title: a\n  repo: .\n  open_pr: true\n",
      ["open_pr: true", "open_pr: true\n  checkpoint: true"],
      "is a checkpoint and opens a pull request",
    ],
    [
      "a phase",
      "tasks:\n- id: A\n  title: a\n  phase: 1\n  depends_on: [B]\n- id: B\n  title: b\n  phase: 1\n",
      ["title: b\n  phase: 1", "title: b\n  phase: 2"],
      "No order of work",
    ],
  ] as const)("is, also in %s", (_, file, [before, after], problem) => {
    const text = file.replace(before, after);
    expect(text).not.toBe(file);
    expect(read(text, read(file, null) as Parts)).toContain(problem);
  });
});
