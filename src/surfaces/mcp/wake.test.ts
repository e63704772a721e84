import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { type JSONRPCMessage, McpServer, type ServerEvent } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { openEventLog } from "../../adapters/events/event-log.ts";
import { PawlError } from "../../core/error.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import type { Resource, WorkflowModule } from "../../runtime/module.ts";
import { type Decided, followingFirst, openBus, openFollower, wakeOn } from "./wake.ts";

const runtime = { mask: (text: string) => text };
const TEMPLATE = "pawl://alfred/tasks/{task_id}";
const resource = { uri: TEMPLATE, ids: async () => [] } as unknown as Resource;
const module = { mcp: { resources: async () => [resource] } } as unknown as WorkflowModule;
const LISTEN = { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: {} } as const;
const REFUSED = {
  code: -32602,
  message: "The log cannot be read.\nRepair it.",
  data: { code: "state-unreadable", fix: "Repair it." },
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-wake-"));
  path = join(folder, "events.jsonl");
  decide("TS-00");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function decide(id: string): void {
  const event = {
    time: "2026-01-01T00:00:00.000Z",
    type: "run:advanced",
    run: `alfred:${id}`,
    strength: "terminal",
    summary: "approved",
  };
  appendFileSync(path, `${JSON.stringify({ id: `${id}-${Math.random()}`, ...event })}\n`);
}

/** A log that opens when it is told to, or not at all. */
function lateLog(changes: Partial<EventLog> = {}) {
  const { promise, reject, resolve } = Promise.withResolvers<EventLog>();
  let isAsked = false;
  return {
    isAsked: () => isAsked,
    open: () => resolve({ ...openEventLog(path), ...changes }),
    fail: () => reject(new PawlError("state-unreadable", "The log cannot be read.", "Repair it.")),
    eventLog() {
      isAsked = true;
      return promise;
    },
  };
}

/** All that can go on without a log has gone on. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function settled(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  return () => isSettled;
}

function heardBy({
  onEachDecision,
}: Pick<ReturnType<typeof openFollower>, "onEachDecision">): readonly string[] {
  const heard: string[] = [];
  onEachDecision(({ run }: Decided) => void heard.push(run));
  return heard;
}

describe("a follower of the log", () => {
  it("has begun when no later verdict can be missed, and reports none before", async () => {
    promise("mcp.woken");
    const log = lateLog();
    const follower = openFollower(log);
    const heard = heardBy(follower);
    const begun = follower.follow();
    const isBegun = settled(begun);
    await turns();
    expect(isBegun()).toBe(false);
    log.open();
    await begun;
    decide("TS-01");
    await until(() => heard.length > 0);
    follower.end();
    expect(heard).toEqual(["alfred:TS-01"]);
  });

  it("tells of a verdict that came before its watch", async () => {
    promise("mcp.woken");
    const watch = () => {
      decide("TS-01");
      return { close() {} };
    };
    const log = lateLog({ watch });
    log.open();
    const follower = openFollower(log);
    const heard = heardBy(follower);
    await follower.follow();
    await until(() => heard.length > 0);
    expect(heard).toEqual(["alfred:TS-01"]);
  });

  it("follows once for all, until its end", async () => {
    let [opened, closed] = [0, 0];
    const watch: EventLog["watch"] = () => {
      opened += 1;
      return {
        close() {
          closed += 1;
        },
      };
    };
    const log = lateLog({ watch });
    log.open();
    const { end, follow } = openFollower(log);
    await Promise.all([follow(), follow()]);
    await follow();
    expect([opened, closed]).toEqual([1, 0]);
    end();
    expect([opened, closed]).toEqual([1, 1]);
  });

  it("says where the log cannot be read, and tries again with the next who asks", async () => {
    const logs = [lateLog(), lateLog()];
    let count = 0;
    const follower = openFollower({ eventLog: () => (logs[count++] ?? lateLog()).eventLog() });
    logs[0]?.fail();
    logs[1]?.open();
    await expect(follower.follow()).rejects.toThrow("The log cannot be read.");
    const heard = heardBy(follower);
    await follower.follow();
    decide("TS-02");
    await until(() => heard.length > 0);
    follower.end();
  });
});

describe("a subscription of 2026 over standard input", () => {
  function connection(log: ReturnType<typeof lateLog>) {
    const [near, wire] = InMemoryTransport.createLinkedPair();
    const follower = openFollower(log);
    const transport = followingFirst(wire, follower, runtime);
    const delivered: JSONRPCMessage[] = [];
    const answers: JSONRPCMessage[] = [];
    transport.onmessage = (message) => void delivered.push(message);
    near.onmessage = (message) => void answers.push(message);
    return { near, transport, delivered, answers, follower };
  }

  it("is let through once nothing is missed, and what came behind it waits behind it", async () => {
    promise("mcp.woken");
    const log = lateLog();
    const { delivered, follower, near, transport } = connection(log);
    await Promise.all([near.start(), transport.start()]);
    const ping = { jsonrpc: "2.0", id: 8, method: "ping" } as const;
    await near.send(LISTEN);
    await near.send(ping);
    await turns();
    expect([log.isAsked(), delivered]).toEqual([true, []]);
    log.open();
    await until(() => delivered.length === 2);
    expect(delivered).toEqual([LISTEN, ping]);
    follower.end();
  });

  it("is refused if the log cannot be read", async () => {
    promise("mcp.woken");
    const log = lateLog();
    log.fail();
    const { answers, delivered, near, transport } = connection(log);
    await Promise.all([near.start(), transport.start()]);
    await near.send(LISTEN);
    await until(() => answers.length > 0);
    expect([delivered, answers]).toEqual([[], [{ jsonrpc: "2.0", id: 7, error: REFUSED }]]);
  });
});

describe("a subscription of 2026 over HTTP", () => {
  const answered = async () => new Response("subscribed");

  it("is answered once nothing is missed; other requests do not wait", async () => {
    promise("mcp.woken");
    const log = lateLog();
    const bus = openBus([module], openFollower(log), runtime);
    expect(await (await bus.during("tools/call", answered)).text()).toBe("subscribed");
    expect(log.isAsked()).toBe(false);
    const answer = bus.during("subscriptions/listen", answered);
    const isAnswered = settled(answer);
    await turns();
    expect([log.isAsked(), isAnswered()]).toEqual([true, false]);
    log.open();
    expect((await answer).status).toBe(200);
  });

  it("is refused if the log cannot be read", async () => {
    promise("mcp.woken");
    const log = lateLog();
    log.fail();
    const bus = openBus([module], openFollower(log), runtime);
    const answer = await bus.during("subscriptions/listen", answered);
    expect([answer.status, await answer.json()]).toEqual([500, { jsonrpc: "2.0", error: REFUSED, id: null }]);
  });

  it("is told once of each verdict, however many others there are", async () => {
    promise("mcp.woken");
    const log = lateLog();
    log.open();
    const bus = openBus([module], openFollower(log), runtime);
    const told: string[][] = [[], [], []];
    const leaves: (() => void)[] = [];
    for (const each of told)
      await bus.during("subscriptions/listen", async () => {
        leaves.push(bus.subscribe((event: ServerEvent) => void each.push("uri" in event ? event.uri : "")));
        return new Response();
      });
    decide("TS-01");
    decide("TS-02");
    await until(() => told.every((each) => each.length >= 2));
    const both = ["pawl://alfred/tasks/TS-01", "pawl://alfred/tasks/TS-02"];
    expect(told).toEqual([both, both, both]);
    for (const leave of leaves) leave();
  });
});

describe("a subscription of 2025", () => {
  async function connected(log: ReturnType<typeof lateLog>) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const capabilities = { logging: {}, resources: { subscribe: true } };
    const server = new McpServer({ name: "pawl", version: "0" }, { capabilities });
    const connection = { server, runtime, templates: new Map([[TEMPLATE, resource]]), logLevel: null };
    wakeOn(connection, openFollower(log), "legacy");
    const client = new Client({ name: "rig", version: "0" }, { versionNegotiation: { mode: "legacy" } });
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    await Promise.all([server.connect(far), client.connect(near)]);
    return { client, updated, [Symbol.asyncDispose]: () => client.close() };
  }
  const uri = "pawl://alfred/tasks/TS-01";

  it("is answered once nothing is missed", async () => {
    promise("mcp.woken");
    const log = lateLog();
    await using connection = await connected(log);
    const { client, updated } = connection;
    const subscribed = client.subscribeResource({ uri });
    const isSubscribed = settled(subscribed);
    await turns();
    expect([log.isAsked(), isSubscribed()]).toEqual([true, false]);
    log.open();
    await subscribed;
    decide("TS-01");
    await until(() => updated.length > 0);
    expect(updated).toEqual([uri]);
  });

  it("is refused if the log cannot be read; a level of messages is taken all the same", async () => {
    const log = lateLog();
    log.fail();
    await using connection = await connected(log);
    const { client } = connection;
    await expect(client.subscribeResource({ uri })).rejects.toThrow("The log cannot be read.\nRepair it.");
    await client.setLoggingLevel("notice");
  });

  it("is refused behind the most that a connection may have; one that it has is not", async () => {
    const log = lateLog();
    log.open();
    await using connection = await connected(log);
    const { client } = connection;
    for (let count = 0; count < 256; count += 1) await client.subscribeResource({ uri: `${uri}${count}` });
    await expect(client.subscribeResource({ uri })).rejects.toThrow(
      "Too many subscriptions: one connection has at most 256.",
    );
    await client.subscribeResource({ uri: `${uri}0` });
    await client.unsubscribeResource({ uri: `${uri}0` });
    await client.subscribeResource({ uri });
  });
});
