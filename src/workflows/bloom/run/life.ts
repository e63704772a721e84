/**
 * A task's life: Bloom's table, or a file of the team's that extends it. A run keeps the life with which it began, in
 * `.pawl/lives`, under the hash of its text: an edit of the file counts for tasks that begin later.
 */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import { hashOf } from "../../../core/hash.ts";
import { LIVES } from "../../../core/loop-record.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import type { FindLife } from "../../../core/ports/loop.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { BloomSettings } from "../../../core/settings.ts";
import { tidy } from "../../../core/text/lines.ts";
import { type StartingTask, orderOf as startsOfPrompt } from "../../../core/trust.ts";
import type { Facts, Rule, Workflow } from "../../../engine/workflow.ts";
import type { AgentCommand, AgentEntry, AgentTexts } from "../../../runtime/agent-order.ts";
import type { Templates } from "../../../runtime/template.ts";
import { agentOf } from "../../../scheduler/agent-rest.ts";
import type { Spent } from "../../../scheduler/budget.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { BLOOM } from "./table.ts";

export interface LifeRef {
  /** As its file is called: `careful`. */
  readonly name: string;
  /** Of its text in `.pawl/lives`. */
  readonly hash: string;
}

export interface Life {
  readonly version: 1;
  readonly name: string;
  readonly table: Workflow;
  readonly agents: Readonly<Record<string, AgentEntry>>;
  /** Prompts, and what its rows say. */
  readonly prompts: Readonly<Record<string, string>>;
  /** A text for each field of each agent, empty. */
  readonly said: AgentTexts;
  /** By rule: the instructions how the agent that it starts must answer. */
  readonly words: Readonly<Record<string, string>>;
}

/** An order of a life's row to one of its agents, from the move that gave it to its answer. */
export interface LifeOrder {
  /** The row. */
  readonly row: string;
  /** What the order cost so far. */
  readonly spent: Spent;
  /** Its own session; null: none yet. */
  readonly session: { readonly id: string; readonly agent: string } | null;
  /** What was wrong with its answer, once it was refused. */
  readonly refused?: string;
}

/** What of a task's run belongs to its life. */
interface Lived {
  readonly life?: LifeRef | null | undefined;
  readonly order?: LifeOrder | null;
}

/** Each with its text, by the name of its table. The name has the hash in it, so that none ever changes. */
const known = new Map<string, { readonly life: Life; readonly text: string }>();

/** Renders texts; loaded with the first life. */
let texts: (typeof import("../../../runtime/template.ts") & { readonly templates: Templates }) | null = null;

/** The life of a run that was loaded; null: Bloom's own. */
export function lifeOf({ life }: Pick<Lived, "life">): Life | null {
  return life == null ? null : loaded(life).life;
}

function loaded(life: LifeRef): { readonly life: Life; readonly text: string } {
  const cached = known.get(nameOfTable(life));
  if (cached) return cached;
  throw new PawlError("internal", `The life ${life.name} of a run was not loaded.`, "Report this.");
}

/** The agents of a life, as `pawl config agents` names them. */
export function agentsIn(life: LifeRef): readonly string[] {
  return Object.values(lifeOf({ life })?.agents ?? {}).flatMap(({ agent }) => agent ?? []);
}

export function tableOf(run: Pick<Lived, "life">): Workflow {
  return lifeOf(run)?.table ?? BLOOM;
}

export function ruleOf(run: Pick<Lived, "life"> & { readonly row: string | null }): Rule | undefined {
  return tableOf(run).rules.find(({ id }) => id === run.row);
}

/** The agent of its life that has an order, as `pawl config agents` names it; null: none has. */
export function orderedAgent(run: Lived, { agent }: Pick<BloomSettings, "agent">): string | null {
  const order = orderOf(run);
  return order === null ? null : (order.entry.agent ?? agent);
}

/** The agent that works on the task: of its life, or its own. */
export function agentAtWork(
  task: Pick<Task, "agent">,
  run: (Lived & { readonly standIn?: string | null | undefined }) | undefined,
  settings: Pick<BloomSettings, "agent">,
): string {
  return (run && orderedAgent(run, settings)) ?? agentOf(task, run, settings);
}

export interface RuledOrder {
  readonly life: Life;
  readonly command: AgentCommand;
  readonly entry: AgentEntry;
  readonly order: LifeOrder;
}

export function orderOf({ life, order }: Lived): RuledOrder | null {
  const of = lifeOf({ life });
  const rule = of?.table.rules.find(({ id }) => id === order?.row);
  const command = rule?.commands?.find(({ type }) => type === "run") as AgentCommand | undefined;
  const entry = command && of?.agents[command.agent];
  return of && order && command && entry ? { life: of, command, entry, order } : null;
}

