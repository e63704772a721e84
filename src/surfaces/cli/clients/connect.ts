import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { PawlError } from "../../../core/error.ts";
import { isObject } from "../../../core/json.ts";
import { placeOf } from "../guard/json-text.ts";
import { type Client, type Launch, renderEntry, renderFile, renderToml } from "./clients.ts";

/**
 * Adds Pawl's entry to a client's configuration and leaves everything else unchanged, comments included.
 * Null: an entry exists already and stays. Throws `config-invalid` if the client could not read the text.
 */
export function connect(client: Client, launch: Launch, file: string, text: string | null): string | null {
  return client.format === "toml"
    ? connectToml(client, launch, file, text ?? "")
    : connectJson(client, launch, file, text ?? "");
}

/**
 * The value of Pawl's entry; undefined: there is none. Throws `config-invalid` if the client could not read
 * the text.
 */
export function entryIn(client: Client, launch: Launch, file: string, text: string): unknown {
  const tree =
    client.format === "toml" ? readToml(client, launch, file, text) : readJson(client, launch, file, text);
  return descend(tree, client.path);
}

function connectJson(client: Client, launch: Launch, file: string, text: string): string | null {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") return renderFile(client, launch);
  const tree = readJson(client, launch, file, body);
  const parent = descend(tree, client.path.slice(0, -1));
  if (!isObject(tree) || (parent !== undefined && !isObject(parent))) {
    throw unreadableConfigError(
      client,
      launch,
      file,
      "a value that is not an object where the servers belong",
    );
  }
  if (parent && Object.hasOwn(parent, client.path.at(-1) ?? "")) return null;
  return (text.startsWith("\uFEFF") ? "\uFEFF" : "") + insert(body, client.path, client.entry(launch));
}

function readJson(client: Client, launch: Launch, file: string, text: string): unknown {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") return {};
  const errors: ParseError[] = [];
  const tree: unknown = parse(body, errors, { allowTrailingComma: true });
  const [fault] = errors;
  if (!fault) return tree;
  const { line, column } = placeOf(body, fault.offset);
  throw unreadableConfigError(client, launch, `${file}:${line}:${column}`, printParseErrorCode(fault.error));
}

/**
 * Inserts a value at a path as the first property of the innermost existing object: nothing else moves, and
 * the end of the last property (a comma, a comment) does not matter.
 */
function insert(text: string, path: readonly string[], value: unknown): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  let depth = 0;
  for (let at = 1; tree && at < path.length && findNodeAtLocation(tree, path.slice(0, at)); at++) depth = at;
  const object = tree && (depth === 0 ? tree : findNodeAtLocation(tree, path.slice(0, depth)));
  if (!object) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? "  ";
  const inner = path.slice(depth + 1).reduceRight<unknown>((within, key) => ({ [key]: within }), value);
  const lines = `${JSON.stringify(path[depth])}: ${JSON.stringify(inner, null, unit)}`.split("\n");
  const property = lines.map((line) => eol + unit.repeat(depth + 1) + line).join("");
  const [start, end] = [object.offset + 1, object.offset + object.length - 1];
  if (object.children?.length) return `${text.slice(0, start)}${property},${text.slice(start)}`;
  return `${text.slice(0, start)}${property}${text.slice(start, end).trimEnd()}${eol}${unit.repeat(depth)}${text.slice(end)}`;
}

function connectToml(client: Client, launch: Launch, file: string, text: string): string | null {
  const parent = descend(readToml(client, launch, file, text), client.path.slice(0, -1));
  if (isObject(parent) && Object.hasOwn(parent, client.path.at(-1) ?? "")) return null;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  // The empty line lets `disconnect` see whether the text ended with a line break.
  const gap = text === "" ? "" : eol;
  const joined = `${text}${gap}${renderToml(client, launch).replaceAll("\n", eol)}${eol}`;
  readToml(client, launch, file, joined);
  return joined;
}

function readToml(client: Client, launch: Launch, file: string, text: string): unknown {
  try {
    return parseToml(text);
  } catch (cause) {
    const { line, column } = cause as { line?: number; column?: number };
    const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "";
    throw unreadableConfigError(client, launch, line ? `${file}:${line}:${column}` : file, message);
  }
}

function unreadableConfigError(client: Client, launch: Launch, where: string, found: string): PawlError {
  return new PawlError(
    "config-invalid",
    `${where}: expected ${client.title}'s configuration with room for ${client.path.join(".")}; found: ${found}.`,
    `Nothing was written. Correct the file, or add this to it yourself: ${renderEntry(client, launch).replace(/\s+/g, " ")}`,
  );
}

function descend(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), tree);
}
