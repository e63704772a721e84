/** What a program behind the wall reaches where its network is `model`. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { NO_WALL } from "../../../test/rig/wall.ts";
import { DEFAULT_SETTINGS, type SandboxSettings } from "../../core/settings.ts";
import { isAllowed } from "./egress.ts";
import { proveWall } from "./prove.ts";
import { openWall } from "./wall.ts";

let home: string;
let server: Server;
let port: number;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-network-")));
  mkdirSync(join(home, "project/.pawl"), { recursive: true });
  server = createServer((_, answer) => answer.end("the model's answer"));
  await new Promise<void>((done) => server.listen(0, "0.0.0.0", done));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true, force: true });
});

/** What Node prints that runs the script behind the wall; `hosts`: where its model is. */
async function inside(
  script: string,
  hosts: readonly string[],
  settings: Partial<SandboxSettings> = {},
  own: Readonly<Record<string, string>> = {},
) {
  const environment = { HOME: home, PATH: process.env.PATH ?? "", ...own };
  const folder = join(home, "project");
  const { wall } = openWall({
    projectRoot: folder,
    stateFolder: join(home, "state/pawl/projects/x"),
    environment,
    settings: { ...DEFAULT_SETTINGS.sandbox, kind: "bwrap", network: "model", ...settings },
    programs: [],
    tasksFile: "tasks.yaml",
    workflows: [],
  });
  const called = wall?.enclose({
    folder: { agentPath: folder },
    program: process.execPath,
    args: ["-e", script],
    environment,
    agent: { run: "T1.1", home: [], hosts },
  });
  const { program = "", args = [], environment: env = {} } = called ?? {};
  return new Promise<{ code: number | string; out: string }>((done) => {
    execFile(program, [...args], { env, cwd: folder, timeout: 20_000 }, (error, out, err) => {
      called?.release?.();
      done({ code: error?.code ?? 0, out: `${out}${err}` });
    });
  });
}

const asking = (url: string) =>
  `fetch(${JSON.stringify(url)}).then((r) => r.text(), (e) => "no: " + (e.cause?.code ?? e.cause ?? e)).then(console.log)`;
/** By the proxy, as a program asks it for a connection with TLS. */
const tunnelling = (to: string) =>
  `const { hostname, port } = new URL(process.env.HTTPS_PROXY);
  require("http").request({ hostname, port, method: "CONNECT", path: ${JSON.stringify(to)} })
    .on("connect", (r, s, head) => { console.log(r.statusCode + "\\n" + head); s.on("data", (d) => process.stdout.write(d)); s.end("GET / HTTP/1.0\\r\\n\\r\\n"); })
    .end();`;

it.skipIf(NO_WALL)("its model, by a plain request and by a connection through the proxy", async () => {
  const there = `${hostname()}:${port}`;
  expect((await inside(asking(`http://${there}/`), [there])).out).toContain("the model's answer");
  expect((await inside(tunnelling(there), [there])).out).toMatch(/^200\n+HTTP\/1\.1 200 OK[\s\S]*answer$/);
});

it.skipIf(NO_WALL)(
  "a model on this machine's loopback, at its own address, and no other port there",
  async () => {
    const there = `127.0.0.1:${port}`;
    expect((await inside(asking(`http://${there}/`), [there])).out).toBe("the model's answer\n");
    const other = createServer((_, answer) => answer.end("not for it"));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port: wrong } = other.address() as AddressInfo;
    expect((await inside(asking(`http://127.0.0.1:${wrong}/`), [there])).out).toContain("no: ECONNREFUSED");
    expect((await inside(tunnelling(`127.0.0.1:${wrong}`), [there])).out).toMatch(
      /^403\n[\s\S]*sandbox\.hosts/,
    );
    other.close();
  },
);

it.skipIf(NO_WALL)("no other host, whether it asks the proxy or the network itself", async () => {
  const there = `${hostname()}:${port}`;
  expect((await inside(asking(`http://${there}/`), ["api.example.com"])).out).toMatch(/^no: /);
  const { out } = await inside(tunnelling(there), ["api.example.com"]);
  expect(out).toMatch(/^403\n[\s\S]*sandbox\.hosts/);
  const direct = `require("net").connect(${port}, ${JSON.stringify(hostname())}).on("connect", () => console.log("out")).on("error", (e) => console.log("no: " + e.code))`;
  expect((await inside(direct, ["api.example.com"])).out).toMatch(/^no: /);
});

it.skipIf(NO_WALL)("what the settings name besides", async () => {
  const there = `${hostname()}:${port}`;
  expect((await inside(asking(`http://${there}/`), [], { hosts: [there] })).out).toContain("answer");
});

it.skipIf(NO_WALL)("ends as the program ends", async () => {
  expect(await inside("process.exit(7)", ["api.example.com"])).toMatchObject({ code: 7 });
  expect(await inside('process.kill(process.pid, "SIGTERM")', ["api.example.com"])).toMatchObject({
    code: 143,
  });
});

it("compares names and ports, and nothing else", () => {
  const hosts = ["api.example.com", "*.models.example", "local:8080"];
  const reaches = (host: string, port: number) => isAllowed({ host, port }, hosts);
  expect([reaches("api.example.com", 443), reaches("api.example.com", 80)]).toEqual([true, true]);
  expect(reaches("api.example.com", 22)).toBe(false);
  expect(reaches("api.example.com.evil.org", 443)).toBe(false);
  expect(reaches("evil-api.example.com", 443)).toBe(false);
  expect([reaches("eu.models.example", 443), reaches("models.example", 443)]).toEqual([true, false]);
  expect(reaches("evilmodels.example", 443)).toBe(false);
  expect([reaches("local", 8080), reaches("local", 443)]).toEqual([true, false]);
});

it.skipIf(NO_WALL)(
  "is tried from inside, by `pawl config agents`, if the network is not all open",
  async () => {
    const found = async (network: SandboxSettings["network"]) => {
      const proved = await proveWall({
        projectRoot: join(home, "project"),
        stateFolder: join(home, "state/pawl/projects/x"),
        environment: { HOME: home, PATH: process.env.PATH },
        settings: { ...DEFAULT_SETTINGS.sandbox, network },
        programs: [],
        tasksFile: "tasks.yaml",
        workflows: [],
      });
      return proved.kind === "none" ? [] : proved.tried.filter(({ what }) => what.includes("servers"));
    };
    expect(await found("model")).toEqual([{ what: "to reach servers of this machine", held: true }]);
    expect(await found("all")).toEqual([]);
  },
);

it.skipIf(NO_WALL).each(["model", "none"] as const)(
  "a task's own port leads to the server outside, another one nowhere, and a free one is free (network: %s)",
  async (network) => {
    const other = createServer((_, answer) => answer.end("somebody else's"));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const another = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    vi.stubEnv("TMPDIR", home);
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("pawl-out-")).length;
    const before = folders();
    const free = 20_000 + (process.pid % 10_000);
    const own = { PAWL_PORT_1: String(port), PAWL_PORT_2: String(free) };
    const listens = `require("net").createServer().listen(${free}, "127.0.0.1", function () { console.log("free"); this.close() });`;
    const script = `${listens}${asking(`http://127.0.0.1:${port}/`)}.then(() => ${asking(another)})`;
    const { out } = await inside(script, [], { network }, own);
    other.close();
    expect(out).toMatch(/^free\nthe model's answer\nno: ECONNREFUSED\n$/);
    expect((await inside(asking(`http://127.0.0.1:${port}/`), [], { network })).out).toMatch(/^no: /);
    expect(folders()).toBe(before);
    vi.unstubAllEnvs();
  },
);
