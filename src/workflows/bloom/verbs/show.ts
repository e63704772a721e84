import { agentNames } from "../../../core/agent-needs.ts";
import { criterionWords } from "../../../core/criterion.ts";
import { PawlError } from "../../../core/error.ts";
import { ownFile } from "../../../core/own-file.ts";
import { projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Context, GateVerdict, Reply, Transaction } from "../../../runtime/module.ts";
import { verdictWords } from "../../../runtime/reports/verdicts.ts";
import { loadSteps, verdictsIn } from "../../../runtime/run-log/read.ts";
import type { Elsewhere } from "../../../runtime/transaction/transaction.ts";
import { loadTasks, taskOf } from "../../../tasks-file/load.ts";
import { renderProblem } from "../../../tasks-file/problem.ts";
import { findStep, getCurrentStepForTask } from "../../../tasks-file/steps.ts";
import { eachTask, findTask, TASK_STATUSES, type Task } from "../../../tasks-file/task.ts";
import { isClosed, isDone, nowReady, takeable, waitingFor } from "../pick.ts";
import { getTaskForAgent } from "../prompt.ts";
import { loadMessages, loadQuestions, type Message, type Question } from "../question.ts";
import { loadRecorded } from "../run/shared.ts";
import { BLOOM } from "../run/table.ts";
import { loadDoneRun, loadRun, type TaskRun } from "../run/task-run.ts";
import { loadFailedOutput, outputFileOf } from "./failed-output.ts";
import { loadSnapshot, readOnly, type Snapshot } from "./snapshot.ts";

/** `list [status]` */
export const list = readOnly(loadSnapshot, (snapshot: Snapshot, { status }: { readonly status?: string }) => {
  if (status !== undefined && !TASK_STATUSES.some((each) => each === status))
    throw new PawlError(
      "usage",
      `No status is called ${JSON.stringify(status)}: expected one of ${TASK_STATUSES.join(", ")}.`,
      "Use one of them, or none for all tasks.",
    );
  const rows = eachTask(snapshot.file.tasks).filter(
    ({ task }) => status === undefined || task.status === status,
  );
  const lines = rows.map(({ task }) => lineOf(task, snapshot));
  const done = rows.filter(({ task }) => isDone(task)).length;
  const cancelled = rows.filter(({ task }) => task.status === "cancelled").length;
  const text =
    rows.length === 0
      ? status === undefined
        ? "No tasks."
        : `No task is ${status}.`
      : [
          ...lines,
          "",
          `${counted(rows.length, "task")}, ${done} done${cancelled > 0 ? `, ${cancelled} cancelled` : ""}.`,
        ].join("\n");
  return { text, data: { tasks: rows.map(({ task, parent }) => summaryOf(task, parent, snapshot)) } };
});

function lineOf(task: Task, snapshot: Snapshot): string {
  const done = task.steps.filter((step) => step.status === "done").length;
  const steps =
    task.steps.length === 0
      ? ""
      : `  [${done}/${task.steps.filter((step) => step.status !== "cancelled").length}]`;
  const run = snapshot.runs.get(task.id);
  const why = task.status === "cancelled" && task.cancel_reason ? `  (${task.cancel_reason})` : "";
  const state =
    run && run.state !== "done" && run.state !== "ready" && snapshot.states.has(task.id)
      ? `  (${run.state}${run.reason ? `: ${run.reason}` : ""})`
      : "";
  return `${task.status.padEnd(18)}  ${task.id}  ${task.title}${steps}${why}${state}`;
}

function counted(count: number, what: string): string {
  return `${count === 0 ? "no" : count} ${what}${count === 1 ? "" : "s"}`;
}

function summaryOf(task: Task, parent: Task | null, snapshot: Snapshot): Record<string, unknown> {
  const run = snapshot.runs.get(task.id);
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    parent: parent?.id ?? null,
    phase: task.phase ?? null,
    depends_on: task.depends_on,
    steps: { total: task.steps.length, done: task.steps.filter((step) => step.status === "done").length },
    state: run?.state ?? null,
    reason: run?.reason ?? null,
  };
}

