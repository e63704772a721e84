/**
 * The parts that every run of an agent has, whatever its protocol: its folder, its process, its state, and
 * its end.
 */
import type { AgentEnd, AgentEvent, AgentOrder, Limited } from "../../core/ports/agents.ts";
import { findProgram } from "../process/programs.ts";
import type { HomePlace } from "../wall/homes.ts";
import { capabilityOf } from "./capability.ts";
import type { AgentLine, Fault } from "./dialects/dialect.ts";
import { limitedBy } from "./dialects/limited.ts";
import { childEnvironment } from "./environment.ts";
import { applyLine, type Heard, NOTHING_HEARD, spentIn } from "./heard.ts";
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
  /** Applies a line's events and passes them to the listener. */
  tell(told: readonly AgentLine[]): void;
  start(program: Program): RunningProcess;
  /** The end, for the caller and the run's folder. */
  end(end: ProcessEnd, judged: (heard: Heard, end: ProcessEnd) => Fault | null): AgentEnd;
}

interface Program extends Pick<ProcessOrder, "args" | "onLine" | "onTooLong" | "input" | "program"> {
  /** Names of more environment variables that it may have. */
  readonly names: readonly string[];
  readonly added: Readonly<Record<string, string>>;
  /** The files of the person's home that it may reach behind the wall. */
  readonly home: readonly HomePlace[];
  /** The hosts of its model. */
  readonly hosts: readonly string[];
}

interface Counting {
  /** The name under which a session's usage is kept. */
  readonly spender: string;
  /** What the session had spent before is not taken away. */
  readonly countsAll?: boolean;
}

export function openRun(
  setup: AgentsSetup,
  order: AgentOrder,
  { countsAll = false, spender }: Counting,
  hear: (event: AgentEvent) => void,
): OpenRun {
  const { projectRoot } = setup;
  const folder = openRunFolder(projectRoot, "agents", order.run);
  const mark = markOf(projectRoot, order.run);
  const outbox = openOutbox(folder);
  const isResumed = order.session.type === "resume" && !countsAll;
  const before = isResumed ? loadSpent(projectRoot, spender, order.session.id) : null;
  let heard = NOTHING_HEARD;
  let watch: SilenceWatch | undefined;
  return {
    folder,
    outbox,
    tell(told) {
      const taken = applyLine(heard, told, before);
      const isSpent = taken.heard.usageInAll !== heard.usageInAll;
      heard = taken.heard;
      watch?.heard(told);
      if (isSpent && heard.session && heard.usageInAll)
        keepSpent(projectRoot, spender, heard.session, heard.usageInAll);
      keepUsage(folder, taken.events);
      keepSession(folder, taken.events, order.folder);
      for (const event of taken.events) hear(event);
    },
    start({ added, args, home, hosts, names, program, ...heard }) {
      keepCall(folder, order, program, args);
      const inside = { ...added, ...order.environment, [OUTBOX]: outbox, ...capabilityOf(setup, order) };
      const place = { mark, folder: order.folder, names, added: inside };
      const path = findProgram(program, setup.environment).path ?? program;
      const called = { program: path, args, environment: childEnvironment(setup.environment, place) };
      watch = openSilenceWatch(folder.folder, (text) => hear({ type: "warning", text }));
      return runProcess({
        ...heard,
        ...walledAgent(setup, order, called, { folder, outbox, home, hosts }),
        folder: order.folder,
        masked: setup.environment,
        mark,
        outputFolder: folder.folder,
        limits: order.limits ?? {},
        ...(setup.isShared ? { endTimes: LOST_TIMES } : {}),
      });
    },
    end(told, judged) {
      watch?.close();
      const end = explained(setup, order.agent, told);
      const fault = judged(heard, end);
      const limited = limitedBy(fault, spender, new Date());
      return agentEndOf(folder, heard, end, fault, limited);
    },
  };
}

export function tooLong(characters: number): string {
  return `skipped a line of ${characters} characters: it is too long`;
}

function agentEndOf(
  runFolder: RunFolder,
  heard: Pick<Heard, "session" | "text" | "usage" | "tools" | "turns" | "model" | "quota" | "refused">,
  end: ProcessEnd,
  fault: Fault | null,
  limited: Limited | null,
): AgentEnd {
  const facts = {
    session: fault?.reason === "bad-session" ? null : heard.session,
    text: heard.text,
    usage: spentIn(heard),
    exit: { code: end.code, signal: end.signal },
    duration: end.duration,
    leftovers: end.leftovers,
    output: runFolder.path,
    ...(heard.model ? { model: heard.model } : {}),
    ...(heard.quota ? { quota: heard.quota } : {}),
    ...(heard.refused.length > 0 ? { refused: [...new Set(heard.refused)] } : {}),
  };
  const told: AgentEnd = fault
    ? {
        ...{ ...facts, outcome: "failed", reason: fault.reason, detail: fault.detail },
        ...(limited === null ? {} : { limited }),
      }
    : { ...facts, outcome: "succeeded" };
  keep(runFolder, "end.json", end.outputFault ? { ...told, outputFault: end.outputFault } : told);
  return told;
}
