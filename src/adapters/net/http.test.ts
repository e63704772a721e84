import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, get as getPlainly, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, get } from "node:https";
import { type AddressInfo, createServer as createRawServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { ForwardProxy } from "../../../test/rig/proxy.ts";
import { until } from "../../../test/rig/until.ts";
import { failureOfStatus, retryAfter } from "./failure.ts";
import { openHttp } from "./http.ts";
import { askJson } from "./json.ts";
import { withinLimits } from "./limits.ts";
import { openAgent, proxyFor } from "./proxy.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

type Answering = (asked: IncomingMessage, answer: ServerResponse) => void;

/** Its port. */
async function serve(answering: Answering, server = createServer(answering)): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const json: Answering = (asked, answer) =>
  answer
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ host: asked.headers.host, authorization: asked.headers.authorization ?? null }));

/** A certificate of its own, that nobody signed. */
async function serveSecurely(answering: Answering): Promise<{ port: number; certificate: string }> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tls-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  execFileSync(
    "openssl",
    // biome-ignore format: an option and its value
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=tracker.test", "-addext", "subjectAltName=DNS:tracker.test", "-keyout", key, "-out", cert],
    { stdio: "pipe" },
  );
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, answering);
  return { port: await serve(answering, server), certificate: cert };
}

