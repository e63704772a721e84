/** Rows of a table: what spreadsheets, Jira, Linear, Asana and others save. */
import { parse } from "csv-parse/sync";
import { type Dependency, invalid, type Read, type SourceFile, type SourceTask } from "./source.ts";
import { idFrom, openKeys, paragraphs, plain, slugOf, statusOf, titled } from "./words.ts";

/** Column names in small letters without other characters, best first. */
const COLUMNS = {
  id: [
    "id",
    "key",
    "issuekey",
    "issueid",
    "idissue",
    "issuenumber",
    "taskid",
    "ticket",
    "ticketid",
    "number",
    "ref",
    "identifier",
    "iid",
    "issue",
    "no",
    "nr",
  ],
  url: ["url", "link", "weburl", "htmlurl", "issueurl"],
  title: ["title", "summary", "name", "taskname", "subject", "task", "titel", "content", "タイトル", "标题"],
  text: ["description", "body", "details", "notes", "desc", "beschreibung", "text", "説明", "描述"],
  status: [
    "status",
    "state",
    "column",
    "columnname",
    "sectioncolumn",
    "list",
    "stage",
    "completed",
    "done",
    "状態",
    "状态",
  ],
  parent: [
    "parent",
    "parentid",
    "parenttask",
    "parentkey",
    "parentissue",
    "epic",
    "epiclink",
    "parentsummary",
  ],
  depends: [
    "dependencies",
    "dependson",
    "dependency",
    "blockedby",
    "isblockedby",
    "predecessors",
    "predecessor",
    "inwardissuelinkblocks",
    "blockedbydependencies",
  ],
  criteria: ["acceptancecriteria", "criteria", "definitionofdone"],
} as const;
type Column = keyof typeof COLUMNS;

/** Where no column has one of the names: `Issue title`, `User story / description`. */
const ENDINGS: Readonly<Partial<Record<Column, RegExp>>> = {
  title: /(?:title|summary)$/,
  text: /description$/,
};

export function readCsv(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const tasks = files.flatMap((file) => tasksIn(file, remarks));
  return { tasks, remarks };
}

interface Row {
  readonly line: number;
  readonly cells: Readonly<Record<Column, string>>;
  /** The columns that no key of a task stands for. */
  readonly others: readonly string[];
}

const MOST_COLUMNS = 500;
const MOST_ROWS = 20_000;

function tasksIn({ path, text }: SourceFile, remarks: string[]): readonly SourceTask[] {
  const [header = [], ...lines] = rowsIn(path, plain(text));
  if (lines.length > MOST_ROWS) throw invalid(path, `at most ${MOST_ROWS} rows`, "more");
  if (header.length > MOST_COLUMNS)
    throw invalid(path, `at most ${MOST_COLUMNS} columns`, String(header.length));
  const places = placesOf(header);
  if (places.title.length === 0 && places.text.length === 0)
    throw invalid(
      path,
      "a first line with a column Title, Summary, Name or Description",
      header.slice(0, 8).join(", ").slice(0, 200) || "an empty one",
    );
  const rows = lines.flatMap((line, at) => {
    const row = rowOf(header, places, line, at + 2);
    return row.cells.title === "" && row.cells.text === "" && row.cells.id === "" ? [] : [row];
  });
  if (rows.length < lines.length)
    remarks.push(`${path}: ${lines.length - rows.length} rows have neither id, title nor text: left out.`);
  return tasksOf(path, rows, remarks);
}

function rowsIn(path: string, text: string): readonly (readonly string[])[] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MOST_ROWS + 2,
      max_record_size: 4_000_000,
    });
  } catch (thrown) {
    throw invalid(path, "CSV", (thrown as Error).message.slice(0, 200));
  }
}

/** The separator that the first line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const counts = new Map([",", ";", "\t", "|"].map((each) => [each, 0]));
  let quoted = false;
  for (const each of text.slice(0, 20_000)) {
    if (each === '"') quoted = !quoted;
    else if (each === "\n" && !quoted) break;
    else if (!quoted && counts.has(each)) counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

type Places = Readonly<Record<Column, readonly number[]>>;

/** Several columns of one name (Jira saves a list that way) are all read. */
function placesOf(header: readonly string[]): Places {
  const bare = header.map((name) =>
    name
      .toLowerCase()
      .slice(0, 80)
      .replace(/[^\p{L}\p{N}]/gu, ""),
  );
  const places = Object.entries(COLUMNS).map(([column, names]) => {
    const ending = ENDINGS[column as Column];
    const name =
      (names as readonly string[]).find((each) => bare.includes(each)) ??
      bare.find((each) => ending?.test(each));
    return [column, name === undefined ? [] : bare.flatMap((each, at) => (each === name ? [at] : []))];
  });
  return Object.fromEntries(places) as unknown as Places;
}

