/**
 * The requests about one project, and a person's actions in it: the same transactions as those of the commands,
 * with the channel `board`.
 */
import type { Context, Hono } from "hono";
import { attempt } from "../../../core/attempt.ts";
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { hashOf } from "../../../core/hash.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { accepts, type Check, fields, listOf, object, optional, text } from "../../../core/state-json.ts";
import { TASK_ACTS, type TaskAct } from "../../../runtime/board.ts";
import type { Reply, Transaction, WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { type Costs, mergeCosts } from "../../../runtime/reports/costs.ts";
import { type Digest, openDigest } from "../../../runtime/reports/log-digest.ts";
import { findRun } from "../../../runtime/reports/overview.ts";
import { aroundOf } from "../../../runtime/reports/overview-context.ts";
import { costsIn } from "../../../runtime/reports/stats.ts";
import { doneOf, openVerdicts } from "../../../runtime/review/give-verdict.ts";
import { openReviews } from "../../../runtime/review/pages.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { askedIn, shownIn } from "../../../runtime/transaction/transaction.ts";
import type {
  CostPage,
  Done,
  EditOrder,
  Tasks,
  TryOrder,
  VerdictOrder,
  VerdictQuestion,
  WordsOrder,
} from "../wire.ts";
import type { BoardUser, Door } from "./door.ts";
import { errorAnswer, refusal, refused } from "./errors.ts";
import { runsOf } from "./inbox.ts";
import { tryEvent, workflowsOf } from "./machine.ts";
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
  userOf: Door["userOf"],
): void {
  const kept = new Map([...projects.keys()].map((key) => [key, openKept()]));
  const answering = (answer: Answer) => async (context: Context) => {
    const key = context.req.param("project") ?? "";
    const [entry, own] = [projects.get(key), kept.get(key)];
    if (entry === undefined || own === undefined)
      return unknown(context, "there is no such project on this board");
    const found = await answer({ entry, kept: own, context, project: await entry.project() });
    if (found === null) return unknown(context, "there is nothing at this address");
    return found instanceof Response ? found : context.json(found);
  };
  const get = (path: string, answer: Answer) => app.get(`/api/:project/${path}`, answering(answer));
  const post = (path: string, answer: Answer) => app.post(`/api/:project/${path}`, answering(answer));
  addPages(get);
  addActs(post, openActs(), userOf);
}

/** None that can hold a script. */
const PICTURES = new Map([
  ...["png", "jpeg", "gif", "webp", "avif", "bmp"].map((end) => [end, `image/${end}`] as const),
  ["jpg", "image/jpeg"] as const,
  ["ico", "image/x-icon"] as const,
]);

type Route = (path: string, answer: Answer) => unknown;

function addPages(get: Route): void {
  const reviews = openReviews(async (...of) => (await import("./colours.ts")).coloursOf(...of));
  get("runs", ({ project }) => runsOf(project));
  get("run/:run", async ({ entry, kept, project, context }) =>
    runOf(project, await entry.log(), kept.timelines, named(context, "run"), (run) =>
      tasksOf(project, entry.tail, run),
    ),
  );
  get("review/:run", ({ project, context }) => reviews.page(project, named(context, "run")));
  get("work/:run", async ({ project, context }) => ({
    review: await reviews.work(project, named(context, "run")),
  }));
  get("diff/:run", ({ project, context }) =>
    reviews.diff(project, named(context, "run"), {
      path: context.req.query("path") ?? "",
      since: context.req.query("since") === "last",
      context: Math.min(Math.max(Number(context.req.query("context")) || 3, 3), 100_000),
    }),
  );
  get("image/:run", async ({ project, context }) => {
    const path = context.req.query("path") ?? "";
    const type = PICTURES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
    const side = context.req.query("side") === "before" ? "before" : "after";
    const found = type && (await reviews.image(project, named(context, "run"), { path, side }));
    return found ? new Response(Uint8Array.from(found), { headers: { "content-type": type } }) : null;
  });
  get("tasks", ({ entry, project }) => tasksOf(project, entry.tail));
  get("task/:id", ({ project, context }) => definitionOf(project, named(context, "id")));
  get("workflows", ({ project }) => workflowsOf(project));
  get("cost", async ({ entry, kept, project }) => costOf(await kept.spending(project), await entry.log()));
}

