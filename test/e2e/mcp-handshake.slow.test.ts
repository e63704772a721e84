/** The handshake of `pawl mcp`, which is answered before the SDK is loaded. */
import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { VERSIONS } from "../../src/surfaces/mcp/handshake.ts";
import { end, MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};
const PING = { jsonrpc: "2.0", id: 7, method: "ping" };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

it.each([
  ...VERSIONS.map((protocolVersion) => ({ protocolVersion })),
  { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } } },
  { clientInfo: { name: "raw", title: "Raw", version: "0" } },
  { protocolVersion: "1999-01-01" },
  { protocolVersion: "2026-07-28" },
  { capabilities: [] },
  { clientInfo: { name: "raw" } },
])("answers the handshake once, early or not, as the SDK does: %j", async (params) => {
  using project = temporaryProject();
  const handshake = { ...INITIALIZE, id: "first", params: { ...INITIALIZE.params, ...params } };
  const answers = async (...messages: readonly object[]) => {
    const server = spawn(process.execPath, [MAIN, "mcp"], { cwd: project.root, env: testEnvironment() });
    const ended = end(server);
    server.stdin.end([...messages, PING].map((message) => `${JSON.stringify(message)}\n`).join(""));
    const { code, out } = await ended;
    expect(code).toBe(0);
    return out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id?: unknown });
  };
  const early = await answers(handshake);
  expect(early.map(({ id }) => id)).toEqual(["first", PING.id]);
  // What comes first is no handshake, so that the SDK answers.
  expect(await answers(INITIALIZED, handshake)).toEqual(early);
});
