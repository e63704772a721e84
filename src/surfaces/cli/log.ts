import type { PawlEvent } from "../../base/event.ts";
import { overview, runMissing } from "../../runtime/overview.ts";
import type { Project } from "../../runtime/project.ts";
import type { Run } from "./command.ts";
import { cut, type Paint, type Terminal } from "./terminal.ts";

/** What happened, one event a line, as it is read; with `--follow` until the program is told to end. */
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
  for await (const event of project.events({ follow: isFollowing, signal: stop.signal })) {
    if (run !== undefined && !isOf(event, run)) continue;
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

/** Throws `run-missing` where nothing is known of the run. */
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

function runOf(event: PawlEvent): string | null {
  if ("taskId" in event) return `bloom:${event.taskId}`;
  return event.type === "run:advanced" ? event.run : null;
}

/** In the zone of whoever looks. */
function momentOf({ time }: PawlEvent): { date: string; time: string } {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return { date: "?", time: "??:??:??" };
  const two = (part: number) => String(part).padStart(2, "0");
  return {
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":"),
  };
}

export function renderEvent(
  event: PawlEvent,
  time: string,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const run = cut(runOf(event) ?? "", 24);
  const what = cut(whatOf(event), columns - time.length - run.length - (run ? 4 : 2));
  return [paint.dim(time), ...(run ? [paint.cyan(run)] : []), colourOf(event, paint)(what)].join("  ");
}

/** One line for a person: an event's own summary, else its type and what it says. */
function whatOf(event: PawlEvent): string {
  if (event.type === "run:advanced") return `${event.summary}${whose(event.by.channel)}`;
  const { type, id: _, time: __, ...details } = event;
  const said = Object.entries(details).flatMap(([name, value]) =>
    HIDDEN.has(name) || value === null || value === false ? [] : [sayDetail(name, value)],
  );
  const what = type.replace(/[:_]/g, " ");
  return said.length > 0 ? `${what}: ${said.join(", ")}` : what;
}

const HIDDEN: ReadonlySet<string> = new Set(["taskId", "run", "log", "session"]);

function sayDetail(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (value === true) return name;
  if (name === "duration" && typeof value === "number") return `${Math.round(value / 100) / 10} s`;
  return `${name} ${JSON.stringify(value)}`;
}

function whose(channel: string): string {
  return channel === "terminal" || channel === "elicitation" ? " (a person)" : "";
}

function colourOf({ type }: PawlEvent, paint: Paint): (text: string) => string {
  if (/failed|blocked|conflicted|lost|exhausted/.test(type)) return paint.red;
  if (/waiting|asked|kept|strayed|retried|warned/.test(type)) return paint.yellow;
  return /completed|passed|opened|approved/.test(type) ? paint.green : (text) => text;
}
