import type { Change } from "../../../core/ports/store.ts";
import type { Context } from "../../../runtime/module.ts";
import { renderSection } from "../texts/prompt.ts";
import { stateChanges } from "./live-state.ts";
import type { LoadedRun } from "./load.ts";
import { archivePath, scratchpadPath } from "./paths.ts";
import type { Accepted, ActiveTool, FinishedRun, TaskState } from "./state-file.ts";
import type { TaskStatus } from "./status.ts";

/** A line before each section identifies it, so that a replayed append is recognised. */
export function scratchpadChange(run: LoadedRun, accepted: Accepted, { now }: Context): Change {
  const path = scratchpadPath(run.id);
  const text = headed(run, accepted, now.id);
  if (!run.workspace.hasScratchpad)
    return { type: "write", path, text: `${scratchpadTitle(run.id)}\n${text}` };
  return { type: "append", path, id: now.id, text: `\n${text}` };
}

export function scratchpadTitle(id: string): string {
  return `# Scratchpad of ${id}\n`;
}

function headed(run: LoadedRun, accepted: Accepted, mark: string): string {
  const title = `## ${run.definition.name}: ${accepted.state} (${accepted.time})`;
  return `${title}\n\n${renderSection(run, accepted, accepted.time)}\n<!-- ${mark} -->\n`;
}

/**
 * Finishes a run: no tool is active any more; its outputs are stored in the state and, in full, in the
 * archive.
 */
export function finishChanges(
  run: LoadedRun,
  { context_store: store, created_at }: ActiveTool,
  status: TaskStatus,
  { now }: Context,
): readonly Change[] {
  const finished: FinishedRun = {
    started_at: created_at,
    finished_at: now.time,
    task_status: status,
    accepted: store.accepted,
    notes: store.notes,
    verdicts: store.verdicts,
  };
  const { name } = run.definition;
  const state: TaskState = {
    ...run.state,
    task_status: status,
    active_tool_state: null,
    completed_tool_outputs: { ...run.state.completed_tool_outputs, [name]: finished },
    updated_at: now.time,
  };
  const archive = nextArchive(run.archived, name);
  const record = { task_id: run.id, tool_name: name, ...finished, context_store: store };
  return [
    ...stateChanges(run.workspace, state),
    {
      type: "write",
      path: archivePath(run.id, `${archive}.json`),
      text: `${JSON.stringify(record, null, 2)}\n`,
    },
    { type: "write", path: archivePath(run.id, `${archive}.md`), text: scratchpadOf(run, store.accepted) },
  ];
}

/** The run's own part of the scratchpad. */
function scratchpadOf(run: LoadedRun, accepted: readonly Accepted[]): string {
  const sections = accepted.map((each) => headed(run, each, each.sha256));
  return [`# ${run.definition.name} of ${run.id}\n`, ...sections].join("\n");
}

/** `03-plan_task`: numbered in the order in which the runs ended; no archive overwrites another. */
function nextArchive(names: readonly string[], tool: string): string {
  const numbers = names.map((name) => Number(/^(\d+)-/.exec(name)?.[1] ?? 0));
  const next = Math.max(0, ...numbers) + 1;
  return `${String(next).padStart(2, "0")}-${tool}`;
}
