/** What happened to a task, each as one sentence for a person: for the loop's screen and for the log alike. */
import type { BloomHappening } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import type { ChangedOutside } from "../../../core/ports/worktrees.ts";
import { strengthWords } from "../../../core/strength.ts";

export type Line = readonly [text: string, colour: "red" | "green" | "yellow" | null];
export type OfTask = Extract<BloomHappening | PawlEvent, { readonly taskId: string }>;

/** Without the task's id, which stands before it. */
type Sentences = { readonly [T in OfTask["type"]]: (told: OfTask & { readonly type: T }) => Line };

const SENTENCES: Sentences = {
  "agent:started": (told) => [`${forWhat(told.purpose)}: ${agentOf(told)}`, null],
  "agent:ended": ({ outcome, reason, detail, duration }) =>
    outcome === "succeeded" || reason === "stopped"
      ? [`agent ${outcome === "succeeded" ? "ended" : "stopped"} after ${lasting(duration)}`, null]
      : [`agent failed: ${reason}: ${detail}`, "red"],
  "agent:strayed": ({ paths, files = paths.map((path) => ({ path, at: null })) }) => [
    `changed outside the worktree while the agent ran: ${files.map(changedWhen).join(", ")}`,
    "red",
  ],
  "agent:refused": ({ what }) => [`agent was refused: ${what.join("; ")}`, "yellow"],
  "agent:warned": ({ text }) => [`agent warns: ${text}`, null],
  "agent:said": ({ text }) => [`agent says: ${text}`, null],
  "agent:used_tool": ({ name, detail }) => [`agent uses ${name}: ${detail}`, null],
  "agent:leftovers_ended": ({ count }) => [`ended ${count} processes of a dead worker`, null],
  "session:opened": ({ agent }) => [`has a session of ${agent}`, null],
  "session:lost": ({ reason }) => [`begins a fresh session: ${reason}`, null],
  "step:started": ({ stepId, stepIndex, totalSteps }) => [
    `step ${stepId} begins (${stepIndex + 1} of ${totalSteps})`,
    null,
  ],
  "step:completed": ({ stepId, duration }) => [`step ${stepId} is done, after ${lasting(duration)}`, "green"],
  "step:assumed_done": ({ stepId, reason }) => [`step ${stepId} taken as done: ${reason}`, "yellow"],
  "check:passed": ({ command }) => [`passed: ${command}`, "green"],
  "check:failed": ({ command, exit }) => [`failed (${exit ?? "ended"}): ${command}`, "red"],
  "merge:not_needed": ({ branch, into }) => [`${into} has all of ${branch} already: nothing is merged`, null],
  "merge:completed": ({ branch, into }) => [`merged ${branch} into ${into}`, "green"],
  "merge:conflicted": ({ into, files }) => [`conflicts with ${into} in ${files.join(", ")}`, "yellow"],
  "merge:failed": ({ into, reason }) => [`cannot be merged into ${into}: ${reason}`, "red"],
  "merge:local_behind": ({ into, reason, files }) => [
    `the remote's ${into} has the merge; your local ${into} stays behind: ${[reason, files.join(", ")].filter(Boolean).join(": ")}. Commit or stash, then \`git pull\``,
    "yellow",
  ],
  "merge:waiting": ({ into, owner }) => [`waits to merge into ${into}, after ${owner}`, "yellow"],
  "git:branch_moved": ({ branch, from, to }) => [
    `${branch} moved from ${from.slice(0, 12)} to ${to.slice(0, 12)} while the agent ran, and Pawl did not move it`,
    "yellow",
  ],
  "git:committed": ({ commit }) => [
    commit ? `committed ${commit.slice(0, 12)}` : "has nothing to commit",
    null,
  ],
  "git:uncommitted": ({ paths }) => [`left uncommitted: ${paths.join(", ")}`, "yellow"],
  "git:pushed": ({ branch }) => [`pushed ${branch}`, null],
  "git:push_failed": ({ branch, reason }) => [`cannot push ${branch}: ${reason}`, "red"],
  "git:pr_opened": ({ found, url }) => [`pull request ${found ? "found" : "opened"}: ${url}`, "green"],
  "git:pr_failed": ({ reason }) => [`cannot open its pull request: ${reason}`, "red"],
  "git:pr_watched": ({ url, every }) => [
    `waits for the merge of ${url}, looked at ${every === 0 ? "when a run begins" : `every ${every} s`}`,
    "yellow",
  ],
  "git:pr_unseen": ({ reason }) => [`cannot see whether its pull request is merged: ${reason}`, "yellow"],
  "git:pr_merged": ({ url }) => [`pull request merged: ${url}`, "green"],
  "git:pr_closed": ({ url }) => [`pull request closed without a merge: ${url}`, "red"],
  "worktree:ensured": ({ branch, from }) => [`has a worktree on ${branch}, from ${from}`, null],
  "worktree:removed": ({ branch }) => [`worktree of ${branch} removed`, null],
  "worktree:lost": ({ folder }) => [
    `its worktree lost its .git and was made anew; what was in it is in ${folder}`,
    "yellow",
  ],
  "worktree:set_up": ({ how, duration }) => [
    how === "run" ? `ran its setup, in ${lasting(duration)}` : "copied what an earlier setup made",
    null,
  ],
  "worktree:kept": ({ reason }) => [`keeps its worktree: ${reason}`, "yellow"],
  "task:status_changed": ({ from, to, by }) => [`${from} → ${to}, by ${by}`, null],
  "task:claimed": ({ worker, takenOver }) => [`${takenOver ? "taken over" : "taken"} by ${worker}`, null],
  "task:released": ({ worker }) => [`let go by ${worker}`, null],
  "task:retried": ({ after, attempt, reason }) => [
    `tries again${after < 1000 ? "" : ` in ${Math.round(after / 1000)} s`} (${attempt}): ${reason}`,
    "yellow",
  ],
  "task:blocked": ({ reason }) => [`is blocked: ${reason}`, "red"],
  "task:nothing_to_do": ({ reason, by }) => [`has nothing to be committed, ${by} says: ${reason}`, "yellow"],
  "task:edit_undone": ({ reason }) => [`an edit of its run was undone: ${reason}`, "red"],
  "task:failed": ({ reason, fix }) => [`is left as it is by this run: ${reason} ${fix}`, "red"],
  "task:waiting": ({ reason }) => [`waits for you: ${reason}`, "yellow"],
  "task:approved": ({ by, strength }) => [`approved by ${by} (${strengthWords(strength)})`, "green"],
  "task:interjected": ({ text }) => [`is told: ${text}`, null],
  "task:assigned": ({ worker }) => [`assigned to ${worker}`, null],
  "task:noted": ({ text }) => [`note: ${text}`, null],
  "task:reset": () => ["begins anew", null],
  "task:completed": () => ["is done", "green"],
  "question:asked": ({ questionId, text }) => [`asks ${questionId}: ${text}`, "yellow"],
  "question:answered": ({ questionId, answer }) => [`${questionId} is answered: ${answer}`, null],
  "budget:exhausted": ({ limit }) => [`has spent its budget of ${limit}`, "red"],
};

/** The sentence, which begins with the task's id, and its colour. */
export function sentenceOf(told: OfTask): Line {
  const sentence = SENTENCES[told.type] as ((told: OfTask) => Line) | undefined;
  // Events of a newer Pawl are read too.
  const [text, colour] = sentence?.(told) ?? [told.type.replace(/[:_]/g, " "), null];
  return [`${told.taskId} ${text}`, colour];
}

export function agentOf(told: Extract<OfTask, { readonly type: "agent:started" }>): string {
  return [told.agent, ...(told.resumed ? ["resumed"] : []), `permission ${told.permission}`].join(", ");
}

const ERRANDS: Readonly<Record<string, string>> = {
  step: "agent begins",
  mark: "is asked to mark its step",
  repair: "repairs what failed",
  commit: "is asked to commit",
  resolve: "resolves conflicts",
  "repair-merge": "repairs what failed on the merge",
};

function changedWhen({ path, at }: ChangedOutside): string {
  return at === null ? path : `${path} (${at.slice(11, 19)} UTC)`;
}

function forWhat(purpose: string): string {
  return ERRANDS[purpose] ?? purpose;
}

function lasting(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Math.round(milliseconds / 100) / 10} s`
    : `${Math.round(milliseconds / 60_000)} min`;
}