interface Shown extends Snapshot {
  readonly verdicts: readonly GateVerdict[];
  readonly run: TaskRun | null;
  /** Who moved it in another checkout; null: it moved here. */
  readonly elsewhere: Elsewhere | null;
  /** The last lines of the command that failed last. */
  readonly output: readonly string[];
  readonly questions: readonly Question[];
  /** The messages that its agent has not received yet. */
  readonly messages: readonly Message[];
}

/** `show ID` */
export const show = readOnly(
  async (view: View, context: Context, { id }: { readonly id: string }): Promise<Shown> => {
    const snapshot = await loadSnapshot(view, context);
    const { id: known } = taskOf(snapshot.file.tasks, id);
    const questions = (await loadQuestions(view)).filter((question) => question.task === known);
    const taskRun = (await loadRun(view, known)) ?? (await loadDoneRun(view, known));
    const { others: theirs } = await loadRecorded(view, known, taskRun !== null);
    const run = theirs?.run ?? taskRun;
    const output = theirs ? [] : await loadFailedOutput(view, run?.evidence ?? []);
    const steps = theirs?.steps ?? (await loadSteps(view, `bloom:${known}`));
    const said = { verdicts: verdictsIn(steps), messages: await loadMessages(view, known) };
    return { ...snapshot, ...said, run, output, questions, elsewhere: theirs?.elsewhere ?? null };
  },
  (seen, { id }, { settings }, logins: ReadonlyMap<string, string> | undefined) => {
    const task = taskOf(seen.file.tasks, id);
    const { run } = seen;
    const verdicts = seen.verdicts.map((each) => ({ ...each, login: logins?.get(each.time) }));
    const waits = isClosed(task) ? null : waitingFor(seen.file.tasks, id, seen.states);
    const lines = [
      `${task.id}  ${task.status}  ${task.title}`,
      ...(task.status === "cancelled" ? [`Cancelled: ${task.cancel_reason ?? "no reason is given"}.`] : []),
      ...(waits ? [`Waits: ${waits}.`] : []),
      ...loopLines(seen),
      ...(task.status === "blocked" ? wayOn(seen, settings.bloom.command) : []),
      ...block("Instructions", task.instructions ? [task.instructions.trim()] : []),
      ...block(
        "Acceptance criteria",
        task.acceptance_criteria.map((each) => `- ${criterionWords(each).replaceAll("\n", "\n  ")}`),
      ),
      ...block(
        "Steps",
        task.steps.map(
          (step) => `${step.status.padEnd(11)}  ${step.id}  ${step.instruction.trim().split("\n")[0]}`,
        ),
      ),
      ...block(
        "Subtasks",
        task.subtasks.map((sub) => lineOf(sub, seen)),
      ),
      ...block("Evidence", (run?.evidence ?? []).map(evidenceLine)),
      ...block(
        "The end of the last failure's output",
        seen.output.map((line) => `  ${line}`),
      ),
      ...block("Decided by persons", verdicts.map(verdictWords)),
      ...block("Said by the agents of its life", answerLines(run)),
      ...block(
        "Questions",
        seen.questions.map(
          (each) => `${each.id}  ${each.text}${each.answer === null ? "" : `  → ${each.answer}`}`,
        ),
      ),
      ...block(
        "Messages that its agent does not have yet",
        seen.messages.map((each) => `- ${each.text}`),
      ),
      ...block(
        "Notes",
        task.ai_notes.map((each) => `- ${each}`),
      ),
    ];
    return {
      text: lines.join("\n"),
      data: {
        task,
        run,
        waitsFor: waits,
        verdicts,
        ...(seen.elsewhere ? { elsewhere: seen.elsewhere } : {}),
        output: seen.output,
        questions: seen.questions,
        untold: seen.messages,
      },
    };
  },
  async ({ verdicts }, { id }, { workers }) =>
    verdicts.length === 0 ? undefined : await workers?.logins(`bloom:${id}`),
);

