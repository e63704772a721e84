/** Files of other tools, by every reader, and what an import would write of them. */
import { attempt } from "../../../src/core/attempt.ts";
import { PawlError } from "../../../src/core/error.ts";
import { planImport } from "../../../src/import/plan.ts";
import { detect, readAs } from "../../../src/import/readers.ts";
import { FORMATS, type Format, type Read } from "../../../src/import/source.ts";
import { openStatuses, settleStates } from "../../../src/import/states.ts";
import { plain } from "../../../src/import/words.ts";
import { editTasks } from "../../../src/tasks-file/edit.ts";
import { parseTasks } from "../../../src/tasks-file/parse.ts";
import type { Target } from "../target.ts";

/** Where the tool has its file, if the reader goes by the path. */
const PATHS: Partial<Record<Format, string>> = {
  conductor: "conductor/tracks/a/plan.md",
  "agent-os": "agent-os/specs/a/tasks.md",
  gsd: ".planning/ROADMAP.md",
  bmad: "docs/sprint-status.yaml",
  ccpm: ".claude/epics/a/epic.md",
  "claude-tasks": ".claude/tasks/a/1.json",
  "backlog-md": "backlog/tasks/task-1 - a.md",
};
const PATH = "specs/a/tasks.md";
const pathOf = (format: Format) => PATHS[format] ?? PATH;

export const imports: Target = {
  name: "imports",
  seeds: [
    '{"master":{"tasks":[{"id":1,"title":"abc","dependencies":["1.2"],"subtasks":[{"id":2,"title":"bcd","status":"done"}]}]}}',
    '{"userStories":[{"id":"US-1","title":"abc","passes":true,"acceptanceCriteria":["one"]}]}',
    '{"features":[{"category":"x","description":"abc","steps":["one"],"passes":false}]}',
    "## Phase 1\n- [x] T001 [P] abc\n  - more\n- [ ] 1.1 bcd (SKIPPED: c)\n```\n- [ ] d\n```\n- [~] 2. cde\n  _Requirements: 1.1_\n",
    "# Abc\n\n## Progress\n\n- [x] (2026-01-01) one\n- [ ] two\n\n## Decision Log\n\n- no\n",
    "## Phases\n\n- [ ] **Phase 1: Abc** - words\n\n### Phase 1: Abc\n\n**Depends on**: Phase 2\n",
    "development_status:\n  epic-1: done\n  1-1-abc: in-progress\n  epic-1-retrospective: optional\n",
    "---\nid: task-1\nname: abc\nstatus: Done\ntitle: A: bcd\ndependencies:\n  - task-2\n---\n## Acceptance Criteria\n- [ ] #1 x\n",
    '{"id":"bd-1.2","title":"abc","status":"open","dependencies":[{"depends_on_id":"bd-1","type":"blocks"}]}\n',
    '{"lists":[{"id":"l","name":"Doing"}],"cards":[{"id":"c","shortLink":"Ab1","name":"abc","desc":"d","idList":"l"}],"checklists":[{"idCard":"c","name":"n","checkItems":[{"name":"i","state":"complete"}]}],"actions":[{"type":"commentCard","data":{"card":{"id":"c"},"text":"t"}}]}',
    '{"items":[{"id":"PVTI_1","status":"Done","title":"abc","parent issue":{"url":"u"},"content":{"type":"Issue","number":1,"url":"u","repository":"a/b"}}]}',
    '{"id":"1","subject":"abc","status":"pending","blocks":["2"],"blockedBy":[]}',
    '[{"number":1,"title":"abc","state":"closed","html_url":"https://github.com/a/b/issues/1","body":"Depends on #2"}][]',
    '[{"iid":1,"title":"abc","state":"locked","web_url":"https://gitlab.com/a/b/-/issues/1","notes":[{"note":"n"}]}]',
    '{"data":[{"id":"x","project_id":"p","title":"abc","status":"todo","parent_task_id":"y"}]}',
    "Issue ID,Title,Description,Status,Priority,Project,Assignee(s),Completed,Parent Issue\nA-1,abc,d,Done,,p,x,,A-2\n",
    'ID;Title;Labels;Labels;Parent;Done;% Complete\n007;"abc\nb";x;y;7;ja;100%\n',
  ],
  run(bytes) {
    const text = Buffer.from(bytes).toString("utf8");
    for (const path of ["a.md", "a.json", "a.csv"]) orRefusal(() => detect([{ path, text }], path));
    for (const format of FORMATS) {
      const path = pathOf(format);
      const read = readOrRefuse(format, path, text);
      if (read === null) continue;
      inventsNothing(format, read, `${path}\n${text}\n${unescaped(text)}`);
      const { edits } = planImport([], read, { format });
      if (edits.length === 0) continue;
      const parsed = parseTasks(editTasks("", edits));
      if (!parsed.ok)
        throw new Error(`${format} makes a tasks.yaml that is not valid: ${parsed.problems[0]?.message}`);
      const again = planImport(parsed.file.tasks, read, { format });
      const changed = again.rows.find(({ change }) => change !== "unchanged");
      if (changed) throw new Error(`${format}: ${changed.id} is ${changed.change} the second time`);
    }
  },
};

const unread = FORMATS.filter(
  (format) => !imports.seeds.some((seed) => readOrRefuse(format, pathOf(format), String(seed))?.tasks.length),
);
if (unread.length > 0) throw new Error(`No seed has a task for ${unread.join(", ")}: add one.`);

function readOrRefuse(format: Format, path: string, text: string): Read | null {
  return orRefusal(() => settleStates(readAs(format, [{ path, text }]), openStatuses({})));
}

function orRefusal<T>(read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof PawlError) return null;
    throw thrown;
  }
}

/** The longest word of each title is one of the source; a task without words is named by its number or line. */
function inventsNothing(format: Format, { tasks }: Read, source: string): void {
  const known = plain(source).toLowerCase();
  for (const { steps, title } of tasks)
    for (const each of [title, ...steps.map((step) => step.title)]) {
      const words = each.toLowerCase().match(/[a-z0-9]+/g) ?? [];
      const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
      if (!known.includes(longest) && !/^(?:Task|Line) /.test(each))
        throw new Error(`${format} invents ${JSON.stringify(each)}`);
    }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|[bfnrt])/gi, (sign, code: string | undefined) =>
    code === undefined ? " " : (attempt(() => JSON.parse(`"${sign}"`) as string, "") ?? ""),
  );
}
