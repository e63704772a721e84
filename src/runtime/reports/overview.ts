import { PawlError, toPawlError } from "../../core/error.ts";
import { fewOf } from "../../core/text/few.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { RunOverview, WorkflowModule } from "../module.ts";
import { loadWorkflow, loadWorkflows, type Project } from "../project.ts";
import { type OverviewFacts, overviewContext } from "./overview-context.ts";

interface ShownError {
  readonly message: string;
  readonly fix: string;
}

export interface WorkflowOverview extends OverviewFacts {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly runs: readonly RunOverview[];
  /** How a person begins with it. */
  readonly begin?: string;
  /** Set if the workflow could not list its runs at all. */
  readonly problem?: ShownError;
  /** Set if the workflow cannot be used, but has no runs that this would stop. */
  readonly warning?: ShownError;
}

/**
 * Every run of every workflow. A workflow that cannot be read is one entry with its problem; the others are
 * shown. Throws if none can be read, all for the same reason: then the project is the cause.
 */
export async function overview(
  project: Pick<Project, "runtime" | "workflows">,
): Promise<readonly WorkflowOverview[]> {
  const view = project.runtime.store.view();
  const context = overviewContext(project.runtime, view);
  const modules = await loadWorkflows(project.workflows);
  const faults: PawlError[] = [];
  const workflows = await Promise.all(
    modules.map(async (module): Promise<WorkflowOverview> => {
      const { name, title, summary, begin } = module;
      const heading = { name, title, summary, ...(begin === undefined ? {} : { begin }) };
      try {
        const facts: OverviewFacts = {};
        const addFacts = (found: OverviewFacts) => void Object.assign(facts, found);
        const runs = await module.overview(view, { ...context, addFacts });
        return { ...heading, runs, ...facts, ...(module.fault ? { warning: wordsOf(module.fault) } : {}) };
      } catch (thrown) {
        const fault = toPawlError(thrown);
        faults.push(fault);
        return { ...heading, runs: [], problem: wordsOf(fault) };
      }
    }),
  );
  const [first] = faults;
  const isShared =
    faults.length === modules.length && faults.every(({ message }) => message === first?.message);
  if (first && isShared) throw first;
  return workflows;
}

/** One run of the overview; null: the overview leaves it out. Throws if its workflow cannot list its runs. */
export async function overviewOf(
  { runtime }: Pick<Project, "runtime">,
  { id, module, run }: NamedRun,
): Promise<RunOverview | null> {
  const view = runtime.store.view();
  const runs = await module.overview(view, { ...overviewContext(runtime, view), only: id });
  return runs.find((each) => each.run === run) ?? null;
}

function wordsOf({ message, fix }: PawlError): ShownError {
  return { message, fix };
}

export interface NamedRun {
  readonly module: WorkflowModule;
  /** `workflow:id` */
  readonly run: string;
  readonly id: string;
}

/**
 * The run that a person named: `workflow:id`, or a bare id if it is unique. A run that has begun comes before
 * those that have not. Throws `run-missing`, with the reason where a workflow cannot list its runs, or
 * `run-ambiguous`; each with the candidates.
 */
export async function findRun(
  project: Pick<Project, "runtime" | "workflows">,
  name: string,
): Promise<NamedRun> {
  const colon = name.indexOf(":");
  if (colon > 0) {
    const module = await loadWorkflow(project.workflows, name.slice(0, colon));
    return { module, run: name, id: name.slice(colon + 1) };
  }
  const workflows = await overview(project);
  const runs = workflows.flatMap((workflow) => workflow.runs);
  const named = runs.filter(({ run }) => idOf(run) === name);
  const begun = named.filter((run) => !isUnbegun(run));
  const found = (begun.length > 0 ? begun : named).map(({ run }) => run);
  const [first] = found;
  if (first === undefined) {
    for (const { problem, title } of workflows) if (problem) throw unreadRunError(name, title, problem);
    throw missingRunError(
      name,
      runs.map(({ run }) => run),
    );
  }
  if (found.length > 1) throw ambiguousRunError(name, found);
  return findRun(project, first);
}

/** It is known, but has not begun. */
export function isUnbegun({ since, problem, awaits }: RunOverview): boolean {
  return since === null && !problem && awaits !== "human";
}

function idOf(run: string): string {
  return run.slice(run.indexOf(":") + 1);
}

/** It may be one of those that cannot be read. */
function unreadRunError(name: string, title: string, { fix, message }: ShownError): PawlError {
  return new PawlError(
    "run-missing",
    `No run that can be read is called ${JSON.stringify(name)}, and those of ${title} cannot be read: ${message}`,
    fix,
  );
}

export function missingRunError(name: string, runs: readonly string[]): PawlError {
  const near = name === "" ? null : nearest(name, [...runs, ...runs.map(idOf)]);
  return new PawlError(
    "run-missing",
    runs.length === 0
      ? `No run is called ${JSON.stringify(name)}: the project has no runs yet.`
      : `No run is called ${JSON.stringify(name)}: expected one of ${fewOf(runs, 8)}.`,
    near ? `Did you mean ${near}? \`pawl status\` lists every run.` : "`pawl status` lists every run.",
  );
}

export function ambiguousRunError(name: string, runs: readonly string[]): PawlError {
  return new PawlError(
    "run-ambiguous",
    `More than one run is called ${JSON.stringify(name)}: ${runs.join(", ")}.`,
    `Write the run's whole name, such as ${runs[0]}.`,
  );
}
