/**
 * Has an agent propose tasks. The agent only reads: it may run nothing without asking, and behind the wall it
 * can write only to its own home. If its reply is unusable, it gets one more try in the same session.
 */

import { PawlError, toPawlError } from "../../../core/error.ts";
import type { AgentEnd, AgentEvent } from "../../../core/ports/agents.ts";
import type { WorkPorts } from "../../../core/ports/loop.ts";
import type { Meanwhile, Repo } from "../../../core/ports/worktrees.ts";
import type { BloomSettings } from "../../../core/settings.ts";
import { clean } from "../../../core/text/clean.ts";
import { quote } from "../../../core/text/fence.ts";
import { itemsOf, type Proposed, readReply } from "../../../tasks-file/proposal.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";

export interface ProposeOrder {
  /** Names its runs: `NAME.1`, and `NAME.2` for the second try. */
  readonly name: string;
  readonly agent: string;
  readonly description: string;
  readonly after: readonly string[];
  readonly repo: Repo | null;
  /** The present tasks. */
  readonly tasks: readonly Task[];
  readonly settings: Pick<BloomSettings, "budget" | "limits">;
  readonly stop: AbortSignal;
  /** Shows a person a line meanwhile; the line is not cleaned. */
  print(line: string): void;
}

type Ports = Pick<WorkPorts, "agents" | "environment" | "root" | "worktrees">;

/**
 * Throws `agent-missing`, `agent-failed`, `proposal-invalid`, and `repository-missing` for its repository.
 */
export async function propose(ports: Ports, order: ProposeOrder): Promise<Proposed> {
  const { after, agent, description, repo, tasks } = order;
  const missing = ports.agents.missing(agent);
  if (missing !== null)
    throw new PawlError(
      "agent-missing",
      missing,
      "Name another with --agent; `pawl config agents` shows them.",
    );
  // Fail early if the named tasks do not exist.
  itemsOf({ after, repo, tasks: [] }, tasks);
  const changed = await watching(ports, repo);
  const asked = proposalPrompt(description, tasks);
  const first = await ask(ports, order, `${order.name}.1`, asked, null);
  const found = readProposal(first, order);
  const result =
    found instanceof PawlError ? readProposal(await again(ports, order, asked, first, found), order) : found;
  for (const { path } of (await changed()).files)
    order.print(`${path} changed while the agent ran, although it was told to change nothing. Look at it.`);
  if (result instanceof PawlError) throw result;
  return result;
}

async function again(
  ports: Ports,
  order: ProposeOrder,
  asked: string,
  { session }: AgentEnd,
  fault: PawlError,
): Promise<AgentEnd> {
  order.print(`${fault.message} Asking again.`);
  const prompt = repairPrompt(fault.message);
  return ask(ports, order, `${order.name}.2`, session === null ? `${asked}\n${prompt}` : prompt, session);
}

function readProposal(
  end: AgentEnd,
  { after, agent, description, repo, tasks }: ProposeOrder,
): Proposed | PawlError {
  try {
    const proposed = { description, agent, after: [...after], repo, tasks: [...readReply(end.text)] };
    itemsOf(proposed, tasks);
    return proposed;
  } catch (thrown) {
    const error = toPawlError(thrown);
    if (error.code !== "proposal-invalid") throw error;
    return new PawlError(error.code, error.message, `${error.fix} ${end.output} has what the agent said.`);
  }
}

const MINUTE = 60_000;

async function ask(
  { agents, environment, root }: Ports,
  { agent, repo, settings, stop, print }: ProposeOrder,
  run: string,
  prompt: string,
  session: string | null,
): Promise<AgentEnd> {
  const { budget, limits } = settings;
  const running = agents.start(
    {
      ...{ run, agent, prompt, environment, readOnly: true, permission: "ask" },
      folder: repo === null || repo === "." ? root : { agentPath: `${root.agentPath}/${repo}` },
      session: session === null ? { type: "new" } : { type: "resume", id: session },
      limits: {
        inactivity: limits.silence * MINUTE,
        total: Math.min(limits.run, budget.minutes ?? limits.run) * MINUTE,
        ...(budget.usd === undefined ? {} : { usd: budget.usd }),
        ...(budget.turns === undefined ? {} : { turns: budget.turns }),
      },
    },
    (event: AgentEvent) => {
      if (event.type === "warning") print(event.text);
    },
  );
  const end = () => void running.stop("it was interrupted");
  if (stop.aborted) end();
  stop.addEventListener("abort", end);
  const ended = await running.ended;
  stop.removeEventListener("abort", end);
  if (ended.outcome === "succeeded") return ended;
  throw new PawlError(
    "agent-failed",
    `${agent} proposed nothing: it ended as ${ended.reason} (${clean(ended.detail)}). Nothing was changed.`,
    `Look into ${ended.output}, or name another agent with --agent.`,
  );
}

/** Watches the checkout for changes meanwhile. Without a named repository, there need not be one. */
async function watching({ worktrees }: Ports, repo: Repo | null): Promise<() => Promise<Meanwhile>> {
  const none = async () => ({ files: [], branches: [] });
  if (repo !== null) return worktrees.watchCheckout(repo);
  return worktrees.watchCheckout(".").catch(() => none);
}

/** A longer list would help the agent little. */
const MAX_SHOWN = 300;

function proposalPrompt(description: string, tasks: readonly Task[]): string {
  const present = eachTask(tasks).map(({ task }) => `- ${task.id} (${task.status}): ${oneLine(task.title)}`);
  const more = present.length - MAX_SHOWN;
  return `You plan work for coding agents. Read the project in this folder as far as you need. Change nothing, run nothing that changes something, and do none of the work.

A person wants this:

${quote(description)}

Split it into tasks, as few as the work has separate parts. An agent that knows nothing of this talk does each of them by itself, on a branch of its own: say in its instructions what to do, in which files, and what must stay as it is. Give criteria that can be checked. A task that needs another's result depends on it; tasks that need nothing of each other do not.

${present.length === 0 ? "There are no tasks yet." : `These tasks exist. Do not propose them again; a new task may depend on them by their ids:\n\n${present.slice(0, MAX_SHOWN).join("\n")}${more > 0 ? `\n(and ${more} more)` : ""}`}

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
function repairPrompt(fault: string): string {
  return `Your answer cannot be taken:\n\n${quote(fault)}\n\nAnswer again, with one block of JSON in the form that was asked for, and nothing else.\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 200);
}
