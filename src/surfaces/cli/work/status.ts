import { type ErrorCode, toPawlError } from "../../../core/error.ts";
import type { AgentAccount } from "../../../core/ports/agents.ts";
import { strengthWords } from "../../../core/strength.ts";
import { cleanLine } from "../../../core/text/clean.ts";
import type { RunOverview } from "../../../runtime/module.ts";
import type { Project, TrustStatus } from "../../../runtime/project.ts";
import { isUnbegun, overview, type WorkflowOverview } from "../../../runtime/reports/overview.ts";
import { AWAITS, PHASES, stateWords } from "../../../runtime/reports/state-words.ts";
import { lastVerdicts } from "../../../runtime/reports/verdicts.ts";
import type { Run } from "../line/command.ts";
import { warnOfTasksFile } from "../line/warn.ts";
import { wholeNumber } from "../line/whole-number.ts";
import { type GuardProved, loadGuardProof } from "../project/guard-proof.ts";
import { type Ignored, ignoredEdits, renderLoosened } from "../project/policy.ts";
import { ago } from "../terminal/amounts.ts";
import { colourOf } from "../terminal/state-colour.ts";
import type { Paint, Terminal } from "../terminal/terminal.ts";
import { cut, hung, pad, widthOf, wrap } from "../terminal/text-width.ts";

/**
 * Prints every run of every workflow: its state and who needs to act; and how to start the other workflows.
 */
export const status: Run = async (host, { options }) => {
  const limit = limitOf(options.limit);
  const project = await host.projects.open();
  await warnOfTasksFile(host, project);
  const { left, workflows } = limited(waitingFirst(await overview(project)), limit);
  const { fault, ignored } = await loadIgnoredEdits(project);
  const guard = await loadGuardProof(host, project);
  const untrusted = await loadUntrusted(project);
  return {
    text: [
      renderStatus(workflows, project.root, host.terminal, new Date(), untrusted.length === 0),
      left === 0 ? "" : `and ${left} more: pawl status --limit ${(limit ?? 0) + left}\n`,
      renderAccounts(accountsIn(workflows), host.terminal),
      renderIgnored(ignored, host.terminal),
      renderUntrusted(untrusted, host.terminal),
      renderGuard(guard, host.terminal),
      ...(fault ? renderProblem(fault, host.terminal.columns, host.terminal.paint) : []).map(
        (line) => `${line}\n`,
      ),
    ].join(""),
    data: {
      project: project.root,
      workflows: workflows.map(({ name, title, summary, begin = null, ended = null, runs }) => ({
        ...{ name, title, summary, begin, ended },
        runs: runs.length,
      })),
      runs: workflows.flatMap(({ runs }) => runs),
      ...(limit !== null && { left_out: left }),
      accounts: accountsIn(workflows),
      ignored,
      untrusted,
      guard,
      pending: project.runtime.store.pending(),
      problems: [
        ...workflows.flatMap(({ name, problem }) => (problem ? [{ workflow: name, ...problem }] : [])),
        ...(fault ? [{ workflow: null, ...fault }] : []),
      ],
      warnings: workflows.flatMap(({ name, warning }) => (warning ? [{ workflow: name, ...warning }] : [])),
    },
    ...(fault || workflows.some(({ problem }) => problem) ? { exit: 1 as const } : {}),
  };
};

/** `--limit`; null: all. Throws `usage`. */
export function limitOf(given: unknown): number | null {
  if (given === undefined) return null;
  const fix = "Write for example --limit 20, or leave it out to see all.";
  return wholeNumber("--limit", given, { from: 1, to: null, fix });
}

function limited(workflows: readonly WorkflowOverview[], limit: number | null) {
  let room = limit ?? Number.POSITIVE_INFINITY;
  let left = 0;
  const shown = workflows.map((workflow) => {
    const runs = workflow.runs.slice(0, room);
    left += workflow.runs.length - runs.length;
    room -= runs.length;
    return { ...workflow, runs };
  });
  return { left, workflows: shown };
}

/**
 * Puts what waits for a person first, the longest wait before the others; everything else keeps its order.
 */
