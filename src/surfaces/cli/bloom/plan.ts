/** `pawl plan TEXT`: an agent proposes tasks; a person reviews the changes to tasks.yaml and decides. */
import { randomUUID } from "node:crypto";
import { PawlError } from "../../../core/error.ts";
import { type ProjectPath, pathFault } from "../../../core/path.ts";
import type { Repo } from "../../../core/ports/worktrees.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { readTasksText } from "../../../tasks-file/grow.ts";
import { propose } from "../../../workflows/bloom/proposal/propose.ts";
import { keepProposal, takeProposal } from "../../../workflows/bloom/proposal/take-proposal.ts";
import { ENDING_SIGNALS } from "../../ending-signals.ts";
import type { Answer, Call, Host, Run } from "../line/command.ts";
import { runAsking } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";

export const plan: Run = async (host, call) => {
  const wanted = wantedOf(call);
  const project = await host.projects.open({ create: wanted.take === null });
  if (wanted.take !== null) return confirmProposal(host, project, wanted.take);
  const stop = new AbortController();
  const file = await proposalFor(host, project, wanted, stop);
  if (file === null) {
    const exit = stop.signal.reason === "SIGINT" ? 130 : 1;
    return { text: "Interrupted. Nothing was changed.\n", data: { interrupted: true }, exit };
  }
  const isAsked = host.json !== true && host.person.agent() === null && host.person.terminal.isThere();
  if (isAsked) return confirmProposal(host, project, file);
  const { reply } = await runTransaction(project.runtime, takeProposal, { file }, host.person.caller());
  return {
    text: `${reply.text}\n\nNothing was changed. At a terminal, \`${host.name} plan --take ${file}\` asks you and takes it.\n`,
    data: { ...(reply.data as object), taken: false },
    exit: 3,
  };
};

interface Wanted {
  readonly description: string;
  readonly agent: string | null;
  readonly after: readonly string[];
  readonly repo: Repo | null;
  readonly take: ProjectPath | null;
}

function wantedOf({ arguments: given, options }: Call): Wanted {
  const description = String(given.text ?? "").trim();
  const { after = [], agent = null, repo = null, take: file = null } = options;
  if ((file === null) === (description === ""))
    throw new PawlError(
      "usage",
      `\`pawl plan\` needs what you want, or --take with a proposal's file: found ${file === null ? "neither" : "both"}.`,
      'Run `pawl plan "what you want"`.',
    );
  if (file !== null && (agent !== null || repo !== null || (after as readonly string[]).length > 0))
    throw new PawlError(
      "usage",
      "--take adds a kept proposal as it is: --agent, --repo and --after cannot change it.",
      "Leave them out, or edit the proposal's file.",
    );
  return {
    description,
    agent: agent as string | null,
    after: after as readonly string[],
    repo: repo === "." ? "." : (pathOf(repo, "--repo") as Repo | null),
    take: pathOf(file, "--take"),
  };
}

function pathOf(given: unknown, option: string): ProjectPath | null {
  if (given === null) return null;
  const path = String(given).replace(/^\.\//, "");
  const fault = pathFault(path);
  if (fault === null) return path as ProjectPath;
  throw new PawlError("usage", `${option} takes a path inside the project: ${fault}.`, "Correct the path.");
}

/** Shows what the proposal changes, and adopts it if the person agrees. Throws if no person can be asked. */
async function confirmProposal(host: Host, { runtime }: Project, file: ProjectPath): Promise<Answer> {
  const stayNote = async () =>
    `It stays in ${file} until you say yes; \`${host.name} plan --take ${file}\` asks again.`;
  const { reply } = await runAsking(host, runtime, takeProposal, { file }, stayNote);
  return { text: `${reply.text}\n`, data: reply.data };
}

/** The file with the agent's proposal; null: a signal stopped the agent. */
async function proposalFor(
  { person, terminal }: Host,
  { openLoop, runtime, trust }: Project,
  { agent: named, after, description, repo }: Wanted,
  stop: AbortController,
): Promise<ProjectPath | null> {
  const view = runtime.store.view();
  const settings = await runtime.settings(view);
  const { tasks } = await readTasksText(view, { settings });
  const agent = named ?? settings.bloom.agent;
  await trust.checkAgent(agent);
  const onSignal = (signal: NodeJS.Signals) => stop.abort(signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  const { close, ports } = await openLoop();
  try {
    const name = `plan-${randomUUID().slice(0, 8)}`;
    const print = (line: string) => terminal.err(`${clean(line)}\n`);
    print(`${agent} reads the project and proposes tasks …`);
    const proposed = await propose(ports, {
      ...{ name, agent, description, after, repo, tasks, print },
      settings: settings.bloom,
      stop: stop.signal,
    });
    const { reply } = await runTransaction(runtime, keepProposal, { ...proposed, name }, person.caller());
    return (reply.data as { readonly file: ProjectPath }).file;
  } catch (thrown) {
    if (stop.signal.aborted) return null;
    throw thrown;
  } finally {
    close?.();
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  }
}
