/**
 * The handshake of a client of the 2025 protocol, answered before the SDK is loaded, which takes longer than the rest
 * of a start. The SDK then gets the same message, and its answer, the same, is dropped (`gate.ts`).
 */
import { readSync } from "node:fs";
import { writeWhole } from "../write-whole.ts";
import type { About } from "./about.ts";

export type RequestId = string | number;

/** The SDK's versions. A handshake with any other is left to the SDK. */
export const VERSIONS: readonly unknown[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

const LONGEST = 64 * 1024;
const LINE_END = 0x0a;
const [INPUT, OUTPUT] = [0, 1];

/**
 * Waits for the first line of standard input; nothing else can be done before it. Returns fewer bytes if the input ends
 * or cannot be waited for: the next reader reports why.
 */
export function hearFirstLine(): Buffer {
  const buffer = Buffer.allocUnsafe(LONGEST);
  let length = 0;
  try {
    while (length < LONGEST && !buffer.subarray(0, length).includes(LINE_END)) {
      const count = readSync(INPUT, buffer, length, LONGEST - length, null);
      if (count === 0) break;
      length += count;
    }
  } catch {}
  return buffer.subarray(0, length);
}

/** Answers a handshake; null if the message is not plainly one. */
export function answerHandshake(heard: Buffer, about: About): RequestId | null {
  const id = idOfHandshake(heard.toString("utf8", 0, Math.max(0, heard.indexOf(LINE_END))));
  if (id === null) return null;
  const { serverInfo, capabilities, instructions } = about;
  const result = { protocolVersion: id.version, capabilities, serverInfo, instructions };
  writeWhole(OUTPUT, `${JSON.stringify({ result, jsonrpc: "2.0", id: id.id })}\n`);
  return id.id;
}

/** Every capability looks so: objects within objects, down to flags. */
function isCapability(value: unknown): boolean {
  return (
    isObject(value) && Object.values(value).every((each) => typeof each === "boolean" || isCapability(each))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function idOfHandshake(line: string): { readonly id: RequestId; readonly version: unknown } | null {
  try {
    const { id, jsonrpc, method, params, ...more } = JSON.parse(line);
    const { capabilities, clientInfo, protocolVersion, ...others } = params;
    const isPlain =
      jsonrpc === "2.0" &&
      method === "initialize" &&
      (typeof id === "string" || Number.isInteger(id)) &&
      Object.keys({ ...more, ...others }).length === 0 &&
      VERSIONS.includes(protocolVersion) &&
      [clientInfo.name, clientInfo.version].every((text) => typeof text === "string") &&
      Object.values(clientInfo).every((text) => typeof text === "string") &&
      isObject(capabilities) &&
      Object.values(capabilities).every(isCapability);
    return isPlain ? { id, version: protocolVersion } : null;
  } catch {
    return null;
  }
}
