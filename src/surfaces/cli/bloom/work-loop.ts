/** Shared by the commands that run the work loop: `pawl run` alone, `pawl worker` among others. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import type { LoopPorts } from "../../../core/ports/loop.ts";
import type { LoopEnd } from "../../../core/ports/loop-end.ts";
import { cleanLine, shownJson } from "../../../core/text/clean.ts";
import { fewOf } from "../../../core/text/few.ts";
import type { Project } from "../../../runtime/project.ts";
import { restLine } from "../../../scheduler/agent-rest.ts";
import { type LoopSetup, runLoop } from "../../../workflows/bloom/scheduler/loop.ts";
import type { Answer, Call, Host } from "../line/command.ts";
import { wholeNumber } from "../line/whole-number.ts";
import { clean } from "../terminal/terminal.ts";
import { MAX_NAMED, waitWords } from "./run-board.ts";
import { openScreen, type Screen } from "./run-screen.ts";

/** The same limit as in the configuration. */
const MAX_AGENTS = 64;

/** Throws `usage`. */
export function parseAgents(agents: unknown): number | undefined {
  if (agents === undefined) return undefined;
  return wholeNumber("--agents", agents, { from: 1, to: MAX_AGENTS, fix: "Write for example --agents 2." });
}

/** A screen of JSON lines, or of lines for a person. `ends`: the loop ends when it has nothing to do. */
export function screenOf({ terminal }: Host, json: boolean | undefined, ends: boolean): Screen {
  if (json !== true) return openScreen(terminal, { ends });
  return {
    show: (event: BloomEvent | PawlEvent) => terminal.out(`${shownJson(event)}\n`),
    say: (text) => terminal.err(`${clean(text)}\n`),
    close: () => {},
  };
}

/**
 * The loop runs for hours next to its agents. By default, V8 would give it up to 64 MB for young objects,
 * which do not make it faster; and what git printed would stay until they are full. A heap that grows in small
 * steps is no slower either, and stays at 120 MB in place of 200. The start has taken some of it: this collection
 * alone gives that back.
 */
function keepSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: Readonly<Record<string, string>>) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

type OwnSetup = Omit<LoopSetup, keyof LoopPorts | "runtime" | "show">;

/** Runs the loop in this process. `onEvent`: another listener for its events. */
export async function runWith(
  project: Project,
  outside: LoopPorts,
  screen: Screen,
  { onEvent, ...setup }: OwnSetup & { readonly onEvent?: LoopSetup["show"] },
): Promise<LoopEnd> {
  keepSmall();
  project.notices.wake();
  const end = await runLoop({
    ...outside,
    ...setup,
    runtime: project.runtime,
    show(event) {
      screen.show(event);
      project.notices.receive(event);
      onEvent?.(event);
    },
  });
  outside.close?.();
  screen.close();
  return end;
}

/** With `--listen`, answers health checks and autoscalers for as long as it works. */
export async function whileAnswering(
  host: Host,
  { options: { listen } }: Call,
  project: Project,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (listen === undefined) return work();
  const { placeOf } = await import("../board-listen.ts");
  const figures = await host.servers.metrics(project, placeOf(String(listen)));
  host.terminal.err(`/healthz and /metrics are answered at http://${figures.host}/.\n`);
  return work().finally(figures.close);
}

/** What a signal triggers. */
export interface Stage {
  readonly controller: AbortController;
  readonly says: string;
}

/** Each of these ends the loop. A closed terminal may send SIGHUP more than once. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"] as const;
/** After these, the person can no longer send another signal, so they trigger the last stage at once. */
const AT_ONCE: ReadonlySet<string> = new Set(["SIGQUIT", "SIGHUP"]);

/** Each signal triggers the next stage; after the last one, a further signal exits at once, except SIGHUP. */
export function stageOnSignal(screen: Screen, stages: readonly Stage[]): { forget(): void } {
  const onSignal = (signal: NodeJS.Signals) => {
    const left = stages.filter(({ controller }) => !controller.signal.aborted);
    const isOver = stages.at(-1)?.controller.signal.aborted === true;
    const next = AT_ONCE.has(signal) ? left.at(-1) : left[0];
    if (isOver || next === undefined) {
      if (signal !== "SIGHUP") process.exit(130);
      return;
    }
    next.controller.abort();
    screen.say(next.says);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    forget() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/** A summary of the tasks, in lines. */
export function endLines(end: LoopEnd, { terminal, name }: Host): readonly string[] {
  const { red, yellow } = terminal.paint;
  return [
    `${end.done.length} done, ${end.cancelled.length > 0 ? `${end.cancelled.length} cancelled, ` : ""}${end.open.length} open.`,
    ...(end.blocked.length > 0
      ? [`${red(`Blocked: ${fewOf(end.blocked, MAX_NAMED)}.`)} \`${name} show ${end.blocked[0]}\` says why.`]
      : []),
    ...end.red.map(({ reason, tasks }) => yellow(`${waitWords(tasks, MAX_NAMED)}: ${cleanLine(reason)}.`)),
    ...end.resting.map((each) => yellow(`${cleanLine(restLine(each))}.`)),
    ...(end.waiting.length > 0 ? [yellow(`Waiting for a person: ${fewOf(end.waiting, MAX_NAMED)}.`)] : []),
    ...(end.byHand.length > 0
      ? [
          `In progress without an agent: ${fewOf(end.byHand, MAX_NAMED)}. If you finished it, run \`${name} done ${end.byHand[0]}\`; to give it to an agent, run \`${name} reset ${end.byHand[0]}\`.`,
        ]
      : []),
  ];
}

/** The answer of a command that runs the loop: under `--json` it is printed as the last line. */
export function endAnswer(
  {
    data,
    exit,
    text,
  }: { readonly text: string; readonly data: object; readonly exit: Answer["exit"] | undefined },
  isPrinted: boolean,
  { terminal }: Host,
): Answer {
  if (isPrinted) terminal.out(`${shownJson(data)}\n`);
  return { text, data, ...(exit === undefined ? {} : { exit }), ...(isPrinted ? { isPrinted } : {}) };
}
