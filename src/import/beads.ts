/** beads: one issue for each line of JSON. */
import { attempt } from "../core/attempt.ts";
import { type Dependency, invalid, type Read, type SourceFile, type SourceTask } from "./source.ts";
import { idFrom, openKeys, paragraphs, statusOf, textOf, titledWith } from "./words.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Link {
  readonly type: string;
  readonly on: string;
}

/** The kinds of dependency that hold an issue up; all others only say that issues have to do with each other. */
const BLOCKS: ReadonlySet<string> = new Set(["blocks", "depends-on", "waits-for", ""]);

export function readBeads(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const issues = new Map<string, Fields>();
  const links: { from: string; link: Link }[] = [];
  let deleted = 0;
  let others = 0;
  for (const { path, text } of files)
    for (const [at, fields] of linesIn(path, text, remarks)) {
      const id = textOf(fields.id);
      if (id === "" || textOf(fields.title) === "") {
        const from = textOf(fields.issue_id);
        const link = linkOf(fields, from);
        if (from && link) links.push({ from, link });
        else others += 1;
      } else if (textOf(fields.status) === "tombstone" || textOf(fields.deleted_at) !== "") {
        deleted += 1;
        issues.delete(id);
      } else {
        if (issues.has(id)) remarks.push(`${path}:${at}: ${id} is there again; the last line counts.`);
        issues.set(id, fields);
      }
    }
  if (issues.size === 0 && deleted === 0 && others === 0) remarks.push("There are no issues in it.");
  if (deleted > 0) remarks.push(`${deleted} deleted (tombstones): left out.`);
  if (others > 0) remarks.push(`${others} lines are no issues (events and the like): left out.`);
  const unique = openKeys();
  const tasks = [...issues].map(([id, fields]) => {
    const own = [...linksOf(fields), ...links.flatMap(({ from, link }) => (from === id ? [link] : []))];
    return taskOf(unique(id), id, fields, own, issues);
  });
  return { tasks, remarks };
}

function* linesIn(path: string, text: string, remarks: string[]): Generator<[number, Fields]> {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  let read = 0;
  let torn = 0;
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (words === "") continue;
    // A parser that fails for each of many lines is slow.
    const isObject = words.startsWith("{") && words.endsWith("}");
    const value = isObject ? attempt(() => JSON.parse(words) as Fields, null) : null;
    if (value !== null) {
      read += 1;
      yield [index + 1, value];
    } else {
      torn += 1;
      if (torn <= 5) remarks.push(`${path}:${index + 1} is no JSON object: left out.`);
    }
  }
  if (read === 0 && torn > 0) throw invalid(path, "one JSON object in each line", "none");
}

function linksOf({ dependencies, depends_on, id }: Fields): readonly Link[] {
  const all = [dependencies, depends_on].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  return all.flatMap((each) => {
    if (typeof each === "string") return [{ type: "blocks", on: each }];
    const link = typeof each === "object" && each !== null ? linkOf(each as Fields, textOf(id)) : null;
    return link ? [link] : [];
  });
}

function linkOf(fields: Fields, own: string): Link | null {
  const named = textOf(fields.depends_on_id) || textOf(fields.depends_on) || textOf(fields.target_id);
  // Some versions name the other issue where the own id should be, and nothing there.
  const owner = textOf(fields.issue_id);
  const on = named || (owner === own ? "" : owner);
  const type = textOf(fields.type) || textOf(fields.dependency_type) || (on ? textOf(fields.dep_type) : "");
  return on === "" ? null : { type, on };
}

function taskOf(
  key: string,
  id: string,
  fields: Fields,
  links: readonly Link[],
  issues: ReadonlyMap<string, Fields>,
): SourceTask {
  const word = textOf(fields.status);
  const { note, status } = statusOf(word);
  const closed = textOf(fields.close_reason);
  const part = (name: string, heading: string) => {
    const text = textOf(fields[name]);
    return text && (heading ? `## ${heading}\n\n${text}` : text);
  };
  const text = paragraphs(part("description", ""), part("design", "Design"), part("notes", "Notes"));
  const dot = id.lastIndexOf(".");
  const above =
    links.find(({ type }) => type === "parent-child")?.on ??
    (dot > 0 && issues.has(id.slice(0, dot)) ? id.slice(0, dot) : null);
  const labels = Array.isArray(fields.labels) ? fields.labels.map(textOf).filter((each) => each !== "") : [];
  const kind = textOf(fields.issue_type);
  const others = links.filter(({ type }) => !BLOCKS.has(type) && type !== "parent-child");
  return {
    key,
    id: idFrom(id),
    ...titledWith(textOf(fields.title), text, id),
    status: /^(?:won'?t|duplicate|obsolete|cancel|not planned|invalid)/i.test(closed) ? "cancelled" : status,
    ...(closed ? { reason: closed } : {}),
    criteria: textOf(fields.acceptance_criteria)
      .split("\n")
      .map((each) => each.replace(/^[ \t]*(?:[-*]|\d{1,3}[.)])[ \t]+(?:\[.\][ \t]+)?/, "").trim())
      .filter((each) => each !== ""),
    notes: [
      ...(note ? [note] : []),
      ...(kind && kind !== "task" ? [`Kind: ${kind}`] : []),
      ...(labels.length > 0 ? [`Labels: ${labels.join(", ")}`] : []),
      ...(closed && status === "done" ? [`Closed: ${closed}`] : []),
      ...others.map(({ on, type }) => `${type}: ${on}`),
    ],
    dependsOn: [...new Set(links.flatMap(({ on, type }) => (BLOCKS.has(type) ? [on] : [])))].map(
      (on): Dependency => ({ key: on, text: on }),
    ),
    parent: above === id ? null : above,
    steps: [],
  };
}
