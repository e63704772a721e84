/**
 * The handshake of a client of 2025, answered before the SDK is loaded, which takes longer than all the rest of a start. The
 * SDK is given the same message afterwards, and its answer, the same, is left out (`gate.ts`).
 */
import { readSync } from "node:fs";
import { writeWhole } from "../write-whole.ts";
import type { About } from "./about.ts";

export type RequestId = string | number;

/** Those of the SDK. Any other is left to it. */
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
 * Waits for the first line of standard input; there is nothing else to do before it. Fewer bytes where it ends or cannot be
 * waited for: whoever reads on finds out why.
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

/** Answers a handshake; null where it is none that is plainly one. */
export function answerHandshake(heard: Buffer, about: About): RequestId | null {
  const id = idOfHandshake(heard.toString("utf8", 0, Math.max(0, heard.indexOf(LINE_END))));
  if (id === null) return null;
  const { serverInfo, capabilities, instructions } = about;
  const result = { protocolVersion: id.version, capabilities, serverInfo, instructions };
  writeWhole(OUTPUT, `${JSON.stringify({ result, jsonrpc: "2.0", id: id.id })}\n`);
  return id.id;
}

/** As all of them are: objects within objects, down to flags. */
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
