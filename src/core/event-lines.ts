/** Each event as one sentence for a person, for every surface. */
import type { BloomEvent } from "./bloom-event.ts";
import { type DeviceEvent, type OwnEvent, type PawlEvent, runOfTask } from "./event.ts";
import { renderChange, whileOpen } from "./policy.ts";
import type { ChangedOutside } from "./ports/worktrees.ts";
import { loginWords, type Strength, strengthWords } from "./strength.ts";
import { fewOf } from "./text/few.ts";

export type Line = readonly [text: string, colour: "red" | "green" | "yellow" | null];
export type OfTask = Extract<BloomEvent | PawlEvent, { readonly taskId: string }>;

/** Without the task's id, which precedes it. */
type Sentences = { readonly [T in OfTask["type"]]: (event: OfTask & { readonly type: T }) => Line };

/** An agent decides how many files there are. */
const MAX_NAMED = 20;

const SENTENCES: Sentences = {
  "agent:started": (event) => [`${forWhat(event.purpose)}: ${agentOf(event)}`, null],
  "agent:ended": ({ outcome, reason, detail, duration }) =>
    outcome === "succeeded" || reason === "stopped"
      ? [`agent ${outcome === "succeeded" ? "ended" : "stopped"} after ${formatDuration(duration)}`, null]
      : [`agent failed: ${reason}: ${detail}`, "red"],
  "agent:strayed": ({ files }) => [
    `changed outside the workspace while the agent ran: ${fewOf(files.map(changedWhen), MAX_NAMED)}`,
    "red",
  ],
  "agent:refused": ({ what }) => [`agent was refused: ${what.join("; ")}`, "yellow"],
  "agent:warned": ({ text }) => [`agent warns: ${text}`, null],
  "agent:rests": ({ next, reason, until }) =>
    next !== undefined
      ? [`is taken over by ${next}: ${reason}`, "yellow"]
      : until === null
        ? [`is blocked until a person fixes it: ${reason}`, "red"]
        : [`waits: ${reason}`, "yellow"],
  "agent:said": ({ text }) => [`agent says: ${text}`, null],
  "agent:used_tool": ({ name, detail }) => [`agent uses ${name}: ${detail}`, null],
  "agent:leftovers_ended": ({ count }) => [`ended ${count} processes of a dead worker`, null],
  "session:opened": ({ agent }) => [`opened a session with ${agent}`, null],
  "session:lost": ({ reason }) => [`starts a new session: ${reason}`, null],
  "step:started": ({ stepId, stepIndex, totalSteps }) => [
    `step ${stepId} started (${stepIndex + 1} of ${totalSteps})`,
    null,
  ],
  "step:completed": ({ stepId, duration }) => [
    `step ${stepId} done after ${formatDuration(duration)}`,
    "green",
  ],
  "step:cancelled": ({ stepId, reason }) => [`step ${stepId} cancelled: ${reason}`, "yellow"],
  "step:assumed_done": ({ stepId, reason }) => [`step ${stepId} assumed done: ${reason}`, "yellow"],
  "check:passed": ({ command, empty }) =>
    empty ? [`ran no test: ${command}`, "yellow"] : [`passed: ${command}`, "green"],
  "check:failed": ({ command, empty, exit }) => [
    `failed (${empty ? "ran no test" : (exit ?? "ended")}): ${command}`,
    "red",
  ],
  "check:flaky": ({ command, exit }) => [
    `flaky: ${command} ended with ${exit ?? "a signal"}, then passed on the same files`,
    "yellow",
  ],
  "target:red": ({ reason }) => [`waits: ${reason}`, "yellow"],
  "target:green": ({ into, commit }) => [
    `continues: ${into} passes its check again, at ${commit.slice(0, 12)}`,
    "green",
  ],
  "merge:not_needed": ({ branch, into }) => [`${into} already contains ${branch}: nothing to merge`, null],
  "merge:completed": ({ branch, into }) => [`merged ${branch} into ${into}`, "green"],
  "merge:conflicted": ({ into, files }) => [`conflicts with ${into} in ${fewOf(files, MAX_NAMED)}`, "yellow"],
  "merge:failed": ({ into, reason }) => [`cannot be merged into ${into}: ${reason}`, "red"],
  "merge:local_behind": ({ into, reason, files }) => [
    `the remote's ${into} has the merge; your local ${into} stays behind: ${[reason, fewOf(files, MAX_NAMED)].filter(Boolean).join(": ")}. ${files.length === 0 ? "End that" : "Commit or stash"}, then \`git pull\``,
    "yellow",
  ],
  "merge:waiting": ({ into, owner }) => [`waits to merge into ${into}: ${owner} comes first`, "yellow"],
  "git:branch_moved": ({ branch, from, to }) => [
    `${branch} moved from ${from.slice(0, 12)} to ${to.slice(0, 12)} while the agent ran, and Pawl did not move it`,
    "yellow",
  ],
  "git:committed": ({ commit }) => [
    commit ? `committed ${commit.slice(0, 12)}` : "has nothing to commit",
    null,
  ],
  "git:uncommitted": ({ paths }) => [`left uncommitted: ${paths.join(", ")}`, "yellow"],
  "git:pushed": ({ branch, remote }) => [`pushed ${branch}${remote ? ` to ${remote}` : ""}`, null],
  "git:push_failed": ({ branch, reason }) => [`cannot push ${branch}: ${reason}`, "red"],
  "git:save_failed": ({ reason }) => [`waits until the remote has its work: ${reason}`, "yellow"],
  "git:pr_opened": ({ found, url }) => [`pull request ${found ? "found" : "opened"}: ${url}`, "green"],
  "git:pr_failed": ({ reason }) => [`cannot open its pull request: ${reason}`, "red"],
  "git:pr_watched": ({ url, every }) => [
    `waits for the merge of ${url}, checked ${every === 0 ? "when a run starts" : `every ${every} s`}`,
    "yellow",
  ],
  "git:pr_unseen": ({ reason }) => [`cannot see whether its pull request is merged: ${reason}`, "yellow"],
  "git:pr_returned": ({ of, reason, round, url }) => [
    `${url} came back${round > of ? "" : `, round ${round} of ${of}`}: ${reason}`,
    "yellow",
  ],
  "git:pr_merged": ({ url }) => [`pull request merged: ${url}`, "green"],
  "git:pr_closed": ({ url }) => [`pull request closed without a merge: ${url}`, "red"],
  "worktree:ensured": ({ branch, from }) => [`workspace on ${branch} made from ${from}`, null],
  "environment:up": ({ name, ports, slot }) => [
    `has ${name} for itself: slot ${slot}${ports.length > 0 ? `, ports ${ports.join(", ")}` : ""}`,
    null,
  ],
  "environment:down": ({ abandoned, name, reason }) =>
    reason === null
      ? [`gives back ${name}${abandoned ? ", which a dead worker had" : ""}`, null]
      : [`gives back ${name}, though that failed: ${reason}`, "red"],
  "worktree:removed": ({ branch }) => [`workspace of ${branch} removed`, null],
  "worktree:lost": ({ folder }) => [
    `its workspace lost its .git and was recreated; the old files are in ${folder}`,
    "yellow",
  ],
  "worktree:left_behind": ({ folder }) => [
    `continues from another machine's work; what this machine had is in ${folder}`,
    "yellow",
  ],
  "worktree:set_up": ({ how, duration, putBack = [] }) => [
    how === "run"
      ? `ran its setup, in ${formatDuration(duration)}${undone(putBack)}`
      : "reused an earlier setup",
    putBack.length === 0 ? null : "yellow",
  ],
  "worktree:kept": ({ reason }) => [`keeps its workspace: ${reason}`, "yellow"],
  "task:status_changed": ({ from, to, by }) => [`${from} → ${to}, by ${by}`, null],
  "task:added": ({ by, title }) => [`added by ${by}: ${title}`, null],
  "task:claimed": ({ worker, takenOver }) => [`${takenOver ? "taken over" : "claimed"} by ${worker}`, null],
  "task:released": ({ worker }) => [`released by ${worker}`, null],
  "task:retried": ({ after, attempt, reason }) => [
    `tries again${after < 1000 ? "" : ` in ${Math.round(after / 1000)} s`} (${attempt}): ${reason}`,
    "yellow",
  ],
  "task:blocked": ({ reason }) => [`is blocked: ${reason}`, "red"],
  "task:cancelled": ({ reason }) => [`is cancelled: ${reason}`, "yellow"],
  "task:nothing_to_do": ({ reason, by }) => [
    `has nothing to commit, according to ${by}: ${reason}`,
    "yellow",
  ],
  "task:edit_undone": ({ reason }) => [`an edit was undone: ${reason}`, "red"],
  "task:failed": ({ reason, fix }) => [`is skipped by this run: ${reason} ${fix}`, "red"],
  "task:overtaken": ({ reason }) => [`is another machine's now: ${reason}`, "yellow"],
  "task:lease_lost": () => [
    "ends here: its lease could not be renewed in time, so another machine may take it over",
    "yellow",
  ],
  "task:waiting": ({ reason }) => [`waits for you: ${reason}`, "yellow"],
  "task:approved": ({ by, login, strength }) => [
    `approved by ${by}${loginWords(login)} (${strengthWords(strength)})`,
    "green",
  ],
  "task:interjected": ({ text }) => [`gets the interjection: ${text}`, null],
  "task:assigned": ({ worker }) => [`assigned to ${worker}`, null],
  "task:noted": ({ text }) => [`note: ${text}`, null],
  "task:edited": ({ by, keys }) => [`edited by ${by}: ${keys.join(", ")}`, null],
  "task:reset": () => ["starts over", null],
  "task:completed": () => ["is done", "green"],
  "question:asked": ({ questionId, text }) => [`asks ${questionId}: ${text}`, "yellow"],
  "question:answered": ({ questionId, answer }) => [`${questionId} answered: ${answer}`, null],
  "budget:nearing": ({ limit, spent, of }) => [`has spent ${spent} of its ${of} ${limit}`, "yellow"],
  "budget:exhausted": ({ limit }) => [`spent its budget of ${limit}`, "red"],
};

