import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { until } from "../../../test/rig/until.ts";
import { openHttp } from "./serve-http.ts";
import { openBus, openFollower } from "./wake.ts";

afterEach(() => void vi.useRealTimers());

function open() {
  const unused = () => Promise.reject(new Error("Nobody asks for it."));
  const bus = openBus([], openFollower({ eventLog: unused }), { mask: (text) => text });
  return openHttp({ bus, factory: unused, port: 0, token: "a-token-of-16-letters" });
}

it("keeps room for its clients, however many connections strangers open, silent or with a request", async () => {
  const http = await open();
  const { host, port } = new URL(http.url);
  const sockets = Array.from({ length: 400 }, () =>
    connect(Number(port), "127.0.0.1")
      .on("error", () => {})
      .resume(),
  );
  for (const [at, socket] of sockets.entries())
    if (at % 2 === 0) socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9999999\r\n\r\n{`);
  await until(() => sockets.filter(({ closed }) => !closed).length <= 32);
  const authorization = "Bearer a-token-of-16-letters";
  expect((await fetch(`${http.url}/elsewhere`, { headers: { authorization } })).status).toBe(404);
  await http.close(async () => {});
});

it("ends at once if a client has a connection open that it has not used", async () => {
  const http = await open();
  const socket = connect(Number(new URL(http.url).port), "127.0.0.1");
  const closed = once(socket, "close");
  await once(socket, "connect");
  // A refused request by another connection: by now the server has taken the first one.
  expect((await fetch(http.url)).status).toBe(401);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const ended = http.close(async () => {});
  // The limit for unsent answers never comes.
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all([ended, closed]);
});
