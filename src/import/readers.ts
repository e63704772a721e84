/**
 * The formats as a table: the reader of each, and the paths and contents by which its files are recognized.
 */
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { type Fields, isObject } from "../core/json.ts";
import { parseFrontMatter } from "../core/text/front-matter.ts";
import { readBacklogMd } from "./backlog-md.ts";
import { readKiro, readOpenSpec, readSpecKit } from "./checklists.ts";
import { readGitHub, readGitLab } from "./forge-issues.ts";
import { readBeads } from "./formats/beads.ts";
import { readBmad } from "./formats/bmad.ts";
import { readClaudeTasks, readGhProject, readTrello } from "./formats/boards.ts";
import { readCcpm } from "./formats/ccpm.ts";
import { readCsv } from "./formats/csv.ts";
import { readGsd } from "./formats/gsd.ts";
import { isExecPlan, readAgentOs, readConductor, readExecPlans } from "./formats/plans.ts";
import { readTaskMaster, taskListKind } from "./formats/task-master.ts";
import { isVibeKanbanTable, readVibeKanban } from "./formats/vibe-kanban.ts";
import { parseMany, recordsIn } from "./json.ts";
import { readMarkdown } from "./markdown.ts";
import { hiddenBoxes } from "./outline.ts";
import { FORMATS, type Format, otherFormatError, type Read, type Reader, type SourceFile } from "./source.ts";
import { plain } from "./words.ts";

/** A single file, with the data to recognize its format. */
interface Sample extends SourceFile {
  /** The values of its JSON; empty if it is not JSON. */
  readonly values: readonly unknown[];
  /** The first record with a title. */
  readonly first: Fields;
  /** The front matter's lines. */
  readonly front: string;
}

interface FormatSpec {
  readonly read: Reader;
  /** A folder with a file that matches has this format. */
  readonly marks?: RegExp;
  /** The files to read; absent: those that mark the format. */
  readonly files?: RegExp;
  /** The files to read in a folder whose paths show no format. */
  readonly ending?: RegExp;
  /** Whether a single file has this format. */
  readonly fits?: (file: Sample) => boolean;
}