/** `workflow:id`; null: the event is about no run. */
export function runOf(event: PawlEvent): string | null {
  if ("taskId" in event) return runOfTask(event.taskId);
  return "summary" in event ? event.run : null;
}

export function lineOf(event: PawlEvent): Line {
  if ("taskId" in event) return sentenceOf(event);
  if (event.type === "run:advanced") return [`${event.summary}${wordOf(event)}`, null];
  if (event.type === "policy:changed")
    return [
      `is ignored${whileOpen(event.open)} until a person accepts it: ${event.ignored.map(renderChange).join("; ")}`,
      "yellow",
    ];
  if (event.type === "tasks:imported")
    return [
      `${event.by} imported ${event.format} into ${event.into}: ${event.added} new, ${event.updated} updated`,
      null,
    ];
  if (event.type === "policy:accepted")
    return [`a person accepted for ${event.run}: ${event.accepted.map(renderChange).join("; ")}`, "green"];
  if (event.type === "guard:strayed")
    return [`out-of-scope edits at "${event.state}": ${event.paths.join(", ")}`, "red"];
  if (event.type === "guard:accepted")
    return [`a person accepted out-of-scope edits: ${event.paths.join(", ")}`, "green"];
  if (event.type.startsWith("device:")) return deviceLine(event as DeviceEvent);
  if (event.type === "edit:kept")
    return [`an edit of ${event.path} was moved aside, to ${event.kept}`, "yellow"];
  if (event.type === "journal:accepted")
    return [`a person accepted what ${event.kept} would write: ${event.paths.join(", ")}`, "green"];
  if (event.type === "journal:foreign")
    return [`${event.commits} foreign commits were not applied; they are in ${event.kept}`, "red"];
  const { summary, type } = event as { readonly type: string } & Partial<OwnEvent>;
  // A newer Pawl may have written events that this one does not know.
  return [summary ?? type.replace(/[:_]/g, " "), null];
}

