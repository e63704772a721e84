import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openRedactor } from "./redact.ts";

const ENVIRONMENT = {
  GITHUB_TOKEN: "ghp_0123456789abcdef",
  NPM_SECRET: 'quo"ted\\and\nbroken über',
  SHORT_KEY: "abc",
  SSH_KEY_FILE: "/home/ada/.ssh/id",
  HTTPS_PROXY: "http://ada:pa55word%21x@proxy:8080",
  EDITOR: "ghp_not_a_secret_by_name",
  AZURE_PAT: "aaaaaaab",
};

/** What comes out where the bytes come in chunks of these sizes, in turn. */
function inChunks(text: string, sizes: readonly number[]): string {
  const stream = openRedactor(ENVIRONMENT).stream();
  const bytes = Buffer.from(text);
  const out: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(stream.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...out, stream.end()]).toString("utf8");
}

describe("a known secret", () => {
  it("is masked by the variable's name, however the bytes are cut", () => {
    const text = `a ${ENVIRONMENT.GITHUB_TOKEN} b ${ENVIRONMENT.NPM_SECRET} ü ${ENVIRONMENT.GITHUB_TOKEN}`;
    const masked = "a [redacted GITHUB_TOKEN] b [redacted NPM_SECRET] ü [redacted GITHUB_TOKEN]";
    expect(openRedactor(ENVIRONMENT).text(text)).toBe(masked);
    for (let size = 1; size <= Buffer.byteLength(text); size++) expect(inChunks(text, [size])).toBe(masked);
  });

  it("is found as JSON and addresses write it, and as the password of an address", () => {
    const { text } = openRedactor(ENVIRONMENT);
    expect(text(JSON.stringify({ out: ENVIRONMENT.NPM_SECRET }))).toBe('{"out":"[redacted NPM_SECRET]"}');
    expect(text(encodeURIComponent(ENVIRONMENT.NPM_SECRET))).toBe("[redacted NPM_SECRET]");
    expect(text("http://ada:pa55word%21x@proxy pa55word!x")).toBe(
      "http://ada:[redacted HTTPS_PROXY]@proxy [redacted HTTPS_PROXY]",
    );
  });

  it("is the address of a receiver of notices, too", () => {
    promise("notices.secrets");
    const address = "https://hooks.example/T1/B2/x-y-z";
    const { text } = openRedactor({ SLACK_WEBHOOK_URL: address });
    expect(text(`to ${address}`)).toBe("to [redacted SLACK_WEBHOOK_URL]");
  });

  it("is found by its long lines if they are indented, however few they are", () => {
    promise("children.masked");
    const line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ";
    const { text } = openRedactor({ DEPLOY_KEY: `-----BEGIN KEY-----\n${line}\n-----END KEY-----\n` });
    expect(text(`  ${line}\n  -----END KEY-----`)).toBe("  [redacted DEPLOY_KEY]\n  -----END KEY-----");
  });

  it("is not what is too short, a path, or not called one", () => {
    const text = "abc /home/ada/.ssh/id ghp_not_a_secret_by_name";
    expect(openRedactor(ENVIRONMENT).text(text)).toBe(text);
  });

  it.each([
    ...["DB_PASS", "SMTP_PASS", "SSHPASS", "BASIC_AUTH_PASS", "PASS", "DB_PASS_OLD", "MYSQL_PWD", "DB_PW"],
    ...["SENTRY_DSN", "BLOB_SAS", "AZURE_SAS_URL", "SESSION_COOKIE", "OAUTH_JWT", "BEARER", "PASSWORD_SALT"],
    ...["WALLET_SEED", "GH_PAT", "NPM_AUTH", "HTTP_AUTHORIZATION", "WIFI_PSK", "TOTP", "CONNECTION_STRING"],
    ...["AWS_SECRET_ACCESS_KEY", "STORAGE_CONNSTR", "db_pass", "USER_PINS"],
  ])("is masked by the name %s, also if it begins as a path does", (name) => {
    promise("children.masked");
    for (const value of ["hunter2-hunter2", "/9j/4AAQSkZJRgABAQ=="])
      expect(openRedactor({ [name]: value }).text(`a ${value} b`)).toBe(`a [redacted ${name}] b`);
  });

  it.each([
    ["PWD", "somewhere-else"],
    ["OLDPWD", "/home/ada/nowhere"],
    ["SSH_ASKPASS", "/usr/bin/no-such-askpass"],
    ["GIT_ASKPASS", "askpass-program"],
    ["PROXY_BYPASS", "localhost,example.com"],
    ["GIT_AUTHOR_NAME", "Ada Lovelace"],
    ["COMPASS_HOME", "/opt/compass"],
    ["KRB5_KEYTAB", "/etc/hostname"],
    ["SPINNER", "dots-dots"],
  ])("is not the value of %s", (name, value) => {
    expect(openRedactor({ [name]: value }).text(`a ${value} b`)).toBe(`a ${value} b`);
  });

  it("never comes out of a stream, and the rest always does", () => {
    promise("children.masked");
    const word = fc.constantFrom(
      ENVIRONMENT.GITHUB_TOKEN,
      "ghp_",
      "0123",
      "ghp_0123456789abcde",
      "aaaa",
      "b",
      "aaaaaaab",
      "\n",
      "ü",
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (words, sizes) => {
          const out = inChunks(words.join(""), sizes);
          expect(out).not.toContain(ENVIRONMENT.GITHUB_TOKEN);
          expect(out).not.toContain(ENVIRONMENT.AZURE_PAT);
          expect(out).toBe(openRedactor(ENVIRONMENT).text(words.join("")));
        },
      ),
    );
  });

  it("is held back only as long as it may become one", () => {
    const stream = openRedactor(ENVIRONMENT).stream();
    expect(stream.push(Buffer.from("line\nghp_01")).toString()).toBe("line\n");
    expect(stream.push(Buffer.from("x\n")).toString()).toBe("ghp_01x\n");
  });
});

it.each(["g", "ghp_", "a", "\u0000", '"', "\n"])("a million times %j is passed on at once", (text) => {
  const stream = openRedactor(ENVIRONMENT).stream();
  const begun = process.cpuUsage();
  const out = [stream.push(Buffer.from(text.repeat(1_000_000 / text.length))), stream.end()];
  expect(Buffer.concat(out).length).toBeGreaterThan(900_000);
  expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
});
