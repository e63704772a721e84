/** Admits requests, and finds their user: a browser at this machine, or another device. */
import type { Context, Hono, MiddlewareHandler } from "hono";
import type { Caller } from "../../../core/event.ts";
import type { DevicePasskey } from "../../../runtime/review/give-verdict.ts";
import type { Session } from "../wire.ts";
import { addFigures } from "./metrics.ts";
import type { BoardOptions } from "./options.ts";
import type { BoardProject } from "./projects.ts";
import { admitFigures, admitPerson, enter, type GuardOptions } from "./request-guards.ts";
import type { Sessions } from "./sessions.ts";

export interface RequestAdmission {
  readonly guards: GuardOptions;
  /** Around everything, the guards included. */
  readonly middleware: readonly MiddlewareHandler[];
  /** Adds the routes of those who have no session yet. */
  addEntrance(app: Hono): void;
  /** Checked of each request with a session, after the guards. */
  readonly checks: readonly MiddlewareHandler[];
  /** For whom a request with a session acts. */
  userOf(context: Context): BoardUser;
}

export interface BoardUser {
  readonly caller: Caller;
  /** Absent: it is no device. */
  readonly device?: NonNullable<Session["device"]>;
  readonly passkey?: DevicePasskey;
  /** Calls back once the session is over, unless `done` is aborted before. */
  follow(done: AbortSignal, over: () => void): void;
}

/** Admits this machine's own browsers. */
export function admitLocal(
  { caller, metricsToken }: BoardOptions,
  projects: ReadonlyMap<string, BoardProject>,
  guards: GuardOptions,
  sessions: Sessions,
): RequestAdmission {
  const user: BoardUser = { caller, follow: () => {} };
  return {
    guards,
    middleware: [],
    checks: [],
    userOf: () => user,
    addEntrance(app) {
      app.get("/enter/:token", admitPerson(guards), enter(guards, sessions));
      addFigures(app, projects, admitFigures(metricsToken, guards));
    },
  };
}
