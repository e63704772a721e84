/**
 * The parts that every run of an agent has, whatever its protocol: its folder, its process, its state, and
 * its end.
 */
import { join, relative } from "node:path";
import type { AgentEnd, AgentEvent, AgentOrder, Limited } from "../../core/ports/agents.ts";
import { realOr } from "../git/discover.ts";
import { findProgram } from "../process/programs.ts";
import type { AgentHome } from "../wall/homes.ts";
import { capabilityOf } from "./capability.ts";
import { codexQuota } from "./codex-quota.ts";
import { type AgentLine, type Fault, shortLine } from "./dialects/dialect.ts";
import { limitedBy } from "./dialects/limited.ts";
import { childEnvironment } from "./environment.ts";
import { applyLine, NO_OUTPUT, type RunOutput, spentIn } from "./heard.ts";
import { markOf } from "./mark.ts";
import { explained } from "./missing.ts";
import { OUTBOX, openOutbox } from "./outbox.ts";
import { LOST_TIMES } from "./process-tree.ts";
import {
  keep,
  keepCall,
  keepSession,
  keepSpent,
  keepUsage,
  loadSpent,
  openRunFolder,
  type RunFolder,
} from "./run-folder.ts";
import { type ProcessEnd, type ProcessOrder, type RunningProcess, runProcess } from "./run-process.ts";
import type { AgentsSetup } from "./setup.ts";
import { openSilenceWatch, type SilenceWatch } from "./silence-watch.ts";
import { walledAgent } from "./walled.ts";

export interface OpenRun {
  readonly folder: RunFolder;
  readonly outbox: string;
  /** From now on, reported usage is this run's alone: the session's earlier usage is not subtracted. */
  countAll(): void;
  /** Applies a line's events and passes them to the listener. */
  addLines(lines: readonly AgentLine[]): void;
  start(program: Program): RunningProcess;
  /** The end, for the caller and the run's folder. */
  end(end: ProcessEnd, judged: (output: RunOutput, end: ProcessEnd) => Fault | null): AgentEnd;
}

interface Program extends Pick<ProcessOrder, "args" | "onLine" | "onTooLong" | "input" | "program"> {
  /** Names of more environment variables that it may have. */
  readonly names: readonly string[];
  readonly added: Readonly<Record<string, string>>;
  /** The files of the person's home that it may reach behind the wall. */
  readonly home: readonly AgentHome[];
  /** The hosts of its model. */
  readonly hosts: readonly string[];
  /** Codex's own folder: its sessions' files report the account's usage. */
  readonly quotaFolder?: string | undefined;
}

/** `spender`: the name under which a session's usage is kept. */
export function openRun(
  setup: AgentsSetup,
  order: AgentOrder,
  spender: string,
  onEvent: (event: AgentEvent) => void,
): OpenRun {
  const { projectRoot } = setup;
  const folder = openRunFolder(projectRoot, "agents", order.run);
  const mark = markOf(projectRoot, order.run);
  const outbox = openOutbox(folder);
  let countsAll = false;
  let before = order.session.type === "resume" ? loadSpent(projectRoot, spender, order.session.id) : null;
  let output = NO_OUTPUT;
  let watch: SilenceWatch | undefined;
  let quotaFolder: string | undefined;
  const addLines = (reported: readonly AgentLine[]) => {
    // Where the run's own cost is known, the session's is not needed.
    const lines = countsAll ? reported.filter(({ type }) => type !== "cost-in-all") : reported;
    const taken = applyLine(output, lines, before);
    const isSpent = taken.output.usageInAll !== output.usageInAll;
    output = taken.output;
    watch?.onLines(lines);
    if (isSpent && output.session && output.usageInAll)
      keepSpent(projectRoot, spender, output.session, output.usageInAll);
    keepUsage(folder, taken.events);
    keepSession(folder, taken.events, order.folder);
    for (const event of taken.events) onEvent(event);
  };
  return {
    folder,
    outbox,
    countAll() {
      countsAll = true;
      before = null;
    },
    addLines,
    start({ added, args, home, hosts, names, program, quotaFolder: outside, ...streams }) {
      keepCall(folder, order, program, args);
      const more = { ...added, ...order.environment, [OUTBOX]: outbox, ...capabilityOf(setup, order) };
      const context = { mark, folder: order.folder, names, added: more };
      const path = findProgram(program, setup.environment).path ?? program;
      const called = { program: path, args, environment: childEnvironment(setup.environment, context) };
      const enclosed = walledAgent(setup, order, called, { folder, outbox, home, hosts });
      const inside = outside === undefined ? null : enclosed.homeFor?.(outside);
      quotaFolder = inside ? join(inside.by, relative(inside.at, realOr(outside ?? ""))) : outside;
      watch = openSilenceWatch(folder.folder, (text) => onEvent({ type: "warning", text }));
      return runProcess({
        ...streams,
        ...enclosed,
        folder: order.folder,
        masked: setup.environment,
        mark,
        outputFolder: folder.folder,
        limits: order.limits ?? {},
        ...(setup.isShared ? { endTimes: LOST_TIMES } : {}),
      });
    },
    end(processEnd, judged) {
      watch?.close();
      if (quotaFolder !== undefined && output.session !== null)
        addLines(codexQuota(quotaFolder, output.session));
      const end = explained(setup, order.agent, processEnd);
      const fault = judged(output, end);
      const limited = limitedBy(fault, spender, new Date());
      return agentEndOf(folder, output, end, fault, limited);
    },
  };
}

export function tooLong(characters: number): string {
  return `skipped a line of ${characters} characters: it is too long`;
}

function agentEndOf(
  runFolder: RunFolder,
  output: Pick<RunOutput, "session" | "text" | "usage" | "tools" | "turns" | "model" | "quota" | "refused">,
  end: ProcessEnd,
  fault: Fault | null,
  limited: Limited | null,
): AgentEnd {
  const facts = {
    session: fault?.reason === "bad-session" ? null : output.session,
    text: output.text,
    usage: spentIn(output),
    exit: { code: end.code, signal: end.signal },
    duration: end.duration,
    leftovers: end.leftovers,
    output: runFolder.path,
    ...(output.model ? { model: output.model } : {}),
    ...(output.quota ? { quota: output.quota } : {}),
    ...(output.refused.length > 0 ? { refused: [...new Set(output.refused)] } : {}),
  };
  const agentEnd: AgentEnd = fault
    ? {
        ...{ ...facts, outcome: "failed", reason: fault.reason, detail: shortLine(fault.detail) },
        ...(limited === null ? {} : { limited }),
      }
    : { ...facts, outcome: "succeeded" };
  keep(runFolder, "end.json", end.outputFault ? { ...agentEnd, outputFault: end.outputFault } : agentEnd);
  return agentEnd;
}
