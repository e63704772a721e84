import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardOf } from "../../src/config/board-file.ts";
import { stateFolder } from "../../src/config/state-home.ts";
import { ask, type BoardServer, type Browser, enterBoard, openBoardServer } from "../rig/board.ts";
import { type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateHome } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const line = (id: string, more: object = {}) =>
  `${JSON.stringify({ id, type: "task:noted", time: "2026-01-01T00:00:00.000Z", taskId: id, text: "", ...more })}\n`;

function append(project: TemporaryProject, text: string): void {
  mkdirSync(join(project.root, ".pawl"), { recursive: true });
  writeFileSync(join(project.root, ".pawl/events.jsonl"), text, { flag: "a" });
}

describe("the board's admission", () => {
  let project: TemporaryProject;
  let board: BoardServer;
  let browser: Browser;
  let own: Readonly<Record<string, string>>;
  beforeAll(async () => {
    project = temporaryProject();
    board = await openBoardServer(project);
    browser = await enterBoard(board);
    own = {
      cookie: browser.cookie,
      origin: board.url.slice(0, -1),
      "x-pawl-csrf": browser.csrf,
      "content-type": "application/json",
    };
  });
  afterAll(async () => {
    await board[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it("opens one browser by its address, once, with a cookie that no script reads and no other site sends", async () => {
    promise("board.door");
    await using other = await openBoardServer(project);
    const first = await ask(other.address);
    expect(first.status).toBe(200);
    expect(first.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^pawl_board_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    const second = await ask(other.address);
    expect([second.status, second.headers["set-cookie"]]).toEqual([401, undefined]);
    expect((await ask(`${other.url}enter/${"a".repeat(43)}`)).status).toBe(401);
    // Another board's cookie is none of this one's, whichever name it is given.
    const foreign = (await enterBoard(board).catch(() => null))?.cookie;
    expect(foreign).toBeUndefined();
  });

  it("is not used up by a program that only looks if its address leads", async () => {
    promise("board.door");
    await using other = await openBoardServer(project);
    const looked = await ask(other.address, { method: "HEAD" });
    expect([looked.status, looked.headers["set-cookie"]]).toEqual([405, undefined]);
    expect((await ask(other.address)).status).toBe(200);
  });

  it("answers while hundreds of connections that ask nothing are held open", async () => {
    promise("board.door");
    const { hostname, port } = new URL(board.url);
    const silent = Array.from({ length: 300 }, () =>
      createConnection(Number(port), hostname).on("error", () => {}),
    );
    const others = silent.slice(0, -32);
    await until(() => others.every(({ destroyed }) => destroyed) || null);
    const answered = await ask(`${board.url}api/session`, { headers: { cookie: browser.cookie } });
    expect(answered.status).toBe(200);
    for (const each of silent) each.destroy();
  });

  it.each(["/", "/assets/main.js", "/api/session", "/api/inbox", "/api/events", "/nothing"])(
    "shows nothing of %s without the cookie",
    async (path) => {
      promise("board.door");
      const answered = await ask(`${board.url.slice(0, -1)}${path}`);
      expect(answered.status).toBe(401);
      expect(answered.text).toContain("no session");
      const wrong = await ask(`${board.url.slice(0, -1)}${path}`, {
        headers: { cookie: browser.cookie.replace(/=.*/, `=${"A".repeat(43)}`) },
      });
      expect(wrong.status).toBe(401);
    },
  );

  it.each([
    ["another Host", { host: "evil.example" }, 421],
    ["its own Host with another port", { host: "127.0.0.1:1" }, 421],
    ["another name of this machine", { host: "localhost" }, 421],
    ["another page's Origin", { origin: "https://evil.example" }, 403],
    ["no page's Origin", { origin: "null" }, 403],
    ["another port's Origin", { origin: "http://127.0.0.1:1" }, 403],
    ["another site, as the browser says", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of this machine, as the browser says", { "sec-fetch-site": "same-site" }, 403],
  ])("refuses a request with %s, whatever its cookie", async (_, headers, status) => {
    promise("board.door");
    for (const path of ["/", "/api/session", `/api/${browser.project}/runs`, "/api/events"])
      expect((await browser.get(path, headers)).status, path).toBe(status);
    const posted = await browser.post(`/api/${browser.project}/stop/T1`, {}, headers);
    expect([posted.status, posted.headers["access-control-allow-origin"]]).toEqual([status, undefined]);
  });

  it.each([
    ["without an Origin", { origin: undefined }, 403],
    ["without the page's secret", { "x-pawl-csrf": undefined }, 403],
    ["with another secret", { "x-pawl-csrf": "x".repeat(43) }, 403],
    ["with a form's content type", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["with plain text", { "content-type": "text/plain" }, 415],
    ["without a content type", { "content-type": undefined }, 415],
  ])("refuses a change %s", async (_, missing, status) => {
    promise("board.door");
    const headers = Object.fromEntries(
      Object.entries({ ...own, ...missing }).filter(
        (each): each is [string, string] => each[1] !== undefined,
      ),
    );
    const path = `api/${browser.project}/stop/T1`;
    const answered = await ask(`${board.url}${path}`, { method: "POST", headers, body: "{}" });
    expect(answered.status).toBe(status);
    expect(answered.json().code).toBe("board-refused");
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])(
    "takes no %s: no preflight ever succeeds",
    async (method) => {
      promise("board.door");
      const headers = {
        ...own,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-pawl-csrf",
      };
      const answered = await ask(`${board.url}api/${browser.project}/stop/T1`, { method, headers });
      expect(answered.status).toBe(405);
      expect(Object.keys(answered.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    },
  );

  it("changes nothing for a GET, and knows no other address", async () => {
    promise("board.door");
    for (const path of [
      `/api/${browser.project}/stop/T1`,
      "/api/other/runs",
      "/api/",
      "/x",
      "/assets/",
      "/enter/",
    ])
      expect((await browser.get(path)).status, path).toBe(404);
  });

  it.each([
    "/assets/../index.html",
    "/assets/../../../package.json",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/..\\..\\package.json",
    "/assets//etc/passwd",
    "/../../etc/passwd",
    "//etc/passwd",
    "/assets/index.html%00.js",
    "/api/../etc/passwd",
  ])("serves no file at %s", async (path) => {
    promise("board.door");
    const answered = await browser.get(path);
    expect([400, 404]).toContain(answered.status);
    expect(answered.text).not.toMatch(/root:|"name": "pawl"/);
  });

  it("has the browser run only its own files, show it in no frame, and keep nothing", async () => {
    promise("board.door");
    const [page, data] = [await browser.get("/"), await browser.get("/api/session")];
    expect(page.status).toBe(200);
    for (const { headers } of [page, data]) {
      expect(headers).toMatchObject({
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cache-control": "no-store",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=|https?:/);
  });

  it("takes no more than its limit of a body, whether or not the length is said", async () => {
    promise("board.limits");
    const big = `"${"x".repeat(300 * 1024)}"`;
    const path = `/api/${browser.project}/stop/T1`;
    expect((await browser.post(path, big)).status).toBe(413);
    expect((await browser.post(path, big, { "transfer-encoding": "chunked" })).status).toBe(413);
  });

  it("serves only so many streams at once, and takes another if one has ended", async () => {
    promise("board.limits");
    const open = [];
    for (;;) {
      const listening = await browser.listen();
      if (listening.status !== 200) {
        expect([listening.status, open.length]).toEqual([429, 24]);
        break;
      }
      await listening.next("hello");
      open.push(listening);
    }
    for (const each of open) each.close();
    for (;;) {
      const listening = await browser.listen();
      if (listening.status !== 200) continue;
      listening.close();
      break;
    }
  });

  it("is bound to loopback alone", async () => {
    promise("board.door");
    const { port } = new URL(board.url);
    const table = readFileSync("/proc/net/tcp", "latin1") + readFileSync("/proc/net/tcp6", "latin1");
    const hex = Number(port).toString(16).toUpperCase().padStart(4, "0");
    const listening = table.split("\n").filter((each) => each.includes(`:${hex} `) && / 0A /.test(each));
    expect(listening.map((each) => each.trim().split(/\s+/)[1])).toEqual([`0100007F:${hex}`]);
  });

  it.each(["", "healthz", "api/session", "enter/x", "assets/x"])(
    "answers once on a connection without a session, and ends it: /%s",
    async (path) => {
      promise("board.limits");
      const { host, port } = new URL(board.url);
      const socket = createConnection(Number(port), "127.0.0.1");
      let heard = "";
      socket.on("data", (part) => {
        heard += part;
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => {});
      socket.write(`GET /${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(3));
      await closed;
      expect(heard.match(/^HTTP\/1.1 /gm)).toHaveLength(1);
    },
  );

  it("closes a connection that asks nothing", async () => {
    promise("board.limits");
    const socket = createConnection(Number(new URL(board.url).port), "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.resume();
    socket.write("GET / HTTP/1.1\r\n");
    await closed;
  });
});

describe("the board's stream", () => {
  it("says what happened as it happens, and resumes without a miss: later, by another server, over a rotated log", async () => {
    promise("board.live");
    using project = temporaryProject();
    append(project, line("before"));
    let last = "";
    const seen: string[] = [];
    const take = async (browser: Browser, ids: readonly string[]) => {
      const listening = await browser.listen(last);
      await listening.next("hello");
      return {
        async all() {
          for (const id of ids) {
            const { data, id: place } = await listening.next("logged");
            expect(data.run).toBe(`bloom:${id}`);
            seen.push(id);
            last = place;
          }
          listening.close();
        },
      };
    };
    const first = await openBoardServer(project);
    const browser = await enterBoard(first);
    const live = await take(browser, ["a", "b"]);
    append(project, line("a") + line("b").slice(0, 9));
    append(project, line("b").slice(9));
    await live.all();
    append(project, line("c") + line("d"));
    await (await take(browser, ["c"])).all();
    await first.stop();
    append(project, line("e"));
    renameSync(join(project.root, ".pawl/events.jsonl"), join(project.root, ".pawl/events.jsonl.1"));
    append(project, line("f"));
    await using second = await openBoardServer(project);
    await (await take(await enterBoard(second), ["d", "e", "f"])).all();
    expect(seen).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("says where it cannot resume: a log that was cut, or is gone, or a reader too far behind", async () => {
    promise("board.live");
    using project = temporaryProject();
    append(project, line("first") + line("second"));
    await using board = await openBoardServer(project);
    const browser = await enterBoard(board);
    const listening = await browser.listen();
    const { id } = await listening.next("hello");
    writeFileSync(join(project.root, ".pawl/events.jsonl"), line("first"));
    expect((await listening.next("reset")).data).toEqual({ project: browser.project });
    listening.close();
    writeFileSync(join(project.root, ".pawl/events.jsonl"), line("another") + line("b"));
    const other = await browser.listen(id);
    expect((await other.next("reset")).data).toEqual({ project: browser.project });
    append(project, line("later"));
    expect((await other.next("logged")).data.run).toBe("bloom:later");
    other.close();
    const before = await browser.listen();
    const { id: place } = await before.next("hello");
    before.close();
    append(project, line("x".repeat(1024 * 1024)).repeat(12));
    const far = await browser.listen(place);
    await far.next("reset");
    far.close();
  });

  it("holds back nothing but itself for a reader that does not read, and leaves nothing behind in memory", async () => {
    promise("board.limits");
    using project = temporaryProject();
    append(project, line("first"));
    await using board = await openBoardServer(project);
    const browser = await enterBoard(board);
    const [slow, quick] = [await browser.listen(), await browser.listen()];
    await Promise.all([slow.next("hello"), quick.next("hello")]);
    slow.pause();
    const before = memoryOf(board);
    for (let round = 0; round < 60; round++) {
      append(project, line(`r${round}`, { kept: "k".repeat(1_000_000) }));
      await quick.next("logged");
    }
    expect(memoryOf(board) - before).toBeLessThan(120 * 1024 * 1024);
    slow.close();
    quick.close();
  });

  it("opens no file and watches none while nobody listens", async () => {
    promise("board.live");
    using project = temporaryProject();
    append(project, line("first"));
    await using board = await openBoardServer(project);
    const browser = await enterBoard(board);
    expect(watches(board)).toBe(0);
    const listening = await browser.listen();
    await listening.next("hello");
    expect(watches(board)).toBe(1);
    listening.close();
    await until(() => watches(board) === 0);
  });
});

/** Resident bytes. */
function memoryOf({ child }: BoardServer): number {
  const pages = Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]);
  return pages * 4096;
}

/** What the kernel watches for the process. */
function watches({ child: { pid } }: BoardServer): number {
  const infos = readdirSync(`/proc/${pid}/fdinfo`).map((name) => {
    try {
      return readFileSync(`/proc/${pid}/fdinfo/${name}`, "utf8");
    } catch {
      return "";
    }
  });
  return infos.join("").split(/^inotify wd/m).length - 1;
}

describe("the board's place", () => {
  it("is in the state folder while it runs, for its user alone and without its secret", async () => {
    promise("board.place");
    using project = temporaryProject();
    const folder = stateFolder(project.root, stateHome());
    const path = join(folder, "board.json");
    const board = await openBoardServer(project);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ url: board.url, pid: board.child.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(boardOf(folder)).toEqual({ url: board.url, pid: board.child.pid });
    const second = await openBoardServer(project);
    expect(boardOf(folder)?.url).toBe(board.url);
    await second.stop();
    expect(boardOf(folder)?.url).toBe(board.url);
    await board.stop();
    expect(existsSync(path)).toBe(false);
  });

  it("is known to be stale if its process is gone, and is taken by the next", async () => {
    promise("board.place");
    using project = temporaryProject();
    const folder = stateFolder(project.root, stateHome());
    const killed = await openBoardServer(project);
    await killed.stop("SIGKILL");
    expect(existsSync(join(folder, "board.json"))).toBe(true);
    expect(boardOf(folder)).toBeNull();
    await using board = await openBoardServer(project);
    expect(boardOf(folder)?.url).toBe(board.url);
    writeFileSync(join(folder, "board.json"), '{"url":"https://evil.example/","pid":1}');
    expect(boardOf(folder)).toBeNull();
  });
});

describe("a board that an agent starts", () => {
  it("only shows, and nobody is led to it", async () => {
    promise("board.agents");
    using project = temporaryProject();
    await using board = await openBoardServer(project, { environment: { CLAUDECODE: "1" } });
    expect(board.readOnly).toBe(true);
    expect(boardOf(stateFolder(project.root, stateHome()))).toBeNull();
    const browser = await enterBoard(board);
    expect((await browser.get("/api/session")).json().readOnly).toBe(true);
    const answered = await browser.post(`/api/${browser.project}/stop/T1`, {});
    expect([answered.status, answered.json().message]).toEqual([403, expect.stringContaining("only shows")]);
  });
});

describe("an agent with a shell of the person's own", () => {
  /** A request by a process of its own, with these marks in its environment. */
  const curl = (marks: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    spawnSync(process.execPath, ["-e", CURL, ...args], {
      env: { ...testEnvironment(), ...marks },
      encoding: "utf8",
    }).stdout;
  const CURL = `
    const [url, method = "GET", headers = "{}"] = process.argv.slice(1);
    require("node:http").request(url, { method, headers: JSON.parse(headers) }, (response) => {
      response.resume();
      console.log(response.statusCode);
    }).end(method === "POST" ? '{"words":""}' : undefined);
  `;

  it("gets in neither by the address that it has read, nor with the cookie of the person's browser", async () => {
    promise("board.agents");
    using project = temporaryProject();
    await using board = await openBoardServer(project);
    expect(curl({ CLAUDECODE: "1" }, board.address)).toBe("403\n");
    const browser = await enterBoard(board);
    const headers = JSON.stringify({
      cookie: browser.cookie,
      origin: board.url.slice(0, -1),
      "x-pawl-csrf": browser.csrf,
      "content-type": "application/json",
    });
    const stop = `${board.url}api/${browser.project}/stop/T1`;
    expect(curl({ CLAUDECODE: "1" }, stop, "POST", headers)).toBe("403\n");
    expect(curl({}, stop, "POST", headers)).toBe("409\n");
    expect(curl({ CLAUDECODE: "1" }, board.url)).toBe("401\n");
  });
});

describe("another user of the machine", () => {
  const request = (board: BoardServer, user: object) =>
    spawnSync("bash", ["-c", SPEAK, "bash", new URL(board.url).port], { ...user, cwd: "/", encoding: "utf8" })
      .stdout;
  const SPEAK = `
    exec 3<>"/dev/tcp/127.0.0.1/$1"
    printf 'GET /api/session HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' "$1" >&3
    cat <&3
  `;

  it.skipIf(process.getuid?.() !== 0)("gets not a byte, whatever they know", async () => {
    promise("board.users");
    using project = temporaryProject();
    await using board = await openBoardServer(project);
    expect(request(board, {})).toMatch(/^HTTP\/1\.1 401/);
    expect(request(board, { uid: 65534, gid: 65534 })).toBe("");
  });
});
