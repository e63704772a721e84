/** `pawl review`: lists what waits for a person, and shows what they need to decide about one run. */
import { PawlError } from "../../../core/error.ts";
import type { GitDiff } from "../../../core/ports/git.ts";
import type { Project } from "../../../runtime/project.ts";
import { findRun } from "../../../runtime/reports/overview.ts";
import { KINDS } from "../../../runtime/reports/state-words.ts";
import { differencesOf, reviewOf, type Waiting, waiting } from "../../../runtime/review/load.ts";
import type { Review } from "../../../runtime/review/model.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { ago } from "../terminal/amounts.ts";
import { renderDifferences, renderReview } from "../terminal/render-review.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut, pad, widthOf, wrap } from "../terminal/text-width.ts";
import { limitOf } from "./status.ts";

/** Characters of a difference: in all, of one file among others, and of one file alone. */
const MAX_OF_ALL = 1_000_000;
const MAX_OF_FILE = 100_000;
const MAX_OF_FILE_ALONE = 16_000_000;

export const review: Run = async (host, call) => {
  const project = await host.projects.open();
  const { diff, path, since } = call.options;
  const wanted = {
    diff: diff === true || typeof path === "string",
    path: typeof path === "string" ? path : null,
    since: since === true,
  };
  const limit = limitOf(call.options.limit);
  const { run: name } = call.arguments;
  if (typeof name === "string") return reviewFor(host, project, name, wanted);
  if (wanted.diff || wanted.since)
    throw new PawlError(
      "usage",
      "--diff, --path and --since are about one run: expected its name, found none.",
      "Run `pawl review` for what waits for you, then `pawl review RUN --diff`.",
    );
  const all = await waiting(project);
  const shown = all.slice(0, limit ?? all.length);
  const left = all.length - shown.length;
  const more = left === 0 ? "" : `${left} of them not shown: pawl review --limit ${all.length}\n`;
  const text = `${renderWaiting(shown, all.length, host.terminal, new Date())}${more}`;
  return { text, data: { waiting: shown, ...(limit !== null && { left_out: left }) } };
};

interface Wanted {
  readonly diff: boolean;
  readonly path: string | null;
  readonly since: boolean;
}

async function reviewFor(host: Host, project: Project, name: string, wanted: Wanted): Promise<Answer> {
  const review = await reviewOf(project, name);
  if (review === null) {
    const { run } = await findRun(project, name);
    const text = `${run} waits for no verdict of yours; \`pawl show ${run}\` shows its state.\n`;
    return { text, data: { run, review: null } };
  }
  checkSince(review, wanted);
  const differences = wanted.diff ? await differencesFor(project, review, wanted) : null;
  const { terminal } = host;
  const text =
    wanted.path === null
      ? renderReview(review, { since: wanted.since, differences }, terminal, new Date())
      : renderDifferences(review.run, differences ?? { kind: "diff", files: [] }, terminal);
  return { text, data: { review, ...(differences && { differences }) } };
}

function checkSince({ changes, history, run }: Review, { since }: Wanted): void {
  const isJudged = changes?.kind === "changes" && changes.lastJudged !== null;
  if (!since || isJudged || history.some(({ stage }) => stage === "human")) return;
  throw new PawlError(
    "no-effect",
    `${run} has no verdict yet to compare with.`,
    `All of it is new: run \`pawl review ${run}\` without --since.`,
  );
}

async function differencesFor(project: Project, review: Review, { path, since }: Wanted): Promise<GitDiff> {
  const { changes, run } = review;
  if (path !== null && changes?.kind === "changes" && !changes.files.some((file) => file.path === path))
    throw new PawlError(
      "no-effect",
      `${run} does not change ${JSON.stringify(path)}: expected one of the files that \`pawl review ${run}\` lists.`,
      "Write its path as it is listed there.",
    );
  const limits =
    path === null ? { bytes: MAX_OF_ALL, bytesOfFile: MAX_OF_FILE } : { bytes: MAX_OF_FILE_ALONE };
  return differencesOf(project, review, { path, since, ...limits });
}

function renderWaiting(
  all: readonly Waiting[],
  total: number,
  { columns, paint }: Terminal,
  now: Date,
): string {
  if (all.length === 0) return "Nothing waits for you.\n";
  const blocks = all.map(({ command, kind, minutes, next, run, since, title }) => {
    const right = [
      ...(minutes === null ? [] : [`${minutes} min`]),
      ...(since === null ? [] : [ago(since, now)]),
    ].join(", ");
    const name = cut(run, columns - widthOf(right) - 2);
    const room = columns - widthOf(name) - widthOf(right) - 4;
    const left = room > 8 && title !== "" ? `${paint.cyan(name)}  ${cut(title, room)}` : paint.cyan(name);
    const shown = widthOf(name) + (room > 8 && title !== "" ? 2 + widthOf(cut(title, room)) : 0);
    const isBad = kind === "blocked" || kind === "failed" || kind === "held";
    const word = pad(KINDS[kind], 9);
    const whole = wrap(next.slice(0, MAX_NEXT_LENGTH), columns - 13);
    const lines =
      whole.length > 3 ? [...whole.slice(0, 2), cut(whole.slice(2).join(" "), columns - 13)] : whole;
    return [
      `${left}${" ".repeat(Math.max(2, columns - shown - widthOf(right)))}${paint.dim(right)}`,
      ...lines.map((line, at) => {
        const kindWord = isBad ? paint.red(word) : paint.yellow(word);
        return `  ${at === 0 ? kindWord : " ".repeat(9)}  ${line}`;
      }),
      `  ${" ".repeat(9)}  ${paint.dim(cut(command, columns - 13))}`,
      "",
    ].join("\n");
  });
  const count = total === 1 ? "1 thing waits for you." : `${total} things wait for you.`;
  return `${blocks.join("\n")}\n${count}\n`;
}

const MAX_NEXT_LENGTH = 600;
