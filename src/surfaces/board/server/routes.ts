/**
 * The requests about one project, and a person's actions in it: the same transactions as those of the commands,
 * with the channel `board`.
 */
import type { Context, Hono } from "hono";
import { attempt } from "../../../core/attempt.ts";
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { hashOf } from "../../../core/hash.ts";
import { once } from "../../../core/once.ts";
import type { AgentAccount } from "../../../core/ports/agents.ts";
import { accepts, type Check, fields, listOf, object, optional, text } from "../../../core/state-json.ts";
import { type Overlap, TASK_ACTS, type TaskAct } from "../../../runtime/board.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { type Costs, mergeCosts } from "../../../runtime/reports/costs.ts";
import { type Digest, openDigest } from "../../../runtime/reports/log-digest.ts";
import { findRun } from "../../../runtime/reports/overview.ts";
import { overviewContext } from "../../../runtime/reports/overview-context.ts";
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
import type { BoardUser, RequestAdmission } from "./admission.ts";
import { errorAnswer, refusal, refused } from "./errors.ts";
import { runsOf } from "./inbox.ts";
import { tryEvent, workflowsOf } from "./machine.ts";
import type { BoardProject } from "./projects.ts";
import { openTimelines, runOf, type Timelines } from "./run.ts";

/** What a route gets: the project of the address, what is computed of its log, and the request. */
interface RouteContext {
  readonly entry: BoardProject;
  readonly project: Project;
  readonly timelines: Timelines;
  readonly costs: () => Promise<Digest<Costs>>;
  readonly context: Context;
}

type Answer = (context: RouteContext) => Promise<object | null>;
type Route = (path: string, answer: Answer) => unknown;

export function addProjectRoutes(
  app: Hono,
  projects: ReadonlyMap<string, BoardProject>,
  userOf: RequestAdmission["userOf"],
): void {
  const byKey = new Map(
    [...projects].map(([key, entry]) => {
      const costs = once(async () => openCosts(await entry.project()));
      return [key, { entry, costs, timelines: openTimelines() }] as const;
    }),
  );
  const answering = (answer: Answer) => async (context: Context) => {
    const project = byKey.get(named(context, "project"));
    if (project === undefined) return unknown(context, "there is no such project on this board");
    const reply = await answer({ ...project, context, project: await project.entry.project() });
    if (reply === null) return unknown(context, "there is nothing at this address");
    return reply instanceof Response ? reply : context.json(reply);
  };
  addPages((path, answer) => app.get(`/api/:project/${path}`, answering(answer)));
  addActs((path, answer) => app.post(`/api/:project/${path}`, answering(answer)), userOf);
}

/** None that can hold a script. */
const PICTURES = new Map([
  ...["png", "jpeg", "gif", "webp", "avif", "bmp"].map((end) => [end, `image/${end}`] as const),
  ["jpg", "image/jpeg"] as const,
  ["ico", "image/x-icon"] as const,
]);

function addPages(get: Route): void {
  const reviews = openReviews(async (...of) => (await import("./colours.ts")).coloursOf(...of));
  get("runs", ({ project }) => runsOf(project));
  get("run/:run", async ({ entry, project, context, timelines }) =>
    runOf(project, await entry.log(), timelines, named(context, "run"), (run) =>
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
    const image = type && (await reviews.image(project, named(context, "run"), { path, side }));
    return image ? new Response(Uint8Array.from(image), { headers: { "content-type": type } }) : null;
  });
  get("tasks", ({ entry, project }) => tasksOf(project, entry.tail));
  get("task/:id", ({ project, context }) => definitionOf(project, named(context, "id")));
  get("workflows", ({ project }) => workflowsOf(project));
  get("cost", async ({ costs, entry }): Promise<CostPage> => {
    const digest = await (await costs()).of(await entry.log());
    return { rows: mergeCosts(digest.rows()) };
  });
}

async function openCosts({ workflows }: Project): Promise<Digest<Costs>> {
  const { openCosts: make } = await costsIn(workflows);
  const { containing } = make();
  return openDigest<Costs>({ containing, make, take: (costs, event) => costs.take(event) });
}

