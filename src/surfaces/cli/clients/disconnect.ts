import { isBare, pruned } from "../guard/edit-setup.ts";
import { nodeIn, remove } from "../guard/json-text.ts";
import { type Client, type Launch, renderToml } from "./clients.ts";
import { entryIn } from "./connect.ts";

/**
 * Removes what `connect` added, and nothing else. Returns the same text if there is no such entry or a person
 * edited it; null: the file is empty afterwards. Throws `config-invalid` if the client could not read the
 * text.
 */
export function disconnect(client: Client, launch: Launch, file: string, text: string): string | null {
  const entry = entryIn(client, launch, file, text);
  if (entry === undefined || !isOwnEntry(client, entry)) return text;
  if (client.format === "toml") return disconnectToml(client, wordsOf(entry) as unknown as Launch, text);
  const after = pruned(remove(text, client.path), client.path.slice(0, -1));
  return isBare(withoutHead(client, after)) ? null : after;
}

/** Drops the unchanged properties with which a new file begins: a file with only these can be removed. */
function withoutHead({ head = {} }: Client, text: string): string {
  const unchanged = Object.entries(head).filter(([key, value]) => nodeIn(text, [key])?.value === value);
  return unchanged.reduce((left, [key]) => remove(left, [key]), text);
}

/** Whether Pawl writes such an entry, on this machine or on another. */
export function isOwnEntry(client: Client, entry: unknown): boolean {
  const words = wordsOf(entry);
  const line = words.join(" ");
  const isOwn = /^(?:pawl|npx (?:-y|--no) pawl|\S.*[\\/]main\.[jt]s) mcp$/.test(line);
  return isOwn && JSON.stringify(client.entry(words as unknown as Launch)) === JSON.stringify(entry);
}

function wordsOf(entry: unknown): readonly string[] {
  const { args, command } = entry as { readonly args?: unknown; readonly command?: unknown };
  return [command, args].flat().filter((word): word is string => typeof word === "string");
}

/**
 * The text without the block that `connect` wrote and the line break before it. A block in another spelling
 * is a person's.
 */
function disconnectToml(client: Client, launch: Launch, text: string): string | null {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = `${renderToml(client, launch).replaceAll("\n", eol)}${eol}`;
  const at = text.indexOf(block);
  if (at < 0 || (at > 0 && !text.slice(0, at).endsWith(eol))) return text;
  const before = at === 0 ? "" : text.slice(0, at - eol.length);
  const after = before + text.slice(at + block.length);
  return after === "" ? null : after;
}
