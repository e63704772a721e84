import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openFreePorts } from "./free-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const listening = (port: number) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => resolve(server));
  });
/** All that may be taken but these. */
const allBut = (...ports: readonly number[]) =>
  new Set(Array.from({ length: 10_000 }, (_, n) => 20_000 + n).filter((port) => !ports.includes(port)));

describe("Free ports", () => {
  it("can be listened on, and are given to nobody else until they are given back", async () => {
    promise("bloom.environment");
    const [one, other] = [openFreePorts(folder), openFreePorts(folder)];
    const [first, second] = await Promise.all([one.take(2, new Set()), other.take(2, new Set())]);
    expect(new Set([...first.ports, ...second.ports]).size).toBe(4);
    const [port = 0] = first.ports;
    (await listening(port)).close();
    await expect(other.take(1, allBut(port))).rejects.toMatchObject({ code: "setup-failed" });
    first.release();
    const again = await other.take(1, allBut(port));
    expect(again.ports).toEqual([port]);
    again.release();
    second.release();
  });

  it("are none on which somebody listens, and none that others have", async () => {
    promise("bloom.environment");
    const ports = openFreePorts(folder);
    const { ports: both, release } = await ports.take(2, new Set());
    release();
    const [used = 0, free = 0] = both;
    const server = await listening(used);
    const taken = await ports.take(1, allBut(used, free));
    expect(taken.ports).toEqual([free]);
    taken.release();
    await expect(ports.take(2, allBut(used, free))).rejects.toThrow("No 2 free ports were found");
    // What it had begun to take is given back.
    (await ports.take(1, allBut(free))).release();
    server.close();
    expect((await ports.take(0, new Set())).ports).toEqual([]);
  });
});
