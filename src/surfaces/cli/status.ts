import { overview, type WorkflowOverview } from "../../runtime/overview.ts";
import type { RunOverview } from "../../workflows/module.ts";
import type { Run } from "./command.ts";
import { cut, type Paint, type Terminal, wrap } from "./terminal.ts";

/** Every run of every workflow: where it stands, and what is awaited of whom. */
export const status: Run = async (host) => {
  const project = await host.project();
  const workflows = await overview(project);
  return {
    text: renderStatus(workflows, project.root, host.terminal, new Date()),
    data: {
      project: project.root,
      runs: workflows.flatMap(({ runs }) => runs),
      problems: workflows.flatMap(({ name, problem }) => (problem ? [{ workflow: name, ...problem }] : [])),
    },
    ...(workflows.some(({ problem }) => problem) ? { exit: 1 as const } : {}),
  };
};

export function renderStatus(
  workflows: readonly WorkflowOverview[],
  root: string,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
  now: Date,
): string {
  const told = workflows.filter(({ runs, problem }) => runs.length > 0 || problem);
  if (told.length === 0) return renderEmpty(root, columns);
  const blocks = told.map((workflow) => renderWorkflow(workflow, columns, paint, now));
  return `${blocks.join("\n")}\n${summary(told.flatMap(({ runs }) => runs))}\n`;
}

function renderEmpty(root: string, columns: number): string {
  return [
    ...wrap(`No run yet in ${root}.`, columns),
    ...wrap("Ask your assistant to begin one (`pawl init` shows how to connect it).", columns),
    "",
  ].join("\n");
}

function renderWorkflow(workflow: WorkflowOverview, columns: number, paint: Paint, now: Date): string {
  const heading = `${paint.bold(workflow.title)}  ${paint.dim(cut(workflow.summary, columns - workflow.title.length - 2))}`;
  const lines = workflow.runs.flatMap((run) => renderRun(run, columns, paint, now));
  if (workflow.problem) lines.push(...renderProblem(workflow.problem, columns, paint));
  return `${heading}\n${lines.join("\n")}\n`;
}

function renderRun(run: RunOverview, columns: number, paint: Paint, now: Date): string[] {
  const first = `  ${renderTitle(run, columns - 2, paint, now)}`;
  if (run.problem) return [first, ...renderProblem(run.problem, columns, paint)];
  if (run.awaits === "nobody") {
    return [first, `    ${cut(run.next ? `${run.state}: ${run.next}` : run.state, columns - 4)}`];
  }
  const who = WHO[run.awaits];
  const rest = wrap(run.next, columns - 6 - who.length);
  const colour = run.awaits === "human" ? paint.yellow : (text: string) => text;
  return [
    first,
    `    ${cut(run.state, columns - 4)}`,
    ...rest.map((line, at) => `    ${at === 0 ? `${colour(who)}: ` : " ".repeat(who.length + 2)}${line}`),
    ...(run.awaits === "human" ? [paint.dim(`    ${run.command ?? `pawl approve ${run.run}`}`)] : []),
  ];
}

/** The run's name and title, and at the line's end since when it stands there. */
function renderTitle(run: RunOverview, width: number, paint: Paint, now: Date): string {
  const since = run.since === null ? "" : ago(run.since, now);
  const name = cut(run.run, width - since.length - 2);
  const title = cut(run.title, Math.max(0, width - name.length - since.length - 4));
  const left = title.length > 1 ? `${name}  ${title}` : name;
  const gap = " ".repeat(Math.max(2, width - left.length - since.length));
  return `${paint.cyan(name)}${left.slice(name.length)}${since ? `${gap}${paint.dim(since)}` : ""}`;
}

const WHO = { assistant: "awaits the assistant", human: "awaits you", agent: "awaits an agent" } as const;

function renderProblem(problem: { message: string; fix: string }, columns: number, paint: Paint): string[] {
  return [
    ...wrap(problem.message, columns - 4).map((line) => `    ${paint.red(line)}`),
    ...wrap(problem.fix, columns - 4).map((line) => `    ${line}`),
  ];
}

function summary(runs: readonly RunOverview[]): string {
  const yours = runs.filter(({ awaits }) => awaits === "human").length;
  const count = `${runs.length} ${runs.length === 1 ? "run" : "runs"}`;
  return yours === 0
    ? `${count}. Nothing waits for you.`
    : `${count}, ${yours} ${yours === 1 ? "waits" : "wait"} for you.`;
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

function ago(time: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "";
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