function loopLines({ elsewhere, run }: Shown): readonly string[] {
  if (run === null) return [];
  const { life, pullRequest, reason, since, state } = run;
  return [
    `In the loop: ${state}${reason ? ` (${reason})` : ""}, since ${since}.`,
    ...(life ? [`Its life: ${life.name}, as it was when the task began.`] : []),
    ...(elsewhere
      ? [
          `Moved last in another checkout, by ${elsewhere.by}, according to its records, which prove no verdict.`,
        ]
      : []),
    ...(pullRequest ? [`Pull request: ${pullRequest.url}`] : []),
  ];
}

/** Where the work of a task that stopped is, and how a person lets it go on. */
function wayOn({ elsewhere, run }: Shown, command: string): readonly string[] {
  if (run === null || elsewhere !== null) return [];
  const { session, task } = run;
  const isHere = session !== null && session.host === undefined;
  const mend = isHere ? "Mend what stopped it there" : "Mend what stopped it";
  return [
    ...(isHere ? [`Its work: ${session.folder}`] : []),
    `${mend}, or leave its agent a word (\`${command} note ${task} "…"\`); then \`${command} ready ${task}\`.`,
  ];
}

function answerLines(run: TaskRun | null): readonly string[] {
  return Object.entries(run?.said ?? {}).flatMap(([agent, texts]) =>
    Object.entries(texts).flatMap(([field, text]) => (text === "" ? [] : [`${agent}, ${field}: ${text}`])),
  );
}

function evidenceLine(each: TaskRun["evidence"][number]): string {
  const end = each.flaky
    ? `flaky (${each.flaky.exit ?? "no exit code"}, then passed)`
    : each.exit === 0
      ? "passed"
      : `failed (${each.exit ?? "no exit code"})`;
  return `${each.empty ? "ran no test" : end}  ${each.command}${each.log === "" ? "" : `  ${outputFileOf(each)}`}`;
}

function block(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

/** `next`: what a worker would take now, and what would become ready for it. */
export const next = readOnly(loadSnapshot, (snapshot: Snapshot, { agent }: { readonly agent?: string }) => {
  const { tasks } = snapshot.file;
  const ready = nowReady(tasks, snapshot.states);
  const worker = { name: agent ?? null, only: null };
  const all = [
    ...takeable(tasks, snapshot.states, worker),
    ...ready.filter((task) => agent === undefined || (task.agent_name ?? agent) === agent),
  ];
  const [first] = all;
  if (!first) {
    const open = eachTask(tasks).filter(({ task }) => !isClosed(task)).length;
    return {
      text:
        open === 0
          ? tasks.length === 0
            ? "There are no tasks."
            : "Everything is done."
          : `Nothing can be taken now; ${counted(open, "task")} ${open === 1 ? "is" : "are"} open.`,
      data: { next: null, others: [] },
    };
  }
  const step = getCurrentStepForTask(first);
  const others = all.slice(1).map((task) => task.id);
  return {
    text: [
      `${first.id}  ${first.title}${step ? `  (step ${step.id})` : ""}`,
      ...(others.length > 0 ? [`Then: ${others.join(", ")}`] : []),
    ].join("\n"),
    data: { next: summaryOf(first, null, snapshot), step: step?.id ?? null, others },
  };
});

/** The workflows whose files show that they extend Bloom's table. */
async function livesAmong(view: View, workflows: readonly string[]): Promise<readonly string[]> {
  const loading = workflows.map(ownFile).map(async ({ file, name }) => {
    const text = await view.read(file).catch(() => null);
    return text !== null && /^extends:[ \t]*["']?bloom["']?[ \t]*(?:#.*)?$/m.test(text) ? [name] : [];
  });
  return (await Promise.all(loading)).flat();
}

/**
 * What a project's manifests use from outside the project folder. Workspaces lack it, because nothing above
 * the project's root is copied there.
 */
interface OutsideUse {
  /** The manifest. */
  readonly path: string;
  /** The path that it names. */
  readonly place: string;
}

const MANIFESTS: Readonly<Record<string, RegExp>> = {
  "package.json": /"(?:file|link|portal):(\.\.\/[^"]*)"/g,
  "Cargo.toml": /\bpath\s*=\s*"(\.\.\/[^"]*)"/g,
  "go.mod": /=>\s*(\.\.\/\S*)/g,
  "pyproject.toml": /\bpath\s*=\s*"(\.\.\/[^"]*)"/g,
};