export function waitingFirst(workflows: readonly WorkflowOverview[]): readonly WorkflowOverview[] {
  const isMine = ({ awaits }: RunOverview) => awaits === "human";
  const since = ({ since: time }: RunOverview) =>
    time === null ? Number.POSITIVE_INFINITY : Date.parse(time);
  const sorted = workflows.map((workflow) => ({
    ...workflow,
    runs: [
      ...workflow.runs.filter(isMine).sort((one, other) => since(one) - since(other) || 0),
      ...workflow.runs.filter((run) => !isMine(run)),
    ],
  }));
  const waits = ({ runs }: WorkflowOverview) => runs.some(isMine);
  return [...sorted.filter(waits), ...sorted.filter((workflow) => !waits(workflow))];
}

/** The policies' ignored changes, or why they are unreadable; the runs are shown in both cases. */
async function loadIgnoredEdits(project: Project): Promise<{
  readonly ignored: Ignored;
  readonly fault?: { readonly code: ErrorCode; readonly message: string; readonly fix: string };
}> {
  try {
    return { ignored: await ignoredEdits(project) };
  } catch (thrown) {
    const { code, fix, message } = toPawlError(thrown);
    return { ignored: [], fault: { code, message, fix } };
  }
}

/** What no person has agreed to yet; none where that cannot be read, which `pawl trust` says. */
async function loadUntrusted(project: Project): Promise<TrustStatus["untrusted"]> {
  return (await project.trust.status().catch(() => null))?.untrusted ?? [];
}

function renderUntrusted(
  untrusted: TrustStatus["untrusted"],
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const first = untrusted.find(({ kind }) => kind === "command") ?? untrusted[0];
  if (first === undefined) return "";
  const more = untrusted.length > 1 ? `, and ${untrusted.length - 1} more` : "";
  const what = `${first.name} (${cut(cleanLine(first.text), MAX_STARTED)})${more}`;
  const line = `Pawl does not start what nobody here has agreed to: ${what}. \`pawl trust\` shows it, and asks.`;
  return wrap(line, columns)
    .map((row) => `${paint.yellow(row)}\n`)
    .join("");
}

/** The longest program that the status shows. */
const MAX_STARTED = 60;

export function accountsIn(workflows: readonly WorkflowOverview[]): readonly AgentAccount[] {
  return workflows.flatMap(({ accounts = [] }) => accounts);
}

/** `Agents: claude rests until 03:02; codex is open.` */
export function accountsLine(accounts: readonly AgentAccount[]): string | null {
  const words = [...new Set(accounts.map((account) => account.words))];
  return words.length === 0 ? null : cleanLine(`Agents: ${words.join("; ")}.`);
}

function renderAccounts(
  accounts: readonly AgentAccount[],
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const line = accountsLine(accounts);
  return line === null ? "" : `${wrap(line, columns).map(paint.dim).join("\n")}\n`;
}

function renderGuard(
  guard: GuardProved | null,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  return guard === null ? "" : `${wrap(guard.words, columns).map(paint.dim).join("\n")}\n`;
}

/** Edits that a run in progress ignores. */
function renderIgnored(ignored: Ignored, { columns, paint }: Pick<Terminal, "columns" | "paint">): string {
  return ignored
    .flatMap((edits) => wrap(renderLoosened(edits), columns))
    .map((line) => `${paint.yellow(line)}\n`)
    .join("");
}

export function renderStatus(
  workflows: readonly WorkflowOverview[],
  root: string,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
  now: Date,
  isTrusted = true,
): string {
  const active = workflows.filter(
    ({ ended, runs, problem, warning }) => runs.length > 0 || ended || problem || warning,
  );
  const runs = active.flatMap((workflow) => workflow.runs);
  const blocks = active.map((workflow) => renderWorkflow(workflow, columns, paint, now));
  const others = renderOthers(
    workflows.filter((workflow) => !active.includes(workflow)),
    active.length > 0 ? "Other workflows:" : `No run has begun in ${root}. To begin one:`,
    columns,
    paint,
  );
  if (active.length === 0)
    others.push(...wrap("`pawl init` shows how to connect your assistant.", columns), "");
  return [...blocks, ...others, ...(runs.length > 0 ? [summary(runs, isTrusted), ""] : [])].join("\n");
}

