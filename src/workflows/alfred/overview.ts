import { PawlError } from "../../core/error.ts";
import { filesIn } from "../../core/files-in.ts";
import { isId } from "../../core/id.ts";
import type { View } from "../../core/ports/store.ts";
import { naturalOrder } from "../../core/text/natural-order.ts";
import type { GateVerdict, OverviewContext, RunOverview } from "../../runtime/module.ts";
import { recalled } from "../../runtime/reports/overview-context.ts";
import { unreadableRun } from "../../runtime/reports/unreadable-run.ts";
import { loggedOverview } from "../../runtime/run-log/read.ts";
import { isBegun } from "./state/live-state.ts";
import { missingTaskError } from "./state/missing-task.ts";
import { TASKS, taskPath, WORKSPACE } from "./state/paths.ts";
import { nameOf } from "./state/records.ts";
import { loadShown } from "./state/resolve-run.ts";
import type { TaskState, Verdict } from "./state/state-file.ts";
import { NEXT_TOOL, type RunTool } from "./state/status.ts";
import { isPersonVerdict } from "./state/verdicts.ts";
import { placeOf, titleOf, wordsFor } from "./texts/titles.ts";

/** Every task, its state and who must act. Reads only the files that it needs. */
export async function overview(
  view: View,
  context: Partial<OverviewContext> = {},
): Promise<readonly RunOverview[]> {
  const { only } = context;
  const isWanted = (id: string) => isId(id) && (only === undefined || id === only);
  const runs: RunOverview[] = [];
  for (const id of await filesIn(view, TASKS, ".md"))
    if (isWanted(id))
      runs.push(await recalled(context, nameOf(id), view, (readView) => overviewOf(readView, id)));
  runs.push(...(await withoutFile(view, new Set(runs.map(({ run }) => run)), isWanted)));
  return runs.sort((one, other) => naturalOrder(one.run, other.run));
}

/** Open runs of tasks whose file is on another branch or in a stash. */
async function withoutFile(
  view: View,
  shown: ReadonlySet<string>,
  isWanted: (id: string) => boolean,
): Promise<readonly RunOverview[]> {
  const runs: RunOverview[] = [];
  for (const { kind, name: id } of await view.list(WORKSPACE)) {
    if (kind !== "folder" || !isWanted(id) || shown.has(nameOf(id))) continue;
    const run = await overviewOf(view, id);
    const { fix, message } = missingTaskError(id, [], true);
    if (run.awaits !== "nobody" && run.since !== null) runs.push({ ...run, problem: { message, fix } });
  }
  return runs;
}

async function overviewOf(view: View, id: string): Promise<RunOverview> {
  const title = titleIn((await view.read(taskPath(id))) ?? "");
  const run = nameOf(id);
  try {
    const { aside, elsewhere, state } = await loadShown(view, id);
    const { unproved } = isBegun(state) ? await loggedOverview(view, run) : {};
    const others = elsewhere && {
      elsewhere,
      ...(NEXT_TOOL[state.task_status] && { command: `pawl adopt ${run}` }),
    };
    const beside = aside.length > 0 && { aside };
    return {
      ...{ run, title, ...overviewFields(state), ...recorded(state) },
      ...(unproved && { unproved }),
      ...others,
      ...beside,
    };
  } catch (thrown) {
    if (!(thrown instanceof PawlError)) throw thrown;
    return unreadableRun(run, title, thrown, turnOf(thrown));
  }
}

function turnOf({ code }: PawlError): Pick<RunOverview, "next" | "command"> {
  if (code === "state-tampered") return { next: "decide on its edited state", command: "pawl repair" };
  if (code === "records-forked") return { next: "choose the branch that counts" };
  return { next: code === "records-invalid" ? "restore its records" : "repair the state file" };
}

/** People's decisions. */
function recorded(state: TaskState): Pick<RunOverview, "verdicts"> {
  const active = state.active_tool_state;
  const finished = Object.entries(state.completed_tool_outputs).map(
    ([tool, { verdicts }]) => [tool as RunTool, verdicts] as const,
  );
  const all = active ? [...finished, [active.tool_name, active.context_store.verdicts] as const] : finished;
  const verdicts = all
    .flatMap(([tool, given]) => given.filter(isPersonVerdict).map((each) => verdictOf(tool, each)))
    .sort((one, other) => (one.time < other.time ? -1 : 1));
  return verdicts.length > 0 ? { verdicts } : {};
}

function verdictOf(tool: RunTool, { approved, state, strength, time }: Verdict): GateVerdict {
  const what = `${approved ? "approved" : "rejected"} the ${titleOf(tool, state)}`;
  return { gate: `${tool}: ${state}`, what, strength: strength ?? null, time };
}

function overviewFields(
  state: TaskState,
): Pick<RunOverview, "state" | "awaits" | "waitsFor" | "next" | "since"> {
  const active = state.active_tool_state;
  if (!active) {
    const tool = NEXT_TOOL[state.task_status];
    return {
      state: state.task_status,
      awaits: tool === null ? "nobody" : "assistant",
      next: tool ?? "nothing",
      since: isBegun(state) ? state.updated_at : null,
    };
  }
  const { title, reviewer } = placeOf(active);
  const where = { state: `${active.tool_name}: ${wordsFor(active)}`, since: active.updated_at };
  if (reviewer === null) return { ...where, awaits: "assistant", next: `hand in the ${title}` };
  return reviewer === "human"
    ? { ...where, awaits: "human", waitsFor: "gate", next: `approve or reject the ${title}` }
    : { ...where, awaits: "assistant", next: `review the ${title}` };
}

const TITLE = /^##[ \t]+title[ \t]*(?:#|$)/i;

/** The first line under `## Title`, found without a markdown parser. */
export function titleIn(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const heading = lines.findIndex((line) => TITLE.test(line));
  const title = heading < 0 ? undefined : lines.slice(heading + 1).find((line) => line !== "");
  return title === undefined || title.startsWith("#") ? "" : title;
}
