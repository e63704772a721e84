/** `pawl run`: lines for a person, with what is at work below them on a terminal; JSON lines under `--json`. */
import { hostname } from "node:os";
import type { BloomHappening } from "../../../core/bloom-event.ts";
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { checkId } from "../../../core/id.ts";
import type { Settings } from "../../../core/settings.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Worker } from "../../../workflows/bloom/pick.ts";
import { type LoopEnd, runLoop } from "../../../workflows/bloom/scheduler/loop.ts";
import { listRuns } from "../../../workflows/bloom/task-run.ts";
import type { Answer, Call, Host, Run } from "../command.ts";
import { beginLoop } from "../policy.ts";
import { clean } from "../terminal.ts";
import { dryRun } from "./run-dry.ts";
import { openScreen, type Screen } from "./run-screen.ts";

export const run: Run = async (host, call) => {
  const project = await host.project();
  const options = optionsOf(call);
  const settings = await checkedSettings(project, options.worker);
  const { bloom } = settings;
  if (options.dryRun)
    return dryRun(project, await host.agents(project.root, settings), options.worker, host.caller);
  const isUnderway = async () => (await listRuns(project.runtime.store.view())).length > 0;
  await beginLoop(project, host, isUnderway);
  const screen = screenOf(host, call, options);
  const stop = stopOnSignal(screen);
  const outside = await project.openLoop();
  project.notices.wake();
  try {
    const end = await runLoop({
      ...outside,
      runtime: project.runtime,
      name: `${options.worker.name ?? "worker"}@${hostname()}:${process.pid}`,
      worker: options.worker,
      agents: options.agents ?? bloom.agents,
      mergeTrain: bloom.merge_train,
      once: options.once,
      show(happening) {
        screen.show(happening);
        project.notices.hear(happening);
      },
      stop: stop.signal,
    });
    outside.close?.();
    screen.close();
    return answerOf(end, stop.signal.aborted, call.json === true, host);
  } finally {
    screen.close();
    stop.forget();
  }
};

/** Throws if there is nothing to work on: no tasks.yaml, or no task with the given id. */
async function checkedSettings({ runtime }: Project, { only }: Worker): Promise<Settings> {
  const view = runtime.store.view();
  const settings = await runtime.settings(view);
  const { loadTasks, taskOf } = await import("../../../tasks-file/load.ts");
  const { file } = await loadTasks(view, { settings, ...(runtime.cache ? { cache: runtime.cache } : {}) });
  if (only !== null) taskOf(file.tasks, only);
  return settings;
}

interface Options {
  readonly agents: number | undefined;
  readonly worker: Worker;
  readonly once: boolean;
  readonly dryRun: boolean;
}

/** As in the configuration. */
const MOST_AGENTS = 64;

function optionsOf({ options }: Call): Options {
  const { agents, agent, task, once, dryRun: dry } = options;
  if (
    agents !== undefined &&
    !(/^\d{1,2}$/.test(String(agents)) && Number(agents) >= 1 && Number(agents) <= MOST_AGENTS)
  )
    throw new PawlError(
      "usage",
      `--agents takes a number from 1 to ${MOST_AGENTS}, found ${JSON.stringify(agents)}.`,
      "Use --agents 2.",
    );
  return {
    agents: agents === undefined ? undefined : Number(agents),
    worker: {
      name: agent === undefined ? null : checkId(agent, "worker's name"),
      only: task === undefined ? null : checkId(task, "task's id"),
    },
    once: once === true,
    dryRun: dry === true,
  };
}

function screenOf({ terminal }: Host, { json }: Call, { once }: Options): Screen {
  if (json !== true) return openScreen(terminal, { ends: once });
  return {
    show: (happening: BloomHappening | PawlEvent) => terminal.out(`${JSON.stringify(happening)}\n`),
    say: (text) => terminal.err(`${clean(text)}\n`),
    close: () => {},
  };
}

/** Each of them ends the loop. A closed terminal (SIGHUP) may send its own more than once. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"] as const;

/** The first signal stops the loop cleanly; a second one from a person ends the program at once. */
function stopOnSignal(screen: Screen): { readonly signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const heard = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (signal !== "SIGHUP") process.exit(130);
      return;
    }
    controller.abort();
    screen.say("Stopping the agents and saving where each task stands. A second Ctrl-C quits at once.");
  };
  for (const name of SIGNALS) process.on(name, heard);
  return {
    signal: controller.signal,
    forget() {
      for (const name of SIGNALS) process.off(name, heard);
    },
  };
}

function answerOf(end: LoopEnd, isStopped: boolean, isPrinted: boolean, { terminal, name }: Host): Answer {
  const exit = exitOf(end, isStopped);
  const { red, yellow } = terminal.paint;
  const lines = [
    `${end.done.length} done, ${end.cancelled.length > 0 ? `${end.cancelled.length} cancelled, ` : ""}${end.open.length} open.`,
    ...(end.blocked.length > 0
      ? [`${red(`Blocked: ${end.blocked.join(", ")}.`)} \`${name} show ${end.blocked[0]}\` says why.`]
      : []),
    ...(end.waiting.length > 0 ? [yellow(`Waiting for a person: ${end.waiting.join(", ")}.`)] : []),
    ...(end.byHand.length > 0
      ? [
          `In progress without an agent: ${end.byHand.join(", ")}. If you finished it, run \`${name} done ${end.byHand[0]}\`; to give it to an agent, run \`${name} reset ${end.byHand[0]}\`.`,
        ]
      : []),
  ];
  const data = { type: "loop:ended", ...end };
  if (isPrinted) terminal.out(`${JSON.stringify(data)}\n`);
  return {
    text: `${lines.join("\n")}\n`,
    data,
    ...(exit === undefined ? {} : { exit }),
    ...(isPrinted ? { isPrinted } : {}),
  };
}

/** An open task that nothing holds was left behind by the stop. */
function exitOf({ open, blocked, waiting, byHand }: LoopEnd, isStopped: boolean): Answer["exit"] {
  if (blocked.length > 0) return 1;
  const held = new Set([...waiting, ...byHand]);
  if (isStopped && open.some((id) => !held.has(id))) return 130;
  return held.size > 0 ? 3 : undefined;
}
