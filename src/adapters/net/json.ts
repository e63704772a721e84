import { failureOfStatus, HttpFailure } from "./failure.ts";
import type { Http } from "./http.ts";

/** HTTP for a client of JSON: an HTML page instead (a login, a proxy's) becomes a failure that says so. */
export function jsonOnly(http: Http): Http {
  return async (url, order) => {
    const answer = await http(url, order);
    if (!answer.ok || order?.method === "HEAD") return answer;
    const text = await answer.text();
    if (text !== "") jsonIn(text, answer.headers, url);
    const { headers, status, statusText } = answer;
    return new Response(text === "" ? null : text, { status, statusText, headers });
  };
}

export interface JsonOrder {
  readonly method?: "GET" | "POST" | "PUT";
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
  if (!answer.ok) throw failureOfStatus(answer.status, answer.headers, saidIn(text, answer.headers));
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
 * The service's own sentence: Atlassian's `errorMessages`, `errors` and `message`, GraphQL's `errors`,
 * OAuth's description.
 */
function saidIn(text: string, headers: Headers): string {
  if (!/json/i.test(headers.get("content-type") ?? "")) return "";
  try {
    const { error_description, errorMessages, errors, message } = JSON.parse(text) ?? {};
    const each = (many: unknown) => (typeof many === "object" ? Object.values(many ?? {}).flat() : many);
    const said = [errorMessages, each(errors), each(message), error_description];
    return said
      .flat()
      .map((each) => (typeof each === "string" ? each : (each?.message ?? each?.title)))
      .filter((each) => typeof each === "string")
      .join("; ");
  } catch {
    return "";
  }
}
