/**
 * An import as Alfred's task files. Omits tasks that are closed in the source, because Alfred's gates decide
 * what is done. At the end of its last section, each file has its source, and a fingerprint of what the
 * import wrote.
 */

import { hashOf } from "../core/hash.ts";
import { openIds } from "../core/id.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Change, View } from "../core/ports/store.ts";
import { oneLine } from "../core/text/lines.ts";
import type { Reply, Transaction } from "../runtime/module.ts";
import { isOpenStatus } from "../tasks-file/task.ts";
import { TASKS, taskPath } from "../workflows/alfred/state/paths.ts";
import { parseTask } from "../workflows/alfred/state/task-file.ts";
import { addWords, loadWords, type Words } from "./kept-statuses.ts";
import { type Imported, matchSources } from "./match.ts";
import type { ImportRow } from "./plan.ts";
import type { Format, SourceTask } from "./source.ts";
import { settleStates } from "./states.ts";
import { paragraphs } from "./words.ts";
import { type ImportInput, imported } from "./write.ts";

interface ImportedFile extends Imported {
  readonly id: string;
  readonly text: string;
}

interface LoadedImport {
  readonly files: readonly ImportedFile[];
  readonly ids: ReadonlySet<string>;
  readonly kept: Words;
}

export const importIntoAlfred: Transaction<ImportInput, LoadedImport, undefined, Reply> = {
  run: ({ dryRun }) => (dryRun ? null : "alfred:tasks"),
  read: readFiles,
  propose(loaded, _, { dryRun, format, read: raw, words = {} }, context) {
    const text = addWords(loaded.kept, words);
    const read = settleStates(raw, text.statuses);
    const open = read.tasks.filter(({ status }) => isOpenStatus(status));
    const left = read.tasks.length - open.length;
    const remarks = [
      ...read.remarks,
      ...(left > 0
        ? [`${left} are done or cancelled in the source: left out, since Alfred's gates decide what is done.`]
        : []),
    ];
    const { changes, rows } = filesFor(loaded, open, format, remarks);
    const reply = { text: "", data: { format, into: TASKS, rows, remarks } };
    return imported(reply, dryRun ? [] : [...changes, ...text.changes], context);
  },
};

const TITLE = /^## Title\n\n(.+)$/m;
const SOURCE = /^Source: (\S.*?) \(([0-9a-f]{16})\)$/m;

async function readFiles(view: View): Promise<LoadedImport> {
  const files: ImportedFile[] = [];
  const ids = new Set<string>();
  for (const { kind, name } of await view.list(TASKS)) {
    if (kind !== "file" || !name.endsWith(".md")) continue;
    const id = name.slice(0, -".md".length);
    ids.add(id);
    const text = await view.read(`${TASKS}/${name}` as ProjectPath);
    const source = SOURCE.exec(text ?? "")?.[1];
    if (text === null || source === undefined) continue;
    files.push({ source, id, text, title: TITLE.exec(text)?.[1] ?? "" });
  }
  return { files, ids, kept: await loadWords(view) };
}

function filesFor(
  loaded: LoadedImport,
  tasks: readonly SourceTask[],
  format: Format,
  remarks: string[],
): { readonly changes: readonly Change[]; readonly rows: readonly ImportRow[] } {
  const openId = openIds(new Set(loaded.ids));
  const files = matchSources(tasks, (key) => `${format}:${key}`, loaded.files);
  const idOf = new Map(
    tasks.map(({ id, key }) => [key, files.get(`${format}:${key}`)?.id ?? openId(id)] as const),
  );
  const changes: Change[] = [];
  const rows: ImportRow[] = [];
  let outside = 0;
  for (const task of tasks) {
    const source = `${format}:${task.key}`;
    const id = idOf.get(task.key) as string;
    const dependsOn = [
      ...new Set(task.dependsOn.flatMap(({ key }) => (key !== task.key && idOf.get(key)) || [])),
    ];
    const lost = task.dependsOn
      .filter(({ key }) => !idOf.has(key) || key === task.key)
      .map(({ text }) => text);
    outside += lost.length;
    const text = render(task, { id, source, dependsOn, lost });
    const before = files.get(source)?.text ?? null;
    const isOurs = before === null || fingerprint(before) === SOURCE.exec(before)?.[2];
    const change = before === null ? "new" : before === text ? "unchanged" : isOurs ? "updated" : "unchanged";
    if (change !== "unchanged") changes.push({ type: "write", path: taskPath(id), text });
    const kept = before !== null && before !== text && !isOurs ? ["the file"] : [];
    rows.push({
      id,
      source,
      title: task.title,
      status: task.status,
      steps: task.steps.length,
      dependsOn,
      change,
      kept,
    });
  }
  if (outside > 0)
    remarks.push(
      `${outside} dependencies lead to what is closed or not in the source, and are kept as text.`,
    );
  return { changes, rows };
}

/** The fingerprint of the file without the fingerprint's own line. */
function fingerprint(text: string): string {
  return hashOf(text.replace(SOURCE, "")).slice(0, 16);
}

interface Placed {
  readonly id: string;
  readonly source: string;
  readonly dependsOn: readonly string[];
  readonly lost: readonly string[];
}

function render(task: SourceTask, { dependsOn, id, lost, source }: Placed): string {
  const steps = task.steps.map(
    ({ status, text, title }) => `- [${status === "done" ? "x" : " "}] ${oneLine(paragraphs(title, text))}`,
  );
  const notes = [
    ...task.notes,
    ...lost.map((each) => `It depends on ${each}, which is closed or not in the source`),
  ];
  const criteria = task.criteria.length > 0 ? task.criteria : [`${task.title}: done as described`];
  const section = (heading: string, text: string) => `## ${heading}\n\n${text}\n`;
  const body = [
    `# TASK: ${id}\n`,
    section("Title", oneLine(task.title)),
    section("Context", lowerHeadings(task.text) || oneLine(task.title)),
    section("Implementation Details", steps.length > 0 ? steps.join("\n") : "As described above."),
    section("Acceptance Criteria", criteria.map((each) => `- ${oneLine(each)}`).join("\n")),
    ...(notes.length > 0 ? [section("Dev Notes", notes.map((each) => `- ${oneLine(each)}`).join("\n"))] : []),
    ...(dependsOn.length > 0
      ? [section("Dependencies", dependsOn.map((each) => `- ${each}`).join("\n"))]
      : []),
  ].join("\n");
  const unsigned = `${body}\n## Source\n\n\n`;
  const text = `${body}\n## Source\n\nSource: ${source} (${hashOf(unsigned).slice(0, 16)})\n`;
  // A text that the grammar rejects is quoted as a whole.
  try {
    parseTask(text, id);
    return text;
  } catch {
    return task.text === ""
      ? text
      : render({ ...task, text: quoted(task.text) }, { dependsOn, id, lost, source });
  }
}

/** Lowers the source's headings, which would otherwise be sections of the file. */
function lowerHeadings(text: string): string {
  return text.replace(/^(#{1,2})(?=[ \t])/gm, "###").trim();
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
