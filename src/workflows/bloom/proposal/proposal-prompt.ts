/** The prompt for an agent that proposes tasks. */
import { quote } from "../../../core/text/fence.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";

/** A longer list would help the agent little. */
const MOST_SHOWN = 300;

export function proposalPrompt(description: string, tasks: readonly Task[]): string {
  const present = eachTask(tasks).map(({ task }) => `- ${task.id} (${task.status}): ${oneLine(task.title)}`);
  const more = present.length - MOST_SHOWN;
  return `You plan work for coding agents. Read the project in this folder as far as you need. Change nothing, run nothing that changes something, and do none of the work.

A person wants this:

${quote(description)}

Split it into tasks, as few as the work has separate parts. An agent that knows nothing of this talk does each of them by itself, on a branch of its own: say in its instructions what to do, in which files, and what must stay as it is. Give criteria that can be checked. A task that needs another's result depends on it; tasks that need nothing of each other do not.

${present.length === 0 ? "There are no tasks yet." : `These tasks exist. Do not propose them again; a new task may depend on them by their ids:\n\n${present.slice(0, MOST_SHOWN).join("\n")}${more > 0 ? `\n(and ${more} more)` : ""}`}

Answer with one block of JSON and nothing else, in this form. \`steps\`, \`depends_on\` and \`acceptance_criteria\` may be left out; other keys are refused.

\`\`\`json
{
  "tasks": [
    {
      "id": "short-name",
      "title": "One line",
      "instructions": "What to do.",
      "acceptance_criteria": ["What must hold at the end"],
      "depends_on": ["other-id"],
      "steps": ["What to do first", "What to do then"]
    }
  ]
}
\`\`\`
`;
}

/** The prompt for the second and last try. */
export function repairPrompt(fault: string): string {
  return `Your answer cannot be taken:\n\n${quote(fault)}\n\nAnswer again, with one block of JSON in the form that was asked for, and nothing else.\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
