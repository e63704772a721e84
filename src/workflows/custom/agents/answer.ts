/** The instructions how an agent must answer, and the display of its answer. */
import { attempt } from "../../../core/attempt.ts";
import { isObject } from "../../../core/json.ts";
import type { EventDefinition } from "../../../engine/workflow.ts";
import type { AgentAnswers } from "../../../runtime/agent-order.ts";
import type { ListLimits, ProposedTask } from "../../../tasks-file/proposal.ts";
import { BLOOM, beginCommands, type Definition } from "../definition/definition.ts";

/** By field of tasks: what may begin from it. */
export type AnswerLimits = Readonly<Record<string, ListLimits>>;

export const ANY_TASKS: ListLimits = { most: 50, dependencies: true };

export function limitsOf(definition: Pick<Definition, "table">, agent: string): AnswerLimits {
  const limits: Record<string, ListLimits> = {};
  for (const { command } of beginCommands(definition)) {
    const [by, field = ""] = (command.from ?? "").split(".");
    if (by !== agent) continue;
    const { dependencies, most } = limits[field] ?? ANY_TASKS;
    limits[field] = {
      most: Math.min(most, command.most ?? ANY_TASKS.most),
      dependencies: dependencies && command.workflow === BLOOM,
    };
  }
  return limits;
}

/** How the agent answers, for its prompt. */
export function answerWords(
  answers: AgentAnswers,
  events: Readonly<Record<string, EventDefinition>>,
  limits: AnswerLimits = {},
): string {
  const verdicts = Object.values(answers).flatMap((kind) => (typeof kind === "string" ? [] : kind));
  const sample = Object.entries(answers).map(([field, kind]) => {
    const value = kind === "text" ? "…" : kind === "tasks" ? [sampleTask(limits[field])] : kind.join(" | ");
    return `  ${JSON.stringify(field)}: ${JSON.stringify(value)}`;
  });
  const lists = Object.entries(answers).flatMap(([field, kind]) => {
    if (kind !== "tasks") return [];
    const { dependencies, most } = limits[field] ?? ANY_TASKS;
    const optional = ["`acceptance_criteria`", "`steps`", ...(dependencies ? ["`depends_on`"] : [])].join(
      ", ",
    );
    return [
      `In \`${field}\`, at most ${most}, or none: \`[]\`. ${optional} may be left out; other keys are refused. An agent that knows nothing of this does each by itself: say what to do, where, and what must stay.`,
    ];
  });
  return `## Your answer

When you are done, end with one message that holds this JSON object, with every field, and nothing after it:

\`\`\`json
{
${sample.join(",\n")}
}
\`\`\`

${[...lists, verdicts.map((event) => `- \`${event}\`: ${events[event]?.description ?? ""}`).join("\n")].join("\n\n")}`;
}

function sampleTask({ dependencies }: ListLimits = ANY_TASKS) {
  return {
    id: "short-name",
    title: "One line",
    instructions: "What to do.",
    acceptance_criteria: ["What must hold at the end"],
    ...(dependencies && { depends_on: ["other-id"] }),
    steps: ["What to do first", "What to do then"],
  };
}

/** The tasks of a field, as Pawl keeps them, for people and other agents. */
export function tasksWords(text: string): string {
  const list: unknown = attempt<unknown, unknown>(() => JSON.parse(text), null);
  if (!Array.isArray(list) || !list.every(isObject)) return text;
  const indented = (words: string) => words.replaceAll("\n", "\n  ");
  return (list as readonly Partial<ProposedTask>[])
    .map(({ acceptance_criteria = [], depends_on = [], id, instructions = "", steps = [], title }) => {
      const after = depends_on.length > 0 ? ` (after ${depends_on.join(", ")})` : "";
      const more = [...steps, ...acceptance_criteria].map((each) => `  - ${indented(indented(each))}`);
      return [`- ${id}${after}: ${title}`, `  ${indented(instructions)}`, ...more].join("\n");
    })
    .join("\n");
}
