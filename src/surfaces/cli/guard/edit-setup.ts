/** Adds the guard to the text of a client's file, and removes it again; everything else stays. */
import { getNodeValue, type Node } from "jsonc-parser";
import { PawlError } from "../../../core/error.ts";
import { append, nodeAt, nodeIn, type Path, remove, replace, treeOf } from "./json-text.ts";
import { type Entry, type GuardFile, isOwnHandler } from "./setup.ts";

export interface ClientFile {
  readonly client: string;
  readonly title: string;
  /** Relative to the root, for messages. */
  readonly name: string;
  readonly file: GuardFile;
}

/**
 * The text with the guard; unchanged if it is already there. Throws `config-invalid` if the text is
 * unreadable.
 */
export function putIn(clientFile: ClientFile, text: string | null): string {
  const { file } = clientFile;
  if ("text" in file) {
    if (text !== null && text.trim() !== "" && !isOwnText(text, file.text))
      throw unusableConfigError(clientFile, clientFile.name, "a file that Pawl did not write");
    return file.text;
  }
  return file.entries.reduce((before, entry) => {
    const room = checkRoom(clientFile, before, entry);
    return room === null ? before : putEntry(callerOf(clientFile), room, entry);
  }, text ?? "");
}

/** The text without the guard; null: the file is empty afterwards. */
export function takeOut(clientFile: ClientFile, text: string): string | null {
  const { file } = clientFile;
  if ("text" in file) return isOwnText(text, file.text) ? null : text;
  const after = file.entries.reduce((before, entry) => {
    treeIn(clientFile, before);
    return takeEntry(callerOf(clientFile), before, entry);
  }, text);
  return after !== text && isEmptied(after, file.entries) ? null : after;
}

/**
 * How much of the guard the text lacks. An unreadable text lacks all of it. With a handler that only looks
 * like the guard, the guard never counts as complete.
 */
export function lackIn(clientFile: Pick<ClientFile, "client" | "file">, text: string | null): Lack {
  const { file } = clientFile;
  if ("text" in file) {
    if (text === file.text) return "nothing";
    return text !== null && isOwnText(text, file.text) ? "some" : "all";
  }
  const tree = nodeIn(text ?? "", []);
  if (!tree) return "all";
  const guardEntries = file.entries.filter((entry) => entry.type !== "property" || !entry.isShared);
  const count = guardEntries.filter((entry) => isThere(tree, entry)).length;
  const isMixed = hasLookAlike(tree, guardEntries, callerOf(clientFile));
  if (count === guardEntries.length && !isMixed) return "nothing";
  return count > 0 || isMixed ? "some" : "all";
}

export type Lack = "nothing" | "some" | "all";

function callerOf({ client, file }: Pick<ClientFile, "client" | "file">): string {
  return ("caller" in file && file.caller) || client;
}

/** Whether Pawl wrote the text, which its first line states. */
function isOwnText(text: string, guardText: string): boolean {
  return text.split("\n", 1)[0]?.trim() === guardText.split("\n", 1)[0];
}

/** Entries are added one at a time, so a huge file would take minutes. Real files are smaller. */
const MAX_LENGTH = 100_000;

function treeIn(file: ClientFile, text: string): Node | null {
  if (text.length > MAX_LENGTH)
    throw unusableConfigError(file, file.name, `more than ${MAX_LENGTH} characters`);
  const tree = treeOf(text);
  if ("tree" in tree) return tree.tree;
  const { column, found, line } = tree.fault;
  throw unusableConfigError(file, `${file.name}:${line}:${column}`, found);
}

/**
 * The text with room for the entry: a single word for everything becomes a `*` rule. Null: everything is
 * denied already.
 */
function checkRoom(file: ClientFile, text: string, { path, type }: Entry): string | null {
  const tree = treeIn(file, text);
  if (tree === null) return text;
  let roomy = text;
  for (let depth = 0; depth <= path.length - (type === "property" ? 1 : 0); depth++) {
    const at = path.slice(0, depth);
    const node = nodeAt(tree, at);
    if (!node) break;
    const wanted = depth === path.length ? "array" : "object";
    if (node.type === wanted) continue;
    if (type !== "property" || depth === 0 || typeof node.value !== "string")
      throw unusableConfigError(file, file.name, `no ${wanted} at ${at.join(".") || "the top"}`);
    if (node.value === "deny") return null;
    roomy = replace(text, at, { "*": node.value });
    break;
  }
  return roomy;
}

function unusableConfigError({ title }: ClientFile, where: string, found: string): PawlError {
  return new PawlError(
    "config-invalid",
    `${where}: expected ${title}'s configuration with room for the guard; found: ${found}.`,
    "Nothing was written. Correct the file, then run the command again.",
  );
}

function putEntry(client: string, text: string, entry: Entry): string {
  const { path, type, value } = entry;
  const tree = nodeIn(text, []);
  if (!tree) return append("", path, value, type !== "property");
  const isAlone = handlersIn(tree, entry, client).length <= 1;
  if (isThere(tree, entry) && isAlone) return text;
  if (type === "property") return append(nodeAt(tree, path) ? remove(text, path) : text, path, value, false);
  return append(type === "hook" ? withoutHandlers(text, entry, client, false) : text, path, value, true);
}

