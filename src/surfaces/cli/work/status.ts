import { type ErrorCode, toPawlError } from "../../../core/error.ts";
import { strengthWords } from "../../../core/strength.ts";
import type { RunOverview } from "../../../runtime/module.ts";
import type { Project } from "../../../runtime/project.ts";
import { isUnbegun, overview, type WorkflowOverview } from "../../../runtime/reports/overview.ts";
import { lastVerdicts } from "../../../runtime/reports/verdicts.ts";
import type { Run } from "../line/command.ts";
import { type GuardProved, lookAtGuard } from "../project/guard-proof.ts";
import { type Ignored, ignoredEdits, renderLoosened } from "../project/policy.ts";
import { ago } from "../terminal/amounts.ts";
import { colourOf } from "../terminal/state-colour.ts";
import type { Paint, Terminal } from "../terminal/terminal.ts";
import { cut, pad, widthOf, wrap } from "../terminal/text-width.ts";

/**
 * Prints every run of every workflow: its state and who needs to act; and how to start the other workflows.
 */
export const status: Run = async (host) => {
  const project = await host.projects.open();
  const workflows = waitingFirst(await overview(project));
  const { fault, ignored } = await lookAtPolicies(project);
  const guard = await lookAtGuard(host, project);
  return {
    text: [
      renderStatus(workflows, project.root, host.terminal, new Date()),
      renderIgnored(ignored, host.terminal),
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
      ignored,
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
async function lookAtPolicies(project: Project): Promise<{
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
): string {
  const active = workflows.filter(
    ({ ended, runs, problem, warning }) => runs.length > 0 || ended || problem || warning,
  );
  const runs = active.flatMap((workflow) => workflow.runs);
  const blocks = active.map((workflow) => renderWorkflow(workflow, columns, paint, now));
  const others = renderOthers(
    workflows.filter((workflow) => !active.includes(workflow)),
    active.length > 0 ? "Other workflows:" : `No run yet in ${root}. To start one:`,
    columns,
    paint,
  );
  if (active.length === 0)
    others.push(...wrap("`pawl init` shows how to connect your assistant.", columns), "");
  return [...blocks, ...others, ...(runs.length > 0 ? [summary(runs), ""] : [])].join("\n");
}

/** The workflows without a run, each with the command that starts one. */
function renderOthers(
  workflows: readonly WorkflowOverview[],
  heading: string,
  columns: number,
  paint: Paint,
): string[] {
  const known = workflows.filter(({ begin }) => begin !== undefined);
  if (known.length === 0) return [];
  const width = Math.max(...known.map(({ title }) => Math.min(widthOf(title), Math.floor(columns / 2))));
  return [
    ...wrap(heading, columns),
    ...known.map(
      ({ title, begin = "" }) =>
        `  ${paint.bold(pad(cut(title, width), width))}  ${cut(begin, columns - width - 4)}`,
    ),
    "",
  ];
}

/** At most this many runs that have not started are listed, so that those in progress stay visible. */
const MOST_UNBEGUN = 5;

function renderWorkflow(workflow: WorkflowOverview, columns: number, paint: Paint, now: Date): string {
  const heading = `${paint.bold(workflow.title)}  ${paint.dim(cut(workflow.summary, columns - widthOf(workflow.title) - 2))}`;
  const unbegun = workflow.runs.filter(isUnbegun);
  const left = new Set(unbegun.slice(MOST_UNBEGUN));
  const shown = workflow.runs.filter((run) => !left.has(run));
  const lines = shown.flatMap((run) => renderRun(run, columns, paint, now));
  if (left.size > 0) lines.push(paint.dim(`  and ${left.size} more not started`));
  if (workflow.ended) lines.push(`  ${workflow.ended}`);
  const problem = workflow.problem ?? workflow.warning;
  if (problem) lines.push(...renderProblem(problem, columns, paint));
  return `${heading}\n${lines.join("\n")}\n`;
}

function renderRun(run: RunOverview, columns: number, paint: Paint, now: Date): string[] {
  return [
    ...renderStanding(run, columns, paint, now),
    ...renderAsked(run, columns, paint),
    ...renderDecided(run, columns, paint),
  ];
}

/** The questions of its agent that do not stop the work. */
function renderAsked(
  { questions = [], waitsFor }: RunOverview,
  columns: number,
  paint: Paint,
): readonly string[] {
  if (waitsFor === "question") return [];
  return questions.flatMap(({ command, text }) => [
    ...wrap(`it asks: ${text}`, columns - 6).map(
      (line, at) => `    ${at === 0 ? "" : "  "}${paint.yellow(line)}`,
    ),
    paint.dim(`    ${cut(command, columns - 4)}`),
  ]);
}

/** People's decisions with their channels, and whether the run's history proves its state. */
function renderDecided(run: RunOverview, columns: number, paint: Paint): string[] {
  const { awaits, elsewhere, unproved, verdicts = [] } = run;
  const lines = lastVerdicts(verdicts).map(({ strength, what }) => `${what} (${strengthWords(strength)})`);
  const old = unproved ? ["unproved: its history here does not go back to its beginning"] : [];
  const goOn = awaits === "nobody" ? "" : `; to adopt it: \`pawl take ${run.run}\``;
  const { environment } = run;
  const has = environment ? [hasWords(environment)] : [];
  const others = elsewhere ? [`moved last in another checkout, by ${elsewhere.by}${goOn}`] : [];
  return [...has, ...others, ...lines, ...old].flatMap((line) =>
    wrap(line, columns - 6).map((each, at) => paint.dim(`    ${at === 0 ? "" : "  "}${each}`)),
  );
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

function renderStanding(run: RunOverview, columns: number, paint: Paint, now: Date): string[] {
  const first = `  ${renderTitle(run, columns - 2, paint, now)}`;
  if (run.problem) return [first, ...renderProblem(run.problem, columns, paint)];
  const meaning = colourOf(run.state) ?? (run.awaits === "human" ? "yellow" : null);
  const colour = meaning === null ? same : paint[meaning];
  if (run.awaits === "nobody") {
    const text = cut(run.next ? `${run.state}: ${run.next}` : run.state, columns - 4);
    return [first, `    ${colour(text)}`];
  }
  const who = WHO[run.awaits];
  const rest = wrap(run.next, columns - 6 - who.length);
  const paintWho = run.awaits === "human" ? paint.yellow : same;
  return [
    first,
    `    ${colour(cut(run.state, columns - 4))}`,
    ...rest.map((line, at) => `    ${at === 0 ? `${paintWho(who)}: ` : " ".repeat(who.length + 2)}${line}`),
    ...(run.awaits === "human" ? [paint.dim(`    ${commandOf(run)}`)] : []),
  ];
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

const WHO = {
  assistant: "waiting for the assistant",
  human: "waiting for you",
  agent: "waiting for an agent",
} as const;

function renderProblem(problem: { message: string; fix: string }, columns: number, paint: Paint): string[] {
  return [
    ...problem.message
      .split("\n")
      .flatMap((each) => wrap(each, columns - 4))
      .map((line) => `    ${paint.red(line)}`),
    ...wrap(problem.fix, columns - 4).map((line) => `    ${line}`),
  ];
}

function summary(runs: readonly RunOverview[]): string {
  const begun = runs.filter((run) => !isUnbegun(run)).length;
  const yours = runs.filter(({ awaits }) => awaits === "human").length;
  const open = runs.length - begun;
  const count = `${begun} ${begun === 1 ? "run" : "runs"}${open > 0 ? `, ${open} not begun` : ""}`;
  return yours === 0
    ? `${count}. Nothing waits for you.`
    : `${count}, ${yours} ${yours === 1 ? "waits" : "wait"} for you.`;
}
