import { parseTasks } from "../../../src/tasks-file/parse.ts";
import type { Target } from "../target.ts";

export const tasksYaml: Target = {
  name: "tasks-yaml",
  seeds: [
    "tasks:\n  - id: T1\n    title: A\n    status: todo\n    depends_on: [T2]\n    steps:\n      - id: s1\n        instruction: |\n          Do it\n    verify: [npm test]\n",
    "version: 1\ngit:\n  push_to_remote: true\ntasks: &x\n  - id: T2\n    title: 'B'\n    acceptance_criteria: [a, {text: b, check: c}]\n    repo: .\n    branch: f/x\n    merge_into: main\n",
  ],
  run: (bytes) => parseTasks(Buffer.from(bytes).toString("utf8")),
};