export function deviceLine({ device, from, how, type }: DeviceEvent): Line {
  const who = `${device === null ? "a device" : `the device ${device}`}${from === null ? "" : ` (from ${from})`}`;
  const done = {
    "device:added": "may use the board from now on",
    "device:entered": "came in",
    "device:refused": "was refused by the board",
    "device:revoked": "may no longer use the board",
  }[type];
  return [`${who} ${done}: ${how}`, type === "device:refused" ? "red" : null];
}

/** The strength of a person's verdict, in words, if the event is one. */
function wordOf({ login, strength }: { readonly login?: string; readonly strength?: Strength }): string {
  return strength === undefined ? "" : `${loginWords(login)} (${strengthWords(strength)})`;
}

/** The sentence, which begins with the task's id, and its colour. */
export function sentenceOf(event: OfTask): Line {
  // It names the tasks itself.
  if (event.type === "task:failed" && event.code === "agent-missing")
    return [`${event.reason} ${event.fix}`, "red"];
  const sentence = SENTENCES[event.type] as ((event: OfTask) => Line) | undefined;
  // A newer Pawl may have written events that this one does not know.
  const [text, colour] = sentence?.(event) ?? [event.type.replace(/[:_]/g, " "), null];
  return [`${event.taskId} ${text}`, colour];
}

export function agentOf(event: Extract<OfTask, { readonly type: "agent:started" }>): string {
  return [event.agent, ...(event.resumed ? ["resumed"] : []), `permission ${event.permission}`].join(", ");
}

const PURPOSES: Readonly<Record<string, string>> = {
  step: "agent started",
  mark: "is asked to mark its step",
  repair: "repairs what failed",
  commit: "is asked to commit",
  resolve: "resolves conflicts",
  "repair-merge": "repairs what failed on the merge",
  "pull-request": "works on what came back on its pull request",
  rework: "works on what a person asked for",
};

function undone(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  return `; it changed files that git tracks, which were put back: ${fewOf(paths, 5)}`;
}

function changedWhen({ path, at }: ChangedOutside): string {
  return at === null ? path : `${path} (${at.slice(11, 19)} UTC)`;
}

function forWhat(purpose: string): string {
  return Object.hasOwn(PURPOSES, purpose) ? (PURPOSES[purpose] ?? purpose) : purpose;
}

function formatDuration(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Math.round(milliseconds / 100) / 10} s`
    : `${Math.round(milliseconds / 60_000)} min`;
}