describe("a proxy of the environment", () => {
  it("is asked for a host elsewhere, with its login, and not for one that NO_PROXY names", async () => {
    promise("fetch.proxy");
    const port = await serve(json);
    await using proxy = await ForwardProxy.open("ann:p@ss word");
    const environment = { http_proxy: `http://ann:p%40ss%20word@${proxy.place}` };
    const answer = await askJson(openHttp(environment), new URL(`http://tracker.test:${port}/a?b=c`), {
      headers: { authorization: "Bearer t" },
    });
    expect(answer).toEqual({ host: `tracker.test:${port}`, authorization: "Bearer t" });
    expect(proxy.asked).toEqual([`GET http://tracker.test:${port}/a?b=c`]);
    await openHttp(environment)(`http://127.0.0.1:${port}/`);
    expect(proxy.asked).toHaveLength(1);
  });

  it("opens the way to https, if the certificate is still the host's", async () => {
    promise("fetch.proxy");
    const { port, certificate } = await serveSecurely(json);
    await using proxy = await ForwardProxy.open("ann:pw");
    const environment = { HTTPS_PROXY: `http://ann:pw@${proxy.place}` };
    const url = `https://tracker.test:${port}/`;
    await expect(openHttp(environment)(url)).rejects.toMatchObject({
      failure: {
        reason: "unreachable",
        detail: expect.stringMatching(
          /not signed by an authority that this machine trusts.*NODE_EXTRA_CA_CERTS/,
        ),
      },
    });
    // Node reads the variable at its start.
    const program = `
      import { openHttp } from ${JSON.stringify(join(import.meta.dirname, "http.ts"))};
      const answer = await openHttp(process.env)(${JSON.stringify(url)}, { headers: { authorization: "t" } });
      console.log(await answer.text());`;
    const { execFile } = await import("node:child_process");
    const said = await new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        ["--input-type=module", "-e", program],
        { env: { ...environment, NODE_EXTRA_CA_CERTS: certificate } },
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      );
    });
    expect(JSON.parse(String(said))).toEqual({ host: `tracker.test:${port}`, authorization: "t" });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT tracker.test:${port}`]));
  });

  it("is the way to https for a client with requests of its own, too", async () => {
    promise("fetch.proxy");
    const { certificate, port } = await serveSecurely(json);
    await using proxy = await ForwardProxy.open("jo:secret");
    const agent = openAgent("https:", {
      HTTPS_PROXY: `http://jo:secret@${proxy.place}`,
      NO_PROXY: "no.test",
    });
    ends.push(() => agent.destroy());
    const status = (host: string) =>
      new Promise<number | string>((resolve) => {
        const ca = readFileSync(certificate);
        const asked = get({
          host,
          port,
          agent,
          ca,
          lookup: (_, __, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
        });
        asked.on("response", (answer) => resolve(answer.resume().statusCode ?? 0));
        asked.on("error", (thrown) => resolve((thrown as { code?: string }).code ?? thrown.message));
      });
    expect(await status("tracker.test")).toBe(200);
    expect(proxy.asked).toEqual([`CONNECT tracker.test:${port}`]);
    expect(await status("no.test")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(proxy.asked).toHaveLength(1);
  });

  it("is the way to a plain address for such a client, too", async () => {
    promise("fetch.proxy");
    const port = await serve(json);
    await using proxy = await ForwardProxy.open("jo:secret");
    const agent = openAgent("http:", { HTTP_PROXY: `http://jo:secret@${proxy.place}`, NO_PROXY: "no.test" });
    ends.push(() => agent.destroy());
    const unusable = openAgent("http:", { HTTP_PROXY: "socks5://127.0.0.1:1" });
    const said = (host: string, by = agent) =>
      new Promise<string>((resolve) => {
        const asked = getPlainly({ host, port, path: "/v1/traces?a=b", agent: by });
        asked.on("response", (answer) => text(answer).then(resolve));
        asked.on("error", (thrown) => resolve((thrown as { code?: string }).code ?? thrown.message));
      });
    for (const times of [1, 2]) {
      expect(JSON.parse(await said("tracker.test")), String(times)).toMatchObject({
        host: `tracker.test:${port}`,
      });
      expect(proxy.asked).toHaveLength(times);
    }
    expect(proxy.asked[0]).toBe(`GET http://tracker.test:${port}/v1/traces?a=b`);
    expect(JSON.parse(await said("127.0.0.1"))).toMatchObject({ host: `127.0.0.1:${port}` });
    expect(await said("no.test")).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(await said("tracker.test", unusable)).toBe("the proxy cannot be used");
    expect(proxy.asked).toHaveLength(2);
  });

  it("that wants a login, or is not there, is named without the login", async () => {
    promise("fetch.proxy");
    await using proxy = await ForwardProxy.open("ann:pw");
    for (const variable of ["HTTPS_PROXY", "HTTP_PROXY"]) {
      const url = `${variable.slice(0, -6).toLowerCase()}://tracker.test/`;
      const failed = (value: string) =>
        openHttp({ [variable]: value })(url).then(
          () => "answered",
          ({ failure }) => failure.detail,
        );
      expect(await failed(`http://ann:secret@${proxy.place}`)).toBe(
        `the proxy at ${proxy.place} requires a login: write it in ${variable}, as http://user:password@host:port`,
      );
      expect(await failed("http://ann:secret@127.0.0.1:1")).toBe(
        `the proxy of ${variable}: nothing listens at 127.0.0.1:1 (ECONNREFUSED)`,
      );
      expect(await failed("socks5://127.0.0.1:1")).toMatch(`${variable} names no proxy that Pawl can use`);
    }
  });

  it.each([
    ["tracker.test", "tracker.test", true],
    ["tracker.test", ".tracker.test", true],
    ["a.tracker.test", "other, tracker.test", true],
    ["a.tracker.test", "*.tracker.test", true],
    ["mytracker.test", "tracker.test", false],
    ["tracker.test:8443", "tracker.test:8443", true],
    ["tracker.test", "tracker.test:8443", false],
    ["tracker.test", "*", true],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["[fd00::1]", "fd00::/8", true],
    ["[fd00::1]:444", "[fd00::1]:444", true],
    ["localhost:3000", "", true],
    ["127.0.0.9", "", true],
    ["tracker.test", "", false],
  ])("%s is asked directly with NO_PROXY=%s: %s", (host, list, isDirect) => {
    const environment = { HTTPS_PROXY: "proxy.test:3128", NO_PROXY: list };
    const proxy = proxyFor(new URL(`https://${host}/`), environment);
    expect(proxy === null).toBe(isDirect);
    if (proxy) expect(proxy).toMatchObject({ host: "proxy.test", port: 3128, variable: "HTTPS_PROXY" });
  });
});

