/** The prompts of a workflow's agents: the values that their templates have, and a check that they render. */
import type { Problem } from "../../../core/yaml/located-yaml.ts";
import { initialVariables } from "../../../engine/configuration.ts";
import type { Facts, Workflow } from "../../../engine/workflow.ts";
import type { AgentCommand } from "../../../runtime/agent-order.ts";
import { agentCommands, beginCommands, type Definition } from "../definition/definition.ts";
import { ownReplies } from "../definition/extending.ts";
import { render, renderFault, replyFaults } from "../definition/template.ts";
import type { OwnRun } from "../load-run.ts";
import type { AgentTexts } from "../run-file.ts";
import { type AnswerLimits, answerWords, limitsOf, tasksWords } from "./answer.ts";

export interface PromptValues {
  /** `release:1.2.0` */
  readonly run: string;
  readonly id: string;
  /** The workflow's title. */
  readonly title: string;
  readonly state: string;
  readonly description: string;
  /** The run's variables. */
  readonly kept: Facts;
  /** What the run's agents said last: agent → field → text. */
  readonly said: AgentTexts;
  /** What was last said with an event: why a person sent it back. */
  readonly notes: string;
  /** What the last command printed. */
  readonly output: string;
  /** What it is to do, where another run began it. */
  readonly task: string;
}

/** Every name, before there are values. */
const NONE: PromptValues = {
  ...{ run: "", id: "", title: "", state: "", description: "", kept: {}, said: {} },
  ...{ notes: "", output: "", task: "" },
};

/** The names of the prompts that its rules name, and of the texts of what they begin. */
export function promptNames(definition: Pick<Definition, "table">): ReadonlySet<string> {
  const prompts = agentCommands(definition).map(({ command }) => command.prompt);
  return new Set([...prompts, ...beginTexts(definition).map(({ name }) => name)]);
}

function beginTexts(definition: Pick<Definition, "table">) {
  return beginCommands(definition).flatMap(({ command: { task }, rule }) =>
    task === undefined ? [] : [{ name: task, rule }],
  );
}

export function promptValues({ configuration, file, id, loaded, run, workflow }: OwnRun): PromptValues {
  return {
    ...{ run, id, title: workflow.title, state: configuration.state },
    description: workflow.states[configuration.state]?.description ?? "",
    kept: configuration.variables,
    said: allAnswers(loaded.definition, file?.said),
    notes: file?.history.findLast((step) => step.notes)?.notes ?? "",
    output: file?.output ?? "",
    task: file?.task ?? "",
  };
}

/** A text for each field of each agent: what it said last, or nothing. Tasks are a list for people. */
export function allAnswers(definition: Pick<Definition, "table">, said: AgentTexts = {}): AgentTexts {
  const agents = Object.entries(texts(definition, ""));
  const statements = agents.map(([agent, none]) => [
    agent,
    { ...none, ...shownAnswers(definition, said, agent) },
  ]);
  return Object.fromEntries(statements);
}

/** What an agent said last, for people and other agents. */
export function shownAnswers(
  definition: Pick<Definition, "table">,
  said: AgentTexts,
  agent: string,
): Readonly<Record<string, string>> {
  const tasks = new Set(
    agentCommands(definition).flatMap(({ command }) =>
      command.agent === agent
        ? Object.entries(command.answers).flatMap(([field, kind]) => (kind === "tasks" ? [field] : []))
        : [],
    ),
  );
  const shown = Object.entries(answersBy(said, agent)).map(([field, text]) => [
    field,
    tasks.has(field) ? tasksWords(text) : text,
  ]);
  return Object.fromEntries(shown);
}

export function answersBy(said: AgentTexts, agent: string): AgentTexts[string] {
  return Object.hasOwn(said, agent) ? (said[agent] ?? {}) : {};
}

export function sampleAnswers(definition: Pick<Definition, "table">): AgentTexts {
  return texts(definition, "(what it said)");
}

function texts(definition: Pick<Definition, "table">, text: string): AgentTexts {
  const said: Record<string, Record<string, string>> = {};
  for (const { command } of agentCommands(definition)) {
    const fields = Object.entries(command.answers).filter(([, kind]) => kind === "text" || kind === "tasks");
    const sample = Object.fromEntries(fields.map(([field]) => [field, text]));
    said[command.agent] = { ...said[command.agent], ...sample };
  }
  return said;
}

