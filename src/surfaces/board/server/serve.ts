/** `pawl board`: the projects of this machine in a browser, until a signal ends it. */
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Session } from "../wire.ts";
import { admitLocal, type RequestAdmission } from "./admission.ts";
import { admitDevices } from "./devices/admission.ts";
import { errorAnswer, errorOf, refusal } from "./errors.ts";
import { type BoardServer, LOOPBACK, listenHttp } from "./http.ts";
import { openInbox } from "./inbox.ts";
import type { BoardOptions, ListenOptions } from "./options.ts";
import { addAssets, pageAnswer } from "./page.ts";
import { type BoardProject, boardProjects, entryOf } from "./projects.ts";
import {
  admitAddress,
  admitBody,
  admitChange,
  admitSession,
  csrfIn,
  endStrangers,
  type GuardOptions,
  HEADERS,
} from "./request-guards.ts";
import { addProjectRoutes } from "./routes.ts";
import { openSessions } from "./sessions.ts";
import { positionsNow, streamEvents } from "./stream.ts";

export interface Board {
  /** `http://127.0.0.1:4000/` */
  readonly url: string;
  /** Returns a URL that authenticates one browser, once. */
  invite(): string;
  /** Null: it is served to no other device. */
  readonly devices: DeviceBoard | null;
  close(): Promise<void>;
}

interface DeviceBoard {
  /** `https://pawl.example` */
  readonly origin: string;
  /** Returns what lets one device in, once: a code to type, and an address. It ends the one before. */
  invite(): { readonly code: string; readonly address: string };
}

const MAX_STREAMS = 24;

export async function openBoard(options: BoardOptions): Promise<Board> {
  const sessions = openSessions(Date.now);
  const ending = new AbortController();
  const projects = boardProjects(options.places);
  const shared = { projects, inbox: openInbox(projects), ending: ending.signal };
  let host = "";
  const guards: GuardOptions = {
    ...{ sessions, readOnly: options.readOnly, agentBehind: options.agentBehind },
    origin: () => `http://${host}`,
    // Includes the port, because browsers send a cookie to all ports of a machine.
    cookie: () => `pawl_board_${host.split(":")[1]}`,
  };
  const local = boardApp(options, admitLocal(options, projects, guards, sessions), shared);
  const address = { host: LOOPBACK, port: options.port, tls: null };
  const server = await listenHttp(address, (...args) => local.fetch(...args), options.admits);
  host = server.host;
  const beyond =
    options.listen &&
    (await listenBeyond(options, options.listen, shared).catch(async (thrown) => {
      await server.close();
      throw thrown;
    }));
  return {
    url: `http://${host}/`,
    invite: () => `http://${host}/enter/${sessions.invite()}`,
    devices: beyond?.board ?? null,
    async close() {
      ending.abort();
      await Promise.all([server.close(), beyond?.server.close()]);
    },
  };
}

/** What the board shares between this machine's browsers and other devices. */
interface SharedState {
  readonly projects: ReadonlyMap<string, BoardProject>;
  readonly inbox: ReturnType<typeof openInbox>;
  readonly ending: AbortSignal;
}

async function listenBeyond(
  options: BoardOptions,
  listen: ListenOptions,
  shared: SharedState,
): Promise<{ readonly server: BoardServer; readonly board: DeviceBoard }> {
  let origin = listen.origin ?? "";
  const guards = admitDevices(options, listen, () => origin);
  const app = boardApp(options, guards, shared);
  const server = await listenHttp(
    listen,
    (...args) => app.fetch(...args),
    () => true,
  );
  if (listen.origin === null) origin = originOf(listen, server.host);
  return { server, board: { origin, invite: guards.invite } };
}

/** Browsers trust http for this machine's name alone. */
function originOf({ host, tls }: ListenOptions, listened: string): string {
  const port = listened.slice(listened.lastIndexOf(":"));
  return tls ? `https://${host}${port}` : `http://localhost${port}`;
}

function boardApp(
  options: BoardOptions,
  requestGuards: RequestAdmission,
  { ending, inbox, projects }: SharedState,
): Hono {
  const { guards } = requestGuards;
  const app = new Hono();
  app.use("*", HEADERS, endStrangers(guards), ...requestGuards.middleware, admitAddress(guards));
  requestGuards.addEntrance(app);
  app.use("*", admitSession(guards), admitChange(guards), admitBody, ...requestGuards.checks);
  app.use("/api/*", async (context, next) => {
    context.header("cache-control", "no-store");
    await next();
  });
  app.get("/", async (context) => pageAnswer(context, options.files, await positionsNow(projects.values())));
  addAssets(app, options.files);
  app.get("/api/session", async (context) => {
    const { readOnly, version } = options;
    const { device } = requestGuards.userOf(context);
    const entries = await Promise.all([...projects.values()].map(entryOf));
    return context.json({
      ...{ csrf: csrfIn(context, guards), readOnly, version, ...(device && { device }), projects: entries },
    } satisfies Session);
  });
  app.get("/api/inbox", async (context) => context.json(await inbox(new Date())));
  addStream(app, projects, ending, requestGuards);
  addProjectRoutes(app, projects, requestGuards.userOf);
  app.notFound((context) => errorAnswer(context, refusal(404, "there is nothing at this address")));
  app.onError((thrown, context) => {
    const error = errorOf(thrown);
    if (error.status === 500) options.onError(error.error.message);
    return errorAnswer(context, error);
  });
  return app;
}

function addStream(
  app: Hono,
  projects: ReadonlyMap<string, BoardProject>,
  ending: AbortSignal,
  { userOf }: RequestAdmission,
): void {
  let open = 0;
  app.get("/api/events", (context) => {
    if (open >= MAX_STREAMS)
      return errorAnswer(context, refusal(429, `${MAX_STREAMS} pages are open already`));
    const user = userOf(context);
    open += 1;
    const last = context.req.header("last-event-id") ?? context.req.query("since") ?? "";
    return streamSSE(context, async (stream) => {
      const closing = new AbortController();
      const signal = AbortSignal.any([ending, closing.signal]);
      stream.onAbort(() => closing.abort());
      user.follow(closing.signal, () => closing.abort());
      const sink = {
        send: (event: { event: string; data: string; id: string }) => stream.writeSSE(event),
        ping: async () => void (await stream.write(": \n\n")),
      };
      try {
        await streamEvents(projects.values(), { last, sink, signal });
      } finally {
        closing.abort();
        open -= 1;
      }
    });
  });
}
