import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { connect } from "../rig/client.ts";
import { end, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { send, startServer, untilWritten } from "../rig/raw-server.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const knock = (id: number, door: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "knock", arguments: { id: door } },
});

describe("the process of pawl mcp", () => {
  it("finishes what it was asked to do when its input ends, and exits with 0", async () => {
    promise("mcp.ends-after-answers");
    using project = temporaryProject();
    const server = startServer(project);
    const ended = end(server);
    send(server, INITIALIZE, INITIALIZED, knock(2, "far-away"));
    server.stdin?.end();
    expect((await ended).code).toBe(0);
    expect(project.read(".door/far-away.json")).toBe('{"state":"knocked"}\n');
  });

  it("answers a handshake and what comes with it if its input ends at once", async () => {
    promise("mcp.ends-after-answers");
    using project = temporaryProject();
    const server = startServer(project);
    const ended = end(server);
    send(server, INITIALIZE, INITIALIZED, { jsonrpc: "2.0", id: 2, method: "tools/list" });
    server.stdin?.end();
    const { code, out } = await ended;
    const messages = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, messages.map(({ id }) => id)]).toEqual([0, [1, 2]]);
    expect(messages[1].result.tools.map(({ name }: { name: string }) => name)).toContain("knock");
  });

  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const)("ends on %s with %i", async (signal, code) => {
    promise("cli.interrupted");
    using project = temporaryProject();
    const server = startServer(project);
    const ended = end(server);
    send(server, INITIALIZE);
    if (server.stdout) await once(server.stdout, "data");
    server.kill(signal);
    expect(await ended).toMatchObject({ code, err: "" });
  });

  it("ends when nobody reads its answers any more", async () => {
    using project = temporaryProject();
    const server = startServer(project);
    const ended = once(server, "exit");
    send(server, INITIALIZE);
    if (server.stdout) await once(server.stdout, "data");
    server.stdout?.destroy();
    server.stdin?.on("error", () => {});
    for (let id = 2; id < 40; id++) send(server, knock(id, "front"));
    await ended;
  });

  it("writes nothing but the protocol to its output, whatever else writes there", async () => {
    promise("mcp.stdout");
    using project = temporaryProject();
    const server = startServer(project, { NOISY: "1" });
    const ended = end(server);
    send(server, INITIALIZE, INITIALIZED);
    if (server.stderr) await once(server.stderr, "data");
    send(server, knock(2, "front"), knock(3, "front"));
    await untilWritten(server, '"id":3');
    server.stdin?.end();
    const { out, err } = await ended;
    const messages = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(messages.map(({ id }) => id).filter(Boolean)).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(err).toContain("noise");
  });

  it("stays alive over a line that is no message", async () => {
    using project = temporaryProject();
    const server = startServer(project);
    const ended = end(server);
    server.stdin?.write("this is no JSON\n");
    send(server, INITIALIZE, INITIALIZED, knock(2, "front"));
    await untilWritten(server, "Somebody knocks at front.");
    server.stdin?.end();
    expect((await ended).code).toBe(0);
  });

  it("takes the repository's root for a project that is still to be made", async () => {
    using project = temporaryProject({ marked: false });
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    await using connected = await connect(project);
    expect(connected.client.getInstructions()).toContain(`Project: ${project.root}`);
  });
});