describe("a redirect", () => {
  it("is followed with the credentials on the same origin, and without them on another", async () => {
    promise("fetch.redirects");
    const other = await serve(json);
    const port = await serve((asked, answer) => {
      const location = asked.url === "/away" ? `http://127.0.0.1:${other}/` : "/here";
      if (asked.url === "/here") json(asked, answer);
      else answer.writeHead(302, { location }).end();
    });
    const http = openHttp({});
    const order = { headers: { authorization: "Bearer t" } };
    const ask = (path: string) => askJson(http, new URL(`http://127.0.0.1:${port}${path}`), order);
    expect(await ask("/moved")).toMatchObject({ authorization: "Bearer t" });
    expect(await ask("/away")).toEqual({ host: `127.0.0.1:${other}`, authorization: null });
  });

  it("that goes on for ever, follows a writing, or leads to an unsafe address is refused in words", async () => {
    promise("fetch.redirects");
    const port = await serve((asked, answer) => {
      const location = asked.url === "/file" ? "ftp://files.test/x" : "/again";
      answer.writeHead(307, { location }).end();
    });
    const ask = (path: string, method = "GET") => openHttp({})(`http://127.0.0.1:${port}${path}`, { method });
    await expect(ask("/again")).rejects.toThrow(/redirects in a circle/);
    await expect(ask("/again", "POST")).rejects.toThrow(/follows redirects only for reads/);
    await expect(ask("/file")).rejects.toThrow(/redirects to ftp:\/\/files.test, which is not safe/);
  });
});

