import type { PawlEvent } from "../../core/event.ts";
import { type Line, lineOf, runOf } from "../../core/event-lines.ts";
import { overview, runMissing } from "../../runtime/overview.ts";
import type { Project } from "../../runtime/project.ts";
import type { Run } from "./command.ts";
import { colourOf } from "./state-colour.ts";
import type { Terminal } from "./terminal.ts";
import { cut, widthOf } from "./text-width.ts";

/** The events, one per line; with `--follow`, new ones until a signal ends the program. */
export const log: Run = async (host, call) => {
  const project = await host.project();
  const { terminal, json = false } = host;
  const run = call.arguments.run as string | undefined;
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  const isFollowing = call.options.follow === true;
  let day = "";
  let count = 0;
  let moved: PawlEvent | null = null;
  for await (const event of project.events({ follow: isFollowing, signal: stop.signal, run })) {
    if (run !== undefined && !isOf(event, run)) continue;
    if (!json && isEcho(event, moved)) continue;
    if (event.type === "run:advanced") moved = event;
    const { date, time } = momentOf(event);
    const heading = date === day ? "" : `${terminal.paint.bold(date)}\n`;
    const line = json ? JSON.stringify(event) : `${heading}${renderEvent(event, time, terminal)}`;
    if (!terminal.out(`${line}\n`)) return undefined;
    day = date;
    count += 1;
  }
  if (count > 0 || isFollowing) return undefined;
  if (run !== undefined) await checkKnown(project, run);
  return json ? undefined : { text: `Nothing has happened${run ? ` to ${run}` : ""} yet.\n`, data: [] };
};

/** Throws `run-missing` if no workflow knows the run. */
async function checkKnown(project: Project, name: string): Promise<void> {
  const runs = (await overview(project)).flatMap((workflow) => workflow.runs.map(({ run }) => run));
  if (!runs.some((run) => run === name || run.slice(run.indexOf(":") + 1) === name))
    throw runMissing(name, runs);
}

/** By the run's whole name or its id. */
function isOf(event: PawlEvent, name: string): boolean {
  const run = runOf(event);
  return run === name || run?.slice(run.indexOf(":") + 1) === name;
}

/** In the reader's time zone. */
function momentOf({ time }: PawlEvent): { date: string; time: string } {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return { date: "?", time: "??:??:??" };
  const two = (part: number) => String(part).padStart(2, "0");
  return {
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":"),
  };
}

/** A pipe gets the whole text, on one line. */
function renderEvent(event: PawlEvent, time: string, { columns, isScreen, paint }: Terminal): string {
  const run = cut(runOf(event) ?? "", 24);
  const [sentence, colour] = colouredLine(event);
  const text = withoutId(sentence, event);
  const room = columns - time.length - widthOf(run) - (run ? 4 : 2);
  const what = cut(text, isScreen ? room : Number.POSITIVE_INFINITY);
  const said = colour === null ? what : paint[colour](what);
  return [paint.dim(time), ...(run ? [paint.cyan(run)] : []), said].join("  ");
}

/** The sentence without the id that it begins with: the column before it names the run. */
function withoutId(sentence: string, event: PawlEvent): string {
  const id = runOf(event)?.replace(/^[^:]*:/, "");
  return id && sentence.startsWith(`${id} `) ? sentence.slice(id.length + 1) : sentence;
}

/** A move has the colour of the state that it leads to. */
function colouredLine(event: PawlEvent): Line {
  const [words, colour] = lineOf(event);
  return event.type === "run:advanced" ? [words, colourOf(event.to)] : [words, colour];
}

/** Repeats what the run's own move, committed with it, already says. */
function isEcho(event: PawlEvent, moved: PawlEvent | null): boolean {
  return (
    moved !== null && ECHOES.has(event.type) && event.time === moved.time && runOf(event) === runOf(moved)
  );
}

const ECHOES: ReadonlySet<string> = new Set([
  "task:blocked",
  "task:completed",
  "task:reset",
  "task:retried",
  "task:waiting",
]);
