/** Records in other tools' JSON: Trello's board, `gh project item-list`, Claude Code's task files. */
import { type Fields, isObject, objectsIn } from "../../core/json.ts";
import { parseJson } from "../json.ts";
import { readRecords, renderComments, type Shape, tasksOf } from "../records.ts";
import { invalidSourceError, type Read, type SourceFile } from "../source.ts";
import { idFrom, textOf } from "../words.ts";

// ── Trello ───────────────────────────────────────────────────────────────────────────────────────────────────────

const TRELLO: Shape = {
  id: ["shortlink", "id"],
  title: ["name"],
  texts: { desc: "", checklists: "", comments: "Comments" },
  status: ["state"],
  url: ["shorturl", "url"],
  labels: { due: "Due" },
  prefix: "TR",
};
/** A card's fields for people; the others are the board's own bookkeeping. */
const CARD = ["id", "shortLink", "name", "desc", "shortUrl", "due", "start", "dueComplete", "labels"];

/** The comments by card; a board's file has the newest thousand of its actions. */
function commentsIn(actions: unknown): ReadonlyMap<unknown, readonly Fields[]> {
  const comments = new Map<unknown, readonly Fields[]>();
  for (const { data, date: createdAt, memberCreator, type } of objectsIn(actions)) {
    if (type !== "commentCard" || !isObject(data) || !isObject(data.card)) continue;
    const author = isObject(memberCreator) ? memberCreator.fullName : "";
    comments.set(data.card.id, [
      { author, createdAt, text: data.text },
      ...(comments.get(data.card.id) ?? []),
    ]);
  }
  return comments;
}

export function readTrello(files: readonly SourceFile[]): Read {
  const records = files.flatMap(({ path, text }) => {
    const board = parseJson(path, text);
    if (!isObject(board) || !Array.isArray(board.cards))
      throw invalidSourceError(path, "a board with `cards` and `lists`", "none");
    const lists = new Map(objectsIn(board.lists).map(({ id, name }) => [id, textOf(name)]));
    const comments = commentsIn(board.actions);
    const members = new Map(objectsIn(board.members).map(({ fullName, id }) => [id, textOf(fullName)]));
    return objectsIn(board.cards).map((card) => ({
      ...Object.fromEntries(CARD.map((name) => [name, card[name]])),
      ...(card.closed === true
        ? { state: "archived", list: lists.get(card.idList) }
        : { state: lists.get(card.idList) }),
      members: (Array.isArray(card.idMembers) ? card.idMembers : []).map((id) => members.get(id) ?? ""),
      checklists: objectsIn(board.checklists)
        .filter(({ idCard }) => idCard === card.id)
        .map(checklistOf)
        .join("\n\n"),
      comments: renderComments(comments.get(card.id) ?? []),
      attachments: objectsIn(card.attachments).map(({ url }) => textOf(url)),
    }));
  });
  return readRecords(records, TRELLO);
}

function checklistOf({ checkItems, name }: Fields): string {
  const lines = objectsIn(checkItems).map(
    (item) => `- [${item.state === "complete" ? "x" : " "}] ${textOf(item.name).replaceAll("\n", "\n  ")}`,
  );
  return [`## ${textOf(name)}`, "", ...lines].join("\n");
}

// ── gh project item-list --format json ───────────────────────────────────────────────────────────────────────────

const GH_PROJECT: Shape = {
  id: ["place", "id"],
  title: ["title"],
  texts: { body: "" },
  status: ["status"],
  url: ["url"],
  parent: ["parentissue"],
  usual: { type: "Issue" },
  aside: ["id", "number"],
  prefix: "PVTI",
};

export function readGhProject(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const items = files.flatMap(({ path, text }) => {
    const data = parseJson(path, text);
    if (!isObject(data) || !Array.isArray(data.items))
      throw invalidSourceError(path, "`items` of a project", "none");
    const { items: shown, totalCount: all } = data;
    if (typeof all === "number" && all > shown.length)
      remarks.push(
        `${path} has ${shown.length} of the project's ${all} items: \`gh project item-list --limit ${all}\` writes all.`,
      );
    return objectsIn(shown).map(({ content, ...item }) => ({
      ...item,
      ...(isObject(content) ? content : {}),
    }));
  });
  const isPull = (item: Fields) => textOf(item.type).toLowerCase() === "pullrequest";
  const records = items.filter((each) => !isPull(each) && textOf(each.title) !== "");
  const pulls = items.filter(isPull).length;
  const hidden = items.length - records.length - pulls;
  if (pulls > 0) remarks.push(`${pulls} pull requests: left out.`);
  if (hidden > 0) remarks.push(`${hidden} items that the token may not see: left out.`);
  return readRecords(records.map(withPlace), GH_PROJECT, remarks);
}

/** A project has issues of many repositories, so a number alone is no id. */
function withPlace(item: Fields): Fields {
  const [number, repository] = [textOf(item.number), textOf(item.repository)];
  const name = /([^/]+)\/?$/.exec(repository)?.[1];
  return number === "" ? item : { ...item, place: name === undefined ? number : `${name}-${number}` };
}

// ── ~/.claude/tasks ──────────────────────────────────────────────────────────────────────────────────────────────

const CLAUDE: Shape = {
  id: ["id"],
  title: ["subject", "content"],
  texts: { description: "" },
  status: ["status"],
  depends: ["blockedby"],
  blocks: ["blocks"],
  aside: ["activeform", "owner"],
};

/** Each session counts its tasks from 1. */
export function readClaudeTasks(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const sessions = new Map<string, Fields[]>();
  for (const { path, text } of files) {
    const data = parseJson(path, text);
    const objects = (Array.isArray(data) ? data : [data]).filter(isObject);
    const folder = /([^/]+)\/[^/]+$/.exec(path)?.[1] ?? "";
    const tasks = objects.filter((each) => "subject" in each || "content" in each);
    sessions.set(folder, [...(sessions.get(folder) ?? []), ...tasks]);
  }
  const all = [...sessions].filter(([, tasks]) => tasks.length > 0);
  const tasks = all.flatMap(([session, records]) => {
    const prefix = all.length > 1 ? `${idFrom(session, "session").slice(0, 8)}.` : "";
    return tasksOf(records, CLAUDE, { key: session, prefix, remarks });
  });
  return { tasks, remarks };
}