/** The workflows without a run, each with the command that starts one. */
function renderOthers(
  workflows: readonly WorkflowOverview[],
  heading: string,
  columns: number,
  paint: Paint,
): string[] {
  const named = workflows.filter(({ begin }) => begin !== undefined);
  if (named.length === 0) return [];
  const width = Math.max(...named.map(({ title }) => Math.min(widthOf(title), Math.floor(columns / 2))));
  return [
    ...wrap(heading, columns),
    ...named.map(
      ({ title, begin = "" }) =>
        `  ${paint.bold(pad(cut(title, width), width))}  ${cut(begin, columns - width - 4)}`,
    ),
    "",
  ];
}

/** At most this many runs that have not started are listed, so that those in progress stay visible. */
const MAX_UNBEGUN = 5;

function renderWorkflow(workflow: WorkflowOverview, columns: number, paint: Paint, now: Date): string {
  const heading = `${paint.bold(workflow.title)}  ${paint.dim(cut(workflow.summary, columns - widthOf(workflow.title) - 2))}`;
  const unbegun = workflow.runs.filter(isUnbegun);
  const left = new Set(unbegun.slice(MAX_UNBEGUN));
  const shown = workflow.runs.filter((run) => !left.has(run));
  const lines = shown.flatMap((run) => renderRun(run, columns, paint, now));
  if (left.size > 0) lines.push(paint.dim(`  and ${left.size} more ${PHASES.open}`));
  if (workflow.ended) lines.push(`  ${workflow.ended}`);
  const problem = workflow.problem ?? workflow.warning;
  if (problem) lines.push(...renderProblem(problem, columns, paint));
  return `${heading}\n${lines.join("\n")}\n`;
}

function renderRun(run: RunOverview, columns: number, paint: Paint, now: Date): string[] {
  return [
    ...renderRunState(run, columns, paint, now),
    ...renderQuestions(run, columns, paint),
    ...renderDecided(run, columns, paint),
  ];
}

/** The questions of its agent that do not stop the work. */
function renderQuestions(
  { questions = [], waitsFor }: RunOverview,
  columns: number,
  paint: Paint,
): readonly string[] {
  if (waitsFor === "question") return [];
  return questions.flatMap(({ command, text }) => [
    ...hung("    ", `it asks: ${text}`, columns).map(paint.yellow),
    paint.dim(`    ${cut(command, columns - 4)}`),
  ]);
}

/** People's decisions with their channels, and whether the run's history proves its state. */
function renderDecided(run: RunOverview, columns: number, paint: Paint): string[] {
  const { aside = [], awaits, elsewhere, unproved, verdicts = [] } = run;
  const lines = lastVerdicts(verdicts).map(({ strength, what }) => `${what} (${strengthWords(strength)})`);
  const old = unproved ? ["unproved: its history here does not go back to its beginning"] : [];
  const goOn = awaits === "nobody" ? "" : `; to adopt it: \`pawl adopt ${run.run}\``;
  const { environment } = run;
  const has = environment ? [hasWords(environment)] : [];
  const others = elsewhere ? [`moved last in another checkout, by ${elsewhere.by}${goOn}`] : [];
  const branches = aside.map(
    ({ branch, steps }) =>
      `set aside: the branch ${branch}: ${steps}; to go on from there: \`pawl adopt ${run.run} --branch ${branch}\``,
  );
  // A finished run is two lines.
  const decided = awaits === "nobody" && !isMore(run) ? [] : [...lines, ...old];
  return [...has, ...others, ...branches, ...decided].flatMap((line) =>
    hung("    ", line, columns).map(paint.dim),
  );
}

function isMore({ next }: RunOverview): boolean {
  return next !== "" && next !== "nothing";
}

