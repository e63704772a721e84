/**
 * The board's page with a server of the tests' own: what it shows is data, and it can be told to refuse, to race, to restart.
 * It answers as `src/surfaces/board/wire.ts` says, under the strictest policy that the page must live with.
 */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, resolve } from "node:path";
import { briefOf } from "../../../src/runtime/review/brief.ts";
import type * as Wire from "../../../src/surfaces/board/wire.ts";
import { diffOf, generated } from "./diffs.ts";
import { HOSTILE_PATCH, hostile } from "./hostile.ts";
import { COST, HELD, INBOX, RUN, RUNS, TASKS, WORKFLOWS } from "./pages.ts";
import { NOW, REVIEW } from "./review.ts";

/** Where the tests' setup builds it. */
export const PAGE = resolve(import.meta.dirname, "../../../dist/board");

const HASH = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90";

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const KINDS: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface FixtureOptions {
  readonly isEmpty?: boolean;
  readonly isHostile?: boolean;
  readonly readOnly?: boolean;
  /** The gate is signed. */
  readonly isSigned?: boolean;
  /** Lines of one very large file in place of the review's. */
  readonly largeFile?: number;
  readonly port?: number;
  readonly projects?: number;
}

export class BoardFixture implements AsyncDisposable {
  readonly verdicts: Wire.VerdictOrder[] = [];
  readonly said: { readonly path: string; readonly words: string }[] = [];
  readonly streams = new Set<ServerResponse>();
  /** Null: it was decided. */
  version: string | null = REVIEW.version;
  inbox: Wire.Inbox = INBOX;
  csrf = `csrf-${Math.round(performance.now())}-${process.pid}`;
  /** Every page is refused with this. */
  refusal: Wire.Refused | null = null;
  readonly #options: FixtureOptions;
  readonly #server: Server;

