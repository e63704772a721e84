/**
 * The requests about one project, and a person's actions in it: the same transactions as those of the commands,
 * with the channel `board`.
 */
import type { Context, Hono } from "hono";
import { attempt } from "../../../core/attempt.ts";
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { accepts, type Check, fields, listOf, object, optional, text } from "../../../core/state-json.ts";
import { TASK_ACTS, type TaskAct } from "../../../runtime/board.ts";
import type { WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { type Costs, mergeCosts } from "../../../runtime/reports/costs.ts";
import { type Digest, openDigest } from "../../../runtime/reports/log-digest.ts";
import { aroundOf } from "../../../runtime/reports/overview-context.ts";
import { costsIn } from "../../../runtime/reports/stats.ts";
import { doneOf, openVerdicts } from "../../../runtime/review/give-verdict.ts";
import { openReviews } from "../../../runtime/review/pages.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { CostPage, Done, Tasks, TryOrder, VerdictOrder, VerdictQuestion, WordsOrder } from "../wire.ts";
import { errorAnswer, refusal, refused } from "./errors.ts";
import { runsOf } from "./inbox.ts";
import { tryEvent, workflowsOf } from "./machine.ts";
import type { BoardOptions } from "./options.ts";
import type { BoardProject } from "./projects.ts";
import { openTimelines, runOf, type Timelines } from "./run.ts";

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

interface Acts {
  verdict(project: Project, run: string, order: VerdictOrder): Promise<Done | VerdictQuestion>;
  task(project: Project, act: TaskAct, id: string, words: string): Promise<Done>;
}

function openActs(caller: Caller): Acts {
  const verdicts = openVerdicts();
  return {
    verdict: (project, run, order) => verdicts.give(project, run, order, caller),
    async task(project, act, id, words) {
      const board = await boardOf(project);
      const plan = await board.acts[act]();
      const proposal = await runTransaction(project.runtime, plan, { id, words }, caller);
      if (proposal.ask) throw atTerminal();
      return doneOf(proposal, caller, project.runtime.now());
    },
  };
}

function isTaskAct(word: string): word is TaskAct {
  return TASK_ACTS.some((act) => act === word);
}

/** The first workflow whose runs are tasks. */
async function boardOf({ workflows }: Project) {
  const modules = await loadWorkflows(workflows);
  const load = modules.find(({ board }) => board)?.board;
  if (load) return load();
  throw new PawlError("no-effect", "This project has no tasks for agents.", "Look at its runs instead.");
}

function atTerminal(): PawlError {
  return new PawlError(
    "terminal-missing",
    "A person must confirm this at a terminal. Nothing was changed.",
    "Run the command of the same name in a terminal.",
  );
}

const flag = accepts((value) => typeof value === "boolean", "true or false");

const VERDICT = fields({
  approve: flag,
  notes: text,
  points: listOf(fields({ text, at: optional(text) })),
  version: text,
  asked: optional(text),
  digits: optional(text),
});
const WORDS = fields({ words: text });
const TRY = fields({ machine: text, state: text, event: text, facts: object });

const verdictOrder = (context: Context) => orderIn<VerdictOrder>(context, VERDICT);
const wordsOrder = (context: Context) => orderIn<WordsOrder>(context, WORDS);
const tryOrder = (context: Context) => orderIn<TryOrder>(context, TRY);

/** Throws `usage`. */
async function orderIn<T>(context: Context, check: Check<unknown>): Promise<T> {
  const body = await context.req.text();
  const value = attempt(() => JSON.parse(body) as unknown, undefined);
  const fault = value === undefined ? { at: [], problem: "it is not JSON" } : check(value, []);
  if (fault === null) return value as T;
  const at = fault.at.length === 0 ? "" : `${fault.at.join(".")}: `;
  throw new PawlError(
    "usage",
    `The board got a request that it cannot read: ${at}${fault.problem}.`,
    "Load the page again.",
  );
}

/** `tail`: the latest output of an agent's run. */
async function tasksOf(project: Project, tail: (run: string) => readonly string[]): Promise<Tasks> {
  const view = project.runtime.store.view();
  const around = aroundOf(project.runtime, view);
  const found: { tasks: Tasks["tasks"][number][]; overlaps: Tasks["overlaps"][number][] } = {
    tasks: [],
    overlaps: [],
  };
  try {
    for (const { board, name } of await taskModules(project)) {
      const { tasks, overlaps } = await (await board()).load(view, around);
      found.overlaps.push(...overlaps);
      for (const task of tasks)
        found.tasks.push({
          ...task,
          run: `${name}:${task.id}`,
          tail: task.agentRun === null ? [] : tail(task.agentRun),
        });
    }
    return { ...found, problem: null };
  } catch (thrown) {
    return { tasks: [], overlaps: [], problem: refused(toPawlError(thrown)) };
  }
}

type TaskModule = WorkflowModule & Required<Pick<WorkflowModule, "board">>;

async function taskModules({ workflows }: Project): Promise<readonly TaskModule[]> {
  return (await loadWorkflows(workflows)).filter(
    (module): module is TaskModule => module.board !== undefined,
  );
}

type Spending = Digest<Costs>;

async function openSpending({ workflows }: Project): Promise<Spending> {
  const { openCosts } = await costsIn(workflows);
  const { containing } = openCosts();
  return openDigest<Costs>({ containing, make: openCosts, take: (costs, event) => costs.take(event) });
}

async function costOf(spending: Spending, log: EventLog): Promise<CostPage> {
  return { rows: mergeCosts((await spending.of(log)).rows()) };
}