describe("a service", () => {
  it("that accepts and says nothing, or drips, is given up with words, and its connection is closed", async () => {
    promise("fetch.limits");
    let closed = 0;
    const port = await serve((asked, answer) => {
      asked.socket.on("close", () => closed++);
      if (asked.url === "/silent") return;
      answer.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => answer.write(" "), 10);
      answer.on("close", () => clearInterval(timer));
    });
    const ask = (path: string) => openHttp({})(`http://127.0.0.1:${port}${path}`);
    const limits = { bytes: 1_000, milliseconds: 60_000, silence: 100 };
    await expect(withinLimits(limits, () => ask("/silent"))).rejects.toMatchObject({
      failure: { reason: "timed-out", detail: `cut off: 127.0.0.1:${port} sent nothing for 0.1 s` },
    });
    const short = { bytes: 1_000_000, milliseconds: 300, silence: 60_000 };
    await expect(withinLimits(short, () => ask("/drip"))).rejects.toMatchObject({
      failure: { reason: "timed-out", detail: "cut off: not done within 0.3 s" },
    });
    await until(() => closed === 2);
  });

  it("that packs a bomb is cut off at the unpacked size", async () => {
    promise("fetch.limits");
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const port = await serve((_, answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const limits = { bytes: 1_000_000, milliseconds: 60_000 };
    const asked = withinLimits(limits, () => openHttp({})(`http://127.0.0.1:${port}/`));
    await expect(asked).rejects.toMatchObject({ failure: { reason: "too-large" } });
  });

  it("that answers with a page, something else than HTTP, or half an answer is described in words of ours", async () => {
    promise("fetch.words");
    const port = await serve((asked, answer) => {
      answer.writeHead(200, { "content-type": asked.url === "/page" ? "text/html" : "application/json" });
      answer.end(asked.url === "/page" ? "<html>Sign in</html>" : '{"half": ');
    });
    const ask = (path: string) => askJson(openHttp({}), new URL(`http://127.0.0.1:${port}${path}`));
    await expect(ask("/page")).rejects.toThrow(/answered with a page instead of JSON, perhaps a login page/);
    await expect(ask("/half")).rejects.toThrow(/answered with something else instead of JSON/);
    const raw = createRawServer((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    ends.push(() => raw.close());
    const place = `127.0.0.1:${(raw.address() as AddressInfo).port}`;
    await expect(openHttp({})(`http://${place}/`)).rejects.toThrow(`${place} does not answer in HTTP`);
    await expect(openHttp({})("http://nowhere.invalid/")).rejects.toThrow(/the name nowhere.invalid /);
  });
});

describe("a refusal says what the service said", () => {
  const html = "<html><body><h1>HTTP Status 429</h1></body></html>";
  const java = "com.atlassian.rest.exception.StacklessException: 403 FORBIDDEN";
  const plain = { "content-type": "text/plain" };
  it.each([
    // Jira
    [400, { errorMessages: ["First.", "Second."], errors: {} }, "First; Second"],
    [400, { errorMessages: [], errors: { resolution: "Resolution is required." } }, "Resolution is required"],
    [400, { errors: { customfield_7: "is required" } }, "customfield_7: is required"],
    [401, { code: 401, message: "Unauthorized; scope does not match" }, "Unauthorized; scope does not match"],
    [
      403,
      { error: "Failed to parse Connect Session Auth Token" },
      "Failed to parse Connect Session Auth Token",
    ],
    [503, { errorMessage: "Service Temporary Unavailable" }, "Service Temporary Unavailable"],
    // Confluence
    [
      404,
      { statusCode: 404, data: { errors: [] }, message: "No space with key : X" },
      "No space with key : X",
    ],
    [403, { message: java, reason: "Forbidden" }, "403 FORBIDDEN"],
    [
      400,
      { errors: [{ status: 400, code: "BAD", title: "Bad", detail: "no such format" }] },
      "Bad; no such format",
    ],
    [400, { message: { key: "a.b", args: [], translation: "A page exists" } }, "A page exists"],
    // GitLab
    [401, { message: "401 Unauthorized" }, "401 Unauthorized"],
    [409, { message: ["Another open merge request exists"] }, "Another open merge request exists"],
    [400, { message: { source_branch: ["does not exist"] } }, "source_branch: does not exist"],
    [400, { message: { note: { body: ["is too long", "is bad"] } } }, "body: is too long; body: is bad"],
    [400, { error: "title is missing" }, "title is missing"],
    [403, { error: "insufficient_scope", error_description: "It needs more", scope: "api" }, "It needs more"],
    [429, "Retry later\n", "Retry later"],
    // A page, nothing, and nothing that is understood
    [429, html, ""],
    [500, "", ""],
    [500, [7, null], ""],
  ])("%s %j: %s", async (status, body, said) => {
    promise("fetch.words");
    const port = await serve((_, answer) =>
      typeof body === "string"
        ? answer.writeHead(status, plain).end(body)
        : answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
    const asked = askJson(openHttp({}), new URL(`http://127.0.0.1:${port}/`));
    await expect(asked).rejects.toMatchObject({
      failure: { detail: said === "" ? `HTTP ${status}` : `HTTP ${status}: ${said}` },
    });
  });

  it.each(["Bearer secret-token", `Basic ${btoa("ann@acme.example:secret-token")}`, "secret-token"])(
    "without the login that it repeats: %s",
    async (authorization) => {
      promise("fetch.words");
      const port = await serve((asked, answer) =>
        answer.writeHead(401).end(`bad: secret-token in ${asked.headers.authorization}`),
      );
      const asked = askJson(openHttp({}), new URL(`http://127.0.0.1:${port}/`), {
        headers: { authorization },
      });
      await expect(asked).rejects.toMatchObject({
        failure: { detail: expect.stringMatching(/^HTTP 401: bad: \[redacted\] in [\w ]*\[redacted\]$/) },
      });
    },
  );
});

it.each([
  // Jira's Cloud, Data Center, GitLab, and Data Center again while nothing is spent.
  [429, { "x-ratelimit-reset": "2026-01-01T00:01Z" }, "rate-limited", 60],
  [429, { "x-ratelimit-interval-seconds": "30", "x-ratelimit-remaining": "0" }, "rate-limited", 30],
  [429, { "ratelimit-reset": String(Date.parse("2026-01-01T00:02:00Z") / 1000) }, "rate-limited", 120],
  [429, { "retry-after": "7", "x-ratelimit-reset": "2026-01-01T00:01Z" }, "rate-limited", 7],
  [403, { "retry-after": "0", "x-ratelimit-remaining": "49" }, "forbidden", undefined],
  [403, { "retry-after": "9" }, "rate-limited", 9],
  [503, { "retry-after": "9" }, "rate-limited", 9],
  [410, {}, "not-found", undefined],
])("a status %i with %j is %s, to wait %s s", (status, headers, reason, retryAfter) => {
  promise("fetch.limits");
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z"), toFake: ["Date"] });
  ends.push(() => vi.useRealTimers());
  const { failure } = failureOfStatus(status, new Headers(headers as Record<string, string>));
  expect([failure.reason, failure.retryAfter]).toEqual([reason, retryAfter]);
});

it("the wait of retry-after is read as seconds and as a date", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const wait = (value?: string) => retryAfter(new Headers(value ? { "retry-after": value } : {}), now);
  expect(wait("7")).toBe(7);
  expect(wait("Thu, 01 Jan 2026 00:01:30 GMT")).toBe(90);
  expect(wait("Wed, 31 Dec 2025 00:00:00 GMT")).toBe(0);
  expect(wait("soon")).toBeNull();
  expect(wait()).toBeNull();
});
