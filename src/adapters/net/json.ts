import { failureOfStatus, HttpFailure } from "./failure.ts";
import type { Http } from "./http.ts";

export interface JsonOrder {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and reads JSON; undefined for a response without a body. Throws `HttpFailure`. */
export async function askJson(http: Http, url: URL, order: JsonOrder = {}): Promise<unknown> {
  return (await askForJson(http, url, order)).json;
}

/** The same with the response's headers, which say whether another page follows. */
export async function askForJson(
  http: Http,
  url: URL,
  order: JsonOrder = {},
): Promise<{ readonly json: unknown; readonly headers: Headers }> {
  const { body, headers, method = body === undefined ? "GET" : "POST", signal } = order;
  const answer = await http(url, {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  });
  const text = await answer.text();
  if (!answer.ok)
    throw failureOfStatus(
      answer.status,
      answer.headers,
      withoutLogin(messageIn(text), headers?.authorization),
    );
  return { json: text === "" ? undefined : jsonIn(text, answer.headers, url), headers: answer.headers };
}

function jsonIn(text: string, headers: Headers, url: string | URL): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    const found = /html/i.test(type) || /^\s*</.test(text) ? "a page" : "something else";
    const detail = `${new URL(url).host} answered with ${found} instead of JSON${found === "a page" ? ", perhaps a login page: check the address and the token" : ""}`;
    throw new HttpFailure({ reason: "unexpected", detail });
  }
}

/**
 * The service's own sentence: Atlassian's, GitHub's and GraphQL's `errors`, GitLab's `message` of fields, OAuth's description,
 * or a plain text. A page has none.
 */
function messageIn(text: string): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return /^\s*</.test(text) ? "" : text;
  }
  if (typeof json !== "object" || json === null) return "";
  const { error, error_description, errorMessage, errorMessages, errors, message } = json as Record<
    string,
    unknown
  >;
  const sentences = [errorMessages, errorMessage, message, errors, error_description ?? error].flatMap(
    (each) => sentencesIn(each),
  );
  return [...new Set(sentences)].map((sentence) => sentence.replace(CLASS, "").replace(/\.$/, "")).join("; ");
}

/** The name of a class of Java's before its message. */
const CLASS = /^(?:[a-z]\w*\.){2,}\w+: /;
const MAX_DEPTH = 4;
/** Shorter ones occur in any text. */
const MIN_SECRET_LENGTH = 4;

/** `name`: the field that a sentence is about, unless the sentence names it. */
function sentencesIn(value: unknown, name = "", depth = 0): readonly string[] {
  if (typeof value === "string") {
    const isNamed = name === "" || value.toLowerCase().includes(name.toLowerCase());
    return value.trim() === "" ? [] : [isNamed ? value : `${name}: ${value}`];
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => sentencesIn(each, name, depth + 1));
  const { code, detail, field, message, title, translation } = value as Record<string, unknown>;
  const whole = [message, translation, title].find((each) => typeof each === "string" && each !== "");
  if (whole !== undefined) return sentencesIn(typeof detail === "string" ? [whole, detail] : whole, name);
  // GitHub names a field and what it is, without words.
  if (typeof field === "string" && typeof code === "string") return [`${field}: ${code}`];
  return Object.entries(value).flatMap(([key, each]) => sentencesIn(each, key, depth + 1));
}

/** A service may repeat what it was sent. */
function withoutLogin(text: string, authorization = ""): string {
  const [, scheme, sent = ""] = /^(?:(\S+) )?(.*)$/.exec(authorization) ?? [];
  const pair = scheme === "Basic" ? Buffer.from(sent, "base64").toString() : "";
  return [sent, pair.slice(pair.indexOf(":") + 1)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((text, secret) => text.replaceAll(secret, "[redacted]"), text);
}
