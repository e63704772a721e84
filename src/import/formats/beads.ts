/** beads: one issue per line of JSON. */
import { attempt } from "../../core/attempt.ts";
import { type Fields, isObject } from "../../core/json.ts";
import { readRecords, renderComments, type Shape } from "../records.ts";
import { invalidSourceError, type Read, type SourceFile } from "../source.ts";
import { textOf } from "../words.ts";

const SHAPE: Shape = {
  id: ["id"],
  title: ["title"],
  texts: { description: "", design: "Design", notes: "Notes", comments: "Comments" },
  status: ["status"],
  reason: ["closereason"],
  criteria: ["acceptancecriteria"],
  depends: ["waitsfor"],
  parent: ["parentid"],
  labels: { issuetype: "Kind", closereason: "Closed" },
  usual: { issuetype: "task" },
  aside: [
    "createdat",
    "updatedat",
    "closedat",
    "contenthash",
    "sourcerepo",
    "compactionlevel",
    "originalsize",
  ],
  isDotted: true,
};

/** The kinds of dependency that block an issue; all others only relate issues. */
const BLOCKS: ReadonlySet<string> = new Set(["blocks", "depends-on", "waits-for", ""]);

interface Link {
  readonly type: string;
  readonly on: string;
}

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
  const records = [...issues].map(([id, fields]) => {
    const own = [...linksOf(fields), ...links.flatMap(({ from, link }) => (from === id ? [link] : []))];
    return recordOf(fields, own);
  });
  const kinds = new Map<string, number>();
  for (const { type } of [...issues].flatMap(([, fields]) => linksOf(fields)))
    if (!BLOCKS.has(type) && type !== "parent-child") kinds.set(type, (kinds.get(type) ?? 0) + 1);
  if (kinds.size > 0)
    remarks.push(
      `Kept as notes, since they hold nothing up: ${[...kinds].map(([kind, count]) => `${kind} (${count})`).join(", ")}.`,
    );
  return readRecords(records, SHAPE, remarks);
}

/** The issue with its links as fields, by kind; those that block nothing become notes. */
function recordOf(
  { comments, dependencies: _, depends_on: __, ...fields }: Fields,
  links: readonly Link[],
): Fields {
  const others = links.filter(({ type }) => !BLOCKS.has(type) && type !== "parent-child");
  const named = others.map(({ type }) => [
    type,
    others.filter((each) => each.type === type).map(({ on }) => on),
  ]);
  return {
    ...fields,
    comments: Array.isArray(comments) ? renderComments(comments) : comments,
    "waits for": links.flatMap(({ on, type }) => (BLOCKS.has(type) ? [on] : [])),
    parent_id: links
      .filter(({ on, type }) => type === "parent-child" && on !== fields.id)
      .map(({ on }) => on),
    ...Object.fromEntries(named),
  };
}

function* linesIn(path: string, text: string, remarks: string[]): Generator<[number, Fields]> {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  let read = 0;
  let torn = 0;
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (words === "") continue;
    // Checked first, because failing to parse each of many lines is slow.
    const isWhole = words.startsWith("{") && words.endsWith("}");
    const value = isWhole ? attempt(() => JSON.parse(words) as Fields, null) : null;
    if (value !== null) {
      read += 1;
      yield [index + 1, value];
    } else {
      torn += 1;
      if (torn <= 5) remarks.push(`${path}:${index + 1} is no JSON object: left out.`);
    }
  }
  if (torn > 5) remarks.push(`${path}: ${torn - 5} lines more are no JSON objects: left out.`);
  if (read === 0 && torn > 0) throw invalidSourceError(path, "one JSON object in each line", "none");
}

function linksOf({ dependencies, depends_on, id }: Fields): readonly Link[] {
  const all = [dependencies, depends_on].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  return all.flatMap((each) => {
    if (typeof each === "string") return [{ type: "blocks", on: each }];
    const link = isObject(each) ? linkOf(each, textOf(id)) : null;
    return link ? [link] : [];
  });
}

function linkOf(fields: Fields, id: string): Link | null {
  const named = textOf(fields.depends_on_id) || textOf(fields.depends_on) || textOf(fields.target_id);
  // Some versions put the other issue's id in place of the own id, and nothing in place of the other's.
  const owner = textOf(fields.issue_id);
  const on = named || (owner === id ? "" : owner);
  const type = textOf(fields.type) || textOf(fields.dependency_type) || (on ? textOf(fields.dep_type) : "");
  return on === "" ? null : { type, on };
}
