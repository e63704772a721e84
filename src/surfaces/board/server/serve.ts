/** `pawl board`: the projects of this machine in a browser, until a signal ends it. */
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Session } from "../wire.ts";
import { errorAnswer, errorOf, refusal } from "./errors.ts";
import { listenHttp } from "./http.ts";
import { openInboxes } from "./inbox.ts";
import { METRICS_HEADERS, openMetrics } from "./metrics.ts";
import type { BoardOptions } from "./options.ts";
import { assetAnswer, pageAnswer } from "./page.ts";
import { type BoardProject, boardProjects, entryOf } from "./projects.ts";
import {
  admitAddress,
  admitBody,
  admitChange,
  admitFigures,
  admitPerson,
  admitSession,
  csrfIn,
  enter,
  type GuardOptions,
  HEADERS,
} from "./request-guards.ts";
import { addProjectRoutes } from "./routes.ts";
import { openSessions } from "./sessions.ts";
import { placesNow, streamEvents } from "./stream.ts";

export interface Board {
  /** `http://127.0.0.1:4000/` */
  readonly url: string;
  /** Returns a URL that authenticates one browser, once. */
  invite(): string;
  close(): Promise<void>;
}

const MOST_STREAMS = 24;

export async function openBoard(options: BoardOptions): Promise<Board> {
  const sessions = openSessions(Date.now);
  const ending = new AbortController();
  let host = "";
  const { agentBehind, metricsToken, readOnly } = options;
  const guards: GuardOptions = { sessions, host: () => host, readOnly, agentBehind, metricsToken };
  const projects = boardProjects(options.places);
  const app = boardApp(options, guards, projects, ending.signal);
  const server = await listenHttp(
    options.port,
    (request, bindings) => app.fetch(request, bindings),
    options.admits,
  );
  host = server.host;
  return {
    url: `http://${host}/`,
    invite: () => `http://${host}/enter/${sessions.invite()}`,
    async close() {
      ending.abort();
      await server.close();
    },
  };
}

function boardApp(
  options: BoardOptions,
  guards: GuardOptions,
  projects: ReadonlyMap<string, BoardProject>,
  ending: AbortSignal,
): Hono {
  const app = new Hono();
  app.use("*", HEADERS, admitAddress(guards));
  app.get("/enter/:token", admitPerson(guards), enter(guards));
  const figures = openMetrics();
  app.get("/metrics", admitFigures(guards), async (context) =>
    context.text(await figures(projects.values()), 200, METRICS_HEADERS),
  );
  app.use("*", admitSession(guards), admitChange(guards), admitBody);
  app.use("/api/*", async (context, next) => {
    context.header("cache-control", "no-store");
    await next();
  });
  app.get("/", async (context) => {
    const since = await placesNow(projects.values());
    return pageAnswer(context, options.files, since) ?? context.notFound();
  });
  app.get(
    "/assets/*",
    (context) => assetAnswer(context, options.files, context.req.path.slice(1)) ?? context.notFound(),
  );
  app.get("/api/session", async (context) => {
    const { readOnly, version } = options;
    const entries = await Promise.all([...projects.values()].map(entryOf));
    return context.json({
      ...{ csrf: csrfIn(context, guards), readOnly, version, projects: entries },
    } satisfies Session);
  });
  const inboxes = openInboxes(projects);
  app.get("/api/inbox", async (context) => context.json(await inboxes.load(new Date())));
  addStream(app, projects, ending);
  addProjectRoutes(app, projects, options);
  app.notFound((context) => errorAnswer(context, refusal(404, "there is nothing at this address")));
  app.onError((thrown, context) => {
    const found = errorOf(thrown);
    if (found.status === 500) options.onError(found.error.message);
    return errorAnswer(context, found);
  });
  return app;
}

function addStream(app: Hono, projects: ReadonlyMap<string, BoardProject>, ending: AbortSignal): void {
  let open = 0;
  app.get("/api/events", (context) => {
    if (open >= MOST_STREAMS)
      return errorAnswer(context, refusal(429, `${MOST_STREAMS} pages are open already`));
    open += 1;
    const last = context.req.header("last-event-id") ?? context.req.query("since") ?? "";
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      const signal = AbortSignal.any([ending, gone.signal]);
      stream.onAbort(() => gone.abort());
      const sink = {
        send: (event: { event: string; data: string; id: string }) => stream.writeSSE(event),
        ping: async () => void (await stream.write(": \n\n")),
      };
      try {
        await streamEvents(projects.values(), { last, sink, signal });
      } finally {
        open -= 1;
      }
    });
  });
}
