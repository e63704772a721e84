import { connect } from "node:net";
import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { until } from "../../../../test/rig/until.ts";
import { LOOPBACK, listenHttp } from "./http.ts";

it("looks at a connection's peer only once it asks, since the look takes long and anyone can open connections", async () => {
  promise("board.users");
  let looks = 0;
  const admits = () => ++looks === 1;
  const address = { host: LOOPBACK, port: 0, tls: null };
  const server = await listenHttp(address, () => new Response("answered"), admits);
  const silent = Array.from({ length: 100 }, () =>
    connect(Number(server.host.split(":")[1]), LOOPBACK)
      .on("error", () => {})
      .resume(),
  );
  await until(() => silent.filter(({ closed }) => !closed).length <= 32);
  expect(looks).toBe(0);
  const url = `http://${server.host}/`;
  expect(await (await fetch(url, { headers: { connection: "close" } })).text()).toBe("answered");
  await expect(fetch(url)).rejects.toThrow();
  expect(looks).toBe(2);
  await server.close();
});