/** What an agent of its life would start, which needs a person's consent as in a workflow of one's own; null: none has an order. */
export function startsOfOrder(
  run: Lived & PromptedRun,
  task: { readonly title: string },
): StartingTask | null {
  const ordered = orderOf(run);
  if (ordered === null) return null;
  const { command, entry, life } = ordered;
  // One that cannot be rendered starts nothing.
  const prompt = attempt(() => textOf(life, command.prompt, run, task), "");
  return startsOfPrompt(`${BLOOM.name}:${run.task}`, entry.agent, prompt);
}

/** By the name that the run's log gives it; null: none of that name was loaded. */
export function tableNamed(name: string): Workflow | null {
  return name === BLOOM.name ? BLOOM : (known.get(name)?.life.table ?? null);
}

export function nameOfTable(life: LifeRef | null | undefined): string {
  return life == null ? BLOOM.name : `${BLOOM.name}:${life.name}-${life.hash.slice(0, 16)}`;
}

function pathOf({ hash }: LifeRef): ProjectPath {
  return projectPath(LIVES, `${hash}.json`);
}

/** Before anything is asked of a run's table. `runPath`: the run's file. Throws `state-tampered`. */
export async function loadLife(
  view: View,
  { life }: Pick<Lived, "life">,
  runPath: ProjectPath,
): Promise<void> {
  if (life == null || known.has(nameOfTable(life))) return;
  const path = pathOf(life);
  const text = await view.read(path);
  if (text === null || hashOf(text) !== life.hash)
    throw new PawlError(
      "state-tampered",
      `The life ${life.name}, with which a run began, ${text === null ? "is gone" : "was changed"}: expected ${path} as Pawl wrote it.`,
      `Put that file back, or move ${runPath} out of .pawl: its task then begins anew, on its branch.`,
    );
  await remember(life, text);
}

async function remember(life: LifeRef, text: string): Promise<void> {
  if (texts === null) {
    const module = await import("../../../runtime/template.ts");
    texts = { ...module, templates: module.openTemplates() };
  }
  const name = nameOfTable(life);
  const parsed = JSON.parse(text) as Life;
  known.set(name, { life: { ...parsed, table: { ...parsed.table, name } }, text });
}

interface PromptedRun extends Pick<Lived, "life"> {
  readonly kept: Facts;
  readonly said?: AgentTexts;
  readonly state: string;
  readonly task: string;
  readonly verdicts: readonly { readonly notes: string }[];
}

/** One of its texts, with what its run knows. Throws `template-invalid`. */
export function textOf(
  { name: life, prompts, said: blank, table }: Life,
  name: string,
  { kept, said = {}, state, task: id, verdicts }: PromptedRun,
  { title }: { readonly title: string },
): string {
  const values = {
    ...{ run: `${BLOOM.name}:${id}`, id, title, state, kept, output: "", task: "" },
    description: table.states[state]?.description ?? "",
    said: Object.fromEntries(
      Object.entries(blank).map(([agent, none]) => [agent, { ...none, ...said[agent] }]),
    ),
    notes: verdicts.at(-1)?.notes ?? "",
  };
  if (texts === null) throw new PawlError("internal", `The life ${life} was not loaded.`, "Report this.");
  const { faultOf, templates } = texts;
  try {
    return tidy(templates.render(prompts[name] ?? "", values)).trimEnd();
  } catch (cause) {
    throw new PawlError(
      "template-invalid",
      `The text ${name} of ${life} cannot be rendered: ${faultOf(cause).what}.`,
      "Correct it, and begin the task anew.",
      cause,
    );
  }
}

/** The name of the life that the task is to have by its file, or by pawl.yaml; null: Bloom's own. */
export function lifeName(task: Pick<Task, "life">, { life }: Pick<BloomSettings, "life">): string | null {
  const name = task.life ?? life ?? BLOOM.name;
  return name === BLOOM.name ? null : name;
}

/** Keeps it where it is not kept, for a run that begins, or one that is found again. */
export async function keptLife(view: View, life: LifeRef): Promise<readonly Change[]> {
  const { text } = loaded(life);
  const path = pathOf(life);
  return (await view.read(path)) === text ? [] : [{ type: "write", path, text }];
}

export type LifeNamed = (view: View, workflows: readonly string[], name: string) => Promise<LifeRef>;

/** The life of that name as its file has it now, for a task that begins. `find`: absent, the program knows no lives. */
export function openFoundLives(find: FindLife | undefined): LifeNamed {
  return async (view, workflows, name) => {
    if (find === undefined)
      throw new PawlError(
        "config-invalid",
        `A task has the life ${name}, and this program starts Bloom without lives.`,
        "Start it with `pawl run`.",
      );
    const text = await find(view, workflows, name);
    const life = { name, hash: hashOf(text) };
    await remember(life, text);
    return life;
  };
}
