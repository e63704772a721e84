/** `pawl board` as a real child process, and a browser's requests to it, header by header. */
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import type { TemporaryProject } from "./project.ts";
import { openServerProcess, type ServerProcess, type ServerProcessOptions } from "./server-process.ts";

interface BoardAddress {
  readonly url: string;
  /** Opens one browser, once. */
  readonly address: string;
  readonly readOnly: boolean;
}

export type BoardServer = ServerProcess & BoardAddress;

export async function openBoardServer(
  project: Pick<TemporaryProject, "root">,
  options: ServerProcessOptions = {},
): Promise<BoardServer> {
  const { told, ...serving } = await openServerProcess<BoardAddress>(project, ["board"], options);
  const { address, readOnly, url } = told;
  return { url, address, readOnly, ...serving };
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the test knows it
  json(): any;
}

interface Asking {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A request as it is given, with headers that `fetch` does not let one set, and a path as it is written. */
export function ask(url: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Answered> {
  const { origin, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const path = url.slice(origin.length);
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const heard: Buffer[] = [];
      response.on("data", (chunk) => heard.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(heard).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text),
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export interface Browser {
  readonly cookie: string;
  readonly csrf: string;
  /** Of the first project. */
  readonly project: string;
  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answered>;
  post(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<Answered>;
  /** The live stream; `last`: what it saw last. */
  listen(last?: string): Promise<Listening>;
}

export async function enterBoard({ address, url }: Pick<BoardServer, "address" | "url">): Promise<Browser> {
  const entered = await ask(address);
  const cookie = entered.headers["set-cookie"]?.[0]?.split(";")[0];
  if (cookie === undefined) throw new Error(`It lets nobody in: ${entered.text}`);
  const origin = url.slice(0, -1);
  const get: Browser["get"] = (path, headers = {}) =>
    ask(`${origin}${path}`, { headers: { cookie, ...headers } });
  const { csrf, projects } = (await get("/api/session")).json();
  return {
    ...{ cookie, csrf, get },
    project: projects[0].key,
    post: (path, body, headers = {}) =>
      ask(`${origin}${path}`, {
        method: "POST",
        headers: { cookie, origin, "x-pawl-csrf": csrf, "content-type": "application/json", ...headers },
        body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    listen: (last = "") =>
      followStream(`${origin}/api/events`, { cookie, ...(last && { "last-event-id": last }) }),
  };
}

export interface Said {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the test knows it
  readonly data: any;
}

export interface Listening {
  readonly status: number;
  readonly said: readonly Said[];
  /** Waits for an event of this kind that has not been waited for yet. */
  next(event: string): Promise<Said>;
  /** Takes nothing more until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

function followStream(url: string, headers: OutgoingHttpHeaders): Promise<Listening> {
  const said: Said[] = [];
  const taken = new Set<Said>();
  let wake = () => {};
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response: IncomingMessage) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (chunk: string) => {
        const parts = `${rest}${chunk}`.split("\n\n");
        rest = parts.pop() ?? "";
        said.push(...parts.flatMap(parseSaid));
        wake();
      });
      resolve({
        status: response.statusCode ?? 0,
        said,
        async next(event) {
          for (;;) {
            const found = said.find((each) => each.event === event && !taken.has(each));
            if (found) {
              taken.add(found);
              return found;
            }
            await new Promise<void>((again) => {
              wake = again;
            });
          }
        },
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void response.destroy(),
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

function parseSaid(text: string): readonly Said[] {
  const fields = new Map(
    text.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^[^:]*: /, "")]),
  );
  const event = fields.get("event");
  return event ? [{ event, id: fields.get("id") ?? "", data: JSON.parse(fields.get("data") ?? "null") }] : [];
}
