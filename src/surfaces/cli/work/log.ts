import type { PawlEvent } from "../../../core/event.ts";
import { type Line, lineOf, runOf } from "../../../core/event-lines.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { shownJson } from "../../../core/text/clean.ts";
import { dayOf, secondsOf } from "../../../core/text/local-time.ts";
import type { Project } from "../../../runtime/project.ts";
import { parseEvent, wholeLog } from "../../../runtime/reports/log-digest.ts";
import { missingRunError, overview } from "../../../runtime/reports/overview.ts";
import { ENDING_SIGNALS } from "../../ending-signals.ts";
import type { Host, Run } from "../line/command.ts";
import { endedBy } from "../line/interrupted.ts";
import { colourOf } from "../terminal/state-colour.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut, widthOf } from "../terminal/text-width.ts";
import { type LogFilter, matches, parseLogFilter } from "./log-filter.ts";

/** Prints the events, one per line; with `--follow`, new ones until a signal ends the program. */
export const log: Run = async (host, call) => {
  const run = call.arguments.run as string | undefined;
  const follow = call.options.follow === true;
  const filter = parseLogFilter(call.options, new Date());
  const project = await host.projects.open();
  const stop = new AbortController();
  const end = (signal: NodeJS.Signals) => stop.abort(signal);
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  const print = openPrinter(host);
  let count = 0;
  for await (const event of selectEvents(project, { run, filter, follow, signal: stop.signal })) {
    if (!print(event)) return undefined;
    count += 1;
  }
  if (stop.signal.aborted) return endedBy(stop.signal.reason);
  if (count > 0 || follow) return undefined;
  if (run !== undefined) await checkKnown(project, run);
  if (host.json) return undefined;
  const isFiltered = filter.since !== null || filter.until !== null || filter.types !== null;
  const what = isFiltered ? "No such event is in the log" : "Nothing has happened";
  return {
    text: `${what}${run ? ` ${isFiltered ? "of" : "to"} ${run}` : ""}${isFiltered ? "" : " yet"}.\n`,
    data: [],
  };
};

interface Chosen {
  readonly run: string | undefined;
  readonly filter: LogFilter;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** The requested events, in order. */
async function* selectEvents(
  project: Project,
  { filter, follow, run, signal }: Chosen,
): AsyncGenerator<PawlEvent> {
  const isChosen = (event: PawlEvent) => (run === undefined || isOf(event, run)) && matches(filter, event);
  if (filter.most === null && (filter.since === null || follow || run !== undefined)) {
    for await (const event of project.events({ follow, signal, run })) if (isChosen(event)) yield event;
    return;
  }
  const opened = await wholeLog(project);
  // Events that the disk has refused so far are not in the log's file.
  const isWhole = project.runtime.store.pending() === null;
  if (run === undefined && !follow && isWhole) {
    yield* await newest(opened, filter, isChosen);
    return;
  }
  let read = 0;
  const last: PawlEvent[] = [];
  for await (const event of project.events({ signal, run })) {
    read += 1;
    if (isChosen(event)) last.push(event);
    if (last.length > (filter.most ?? last.length)) last.shift();
  }
  yield* last;
  if (!follow) return;
  for await (const event of project.events({ follow, signal, run })) {
    read -= 1;
    if (read < 0 && isChosen(event)) yield event;
  }
}

const PAGE = 1000;

/** Reads the log backwards from its end, only as far as needed. */
async function newest(
  opened: EventLog,
  { most, since }: LogFilter,
  isChosen: (event: PawlEvent) => boolean,
): Promise<readonly PawlEvent[]> {
  const newestFirst: PawlEvent[] = [];
  for (let before = (await opened.position())?.end ?? 0; before > 0; ) {
    const entries = await opened.readBack({ before, limit: PAGE });
    const events = entries.flatMap((entry) => parseEvent(entry) ?? []);
    newestFirst.push(...events.filter(isChosen));
    before = entries.at(-1)?.start ?? 0;
    if (newestFirst.length >= (most ?? Number.POSITIVE_INFINITY)) break;
    // Processes that commit at the same time write their events slightly out of order, but never a whole
    // page.
    if (since !== null && events.every(({ time }) => Date.parse(time) < since)) break;
  }
  return newestFirst.slice(0, most ?? undefined).reverse();
}

/** Prints an event, with a heading for each new day. Returns false once the output's reader is gone. */
function openPrinter({ json = false, terminal }: Host): (event: PawlEvent) => boolean {
  let day = "";
  let moved: PawlEvent | null = null;
  return (event) => {
    if (json) return terminal.out(`${shownJson(event)}\n`);
    if (isEcho(event, moved)) return true;
    if (event.type === "run:advanced") moved = event;
    const { date, time } = momentOf(event);
    const heading = date === day ? "" : `${terminal.paint.bold(date)}\n`;
    day = date;
    return terminal.out(`${heading}${renderEvent(event, time, terminal)}\n`);
  };
}

/** Throws `run-missing` if no workflow knows the run. */
async function checkKnown(project: Project, name: string): Promise<void> {
  const runs = (await overview(project)).flatMap((workflow) => workflow.runs.map(({ run }) => run));
  if (!runs.some((run) => run === name || run.slice(run.indexOf(":") + 1) === name))
    throw missingRunError(name, runs);
}

/** Whether the event belongs to the run, given by its whole name or its id. */
function isOf(event: PawlEvent, name: string): boolean {
  const run = runOf(event);
  return run === name || run?.slice(run.indexOf(":") + 1) === name;
}

/** The event's date and time, in the local time zone. */
function momentOf({ time }: PawlEvent): { date: string; time: string } {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return { date: "?", time: "??:??:??" };
  return { date: dayOf(at), time: secondsOf(at) };
}

/** A pipe gets the whole text, on one line. */
function renderEvent(event: PawlEvent, time: string, { columns, isScreen, paint }: Terminal): string {
  const run = cut(runOf(event) ?? "", 24);
  const [sentence, colour] = colouredLine(event);
  const text = withoutId(sentence, event);
  const room = columns - time.length - widthOf(run) - (run ? 4 : 2);
  const what = cut(text, isScreen ? room : Number.POSITIVE_INFINITY);
  const coloured = colour === null ? what : paint[colour](what);
  return [paint.dim(time), ...(run ? [paint.cyan(run)] : []), coloured].join("  ");
}

/** The sentence without the id at its beginning, because the column before it names the run. */
function withoutId(sentence: string, event: PawlEvent): string {
  const run = runOf(event) ?? "";
  const name = [run, run.replace(/^[^:]*:/, "")].find((each) => sentence.startsWith(`${each} `));
  return name ? sentence.slice(name.length + 1) : sentence;
}

/** A move has the colour of its new state. */
function colouredLine(event: PawlEvent): Line {
  const [words, colour] = lineOf(event);
  return event.type === "run:advanced" ? [words, colourOf(event.to)] : [words, colour];
}

/** Whether the event only repeats the run's move, which was committed with it. */
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