  private constructor(options: FixtureOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((failure) => response.writeHead(500).end(String(failure)));
    });
  }

  static async open(options: FixtureOptions = {}): Promise<BoardFixture> {
    const fixture = new BoardFixture(options);
    await new Promise<void>((done) => fixture.#server.listen(options.port ?? 0, "127.0.0.1", done));
    return fixture;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** To all pages that are open. */
  emit(event: Wire.ShownEvent): void {
    const text = `id: ${event.project}:1:g\nevent: logged\ndata: ${JSON.stringify(event)}\n\n`;
    for (const stream of this.streams) stream.write(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.streams) stream.end();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    if (!pathname.startsWith("/api/")) return await this.#file(pathname, response);
    if (pathname === "/api/events") return this.#stream(response);
    if (request.method === "POST") return await this.#post(pathname, request, response);
    if (this.refusal && pathname !== "/api/session") return json(response, 500, this.refusal);
    const answer = this.#get(pathname, searchParams);
    if (answer === undefined)
      return json(response, 404, refused("not-there", "There is nothing here.", "Look elsewhere."));
    const isPage = pathname !== "/api/session" && !pathname.includes("/diff/");
    json(response, 200, this.#options.isHostile && isPage ? hostile(answer) : answer);
  }

  #get(pathname: string, query: URLSearchParams): unknown {
    if (pathname === "/api/session") return this.#session();
    const { isEmpty } = this.#options;
    if (pathname === "/api/inbox") return isEmpty ? { items: [] } : this.inbox;
    const [, , , page = "", run = ""] = pathname.split("/").map(decodeURIComponent);
    if (isEmpty) return emptyPages()[page];
    if (page === "review") return this.#review(run);
    if (page === "work") return { review: this.#review(run).review } satisfies Wire.WorkPage;
    if (page === "diff") return this.#diff(query.get("path") ?? "");
    if (page === "run") return runPage(run);
    return PAGES[page];
  }

  #session(): Wire.Session {
    const known = [
      { key: "shop", name: "shop", root: "/home/ines/shop", problem: null },
      { key: "site", name: "site", root: "/home/ines/site", problem: null },
      {
        key: "old",
        name: "old-site",
        root: "/home/ines/old-site",
        problem: refused(
          "project-missing",
          "/home/ines/old-site is not there.",
          "Start the board without it.",
        ),
      },
    ];
    const projects = known.slice(0, this.#options.projects ?? 2);
    return { csrf: this.csrf, readOnly: this.#options.readOnly ?? false, version: "0.1.0", projects };
  }

  #review(run: string): Wire.ReviewPage {
    if (this.version === null) return { review: null, strayed: null };
    const { changes } = REVIEW;
    const large = this.#options.largeFile;
    const one = {
      path: "large.ts",
      added: large ?? 0,
      deleted: 0,
      group: "other" as const,
      item: null,
      isNew: null,
      ...{ isOutside: false, folded: null },
    };
    const review = {
      ...REVIEW,
      ...(this.#options.isSigned ? { level: "signed" } : {}),
      run,
      version: this.version,
      changes:
        large && changes?.kind === "changes" ? { ...changes, lastJudged: null, files: [one] } : changes,
    };
    return { review: { ...review, brief: briefOf(review) }, strayed: null };
  }

  #diff(path: string): Wire.FileDiff {
    const { isHostile, largeFile } = this.#options;
    if (isHostile) return { path, patch: HOSTILE_PATCH, leftOut: 12_345_678, isBinary: false, colours: null };
    if (largeFile) return { ...diffOf(path), patch: generated(path, largeFile) };
    return diffOf(path);
  }

  async #post(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.headers["x-pawl-csrf"] !== this.csrf)
      return json(
        response,
        403,
        refused("board-csrf", "The page is of an earlier start of the server.", "Reload it."),
      );
    const [, , , page = "", run = ""] = pathname.split("/").map(decodeURIComponent);
    const order = JSON.parse(body);
    if (page === "verdict") return this.#verdict(order, response);
    if (page === "try")
      return json(response, 200, {
        rule: `${order.state}.${order.event}`,
        to: "ai_review",
        outcome: "accepted",
      });
    this.said.push({ path: `${page} ${run}`, words: order.words ?? "" });
    json(response, 200, { words: `Done: ${page} ${run}.`, receipt: null });
  }

  #verdict(order: Wire.VerdictOrder, response: ServerResponse): void {
    const refusal = this.#refusalOf(order);
    if (refusal) {
      json(response, ...refusal);
      return;
    }
    if (this.#options.isSigned && order.asked === undefined) {
      const asked = {
        hash: HASH,
        message: "You sign: gate alfred.implement_task\nverdict approve",
        digits: 8,
      };
      json(response, 200, { asked } satisfies Wire.VerdictQuestion);
      return;
    }
    this.verdicts.push(order);
    this.version = null;
    this.inbox = { items: this.inbox.items.filter(({ run }) => run !== REVIEW.run) };
    const done: Wire.Done = {
      words: order.approve ? "Approved: the tests are written next." : "Rejected: the agent gets your words.",
      receipt: {
        ...{ run: REVIEW.run, gate: REVIEW.gate, approved: order.approve, record: null },
        time: new Date(NOW).toISOString(),
        by: "Ines Varga <ines@example.org>",
        channel: "the board, in a browser",
        strength: "board",
        worth: "given on the board; unverified: anyone with your browser",
        artifact: REVIEW.artifact?.sha256 ?? null,
        work: "9a0e51c2b7d4",
      },
    };
    json(response, 200, done);
  }

  #refusalOf(order: Wire.VerdictOrder): [number, Wire.Refused] | null {
    if (order.version !== this.version)
      return [
        409,
        refused(
          "review-version",
          "This was decided meanwhile, or what is judged has changed.",
          "Read it again, then decide.",
        ),
      ];
    if (order.asked !== undefined && order.digits !== HASH.slice(0, 8))
      return [
        400,
        refused(
          "gate-digits",
          "The digits are not those of the record.",
          "Type the first 8 digits of its hash.",
        ),
      ];
    return null;
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(": live\n\n");
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
  }

  async #file(pathname: string, response: ServerResponse): Promise<void> {
    const name = pathname === "/" ? "index.html" : normalize(pathname).replace(/^[/\\]+/, "");
    const text = await readFile(join(PAGE, name)).catch(() => null);
    if (text === null) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": KINDS[extname(name)] ?? "application/octet-stream",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
    });
    response.end(text);
  }
}

/** Of a task, with what became of it. */
function runPage(run: string): Wire.RunPage {
  if (run === HELD.entry.run) return HELD;
  const task = TASKS.tasks.find((card) => card.run === run);
  if (task === undefined) return RUN;
  const { since, state, title } = task;
  const entry = {
    ...RUN.entry,
    run,
    state,
    title,
    since,
    next: task.reason ?? "",
    isGate: task.awaitsVerdict,
  };
  return { ...RUN, task, entry };
}

const PAGES: Readonly<Record<string, unknown>> = {
  runs: RUNS,
  tasks: TASKS,
  workflows: WORKFLOWS,
  cost: COST,
};

function emptyPages(): Readonly<Record<string, unknown>> {
  return {
    runs: { workflows: [] },
    run: { ...RUN, machine: null, at: null, moves: [], story: "", timeline: [] },
    review: { review: null, strayed: null },
    work: { review: null } satisfies Wire.WorkPage,
    tasks: { tasks: [], overlaps: [], accounts: [], problem: null } satisfies Wire.Tasks,
    workflows: { workflows: [] },
    cost: { rows: [] },
  };
}

function refused(code: string, message: string, fix: string): Wire.Refused {
  return { code, message, fix };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