function addActs(post: Route, userOf: RequestAdmission["userOf"]): void {
  const verdicts = openVerdicts();
  post("verdict/:run", async ({ project, context }) => {
    const { caller, passkey } = userOf(context);
    return verdicts.give(
      project,
      named(context, "run"),
      await orderIn<VerdictOrder>(context, VERDICT),
      caller,
      passkey,
    );
  });
  post("try", async ({ project, context }) => tryEvent(project, await orderIn<TryOrder>(context, TRY)));
  post("edit/:id", async ({ project, context }) => {
    const { asked, seen, values } = await orderIn<EditOrder>(context, EDIT);
    const { caller } = userOf(context);
    // A device answers, and does nothing else to a task.
    if (caller.device !== undefined) throw missingTerminalError();
    const plan = await (await boardOf(project)).edit();
    const input = { id: named(context, "id"), values, seen, asks: true };
    return confirmed(project, plan, input, { wanted: asked, caller });
  });
  post(":act/:id", async ({ project, context }) => {
    const act = TASK_ACTS.find((each) => each === named(context, "act"));
    if (act === undefined) return null;
    const { asked, words } = await orderIn<WordsOrder>(context, WORDS);
    const { caller } = userOf(context);
    const id = named(context, "id");
    // No task has such an id.
    if (id.includes(":")) return order(project, act, id, words, caller);
    const plan = await (await boardOf(project)).acts[act]();
    return confirmed(project, plan, { id, words }, { wanted: asked, caller });
  });
}

function named(context: Context, name: string): string {
  return context.req.param(name) ?? "";
}

function unknown(context: Context, why: string) {
  return errorAnswer(context, refusal(404, why));
}

/** Lets a person continue an agent's order in a run. */
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
  return confirmed(project, plan, { id, words, isAnswer }, { wanted: undefined, caller });
}

/** The question that a person must answer first, or what was done. `wanted`: the question that they answered. */
async function confirmed<Input>(
  project: Project,
  plan: Transaction<Input, unknown, unknown, Reply>,
  input: Input,
  { wanted, caller }: { readonly wanted: string | undefined } & Pick<BoardUser, "caller">,
): Promise<Done | VerdictQuestion> {
  const advanced = (answered?: { readonly to: ReturnType<typeof askedIn> }) =>
    runTransaction(project.runtime, plan, input, caller, answered);
  let proposal = await advanced();
  if (proposal.ask && (proposal.ask.sign || caller.device !== undefined)) throw missingTerminalError();
  if (proposal.ask) {
    const to = askedIn(proposal.ask);
    const [message, hash] = [shownIn(to), hashOf(shownIn(to))];
    if (hash !== wanted) return { asked: { hash, message, digits: 0 } };
    proposal = await advanced({ to });
    if (proposal.ask) throw missingTerminalError();
  }
  return doneOf(proposal);
}

/** Used only for reading. */
const READER: Caller = { channel: "board" };

async function definitionOf(project: Project, id: string): Promise<object> {
  const plan = await (await boardOf(project)).edit();
  return (await runTransaction(project.runtime, plan, { id, values: {}, dryRun: true }, READER)).reply.data;
}

/** The first workflow whose runs are tasks. */
async function boardOf({ workflows }: Project) {
  const modules = await loadWorkflows(workflows);
  const load = modules.find(({ board }) => board)?.board;
  if (load) return load();
  throw new PawlError("no-effect", "This project has no tasks for agents.", "Look at its runs instead.");
}

function missingTerminalError(): PawlError {
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
  const context = overviewContext(project.runtime, view);
  const found = {
    tasks: [] as Tasks["tasks"][number][],
    overlaps: [] as Overlap[],
    accounts: [] as AgentAccount[],
  };
  try {
    for (const { board, name } of await loadWorkflows(project.workflows)) {
      if (!board) continue;
      const { accounts, overlaps, tasks } = await (await board()).load(view, context);
      found.accounts.push(...accounts);
      found.overlaps.push(...overlaps);
      for (const task of tasks) {
        const run = `${name}:${task.id}`;
        const spoke = task.agentRun ?? (run === of ? task.lastRun : null);
        found.tasks.push({ ...task, run, tail: spoke === null ? [] : tail(spoke) });
      }
    }
    return { ...found, problem: null };
  } catch (thrown) {
    return { tasks: [], overlaps: [], accounts: [], problem: refused(toPawlError(thrown)) };
  }
}