function addActs(post: Route, acts: Acts, userOf: Door["userOf"]): void {
  post("verdict/:run", async ({ project, context }) =>
    acts.verdict(project, named(context, "run"), await verdictOrder(context), userOf(context)),
  );
  post("try", async ({ project, context }) => tryEvent(project, await tryOrder(context)));
  post("edit/:id", async ({ project, context }) =>
    acts.edit(project, named(context, "id"), await editOrder(context), userOf(context)),
  );
  post(":act/:id", async ({ project, context }) => {
    const act = named(context, "act");
    if (!isTaskAct(act)) return null;
    return acts.task(project, act, named(context, "id"), await wordsOrder(context), userOf(context));
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
  verdict(
    project: Project,
    run: string,
    order: VerdictOrder,
    user: BoardUser,
  ): Promise<Done | VerdictQuestion>;
  task(
    project: Project,
    act: TaskAct,
    id: string,
    order: WordsOrder,
    user: BoardUser,
  ): Promise<Done | VerdictQuestion>;
  edit(project: Project, id: string, order: EditOrder, user: BoardUser): Promise<Done | VerdictQuestion>;
}

function openActs(): Acts {
  const verdicts = openVerdicts();
  return {
    verdict: (project, run, order, { caller, passkey }) =>
      verdicts.give(project, run, order, caller, passkey),
    async task(project, act, id, { asked, words }, { caller }) {
      // No task has such an id.
      if (id.includes(":")) return order(project, act, id, words, caller);
      const plan = await (await boardOf(project)).acts[act]();
      return confirmed(project, plan, { id, words }, { asked, caller });
    },
    async edit(project, id, { asked, seen, values }, { caller }) {
      // A device answers, and does nothing else to a task.
      if (caller.device !== undefined) throw atTerminal();
      const plan = await (await boardOf(project)).edit();
      return confirmed(project, plan, { id, values, seen, asks: true }, { asked, caller });
    },
  };
}

/** A person lets an agent's order in a run go on. */
async function order(
  project: Project,
  act: TaskAct,
  name: string,
  words: string,
  caller: Caller,
): Promise<Done | VerdictQuestion> {
  const { id, module, run } = await findRun(project, name);
  const isAnswer = act === "answer";
  if (!module.again || !(isAnswer || act === "retry" || act === "hint"))
    throw new PawlError("no-effect", `Nobody can do this to ${run}.`, "Load the page again.");
  const plan = await module.again();
  return confirmed(project, plan, { id, words, isAnswer }, { asked: undefined, caller });
}

/** The question that a person must answer first, or what was done. `asked`: the question that they answered. */
async function confirmed<Input>(
  project: Project,
  plan: Transaction<Input, unknown, unknown, Reply>,
  input: Input,
  { asked, caller }: { readonly asked: string | undefined } & Pick<BoardUser, "caller">,
): Promise<Done | VerdictQuestion> {
  const advanced = (answered?: { readonly to: ReturnType<typeof askedIn> }) =>
    runTransaction(project.runtime, plan, input, caller, answered);
  let proposal = await advanced();
  if (proposal.ask && (proposal.ask.sign || caller.device !== undefined)) throw atTerminal();
  if (proposal.ask) {
    const to = askedIn(proposal.ask);
    const [message, hash] = [shownIn(to), hashOf(shownIn(to))];
    if (hash !== asked) return { asked: { hash, message, digits: 0 } };
    proposal = await advanced({ to });
    if (proposal.ask) throw atTerminal();
  }
  return doneOf(proposal, caller, project.runtime.now());
}

/** Used only for reading. */
const READER: Caller = { channel: "board" };

async function definitionOf(project: Project, id: string): Promise<object> {
  const plan = await (await boardOf(project)).edit();
  return (await runTransaction(project.runtime, plan, { id, values: {}, dryRun: true }, READER)).reply.data;
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
  block: optional(flag),
  notes: text,
  points: listOf(fields({ text, at: optional(text) })),
  version: text,
  asked: optional(text),
  digits: optional(text),
  assertion: optional(object),
});
const WORDS = fields({ words: text, asked: optional(text) });
const EDIT = fields({ values: object, seen: text, asked: optional(text) });
const TRY = fields({ machine: text, state: text, event: text, facts: object });

const verdictOrder = (context: Context) => orderIn<VerdictOrder>(context, VERDICT);
const wordsOrder = (context: Context) => orderIn<WordsOrder>(context, WORDS);
const editOrder = (context: Context) => orderIn<EditOrder>(context, EDIT);
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

/** `tail`: the latest output of an agent's run. `of`: the run whose ended agent counts, too. */
async function tasksOf(
  project: Project,
  tail: (run: string) => readonly string[],
  of?: string,
): Promise<Tasks> {
  const view = project.runtime.store.view();
  const around = aroundOf(project.runtime, view);
  const found: { [list in "accounts" | "overlaps" | "tasks"]: Tasks[list][number][] } = {
    tasks: [],
    overlaps: [],
    accounts: [],
  };
  try {
    for (const { board, name } of await taskModules(project)) {
      const { accounts, overlaps, tasks } = await (await board()).load(view, around);
      found.accounts.push(...accounts);
      found.overlaps.push(...overlaps);
      for (const task of tasks) {
        const run = `${name}:${task.id}`;
        const spoke = task.agentRun ?? (run === of ? task.lastRun : null);
        found.tasks.push({
          ...task,
          run,
          tail: spoke === null ? [] : tail(spoke),
        });
      }
    }
    return { ...found, problem: null };
  } catch (thrown) {
    return { tasks: [], overlaps: [], accounts: [], problem: refused(toPawlError(thrown)) };
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
