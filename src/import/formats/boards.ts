/** Records in other tools' JSON: Trello's board, `gh project item-list`, Claude Code's task files. */
import { type Fields, isObject } from "../../core/json.ts";
import { parseJson } from "../json.ts";
import { readRecords, type Shape } from "../records.ts";
import { invalid, type Read, type SourceFile } from "../source.ts";
import { textOf } from "../words.ts";

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

// ── Trello ───────────────────────────────────────────────────────────────────────────────────────────────────────

const TRELLO: Shape = {
  id: ["shortlink", "id"],
  title: ["name"],
  texts: { desc: "", checklists: "" },
  status: ["list"],
  url: ["shorturl", "url"],
  labels: { due: "Due" },
  prefix: "TR",
};
/** A card's fields for people; the others are the board's own bookkeeping. */
const CARD = ["id", "shortLink", "name", "desc", "shortUrl", "due", "start", "dueComplete", "labels"];

export function readTrello(files: readonly SourceFile[]): Read {
  const records = files.flatMap(({ path, text }) => {
    const board = parseJson(path, text);
    if (!isObject(board) || !Array.isArray(board.cards))
      throw invalid(path, "a board with `cards` and `lists`", "none");
    const lists = new Map(listOf(board.lists).map(({ id, name }) => [id, textOf(name)]));
    const members = new Map(listOf(board.members).map(({ fullName, id }) => [id, textOf(fullName)]));
    return listOf(board.cards).map((card) => ({
      ...Object.fromEntries(CARD.map((name) => [name, card[name]])),
      list: card.closed === true ? "archived" : lists.get(card.idList),
      members: (Array.isArray(card.idMembers) ? card.idMembers : []).map((id) => members.get(id) ?? ""),
      checklists: listOf(board.checklists)
        .filter(({ idCard }) => idCard === card.id)
        .map(checklistOf)
        .join("\n\n"),
    }));
  });
  return readRecords(records, TRELLO);
}

function checklistOf({ checkItems, name }: Fields): string {
  const lines = listOf(checkItems).map(
    (item) => `- [${item.state === "complete" ? "x" : " "}] ${textOf(item.name)}`,
  );
  return [`## ${textOf(name)}`, "", ...lines].join("\n");
}

// ── gh project item-list --format json ───────────────────────────────────────────────────────────────────────────

const GH_PROJECT: Shape = {
  id: ["number", "id"],
  title: ["title"],
  texts: { body: "" },
  status: ["status"],
  url: ["url"],
  parent: ["parentissue"],
  usual: { type: "Issue" },
  aside: ["id"],
  prefix: "PVTI",
};

export function readGhProject(files: readonly SourceFile[]): Read {
  const records = files.flatMap(({ path, text }) => {
    const data = parseJson(path, text);
    if (!isObject(data) || !Array.isArray(data.items)) throw invalid(path, "`items` of a project", "none");
    return listOf(data.items).map(({ content, ...item }) => ({
      ...item,
      ...(isObject(content) ? content : {}),
    }));
  });
  return readRecords(records, GH_PROJECT);
}

// ── ~/.claude/tasks ──────────────────────────────────────────────────────────────────────────────────────────────

const CLAUDE: Shape = {
  id: ["id"],
  title: ["subject", "content"],
  texts: { description: "" },
  status: ["status"],
  depends: ["blockedby"],
  blocks: ["blocks"],
  aside: ["activeform", "owner", "metadata"],
};

export function readClaudeTasks(files: readonly SourceFile[]): Read {
  const records = files.flatMap(({ path, text }) => {
    const data = parseJson(path, text);
    const tasks = (Array.isArray(data) ? data : [data]).filter(isObject);
    return tasks.filter((each) => "subject" in each || "content" in each);
  });
  return readRecords(records, CLAUDE);
}
