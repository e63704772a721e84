/** Who gets in from another device, request by request. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../rig/board.ts";
import { type DeviceBoard, openDeviceBoard } from "../rig/devices.ts";
import { end, pawlInside, personAtTerminal, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateHome, useScratchStateHome } from "../rig/state-home.ts";
import { unshare } from "../rig/unshare.ts";
import { until } from "../rig/until.ts";

const LONG = { timeout: 60_000 };
const FULL = resolve(import.meta.dirname, "../rig/full-state-home.ts");

let forget = () => {};
beforeEach(() => {
  forget = useScratchStateHome();
});
afterEach(() => forget());

const JSON_TYPE = { "content-type": "application/json" };

/** A request of the entrance's page. */
function come(origin: string, way: string, body: object, headers: object = {}) {
  const { host, port } = new URL(origin);
  return ask(`http://127.0.0.1:${port}/enter/${way}`, {
    method: "POST",
    headers: { host, origin, ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}

/** Lets a device in without a passkey, by the code that the terminal shows; returns its requests. */
async function enter(board: DeviceBoard, name: string) {
  const entered = await come(board.origin, "cookie", { secret: board.invitation().code, name });
  const cookie = entered.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const { host, port } = new URL(board.origin);
  const at = `http://127.0.0.1:${port}`;
  const { csrf, projects } = (await ask(`${at}/api/session`, { headers: { host, cookie } })).json();
  return {
    project: projects[0].key,
    post: (path: string, body: object) =>
      ask(`${at}${path}`, {
        method: "POST",
        headers: { host, cookie, origin: board.origin, "x-pawl-csrf": csrf, ...JSON_TYPE },
        body: JSON.stringify(body),
      }),
  };
}

describe("the sign-in of other devices", () => {
  it("answers one Host and one Origin, and shows nothing without a session", async () => {
    promise("board.device-door");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    const { host, port } = new URL(board.origin);
    const at = (path: string, headers: object = {}) =>
      ask(`http://127.0.0.1:${port}${path}`, { headers: { host, ...headers } });
    for (const other of ["evil.example", `127.0.0.1:${port}`, `evil.example:${port}`])
      expect((await at("/enter", { host: other })).status, other).toBe(421);
    expect((await at("/enter", { origin: "https://evil.example" })).status).toBe(403);
    expect((await at("/enter", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    // What a proxy adds is not believed.
    const forwarded = { host: "evil.example", "x-forwarded-host": host, forwarded: `host=${host}` };
    expect((await at("/enter", forwarded)).status).toBe(421);
    expect((await at("/")).headers.location).toBe("/enter");
    for (const path of ["/api/session", "/api/inbox", "/api/events", "/metrics"])
      expect((await at(path)).status, path).toBe(401);
    const page = await at("/enter");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.headers).toMatchObject({ "x-frame-options": "DENY", "cache-control": "no-store" });
    const secret = board.invitation().code;
    const other = { origin: "https://evil.example" };
    expect((await come(board.origin, "cookie", { secret, name: "A" }, other)).status).toBe(403);
    await until(() => (project.read(".pawl/events.jsonl") ?? "").includes("device:refused"));
    expect(project.read(".pawl/events.jsonl")).toContain("its Host is not the board's own address");
  });

  it("takes a code once, and no other, and stops who tries too often", async () => {
    promise("board.devices", "board.device-door");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    const { code } = board.invitation();
    const wrong = await come(board.origin, "cookie", { secret: "AAAA-AAAA", name: "A" });
    expect([wrong.status, wrong.json().code]).toEqual([403, "board-refused"]);
    const odd = await come(board.origin, "cookie", { secret: code, name: "\u202eevil" });
    expect([odd.status, odd.json().code]).toEqual([400, "usage"]);
    const entered = await come(board.origin, "cookie", { secret: code.toLowerCase(), name: "A" });
    expect(entered.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Host-pawl_device_\d+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const second = await come(board.origin, "cookie", { secret: code, name: "B" });
    expect([second.status, second.json().message]).toEqual([403, expect.stringContaining("used already")]);
    let tried = await come(board.origin, "passkey", { answer: {} });
    for (let tries = 0; tries < 30 && tried.status !== 429; tries++)
      tried = await come(board.origin, "passkey", { answer: {} });
    expect(tried.status).toBe(429);
    // Nor does the right code get through then.
    const { code: next } = await board.another();
    expect((await come(board.origin, "cookie", { secret: next, name: "C" })).status).toBe(429);
  });

  it("takes thirty verdicts and answers a minute of one device, and others' beside them", async () => {
    promise("board.device-door");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    const first = await enter(board, "First");
    const path = `/api/${first.project}/verdict/release:none`;
    const order = { approve: false, notes: "", points: [], version: "x" };
    const statuses: number[] = [];
    for (let sent = 0; sent < 31; sent++) statuses.push((await first.post(path, order)).status);
    expect(statuses.slice(0, 30)).not.toContain(429);
    expect(statuses[30]).toBe(429);
    const refused = (await first.post(path, order)).json();
    expect(refused).toMatchObject({
      message: expect.stringContaining("too many verdicts and answers in a minute"),
      fix: "Wait for a minute.",
    });
    await board.another();
    const second = await enter(board, "Second");
    expect((await second.post(path, order)).status).not.toBe(429);
    await until(() => (project.read(".pawl/events.jsonl") ?? "").includes("too many verdicts and answers"));
  });

  it("lets ten devices in, and another once one is revoked", async () => {
    promise("board.devices");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    for (let n = 1; n <= 10; n++) {
      if (n > 1) await board.another();
      await enter(board, `Device ${n}`);
    }
    const knock = async () => {
      const { code } = await board.another();
      return come(board.origin, "cookie", { secret: code, name: "Eleventh" });
    };
    const refused = await knock();
    expect([refused.status, refused.json().code, refused.headers["set-cookie"]]).toEqual([
      400,
      "usage",
      undefined,
    ]);
    expect(refused.json()).toMatchObject({
      message: "10 devices may use the board already, and no more can.",
      fix: expect.stringContaining("pawl board --revoke NAME"),
    });
    const listed = async () => (await personAtTerminal(project.root, ["board", "--devices"])).out;
    expect(await listed()).not.toContain("Eleventh");
    await personAtTerminal(project.root, ["board", "--revoke", "Device 3"]);
    expect((await knock()).status).toBe(200);
    expect(await listed()).toContain("Eleventh");
  });

  it.skipIf(unshare === undefined)("adds no device for which the disk has no room", LONG, async () => {
    promise("board.devices");
    const folder = mkdtempSync(join(tmpdir(), "pawl-state-home-full-"));
    const words = [unshare ?? "", process.execPath, FULL, folder];
    const { code, err, out } = await end(spawn("unshare", words, { env: testEnvironment() }));
    rmSync(folder, { recursive: true, force: true });
    expect([code, err]).toEqual([0, ""]);
    const seen = JSON.parse(out);
    expect(seen.refused).toMatchObject({ status: 400, cookie: null, code: "state-home-failed" });
    expect(seen.refused.message).toContain("the disk is full (ENOSPC)");
    expect(seen.refused.fix).toContain("Free");
    expect(seen.before).toEqual({ files: [], listed: expect.stringMatching(/^No device/) });
    expect([seen.again, seen.after]).toEqual([200, expect.stringMatching(/no passkey {2}Phone/)]);
  });

  it("lets in no agent, and puts its code nowhere but on the terminal", async () => {
    promise("board.devices", "board.agents");
    using project = temporaryProject();
    await using board = await openDeviceBoard(project);
    const { address, code } = board.invitation();
    const token = address.split("#")[1] ?? "";
    const { host, port } = new URL(board.origin);
    const headers = { host, origin: board.origin, ...JSON_TYPE };
    const body = JSON.stringify({ secret: code, name: "Agent" });
    const curl = `
      const [url, headers, body] = process.argv.slice(1);
      require("node:http").request(url, { method: "POST", headers: JSON.parse(headers) }, (response) => {
        response.resume();
        console.log(response.statusCode);
      }).end(body);
    `;
    const words = ["-e", curl, `http://127.0.0.1:${port}/enter/cookie`, JSON.stringify(headers), body];
    const ran = spawnSync(process.execPath, words, {
      env: { ...testEnvironment(), CLAUDECODE: "1" },
      encoding: "utf8",
    });
    expect(ran.stdout).toBe("403\n");
    const places = [project.root, stateHome().XDG_STATE_HOME].flatMap(filesBelow);
    const texts = [...places.map((path) => readFileSync(path, "latin1")), board.output()];
    for (const secret of [code, code.replace("-", ""), token])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    expect(board.screen()).toContain(code);
  });

  it("serves https with the person's certificate, and no network without one", async () => {
    promise("board.device-door");
    using project = temporaryProject();
    const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(project.root, name)) as [string, string];
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"],
        ...["-subj", "/CN=laptop.test", "-keyout", key, "-out", cert],
      ],
      { stdio: "pipe" },
    );
    const port = await freePort();
    const args = [
      "--listen",
      `0.0.0.0:${port}`,
      "--origin",
      "https://laptop.test",
      "--cert",
      cert,
      "--key",
      key,
    ];
    await using board = await openDeviceBoard(project, args);
    expect(board.origin).toBe("https://laptop.test");
    const status = (host: string) =>
      new Promise((resolve, reject) => {
        const order = {
          host: "127.0.0.1",
          port,
          path: "/enter",
          headers: { host },
          rejectUnauthorized: false,
        };
        request({ ...order, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect([await status("laptop.test"), await status(`laptop.test:${port}`)]).toEqual([200, 421]);
    await expect(ask(`http://127.0.0.1:${port}/enter`)).rejects.toThrow();
    const refusals = [
      [["--listen", "192.0.2.1:7295"], "everybody on the network of 192.0.2.1 could read the board"],
      [["--listen", "0.0.0.0:7295"], "everybody on the network"],
      [["--listen", "nonsense here"], "expected HOST:PORT"],
      [["--listen", "--origin", "http://laptop.test"], "expected the https address"],
      [["--listen", "--cert", cert], "--cert and --key belong together"],
      [["--listen", "--cert", key, "--key", cert], "cannot serve https"],
      [["--origin", "https://laptop.test"], "--origin works only with --listen"],
    ] as const;
    for (const [words, message] of refusals) {
      const refused = await personAtTerminal(project.root, ["board", ...words]);
      expect([refused.code, refused.err], words.join(" ")).toEqual([2, expect.stringContaining(message)]);
    }
  });

  it("is opened by a person at a terminal alone", async () => {
    promise("board.devices", "board.agents");
    using project = temporaryProject();
    const blind = await pawlInside(project.root, ["board", "--listen"]);
    expect(blind.err).toContain("needs a terminal");
    const marked = { environment: { CLAUDECODE: "1" } };
    for (const words of [["--listen"], ["--revoke", "A"]]) {
      const refused = await personAtTerminal(project.root, ["board", ...words], marked);
      expect(refused.err, words.join(" ")).toContain("this call comes from");
    }
  });

  it("reads no list of devices that another could have written", async () => {
    promise("board.devices");
    using project = temporaryProject();
    const folder = join(stateHome().XDG_STATE_HOME, "pawl/devices");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, "0123abcd.json");
    const device = {
      id: "0123abcd",
      name: "Planted",
      added: "2026-01-01T00:00:00.000Z",
      passkey: null,
      cookie: null,
    };
    const list = async (text: string, mode = 0o600) => {
      writeFileSync(path, text);
      chmodSync(path, mode);
      return personAtTerminal(project.root, ["board", "--devices"]);
    };
    expect((await list(JSON.stringify(device))).out).toContain("Planted");
    for (const [text, problem] of [
      ["{", "it is not valid JSON"],
      [JSON.stringify({ ...device, name: "\u001b[2J" }), "name: expected a name"],
      [JSON.stringify({ ...device, id: "ffffffff" }), "its id is not its name"],
      [JSON.stringify({ ...device, may: "all" }), "may: expected no such key"],
    ] as const) {
      const { code, err } = await list(text);
      expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
    }
    expect((await list(JSON.stringify(device), 0o666)).err).toContain("other users may write it");
  });
});
