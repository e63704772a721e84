/** One run of an agent that is a command-line program: its dialect over the process runner. */
import type { AgentEnd, AgentEvent, AgentOrder, AgentRun } from "../../core/ports/agents.ts";
import { capabilityOf } from "./capability.ts";
import type { Call, Fault } from "./dialect.ts";
import { parseLine } from "./dialect.ts";
import { childEnvironment } from "./environment.ts";
import { gitFoldersOf } from "./git-folders.ts";
import { type Heard, judge, NOTHING_HEARD, spentIn, take } from "./heard.ts";
import { markOf } from "./mark.ts";
import { explained } from "./missing.ts";
import { OUTBOX, openOutbox } from "./outbox.ts";
import {
  keep,
  keepCall,
  keepSpent,
  keepUsage,
  loadSpent,
  openRunFolder,
  type RunFolder,
} from "./run-folder.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import type { AgentsSetup, Known } from "./setup.ts";

type CliAgent = Extract<Known, { kind: "dialect" }>;

function callOf(agent: CliAgent, order: AgentOrder, runFolder: string, outbox: string, help: string): Call {
  const { turns, usd } = order.limits ?? {};
  return {
    limits: { ...(turns === undefined ? {} : { turns }), ...(usd === undefined ? {} : { usd }) },
    knows: (option) => help.includes(option),
    session: order.session,
    runFolder,
    folder: order.folder,
    permission: order.permission,
    allow: order.allow ?? [],
    model: order.model ?? agent.settings.model,
    writable: order.permission === "edits" ? [...gitFoldersOf(order.folder), outbox] : [],
    asRoot: process.getuid?.() === 0,
  };
}

export function startCli(
  setup: AgentsSetup,
  agent: CliAgent,
  order: AgentOrder,
  hear: (event: AgentEvent) => void,
  help = "",
): AgentRun {
  const { dialect, settings } = agent;
  const runFolder = openRunFolder(setup.projectRoot, "agents", order.run);
  const mark = markOf(setup.projectRoot, order.run);
  const outbox = openOutbox(runFolder);
  const call = callOf(agent, order, runFolder.folder, outbox, help);
  for (const [name, text] of Object.entries(dialect.files?.(call) ?? {})) keep(runFolder, name, text);
  const [program = "", ...before] = agent.command;
  const args = [...before, ...dialect.arguments(call), ...(settings.args ?? [])];
  keepCall(runFolder, order, program, args);
  if (order.permission === "all")
    hear({
      type: "warning",
      text: `permission is all: ${order.agent}'s own guards are bypassed in this run`,
    });

  const spentBefore =
    order.session.type === "resume" ? loadSpent(setup.projectRoot, dialect.name, order.session.id) : null;
  let heard = NOTHING_HEARD;
  const running = runProcess({
    program,
    args,
    folder: order.folder,
    masked: setup.environment,
    environment: childEnvironment(setup.environment, {
      mark,
      folder: order.folder,
      names: [...dialect.passes, ...(settings.environment ?? [])],
      added: {
        ...dialect.environment(call),
        ...order.environment,
        [OUTBOX]: outbox,
        ...capabilityOf(setup, order),
      },
    }),
    mark,
    input: order.prompt,
    outputFolder: runFolder.folder,
    limits: order.limits ?? {},
    hearLine: (line) => {
      const json = parseLine(line);
      if (json === null) return;
      const taken = take(heard, dialect.read(json), spentBefore);
      heard = taken.heard;
      keepUsage(runFolder, taken.events);
      for (const event of taken.events) hear(event);
    },
    hearTooLong: (characters) =>
      hear({ type: "warning", text: `skipped a line of ${characters} characters: it is too long` }),
  });
  const ended = running.ended.then((told) => {
    const end = explained(setup, order.agent, told);
    const fault = judge(heard, end, (how) => dialect.failureOf(how));
    if (heard.session && heard.usageInAll)
      keepSpent(setup.projectRoot, dialect.name, heard.session, heard.usageInAll);
    return tellEnd(runFolder, heard, end, fault);
  });
  return {
    run: order.run,
    ended,
    stop: async (reason) => {
      await running.stop(reason);
      return ended;
    },
  };
}

/** The end of a run as it is told, and kept. */
export function tellEnd(
  runFolder: RunFolder,
  heard: Pick<Heard, "session" | "text" | "usage" | "tools" | "turns" | "refused">,
  end: ProcessEnd,
  fault: Fault | null,
): AgentEnd {
  const facts = {
    session: fault?.reason === "bad-session" ? null : heard.session,
    text: heard.text,
    usage: spentIn(heard),
    exit: { code: end.code, signal: end.signal },
    duration: end.duration,
    leftovers: end.leftovers,
    output: runFolder.path,
    ...(heard.refused.length > 0 ? { refused: [...new Set(heard.refused)] } : {}),
  };
  const told: AgentEnd = fault
    ? { ...facts, outcome: "failed", ...fault }
    : { ...facts, outcome: "succeeded" };
  keep(runFolder, "end.json", end.outputFault ? { ...told, outputFault: end.outputFault } : told);
  return told;
}
