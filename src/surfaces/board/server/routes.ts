/** The requests about one project, and the changes in it. */
import type { Context, Hono } from "hono";
import type { Project } from "../../../runtime/project.ts";
import { openReviews } from "../../../runtime/review/pages.ts";
import { type Acts, isTaskAct, openActs } from "./acts.ts";
import { errorAnswer, refusal } from "./errors.ts";
import { runsOf } from "./inbox.ts";
import { tryEvent, workflowsOf } from "./machine.ts";
import type { BoardOptions } from "./options.ts";
import { tryOrder, verdictOrder, wordsOrder } from "./orders.ts";
import type { BoardProject } from "./projects.ts";
import { openTimelines, runOf, type Timelines } from "./run.ts";
import { costOf, openSpending, type Spending, tasksOf } from "./tasks.ts";

/** What a route gets: the project of the address, and the request. */
interface RouteContext {
  readonly entry: BoardProject;
  readonly project: Project;
  readonly kept: Kept;
  readonly context: Context;
}

type Answer = (asked: RouteContext) => Promise<object | null>;

export function addProjectRoutes(
  app: Hono,
  projects: ReadonlyMap<string, BoardProject>,
  options: BoardOptions,
): void {
  const kept = new Map([...projects.keys()].map((key) => [key, openKept()]));
  const answering = (answer: Answer) => async (context: Context) => {
    const key = context.req.param("project") ?? "";
    const [entry, own] = [projects.get(key), kept.get(key)];
    if (entry === undefined || own === undefined)
      return unknown(context, "there is no such project on this board");
    const found = await answer({ entry, kept: own, context, project: await entry.project() });
    return found === null ? unknown(context, "there is nothing at this address") : context.json(found);
  };
  const get = (path: string, answer: Answer) => app.get(`/api/:project/${path}`, answering(answer));
  const post = (path: string, answer: Answer) => app.post(`/api/:project/${path}`, answering(answer));
  addPages(get);
  addActs(post, openActs(options.caller));
}

type Route = (path: string, answer: Answer) => unknown;

function addPages(get: Route): void {
  const reviews = openReviews(async (...of) => (await import("./colours.ts")).coloursOf(...of));
  get("runs", ({ project }) => runsOf(project));
  get("run/:run", async ({ entry, kept, project, context }) =>
    runOf(project, await entry.log(), kept.timelines, named(context, "run")),
  );
  get("review/:run", ({ project, context }) => reviews.page(project, named(context, "run")));
  get("diff/:run", ({ project, context }) =>
    reviews.diff(project, named(context, "run"), {
      path: context.req.query("path") ?? "",
      since: context.req.query("since") === "last",
    }),
  );
  get("tasks", ({ entry, project }) => tasksOf(project, entry.tail));
  get("workflows", ({ project }) => workflowsOf(project));
  get("cost", async ({ entry, kept, project }) => costOf(await kept.spending(project), await entry.log()));
}

function addActs(post: Route, acts: Acts): void {
  post("verdict/:run", async ({ project, context }) =>
    acts.verdict(project, named(context, "run"), await verdictOrder(context)),
  );
  post("try", async ({ project, context }) => tryEvent(project, await tryOrder(context)));
  post(":act/:id", async ({ project, context }) => {
    const act = named(context, "act");
    if (!isTaskAct(act)) return null;
    const { words } = await wordsOrder(context);
    return acts.task(project, act, named(context, "id"), words);
  });
}

/** Data computed from the project's log, at the first request. */
interface Kept {
  readonly timelines: Timelines;
  spending(project: Project): Promise<Spending>;
}

function openKept(): Kept {
  let spending: Promise<Spending> | undefined;
  return {
    timelines: openTimelines(),
    spending(project) {
      spending ??= openSpending(project);
      return spending;
    },
  };
}

function named(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}

function unknown(context: Context, why: string) {
  return errorAnswer(context, refusal(404, why));
}
