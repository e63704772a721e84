/** `pawl pull` and `pawl push`: the tasks file of this checkout and the one in the database. */
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { Caller, PawlEvent } from "../../../core/event.ts";
import { projectPath } from "../../../core/path.ts";
import type { Watch } from "../../../core/ports/watch.ts";
import { openSignal } from "../../../core/signal.ts";
import type { Runtime } from "../../../runtime/run-transaction.ts";
import type { Conflict } from "../../../tasks-file/merge/merge-slots.ts";
import type { Summary } from "../../../tasks-file/merge/summarize.ts";
import { ENDING_SIGNALS } from "../../ending-signals.ts";
import type { Answer, Call, Host, Run } from "../command.ts";
import { endedBy } from "../interrupted.ts";
import { refuseAgent } from "../person.ts";
import { clean } from "../terminal.ts";
import { knownId, withDatabase } from "./database.ts";
import { basePaths, type Order, type Place, pull, push } from "./exchange.ts";
import { answerOf, type Direction, THE_FILE } from "./exchange-words.ts";

export const pullTasks: Run = (host, call) => exchange(host, call, "pull");
export const pushTasks: Run = (host, call) => exchange(host, call, "push");

async function exchange(host: Host, call: Call, direction: Direction): Promise<Answer | undefined> {
  refuseAgent(host, `${direction} tasks`, `${host.name} ${direction}`);
  const order = orderOf(call);
  const project = await host.project({ create: direction === "pull" });
  const { files, root, runtime } = project;
  const settings = await runtime.settings(files.view());
  const path = projectPath(settings.bloom.tasks_file);
  return withDatabase(host, async (database) => {
    const id = await knownId(project);
    const { revision, store: shared, watch } = await database.project(id);
    const event = (changed: Summary) => eventOf(host.caller, runtime, path, changed);
    const base = basePaths(id, path);
    const place = { files, shared, path, base, revision, shown: database.shown, event };
    if (!call.options.follow) return once(host, direction, place, order);
    const watches = [watch, await host.watch(root, path)];
    return follow(host, direction === "pull" ? ["pull"] : ["push", "pull"], place, watches);
  });
}

function eventOf(
  { channel, who }: Caller,
  { newId, now }: Runtime,
  file: string,
  { added, changed, removed }: Summary,
): PawlEvent {
  const counts = { added: added.length, changed: changed.length, removed: removed.length };
  const time = now().toISOString();
  return { id: newId(), time, type: "tasks:pushed", file, ...counts, by: who ?? channel };
}

/** `--mine` and `--theirs` take the ids of tasks and steps. */
function orderOf({ options }: Call): Order {
  const [mine, theirs] = [options.mine ?? [], options.theirs ?? []] as [readonly string[], readonly string[]];
  const dryRun = options.dryRun === true;
  if (options.follow && (dryRun || mine.length + theirs.length > 0))
    throw new PawlError(
      "usage",
      "--follow goes on by itself: it cannot be combined with --dry-run, --mine or --theirs.",
      "Settle the conflicts first, then follow.",
    );
  const both = mine.find((id) => theirs.includes(id));
  if (both !== undefined)
    throw new PawlError("usage", `${both} is named by --mine and by --theirs.`, "Name it once.");
  const settle = ({ ids }: Conflict) => {
    const names = ids.length === 0 ? [THE_FILE] : ids;
    const isNamed = (given: readonly string[]) => names.some((name) => given.includes(name));
    return isNamed(mine) ? "mine" : isNamed(theirs) ? "theirs" : null;
  };
  return { dryRun, settle };
}

async function once(host: Host, direction: Direction, place: Place, order: Order): Promise<Answer> {
  const done = await (direction === "pull" ? pull : push)(place, order);
  return answerOf(direction, place, done, { ...order, name: host.name });
}

// ── Following ────────────────────────────────────────────────────────────────────────────────────────────────────

const AGAIN_MILLISECONDS = 5_000;
const FOLLOWING: Order = { dryRun: false, settle: () => null };

/** Until a signal: whenever one side changed. What goes wrong is said once, and tried again. */
async function follow(
  host: Host,
  directions: readonly Direction[],
  place: Place,
  watches: readonly Watch[],
): Promise<Answer | undefined> {
  const over = new AbortController();
  const woken = openSignal(over.signal, host.clock);
  let ended: NodeJS.Signals | null = null;
  const end = (signal: NodeJS.Signals) => {
    ended = signal;
    over.abort();
  };
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  const open = watches.map((watch) => watch.onChange(woken.notify));
  let trouble = "";
  host.terminal.err(
    `${place.path} follows ${place.shown}${directions.includes("push") ? ", and the database follows it" : ""}. Ctrl-C ends it.\n`,
  );
  try {
    while (ended === null) {
      let isWhole = true;
      for (const direction of directions) {
        const told = await turn(host, direction, place);
        if ((told.isDone || told.text !== trouble) && !tell(host, told)) return undefined;
        trouble = told.isDone ? "" : told.text;
        isWhole = told.isDone;
        if (!isWhole) break;
      }
      await woken.wait(isWhole ? Number.POSITIVE_INFINITY : AGAIN_MILLISECONDS);
    }
    return endedBy(ended);
  } finally {
    for (const each of [...open, woken]) each.close();
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
  }
}

interface Told {
  /** Empty: nothing is to be said. */
  readonly text: string;
  readonly data: unknown;
  readonly isDone: boolean;
}

async function turn(host: Host, direction: Direction, place: Place): Promise<Told> {
  try {
    const { data, exit, text } = await once(host, direction, place, FOLLOWING);
    const isNews = exit !== undefined || (data as { readonly written: boolean }).written;
    return { text: isNews ? text : "", data, isDone: exit === undefined };
  } catch (thrown) {
    const { code, fix, message } = toPawlError(thrown);
    return {
      text: `${message} [${code}]\nfix:  ${fix}\n`,
      data: { error: { code, message, fix } },
      isDone: false,
    };
  }
}

/** False: nobody reads it any more. */
function tell({ json, terminal }: Host, { data, isDone, text }: Told): boolean {
  if (text === "") return true;
  if (json) return terminal.out(`${JSON.stringify(data)}\n`);
  if (isDone) return terminal.out(clean(text));
  terminal.err(clean(text));
  return true;
}
