/** The readers by their formats, and which format files have. */
import { PawlError } from "../core/error.ts";
import { readBacklogMd } from "./backlog-md.ts";
import { readBeads } from "./beads.ts";
import { readKiro, readOpenSpec, readSpecKit } from "./checklists.ts";
import { readCsv } from "./csv.ts";
import { readGitHub, readGitLab, recordsIn } from "./forge-issues.ts";
import { readMarkdown } from "./markdown.ts";
import { FORMATS, type Format, type Reader, type SourceFile } from "./source.ts";
import { readTaskMaster } from "./task-master.ts";
import { isVibeKanbanTable, readVibeKanban } from "./vibe-kanban.ts";

export const READERS: Readonly<Record<Format, Reader>> = {
  "task-master": readTaskMaster,
  "spec-kit": readSpecKit,
  openspec: readOpenSpec,
  kiro: readKiro,
  "backlog-md": readBacklogMd,
  beads: readBeads,
  "vibe-kanban": readVibeKanban,
  github: readGitHub,
  gitlab: readGitLab,
  markdown: readMarkdown,
  csv: readCsv,
};

/** Which files of a folder a format has; the first format with any is the folder's. */
const OF_FORMAT: readonly (readonly [Format, RegExp, RegExp])[] = [
  ["openspec", /(?:^|\/)changes\/(?:.*\/)?tasks\.md$/, /(?:^|\/)changes\/.*\.md$/],
  ["kiro", /(?:^|\/)\.kiro\/specs\/.*tasks\.md$/, /(?:^|\/)\.kiro\/specs\/.*\.md$/],
  [
    "spec-kit",
    /^(?!.*(?:\.kiro|openspec)\/)(?:.*\/)?specs\/(?:[^/]+\/)*tasks\.md$/,
    /^(?!.*(?:\.kiro|openspec)\/)(?:.*\/)?specs\/.*\.md$/,
  ],
  [
    "backlog-md",
    /(?:^|\/)backlog\/(?:.*\/)?[^/]*-\d[^/]*\.md$/,
    /(?:^|\/)backlog\/(?:tasks|completed|drafts|archive)\/.*\.md$/,
  ],
  ["gitlab", /(?:^|\/)tree\/project\/issues\.ndjson$/, /(?:^|\/)tree\/project\/issues\.ndjson$/],
  ["beads", /(?:^|\/)\.beads\/[^/]*\.jsonl$/, /(?:^|\/)\.beads\/[^/]*\.jsonl$/],
  [
    "task-master",
    /(?:^|\/)(?:\.taskmaster\/)?tasks\/tasks\.json$/,
    /(?:^|\/)(?:\.taskmaster\/)?tasks\/tasks\.json$/,
  ],
];

/** The files that a format is read from, of those that were found. Throws `import-invalid`. */
export function filesOf(format: Format, files: readonly SourceFile[]): readonly SourceFile[] {
  if (files.length === 1) return files;
  const found = OF_FORMAT.find(([name]) => name === format);
  const whole = found
    ? files.filter(({ path }) => found[2].test(path))
    : files.filter(({ path }) => ENDINGS[format]?.test(path));
  // Named by a folder further below, its paths may not show the format.
  return whole.length > 0 ? whole : files.filter(({ path }) => (ENDINGS[format] ?? /\.md$/).test(path));
}

const ENDINGS: Readonly<Partial<Record<Format, RegExp>>> = {
  beads: /\.jsonl$/,
  "task-master": /\.json$/,
  "vibe-kanban": /(?:\.json|(?:^|\/)issues\.csv)$/,
  github: /\.(?:jsonl?|ndjson)$/,
  gitlab: /\.(?:jsonl?|ndjson)$/,
  csv: /\.(?:csv|tsv)$/,
};

/** Throws `import-format` if it is not certain. */
export function detect(files: readonly SourceFile[], path: string): Format {
  const found = OF_FORMAT.filter(([, pattern]) => files.some((each) => pattern.test(each.path))).map(
    ([format]) => format,
  );
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (found.length > 1) throw uncertain(path, `files of ${found.join(" and ")}`);
  if (files.length === 1) return detectOne(files[0] as SourceFile);
  if (files.some(isVibeKanbanTable)) return "vibe-kanban";
  throw uncertain(
    path,
    files.length === 0 ? "no file that could hold tasks" : `${files.length} files of no known layout`,
  );
}

function detectOne(file: SourceFile): Format {
  const { path, text } = file;
  // Some name a list of JSON after the table that they make of it.
  if (/\.(?:csv|tsv)$/i.test(path) && /^\s{0,100}\[\s{0,100}\{/.test(text)) return jsonFormat(file);
  if (/\.(?:csv|tsv)$/i.test(path)) return isVibeKanbanTable(file) ? "vibe-kanban" : "csv";
  if (/\.(?:jsonl|ndjson)$/i.test(path)) return isBeads(text.slice(0, 100_000)) ? "beads" : jsonFormat(file);
  if (/\.json$/i.test(path)) return jsonFormat(file);
  if (/\.(?:md|markdown)$/i.test(path)) {
    if (/^---\n[\s\S]{0,2000}?^id: *[a-z]+-\d/im.test(text.slice(0, 4_000))) return "backlog-md";
    if (/^[ \t]*[-*] \[.\] [*`]{0,4}T\d{3}\b/m.test(text)) return "spec-kit";
    return "markdown";
  }
  throw uncertain(path, "a name that says nothing of its format");
}

/** GitLab's export has an `issue_type` too. */
function isBeads(start: string): boolean {
  return /"issue_type"|"depends_on_id"/.test(start) && !/"iid"\s{0,10}:/.test(start);
}

function jsonFormat(file: SourceFile): Format {
  const start = file.text.slice(0, 200_000);
  if (/"(?:subtasks|testStrategy|dependencies)"\s{0,10}:/.test(start) && /"title"/.test(start))
    return "task-master";
  const [first] = recordsIn(file);
  if (first) {
    if ("iid" in first || "web_url" in first) return "gitlab";
    const words = ["html_url", "repository_url", "pull_request", "body", "stateReason", "number"];
    if (words.some((each) => each in first)) return "github";
    if ("project_id" in first && "status" in first) return "vibe-kanban";
    if ("id" in first && "status" in first) return "task-master";
  }
  throw uncertain(file.path, "JSON of no known tool");
}

function uncertain(path: string, found: string): PawlError {
  return new PawlError(
    "import-format",
    `The format of ${path} is not certain: found ${found}.`,
    `Name it: \`pawl import --format NAME ${path}\`, with one of ${FORMATS.join(", ")}.`,
  );
}

/** Whether a file of that path may hold tasks: below a folder that was named, only these are read. */
export function mayHoldTasks(path: string): boolean {
  return (
    OF_FORMAT.some(([, , pattern]) => pattern.test(path)) || /\.(?:md|jsonl?|ndjson|csv|tsv)$/i.test(path)
  );
}