const isMarkdown = ({ path }: SourceFile) => /\.(?:md|markdown)$/i.test(path);
const isTable = ({ path, values }: Sample) => /\.(?:csv|tsv)$/i.test(path) && values.length === 0;
const isTask = ({ values }: Sample, kind: string) => taskListKind(values[0]) === kind;
const has = (fields: Fields, ...names: readonly string[]) => names.some((name) => name in fields);
const hasTaskIds = ({ text }: SourceFile) => /^[ \t]*[-*] \[.\] [*`]{0,4}T\d{3}\b/m.test(text);
const FORGE = ["html_url", "repository_url", "pull_request", "body", "stateReason", "number"];

const SPECS: Readonly<Record<Format, FormatSpec>> = {
  conductor: {
    read: readConductor,
    marks: /(?:^|\/)conductor\/(?:tracks|archive)\/[^/]+\/plan\.md$/,
    files: /(?:^|\/)conductor\/(?:tracks\.md|(?:tracks|archive)\/[^/]+\/(?:.*\.md|metadata\.json))$/,
  },
  "agent-os": {
    read: readAgentOs,
    marks: /(?:^|\/)\.?agent-os\/specs\/.*tasks\.md$/,
    files: /(?:^|\/)\.?agent-os\/specs\/.*\.md$/,
  },
  "exec-plan": { read: readExecPlans, fits: (file) => isMarkdown(file) && isExecPlan(file) },
  gsd: { read: readGsd, marks: /(?:^|\/)\.planning\/ROADMAP\.md$/ },
  bmad: {
    read: readBmad,
    marks: /(?:^|\/)sprint-status\.ya?ml$/,
    files: /(?:^|\/)(?:sprint-status\.ya?ml|\d+-\d+[^/]*\.md)$/,
  },
  ccpm: {
    read: readCcpm,
    marks: /(?:^|\/)\.claude\/epics\/.*epic\.md$/,
    files: /(?:^|\/)\.claude\/epics\/(?:[^/]+\/){1,2}[^/]+\.md$/,
  },
  "claude-tasks": {
    read: readClaudeTasks,
    marks: /(?:^|\/)\.claude\/(?:tasks|todos)\/.*\.json$/,
    ending: /\.json$/,
    fits: ({ values: [data] }) => isObject(data) && has(data, "subject") && has(data, "blockedBy", "blocks"),
  },
  trello: {
    read: readTrello,
    ending: /\.json$/,
    fits: ({ values: [data] }) => isObject(data) && Array.isArray(data.cards) && Array.isArray(data.lists),
  },
  "gh-project": {
    read: readGhProject,
    ending: /\.json$/,
    fits: ({ values: [data] }) =>
      isObject(data) &&
      Array.isArray(data.items) &&
      data.items.some((each) => isObject(each) && "content" in each),
  },
  openspec: {
    read: readOpenSpec,
    marks: /(?:^|\/)changes\/(?:.*\/)?tasks\.md$/,
    files: /(?:^|\/)changes\/.*\.md$/,
  },
  kiro: {
    read: readKiro,
    marks: /(?:^|\/)\.kiro\/specs\/.*tasks\.md$/,
    files: /(?:^|\/)\.kiro\/specs\/.*\.md$/,
  },
  "spec-kit": {
    read: readSpecKit,
    marks: /^(?!.*(?:\.kiro|openspec|agent-os)\/)(?:.*\/)?specs\/(?:[^/]+\/)*tasks\.md$/,
    files: /^(?!.*(?:\.kiro|openspec|agent-os)\/)(?:.*\/)?specs\/.*\.md$/,
    fits: (file) => isMarkdown(file) && hasTaskIds(file),
  },
  "backlog-md": {
    read: readBacklogMd,
    marks: /(?:^|\/)backlog\/(?:.*\/)?[^/]*-\d[^/]*\.md$/,
    files: /(?:^|\/)backlog\/(?:tasks|completed|drafts|archive)\/.*\.md$/,
    fits: (file) => isMarkdown(file) && /^id: *[a-z]+-\d/im.test(file.front),
  },
  beads: {
    read: readBeads,
    marks: /(?:^|\/)\.beads\/[^/]*\.jsonl$/,
    ending: /\.jsonl$/,
    // GitLab's export has an `issue_type`, too.
    fits: ({ path, text }) =>
      /\.(?:jsonl|ndjson)$/i.test(path) &&
      /"issue_type"|"depends_on_id"/.test(text.slice(0, 100_000)) &&
      !/"iid"\s{0,10}:/.test(text.slice(0, 100_000)),
  },
  "task-master": {
    read: readTaskMaster,
    marks: /(?:^|\/)(?:\.taskmaster\/)?tasks\/tasks\.json$/,
    ending: /\.json$/,
    fits: (file) =>
      isTask(file, "task-master") && !has(file.first, ...FORGE, "iid", "web_url", "project_id", "content"),
  },
  ralph: {
    read: readTaskMaster,
    marks: /(?:^|\/)prd\.json$/,
    ending: /\.json$/,
    fits: (file) => isTask(file, "ralph"),
  },
  "feature-list": {
    read: readTaskMaster,
    marks: /(?:^|\/)feature[_-]list\.json$/,
    ending: /\.json$/,
    fits: (file) => isTask(file, "feature-list"),
  },
  gitlab: {
    read: readGitLab,
    marks: /(?:^|\/)tree\/project\/issues\.ndjson$/,
    ending: /\.(?:jsonl?|ndjson)$/,
    fits: ({ first }) => has(first, "iid", "web_url"),
  },
  github: {
    read: readGitHub,
    ending: /\.(?:jsonl?|ndjson)$/,
    fits: ({ first }) =>
      has(first, ...FORGE) && !has(first, "iid", "web_url", "subtasks", "testStrategy", "content"),
  },
  "vibe-kanban": {
    read: readVibeKanban,
    ending: /(?:\.json|(?:^|\/)issues\.csv)$/,
    fits: (file) =>
      isVibeKanbanTable(file) ||
      (has(file.first, "project_id") &&
        has(file.first, "status", "status_id") &&
        !has(file.first, "iid", "subtasks")),
  },
  csv: {
    read: readCsv,
    ending: /\.(?:csv|tsv)$/,
    fits: (file) => isTable(file) && !isVibeKanbanTable(file),
  },
  markdown: { read: readMarkdown, ending: /\.md$/ },
};

/** The files, among those found, that the format is read from. */
export function filesOf(format: Format, files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length === 1) return files;
  const { ending = /\.md$/, marks, files: ownMarks = marks } = SPECS[format];
  const whole = ownMarks ? files.filter(({ path }) => ownMarks.test(path)) : [];
  if (whole.length > 0) return whole;
  // If a deeper folder was named, its relative paths may not show the format.
  const fitting = ownMarks === undefined ? fittingFiles(format, files) : [];
  return fitting.length > 0 ? fitting : files.filter(({ path }) => ending.test(path));
}

/** Says how many files of a folder are not read, unless a tool's layout says which it has. */
export function remarksOnFolder(
  format: Format,
  all: readonly SourceFile[],
  sources: readonly SourceFile[],
): readonly string[] {
  const left = SPECS[format].marks === undefined ? all.filter((file) => !sources.includes(file)) : [];
  const names = left.slice(0, 5).map(({ path }) => path);
  if (left.length === 0) return [];
  return [
    `${left.length} files do not look like ${format}: left out (${names.join(", ")}${left.length > 5 ? ", …" : ""}).`,
  ];
}

/** The format of the files. Throws `import-format` if it is ambiguous. */
export function detect(files: readonly SourceFile[], path: string): Format {
  const formats = Object.entries(SPECS) as [Format, FormatSpec][];
  const matching = formats.filter(([, { marks }]) => marks && files.some((each) => marks.test(each.path)));
  const names = matching.map(([format]) => format);
  if (matching.length > 1 && files.length > 1)
    throw uncertainFormatError(path, `files of ${names.join(" and ")}`);
  if (names[0] !== undefined && matching.length === 1) return names[0];
  if (files.length === 1) return detectOne(sampleOf(files[0] as SourceFile));
  // The other tables of its export are no tasks.
  if (files.some(isVibeKanbanTable)) return "vibe-kanban";
  const fitting = FORMATS.filter((format) => fittingFiles(format, files).length > 0);
  if (fitting[0] !== undefined && fitting.length === 1) return fitting[0];
  const saw =
    files.length === 0
      ? "no file that could hold tasks"
      : `${files.length} files of ${fitting.length > 1 ? `several formats (${fitting.join(", ")})` : "no known layout"}`;
  throw uncertainFormatError(path, saw);
}

/** Files whose content shows the format, in a folder whose paths show none. */
function fittingFiles(format: Format, files: readonly SourceFile[]): readonly SourceFile[] {
  const { ending = /\.md$/, fits } = SPECS[format];
  if (!fits) return [];
  return files.filter(
    (file) => ending.test(file.path) && (attempt(() => fits(sampleOf(file)), false) ?? false),
  );
}

function detectOne(file: Sample): Format {
  const names = FORMATS.filter((format) => SPECS[format].fits?.(file));
  const [first] = names;
  if (first !== undefined && names.length === 1) return first;
  if (names.length > 1) throw uncertainFormatError(file.path, `what ${names.join(" and ")} have`);
  if (isMarkdown(file)) return "markdown";
  const keys = file.values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])).slice(0, 8);
  if (file.values.length === 0)
    throw (
      otherFormatError(file.path) ?? uncertainFormatError(file.path, "a name that says nothing of its format")
    );
  throw uncertainFormatError(
    file.path,
    `JSON of no known tool${keys.length > 0 ? ` (${keys.join(", ")})` : ""}`,
  );
}

function sampleOf(file: SourceFile): Sample {
  const { path, text } = file;
  // Some tools name a JSON list after the table that they make from it.
  const isJson = /\.(?:jsonl?|ndjson)$/i.test(path) || /^\s{0,100}\[\s{0,100}\{/.test(text);
  const values = isJson ? parseMany(path, text) : [];
  const first = attempt(() => (isJson ? recordsIn(file, [])[0] : undefined), undefined) ?? {};
  return { ...file, values, first, front: parseFrontMatter(plain(text.slice(0, 8_000)))?.front ?? "" };
}

function uncertainFormatError(path: string, found: string): PawlError {
  return new PawlError(
    "import-format",
    `The format of ${path} is not certain: found ${found}.`,
    `Name it: \`pawl import --format NAME ${path}\`, with one of ${FORMATS.join(", ")}.`,
  );
}