/** Every rule's prompt is there; each is parsed, its variables are checked, and it is rendered. */
export function checkPrompts(
  definition: Definition,
  sourceOf: (prompt: string) => string,
): readonly Problem[] {
  const { prompts = {}, replies, table } = definition;
  const texts = beginTexts(definition);
  const named = agentCommands(definition).map(({ command, rule }) => ({ name: command.prompt, rule }));
  const lacking = [...named, ...texts].flatMap(({ name: prompt, rule }) => {
    const place = sourceOf(prompt);
    if (!Object.hasOwn(prompts, prompt))
      return [{ place, message: `rule ${rule.id} has no prompt: expected this file.` }];
    const isReply = Object.hasOwn(replies, prompt) || table.rules.some(({ reply }) => reply === prompt);
    return isReply ? [{ place, message: `${prompt} is a prompt and a reply: expected two names.` }] : [];
  });
  return lacking.length > 0
    ? lacking
    : textFaults(definition, sourceOf, new Set(texts.map(({ name }) => name)));
}

/** The prompts and texts that the rows of a task's life name, with the rule that names each. */
export function textNames(definition: Pick<Definition, "extends" | "table">): ReadonlyMap<string, string> {
  const { rules } = definition.table;
  const prompts = rules.flatMap(({ commands = [], id }) =>
    commands.flatMap(({ prompt }) => (typeof prompt === "string" ? [[prompt, id] as const] : [])),
  );
  const replies = [...ownReplies(definition)].map(
    (reply) => [reply, rules.find((rule) => rule.reply === reply)?.id ?? ""] as const,
  );
  return new Map([...prompts, ...replies]);
}

/** The same for a task's life, whose rows name texts in place of replies. */
export function checkTexts(definition: Definition, sourceOf: (prompt: string) => string): readonly Problem[] {
  const { prompts = {} } = definition;
  const lacking = [...textNames(definition)].flatMap(([name, rule]) =>
    Object.hasOwn(prompts, name)
      ? []
      : [{ place: sourceOf(name), message: `rule ${rule} has no text: expected this file.` }],
  );
  return lacking.length > 0 ? lacking : textFaults(definition, sourceOf, new Set());
}

/** `tasks`: the texts of what its rows begin. */
function textFaults(
  definition: Definition,
  sourceOf: (name: string) => string,
  tasks: ReadonlySet<string>,
): readonly Problem[] {
  const { prompts = {}, table } = definition;
  return Object.entries(prompts).flatMap(([name, text]) => {
    const isTask = tasks.has(name);
    const names = Object.keys(NONE);
    const faults = replyFaults(text, isTask ? [...names, "entry"] : names);
    if (faults.length > 0)
      return faults.map(({ line, message }) => ({ place: `${sourceOf(name)}:${line}`, message }));
    const fault = renderFault(text, {
      ...{ ...NONE, run: `${table.name}:id`, id: "id", title: table.title, state: table.initial },
      ...{
        kept: initialVariables(table),
        said: sampleAnswers(definition),
        ...(isTask && { entry: "an entry" }),
      },
    });
    return fault ? [{ place: sourceOf(name), message: fault }] : [];
  });
}

export interface PromptRequest {
  readonly definition: Definition;
  readonly order: Pick<AgentCommand, "agent" | "answers" | "prompt">;
  readonly values: PromptValues;
  /** What a person said to the agent. */
  readonly hint?: string | undefined;
}

/** The whole prompt of an order. Throws `template-invalid`. */
export function promptOf({ definition, hint = "", order, values }: PromptRequest): string {
  const { prompts = {}, table } = definition;
  const text = render(prompts[order.prompt] ?? "", `the prompt ${order.prompt}`, values);
  const said = hint === "" ? [] : [`## A person says\n\n${hint}`];
  const limits = limitsOf(definition, order.agent);
  return [text.trimEnd(), ...said, answerWords(order.answers, table.events, limits)].join("\n\n");
}

/** The prompt for an agent that has the order already. */
export function nextPrompt(
  { answers }: Pick<AgentCommand, "answers">,
  { events }: Pick<Workflow, "events">,
  limits: AnswerLimits,
  { hint = "", refused }: { readonly hint?: string | undefined; readonly refused?: string | undefined },
): string {
  const said = hint === "" ? [] : [`A person says:\n\n${hint}`];
  const first = refused ?? "Go on where you were interrupted.";
  return [...said, first, answerWords(answers, events, limits)].join("\n\n");
}
