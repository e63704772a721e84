/** Files of other tools, by every reader, and what an import would write of them. */
import { attempt } from "../../../src/core/attempt.ts";
import { PawlError } from "../../../src/core/error.ts";
import { planImport } from "../../../src/import/plan.ts";
import { readAs } from "../../../src/import/readers.ts";
import { FORMATS } from "../../../src/import/source.ts";
import { editTasks } from "../../../src/tasks-file/edit.ts";
import { parseTasks } from "../../../src/tasks-file/parse.ts";
import type { Target } from "../target.ts";

const PATH = "specs/a/tasks.md";

export const imports: Target = {
  name: "imports",
  seeds: [
    '{"master":{"tasks":[{"id":1,"title":"a","dependencies":["1.2"],"subtasks":[{"id":2,"title":"b","status":"done"}]}]}}',
    "## Phase 1\n- [x] T001 [P] a\n  - more\n- [ ] 1.1 b (SKIPPED: c)\n```\n- [ ] d\n```\n- [~] 2. e\n  _Requirements: 1.1_\n",
    "---\nid: task-1\ntitle: A: b\ndependencies:\n  - task-2\n---\n## Acceptance Criteria\n- [ ] #1 x\n",
    '{"id":"bd-1.2","title":"a","status":"open","dependencies":[{"depends_on_id":"bd-1","type":"blocks"}]}\n',
    '[{"number":1,"title":"a","state":"closed","html_url":"https://github.com/a/b/issues/1","body":"Depends on #2"}][]',
    'ID;Title;Labels;Labels\n007;"a\nb";x;y\n',
  ],
  run(bytes) {
    const text = Buffer.from(bytes).toString("utf8");
    for (const format of FORMATS) {
      const read = attempt(() => readAs(format, [{ path: PATH, text }]), null);
      if (read === null) continue;
      const { edits } = planImport([], read, { format });
      if (edits.length === 0) continue;
      const parsed = parseTasks(editTasks("", edits));
      if (!parsed.ok)
        throw new Error(`${format} makes a tasks.yaml that is not valid: ${parsed.problems[0]?.message}`);
      const again = planImport(parsed.file.tasks, read, { format });
      const changed = again.rows.find(({ change }) => change !== "unchanged");
      if (changed) throw new Error(`${format}: ${changed.id} is ${changed.change} the second time`);
    }
    // What a reader throws besides its refusals is found by reading once more without a net.
    for (const format of FORMATS)
      try {
        readAs(format, [{ path: PATH, text }]);
      } catch (thrown) {
        if (!(thrown instanceof PawlError)) throw thrown;
      }
  },
};