async function outsideUses(view: View): Promise<readonly OutsideUse[]> {
  const found: OutsideUse[] = [];
  for (const [path, pattern] of Object.entries(MANIFESTS)) {
    const text = (await view.read(projectPath(path))) ?? "";
    for (const [, place = ""] of text.matchAll(pattern)) found.push({ path, place });
  }
  return found;
}

function renderOutsideUse({ path, place }: OutsideUse): string {
  return `${path}: warning: it uses ${place}, which lies beside the project and so in no workspace. Move it into the repository, or depend on a published version.`;
}

/** `validate`: every problem with its place. */
export const validate: Transaction<Record<string, never>, Reply, undefined, Reply> = {
  run: () => null,
  async read(view, _, context) {
    try {
      const { path, text, file, parsed } = await loadTasks(view, context);
      const { unwritable, warnings } = await import("../../../tasks-file/warnings.ts");
      const tasks = eachTask(file.tasks);
      const steps = tasks.reduce((sum, { task }) => sum + task.steps.length, 0);
      const fixed = unwritable(text, file.tasks, parsed);
      if (fixed.length > 0)
        return {
          text: [
            `${path} cannot be worked on as a whole:`,
            ...fixed.map((each) => renderProblem(path, each)),
          ].join("\n"),
          data: { valid: false, problems: fixed },
          refused: true,
        };
      const { agents, bloom, workflows } = context.settings;
      const lives = [BLOOM.name, ...(await livesAmong(view, workflows))];
      const strange =
        bloom.life === null || lives.includes(bloom.life)
          ? []
          : [
              `pawl.yaml: warning: bloom.life is ${bloom.life}: expected one of ${lives.join(", ")}. Until then, no task begins that names no life itself.`,
            ];
      const odd = warnings(text, { agents: agentNames(agents), lives });
      const lines = odd.map(
        (each) => `${path}:${each.line}:${each.column}: warning: ${each.message} ${each.fix}`,
      );
      const uses = tasks.some(({ task }) => task.repo !== undefined) ? await outsideUses(view) : [];
      return {
        text: [
          `${path} is valid: ${counted(tasks.length, "task")}, ${counted(steps, "step")}.`,
          ...lines,
          ...strange,
          ...uses.map(renderOutsideUse),
        ].join("\n"),
        data: {
          valid: true,
          tasks: tasks.length,
          steps,
          problems: [],
          warnings: odd,
          settings: strange,
          beside: uses,
        },
      };
    } catch (error) {
      if (!(error instanceof PawlError) || error.code !== "tasks-invalid") throw error;
      const { problemsOf } = await import("../../../tasks-file/warnings.ts");
      const path = projectPath(context.settings.bloom.tasks_file);
      const problems = problemsOf((await view.read(path)) ?? "");
      return { text: error.message, data: { valid: false, problems }, refused: true };
    }
  },
  propose: (reply) => ({ reply }),
};

/** `prompt ID`: the prompt that the agent would get now, for a task or for one of its steps. */
export const prompt = readOnly(
  (view: View, context: Context) => loadTasks(view, context),
  ({ file }, { id, resumed }: { readonly id: string; readonly resumed?: boolean }, { settings }) => {
    const { tasks } = file;
    const step = findTask(tasks, id) ? null : findStep(tasks, id);
    const asked = step ? upTo(step.task, step.stepIndex) : taskOf(tasks, id);
    const result = getTaskForAgent(
      [asked],
      asked.id,
      settings.bloom.command,
      resumed === true ? false : undefined,
    );
    return { text: result?.prompt ?? "", data: { ...result } };
  },
);

/** The task as it will be when the step begins. */
function upTo(task: Task, index: number): Task {
  const steps = task.steps.map((step, at) => ({
    ...step,
    status: at < index ? ("done" as const) : ("pending" as const),
  }));
  return { ...task, steps };
}
