/** One run of a command-line agent: its dialect over the process runner. */
import { join } from "node:path";
import type { AgentEvent, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { isWorkspace, topOf } from "../process/work-folder.ts";
import { type Call, modelLine, parseLine } from "./dialects/dialect.ts";
import { judge } from "./heard.ts";
import { openRun, tooLong } from "./open-run.ts";
import { keep } from "./run-folder.ts";
import type { AgentsSetup, KnownAgent } from "./setup.ts";
import { outsideNeeds } from "./walled.ts";

type CliAgent = Extract<KnownAgent, { kind: "dialect" }>;

interface ProgramFacts {
  /** What it prints as its help; empty: it was not asked. */
  readonly help: string;
  /** What its counters mean in a resumed session is not known. */
  readonly unknown: boolean;
}

function callOf(
  agent: CliAgent,
  order: AgentOrder,
  place: { readonly runFolder: string; readonly outbox: string; readonly walled: boolean },
  { help, unknown }: ProgramFacts,
): Call {
  const { outbox, runFolder, walled } = place;
  const { turns } = order.limits ?? {};
  // It may be compared with what the whole session cost.
  const usd = unknown && order.session.type === "resume" ? undefined : order.limits?.usd;
  return {
    limits: { ...(turns === undefined ? {} : { turns }), ...(usd === undefined ? {} : { usd }) },
    knows: (option) => help.includes(option),
    session: order.session,
    runFolder,
    folder: order.folder.agentPath,
    permission: order.permission,
    allow: order.allow ?? [],
    model: order.model ?? agent.settings.model,
    writable: order.permission === "edits" ? [...gitFoldersOf(order.folder), outbox] : [],
    asRoot: process.getuid?.() === 0,
    walled,
  };
}

export function startCli(
  setup: AgentsSetup,
  agent: CliAgent,
  order: AgentOrder,
  onEvent: (event: AgentEvent) => void,
  facts: ProgramFacts = { help: "", unknown: false },
): AgentRun {
  const { dialect, settings } = agent;
  const run = openRun(setup, order, dialect.name, onEvent);
  if (facts.unknown) run.countAll();
  const call = callOf(
    agent,
    order,
    { runFolder: run.folder.folder, outbox: run.outbox, walled: setup.wall !== undefined },
    facts,
  );
  for (const [name, text] of Object.entries(dialect.files?.(call) ?? {})) keep(run.folder, name, text);
  run.addLines(modelLine("asked", call.model ?? ""));
  if (order.permission === "all")
    onEvent({
      type: "warning",
      text: `permission is all: ${order.agent}'s own guards are bypassed in this run`,
    });
  const [program = "", ...before] = agent.command;
  const running = run.start({
    program,
    args: [...before, ...dialect.arguments(call), ...(settings.args ?? [])],
    names: [...dialect.passes, ...(settings.environment ?? [])],
    added: dialect.environment(call),
    ...outsideNeeds(setup, agent),
    input: order.prompt,
    onLine: (line) => {
      const json = parseLine(line);
      if (json !== null) run.addLines(dialect.read(json));
    },
    onTooLong: (characters) => onEvent({ type: "warning", text: tooLong(characters) }),
  });
  const ended = running.ended.then((processEnd) =>
    run.end(processEnd, (output, end) => judge(output, end, (how) => dialect.failureOf(how))),
  );
  return {
    run: order.run,
    ended,
    stop: async (reason) => {
      await running.stop(reason);
      return ended;
    },
  };
}

/**
 * The git folder of a workspace, which an agent's own sandbox must allow: some protect every `.git`. No git
 * outside reads it. In a person's checkout it stays protected: the person's git would run hooks and settings
 * written there.
 */
export function gitFoldersOf(folder: AgentFolder): readonly string[] {
  return isWorkspace(folder) ? [join(topOf(folder).agentPath, ".git")] : [];
}