function takeEntry(client: string, text: string, entry: Entry): string {
  const tree = nodeIn(text, []);
  if (!tree) return text;
  const { path, type, value } = entry;
  if (type === "hook") return withoutHandlers(text, entry, client, true);
  if (type === "rule") {
    const at = nodeAt(tree, path)?.children?.findIndex((item) => item.value === value) ?? -1;
    return at < 0 ? text : pruned(remove(text, [...path, at]), path);
  }
  const node = nodeAt(tree, path);
  if (!node || entry.isShared || (typeof value === "string" && node.value !== value)) return text;
  return pruned(remove(text, path), path.slice(0, -1));
}

function isThere(tree: Node, entry: Entry): boolean {
  const node = nodeAt(tree, entry.path);
  if (!node) return false;
  if (entry.type === "property") return entry.isShared === true || isSame(node, entry.value);
  return node.children?.some((item) => isSame(item, entry.value)) ?? false;
}

function isSame(node: Node, value: unknown): boolean {
  return JSON.stringify(getNodeValue(node)) === JSON.stringify(value);
}

/** The guard's command before a tool, as Pawl writes it; null: none. */
export function commandBeforeTool(entries: readonly Entry[]): string | null {
  const visit = (value: unknown, isBefore: boolean): string | null => {
    const [command] = isBefore ? commandsIn(value) : [];
    if (command !== undefined || typeof value !== "object" || value === null) return command ?? null;
    const commands = Object.entries(value).map(([key, inner]) => visit(inner, isBeforeTool(key)));
    return commands.find((each) => each !== null) ?? null;
  };
  const commands = entries.map(({ path, value }) => visit(value, isBeforeTool(path.at(-1) ?? "")));
  return commands.find((each) => each !== null) ?? null;
}

function isBeforeTool(event: string): boolean {
  return /^(?:PreToolUse|preToolUse|BeforeTool)$/.test(event);
}

/** The commands of the handlers in the value, a POSIX shell's first. */
function commandsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { bash, command, powershell } = value as Readonly<Record<string, unknown>>;
  const lines = [command, bash, powershell].filter((line) => typeof line === "string");
  return [...lines, ...Object.values(value).flatMap(commandsIn)];
}

/**
 * Whether a handler anywhere in the file looks like the guard, but starts a command that Pawl does not write
 * there.
 */
function hasLookAlike(tree: Node, entries: readonly Entry[], client: string): boolean {
  const commands = new Set(entries.flatMap(({ value }) => commandsIn(value)));
  if (commands.size === 0) return false;
  const call = new RegExp(`\\bguard\\s+${client}\\b`);
  return commandsIn(getNodeValue(tree)).some((command) => call.test(command) && !commands.has(command));
}

/** The paths of the guard's handlers in the list at the entry's path: directly in it, or in a group. */
function handlersIn(tree: Node, { path, type }: Entry, client: string): readonly Path[] {
  if (type !== "hook") return [];
  const isOwn = (node: Node) => isOwnHandler(getNodeValue(node), client);
  return (nodeAt(tree, path)?.children ?? []).flatMap((item, at) => {
    if (isOwn(item)) return [[...path, at]];
    const group = item.type === "object" ? nodeAt(item, ["hooks"]) : undefined;
    return (group?.children ?? []).flatMap((each, file) =>
      isOwn(each) ? [[...path, at, "hooks", file]] : [],
    );
  });
}

function withoutHandlers(text: string, entry: Entry, client: string, isPruned: boolean): string {
  let after = text;
  for (;;) {
    const tree = nodeIn(after, []);
    const [first] = tree ? handlersIn(tree, entry, client) : [];
    if (!first) return after;
    const list = first.slice(0, -1);
    const isInGroup = list.length > entry.path.length;
    after = remove(after, first);
    if (isInGroup && isEmptyAt(after, list)) after = remove(after, list.slice(0, -1));
    if (isPruned) after = pruned(after, entry.path);
  }
}

/** The text without the empty containers on the path. A lone `*` rule becomes a single word again. */
export function pruned(text: string, path: readonly string[]): string {
  let after = text;
  for (let at = path; at.length > 0; at = at.slice(0, -1)) {
    if (isEmptyAt(after, at)) after = remove(after, at);
    else after = oneWord(after, at);
  }
  return after;
}

function oneWord(text: string, path: readonly string[]): string {
  const node = nodeIn(text, path);
  if (path[0] !== "permission" || node?.type !== "object" || node.children?.length !== 1) return text;
  const { "*": word } = getNodeValue(node) as { "*"?: unknown };
  return typeof word === "string" ? replace(text, path, word) : text;
}

/** Whether it contains nothing, not even a comment. */
function isEmptyAt(text: string, path: Path): boolean {
  const node = nodeIn(text, path);
  if (!node || (node.type !== "object" && node.type !== "array")) return false;
  const body = text.replace(/^\uFEFF/, "");
  return body.slice(node.offset + 1, node.offset + node.length - 1).trim() === "";
}

/** Whether only shared properties are left, and no comment. */
function isEmptied(text: string, entries: readonly Entry[]): boolean {
  const shared = entries.filter((entry) => entry.type === "property" && entry.isShared);
  const bare = shared.reduce((before, { path, value }) => {
    const node = nodeIn(before, path);
    return node && isSame(node, value) ? remove(before, path) : before;
  }, text);
  return isBare(bare);
}

/** Whether no property is left, and no comment. */
export function isBare(text: string): boolean {
  return text.replace(/^\uFEFF/, "").replace(/\s+/g, "") === "{}";
}
