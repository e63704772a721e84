import { spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectOver, ERAS } from "../rig/client.ts";
import { type HttpServer, openHttpServer } from "../rig/http-server.ts";
import {
  end,
  MAIN,
  runPawl,
  type TemporaryProject,
  temporaryProject,
  testEnvironment,
} from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request as it is given, with headers that `fetch` does not let one set. */
function post(url: string, headers: OutgoingHttpHeaders, body: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { ...JSON_BOTH_WAYS, ...headers } }, (response) => {
      let heard = "";
      response.on("data", (chunk) => {
        heard += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: heard }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const JSON_BOTH_WAYS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

describe.each(ERAS)("pawl mcp --http, spoken to by a client of %s", (era) => {
  let project: TemporaryProject;
  let server: HttpServer;
  beforeAll(async () => {
    project = temporaryProject();
    server = await openHttpServer(project);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("lists its tools and moves a run", async () => {
    await using connected = await connectOver(server, { era });
    expect(connected.client.getInstructions()).toContain(`Project: ${project.root}`);
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["knock", "answer"]);
    expect(await connected.call("knock", { id: "front" })).toEqual({
      text: "# Somebody knocks at front.",
      data: { status: "success", message: "Somebody knocks at front." },
      isError: false,
    });
    expect(project.read(".door/front.json")).toBe('{"state":"knocked"}\n');
    expect(JSON.parse(project.read(".pawl/events.jsonl") ?? "")).toMatchObject({
      by: { channel: "mcp", who: "rig 1.0.0" },
    });
  });

  it("asks the human for a verdict", async () => {
    project.write("pawl.yaml", "alfred: { human_review: elicit }\n");
    project.write(".door/side.json", '{"state":"knocked"}\n');
    const asked: string[] = [];
    await using connected = await connectOver(server, {
      era,
      human: (message) => {
        asked.push(message);
        return { action: "accept", content: { approve: true } };
      },
    });
    await connected.call("answer", { id: "side", is_approved: false });
    expect(asked).toEqual(["Somebody knocks at side. Let them in?"]);
    expect(JSON.parse(project.read(".door/side.json") ?? "")).toMatchObject({
      state: "open",
      by: "elicitation",
    });
  });

  it("serves several clients at a time", async () => {
    await using one = await connectOver(server, { era });
    await using two = await connectOver(server, { era });
    const answers = await Promise.all([
      one.call("knock", { id: "one" }),
      two.call("knock", { id: "two" }),
      one.call("knock", { id: "three" }),
    ]);
    expect(answers.map(({ text }) => text)).toEqual([
      "# Somebody knocks at one.",
      "# Somebody knocks at two.",
      "# Somebody knocks at three.",
    ]);
  });
});

describe("who may speak to pawl mcp --http", () => {
  let project: TemporaryProject;
  let server: HttpServer;
  let authorization: string;
  const body = JSON.stringify(INITIALIZE);
  beforeAll(async () => {
    project = temporaryProject();
    server = await openHttpServer(project);
  });
  beforeEach(() => {
    authorization = `Bearer ${server.token}`;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("is who has the token, at this machine's own names", async () => {
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const reply = await post(server.url, { authorization, host, origin: `http://${host}` }, body);
      expect(reply).toMatchObject({ status: 200, headers: { "mcp-session-id": expect.any(String) } });
    }
    expect(new URL(server.url).hostname).toBe("127.0.0.1");
  });

  it.each([
    ["none", {}],
    ["a wrong one", { authorization: "Bearer wrong" }],
    ["another scheme", { authorization: "Basic d3Jvbmc6d3Jvbmc=" }],
  ])("is nobody without the token: %s", async (_, headers) => {
    const reply = await post(server.url, headers, body);
    expect(reply).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect(JSON.parse(reply.body).error.message).toContain("Authorization: Bearer");
    expect(reply.body).not.toContain(server.token);
  });

  it.each([
    { host: "evil.example" },
    { host: "127.0.0.1.evil.example" },
    { origin: "http://evil.example" },
    { origin: "null" },
  ])("is no page of another name, whatever token it has: %o", async (headers) => {
    expect(await post(server.url, { authorization, ...headers }, body)).toMatchObject({ status: 403 });
  });

  it("finds nothing beside the one path", async () => {
    const elsewhere = server.url.replace("/mcp", "/");
    expect(await post(elsewhere, { authorization }, body)).toMatchObject({ status: 404 });
  });

  it("may not send more than four megabytes, nor what is no JSON", async () => {
    const long = { authorization, "content-length": 4 * 1024 * 1024 + 1 };
    expect(await post(server.url, long, body)).toMatchObject({ status: 413 });
    expect(await post(server.url, { authorization }, "{ no")).toMatchObject({ status: 400 });
    const form = { authorization, "content-type": "text/plain" };
    expect(await post(server.url, form, body)).toMatchObject({ status: 415 });
    expect(await post(server.url, { authorization }, body)).toMatchObject({ status: 200 });
  });

  it("must begin anew in an unknown session", async () => {
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const unknown = await post(server.url, { authorization, "mcp-session-id": "unknown" }, list);
    expect(unknown.status).toBe(404);
    expect((await post(server.url, { authorization }, list)).status).toBe(400);
  });

  it("keeps no more than 64 sessions: the one that was longest silent has to begin anew", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 65; count++) {
      const { headers } = await post(server.url, { authorization }, body);
      ids.push(String(headers["mcp-session-id"]));
    }
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
    const statuses = [ids[0], ids[1], ids[64]].map(async (id) => {
      const session = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
      return (await post(server.url, { authorization, ...session }, ping)).status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
  });
});

describe("the process of pawl mcp --http", () => {
  it("tells a person the address and the token, on standard error alone", async () => {
    using project = temporaryProject();
    const child = spawn(process.execPath, [MAIN, "mcp", "--http"], {
      cwd: project.root,
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = end(child);
    const [told] = await once(child.stderr, "data");
    const [, url, token] = /(http:\S+)\n.*Authorization: Bearer (\S+)/.exec(String(told)) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    expect(await post(url ?? "", headers, JSON.stringify(INITIALIZE))).toMatchObject({ status: 200 });
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, out: "", err: String(told) });
  });

  it("refuses a token that could be guessed, or that no header can carry", async () => {
    using project = temporaryProject();
    for (const PAWL_MCP_TOKEN of ["short", "0123456789 abcdef"])
      await expect(openHttpServer(project, { environment: { PAWL_MCP_TOKEN } })).rejects.toThrow(
        "PAWL_MCP_TOKEN is not a valid token",
      );
  });

  it("takes the token of the environment, and does not show it", async () => {
    using project = temporaryProject();
    const environment = { PAWL_MCP_TOKEN: "0123456789abcdef" };
    await using server = await openHttpServer(project, { environment });
    await using connected = await connectOver(server);
    expect((await connected.client.listTools()).tools).toHaveLength(2);
    const { out, err } = await server.stop();
    expect(out + err).not.toContain(environment.PAWL_MCP_TOKEN);
  });

  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const)("ends on %s with %i, whoever is connected", async (signal, code) => {
    promise("cli.interrupted");
    using project = temporaryProject();
    const server = await openHttpServer(project);
    await using connected = await connectOver(server);
    await connected.call("knock", { id: "front" });
    expect(await server.stop(signal)).toMatchObject({ code, err: "" });
  });

  it("says it if the port is taken, or is none", async () => {
    using project = temporaryProject();
    await using server = await openHttpServer(project);
    const { port } = new URL(server.url);
    expect(await runPawl(project.root, ["mcp", "--http", "--port", port])).toMatchObject({
      code: 2,
      err: `pawl: Port ${port} of 127.0.0.1 is taken. [usage]\nfix:  Choose another with --port; 0 takes any free port.\n`,
    });
    for (const args of [
      ["--http", "--port", "70000"],
      ["--http", "--port", "x"],
      ["--port", "1"],
    ])
      expect(await runPawl(project.root, ["mcp", ...args])).toMatchObject({ code: 2, out: "" });
  });
});
