/** A task's whole history: who decided what, when, by which channel, and on which evidence. */

import { PawlError } from "../../../core/error.ts";
import { checkId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import { strengthWords } from "../../../core/strength.ts";
import { fenceFor } from "../../../core/text/fence.ts";
import { oneLine } from "../../../core/text/lines.ts";
import type { Reply, StoryInput, Transaction } from "../../../runtime/module.ts";
import { loadLines } from "../../../runtime/run-log/read.ts";
import { documentsOf } from "../../../runtime/run-log/replay.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { loadWorkspace } from "../state/live-state.ts";
import { type LoadedTask, loadTask } from "../state/load.ts";
import { archiveFolder, archivePath } from "../state/paths.ts";
import { nameOf } from "../state/records.ts";
import { loadShown } from "../state/resolve-run.ts";
import type { Accepted, FinishedRun, TaskState, Verdict } from "../state/state-file.ts";
import type { RunTool } from "../state/status.ts";
import { MOST_VERDICTS } from "../state/verdicts.ts";
import { titleOf, wordsFor } from "../texts/titles.ts";

interface ToldRun {
  readonly tool: RunTool;
  readonly started_at: string;
  /** Null: it is still open. */
  readonly finished_at: string | null;
  readonly task_status: string;
  readonly current_state: string | null;
  /** Its state in words; null if it is over. */
  readonly standing: string | null;
  readonly accepted: readonly Accepted[];
  readonly verdicts: readonly Verdict[];
}

interface LoadedStory extends LoadedTask {
  readonly runs: readonly ToldRun[];
}

export const story: Transaction<StoryInput, LoadedStory, undefined, Reply> = {
  run: () => null,
  async read(view, { id }) {
    const loaded = await loadTask(view, checkId(id, "task id"), false, loadShown);
    const runs = [...(await loadFinished(view, loaded)), ...activeRun(loaded)];
    return { ...loaded, runs: await withAllVerdicts(view, loaded.id, runs) };
  },
  propose({ id, runs, state, task }) {
    const data = { task_id: id, title: task.title, task_status: state.task_status, runs };
    const parts = [
      `# ${id}: ${task.title}\n\nStatus: ${state.task_status}\n`,
      ...(runs.length === 0 ? ["Nothing has begun.\n"] : runs.map(renderRun)),
    ];
    return { reply: { text: parts.join("\n"), data } };
  },
};

/** A state keeps the newest verdicts of a run; the log has all of them. */
async function withAllVerdicts(
  view: View,
  id: string,
  runs: readonly ToldRun[],
): Promise<readonly ToldRun[]> {
  if (runs.every(({ verdicts }) => verdicts.length < MOST_VERDICTS)) return runs;
  const found = new Map<string, Map<string, Verdict>>();
  for (const document of documentsOf(await loadLines(view, nameOf(id)))) {
    const active = (document as TaskState | null)?.active_tool_state;
    if (!active) continue;
    const own = found.get(active.created_at) ?? new Map<string, Verdict>();
    found.set(active.created_at, own);
    for (const verdict of active.context_store.verdicts) own.set(...named(verdict));
  }
  return runs.map((run) => {
    const all = [...(found.get(run.started_at) ?? []), ...run.verdicts.map(named)];
    return { ...run, verdicts: [...new Map(all).values()] };
  });
}

const named = (verdict: Verdict) => [`${verdict.time} ${verdict.stage}`, verdict] as const;

/** The finished runs: those in this checkout's archive, and those of other checkouts. */
async function loadFinished(view: View, { id, state }: LoadedTask): Promise<readonly ToldRun[]> {
  const { hasState } = await loadWorkspace(view, id);
  const archived = hasState ? await loadArchive(view, id) : [];
  const elsewhere = Object.entries(state.completed_tool_outputs)
    .map(([tool, run]) => finishedEntry({ ...run, tool_name: tool as RunTool }))
    .filter((run) => !archived.some((each) => isSame(each, run)));
  return [...archived, ...elsewhere].sort((one, other) => byEnd(one, other));
}

const isSame = (one: ToldRun, other: ToldRun): boolean =>
  one.tool === other.tool && one.finished_at === other.finished_at;
const byEnd = (one: ToldRun, other: ToldRun): number =>
  (one.finished_at ?? "") < (other.finished_at ?? "") ? -1 : 1;

/** The finished runs, in the order in which they ended. */
async function loadArchive(view: View, id: string): Promise<readonly ToldRun[]> {
  const runs: ToldRun[] = [];
  for (const { name } of await view.list(archiveFolder(id))) {
    if (!/^\d+-.+\.json$/.test(name)) continue;
    const path = archivePath(id, name);
    runs.push(finishedEntry(parseArchive((await view.read(path)) ?? "", path)));
  }
  return runs;
}

/** A finished run with the name of its tool, as the archive has it. */
type ArchivedRun = FinishedRun & { readonly tool_name: RunTool };

function finishedEntry(run: ArchivedRun): ToldRun {
  const { accepted, finished_at, started_at, task_status, tool_name, verdicts } = run;
  const over = { current_state: null, standing: null };
  return { tool: tool_name, started_at, finished_at, task_status, ...over, accepted, verdicts };
}

function parseArchive(text: string, path: string): ArchivedRun {
  try {
    const value = JSON.parse(text) as ArchivedRun;
    if (Array.isArray(value.accepted) && Array.isArray(value.verdicts)) return value;
  } catch {
    // The error below covers this case, too.
  }
  throw new PawlError(
    "state-unreadable",
    `${path} is not an archived run: expected JSON with accepted and verdicts. It was left unchanged.`,
    `Restore ${path} (git checkout, a backup), or move it out of the archive.`,
  );
}

function activeRun({ state }: LoadedTask): readonly ToldRun[] {
  const active = state.active_tool_state;
  if (!active) return [];
  const { accepted, verdicts } = active.context_store;
  return [
    {
      tool: active.tool_name,
      started_at: active.created_at,
      finished_at: null,
      task_status: state.task_status,
      current_state: active.current_state,
      standing: wordsFor(active),
      accepted,
      verdicts,
    },
  ];
}

function renderRun(run: ToldRun): string {
  const end = run.finished_at
    ? `to ${run.finished_at}; it left the task '${run.task_status}'`
    : `still active: ${run.standing}`;
  const states = [...new Set([...run.verdicts, ...run.accepted].map(({ state }) => state))];
  return [
    `## ${run.tool}\n\nFrom ${run.started_at} ${end}.\n`,
    ...states.map((state) => renderState(run, state)),
  ].join("\n");
}

function renderState(run: ToldRun, state: string): string {
  const verdicts = run.verdicts.filter((verdict) => verdict.state === state).map(renderVerdict);
  const accepted = run.accepted.filter((each) => each.state === state).map(renderAccepted);
  return [`### ${sentence(titleOf(run.tool, state))}\n`, ...verdicts, ...accepted].join("\n");
}

function renderVerdict(verdict: Verdict): string {
  const what = verdict.approved ? "approved" : "rejected";
  const who = verdict.who === null ? "" : `, ${oneLine(verdict.who)}`;
  const notes = verdict.notes.trim() === "" ? "" : `\n\n${indented(verdict.notes)}\n`;
  const isPersons = verdict.stage === "human" || verdict.strength !== undefined;
  const strength = isPersons ? `; ${strengthWords(verdict.strength)}` : "";
  const head = `- ${verdict.time}: ${what} in the ${verdict.stage === "ai" ? "AI" : "human"} review (by ${verdict.channel}${who}${strength}; sha256 ${verdict.sha256.slice(0, 12)})`;
  return `${head}${notes}${renderEvidence(verdict.evidence)}`;
}

function renderEvidence(evidence: Evidence): string {
  return evidence
    .map(({ about, verdict, words }) => `\n  - ${about}: ${verdict}. ${oneLine(words)}`)
    .join("");
}

function renderAccepted({ artifact, sha256, time }: Accepted): string {
  const json = JSON.stringify(artifact, null, 2);
  const fence = fenceFor(json);
  return `\nAccepted at ${time} (sha256 ${sha256.slice(0, 12)}):\n\n${fence}json\n${json}\n${fence}\n`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
const indented = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `  > ${line}`.trimEnd())
    .join("\n");
