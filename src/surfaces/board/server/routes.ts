/** What is asked about one project. */
import type { Context, Hono } from "hono";
import type { Project } from "../../../runtime/project.ts";
import { errorAnswer, refusal } from "./errors.ts";
import { eventsOf } from "./events.ts";
import { runsOf } from "./inbox.ts";
import type { BoardOptions } from "./options.ts";
import type { BoardProject } from "./projects.ts";

/** What a route gets: the project of the address, and the request. */
interface Asked {
  readonly entry: BoardProject;
  readonly project: Project;
  readonly context: Context;
}

export function addProjectRoutes(
  app: Hono,
  projects: ReadonlyMap<string, BoardProject>,
  _options: BoardOptions,
): void {
  const get = (path: string, answer: (asked: Asked) => Promise<object>) =>
    app.get(`/api/:project/${path}`, async (context) => {
      const entry = projects.get(context.req.param("project") ?? "");
      if (entry === undefined)
        return errorAnswer(context, refusal(404, "there is no such project on this board"));
      return context.json(await answer({ entry, project: await entry.project(), context }));
    });
  get("runs", ({ project }) => runsOf(project));
  get("events", ({ entry, context }) =>
    eventsOf(entry, { before: context.req.query("before"), limit: context.req.query("limit") }),
  );
}
