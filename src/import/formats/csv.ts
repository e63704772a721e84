/** Rows of a table, as saved by spreadsheets, Jira, Linear, Asana, Notion and others. */
import { parse } from "csv-parse/sync";
import type { Fields } from "../../core/json.ts";
import { provesState, readRecords, type Shape } from "../records.ts";
import { invalidSourceError, type Read, type SourceFile } from "../source.ts";
import { bare } from "../states.ts";
import { plain } from "../words.ts";

const list = (words: string) => words.split(" ");

const SHAPE: Shape = {
  id: list(
    "id key issuekey issueid idissue issuenumber taskid ticket ticketid number ref identifier iid issue no nr bugid storyid #",
  ),
  url: list("url link weburl htmlurl issueurl"),
  title: list("title summary name taskname subject task titel content タイトル 标题"),
  texts: Object.fromEntries(
    list("description body details notes desc taskcontent beschreibung text 説明 描述").map((name) => [
      name,
      "",
    ]),
  ),
  status: list(
    "status state column columnname sectioncolumn list stage zustand statut estado stato 状態 状态",
  ),
  parent: list("parentkey parent parentid parenttask parentissue parentitem epiclink epic parentsummary"),
  depends: list(
    "dependencies dependson dependency blockedby isblockedby predecessors predecessor inwardissuelinkblocks blockedbydependencies",
  ),
  blocks: list("blocks blocking isblocking outwardissuelinkblocks blockingdependencies"),
  children: list("subitem subitems subtask subtasks"),
  criteria: list("acceptancecriteria criteria definitionofdone"),
};
/** Used if no column has one of the exact names: `Issue title`, `User story / description`, `Current State`. */
const ENDINGS: readonly (readonly [string, RegExp])[] = [
  ["title", /(?:title|summary)$/],
  ["description", /description$/],
  ["status", /stat(?:us|e)$/],
];
const TEXTS = Object.keys(SHAPE.texts);
const NAMED = [...SHAPE.title, ...TEXTS];

const MAX_COLUMNS = 500;
const MAX_ROWS = 20_000;

export function readCsv(files: readonly SourceFile[], more: Partial<Shape> = {}): Read {
  const remarks: string[] = [];
  const records = files.flatMap((file) => recordsOf(file, remarks));
  return readRecords(records, { ...SHAPE, ...more }, remarks);
}

function recordsOf({ path, text }: SourceFile, remarks: string[]): readonly Fields[] {
  // Excel's own first line.
  const [hint = "", separator] = /^sep=(.)\n/i.exec(plain(text).slice(0, 8)) ?? [];
  const [header = [], ...lines] = rowsIn(path, plain(text).slice(hint.length), separator);
  if (lines.length > MAX_ROWS) throw invalidSourceError(path, `at most ${MAX_ROWS} rows`, "more");
  const wide = [header, ...lines].find(({ length }) => length > MAX_COLUMNS);
  if (wide) throw invalidSourceError(path, `at most ${MAX_COLUMNS} columns`, String(wide.length));
  const names = namesOf(header);
  if (!names.some((name) => NAMED.includes(bare(name))))
    throw invalidSourceError(
      path,
      "a first line with a column Title, Summary, Name or Description",
      header.slice(0, 8).join(", ").slice(0, 200) || "an empty one",
    );
  const rows = lines.map((line) => recordOf(names, line));
  const records = TODOIST.every((name) => names.includes(name)) ? todoistTasks(path, rows, remarks) : rows;
  const parts = [...NAMED, ...SHAPE.id];
  const whole = records.filter((each) =>
    Object.entries(each).some(([name, value]) => value !== "" && parts.includes(bare(name))),
  );
  if (whole.length < records.length)
    remarks.push(`${path}: ${records.length - whole.length} rows have neither id, title nor text: left out.`);
  if (!names.some((name) => SHAPE.status.includes(bare(name)) || provesState(bare(name))))
    remarks.push(
      `${path}: no column is known as a status: all are taken as open. If one is, call it Status.`,
    );
  return whole;
}

const TODOIST = ["TYPE", "CONTENT", "INDENT"];

/** Todoist's export also has rows for sections, for notes on the task above, and for the view. */
function todoistTasks(path: string, rows: readonly Fields[], remarks: string[]): readonly Fields[] {
  const tasks: Record<string, unknown>[] = [];
  let section = "";
  let above = 0;
  for (const { TYPE: type, ...row } of rows) {
    const last = tasks.at(-1);
    if (type === "section") section = String(row.CONTENT ?? "");
    else if (type === "note" && last)
      last.DESCRIPTION = [last.DESCRIPTION, row.CONTENT].filter(Boolean).join("\n\n");
    else if (type === "note") above += 1;
    else if (type === "task") tasks.push({ ...row, ...(section !== "" && { Section: section }) });
  }
  if (above > 0)
    remarks.push(
      `${path}: ${above === 1 ? "1 row of type note is" : `${above} rows of type note are`} above every task: left out.`,
    );
  return tasks;
}

function namesOf(header: readonly string[]): readonly string[] {
  const given = header.map((name, at) => name.trim().slice(0, 200) || `Column ${at + 1}`);
  const known = new Set(given.map(bare));
  // Jira's own fields go before those that people add.
  const names = given.map((name) => {
    const added = /^Custom field \((.+)\)$/.exec(name)?.[1];
    return added === undefined || known.has(bare(added)) ? name : added;
  });
  for (const [field, ending] of ENDINGS) {
    const knownNames = { title: SHAPE.title, status: SHAPE.status }[field] ?? TEXTS;
    const at = names.findIndex((name) => ending.test(bare(name)));
    if (at >= 0 && !names.some((name) => knownNames.includes(bare(name)))) names[at] = field;
  }
  return names;
}

/** Reads all columns with the same name, because Jira saves a list as several columns. */
function recordOf(names: readonly string[], line: readonly string[]): Fields {
  const record: Record<string, string | string[]> = {};
  line.forEach((cell, at) => {
    const name = names[at] ?? `Column ${at + 1}`;
    const { address, value } = cellOf(cell);
    if (address !== "") record[`${name} (link)`] = address;
    const before = Object.hasOwn(record, name) ? record[name] : undefined;
    if (before === undefined || before === "") record[name] = value;
    else if (value !== "") record[name] = [before, value].flat();
  });
  return record;
}

function rowsIn(path: string, text: string, separator = delimiterOf(text)): readonly (readonly string[])[] {
  try {
    return parse(text, {
      delimiter: separator,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MAX_ROWS + 2,
      max_record_size: 4_000_000,
    });
  } catch (thrown) {
    throw invalidSourceError(path, "CSV", (thrown as Error).message.slice(0, 200));
  }
}

/** The separator that occurs most often in the first line, outside of quotes. */
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

/** `=HYPERLINK("address","words")` becomes its words, beside its address; any other formula stays unchanged. */
function cellOf(cell: string | undefined): { readonly value: string; readonly address: string } {
  const text = cell?.trimEnd() ?? "";
  const [, address = "", words = ""] =
    /^\s*=HYPERLINK\("([^"]{0,2000})"\s{0,5}[,;]\s{0,5}"([^"]{0,2000})"\)$/i.exec(text) ?? [];
  return { value: words || address || text, address: words === "" ? "" : address };
}