/** Whether a file of that path may contain tasks: in a named folder, only these are read. */
export function mayHoldTasks(path: string): boolean {
  return (
    Object.values(SPECS).some(({ files, marks }) => (files ?? marks)?.test(path)) ||
    /\.(?:md|jsonl?|ndjson|csv|tsv)$/i.test(path)
  );
}

/** Reads the tasks of files. Remarks name what could not be kept byte for byte. Throws `import-invalid`. */
export function readAs(format: Format, files: readonly SourceFile[]): Read {
  const read = SPECS[format].read(files);
  const changed = files.filter(({ text }) => isRewritten(text));
  const remarks = changed.map(
    ({ path }) => `${path}: line ends are written as \\n here, and control characters are left out.`,
  );
  const hidden = files.filter(isMarkdown).flatMap(({ path, text }) => {
    const hidden = hiddenBoxes(text);
    if (hidden === null) return [];
    return [
      `${path}:${hidden.line}: code or a comment begins here that has no end, so ${hidden.boxes === 1 ? "the box below is" : `the ${hidden.boxes} boxes below are`} text.`,
    ];
  });
  return { ...read, remarks: [...read.remarks, ...remarks, ...hidden] };
}

/** Whether the text had characters that are not kept. In JSON, these are written as escapes. */
function isRewritten(text: string): boolean {
  const bare = text.replace(/^\uFEFF/, "");
  if (bare !== plain(bare)) return true;
  if (!/^\s{0,100}[[{]/.test(bare)) return false;
  for (const [, sign = ""] of bare.matchAll(/\\(u[\da-f]{4}|[^u])/gi)) if (REWRITTEN.test(sign)) return true;
  return false;
}

const REWRITTEN = /^(?:r|u(?:00(?:0[0-8b-f]|1[0-9a-f]|7f|[89][0-9a-f])|feff|202[89]))$/i;