/** `has pawl-t1-0a1b2c3d for itself: slot 0, port 20001, emulator` */
function hasWords({ exclusive, name, ports, slot }: NonNullable<RunOverview["environment"]>): string {
  const own = [
    `slot ${slot}`,
    ...(ports.length > 0 ? [`${ports.length === 1 ? "port" : "ports"} ${ports.join(", ")}`] : []),
    ...exclusive,
  ];
  return `has ${name} for itself: ${own.join(", ")}`;
}

function renderRunState(run: RunOverview, columns: number, paint: Paint, now: Date): string[] {
  const first = `  ${renderTitle(run, columns - 2, paint, now)}`;
  if (run.problem) return [first, ...renderProblem(run.problem, columns, paint)];
  const meaning = colourOf(run.state) ?? (run.awaits === "human" ? "yellow" : null);
  const colour = meaning === null ? same : paint[meaning];
  if (run.awaits === "nobody") {
    const words = stateWords(run.state);
    const text = isMore(run) ? `${words}: ${run.next}` : words;
    if (mendOf(run) === null) return [first, `    ${colour(cut(text, columns - 4))}`];
    const whole = [first, ...hung("    ", text, columns).map(colour)];
    if (!run.target) return whole;
    const repair = `it goes on once ${run.target.into} is repaired; to let this task repair it:`;
    return [
      ...whole,
      ...hung("    ", repair, columns),
      paint.dim(`    pawl task ready ${run.run.slice(run.run.indexOf(":") + 1)}`),
    ];
  }
  const who = AWAITS[run.awaits];
  const state = stateWords(run.state);
  const paintWho = run.awaits === "human" ? paint.yellow : same;
  return [
    first,
    ...(state === who ? [] : [`    ${colour(cut(state, columns - 4))}`]),
    ...hung(`    ${paintWho(who)}: `, run.next, columns),
    ...(run.awaits === "human" ? [paint.dim(`    ${commandOf(run)}`)] : []),
  ];
}

/** What a person must mend before the run continues; null: it waits for something that passes by itself. */
function mendOf({ rest, target }: RunOverview): string | null {
  if (target) return `Repair ${target.into}`;
  return rest?.state === "exhausted" ? `Mend the account of ${rest.agent}` : null;
}

function commandOf({ command, run, waitsFor }: RunOverview): string {
  return command ?? `pawl ${waitsFor === "gate" ? "review" : "approve"} ${run}`;
}

/** The run's name and title, and at the line's end how long it has been in its state. */
function renderTitle(run: RunOverview, width: number, paint: Paint, now: Date): string {
  const since = run.since === null ? "" : ago(run.since, now);
  const name = cut(run.run, width - since.length - 2);
  const room = width - widthOf(name) - since.length - 4;
  const title = room > 1 ? cut(run.title, room) : "";
  const left = title === "" ? name : `${name}  ${title}`;
  const gap = " ".repeat(Math.max(2, width - widthOf(left) - since.length));
  return `${paint.cyan(name)}${left.slice(name.length)}${since ? `${gap}${paint.dim(since)}` : ""}`;
}

const same = (text: string): string => text;

function renderProblem(problem: { message: string; fix: string }, columns: number, paint: Paint): string[] {
  return [
    ...problem.message
      .split("\n")
      .flatMap((each) => hung("    ", each, columns))
      .map(paint.red),
    ...hung("    ", problem.fix, columns),
  ];
}

function summary(runs: readonly RunOverview[], isTrusted: boolean): string {
  const begun = runs.filter((run) => !isUnbegun(run)).length;
  const yours = runs.filter(({ awaits }) => awaits === "human").length;
  const open = runs.length - begun;
  const count = `${begun} ${begun === 1 ? "run" : "runs"}${open > 0 ? `, ${open} ${PHASES.open}` : ""}`;
  const mends = Map.groupBy(runs, mendOf);
  mends.delete(null);
  const toMend = [...mends].map(
    ([what, { length }]) => ` ${what}: ${length} ${length === 1 ? "task waits" : "tasks wait"} for that.`,
  );
  if (yours > 0) return `${count}, ${yours} ${yours === 1 ? "waits" : "wait"} for you.${toMend.join("")}`;
  return `${count}.${toMend.length === 0 && isTrusted ? " Nothing waits for you." : toMend.join("")}`;
}
