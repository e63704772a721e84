/** What clients get of a tool: its schema, and one envelope for every reply, refusal and error. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ErrorCode } from "../../core/error.ts";
import type { Reply } from "../../runtime/module.ts";
import { envelopeOf } from "../replies.ts";
import { type Connection, clientOf } from "./connection.ts";
import table from "./shown.json" with { type: "json" };

/**
 * The structured content of every answer, refusals included, so that clients that validate it never hide a
 * message.
 */
export const OUTPUT = z.looseObject({ status: z.string(), message: z.string() });

/** The part of an answer that should contain a reply's text, for the client of this call. */
export function partFor(connection: Connection, context: ServerContext): Part {
  const { name, version } = clientOf(connection, context) ?? {};
  return partShown(name, version);
}

/**
 * The answer for a reply: the part that the client shows its model has the whole text, the other one line.
 */
export function toResult(reply: Reply, part: Part): CallToolResult {
  const { refused, text } = reply;
  const whole = envelopeOf(reply);
  const line = firstLine(String(whole.message));
  const isText = (value: unknown) => value === text;
  const facts = Object.fromEntries(Object.entries(whole).filter(([, value]) => !isText(value)));
  return {
    content: [{ type: "text", text: part === "data" ? line : text }],
    structuredContent: part === "text" ? { ...facts, message: line } : whole,
    ...(refused ? { isError: true } : {}),
  };
}

/** The two lines of an error, as text and as structured content. */
export function refusal(code: ErrorCode, message: string, fix: string): CallToolResult {
  return {
    content: [{ type: "text", text: `${message}\n${fix}` }],
    structuredContent: { status: "error", message, data: { code, fix } },
    isError: true,
  };
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

type JsonSchema = Record<string, unknown>;

/** The same schema without validation: the call checks its input itself, so that all refusals look alike. */
export function withoutValidation(schema: z.ZodObject): z.ZodObject {
  const standard = { ...shown(schema)["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(schema, { "~standard": { value: standard } });
}

/** The schema without its dialect, because dozens of schemas would repeat the protocol's own. */
function shown(schema: z.ZodObject): z.ZodObject {
  return withSchema(schema, (made) => {
    const { $schema: _, ...rest } = made;
    return rest;
  });
}

export function withSchema(schema: z.ZodObject, change: (made: JsonSchema) => JsonSchema): z.ZodObject {
  const standard = schema["~standard"];
  const changed =
    (make: typeof standard.jsonSchema.input): typeof standard.jsonSchema.input =>
    (options) =>
      change(make(options));
  const jsonSchema = {
    input: changed(standard.jsonSchema.input),
    output: changed(standard.jsonSchema.output),
  };
  return Object.create(schema, { "~standard": { value: { ...standard, jsonSchema } } });
}

/** The part of an answer that a client shows its model. */
export type Part = "text" | "data" | "both";

export interface Shown {
  /** The client's own name in MCP. */
  readonly client: string;
  /** The oldest and the newest version that was tested. */
  readonly from: string;
  readonly to: string;
  readonly shows: Part;
}

/** From `shown.json`, which `test/agents/shown.ts` generates with the real clients. */
export const SHOWN = table as readonly Shown[];

/**
 * The part in which the client's model reads an answer's text. An untested client or version may show either,
 * so it gets the text in both, which costs nothing if the model sees only one.
 */
export function partShown(name = "", version = "", rows = SHOWN): Part {
  const isOf = ({ client, from, to }: Shown) =>
    client === name && compareVersions(from, version) <= 0 && compareVersions(version, to) <= 0;
  return rows.find(isOf)?.shows ?? "both";
}

/**
 * Compares two releases: negative if the first is older. NaN, which is in no range, if one is not a plain
 * release.
 */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map(numbersOf) as [number[], number[]];
  const length = Math.max(ours.length, theirs.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (ours[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return /^\d+(\.\d+)*$/.test(version) ? version.split(".").map(Number) : [Number.NaN];
}