function rowOf(header: readonly string[], places: Places, line: readonly string[], number: number): Row {
  const used = new Set(Object.values(places).flat());
  const cells = Object.fromEntries(
    Object.entries(places).map(([column, at]) => {
      const values = at.map((place) => cellOf(line[place])).filter((each) => each !== "");
      return [column, values.join(column === "text" || column === "criteria" ? "\n" : ", ")];
    }),
  ) as Record<Column, string>;
  const others = new Map<string, string[]>();
  line.forEach((cell, at) => {
    const value = cellOf(cell);
    if (used.has(at) || value === "") return;
    const name = header[at]?.trim() || `Column ${at + 1}`;
    others.set(name, [...(others.get(name) ?? []), value]);
  });
  return {
    line: number,
    cells,
    others: [...others].map(([name, values]) => `${name}: ${values.join(", ")}`.slice(0, 2_000)),
  };
}

/** `=HYPERLINK("address","words")` is its words; any other formula stays the text that it is. */
function cellOf(cell: string | undefined): string {
  const text = cell?.trim() ?? "";
  const [, address = "", words = ""] =
    /^=HYPERLINK\("([^"]{0,2000})"\s{0,5}[,;]\s{0,5}"([^"]{0,2000})"\)$/i.exec(text) ?? [];
  return words || address || text;
}

function tasksOf(path: string, rows: readonly Row[], remarks: string[]): readonly SourceTask[] {
  const unique = openKeys();
  const named = rows.map((row) => {
    const { id, text, title, url } = row.cells;
    const line = title || text || id;
    const heading = titled(line);
    const base = id || url || heading.title;
    const key = unique(base);
    if (key !== base) remarks.push(`${path}:${row.line}: ${base.slice(0, 80)} is there before.`);
    const isOnlyText = title === "" && text !== "";
    return { row, key, title: heading.title, text: paragraphs(heading.rest, isOnlyText ? "" : text) };
  });
  const byName = new Map<string, string>();
  for (const { key, row, title } of named.toReversed())
    for (const name of [title, row.cells.url, row.cells.id])
      if (name !== "") byName.set(name.toLowerCase(), key);
  const find = (word: string) => byName.get(word.trim().toLowerCase());
  return named.map(({ key, row, text, title }) => taskOf(row, { key, title, text }, find));
}

function taskOf(
  { cells, others }: Row,
  named: { readonly key: string; readonly title: string; readonly text: string },
  find: (word: string) => string | undefined,
): SourceTask {
  const word = /^(?:true|yes|x|1)$/i.test(cells.status)
    ? "done"
    : /^(?:false|no|0)$/i.test(cells.status)
      ? ""
      : cells.status;
  const { note, status } = statusOf(word);
  const above = cells.parent === "" ? undefined : find(cells.parent);
  const parent = above === undefined || above === named.key ? null : above;
  return {
    key: named.key,
    id: idFrom(cells.id || lastOf(cells.url) || slugOf(named.title)),
    title: named.title,
    status,
    text: named.text,
    criteria: cells.criteria
      .split("\n")
      .map((each) => each.replace(/^[ \t]*[-*•][ \t]+/, "").trim())
      .filter((each) => each !== ""),
    notes: [
      ...(note ? [note] : []),
      ...(cells.parent !== "" && parent === null
        ? [`Its parent in the source: ${cells.parent.slice(0, 300)}`]
        : []),
      ...(cells.url ? [cells.url.slice(0, 500)] : []),
      ...others,
    ],
    dependsOn: listOf(cells.depends, find).map(
      (each): Dependency => ({ key: find(each) ?? `?${each}`, text: each }),
    ),
    parent,
    steps: [],
  };
}

/** Separated by `;`, `,`, `|`, line breaks or spaces; a whole cell that is a title stays one. */
function listOf(cell: string, find: (word: string) => string | undefined): readonly string[] {
  if (cell === "") return [];
  if (find(cell) !== undefined) return [cell];
  const parts = cell
    .split(/[;,|\n]/)
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return [...new Set(parts)];
}

function lastOf(url: string): string {
  return (
    url
      .split(/[?#]/)[0]
      ?.split("/")
      .findLast((each) => each !== "") ?? ""
  );
}
