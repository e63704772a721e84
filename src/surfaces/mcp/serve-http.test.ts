import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { openHttp } from "./serve-http.ts";
import { openBus, openFollower } from "./wake.ts";

afterEach(() => void vi.useRealTimers());

it("ends at once where a client has a connection open that it has not used", async () => {
  const unused = () => Promise.reject(new Error("Nobody asks for it."));
  const bus = openBus([], openFollower({ eventLog: unused }), { mask: (text) => text });
  const http = await openHttp({ bus, factory: unused, port: 0, token: "a-token-of-16-letters" });
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
