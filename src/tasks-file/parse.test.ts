import { describe, expect, it } from "vitest";
import { parseTasks } from "./parse.ts";
import { renderProblem } from "./problem.ts";

const problems = (text: string) => {
  const parsed = parseTasks(text);
  return parsed.ok ? [] : parsed.problems.map((problem) => renderProblem("tasks.yaml", problem));
};

const task = (rest: string, id = "T1") =>
  `tasks:\n- id: ${id}\n  title: A\n${rest.replace(/^(?=.)/gm, "  ")}`;

describe("tasks.yaml", () => {
  it("gives every key its default and keeps unknown keys", () => {
    const parsed = parseTasks(
      "mine: 1\ntasks:\n- {id: T1, title: A, theirs: [x], steps: [{id: s1, instruction: do}]}\n",
    );
    expect(parsed).toMatchObject({
      ok: true,
      file: {
        mine: 1,
        git: { push_to_remote: false, auto_cleanup_merged: false },
        tasks: [
          {
            id: "T1",
            status: "todo",
            depends_on: [],
            acceptance_criteria: [],
            subtasks: [],
            ai_notes: [],
            theirs: ["x"],
            steps: [{ id: "s1", status: "pending", acceptance_criteria: [] }],
          },
        ],
      },
    });
  });

  it("takes a criterion as a text, or as a text with its check", () => {
    const parsed = parseTasks(task("acceptance_criteria: [one, {text: two, check: npm test}]\n"));
    expect(parsed).toMatchObject({
      file: { tasks: [{ acceptance_criteria: ["one", { text: "two", check: "npm test" }] }] },
    });
  });

  it("takes a key without a value as absent", () => {
    expect(problems(task("status:\nsteps:\nbudget:\nai_notes: ~\n"))).toEqual([]);
  });

  it.each([
    ["", "tasks.yaml:1:1: tasks: expected a list, found nothing."],
    ["tasks:\n- just text\n", 'tasks.yaml:2:3: tasks[0]: expected a mapping, found "just text".'],
    ["tasks: [\n", "tasks.yaml:2:1: This is not valid YAML:"],
    ["tasks: []\n---\ntasks: []\n", "tasks.yaml:2:1: This is not valid YAML: a second document begins"],
    ["tasks: []\ntasks: []\n", "tasks.yaml:2:1: This is not valid YAML: Map keys must be unique"],
    [task("status: finished\n"), "tasks.yaml:4:11: T1 status: expected one of todo,"],
    [
      task("", "7"),
      'tasks.yaml:2:7: 7 id: expected a string, found the number 7. Put quotes around it: "7".',
    ],
    [task("", '"../x"'), "tasks.yaml:2:7: ../x id: expected an id of 1 to 100"],
    [task("phase: 0\n"), "tasks.yaml:4:10: T1 phase: expected a number above 0, found the number 0."],
    [task("phase: 1.5\n"), "tasks.yaml:4:10: T1 phase: expected a whole number, found the number 1.5."],
    [
      task("acceptance_criteria:\n- fine\n- {text: It works, chek: npm test}\n"),
      "tasks.yaml:6:5: T1 acceptance_criteria[1]: expected a text, or `text` and `check`, each a non-empty string, found a mapping",
    ],
    [
      task('acceptance_criteria: [{text: It works, check: ""}]\n'),
      'tasks.yaml:4:49: T1 check: expected a non-empty string, found "".',
    ],
    [task('acceptance_criteria: [""]\n'), "T1 acceptance_criteria[0]: expected a"],
    [
      task("verify: npm test\n"),
      'T1 verify: expected a list, found "npm test". Write a list: `verify: ["npm test"]`.',
    ],
    [
      task("steps:\n- id: s1\n"),
      "tasks.yaml:5:5: s1 instruction: expected a string, found nothing. Add `instruction`.",
    ],
    [task("budget: {usd: -1}\n"), "tasks.yaml:4:17: T1 usd: expected a number above 0"],
    [task("depends_on: [T9]\n"), "tasks.yaml:4:16: T1 depends on T9, which is nowhere in the file"],
    [
      task("depends_on: [s1]\nsteps: [{id: s1, instruction: x}]\n"),
      "T1 depends on s1, which is a step of T1",
    ],
    [
      task("steps: [{id: T1, instruction: x}]\n"),
      "tasks.yaml:4:16: The id T1 is used twice: it stands in line 2 already",
    ],
    [task("depends_on: [T1]\n"), "tasks.yaml:4:15: No order of work exists: T1 waits for T1."],
    [task("branch: x\n"), "tasks.yaml:4:11: T1 has branch but no repo."],
    [task("base_branch: x\n"), "T1 has base_branch but no repo."],
    [task("merge_into: x\n"), "T1 has merge_into but no repo."],
    [task("open_pr: true\n"), "T1 has open_pr but no repo."],
    [task("repo: .\nopen_pr: true\n"), "tasks.yaml:5:12: T1 opens a pull request, but nothing is pushed."],
    [
      `git: {push_to_remote: true}\n${task("repo: .\nopen_pr: true\ncheckpoint: true\n")}`,
      "T1 is a checkpoint and opens a pull request",
    ],
    [task("repo: ../other\n"), 'T1 repo: "../other" cannot be used: it has the segment ".."'],
    [task("repo: /abs\n"), 'T1 repo: "/abs" cannot be used: it is absolute'],
    [task("repo: .\nbranch: -x\n"), 'T1 branch: "-x" is no branch name: it begins with -'],
    [task("repo: .\nbranch: a b\n"), 'T1 branch: "a b" is no branch name'],
    [task("repo: .\nbranch: main\nmerge_into: main\n"), "T1 would be merged into its own branch main."],
  ])("refuses %j with its place, what was expected and what was found", (text, expected) => {
    expect(problems(text)[0]).toContain(expected);
  });

  it("names every problem at once, in the order of the file", () => {
    const text = "tasks:\n- id: T1\n  title: A\n  status: dne\n  depends_on: [T9]\n- id: T1\n  phase: x\n";
    expect(problems(text).map((line) => line.split(": ")[0])).toEqual([
      "tasks.yaml:4:11",
      "tasks.yaml:5:16",
      "tasks.yaml:6:3",
      "tasks.yaml:6:7",
      "tasks.yaml:7:10",
    ]);
  });

  it("refuses a branch whose name is a folder of another's in the same repository only", () => {
    const two = (repo: string) =>
      `tasks:\n- {id: T1, title: A, repo: api, branch: feat}\n- {id: T2, title: B, repo: ${repo}, branch: feat/x}\n`;
    expect(problems(two("api"))).toEqual([
      expect.stringContaining("The branch feat/x of T2 cannot exist beside the branch feat of T1"),
    ]);
    expect(problems(two("web"))).toEqual([]);
  });

  it.each([
    [
      "through several tasks",
      "- {id: A, title: a, depends_on: [B]}\n- {id: B, title: b, depends_on: [C]}\n- {id: C, title: c, depends_on: [A]}",
      "A waits for B waits for C waits for A",
    ],
    [
      "of a parent that depends on its own subtask",
      "- {id: P, title: p, depends_on: [S], subtasks: [{id: S, title: s}]}",
      "P waits for S waits for P",
    ],
    [
      "of a subtask that depends on its parent",
      "- {id: P, title: p, subtasks: [{id: S, title: s, depends_on: [P]}]}",
      "P waits for S waits for P",
    ],
    [
      "of an earlier phase on a later one",
      "- {id: A, title: a, phase: 1, depends_on: [B]}\n- {id: B, title: b, phase: 2}",
      "A waits for B waits for phase 1 waits for A",
    ],
  ])("refuses a circle %s", (_, tasks, circle) => {
    expect(problems(`tasks:\n${tasks}\n`).join("\n")).toContain(circle);
  });

  it("follows a chain of three thousand dependencies", () => {
    const tasks = Array.from({ length: 3_000 }, (_, n) => ({
      id: `T${n}`,
      title: "t",
      depends_on: n === 0 ? [] : [`T${n - 1}`],
    }));
    expect(problems(JSON.stringify({ tasks: tasks.reverse() }))).toEqual([]);
  });
});
