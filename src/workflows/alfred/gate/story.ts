/** A task's whole history: who decided what, when, by which channel, and on which evidence. */

import { checkId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import { strengthWords } from "../../../core/strength.ts";
import { fenceFor } from "../../../core/text/fence.ts";
import { capital, oneLine } from "../../../core/text/lines.ts";
import type { Reply, StoryInput, Transaction } from "../../../runtime/module.ts";
import { lifeOf, loadLines } from "../../../runtime/run-log/read.ts";
import { documentsOf } from "../../../runtime/run-log/replay.ts";
import { DamagedLog } from "../../../runtime/run-log/step.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { type LoadedTask, loadTask } from "../state/load.ts";
import { nameOf } from "../state/records.ts";
import { loadShown } from "../state/resolve-run.ts";
import type { Accepted, TaskState, Verdict } from "../state/state-file.ts";
import type { RunTool } from "../state/status.ts";
import { isPersonVerdict } from "../state/verdicts.ts";
import { titleOf, wordsFor } from "../texts/titles.ts";

interface StoryRun {
  readonly tool: RunTool;
  readonly started_at: string;
  /** Null: it is still open. */
  readonly finished_at: string | null;
  readonly task_status: string;
  readonly current_state: string | null;
  /** Its state in words; null if it is over. */
  readonly state_words: string | null;
  readonly accepted: readonly Accepted[];
  readonly verdicts: readonly Verdict[];
}

interface LoadedStory extends LoadedTask {
  readonly runs: readonly StoryRun[];
}

export const story: Transaction<StoryInput, LoadedStory, undefined, Reply> = {
  run: () => null,
  async read(view, { id }) {
    const loaded = await loadTask(view, checkId(id, "task id"), false, loadShown);
    return { ...loaded, runs: runsIn([...(await loadStates(view, loaded.id)), loaded.state]) };
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

/** What the task's state was after each step; none, if its log cannot be read. */
async function loadStates(view: View, id: string): Promise<readonly TaskState[]> {
  try {
    const lines = await loadLines(view, nameOf(id));
    const documents = documentsOf(lines.slice(lifeOf(lines)));
    return documents.filter((each) => each !== null) as unknown as readonly TaskState[];
  } catch (thrown) {
    if (thrown instanceof DamagedLog) return [];
    throw thrown;
  }
}

/**
 * Every run of a tool, in the order in which they ended, the open one last. A state has each tool's last run alone, and
 * its newest verdicts.
 */
function runsIn(states: readonly TaskState[]): readonly StoryRun[] {
  const finished = new Map<string, StoryRun>();
  const verdicts = new Map<string, Map<string, Verdict>>();
  const keep = (run: string, all: readonly Verdict[]) => {
    const ofRun = verdicts.get(run) ?? new Map<string, Verdict>();
    verdicts.set(run, ofRun);
    for (const verdict of all) ofRun.set(`${verdict.time} ${verdict.stage}`, verdict);
  };
  for (const { active_tool_state: active, completed_tool_outputs } of states) {
    for (const [tool, run] of Object.entries(completed_tool_outputs)) {
      const { accepted, finished_at, started_at, task_status } = run;
      const over = { current_state: null, state_words: null, verdicts: run.verdicts };
      finished.set(`${finished_at} ${tool}`, {
        ...{ tool: tool as RunTool, started_at, finished_at, task_status, ...over, accepted },
      });
      keep(`${tool} ${started_at}`, run.verdicts);
    }
    if (active) keep(`${active.tool_name} ${active.created_at}`, active.context_store.verdicts);
  }
  const ended = [...finished].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, run]) => run);
  return [...ended, ...activeRun(states.at(-1))].map((run) => ({
    ...run,
    verdicts: [...(verdicts.get(`${run.tool} ${run.started_at}`)?.values() ?? [])],
  }));
}

function activeRun(state: TaskState | undefined): readonly StoryRun[] {
  const active = state?.active_tool_state;
  if (!active) return [];
  const { accepted, verdicts } = active.context_store;
  return [
    {
      tool: active.tool_name,
      started_at: active.created_at,
      finished_at: null,
      task_status: state.task_status,
      current_state: active.current_state,
      state_words: wordsFor(active),
      accepted,
      verdicts,
    },
  ];
}

function renderRun(run: StoryRun): string {
  const end = run.finished_at
    ? `to ${run.finished_at}; it left the task '${run.task_status}'`
    : `still active: ${run.state_words}`;
  const states = [...new Set([...run.verdicts, ...run.accepted].map(({ state }) => state))];
  return [
    `## ${run.tool}\n\nFrom ${run.started_at} ${end}.\n`,
    ...states.map((state) => renderState(run, state)),
  ].join("\n");
}

function renderState(run: StoryRun, state: string): string {
  const verdicts = run.verdicts.filter((verdict) => verdict.state === state).map(renderVerdict);
  const accepted = run.accepted.filter((each) => each.state === state).map(renderAccepted);
  return [`### ${capital(titleOf(run.tool, state))}\n`, ...verdicts, ...accepted].join("\n");
}

function renderVerdict(verdict: Verdict): string {
  const what = verdict.approved ? "approved" : "rejected";
  const who = verdict.who === null ? "" : `, ${oneLine(verdict.who)}`;
  const notes = verdict.notes.trim() === "" ? "" : `\n\n${indented(verdict.notes)}\n`;
  const strength = isPersonVerdict(verdict) ? `; ${strengthWords(verdict.strength)}` : "";
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

const indented = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `  > ${line}`.trimEnd())
    .join("\n");
